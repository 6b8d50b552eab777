//! `gt mayor restart`, `gt deacon restart`, …

use super::{CommandResult, RoleSelector, build_report, command_of};
use crate::context::Context;
use gt::flow::agent::role;

/// End the session of this agent and start it again
///
/// With `--json` {session, was_running}.
#[derive(Debug, clap::Args)]
pub(crate) struct Args<W: RoleSelector> {
    #[command(flatten)]
    which: W,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
}

pub(crate) fn run<W: RoleSelector>(ctx: &Context, args: Args<W>) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = args.which.address(ctx, &town)?;
    let (was_running, live) = role::restart_role(&town, &agent, args.agent.as_deref())?;
    let data = serde_json::json!({ "session": live.name, "was_running": was_running });
    build_report(data, move |_, page| {
        page.line(format!("● {agent} runs in session {}", live.name));
        page.line(format!("  → {}", command_of(&agent, "attach")));
    })
}
