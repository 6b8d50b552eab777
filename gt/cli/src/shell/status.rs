//! `gt shell status`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::shell::{self, StartFile};

/// Show which start files have the integration
///
/// With `--json` {enabled, files[{shell, file, installed, changed}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(Debug, Serialize)]
struct ShellStatus {
    enabled: bool,
    files: Vec<StartFile>,
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let status = ShellStatus {
        enabled: shell::is_enabled(&ctx.env),
        files: shell::list_start_files(&ctx.env),
    };
    build_report(status, |status, page| {
        let state = if status.enabled {
            "enabled"
        } else {
            "disabled"
        };
        page.line(format!("shell integration: {state}"));
        for start_file in &status.files {
            let mark = if start_file.installed { "●" } else { "○" };
            let name = start_file.shell.word();
            page.line(format!("{mark} {name:<5} {}", start_file.file.display()));
        }
    })
}
