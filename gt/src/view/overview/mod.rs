//! Reads the town for full-screen views: its status, the needs of the user, and the merge queues,
//! all from one view of the town.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::flow::work::convoy::ProgressBoard;
use crate::host::LiveTown;
use crate::record::convoy;
use crate::record::town_view::TownView;
use crate::town::identity::Address;
use crate::view::board::{BoardMark, mark_beads};
use crate::view::convoy::{BeadPace, ConvoyEnd};
use crate::view::glance::{GlanceCache, SessionGlance, read_glances};
use crate::view::need::{UserNeed, list_needing_beads, list_needs};
use crate::view::offer::TownOffers;
use crate::view::request::{self, RequestRow};
use crate::view::status::{self, TownStatus};

#[derive(Debug, Clone, Serialize)]
pub struct TownOverview {
    /// The time of the view.
    pub at: Timestamp,
    pub status: TownStatus,
    /// The needs of the user: questions first, the most urgent before others, then items by kind.
    pub needs_you: Vec<UserNeed>,
    /// The open merge requests of all rigs, those of a rig in merge order.
    pub requests: Vec<RequestRow>,
    /// The expected ends of the open convoys, by id. A convoy without one is missing.
    pub estimates: BTreeMap<String, ConvoyEnd>,
    /// The last line and the context of each running session, by the address of its agent.
    pub sessions: BTreeMap<String, SessionGlance>,
    /// The changes that every screen offers.
    pub offers: TownOffers,
    /// The beads whose work a user may have to look at, each with a few words.
    pub marks: BTreeMap<String, BoardMark>,
}

/// The readings that a redrawn screen keeps.
#[derive(Debug, Default)]
pub struct OverviewMemory {
    /// Earlier readings of sessions.
    glances: GlanceCache,
    pace: Mutex<Option<(Timestamp, Option<BeadPace>)>>,
}

/// The time for which a pace is kept.
const PACE_FRESH: SignedDuration = SignedDuration::from_mins(1);

impl TownOverview {
    /// Reads the town once.
    pub fn read(town: &LiveTown) -> anyhow::Result<Self> {
        Self::read_again(town, &OverviewMemory::default())
    }

    /// Reads the town for a screen that is redrawn.
    pub fn read_again(town: &LiveTown, memory: &OverviewMemory) -> anyhow::Result<Self> {
        let view = TownView::read_again(town, &memory.glances.activity)?;
        let mut requests = Vec::new();
        for (rig, beads) in &view.stores.rigs {
            // A rig with wrong settings has no order of requests, and is among the problems.
            let rows = request::list_requests(&town.rig(rig), beads);
            requests.extend(rows.into_iter().flatten());
        }
        let status = status::build_status(town, &view)?;
        let addresses: Vec<Address> = status
            .all_agents()
            .filter_map(|agent| agent.address.parse().ok())
            .collect();
        let needs_you = list_needs(&view, &status.items);
        Ok(Self {
            at: view.now,
            sessions: read_glances(town, &view, &addresses, &memory.glances),
            offers: TownOffers::list(&status, &needs_you, &requests),
            marks: mark_beads(&status, &needs_you, &requests),
            status,
            estimates: memory.estimate_convoys(&view, &needs_you),
            needs_you,
            requests,
        })
    }
}

impl OverviewMemory {
    fn estimate_convoys(&self, view: &TownView, needs: &[UserNeed]) -> BTreeMap<String, ConvoyEnd> {
        let open = convoy::list_convoys(&view.stores.town, false);
        if open.is_empty() {
            return BTreeMap::new();
        }
        let board = ProgressBoard::from_view(view);
        let pace = self.pace(view);
        let needs = list_needing_beads(needs);
        open.into_iter()
            .filter_map(|convoy| {
                let end = ConvoyEnd::estimate(&board.progress(convoy), view, pace, &needs)?;
                Some((convoy.id.clone(), end))
            })
            .collect()
    }

    fn pace(&self, view: &TownView) -> Option<BeadPace> {
        let mut kept = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, pace)) = *kept
            && view.now.duration_since(at).abs() < PACE_FRESH
        {
            return pace;
        }
        let pace = BeadPace::from_view(view);
        *kept = Some((view.now, pace));
        pace
    }
}

#[cfg(test)]
mod tests;
