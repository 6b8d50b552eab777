//! Pushes a prepared landing to its target in one rig (phase two), and verifies it.

use bd::git::{PushError, PushRefusal};

use super::task::LandingBlocker;
use super::{LandingInterruption, RigLanding};
use crate::flow::place::discovery::{self, LandingCheckError};
use crate::flow::work::convoy::integration::{self, LandingStep};
use crate::flow::work::mq::gate_cache::GateCaches;
use crate::town::config::LandingRoute;
use crate::town::event::event;

/// Pushes the prepared commit if the target is unchanged, then fetches, verifies and records it.
pub(super) fn push_landing(
    landing: &RigLanding,
    step: &LandingStep,
) -> Result<(), LandingInterruption> {
    let rig = landing.queue.rig.name().to_owned();
    let target = &landing.branch.target;
    match discovery::check_landing(&landing.queue.git, target, &step.onto, &step.candidate) {
        Ok(()) => {}
        Err(LandingCheckError::WouldLand(refused)) => {
            let blocker = LandingBlocker::Documents(refused.to_string());
            return Err(LandingInterruption::Blocked { rig, blocker });
        }
        Err(LandingCheckError::Git(error)) => return Err(error.into()),
    }
    if landing.queue.has_remote
        && landing.queue.settings.landing_route() == Some(LandingRoute::PullRequest)
    {
        let message = format!(
            "rig {rig} lands by pull request (merge_queue.merge_strategy), and gt opens none for the landing of a convoy"
        );
        let candidate = step.candidate.clone();
        let blocker = LandingBlocker::Declined { candidate, message };
        return Err(LandingInterruption::Blocked { rig, blocker });
    }
    match landing
        .queue
        .push_to_target(&landing.branch.target, &step.onto, &step.candidate)
    {
        Ok(()) => {}
        Err(PushError::Refused(PushRefusal::Stale)) => return Err(LandingInterruption::Moved),
        // Without a remote, a moved target shows as a ref with an unexpected value.
        Err(PushError::Git(_)) if has_target_moved(landing, step)? => {
            return Err(LandingInterruption::Moved);
        }
        Err(error @ PushError::Refused(PushRefusal::Declined(_))) => {
            let blocker = LandingBlocker::Declined {
                candidate: step.candidate.clone(),
                message: error.to_string(),
            };
            return Err(LandingInterruption::Blocked { rig, blocker });
        }
        Err(error) => {
            let reason = error.to_string();
            return Err(LandingInterruption::Later { rig, reason });
        }
    }
    let fetched = match landing.queue.fetch_target(&landing.branch.target) {
        Ok(fetched) => fetched,
        Err(error) => {
            let reason = format!("pushed, but not proven: {error}");
            return Err(LandingInterruption::Later { rig, reason });
        }
    };
    let is_contained = match &fetched {
        Some(tip) => landing.queue.git.is_ancestor(&step.candidate, tip)?,
        None => false,
    };
    if !is_contained {
        let reason = format!(
            "{:.12} was pushed, but the fetched {target} does not hold it",
            step.candidate
        );
        return Err(LandingInterruption::Later { rig, reason });
    }
    integration::change_integration(
        landing.queue.rig.town(),
        &landing.convoy.id,
        |integration| {
            if let Some(branch) = integration.rigs.get_mut(&rig) {
                branch.landing = Some(LandingStep {
                    landed: true,
                    ..step.clone()
                });
                branch.trouble.clear();
                branch.task = None;
            }
        },
    )?;
    // A cache that cannot be replaced stays as an earlier merge left it.
    GateCaches::keep_merged_commit(
        landing.queue.rig,
        &landing.queue.git,
        target,
        &step.candidate,
    )
    .ok();
    landing.queue.rig.town().record_event(&event!(LandingPushed,
        convoy: landing.convoy.id, rig: rig, target: target, commit: step.candidate,
    ));
    Ok(())
}

fn has_target_moved(landing: &RigLanding, step: &LandingStep) -> anyhow::Result<bool> {
    let target = format!("refs/heads/{}", landing.branch.target);
    Ok(!landing.queue.has_remote
        && landing.queue.git.resolve(&target)?.as_ref() != Some(&step.onto))
}
