//! Defines the claim: a bead and a worker that one transaction reserved for each other.

use bd::bead::Bead;

use super::{PolecatIds, Slot};
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::name::Worker;

/// A bead and a worker reserved for each other. Holds the worker's slot lock.
pub struct Claim {
    pub worker: Worker,
    pub bead: Bead,
    /// The worker's record as of the claim.
    pub slot: Slot,
    pub ids: PolecatIds,
    /// Held as long as this value lives.
    pub lock: Lock,
}

impl Claim {
    pub fn address(&self) -> Address {
        self.ids.address.clone()
    }
}
