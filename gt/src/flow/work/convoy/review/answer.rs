//! Answers a waiting review request for the user, and continues after the answer.

use bd::bead::Status;
use serde::Serialize;
use serde_json::json;

use super::ask::{self, HooksAnswer};
use super::request::{self, ReviewRequest, ReviewState};
use super::{ReviewError, finish};
use crate::flow::place::town_hook::{self, TownHookCall, TownHookEvent};
use crate::town::Town;
use crate::town::event::event;
use crate::town::identity::Address;
use crate::town::lock::Lock;

/// An approved request and its result.
#[derive(Debug, Clone, Serialize)]
pub struct ReviewApproval {
    pub request: String,
    pub convoy: String,
    pub title: String,
    pub added: Vec<String>,
    /// True if the convoy existed, because someone else had approved the request.
    pub already: bool,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The sling that continues now.
    #[serde(skip)]
    pub then: Option<serde_json::Value>,
}

/// Approves a request and continues where it stopped. A refusal by a later hook is an error as in
/// the first run.
pub fn approve_request(town: &Town, id: &str, reason: &str) -> anyhow::Result<ReviewApproval> {
    anyhow::ensure!(
        !matches!(town.actor, Address::Polecat(..)),
        "{} is a worker: only the user, the mayor or crew can approve a request",
        town.actor
    );
    let _turn = Lock::try_take(&town.layout.review_lock(id))?;
    let mut request = request::find_request(&town.open_town_store()?.snapshot()?, id)?;
    match request.state {
        ReviewState::Waiting => {
            request.state = ReviewState::Approved;
            let answered = request.pending.take();
            request
                .decisions
                .extend(answered.map(|pending| pending.decision));
            record_answer(town, &request, reason)?;
        }
        ReviewState::Approved => {}
        ReviewState::Done => return Ok(build_repeated_approval(request)),
        ReviewState::Rejected => return Err(build_answered_error(&request).into()),
    }
    continue_request(town, request)
}

/// Rejects a request. No convoy is created.
pub fn reject_request(town: &Town, id: &str, reason: &str) -> anyhow::Result<ReviewRequest> {
    let _turn = Lock::try_take(&town.layout.review_lock(id))?;
    let mut request = request::find_request(&town.open_town_store()?.snapshot()?, id)?;
    if request.state != ReviewState::Waiting {
        return Err(build_answered_error(&request).into());
    }
    request.state = ReviewState::Rejected;
    record_answer(town, &request, reason)?;
    Ok(request)
}

/// Finishes an approved request after a crash. Called by the patrol.
pub fn resume_request(town: &Town, id: &str) -> anyhow::Result<Option<ReviewApproval>> {
    let _turn = Lock::try_take(&town.layout.review_lock(id))?;
    let store = town.open_town_store()?.snapshot()?;
    let Some(request) = request::find_request(&store, id)
        .ok()
        .filter(|request| request.state == ReviewState::Approved)
    else {
        return Ok(None);
    };
    continue_request(town, request).map(Some)
}

fn continue_request(town: &Town, mut request: ReviewRequest) -> anyhow::Result<ReviewApproval> {
    let warnings = match ask::ask_hooks(town, &mut request)? {
        HooksAnswer::Approved { warnings } => warnings,
        HooksAnswer::Refused(refusal) => {
            if let ReviewError::Rejected { .. } = refusal {
                request.state = ReviewState::Rejected;
                let store = town.open_town_store()?;
                town.transact(&store, |tx| request.save(tx, Status::Closed, false))?;
            }
            return Err(refusal.into());
        }
    };
    let created = finish::finish_request(town, &mut request)?;
    Ok(ReviewApproval {
        request: request.id,
        convoy: created.id,
        title: created.title,
        added: created.added,
        already: false,
        warnings,
        then: request.then,
    })
}

/// Writes the answer. From here on it is final, even if this process is killed.
fn record_answer(town: &Town, request: &ReviewRequest, reason: &str) -> anyhow::Result<()> {
    let status = match request.state {
        ReviewState::Rejected => Status::Closed,
        _ => Status::Open,
    };
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        request.save(tx, status.clone(), false)?;
        if let Some(mut bead) = tx.get(&request.id).cloned() {
            let by = tx.actor().to_owned();
            let answer = json!({ "answer": request.state, "by": by, "reason": reason, "at": tx.now().to_string() });
            bead.set_metadata("answer", answer)?;
            tx.put(bead)?;
        }
        Ok(())
    })?;
    town.record_event(&event!(ConvoyReviewed,
        request: request.id, convoy: request.convoy, answer: request.state.name(), reason: reason,
    ));
    run_answer_hooks(town, request);
    Ok(())
}

/// Reports the answer to the hooks, which may record it.
fn run_answer_hooks(town: &Town, request: &ReviewRequest) {
    let Some(decision) = request
        .pending
        .as_ref()
        .map(|pending| &pending.decision)
        .or(request.decisions.last())
    else {
        return;
    };
    let rig = (!decision.rig.is_empty()).then(|| town.rig(&decision.rig));
    let mut more = vec![
        ("GT_CONVOY_REVIEW", request.state.name().to_owned()),
        ("GT_CONVOY_REVIEWER", town.actor.to_string()),
    ];
    more.extend(decision.variables());
    let call = TownHookCall {
        rig: rig.as_ref(),
        convoy: request.new.title.clone(),
        spec: request.spec.clone(),
        issues: request.new.beads.clone(),
        more,
        about: vec![("request", request.id.clone())],
        ..TownHookCall::default()
    };
    town_hook::notify_event_hooks(town, TownHookEvent::ConvoyReviewed, &call);
}

fn build_repeated_approval(request: ReviewRequest) -> ReviewApproval {
    ReviewApproval {
        request: request.id,
        convoy: request.convoy,
        title: request.new.title,
        added: request.new.beads,
        already: true,
        warnings: Vec::new(),
        // The creator of the convoy may have been killed before the sling.
        then: request.then,
    }
}

fn build_answered_error(request: &ReviewRequest) -> ReviewError {
    ReviewError::Answered {
        id: request.id.clone(),
        answer: request.state.name().to_owned(),
    }
}
