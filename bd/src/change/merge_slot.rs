//! The merge slot: a bead that one holder has at a time.

use super::{ChangeError, New, amend, create, live};
use crate::bead::{Bead, Status};
use crate::store::Tx;

/// What became of an attempt to take the slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Who has it now.
    pub holder: String,
    /// Whether that is the one who asked.
    pub acquired: bool,
    /// The place in the queue of one who waits, from 1.
    pub position: Option<usize>,
}

/// Makes the slot, if it is not there.
pub fn create_merge_slot(tx: &mut Tx<'_>, id: &str) -> Result<Bead, ChangeError> {
    if let Some(slot) = tx.get_live(id) {
        return Ok(slot.clone());
    }
    let new = New {
        id: Some(id.to_owned()),
        title: "Merge Slot".to_owned(),
        description: "Its holder may resolve conflicts; others wait.".to_owned(),
        priority: 0,
        labels: vec!["gt:slot".to_owned()],
        ..New::default()
    };
    create(tx, new)
}

/// Takes the slot, or queues for it.
pub fn acquire_merge_slot(
    tx: &mut Tx<'_>,
    id: &str,
    who: &str,
    waits: bool,
) -> Result<Taken, ChangeError> {
    let slot = live(tx, id)?;
    if slot.holder.is_empty() || slot.holder == who {
        amend(tx, id, |slot| {
            who.clone_into(&mut slot.holder);
            slot.status = Status::InProgress;
            slot.waiters.retain(|waiter| waiter != who);
        })?;
        let holder = who.to_owned();
        return Ok(Taken {
            holder,
            acquired: true,
            position: None,
        });
    }
    let mut position = None;
    if waits {
        let slot = amend(tx, id, |slot| {
            if !slot.waiters.iter().any(|waiter| waiter == who) {
                slot.waiters.push(who.to_owned());
            }
        })?;
        let place = slot.waiters.iter().position(|waiter| waiter == who);
        position = place.map(|place| place + 1);
    }
    Ok(Taken {
        holder: slot.holder,
        acquired: false,
        position,
    })
}

/// Frees the slot. Gives who had it, if anyone, and how many wait.
pub fn release_merge_slot(
    tx: &mut Tx<'_>,
    id: &str,
    who: &str,
) -> Result<(Option<String>, usize), ChangeError> {
    let slot = live(tx, id)?;
    if slot.holder.is_empty() {
        return Ok((None, slot.waiters.len()));
    }
    if !who.is_empty() && slot.holder != who {
        let (held, asked) = (slot.holder, who.to_owned());
        return Err(ChangeError::OtherHolder { held, asked });
    }
    amend(tx, id, |slot| {
        slot.holder.clear();
        slot.status = Status::Open;
    })?;
    Ok((Some(slot.holder), slot.waiters.len()))
}
