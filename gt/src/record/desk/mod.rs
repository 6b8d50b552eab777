//! The desk of a work tree: the carried files, the setup and the number that it has before anyone
//! works in it.

mod carried;
mod failure;
mod number;
mod state;

pub use carried::{CarriedFile, list_carried_files};
pub use failure::{DeskFailure, DeskStep, JAIL_SETTING, find_desk_failure, hash_desk};
pub use number::{DeskNumber, DeskNumbers, RunNumber};
pub use state::{DeskProgress, DeskState, RunningStep, TreeId};

use sha2::{Digest, Sha256};

/// Returns the hash of parts as hexadecimal digits. The parts cannot be confused with each other.
pub fn hash_parts<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
