//! Settings of town and rigs.
//!
//! [`key`] is the table of them, [`Layers`] finds a value and where it comes from, [`change()`] sets one;
//! [`RigSettings`] is what the flows read, and
//! [`check_merge_queue`] stops a merge where a gate may be misspelt.

mod change;
mod error;
mod escalation;
pub mod key;
mod layers;
mod rig;
mod strategy;
mod strict;

pub use change::{ChangeError, Layer, change};
pub use error::SettingsError;
pub use escalation::{EscalationSettings, NotifyCommand, Route};
pub(crate) use key::duration;
pub use layers::{AllLayers, Layers, Origin, Setting};
pub use rig::{Gate, RigSettings, max_polecats, names, target_branch};
pub use strategy::Strategy;
pub use strict::{UnusedKey, check_merge_queue};

#[cfg(test)]
mod tests;
