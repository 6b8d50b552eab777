//! Why a convoy is refused.

use bd::bead::Bead;
use bd::store::Tx;

use crate::record;

/// Why a convoy is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ConvoyError {
    /// It has no title.
    #[error("a convoy needs a title")]
    NoTitle,
    /// There is no such convoy.
    #[error("there is no convoy `{id}`: not found (`gt convoy list --all` shows them)")]
    Unknown {
        /// What was asked for.
        id: String,
    },
    /// Its work is on its own branches only.
    #[error(
        "the work of {id} is on {} and on no target yet: `gt convoy land {id}` lands it (close it anyway with \
         --force: the branches stay)",
        branches.join(", ")
    )]
    NotLanded {
        /// The convoy.
        id: String,
        /// Its branches, with their rigs.
        branches: Vec<String>,
    },
    /// It still has open work.
    #[error("{id} still tracks open work: {} (close it anyway with --force)", open.join(", "))]
    OpenWork {
        /// The convoy.
        id: String,
        /// What is open.
        open: Vec<String>,
    },
}

/// The convoy with this id.
pub(super) fn find_convoy(tx: &Tx, id: &str) -> anyhow::Result<Bead> {
    let found = tx
        .get(id)
        .filter(|bead| record::convoy::is_convoy(bead) && !bead.is_tombstone());
    found
        .cloned()
        .ok_or_else(|| ConvoyError::Unknown { id: id.to_owned() }.into())
}
