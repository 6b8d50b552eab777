//! The record of a convoy that is being made: while its hooks are asked it is in memory only; as an intent it is
//! a wisp of the town; one that waits for a person is a bead of the town (type gate, label `gt:convoy-review`),
//! which is shared and kept as the record of who answered what.

use bd::bead::validate::fit_to_title;
use bd::bead::{Bead, Kind, Status};
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};
use serde::{Deserialize, Serialize};

use super::{ConvoyPurpose, ReviewError};
use crate::flow::convoy::create::NewConvoy;
use crate::flow::convoy::decision::HookDecision;
use crate::host::LiveTown;
use crate::town::event::event;

const LABEL: &str = "gt:convoy-review";

/// A convoy that is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewRequest {
    /// Its own id.
    pub id: String,
    /// The id that the convoy will have, or has where beads are added to one.
    pub convoy: String,
    /// Whether the convoy is there already and beads are added to it.
    pub adds: bool,
    /// The convoy.
    pub new: NewConvoy,
    /// What it is to achieve.
    pub spec: String,
    /// Who asked.
    pub by: String,
    /// The sling that goes on then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<serde_json::Value>,
    /// What is decided so far.
    pub decisions: Vec<HookDecision>,
    /// What waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingDecision>,
    /// How far it is.
    pub state: ReviewState,
}

/// What waits for a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PendingDecision {
    /// What counts once it is approved.
    pub decision: HookDecision,
    /// The hook that left it to a person.
    pub hook: String,
    /// Its words.
    pub reason: String,
}

/// How far a request is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewState {
    /// It waits for a person.
    #[default]
    Waiting,
    /// It is approved and not finished.
    Approved,
    /// A person or a later hook has rejected it.
    Rejected,
    /// The convoy is made.
    Done,
}

impl ReviewState {
    /// Its word.
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
    /// The request for a new convoy.
    pub(super) fn for_new_convoy(
        town: &LiveTown,
        new: NewConvoy,
        purpose: ConvoyPurpose,
    ) -> anyhow::Result<Self> {
        let store = town.open_town_store()?.snapshot()?;
        let convoy = super::create::fresh_id(town, &store);
        // A bead that is slung again while its convoy waits asks nobody twice; what was answered stays as it is.
        let key = match (&purpose.then, new.beads.first()) {
            (Some(_), Some(bead)) => bd::bead::hash::compute_short_hash(bead, 3),
            _ => convoy.trim_start_matches("hq-cv-").to_owned(),
        };
        let taken = |id: &String| {
            let open = |known: Self| {
                let answered = matches!(known.state, ReviewState::Rejected | ReviewState::Done);
                !answered && known.new.beads == new.beads
            };
            store
                .get(id)
                .is_some_and(|bead| !parse_request(bead).is_some_and(open))
        };
        let mut id = format!("hq-rv-{key}");
        for number in 2.. {
            if !taken(&id) {
                break;
            }
            id = format!("hq-rv-{key}-{number}");
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

    /// The request to add beads to a convoy.
    pub(super) fn for_added_beads(
        town: &LiveTown,
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

    /// Whether the same request waits for a person already.
    pub(super) fn find_waiting_error(
        &self,
        town: &LiveTown,
    ) -> anyhow::Result<Option<ReviewError>> {
        let store = town.open_town_store()?.snapshot()?;
        let known = store.get(&self.id).filter(|bead| bead.is_open());
        let known = known
            .and_then(parse_request)
            .and_then(|known| known.pending);
        Ok(known.map(|pending| ReviewError::Deferred {
            request: self.id.clone(),
            hook: pending.hook,
            reason: pending.reason,
        }))
    }

    /// Puts it in line for a person.
    pub(super) fn defer(&mut self, town: &LiveTown) -> anyhow::Result<()> {
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

    /// Keeps it as what is about to be done.
    pub(super) fn save_intent(&mut self, town: &LiveTown) -> anyhow::Result<()> {
        if self.state == ReviewState::Approved {
            return Ok(());
        }
        self.state = ReviewState::Approved;
        let store = town.open_town_store()?;
        // Closed from the start: it is no work, and no list of work may show it.
        town.transact(&store, |tx| self.save(tx, Status::Closed, true))
    }

    /// Writes it as part of a transaction.
    pub(super) fn save(&self, tx: &mut Tx, status: Status, wisp: bool) -> anyhow::Result<()> {
        let now = tx.now();
        let mut bead = tx.get(&self.id).cloned().unwrap_or_else(|| Bead {
            id: self.id.clone(),
            issue_type: Kind::Gate,
            labels: vec![LABEL.to_owned()],
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
    if !bead.has_label(LABEL) || bead.is_tombstone() {
        return None;
    }
    serde_json::from_value(bead.metadata_object().remove("request")?).ok()
}

/// The requests that wait for a person, or all that ever did, oldest first.
pub fn list_requests(town: &Snapshot, all: bool) -> Vec<ReviewRequest> {
    let mut found: Vec<&Bead> = town
        .select_marked(&[BeadMark::Label(LABEL)], move |head| all || head.is_open())
        .filter(|bead| !bead.ephemeral)
        .collect();
    found.sort_by(|a, b| (a.created_at.instant(), &a.id).cmp(&(b.created_at.instant(), &b.id)));
    found.into_iter().filter_map(parse_request).collect()
}

/// One request.
pub fn find_request(town: &Snapshot, id: &str) -> Result<ReviewRequest, ReviewError> {
    let found = town.get(id).and_then(parse_request);
    found.ok_or_else(|| ReviewError::Unknown { id: id.to_owned() })
}

/// The requests that are approved and not finished.
pub fn list_unfinished(town: &Snapshot) -> Vec<String> {
    let found = town
        .select_marked(&[BeadMark::Label(LABEL)], |_| true)
        .filter_map(parse_request);
    found
        .filter(|request| request.state == ReviewState::Approved)
        .map(|request| request.id)
        .collect()
}
