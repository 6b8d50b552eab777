//! `gt cycle prev`.

use super::super::CommandResult;
use super::{CycleArgs, switch_session};
use crate::context::Context;
use gt::flow::agent::session::cycle::CycleDirection;

/// Switch to the previous session of the group
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    args: CycleArgs,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    switch_session(ctx, args.args, CycleDirection::Previous)
}
