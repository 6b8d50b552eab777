//! `gt mayor attach`, `gt deacon attach`, …

use super::super::attach;
use super::{CommandResult, RoleSelector, build_report};
use crate::context::Context;
use gt::flow::agent::role;

/// Open the session of this agent, starting it if needed
#[derive(Debug, clap::Args)]
pub(crate) struct Args<W: RoleSelector> {
    #[command(flatten)]
    which: W,
    /// Start it with this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
}

pub(crate) fn run<W: RoleSelector>(ctx: &Context, args: Args<W>) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = args.which.address(ctx, &town)?;
    let live = role::start_role(&town, &agent, args.agent.as_deref())?;
    attach::attach_to_agent(ctx, &town, &agent)?;
    build_report(serde_json::json!({ "session": live.name }), |_, _| {})
}
