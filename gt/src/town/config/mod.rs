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

pub use change::{ChangeError, SettingsLayer, change_setting};
pub use error::SettingsError;
pub use escalation::{EscalationRoute, EscalationSettings, NotifyCommand};
pub(crate) use key::parse_setting_duration;
pub use layers::{Setting, SettingOrigin, SettingsLayers, TownSettings};
pub use rig::{Gate, RigSettings, max_polecats_of, namepool_of, target_branch_of};
pub use strategy::MergeStrategy;
pub use strict::{UnusedKey, check_merge_queue};

#[cfg(test)]
mod tests;
