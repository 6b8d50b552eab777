//! `gt deacon redispatch`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::deacon::redispatch::{RedispatchOutcome, redispatch_bead};

/// Sling a bead again whose worker is stuck
///
/// A bead is slung again at most twice, five minutes apart. The next call escalates it. With
/// `--json` {outcome: slung, target, attempts}, {outcome: waits, until} or {outcome: escalated,
/// escalation}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead
    bead: String,
    /// The rig that gets it (default: the rig of the bead)
    #[arg(long)]
    rig: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let done = redispatch_bead(&ctx.open_town()?, &args.bead, args.rig.as_deref())?;
    let bead = args.bead;
    build_report(done, move |done, page| match done {
        RedispatchOutcome::Slung { target, attempts } => {
            page.line(format!(
                "✓ {bead} is slung to {target} (attempt {attempts} of 2)"
            ));
        }
        RedispatchOutcome::Waits { until } => {
            let until = page.relative_time(&until.to_string());
            page.line(format!(
                "○ {bead} was slung again a moment ago, next attempt {until}"
            ));
        }
        RedispatchOutcome::Escalated { escalation: None } => {
            page.line(format!("○ {bead} was escalated before"));
            page.line("  → gt escalate list");
        }
        RedispatchOutcome::Escalated {
            escalation: Some(escalation),
        } => {
            page.line(format!("! {bead} is escalated: it was slung again twice"));
            page.line(format!("  → gt escalate show {escalation}"));
        }
    })
}
