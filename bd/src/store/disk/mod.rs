//! The files of a beads folder: their names, the identity of their versions, and the errors of the
//! store.

pub(crate) mod clone_id;
pub(crate) mod entries;
pub(crate) mod error;
pub(crate) mod files;
pub mod find;
pub(crate) mod identity;
pub(crate) mod ignore;
pub mod mark;
pub mod paths;
pub(crate) mod reports;
