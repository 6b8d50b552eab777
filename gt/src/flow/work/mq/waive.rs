//! Waives the `pre-merge` hooks for a request, with a reason that is kept on it.

use bd::bead::{Bead, Status};
use bd::change;
use bd::store::{Store, Tx};

use crate::record::approval::{Approval, HookWaiver};
use crate::record::merge_request::{is_merge_request, request_state, set_request_state};
use crate::town::Rig;
use crate::town::event::event;
use crate::town::identity::Address;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum WaiveError {
    /// No open request has this id.
    #[error("`{id}` is no open merge request: not found (`gt mq list` shows them)")]
    Unknown { id: String },
    /// No hook has stopped the request.
    #[error("no pre-merge hook has stopped {id}: there is nothing to waive")]
    Nothing { id: String },
    /// Workers may not judge their own work.
    #[error("{worker} is a worker: only the user, the mayor or crew can give a waiver")]
    Worker { worker: String },
    #[error("a waiver needs a reason")]
    NoReason,
    /// A worker already has the hook's task.
    #[error("{worker} is at work on {task}, which the hook asked for (`gt unsling` takes it away)")]
    TaskTaken { task: String, worker: String },
}

/// Waives the hooks for a request: closes its task, and the next run of the queue continues the
/// request.
pub fn waive_hooks(rig: &Rig, store: &Store, id: &str, reason: &str) -> anyhow::Result<HookWaiver> {
    let town = rig.town();
    anyhow::ensure!(!reason.trim().is_empty(), WaiveError::NoReason);
    if let Address::Polecat(..) = &town.actor {
        let worker = town.actor.to_string();
        return Err(WaiveError::Worker { worker }.into());
    }
    let waiver = town.transact(store, |tx| {
        let now = tx.now();
        let mut request = tx
            .get(id)
            .filter(|bead| is_merge_request(bead) && bead.is_open())
            .cloned()
            .ok_or_else(|| WaiveError::Unknown { id: id.to_owned() })?;
        let mut state = request_state(&request);
        if !std::mem::take(&mut state.by_hook) {
            return Err(WaiveError::Nothing { id: id.to_owned() }.into());
        }
        let task = std::mem::take(&mut state.hook_task);
        state.needs_person = String::new();
        close_hook_task(tx, &task, reason)?;
        let waiver = HookWaiver {
            by: tx.actor().to_owned(),
            at: now.to_string(),
            reason: reason.trim().to_owned(),
        };
        let hook = std::mem::take(&mut state.stopped_by);
        let mut approval = Approval::load(rig, id)?;
        if !hook.is_empty() && !approval.passed_hooks.contains(&hook) {
            approval.passed_hooks.push(hook);
        }
        approval.waiver = Some(waiver.clone());
        approval.save(rig, id)?;
        state.waived = Some(waiver.clone());
        set_request_state(&mut request, &state)?;
        request.updated_at = now;
        tx.put(request)?;
        Ok(waiver)
    })?;
    town.record_event(&event!(MergeWaived, mr: id, by: waiver.by, reason: waiver.reason));
    Ok(waiver)
}

fn close_hook_task(tx: &mut Tx, task: &str, reason: &str) -> anyhow::Result<()> {
    let Some(mut bead) = tx.get(task).filter(|bead| Bead::is_open(bead)).cloned() else {
        return Ok(());
    };
    if bead.status != Status::Open {
        let task = task.to_owned();
        let worker = bead.assignee;
        return Err(WaiveError::TaskTaken { task, worker }.into());
    }
    change::mark_closed(&mut bead, &format!("Waived: {}", reason.trim()), &tx.now());
    tx.put(bead)?;
    Ok(())
}
