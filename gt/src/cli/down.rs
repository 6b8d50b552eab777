//! `gt down`.

use clap::Args;
use serde_json::json;

use super::{Answer, answer};
use crate::context::Context;
use crate::daemon;
use crate::identity::{Address, SessionName};
use crate::polecat::{self, Slot};
use crate::session;
use crate::town::{RigLayout, Town};

/// Stop the town: the daemon, then every session of its agents.
///
/// Hooks, branches and files stay; uncommitted work of polecats is snapshotted first. `gt up` goes on where it
/// stopped.
#[derive(Debug, Args)]
pub(super) struct DownArgs {
    /// Stop the daemon only; sessions go on.
    #[arg(long)]
    daemon_only: bool,
}

#[derive(serde::Serialize)]
struct Down {
    daemon: bool,
    sessions: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: &DownArgs) -> Answer {
    let town = ctx.town()?;
    // First the daemon: else it would start anew what is stopped.
    let daemon = daemon::status(&town).running;
    if daemon {
        daemon::stop(&town)?;
    }
    let sessions = match end_sessions(&town, args.daemon_only) {
        Ok(sessions) => sessions,
        Err(error) => {
            let daemon = if daemon {
                "the daemon has ended"
            } else {
                "no daemon was running"
            };
            return Err(error.context(format!("{daemon}, but the sessions could not be ended")));
        }
    };
    town.tell(
        "halt",
        json!({ "rig": "town", "services": sessions, "daemon": daemon }),
    );
    answer(Down { daemon, sessions }, |down, page| {
        let daemon = if down.daemon {
            "the daemon has ended"
        } else {
            "no daemon was running"
        };
        page.line(format!(
            "✓ {daemon}; {} sessions ended",
            down.sessions.len()
        ));
        for session in &down.sessions {
            page.line(format!("  {session}"));
        }
    })
}

fn end_sessions(town: &Town, none: bool) -> anyhow::Result<Vec<String>> {
    if none {
        return Ok(Vec::new());
    }
    let rigs = town.rigs()?;
    let mut ended = Vec::new();
    for live in town.backend.list()? {
        let names = rigs.iter().map(RigLayout::name);
        if let Some(Address::Polecat(rig, name)) = SessionName::address(&live.name, names) {
            let layout = town.layout.rig(&rig);
            let id = Slot::id(&town.prefix(&rig), &rig, &name);
            let slot = Slot::load(&town.rig_store(&layout)?.snapshot()?, &id);
            if let Err(error) = polecat::snapshot(town, &layout, &name, &slot) {
                // The files stay where they are; one sandbox that git cannot read must not keep the rest up.
                town.tell(
                    "snapshot_failed",
                    json!({ "polecat": live.name, "why": error.to_string() }),
                );
            }
        }
        town.backend.kill(&live.name)?;
        ended.push(live.name);
    }
    for rig in &rigs {
        end_leftovers(town, rig)?;
    }
    Ok(ended)
}

/// Ends what went on when a worker's session had ended by itself.
fn end_leftovers(town: &Town, rig: &RigLayout) -> anyhow::Result<()> {
    let beads = town.rig_store(rig)?.snapshot()?;
    for polecat in polecat::all(rig, &beads, None) {
        session::end::leftovers(&polecat.address().to_string(), &polecat.slot)?;
    }
    Ok(())
}
