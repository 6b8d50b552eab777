use crate::context::Context;
use crate::dep;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};

/// Report that an agent is active
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    one: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("agent heartbeat")?;
    let store = ctx.store_for_id(&args.one)?;
    let agent = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = dep::resolve_dep_end(tx, &args.one, "agent")?;
        Ok(change::agent_heartbeat(tx, &id)?)
    })?;
    let report = kit::report_value! { agent: agent.id, last_activity: agent.last_activity };
    build_confirmation(report, |report, page| {
        page.line(format!("✓ {} heartbeat", report.agent));
    })
}
