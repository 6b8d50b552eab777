//! `gt changelog`.

use super::{CommandResult, build_report};
use crate::context::Context;

/// Show what has changed in each version
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(serde::Serialize)]
struct ChangelogReport {
    text: &'static str,
}

pub(super) fn run(_ctx: &Context, _args: Args) -> CommandResult {
    let report = ChangelogReport {
        text: include_str!("../../../CHANGELOG.md"),
    };
    build_report(report, |report, page| page.line(report.text.trim_end()))
}
