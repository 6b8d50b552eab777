//! The board of a rig: its work beads by columns, and the marks on them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bd::bead::{Bead, Stamp, Status};
use bd::store::{BeadRef, Snapshot, TimeField};
use jiff::Timestamp;
use serde::Serialize;

use super::need::{UserNeed, UserNeedKind};
use super::request::RequestRow;
use super::status::TownStatus;
use crate::host::LiveTown;
use crate::record::merge_request;
use crate::record::polecat::{PolecatIds, Slot};
use crate::town::Town;
use crate::town::identity::Address;

/// A column of a rig's board.
#[derive(Debug, Serialize)]
pub struct BoardColumn {
    pub name: &'static str,
    /// The number of its beads, also of those that are not shown.
    pub total: usize,
    pub beads: Vec<BoardBead>,
}

/// A bead on the board.
#[derive(Debug, Serialize)]
pub struct BoardBead {
    pub id: String,
    pub title: String,
    pub status: String,
    pub priority: i64,
    pub assignee: String,
    pub labels: Vec<String>,
    /// The time since which the bead is in this column, as far as it is known: its end, its
    /// submission, the claim, or its creation.
    pub since: Timestamp,
}

/// The number of shown beads of a column, and of the column of closed beads.
const MAX_COLUMN_BEADS: usize = 100;
const MAX_CLOSED_BEADS: usize = 20;

/// Reads the work beads of each rig by columns, the last closed ones among them.
pub fn read_boards(town: &LiveTown) -> anyhow::Result<BTreeMap<String, [BoardColumn; 5]>> {
    let stores = town.read_stores()?;
    let mut rigs = BTreeMap::new();
    for (rig, beads) in &stores.rigs {
        let (mut left, mut closed): (Vec<BeadRef>, Vec<BeadRef>) = beads
            .bead_refs()
            .filter(|bead| !bead.is_internal() && !bead.is_ephemeral() && !bead.is_tombstone())
            .partition(BeadRef::is_open);
        left.sort_by_key(BeadRef::priority);
        closed.sort_by_cached_key(|bead| Reverse(bead.time(TimeField::Closed)));
        let (at_work, left): (Vec<BeadRef>, Vec<BeadRef>) = left
            .into_iter()
            .partition(|bead| matches!(bead.status(), Status::Hooked | Status::InProgress));
        let (in_review, at_work): (Vec<BeadRef>, Vec<BeadRef>) = at_work
            .into_iter()
            .partition(|found| merge_request::has_open_request(beads, found));
        let (blocked, open): (Vec<BeadRef>, Vec<BeadRef>) = left.into_iter().partition(|found| {
            found.status() == Status::Blocked
                || found.is_blocked()
                || found.has_external_edge()
                    && found
                        .bead()
                        .is_some_and(|bead| !stores.external_blockers(bead).is_empty())
        });
        let columns = [
            build_column("Open", &open, MAX_COLUMN_BEADS, find_creation),
            build_column("Blocked", &blocked, MAX_COLUMN_BEADS, find_creation),
            build_column("In progress", &at_work, MAX_COLUMN_BEADS, |bead| {
                find_claim(town, beads, bead).unwrap_or_else(|| find_creation(bead))
            }),
            build_column("In review", &in_review, MAX_COLUMN_BEADS, |bead| {
                let request = merge_request::find_open_request(beads, &bead.id);
                request.map_or_else(|| find_creation(bead), find_creation)
            }),
            build_column("Done", &closed, MAX_CLOSED_BEADS, find_end),
        ];
        rigs.insert(rig.clone(), columns);
    }
    Ok(rigs)
}

fn find_creation(bead: &Bead) -> Timestamp {
    bead.created_at.instant()
}

/// Returns the time at which the worker of a bead got it.
fn find_claim(town: &Town, beads: &Snapshot, bead: &Bead) -> Option<Timestamp> {
    let Ok(Address::Polecat(rig, name)) = bead.assignee.parse() else {
        return None;
    };
    let slot = Slot::load(beads, &PolecatIds::for_polecat(&town.rig(&rig), &name).slot);
    (slot.bead.as_str() == bead.id)
        .then(|| slot.since.parse().ok())
        .flatten()
}

fn find_end(bead: &Bead) -> Timestamp {
    let closed = bead.closed_at.as_ref().map(Stamp::instant);
    closed.unwrap_or_else(|| find_creation(bead))
}

fn build_column(
    name: &'static str,
    all: &[BeadRef],
    limit: usize,
    find_since: impl Fn(&Bead) -> Timestamp,
) -> BoardColumn {
    BoardColumn {
        name,
        total: all.len(),
        beads: all
            .iter()
            .take(limit)
            .filter_map(BeadRef::bead)
            .map(|bead| BoardBead {
                id: bead.id.clone(),
                title: bead.title.clone(),
                status: bead.status.to_string(),
                priority: bead.priority,
                assignee: bead.assignee.clone(),
                labels: bead.labels.clone(),
                since: find_since(bead),
            })
            .collect(),
    }
}

/// A few words on a bead of the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BoardMark {
    pub text: String,
    pub tone: MarkTone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkTone {
    Dim,
    Caution,
    Bad,
}

impl BoardMark {
    fn new(text: &str, tone: MarkTone) -> Self {
        let text = text.to_owned();
        Self { text, tone }
    }
}

/// Returns the marks of beads. A need goes before a stopped worker, and that before the queue.
pub fn mark_beads(
    status: &TownStatus,
    needs: &[UserNeed],
    requests: &[RequestRow],
) -> BTreeMap<String, BoardMark> {
    let mut marks = BTreeMap::new();
    for request in requests {
        let mark = BoardMark::new("in the merge queue", MarkTone::Dim);
        marks.insert(request.bead.clone(), mark);
    }
    for agent in status
        .all_agents()
        .filter(|agent| agent.is_stopped_at_work())
    {
        if let (Some(bead), Some(state)) = (&agent.hook_bead, agent.state) {
            marks.insert(bead.clone(), BoardMark::new(state.name(), MarkTone::Bad));
        }
    }
    for need in needs.iter().filter(|need| !need.bead.is_empty()) {
        let mark = match need.kind {
            UserNeedKind::Stuck => BoardMark::new("stuck", MarkTone::Bad),
            _ => BoardMark::new("waits for you", MarkTone::Caution),
        };
        marks.insert(need.bead.clone(), mark);
    }
    marks
}
