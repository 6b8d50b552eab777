//! Watches the demo's convoy until it has landed, and reports the state of each bead.

use std::time::Duration;

use kit::sys::clock;

use super::error::DemoError;
use crate::flow::work::convoy::{self, BeadStanding, ConvoyProgress};
use crate::record::polecat;
use crate::town::event::{Event, NewestEvents};
use crate::town::{Town, TownLayout};

/// The state of one bead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoBead {
    pub id: String,
    pub title: String,
    pub standing: BeadStanding,
    /// The worker or the blocker, in a few words.
    pub detail: String,
}

/// Receives the progress of the demo.
pub trait DemoWatcher {
    /// Reports a step.
    fn report_step(&mut self, text: &str);
    /// Reports the current state of all beads.
    fn report_beads(&mut self, lines: &[DemoBead]);
    /// Returns true if the user wants the demo to end.
    fn is_interrupted(&self) -> bool;
}

/// Waits until the convoy has landed.
pub(super) fn wait_until_landed(
    town: &Town,
    convoy: &str,
    limit: Duration,
    watcher: &mut dyn DemoWatcher,
) -> anyhow::Result<()> {
    let mut last = String::new();
    let end = clock::wait_for(limit, || match read_progress(town, convoy, watcher) {
        Ok((true, _)) => Some(Ok(())),
        Ok((false, _)) if watcher.is_interrupted() => Some(Err(DemoError::Interrupted.into())),
        Ok((false, state)) => {
            last = state;
            None
        }
        Err(error) => Some(Err(error)),
    });
    let seconds = limit.as_secs();
    end.unwrap_or_else(|| {
        Err(DemoError::TimedOut {
            seconds,
            state: last,
        }
        .into())
    })
}

/// Reads the progress once. Returns true if the convoy has landed, and its state in words.
fn read_progress(
    town: &Town,
    convoy: &str,
    watcher: &mut dyn DemoWatcher,
) -> anyhow::Result<(bool, String)> {
    let stores = town.read_stores()?;
    let bead = stores
        .town
        .get(convoy)
        .ok_or_else(|| build_stuck_error("the convoy is gone"))?;
    let progress = convoy::ProgressBoard::from_stores(&stores).progress(bead);
    watcher.report_beads(&build_demo_beads(&progress));
    if let Some(held) = progress
        .tracked
        .iter()
        .find(|bead| bead.standing == BeadStanding::NeedsStep)
    {
        return Err(build_stuck_error(&format!(
            "{} waits for {}",
            held.id,
            held.waits_for.join(", ")
        )));
    }
    let rig = town.rig("demo");
    if let Some(beads) = stores.rigs.get("demo") {
        for polecat in polecat::list_polecats(&rig, beads, None) {
            if let Some(reason) = polecat.slot.state.stuck_reason() {
                let address = polecat.address();
                return Err(build_stuck_error(&format!("{address}: {reason}")));
            }
        }
    }
    if let Some(failure) = find_repeated_failure(&town.layout)? {
        return Err(build_stuck_error(&failure));
    }
    let counts = progress.counts;
    Ok((
        !bead.is_open(),
        format!("{} of {} beads are done", counts.completed, counts.total),
    ))
}

/// Returns the last repeated failure of the daemon.
fn find_repeated_failure(layout: &TownLayout) -> std::io::Result<Option<String>> {
    const TOO_OFTEN: usize = 3;
    let mut failed = Vec::new();
    for line in NewestEvents::new(layout)? {
        match line?.to_event() {
            Event::Patrol(act) if act.failed => failed.push(act.outcome),
            _ => {}
        }
    }
    Ok(failed
        .first()
        .filter(|last| failed.iter().filter(|outcome| outcome == last).count() >= TOO_OFTEN)
        .cloned())
}

fn build_stuck_error(reason: &str) -> anyhow::Error {
    DemoError::Stuck {
        reason: reason.to_owned(),
    }
    .into()
}

fn build_demo_beads(progress: &ConvoyProgress) -> Vec<DemoBead> {
    progress
        .tracked
        .iter()
        .map(|bead| DemoBead {
            id: bead.id.clone(),
            title: bead.title.clone(),
            standing: bead.standing,
            detail: match bead.standing {
                BeadStanding::Blocked | BeadStanding::NeedsStep => {
                    format!("waits for {}", bead.waits_for.join(", "))
                }
                _ => bead.assignee.rsplit('/').next().unwrap_or("").to_owned(),
            },
        })
        .collect()
}
