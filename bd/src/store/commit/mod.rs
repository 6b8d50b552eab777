//! Writes changes to the files: transactions, folds, and recovery from rollbacks by git.

pub(crate) mod content;
mod differ;
pub(crate) mod fold;
pub(crate) mod issues_file;
pub(crate) mod policy;
mod recorded;
pub(crate) mod reindex;
pub mod rollback;
pub(crate) mod transaction;
