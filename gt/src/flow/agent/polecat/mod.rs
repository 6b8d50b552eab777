//! Acts on a worker itself: gives it a persona, removes its sandbox, or retries after it got stuck.

mod branches;
mod hire;
mod nuke;
mod recovery;
mod retry;

pub use branches::{PolecatBranch, prune_branches};
pub use hire::{HireReport, PersonaError, describe_hire, fire_polecat, hire_polecat};
pub use nuke::{NukeRefused, NukeReport, nuke_polecat};
pub use recovery::{
    RecoveryCheck, RecoveryVerdict, SandboxGitState, check_recovery, read_git_state,
};
pub use retry::{
    NotStuck, RetriedPolecat, clear_stuck_mark, list_stuck_polecats, record_answer, retry_polecat,
};
