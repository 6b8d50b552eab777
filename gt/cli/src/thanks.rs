//! `gt thanks`.

use super::{CommandResult, build_report};
use crate::context::Context;

/// Print the credits
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

#[derive(serde::Serialize)]
struct CreditsReport {
    text: &'static str,
}

pub(super) fn run(_ctx: &Context, _args: Args) -> CommandResult {
    let report = CreditsReport {
        text: include_str!("../credits.txt"),
    };
    build_report(report, |report, page| page.line(report.text.trim_end()))
}
