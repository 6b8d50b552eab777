use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report};

/// Show a short tour
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.ui.raw(include_str!("../../templates/quickstart.md"));
    build_empty_report()
}
