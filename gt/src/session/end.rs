//! Ending a worker's session with everything that was ever started in it.
//!
//! What must always hold: when this succeeds, no process of the worker's last session is there any more,
//! also where the session itself had ended before and something it started went on.

use std::time::Duration;

use super::BackendError;
use crate::polecat::Slot;
use crate::process::{self, Process};
use crate::town::Town;

/// How long what is left has to end by itself.
const GRACE: Duration = Duration::from_secs(4);

/// Ends a worker's session, and what is left of it and of the one before. Who asks for the end of its own
/// session is spared here.
pub fn polecat(town: &Town, session: &str, slot: &Slot) -> Result<(), BackendError> {
    town.backend.kill(session)?;
    leftovers(session, slot)
}

/// Ends the processes that a worker's sessions left behind.
pub fn leftovers(session: &str, slot: &Slot) -> Result<(), BackendError> {
    let own = process::ancestry(process::own_pid());
    let tokens = [&slot.token, &slot.left].into_iter();
    let left: Vec<Process> = tokens
        .filter(|token| !token.is_empty())
        .flat_map(|token| process::carriers(token))
        .filter(|process| !own.contains(&process.pid))
        .collect();
    let survivors = process::end(&left, GRACE);
    if survivors.is_empty() {
        return Ok(());
    }
    Err(BackendError::Survivors {
        name: session.to_owned(),
        pids: survivors.iter().map(|process| process.pid).collect(),
    })
}
