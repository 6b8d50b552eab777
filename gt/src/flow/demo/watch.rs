//! Watches the demo's convoy until it has landed, and tells how each bead stands.

use std::time::Duration;

use kit::sys::clock;

use super::error::DemoError;
use crate::flow::convoy::{self, Progress, Standing};
use crate::host::LiveTown;
use crate::record::polecat;
use crate::town::event::{self, Event};

/// How one bead stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The bead.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub standing: Standing,
    /// Who has it or what it waits for, in a few words.
    pub detail: String,
}

/// Whoever wants to know how it goes.
pub trait Watcher {
    /// A step was taken.
    fn say(&mut self, text: &str);
    /// How all beads stand now.
    fn beads(&mut self, lines: &[Line]);
    /// Whether the person wants it to end.
    fn interrupted(&self) -> bool;
}

/// Waits until the convoy has landed.
pub(super) fn until_landed(
    town: &LiveTown,
    convoy: &str,
    limit: Duration,
    watcher: &mut dyn Watcher,
) -> anyhow::Result<()> {
    let mut last = String::new();
    let end = clock::wait_for(limit, || match read_progress(town, convoy, watcher) {
        Ok((true, _)) => Some(Ok(())),
        Ok((false, _)) if watcher.interrupted() => Some(Err(DemoError::Interrupted.into())),
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

/// One look: whether the convoy has landed, and where it stands in words.
fn read_progress(
    town: &LiveTown,
    convoy: &str,
    watcher: &mut dyn Watcher,
) -> anyhow::Result<(bool, String)> {
    let stores = town.read_stores()?;
    let bead = stores
        .town
        .get(convoy)
        .ok_or_else(|| stuck("the convoy is gone"))?;
    let progress = convoy::Board::of(&stores).progress(bead);
    watcher.beads(&lines(&progress));
    if let Some(held) = progress
        .tracked
        .iter()
        .find(|bead| bead.standing == Standing::NeedsStep)
    {
        return Err(stuck(&format!(
            "{} waits for {}",
            held.id,
            held.waits_for.join(", ")
        )));
    }
    let rig = town.layout.rig("demo");
    if let Some(beads) = stores.rigs.get("demo") {
        let hopeless = polecat::list_polecats(&rig, beads, None)
            .into_iter()
            .find(|p| p.slot.state.stuck_reason().is_some());
        if let Some(polecat) = hopeless {
            return Err(stuck(&format!(
                "{}: {}",
                polecat.address(),
                polecat.slot.state.stuck_reason().unwrap_or_default()
            )));
        }
    }
    if let Some(failure) = failing(town)? {
        return Err(stuck(&failure));
    }
    let counts = progress.counts;
    Ok((
        !bead.is_open(),
        format!("{} of {} beads are done", counts.completed, counts.total),
    ))
}

/// What the daemon has failed at again and again.
fn failing(town: &LiveTown) -> std::io::Result<Option<String>> {
    const TOO_OFTEN: usize = 3;
    let failed: Vec<String> = event::read_events(&town.layout)?
        .into_iter()
        .filter_map(|line| match line.to_event() {
            Event::Patrol(act) if act.failed => Some(act.outcome),
            _ => None,
        })
        .collect();
    let last = failed
        .last()
        .filter(|last| failed.iter().filter(|outcome| outcome == last).count() >= TOO_OFTEN);
    Ok(last.cloned())
}

fn stuck(reason: &str) -> anyhow::Error {
    DemoError::Stuck {
        reason: reason.to_owned(),
    }
    .into()
}

fn lines(progress: &Progress) -> Vec<Line> {
    let detail = |bead: &convoy::Tracked| match bead.standing {
        Standing::Blocked | Standing::NeedsStep => {
            format!("waits for {}", bead.waits_for.join(", "))
        }
        _ => bead
            .assignee
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    progress
        .tracked
        .iter()
        .map(|bead| Line {
            id: bead.id.clone(),
            title: bead.title.clone(),
            standing: bead.standing,
            detail: detail(bead),
        })
        .collect()
}
