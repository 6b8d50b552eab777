//! `gt enable`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::shell;
use kit::sys::Clock;

/// Switch the shell integration on
///
/// With `--json` {enabled, changed}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(serde::Serialize)]
struct EnableReport {
    enabled: bool,
    changed: bool,
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    switch_integration(ctx, true)
}

/// Enables or disables the integration.
pub(super) fn switch_integration(ctx: &Context, enabled: bool) -> CommandResult {
    let now = Clock::choose(ctx.env.get("BD_NOW")).now();
    let changed = shell::set_enabled(&ctx.env, enabled, now)?;
    let is_installed = shell::list_start_files(&ctx.env)
        .iter()
        .any(|start_file| start_file.installed);
    build_report(EnableReport { enabled, changed }, move |report, page| {
        let state = if report.enabled {
            "enabled"
        } else {
            "disabled"
        };
        page.line(format!("✓ the shell integration is {state}"));
        if report.enabled && !is_installed {
            page.line("  no shell has it yet:");
            page.line("  gt shell install");
        }
    })
}
