//! Owns git: the only place that reads or changes a repository.
//!
//! What must always hold: every child git runs through [`Call`] (run.rs), with the caller's `GIT_*`
//! removed, messages in English, no terminal prompt and a time limit; our own plumbing runs no hook of
//! the repository; nothing here is forced but with a lease on a tip that was seen.
//!
//! libgit2 answers questions about refs and history (read.rs), because it is some ten times faster than
//! a process; where it cannot open the repository (reftable, SHA-256, partial clones) the git command
//! answers. The git command does the rest: status (libgit2 knows no skip-worktree), everything over the
//! network (credentials), merges and rebases (merge drivers), commits (hooks, signatures), worktrees.

mod change;
mod combine;
mod driver;
mod read;
pub use redact::redact;
