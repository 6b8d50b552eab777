//! Convoys: batches of work followed until every tracked change is on its target.
//!
//! A convoy is a bead of the town (`hq-cv-…`) with `tracks` edges to work of any rig. What a convoy says
//! about progress is recomputed from the rigs' beads each time; nothing of it is stored. One with branches of
//! its own (`integration`) keeps their names and how far its landing is.

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

pub use create::{
    ConvoyChange, NewConvoy, add_beads, build_automatic_convoy, close_convoy,
    create_automatic_convoy, create_convoy,
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
