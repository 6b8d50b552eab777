//! The real `bd`, run as a process in folders of its own.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests start processes and stop at the first thing that is not as it should be"
)]

#[path = "cli/mod.rs"]
mod cli;
