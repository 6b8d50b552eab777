//! The daemon of Gas Town: watches a town and keeps it moving.
//!
//! The daemon adds wake-ups and supervision, and no rules of the town: `gt::patrol` decides and
//! acts. The parts: `run` is the loop, `live` connects it to a real town, `wake` and `watch`
//! trigger passes, `panes` detects the end of sessions, `desktop` shows messages to the user,
//! `socket` answers requests, `page` serves the page, `metrics` serves numbers, `supervise` keeps
//! one instance and its state file, `log` writes the log.

mod args;
mod desktop;
mod live;
mod log;
mod metrics;
mod page;
mod panes;
mod run;
mod socket;
mod supervise;
mod wake;
mod watch;

pub use args::{build_command_line, main};
