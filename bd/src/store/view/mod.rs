//! The view of readers: the files as one reader has them open, the journal as overlay, and the
//! resulting beads.

pub(crate) mod bead_ref;
pub(crate) mod ids;
pub(crate) mod list_rows;
pub(crate) mod marked;
pub(crate) mod marks;
pub(crate) mod overlay;
pub(crate) mod scan;
pub(crate) mod snapshot;
pub(crate) mod source;
