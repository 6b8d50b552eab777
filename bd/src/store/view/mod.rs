//! What readers see: the files as one reader has them open, the journal laid over them, and the beads of both.

pub(crate) mod bead_ref;
pub(crate) mod ids;
pub(crate) mod list_rows;
pub(crate) mod marked;
pub(crate) mod marks;
pub(crate) mod overlay;
pub(crate) mod scan;
pub(crate) mod snapshot;
pub(crate) mod source;
