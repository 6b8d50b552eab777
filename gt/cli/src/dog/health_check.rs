//! `gt dog health-check`.

use jiff::SignedDuration;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog::health;

/// Find dogs that are not well
///
/// That is: work and no session (zombie), work and no activity for long (hung), a session and no
/// work for an hour (orphan). With `--json` [{dog, condition, work, work_seconds, cleared}].
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Take their work from them and end their sessions
    #[arg(long)]
    auto_clear: bool,
    /// How long a dog at work may do nothing
    #[arg(long, value_name = "DURATION", default_value = "2h")]
    max_inactivity: SignedDuration,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let found = health::check_dogs(&ctx.open_town()?, args.max_inactivity, args.auto_clear)?;
    build_report(found, |found, page| {
        for check in found {
            page.line(check.describe());
        }
        if found.is_empty() {
            page.line("All dogs are well");
        }
    })
}
