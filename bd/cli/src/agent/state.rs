use crate::context::Context;
use bd::change::{self, AGENT_STATES};
use kit::cli::report::{CommandResult, build_confirmation};

/// Report the state of an agent
///
/// An agent without a bead gets one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    one: String,
    /// The state
    #[arg(value_name = "STATE")]
    state: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("agent state")?;
    let state = args.state.to_lowercase();
    if !AGENT_STATES.contains(&state.as_str()) {
        let valid = AGENT_STATES.join(", ");
        kit::bail_usage!(
            "invalid agent state {:?}; valid states: {valid}",
            args.state
        );
    }
    let store = ctx.store_for_id(&args.one)?;
    let agent = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = tx.resolve(&args.one).map(|bead| bead.id.clone());
        let id = id.unwrap_or_else(|_| args.one.clone());
        Ok(change::set_agent_state(tx, &id, &state)?)
    })?;
    let report = kit::report_value! {
        agent: agent.id, agent_state: agent.agent_state, last_activity: agent.last_activity
    };
    build_confirmation(report, |report, page| {
        page.line(format!("✓ {} state={}", report.agent, report.agent_state));
    })
}
