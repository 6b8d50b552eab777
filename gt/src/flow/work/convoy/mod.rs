//! Convoys: batches of work that are tracked until every change is on its target.
//!
//! A convoy is a bead of the town (`hq-cv-…`) with `tracks` edges to work of any rig. Its progress
//! is recomputed from the rigs' beads each time and never stored. A convoy with branches of its own
//! (`integration`) stores their names and the progress of its landing.

mod band;
pub mod briefing;
mod create;
mod decision;
mod error;
pub mod integration;
mod land;
mod next_steps;
mod progress;
pub mod ready;
pub mod review;
mod tracked;

pub use band::set_band;
pub use create::{
    ConvoyChange, NewConvoy, RemovedBeads, add_beads, build_automatic_convoy, close_convoy,
    create_convoy, remove_beads,
};
pub use decision::{HookDecision, decision_for, read_decisions};
pub use error::ConvoyError;
pub use land::LandedConvoy;
pub(crate) use land::{close_epic, close_if_done, close_landed};
pub(crate) use progress::is_work;
pub use progress::{
    BeadCounts, BeadEnding, ConvoyBlocker, ConvoyProgress, ProgressBoard, ending_of,
};
pub use tracked::{BeadStanding, TrackedBead};
