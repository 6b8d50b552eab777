//! Phase two of a landing in one rig: the prepared commit goes to the target, and that is proven.

use bd::git::{PushError, PushRefusal};

use super::LandingInterrupted;
use super::task::LandingBlocker;
use crate::flow::convoy::integration::{self, LandedStep};
use crate::flow::discovery;
use crate::flow::mq::job::{Job, fetch};
use crate::flow::mq::{land, verify};
use crate::town::event::event;

/// Pushes what was prepared, expecting the target where it was then; fetches, proves, writes it down.
pub(super) fn push(
    job: &Job,
    convoy: &str,
    step: &LandedStep,
) -> anyhow::Result<Result<(), LandingInterrupted>> {
    let rig = job.rig.name().to_owned();
    let target = &job.receipt.target;
    if let Err(refused) = discovery::gate(&job.git, (target, &step.onto), &step.candidate)? {
        let what = LandingBlocker::Door(refused.to_string());
        return Ok(Err(LandingInterrupted::Blocked { rig, what }));
    }
    match land::push(job, &step.onto, &step.candidate) {
        Ok(()) => {}
        Err(PushError::Refused(PushRefusal::Stale)) => return Ok(Err(LandingInterrupted::Moved)),
        // Without a remote a target that moved is a ref that is not what was seen.
        Err(PushError::Git(_)) if moved(job, step)? => return Ok(Err(LandingInterrupted::Moved)),
        Err(error @ PushError::Refused(PushRefusal::Declined(_))) => {
            let what = LandingBlocker::Declined {
                candidate: step.candidate.clone(),
                words: error.to_string(),
            };
            return Ok(Err(LandingInterrupted::Blocked { rig, what }));
        }
        Err(error) => {
            let reason = error.to_string();
            return Ok(Err(LandingInterrupted::Later { rig, reason }));
        }
    }
    let seen = match fetch(job) {
        Ok(seen) => seen,
        Err(error) => {
            let reason = format!("pushed, but not proven: {error}");
            return Ok(Err(LandingInterrupted::Later { rig, reason }));
        }
    };
    let holds = match &seen {
        Some(seen) => verify::holds(job, seen, &step.candidate)?,
        None => false,
    };
    if !holds {
        let reason = format!(
            "{:.12} was pushed, but the fetched {target} does not hold it",
            step.candidate
        );
        return Ok(Err(LandingInterrupted::Later { rig, reason }));
    }
    integration::change(job.town, convoy, |own| {
        if let Some(branch) = own.rigs.get_mut(&rig) {
            let landed = true;
            branch.landing = Some(LandedStep {
                landed,
                ..step.clone()
            });
            branch.trouble.clear();
            branch.task.clear();
        }
    })?;
    job.town.record_event(&event!(LandingPushed,
        convoy: convoy, rig: rig, target: target, commit: step.candidate,
    ));
    Ok(Ok(()))
}

fn moved(job: &Job, step: &LandedStep) -> anyhow::Result<bool> {
    let target = format!("refs/heads/{}", job.receipt.target);
    Ok(!job.remote && job.git.resolve(&target)?.as_ref() != Some(&step.onto))
}
