//! `gt shell place`: what the integration reads when the folder changes.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::shell;

/// Print the town and the rig around the working directory
///
/// One line each. Nothing outside of a town.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    build_report(shell::find_place(&ctx.env), |place, page| {
        if !place.town.is_empty() {
            page.line(&place.town);
            page.line(&place.rig);
        }
    })
}
