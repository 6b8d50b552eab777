//! `gt crew at`.

use serde::Serialize;

use super::super::{CommandResult, attach, build_report};
use crate::context::Context;
use gt::flow::agent::session;
use gt::flow::agent::session::start::SessionChoice;
use gt::flow::place::crew;
use gt::record::account::check_named_account;
use gt::town::identity::Address;

/// Open a crew member's session, starting it if needed
///
/// With `--json` {agent, path, session}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name, or RIG/NAME (default: yours)
    name: Option<String>,
    /// The rig
    #[arg(long)]
    rig: Option<String>,
    /// Only print the clone's folder
    #[arg(long)]
    no_tmux: bool,
    /// Start the session without opening it
    #[arg(short, long)]
    detached: bool,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
    /// Use this account instead of the default one
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

#[derive(Debug, Serialize)]
struct CrewAtReport {
    agent: String,
    path: std::path::PathBuf,
    session: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let account = check_named_account(&town, args.account)?;
    let choice = SessionChoice {
        agent: args.agent.as_deref(),
        account: account.as_deref(),
    };
    let own_name = match &town.actor {
        Address::Crew(rig, name) => Some(format!("{rig}/{name}")),
        _ => None,
    };
    let names: Vec<String> = args.name.or(own_name).into_iter().collect();
    let found = super::select_members(ctx, &town, &names, args.rig.as_deref(), false)?;
    let Some((rig, name)) = found.into_iter().next() else {
        anyhow::bail!("there is no crew member `{}`: not found", names.join(" "));
    };
    let agent = crew::member_address(&rig, &name);
    let mut visited = CrewAtReport {
        agent: agent.to_string(),
        path: rig.crew(&name),
        session: None,
    };
    if !args.no_tmux {
        visited.session = Some(session::start::start_agent_session(&town, &agent, choice)?.name);
        if !args.detached {
            attach::attach_to_agent(ctx, &town, &agent)?;
        }
    }
    build_report(visited, |visited, page| match &visited.session {
        Some(session) => page.line(format!("● {} runs in session {session}", visited.agent)),
        None => page.line(visited.path.display().to_string()),
    })
}
