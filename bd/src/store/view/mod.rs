//! What readers see: the files as one reader has them open, the journal laid over them, and the beads of both.

pub(crate) mod archived;
pub(crate) mod head;
pub(crate) mod ids;
pub(crate) mod open;
pub(crate) mod overlay;
pub(crate) mod scan;
pub(crate) mod sieve;
pub(crate) mod snapshot;
pub(crate) mod source;
