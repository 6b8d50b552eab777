//! Reads convoys: beads of the town (`hq-cv-…`) with `tracks` edges to work of any rig.

use std::cmp::Reverse;

use bd::bead::{Bead, DepKind, Kind};
use bd::store::{BeadMark, BeadRef, Snapshot, TimeField};
use jiff::Timestamp;

use crate::town::beads::strip_external;
use crate::town::config::is_amount;

/// The marks of convoys.
pub(crate) const MARKS: [BeadMark<'_>; 2] =
    [BeadMark::Kind(&Kind::Convoy), BeadMark::Label("gt:convoy")];

pub fn is_convoy(bead: &Bead) -> bool {
    bead.issue_type == Kind::Convoy || bead.has_label("gt:convoy")
}

/// Returns the epic whose children a convoy tracks.
pub fn epic_of(convoy: &Bead) -> Option<String> {
    let epic = convoy.metadata_object().remove("epic")?;
    epic.as_str().map(str::to_owned)
}

/// The key of a convoy's own band in its metadata: dollars, as in `budget.convoy_band`.
const BAND_KEY: &str = "band_usd";

/// Returns the convoy's own band in dollars, 0 for none, or None if the setting counts. So it does
/// for a value that is no amount.
pub fn own_band(convoy: &Bead) -> Option<f64> {
    let band: Option<f64> = convoy.metadata_value(BAND_KEY);
    band.filter(|band| is_amount(*band))
}

/// Sets the convoy's own band, or removes it.
pub(crate) fn set_own_band(convoy: &mut Bead, band: Option<f64>) -> serde_json::Result<()> {
    match band {
        Some(dollars) => convoy.set_metadata(BAND_KEY, dollars),
        None => {
            convoy.remove_metadata(BAND_KEY);
            Ok(())
        }
    }
}

/// Returns the open convoys with a band of their own, oldest first.
pub fn list_convoys_with_band(town: &Snapshot) -> Vec<&Bead> {
    let mut found = list_convoys_with_key(town, BAND_KEY);
    found.retain(|convoy| own_band(convoy).is_some());
    found
}

/// Returns true if a convoy has landed and is not open again.
pub fn has_landed(convoy: &Bead) -> bool {
    !convoy.is_open() && count_landings(convoy) > 0
}

/// Returns the open convoys of the town, or all, oldest first.
pub fn list_convoys(town: &Snapshot, all: bool) -> Vec<&Bead> {
    let mut found: Vec<&Bead> = if all {
        town.select_marked(&MARKS, |_| true).collect()
    } else {
        town.select_open(&MARKS).collect()
    };
    sort_by_age(&mut found);
    found
}

/// Returns the convoy with this title: the only open one, otherwise the only one.
pub fn find_by_title<'a>(town: &'a Snapshot, title: &str) -> Option<&'a Bead> {
    [false, true].into_iter().find_map(|all| {
        let mut named = list_convoys(town, all);
        named.retain(|convoy| convoy.title.eq_ignore_ascii_case(title));
        match named[..] {
            [convoy] => Some(convoy),
            _ => None,
        }
    })
}

fn sort_by_age(convoys: &mut [&Bead]) {
    convoys.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
}

/// Returns the open convoys that may have a key in their metadata, oldest first. Does not read the
/// others.
pub(crate) fn list_convoys_with_key<'a>(town: &'a Snapshot, key: &str) -> Vec<&'a Bead> {
    let open = town.marked_open(&MARKS);
    let mut found: Vec<&Bead> = open
        .filter(|convoy| convoy.may_have_key(key))
        .filter_map(|convoy| convoy.bead())
        .collect();
    sort_by_age(&mut found);
    found
}

/// Returns the convoys that changed last, open or closed. Reads only their lines.
pub fn list_newest(town: &Snapshot, count: usize) -> Vec<&Bead> {
    let mut found: Vec<_> = town.marked(&MARKS).collect();
    // A pending change has no time yet, and is newer than all others.
    found.sort_by_key(|convoy| Reverse(convoy.time(TimeField::Updated).unwrap_or(Timestamp::MAX)));
    found
        .into_iter()
        .take(count)
        .filter_map(|convoy| convoy.bead())
        .collect()
}

/// Returns the open convoys that track a bead, oldest first.
pub fn convoys_tracking(town: &Snapshot, id: &str) -> Vec<String> {
    list_convoys(town, false)
        .iter()
        .filter(|bead| tracked_ids(bead).any(|tracked| tracked == id))
        .map(|bead| bead.id.clone())
        .collect()
}

/// Returns the convoy for a bead's briefing: the oldest open one that tracks the bead, otherwise
/// the newest closed one.
pub fn convoy_of_bead<'a>(town: &'a Snapshot, id: &str) -> Option<&'a Bead> {
    if let Some(open) = convoys_tracking(town, id).into_iter().next() {
        return town.get(&open);
    }
    list_convoys(town, true)
        .into_iter()
        .rev()
        .find(|convoy| tracked_ids(convoy).any(|tracked| tracked == id))
}

/// Returns the ids of the beads that a convoy tracks, in the order in which they were added.
pub fn tracked_ids(convoy: &Bead) -> impl Iterator<Item = &str> {
    convoy
        .edges(&DepKind::Tracks)
        .map(|edge| strip_external(&edge.depends_on_id))
}

/// Returns the ids of the beads that a convoy tracks, without reading the convoy.
pub(crate) fn tracked_refs<'a>(convoy: &BeadRef<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let tracks = DepKind::Tracks.code();
    convoy
        .edges()
        .into_iter()
        .filter(move |(kind, _)| *kind == tracks)
        .map(|(_, id)| strip_external(id))
}

/// Returns the addresses in the lines `<key>: <address>` of a convoy's description.
pub fn addresses_in<'a>(convoy: &'a Bead, key: &str) -> impl Iterator<Item = &'a str> {
    let mark = format!("{key}:");
    convoy
        .description
        .lines()
        .filter_map(move |line| line.strip_prefix(&mark).map(str::trim))
        .filter(|address| !address.is_empty())
}

/// Returns the number of times that a convoy has landed.
pub fn count_landings(convoy: &Bead) -> u64 {
    convoy.metadata_value("landings").unwrap_or(0)
}
