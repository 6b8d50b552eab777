//! Convoys: batches of work followed until every tracked change is on its target.
//!
//! A convoy is a bead of the town (`hq-cv-…`) with `tracks` edges to work of any rig. What a convoy says
//! about progress is recomputed from the rigs' beads each time; nothing of it is stored. One with branches of
//! its own (`integration`) keeps their names and how far its landing is.

pub mod briefing;
mod create;
mod decision;
pub mod integration;
mod land;
mod progress;
pub mod ready;
pub mod review;
mod ways;

pub use create::{Created, New, add, automatic, close, create, create_for};
pub use decision::{Decision, decision_for, decisions};
pub use land::{Landed, check, land, landings as landings_of};
pub(crate) use land::{close_epic, close_landed};
pub(crate) use progress::is_work;
pub use progress::{Board, Counts, Ending, Progress, Standing, Tracked, ending};

use bd::bead::{Bead, DepKind, Kind};
use bd::store::Snapshot;

use crate::beads::bare_id;

/// Whether a bead is a convoy.
pub fn is_convoy(bead: &Bead) -> bool {
    bead.issue_type == Kind::Convoy || bead.has_label("gt:convoy")
}

/// The epic whose children a convoy tracks.
pub fn epic_of(convoy: &Bead) -> Option<String> {
    let epic = convoy.metadata_object().remove("epic")?;
    epic.as_str().map(str::to_owned)
}

/// Whether a convoy has landed and is not open again.
pub fn has_landed(convoy: &Bead) -> bool {
    !convoy.is_open() && land::landings(convoy) > 0
}

/// All convoys of the town, open ones or all, oldest first.
pub fn list(town: &Snapshot, all: bool) -> Vec<&Bead> {
    let mut found: Vec<&Bead> = town
        .select(move |head| (all || head.is_open()) && head.is_a(&Kind::Convoy, "gt:convoy"))
        .collect();
    found.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    found
}

/// The open convoys that track a bead, oldest first.
pub fn tracking(town: &Snapshot, id: &str) -> Vec<String> {
    let tracks = |bead: &&&Bead| tracked_ids(bead).any(|tracked| tracked == id);
    list(town, false)
        .iter()
        .filter(tracks)
        .map(|bead| bead.id.clone())
        .collect()
}

/// The ids of the beads that a convoy tracks, in the order in which they were added.
pub fn tracked_ids(convoy: &Bead) -> impl Iterator<Item = &str> {
    convoy
        .edges(&DepKind::Tracks)
        .map(|edge| bare_id(&edge.depends_on_id))
}

/// The lines `<key>: <address>` of a convoy's description.
pub fn addresses<'a>(convoy: &'a Bead, key: &str) -> impl Iterator<Item = &'a str> {
    let mark = format!("{key}:");
    convoy
        .description
        .lines()
        .filter_map(move |line| line.strip_prefix(&mark).map(str::trim))
        .filter(|address| !address.is_empty())
}
