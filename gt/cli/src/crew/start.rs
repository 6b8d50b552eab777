//! `gt crew start`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::session;
use gt::flow::agent::session::start::SessionChoice;
use gt::flow::place::crew;
use gt::host::runtime;
use gt::record::account::check_named_account;

/// Start the sessions of crew members
///
/// A session that runs already is left alone. With `--json` an array of {agent, session,
/// needs_person}: the question on its screen that only the user may answer, or null.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    members: super::NamedMembers,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
    /// Use this account instead of the default one
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

#[derive(Debug, Serialize)]
struct StartCrewReport {
    agent: String,
    session: String,
    needs_person: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let account = check_named_account(&town, args.account)?;
    let choice = SessionChoice {
        agent: args.agent.as_deref(),
        account: account.as_deref(),
    };
    let members = args.members.select(ctx, &town)?;
    let mut started = Vec::new();
    for (rig, name) in members {
        let agent = crew::member_address(&rig, &name);
        let live = session::start::start_agent_session(&town, &agent, choice)?;
        started.push(StartCrewReport {
            agent: agent.to_string(),
            session: live.name,
            needs_person: runtime::find_agent_question(&town, &agent),
        });
    }
    build_report(started, |started, page| {
        for started_agent in started {
            page.line(format!(
                "● {} runs in session {}",
                started_agent.agent, started_agent.session
            ));
            if let Some(question) = &started_agent.needs_person {
                page.line(format!("  and asks you about: {question} (gt crew at)"));
            }
        }
    })
}
