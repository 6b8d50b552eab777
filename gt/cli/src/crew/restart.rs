//! `gt crew restart`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::session;
use gt::flow::agent::session::start::SessionChoice;
use gt::flow::place::crew;

/// End the sessions of crew members and start them again
///
/// Uncommitted work stays in the clone, and is saved to a hidden ref. With `--json` an array of
/// {agent, was_running, session}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    members: super::NamedMembers,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
}

#[derive(Debug, Serialize)]
struct RestartCrewReport {
    agent: String,
    was_running: bool,
    session: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let members = args.members.select(ctx, &town)?;
    let mut restarted = Vec::new();
    for (rig, name) in members {
        let was_running = crew::stop_member(&town, &rig, &name)?;
        let agent = crew::member_address(&rig, &name);
        let live = session::start::start_agent_session(
            &town,
            &agent,
            SessionChoice::with_agent(args.agent.as_deref()),
        )?;
        restarted.push(RestartCrewReport {
            agent: agent.to_string(),
            was_running,
            session: live.name,
        });
    }
    build_report(restarted, |restarted, page| {
        for agent in restarted {
            page.line(format!(
                "● {} runs in session {}",
                agent.agent, agent.session
            ));
        }
    })
}
