//! Defines the claim: a bead and a worker that one transaction reserved for each other.

use bd::bead::Bead;
use serde::Serialize;

use super::{PolecatIds, Slot};
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::name::Worker;

/// The agent program that was chosen for a bead by the records of finished work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentChoice {
    pub agent: String,
    /// True if the program was drawn to learn about it, and not because it is the best.
    pub explored: bool,
    /// The compared counts, and the programs that could not be started.
    pub reason: String,
}

/// A bead and a worker reserved for each other. Holds the worker's slot lock.
pub struct Claim {
    pub worker: Worker,
    pub bead: Bead,
    /// The worker's record as of the claim.
    pub slot: Slot,
    pub ids: PolecatIds,
    /// Held as long as this value lives.
    pub lock: Lock,
    /// The choice of the agent program, if the records decided it.
    pub choice: Option<AgentChoice>,
}

impl Claim {
    pub fn address(&self) -> Address {
        self.ids.address.clone()
    }
}
