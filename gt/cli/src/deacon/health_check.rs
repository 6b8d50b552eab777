//! `gt deacon health-check`.

use jiff::SignedDuration;

use super::{CommandResult, build_report_with_exit};
use crate::context::Context;
use gt::flow::townwide::deacon::health;

/// Ask an agent whether it is well
///
/// The question is typed into its session. A report of its program's hooks is the answer, or a
/// heartbeat of the deacon. No session is ended. The exit code is 2 if the agent did not answer
/// `--failures` times in a row. With `--json` {agent, running, answered, consecutive_failures,
/// unresponsive}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent: RIG/NAME, mayor, deacon, …
    agent: String,
    /// How long the agent has to answer
    #[arg(long, value_name = "TIME", default_value = "30s")]
    timeout: SignedDuration,
    /// How often in a row no answer is a failure
    #[arg(long, value_name = "N", default_value_t = 3)]
    failures: u32,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let agent = town.parse_address(&args.agent)?;
    let timeout = args.timeout.unsigned_abs();
    let check = health::check_agent_health(&town, &agent, timeout, args.failures)?;
    let exit = if check.unresponsive { 2 } else { 0 };
    build_report_with_exit(exit, check, move |check, page| {
        if !check.running {
            return page.line(format!("○ {agent} has no session"));
        }
        if check.answered {
            return page.line(format!("✓ {agent} answered"));
        }
        let count = kit::ui::counted(check.consecutive_failures as usize, "time");
        page.line(format!("! {agent} did not answer, {count} in a row"));
        page.line(format!("  → gt peek {agent}"));
    })
}
