//! `bd unrelate`: an older name of `bd dep unrelate`.

use super::dep::relate;
use crate::context::Context;
use kit::cli::report::CommandResult;

pub(crate) use relate::UnArgs as Args;

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    relate::run_unrelate(ctx, &args)
}
