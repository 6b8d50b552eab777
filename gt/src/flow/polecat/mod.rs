//! Acts on a worker itself: removes its sandbox, or retries after it got stuck.

mod nuke;
mod recovery;
mod retry;

pub use nuke::{NukeRefused, NukeReport, nuke_polecat};
pub use recovery::{
    RecoveryCheck, RecoveryVerdict, SandboxGitState, check_recovery, read_git_state,
};
pub use retry::{NotStuck, clear_restarts, clear_stuck_mark, retry_polecat};
