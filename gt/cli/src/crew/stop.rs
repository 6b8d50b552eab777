//! `gt crew stop`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::crew;

/// End the sessions of crew members, and keep their clones
///
/// With `--json` an array of {agent, was_running}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    members: super::NamedMembers,
}

#[derive(Debug, Serialize)]
struct StopCrewReport {
    agent: String,
    was_running: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let members = args.members.select(ctx, &town)?;
    let mut stopped = Vec::new();
    for (rig, name) in members {
        stopped.push(StopCrewReport {
            was_running: crew::stop_member(&town, &rig, &name)?,
            agent: crew::member_address(&rig, &name).to_string(),
        });
    }
    build_report(stopped, |stopped, page| {
        for stopped_agent in stopped {
            let how = if stopped_agent.was_running {
                "has stopped"
            } else {
                "was not running"
            };
            page.line(format!("○ {} {how}", stopped_agent.agent));
        }
    })
}
