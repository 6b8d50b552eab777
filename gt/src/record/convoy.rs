//! The convoy: a bead of the town (`hq-cv-…`) with `tracks` edges to work of any rig.

use bd::bead::{Bead, DepKind, Kind};
use bd::store::{BeadMark, Snapshot};
use serde_json::Value;

use crate::town::beads::strip_external;

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
    !convoy.is_open() && count_landings(convoy) > 0
}

/// All convoys of the town, open ones or all, oldest first.
pub fn list_convoys(town: &Snapshot, all: bool) -> Vec<&Bead> {
    let mut found: Vec<&Bead> = town
        .select_marked(
            &[BeadMark::Kind(&Kind::Convoy), BeadMark::Label("gt:convoy")],
            move |head| all || head.is_open(),
        )
        .collect();
    found.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    found
}

/// The open convoys that track a bead, oldest first.
pub fn convoys_tracking(town: &Snapshot, id: &str) -> Vec<String> {
    let tracks = |bead: &&&Bead| tracked_ids(bead).any(|tracked| tracked == id);
    list_convoys(town, false)
        .iter()
        .filter(tracks)
        .map(|bead| bead.id.clone())
        .collect()
}

/// The convoy whose worker gets a bead's briefing: the oldest open one that tracks it, else the newest one that did.
pub fn convoy_of_bead<'a>(town: &'a Snapshot, id: &str) -> Option<&'a Bead> {
    if let Some(open) = convoys_tracking(town, id).into_iter().next() {
        return town.get(&open);
    }
    let mut all = list_convoys(town, true).into_iter().rev();
    all.find(|convoy| tracked_ids(convoy).any(|tracked| tracked == id))
}

/// The ids of the beads that a convoy tracks, in the order in which they were added.
pub fn tracked_ids(convoy: &Bead) -> impl Iterator<Item = &str> {
    convoy
        .edges(&DepKind::Tracks)
        .map(|edge| strip_external(&edge.depends_on_id))
}

/// The lines `<key>: <address>` of a convoy's description.
pub fn addresses_in<'a>(convoy: &'a Bead, key: &str) -> impl Iterator<Item = &'a str> {
    let mark = format!("{key}:");
    convoy
        .description
        .lines()
        .filter_map(move |line| line.strip_prefix(&mark).map(str::trim))
        .filter(|address| !address.is_empty())
}

/// How often a convoy has landed.
pub fn count_landings(convoy: &Bead) -> u64 {
    convoy
        .metadata_object()
        .get("landings")
        .and_then(Value::as_u64)
        .unwrap_or_default()
}
