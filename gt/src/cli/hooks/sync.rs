//! `gt hooks sync`.

use clap::Args;

use super::super::Answer;
use crate::cli::context::Context;
use crate::host::runtime::installed;

/// Add what is missing to the settings files that are there.
#[derive(Debug, Args)]
pub(super) struct SyncArgs {
    /// Only of this target.
    target: Option<String>,
}

pub(super) fn run(ctx: &Context, args: &SyncArgs) -> Answer {
    super::changed(installed::sync(
        &*ctx.town()?,
        args.target.as_deref(),
        false,
    )?)
}
