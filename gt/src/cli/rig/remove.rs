//! `gt rig remove`.

use clap::Args;

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::rig;

/// Take a rig off the town's list. Its folder stays.
///
/// Refused while any of its sessions runs. With `--json` {name, path}.
#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// The rig.
    name: String,
}

pub(super) fn run(ctx: &Context, args: &RemoveArgs) -> Answer {
    let removed = rig::remove(&ctx.town()?, &args.name)?;
    answer(removed, |removed, page| {
        page.line(format!("{} is off the town's list.", removed.name));
        page.line(format!(
            "Its folder is still there: {}",
            removed.path.display()
        ));
    })
}
