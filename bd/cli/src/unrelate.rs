//! `bd unrelate`: an older name of `bd dep unrelate`.

use crate::context::Context;

use super::dep::relate;
use kit::cli::report::CommandResult;

pub(crate) use relate::UnArgs as Args;

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    relate::run_unrelate(ctx, &args)
}
