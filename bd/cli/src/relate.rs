//! `bd relate`: an older name of `bd dep relate`.

use super::dep::relate;
use crate::context::Context;
use kit::cli::report::CommandResult;

pub(crate) use relate::Args;

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    relate::run(ctx, &args)
}
