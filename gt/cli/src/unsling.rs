//! `gt unsling`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::sling::unsling_bead;
use gt::record::hook;

/// Take work off a hook.
///
/// The bead becomes open again and the worker's session ends. Its branch and files stay.
/// Uncommitted work is saved to a rescue ref first.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead, or the agent that has it (default: what is on your hook)
    bead: Option<String>,
    /// The agent that has the bead
    #[arg(hide = true)]
    agent: Option<String>,
    /// Accepted for scripts: nothing is lost
    #[arg(short, long, hide = true)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let bead = match (&args.bead, &args.agent) {
        (None, _) => hook::find_hooked_bead(&town, &town.actor)?,
        (Some(bead), Some(agent)) => {
            let hooked = hook::find_hooked_bead(&town, &town.parse_agent(agent)?)?;
            anyhow::ensure!(
                hooked == *bead,
                "{hooked} is on the hook of {agent}, not {bead}"
            );
            hooked
        }
        (Some(text), None) if town.find_bead(text).is_ok() => text.clone(),
        (Some(text), None) => match town.parse_agent(text) {
            Ok(agent) => hook::find_hooked_bead(&town, &agent)?,
            // Names the unknown bead.
            Err(_) => text.clone(),
        },
    };
    let unslung = unsling_bead(&town, &bead)?;
    build_report(unslung, |unslung, page| {
        page.line(format!(
            "✓ {} is off the hook of {} and open again",
            unslung.bead, unslung.holder
        ));
        if let Some(session) = &unslung.session {
            page.line(format!("  session ended: {session}"));
        }
        if let Some(host) = &unslung.lost_host {
            page.line(format!(
                "  host {host} was removed: a session there may still run, and cannot hand in"
            ));
            page.line(match &unslung.last_taken {
                Some(at) => {
                    let at = page.local_time(&at.to_string());
                    format!("  the last work there that reached the town is of {at}")
                }
                None => "  no work there had reached the town".to_owned(),
            });
        }
        if let Some(kept) = &unslung.kept {
            page.line("  uncommitted work is saved:");
            page.line(format!("  gt rescue show {kept}"));
        }
    })
}
