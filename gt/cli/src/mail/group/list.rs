//! `gt mail group list`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::group;

/// List the groups with their members
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let groups = group::list_groups(&town.open_town_store()?.snapshot()?);
    build_report(groups, |groups, page| {
        if groups.is_empty() {
            page.line("no groups yet: gt mail group create NAME MEMBER... makes one");
        }
        for group in groups {
            super::write_group(group, page);
        }
    })
}
