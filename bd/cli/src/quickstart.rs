use crate::context::Context;

use kit::cli::report::{CommandResult, EmptyReport};

/// Show a short tour
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.ui.raw(include_str!("../../templates/quickstart.md"));
    Ok(Box::new(EmptyReport))
}
