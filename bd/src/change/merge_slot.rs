//! The merge slot: a bead with one holder at a time.

use super::{ChangeError, NewBead, amend_bead, create_bead, load_live_bead};
use crate::bead::{Bead, Status};
use crate::store::Tx;

/// The result of an attempt to acquire the slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotAttempt {
    pub holder: String,
    /// True if the requester is now the holder.
    pub acquired: bool,
    /// The requester's place in the queue, from 1.
    pub position: Option<usize>,
}

/// Creates the slot if it does not exist.
pub fn create_merge_slot(tx: &mut Tx<'_>, id: &str) -> Result<Bead, ChangeError> {
    if let Some(slot) = tx.get_live(id) {
        return Ok(slot.clone());
    }
    let new = NewBead {
        id: Some(id.to_owned()),
        title: "Merge Slot".to_owned(),
        description: "Its holder may resolve conflicts; others wait.".to_owned(),
        priority: 0,
        labels: vec!["gt:slot".to_owned()],
        ..NewBead::default()
    };
    create_bead(tx, new)
}

/// Acquires the slot, or joins its queue.
pub fn acquire_merge_slot(
    tx: &mut Tx<'_>,
    id: &str,
    requester: &str,
    queue: bool,
) -> Result<SlotAttempt, ChangeError> {
    let slot = load_live_bead(tx, id)?;
    if slot.holder.is_empty() || slot.holder == requester {
        amend_bead(tx, id, |slot| {
            requester.clone_into(&mut slot.holder);
            slot.status = Status::InProgress;
            slot.waiters.retain(|waiter| waiter != requester);
        })?;
        let holder = requester.to_owned();
        return Ok(SlotAttempt {
            holder,
            acquired: true,
            position: None,
        });
    }
    let mut position = None;
    if queue {
        let slot = amend_bead(tx, id, |slot| {
            if !slot.waiters.iter().any(|waiter| waiter == requester) {
                slot.waiters.push(requester.to_owned());
            }
        })?;
        let place = slot.waiters.iter().position(|waiter| waiter == requester);
        position = place.map(|place| place + 1);
    }
    Ok(SlotAttempt {
        holder: slot.holder,
        acquired: false,
        position,
    })
}

/// Releases the slot. Returns the previous holder and the number of waiting requesters.
pub fn release_merge_slot(
    tx: &mut Tx<'_>,
    id: &str,
    requester: &str,
) -> Result<(Option<String>, usize), ChangeError> {
    let slot = load_live_bead(tx, id)?;
    if slot.holder.is_empty() {
        return Ok((None, slot.waiters.len()));
    }
    if !requester.is_empty() && slot.holder != requester {
        let held = slot.holder;
        let asked = requester.to_owned();
        return Err(ChangeError::OtherHolder { held, asked });
    }
    amend_bead(tx, id, |slot| {
        slot.holder.clear();
        slot.status = Status::Open;
    })?;
    Ok((Some(slot.holder), slot.waiters.len()))
}
