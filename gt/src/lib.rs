//! Gas Town: a machine as a town of coding agents that work on beads.
//!
//! The layers, each using only those below it:
//!
//! | Layer | Content |
//! | --- | --- |
//! | [`error`] | Errors as message, hint and exit code. |
//! | [`view`] | The current state of a town: `status`, `why`, `doctor`. |
//! | [`patrol`] | The rules that keep a town moving: facts → decisions → actions. |
//! | [`flow`] | The flows of work: `sling`, `done`, the merge queue, landing, `prime`, handoff. |
//! | [`record`] | The internal beads: slots, merge requests, queued slings, convoys, mail. |
//! | [`host`] | The host of sessions: tmux, agent programs, the daemon's process. |
//! | [`town`] | The basis: layout, identities, settings, events, the stores of the rigs. |

pub mod error;
pub mod flow;
pub mod host;
pub mod patrol;
pub mod record;
pub mod town;
pub mod view;

#[cfg(test)]
pub(crate) mod testing;
