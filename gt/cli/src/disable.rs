//! `gt disable`.

use super::CommandResult;
use super::enable::switch_integration;
use crate::context::Context;
use gt::flow::place::shell;

/// Switch the shell integration off
///
/// A shell drops the variables when its folder changes. With `--json` {enabled, changed}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also remove the integration from the start files of all shells
    #[arg(long)]
    clean: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.clean {
        shell::remove_blocks(&ctx.env)?;
    }
    switch_integration(ctx, false)
}
