//! `gt version`.

use super::{CommandResult, build_report};
use crate::context::Context;

#[derive(serde::Serialize)]
struct VersionReport {
    version: &'static str,
}

/// Print the version
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_ctx: &Context, _args: Args) -> CommandResult {
    let version = VersionReport {
        version: env!("CARGO_PKG_VERSION"),
    };
    build_report(version, |version, page| {
        page.line(format!("gt version {}", version.version));
    })
}
