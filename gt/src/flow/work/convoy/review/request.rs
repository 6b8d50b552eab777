//! Stores review requests for convoys. While the hooks run, a request is only in memory. As an
//! intent it is a wisp of the town. If it waits for a user, it is a bead of the town (type gate,
//! label `gt:convoy-review`), which is synced and stays as the record of the answer.

use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Kind, Status};
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};
use serde::{Deserialize, Serialize};

use super::{ConvoyPurpose, ReviewError};
use crate::flow::work::convoy::create::NewConvoy;
use crate::flow::work::convoy::decision::HookDecision;
use crate::town::Town;
use crate::town::event::event;

const REVIEW_LABEL: &str = "gt:convoy-review";

/// A request to create or extend a convoy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewRequest {
    pub id: String,
    /// The id of the future or the existing convoy.
    pub convoy: String,
    /// True if the convoy exists and beads are added to it.
    pub adds: bool,
    pub new: NewConvoy,
    /// The goal of the convoy.
    pub spec: String,
    pub by: String,
    /// The sling that follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<serde_json::Value>,
    /// The decisions so far.
    pub decisions: Vec<HookDecision>,
    /// The decision that waits for a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingDecision>,
    pub state: ReviewState,
}

/// A decision that waits for a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PendingDecision {
    /// The decision that takes effect on approval.
    pub decision: HookDecision,
    /// The hook that deferred to the user.
    pub hook: String,
    pub reason: String,
}

/// The state of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewState {
    /// Waits for a user.
    #[default]
    Waiting,
    /// Approved and not finished.
    Approved,
    /// Rejected by a user or a later hook.
    Rejected,
    Done,
}

impl ReviewState {
    /// Returns the state's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Done => "done",
        }
    }
}

impl ReviewRequest {
    /// Builds the request for a new convoy.
    pub(super) fn for_new_convoy(
        town: &Town,
        new: NewConvoy,
        purpose: ConvoyPurpose,
    ) -> anyhow::Result<Self> {
        let store = town.open_town_store()?.snapshot()?;
        let convoy = super::create::fresh_id(town, &store);
        // The id is the same for a bead that is slung again while its convoy waits, so that the
        // user is asked once. An earlier answer is kept.
        let key = match (&purpose.then, new.beads.first()) {
            (Some(_), Some(bead)) => bd::bead::hash::compute_short_hash(bead, 3),
            _ => convoy.trim_start_matches("hq-cv-").to_owned(),
        };
        let is_taken = |id: &String| {
            store.get(id).is_some_and(|bead| {
                !parse_request(bead).is_some_and(|known| {
                    let answered = matches!(known.state, ReviewState::Rejected | ReviewState::Done);
                    !answered && known.new.beads == new.beads
                })
            })
        };
        let mut id = format!("hq-rv-{key}");
        let mut number = 2;
        while is_taken(&id) {
            id = format!("hq-rv-{key}-{number}");
            number += 1;
        }
        Ok(Self {
            id,
            convoy,
            new,
            spec: purpose.spec,
            then: purpose.then,
            by: town.actor.to_string(),
            ..Self::default()
        })
    }

    /// Builds the request to add beads to a convoy.
    pub(super) fn for_added_beads(
        town: &Town,
        convoy: &Bead,
        beads: &[String],
    ) -> anyhow::Result<Self> {
        let new = NewConvoy {
            title: convoy.title.clone(),
            beads: beads.to_vec(),
            ..NewConvoy::default()
        };
        let mut request = Self::for_new_convoy(town, new, ConvoyPurpose::default())?;
        request.adds = true;
        request.convoy.clone_from(&convoy.id);
        Ok(request)
    }

