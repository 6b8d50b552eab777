//! Gas Town: a machine as a town of coding agents, over beads.
//!
//! The layers, each using only those below it:
//!
//! | Layer | What is in it |
//! | --- | --- |
//! | [`cli`] | The commands: parse the arguments, call one function, show the result. |
//! | [`view`] | What a town looks like now: `status`, `why`, `doctor`. |
//! | [`patrol`] | The rules that keep a town moving: facts → decisions → actions. |
//! | [`flow`] | What happens to work: `sling`, `done`, the merge queue, landing, `prime`, handoff. |
//! | [`record`] | The beads that the town itself writes: slots, merge requests, queued slings, convoys, mail. |
//! | [`host`] | Where sessions run: tmux, agent programs, the daemon's process. |
//! | [`town`] | The ground: layout, identities, settings, events, the stores of the rigs. |

pub mod error;
pub mod flow;
pub mod host;
pub mod patrol;
pub mod record;
pub mod town;
pub mod view;

#[cfg(test)]
pub(crate) mod testing;
