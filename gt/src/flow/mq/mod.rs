//! The merge queue of a rig. What must always hold: what is merged is the commit named in the receipt, for a bead
//! that is open and at the attempt that handed it in; and "merged" is only written after the target was fetched and
//! found to contain it.
//!
//! Requests that may not merge any more are withdrawn first (`withdraw`). Then, for each ready request, highest score
//! first (`queue`):
//!
//! 1. Fetch the target; is the work there already (`verify`)?
//! 2. Take discovery documents out of the receipt's commits and keep them for the convoy; merge the rest with the
//!    target, as trees; make the commit of the result, with beads as the target has them (`candidate`).
//! 3. Run the rig's gates on it, each in a tree checked out for it (`gate`), then its `pre-merge` hooks (`hook`,
//!    `waive`).
//! 4. Look that no discovery document would go along; record the candidate if the request may still merge; push it as a
//!    fast-forward of what was seen, fetch, verify (`land`).
//! 5. Remove the branch, close request and bead in one transaction (`land`).
//!
//! A conflict or a failed gate becomes a task with the evidence (`task`); the request waits for it. A push
//! that a rule or hook declines waits for a person. Killed anywhere, the next run starts at 1 and finds
//! what is done.
//!
//! If a gate fails on the target alone, too, the target gets one task, and its requests wait until it moves (`target`).
//!
//! A convoy with branches of its own is landed from them by `landing`.

pub(crate) mod candidate;
mod close;
pub(crate) mod gate;

mod hook;
pub(crate) mod job;
pub(crate) mod land;
pub(crate) mod queue;
mod score;
mod target;
pub(crate) mod task;
pub(crate) mod verify;
mod waive;
mod withdraw;

pub use job::MergeOutcome;
pub use queue::{RequestResult, run_queue};
pub(crate) use queue::{time_until_ready, withdraw_stale_requests};
pub use score::score_request;
pub use task::is_automatic_task;
pub use waive::{WaiveError, waive_hooks};
