//! `gt host check`.

use kit::ui::Page;
use kit::ui::escape::escape_line;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::host::{CheckedHost, check_host};

/// Connect to a host and measure it
///
/// With `--json` {name, way, version, root, millis}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the host
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
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
    page.line(format!("  way:    {}", escape_line(&host.way)));
    page.line(format!(
        "  folder: {}",
        escape_line(&host.root.to_string_lossy())
    ));
}
