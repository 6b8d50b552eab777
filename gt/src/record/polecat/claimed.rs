//! A claim: a bead and a worker that one transaction reserved for each other.

use bd::bead::Bead;

use super::{PolecatIds, Slot};
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::name::Worker;

/// A bead and a worker reserved for each other. Holds the worker's slot lock.
pub struct Claim {
    /// The worker.
    pub worker: Worker,
    /// The bead.
    pub bead: Bead,
    /// The worker's record as of the claim.
    pub slot: Slot,
    /// The worker's beads.
    pub ids: PolecatIds,
    /// Held as long as this value lives.
    pub lock: Lock,
}

impl Claim {
    /// The worker's address.
    pub fn address(&self) -> Address {
        self.ids.address.clone()
    }
}
