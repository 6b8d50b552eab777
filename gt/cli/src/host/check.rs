//! `gt host check`.

use kit::ui::Page;
use kit::ui::escape::escape_line;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::{CheckedHost, check_host, has_engine};

/// The message before the check of a host with an engine.
pub(super) const TRIAL: &str = "making a place for a trial, which is removed again";

/// Connect to a host and measure it
///
/// A host with containers, pods or jobs makes one for that, and removes it.
///
/// With `--json` {name, way, version, root, millis}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the host
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    if has_engine(&town, &args.name)? {
        ctx.ui.status(TRIAL);
    }
    let checked = check_host(&town, &args.name)?;
    build_report(checked, write_host)
}

pub(super) fn write_host(host: &CheckedHost, page: &mut Page) {
    page.line(format!(
        "Host {} is connected: version {}, {} ms for a request",
        host.name,
        escape_line(&host.version),
        host.millis
    ));
    if let Some(program) = &host.copied_program {
        page.line(format!("  copied: {program}, and bd beside it"));
    }
    page.line(format!("  way:    {}", escape_line(&host.way)));
    page.line(format!(
        "  folder: {}",
        escape_line(&host.root.to_string_lossy())
    ));
}
