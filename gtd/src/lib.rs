//! The daemon of Gas Town: watches a town and keeps it moving.
//!
//! It adds waking and supervision, no town logic: what is decided and done is `gt::patrol`. The parts:
//! `run` is the loop, `live` the town that it watches over, `wake` and `watch` say when to look, `panes` tells when a session's process ends,
//! `socket` answers requests, `supervise` keeps one instance and its state file, `log` writes what it does.

mod args;
mod live;
mod log;
mod panes;
mod run;
mod socket;
mod supervise;
mod wake;
mod watch;

pub use args::{build_command_line, main};
