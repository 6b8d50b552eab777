//! Rules L1 and C1: lands convoys, and finishes approved ones.

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::work::convoy;
use crate::flow::work::landing::{self, LandingOutcome};
use crate::flow::work::sling;
use crate::host::LiveTown;
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::lock::Lock;

/// The facts about convoys.
#[derive(Debug, Clone, Default)]
pub struct ConvoyFacts {
    /// Open convoys whose tracked work is all done.
    pub landable: Vec<String>,
    /// Approved review requests that are unfinished and not in progress.
    pub unfinished: Vec<String>,
}

/// Reads the facts.
pub(super) fn facts(layout: &TownLayout, view: &TownView) -> ConvoyFacts {
    let board = convoy::ProgressBoard::from_view(view);
    ConvoyFacts {
        landable: board
            .list_done()
            .into_iter()
            .map(|progress| progress.id)
            .collect(),
        unfinished: convoy::review::list_unfinished(&view.stores.town)
            .into_iter()
            .filter(|id| Lock::is_free(&layout.review_lock(id)))
            .collect(),
    }
}

/// - L1: a convoy lands as soon as every bead that it tracks is done.
/// - C1: an approved convoy that is unfinished is finished.
pub(super) fn decide(facts: &ConvoyFacts) -> Vec<Decision> {
    facts
        .landable
        .iter()
        .map(|convoy| Decision {
            rule: rule::L1_LAND_WHEN_ALL_DONE,
            saw: format!("every bead that {convoy} tracks is done"),
            action: Action::Land {
                convoy: convoy.clone(),
            },
        })
        .chain(facts.unfinished.iter().map(|request| Decision {
            rule: rule::C1_FINISH_APPROVED_CONVOY,
            saw: format!("{request} is approved, and its convoy was never finished"),
            action: Action::FinishConvoy {
                request: request.clone(),
            },
        }))
        .collect()
}

/// Lands a convoy. If only an outside problem is in the way, fails so that the landing is retried.
pub(super) fn land_convoy_action(town: &LiveTown, convoy: &str) -> anyhow::Result<Option<String>> {
    match landing::land_convoy(town, convoy)? {
        None => Ok(None),
        Some(LandingOutcome::Landed(landed)) => Ok(Some(format!("{} landed", landed.id))),
        Some(LandingOutcome::Waiting(waiting)) => {
            let progress = format!("landing {} of {}", waiting.landed_rigs, waiting.total_rigs);
            match &waiting.task {
                Some(task) => Ok(Some(format!(
                    "{progress}: {} (task {task})",
                    waiting.reason
                ))),
                None => Err(anyhow::anyhow!(
                    "{progress}: {}: {}",
                    waiting.rig,
                    waiting.reason
                )),
            }
        }
    }
}

/// Creates the convoy of an approved request, and continues its sling.
pub(super) fn finish_convoy(town: &LiveTown, request: &str) -> anyhow::Result<Option<String>> {
    let Some(made) = convoy::review::resume_request(town, request)? else {
        return Ok(None);
    };
    let mut outcome = format!("{} is made", made.convoy);
    for slung in sling::continue_sling(town, made.then)? {
        outcome.push_str(&format!(", {} slung to {}", slung.bead, slung.target));
    }
    Ok(Some(outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convoy_lands_and_an_interrupted_approval_is_completed() {
        let facts = ConvoyFacts {
            landable: vec!["hq-cv-1".into()],
            unfinished: vec!["hq-rv-1".into()],
        };
        let decided = decide(&facts);
        let convoy = "hq-cv-1".into();
        assert_eq!(decided[0].rule, rule::L1_LAND_WHEN_ALL_DONE);
        assert_eq!(decided[0].action, Action::Land { convoy });
        let request = "hq-rv-1".into();
        assert_eq!(decided[1].rule, rule::C1_FINISH_APPROVED_CONVOY);
        assert_eq!(decided[1].action, Action::FinishConvoy { request });
    }
}
