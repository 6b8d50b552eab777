//! The merge queue of a rig. Merges exactly the commit that the worker submitted, and only if the
//! bead is still open and has not been slung again since. "Merged" is recorded only after the
//! fetched target contains the commit.
//!
//! Requests that may not merge any more are withdrawn first (`withdraw`). Then, for each ready
//! request, highest score first (`queue`):
//!
//! 1. Compare the receipt with the records of this machine (`receipt_check`). Fetch the target, and
//!    check if it contains the work already (`verify`).
//! 2. Remove discovery documents from the submitted commits and keep them for the convoy. Merge the
//!    rest with the target, as trees. Create the commit of the result, with the beads files of the
//!    target (`candidate`).
//! 3. Run the rig's gates on it, each in a tree that is checked out for it (`gate`), then its
//!    `pre-merge` hooks (`hook`). A user can waive the hooks for one request (`waive`).
//! 4. Check that no discovery document would land. Record the candidate if the request may still
//!    merge. Push it as a fast-forward of the fetched tip, fetch, verify (`land`).
//! 5. Remove the branch. Close request and bead in one transaction (`land`).
//!
//! Requests that may be checked together share the runs of the gates and the push (`batch`).
//!
//! A conflict or a failed gate becomes a task with the evidence (`task`), and the request waits for
//! it. If a rule or a hook declines the push, the request waits for a user. After a crash, the next
//! run starts at 1 and finds the finished steps.
//!
//! If a gate also fails on the target alone, the target gets one task, and its requests wait until
//! the target changes (`target`).
//!
//! In a rig that lands by pull request, and for a protected target, the candidate goes to a branch
//! of its own, and the request is closed when the forge has merged it (`pull_request`).
//!
//! A convoy with branches of its own is landed from them by [`crate::flow::work::landing`].

mod batch;
mod bisect;
mod block;
pub(crate) mod candidate;
mod clash;
mod close;
mod evidence;
pub(crate) mod forge;
pub(crate) mod gate;
pub(crate) mod gate_cache;
mod gate_tree;
mod hook;
pub(crate) mod job;
pub(crate) mod land;
mod lost;
mod memory;
mod own_work;
mod pull_request;
pub(crate) mod queue;
mod receipt_check;
mod reject;
mod retry;
mod run;
mod score;
mod target;
pub(crate) mod task;
#[cfg(test)]
mod tests;
pub(crate) mod verify;
mod waive;
mod withdraw;

pub use batch::PrefixSearch;
pub use bisect::{BisectOutcome, FailingCommit, bisect_target};
pub use clash::find_clashes;
pub use evidence::{list_gate_logs, read_last_gate_output, read_submitted_diff};
pub use job::MergeOutcome;
pub use lost::{
    RestoreOutcome, RestoredMerge, accept_losses, list_losses, look_for_losses, restore_losses,
};
pub use queue::{QueuePace, run_queue};
pub(crate) use queue::{
    hash_queue, pause_between_looks, time_until_ready, withdraw_stale_requests,
};
pub use reject::{RejectError, RejectedRequest, reject_request};
pub use retry::{find_shared_waits, retry_request};
pub use run::RequestResult;
pub use score::{RequestOrder, wait_bound};
pub use task::is_automatic_task;
pub use waive::{WaiveError, waive_hooks};
pub use withdraw::{is_rejected, stale_reason};
