//! `gt rig remove`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::rig;

/// Remove a rig from the town's list, and keep its folder
///
/// Refuses while a session of the rig runs. With `--json` {name, path}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig
    name: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let removed = rig::remove_rig(&ctx.open_town()?, &args.name)?;
    build_report(removed, |removed, page| {
        page.line(format!("{} is off the town's list.", removed.name));
        page.line(format!(
            "Its folder is still there: {}",
            removed.path.display()
        ));
    })
}
