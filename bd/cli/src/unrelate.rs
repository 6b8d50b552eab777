//! `bd unrelate`: an older name of `bd dep unrelate`.

use crate::context::Context;

use super::dep::relate;
use kit::cli::report::Answer;

pub(crate) use relate::UnArgs as Args;

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    relate::undo(ctx, &args)
}
