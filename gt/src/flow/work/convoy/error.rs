//! Defines why a convoy command is refused.

use bd::bead::Bead;
use bd::store::Tx;

use crate::record;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ConvoyError {
    #[error("a convoy needs a title")]
    NoTitle,
    #[error("there is no convoy `{id}`: not found (`gt convoy list --all` shows them)")]
    Unknown { id: String },
    /// The work is only on the convoy's own branches.
    #[error(
        "the work of {id} is on {} and on no target yet: `gt convoy land {id}` lands it (close it anyway with \
         --force: the branches stay)",
        branches.join(", ")
    )]
    NotLanded {
        id: String,
        /// The convoy's branches with their rigs.
        branches: Vec<String>,
    },
    /// Records of the town are no work.
    #[error(
        "a convoy tracks work, and {id} is a record of the town ({kind}); `bd list` shows the work of a rig"
    )]
    Record { id: String, kind: String },
    #[error("{convoy} does not track {bead} (`gt convoy status {convoy}` lists its beads)")]
    NotTracked { convoy: String, bead: String },
    /// The work starts from the convoy's own branch, so it cannot go elsewhere.
    #[error(
        "{bead} stays in {convoy}: a worker has begun it on the convoy's own branch; `gt unsling {bead}` and \
         `bd close {bead}` drop it"
    )]
    Begun { convoy: String, bead: String },
    #[error("{id} still tracks open work: {} (close it anyway with --force)", open.join(", "))]
    OpenWork { id: String, open: Vec<String> },
}

/// Returns the convoy with this id.
pub(super) fn find_convoy(tx: &Tx, id: &str) -> anyhow::Result<Bead> {
    tx.get(id)
        .filter(|bead| record::convoy::is_convoy(bead) && !bead.is_tombstone())
        .cloned()
        .ok_or_else(|| ConvoyError::Unknown { id: id.to_owned() }.into())
}
