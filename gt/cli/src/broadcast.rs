//! `gt broadcast`.

use super::{CommandResult, build_report_with_exit};
use crate::context::Context;
use gt::flow::agent::broadcast::{self, BroadcastReport, BroadcastRequest};

/// Type a message into the sessions of all workers
///
/// The workers are polecats and crew with a running session, except you. Muted agents get the
/// message as mail. With `--json` {agents[{agent, delivered, how, kept?}], failed}. The exit code
/// is 1 if an agent did not get it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The message
    #[arg(required = true)]
    message: Vec<String>,
    /// Only agents of this rig
    #[arg(long)]
    rig: Option<String>,
    /// Also the mayor, the deacon, dogs, witnesses and refineries
    #[arg(long)]
    all: bool,
    /// Only show the agents
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let request = BroadcastRequest {
        message: args.message.join(" "),
        rig: args.rig,
        all_roles: args.all,
        dry_run: args.dry_run,
    };
    let report = broadcast::broadcast(&town, &request)?;
    report_broadcast(report)
}

/// Reports the result for each agent. The exit code is 1 if one did not get the message.
pub(super) fn report_broadcast(report: BroadcastReport) -> CommandResult {
    let exit = u8::from(report.failed > 0);
    build_report_with_exit(exit, report, |report, page| {
        if report.agents.is_empty() {
            page.line("no agent with a running session");
        }
        for agent in &report.agents {
            let mark = if agent.is_failure { "✗" } else { "✓" };
            page.line(format!("{mark} {} {}", agent.agent, agent.how));
        }
    })
}
