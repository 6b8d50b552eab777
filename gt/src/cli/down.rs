//! `gt down`.

use bd::ui::{Page, escape};
use serde_json::json;

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::sandbox;
use crate::flow::session;
use crate::host::Live;
use crate::host::LiveTown;
use crate::host::daemon;
use crate::record::polecat::{self, Ids, Slot};
use crate::town::RigLayout;
use crate::town::identity::{Address, SessionName};

/// Stop the town: the daemon, then every session of its agents.
///
/// Hooks, branches and files stay. The uncommitted work of polecats is saved to a snapshot first. `gt up` continues where it
/// stopped. With `--json` {daemon, sessions[], stopped[{worker, bead, title, snapshot?}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Stop only the daemon and keep the sessions
    #[arg(long)]
    daemon_only: bool,
}

#[derive(serde::Serialize)]
struct Down {
    daemon: bool,
    sessions: Vec<String>,
    /// Workers that were stopped with work on their hooks.
    stopped: Vec<Stopped>,
}

/// A worker that was stopped in the middle of its work.
#[derive(Debug, serde::Serialize)]
struct Stopped {
    /// `<rig>/<name>`.
    worker: String,
    /// The bead on its hook, which stays there.
    bead: String,
    /// Its title.
    title: String,
    /// The ref with what was not committed; its files also stay where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    // First the daemon: else it would start anew what is stopped.
    let daemon = daemon::status(&town).running;
    if daemon {
        daemon::stop(&town)?;
    }
    let (sessions, stopped) = match end_sessions(&town, args.daemon_only) {
        Ok(ended) => ended,
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
        json!({
            "rig": "town", "services": sessions, "daemon": daemon,
            "stopped": stopped.iter().map(|one| json!({ "polecat": one.worker, "bead": one.bead })).collect::<Vec<_>>(),
        }),
    );
    let down = Down {
        daemon,
        sessions,
        stopped,
    };
    answer(down, show)
}

fn show(down: &Down, page: &mut Page) {
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
    if down.stopped.is_empty() {
        return;
    }
    page.line("stopped in the middle of their work, which stays on their hooks:");
    for one in &down.stopped {
        let title = escape::line(&one.title);
        page.cut_line(format!("  {} on {} {title}", one.worker, one.bead));
        if let Some(snapshot) = &one.snapshot {
            page.line(format!("    not committed yet; a copy is in {snapshot}"));
        }
    }
    page.line("nothing is lost: `gt up` starts each of them again in its sandbox as it is");
}

/// Ends all sessions. Gives their names, and the workers that were at work.
fn end_sessions(town: &LiveTown, none: bool) -> anyhow::Result<(Vec<String>, Vec<Stopped>)> {
    if none {
        return Ok((Vec::new(), Vec::new()));
    }
    let rigs = town.rigs()?;
    let (mut ended, mut stopped) = (Vec::new(), Vec::new());
    for live in town.host.list()? {
        let names = rigs.iter().map(RigLayout::name);
        if let Some(Address::Polecat(rig, name)) = SessionName::address(&live.name, names) {
            stopped.extend(save(town, &rig, &name, &live)?);
        }
        town.host.kill(&live.name)?;
        ended.push(live.name);
    }
    for rig in &rigs {
        end_leftovers(town, rig)?;
    }
    Ok((ended, stopped))
}

/// Saves what a worker has not committed. Gives what it was at, where it was at work.
fn save(town: &LiveTown, rig: &str, name: &str, live: &Live) -> anyhow::Result<Option<Stopped>> {
    let layout = town.layout.rig(rig);
    let ids = Ids::of(&town.prefix(rig), rig, name);
    let store = town.rig_store(&layout)?;
    let beads = store.snapshot()?;
    let slot = Slot::load(&beads, &ids.slot);
    let saved = sandbox::snapshot(town, &layout, name, &slot).unwrap_or_else(|error| {
        // The files stay where they are; one sandbox that git cannot read must not keep the rest up.
        town.tell(
            "snapshot_failed",
            json!({ "polecat": live.name, "why": error.to_string() }),
        );
        None
    });
    let hook = polecat::hook_of(&beads, &ids);
    let bead = hook.and_then(|id| beads.get(&id));
    let Some(bead) = bead.filter(|bead| bead.is_open() && live.dead.is_none()) else {
        return Ok(None);
    };
    town.transact(&store, |tx| {
        // Taken away meanwhile: then nobody starts it again.
        if let Ok(mut slot) = slot.still_held(tx, &ids) {
            slot.stopped = true;
            slot.save(tx, &ids.slot)?;
        }
        Ok(())
    })?;
    Ok(Some(Stopped {
        worker: format!("{rig}/{name}"),
        bead: bead.id.clone(),
        title: bead.title.clone(),
        snapshot: saved.map(|saved| saved.refname),
    }))
}

/// Ends what went on when a worker's session had ended by itself.
fn end_leftovers(town: &LiveTown, rig: &RigLayout) -> anyhow::Result<()> {
    let beads = town.rig_store(rig)?.snapshot()?;
    for polecat in polecat::all(rig, &beads, None) {
        session::end::leftovers(&polecat.address().to_string(), &polecat.slot)?;
    }
    Ok(())
}
