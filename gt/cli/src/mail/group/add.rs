//! `gt mail group add`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::group;

/// Add members to a group
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of the group
    name: String,
    /// The members
    #[arg(required = true)]
    members: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let changed = group::add_members(&town, &args.name, &args.members)?;
    build_report(changed, super::write_group)
}
