//! `gt hooks sync`.

use super::super::CommandResult;
use crate::context::Context;
use gt::host::runtime::installed;

/// Add missing hooks to existing settings files
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only for this target
    target: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    super::report_installed_hooks(installed::sync_role_hooks(
        &*ctx.open_town()?,
        args.target.as_deref(),
        false,
    )?)
}
