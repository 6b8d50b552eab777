//! `gt mail group create`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::group;

/// Create a group
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
    /// The members
    members: Vec<String>,
    /// A member, as an option; repeat for each
    #[arg(long = "member", value_name = "MEMBER", value_delimiter = ',')]
    more: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let members = [args.members, args.more].concat();
    let created = group::create_group(&town, &args.name, &members)?;
    build_report(created, super::write_group)
}