    /// Returns an error if the same request already waits for a user.
    pub(super) fn find_waiting_error(&self, town: &Town) -> anyhow::Result<Option<ReviewError>> {
        let store = town.open_town_store()?.snapshot()?;
        let pending = store
            .get(&self.id)
            .filter(|bead| bead.is_open())
            .and_then(parse_request)
            .and_then(|known| known.pending);
        Ok(pending.map(|pending| ReviewError::Deferred {
            request: self.id.clone(),
            hook: pending.hook,
            reason: pending.reason,
        }))
    }

    /// Stores the request so that a user can answer it.
    pub(super) fn defer(&mut self, town: &Town) -> anyhow::Result<()> {
        self.state = ReviewState::Waiting;
        let store = town.open_town_store()?;
        town.transact(&store, |tx| self.save(tx, Status::Open, false))?;
        let reason = self.pending.as_ref().map(|pending| pending.reason.clone());
        town.record_event(&event!(ConvoyDeferred,
            request: self.id, convoy: self.convoy, title: self.new.title, beads: self.new.beads,
            reason: reason,
        ));
        Ok(())
    }

    /// Stores the request as an intent.
    pub(super) fn save_intent(&mut self, town: &Town) -> anyhow::Result<()> {
        if self.state == ReviewState::Approved {
            return Ok(());
        }
        self.state = ReviewState::Approved;
        let store = town.open_town_store()?;
        // Closed from the start, because an intent is no work and must not appear in lists of work.
        town.transact(&store, |tx| self.save(tx, Status::Closed, true))
    }

    /// Writes the request as part of a transaction.
    pub(super) fn save(&self, tx: &mut Tx, status: Status, wisp: bool) -> anyhow::Result<()> {
        let now = tx.now();
        let mut bead = tx.get(&self.id).cloned().unwrap_or_else(|| Bead {
            id: self.id.clone(),
            issue_type: Kind::Gate,
            labels: vec![REVIEW_LABEL.to_owned()],
            ephemeral: wisp,
            created_at: now.clone(),
            created_by: tx.actor().to_owned(),
            ..Bead::default()
        });
        bead.title = fit_to_title(&format!("Review convoy: {}", self.new.title));
        if let Some(pending) = &self.pending {
            bead.description = format!("{} says: {}", pending.hook, pending.reason);
        }
        match (status, self.state) {
            (Status::Closed, ReviewState::Waiting) => change::mark_closed(&mut bead, "", &now),
            (Status::Closed, state) => change::mark_closed(&mut bead, state.name(), &now),
            (status, _) => change::mark_open(&mut bead, status, &now),
        }
        bead.set_metadata("request", self)?;
        tx.put(bead)?;
        Ok(())
    }
}

fn parse_request(bead: &Bead) -> Option<ReviewRequest> {
    if !bead.has_label(REVIEW_LABEL) || bead.is_tombstone() {
        return None;
    }
    serde_json::from_value(bead.metadata_object().remove("request")?).ok()
}

/// Returns the requests that wait for a user, or all that ever did, oldest first.
pub fn list_requests(town: &Snapshot, all: bool) -> Vec<ReviewRequest> {
    let marks = [BeadMark::Label(REVIEW_LABEL)];
    let mut found: Vec<&Bead> = if all {
        town.select_marked(&marks, |_| true).collect()
    } else {
        town.select_open(&marks).collect()
    };
    found.retain(|bead| !bead.ephemeral);
    found.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    found.into_iter().filter_map(parse_request).collect()
}

pub fn find_request(town: &Snapshot, id: &str) -> Result<ReviewRequest, ReviewError> {
    let found = town.get(id).and_then(parse_request);
    found.ok_or_else(|| ReviewError::Unknown { id: id.to_owned() })
}

/// Returns the ids of the approved requests that are not finished.
pub fn list_unfinished(town: &Snapshot) -> Vec<String> {
    town.select_marked(&[BeadMark::Label(REVIEW_LABEL)], |_| true)
        .filter_map(parse_request)
        .filter(|request| request.state == ReviewState::Approved)
        .map(|request| request.id)
        .collect()
}
