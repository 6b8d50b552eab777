//! Reads and changes the settings of town and rigs.
//!
//! [`key`] is the table of settings, [`SettingsLayers`] finds a value and its origin,
//! [`change_setting()`] sets one. [`RigSettings`] holds the settings for the flows, and
//! [`check_merge_queue`] stops a merge if a gate may be misspelt.

mod change;
mod error;
mod escalation;
pub mod key;
mod layers;
mod messaging;
mod rig;
mod setting_key;
mod strategy;
mod strict;
mod town_settings;

pub(in crate::town) use change::change_local_value;
pub use change::{
    ChangeError, SettingsLayer, change_agent, change_locked_setting, change_setting, lock_settings,
    read_agents,
};
pub use error::SettingsError;
pub use escalation::{EscalationRoute, EscalationSettings, NotifyCommand};
pub use key::FORGE_KINDS;
pub use layers::{Setting, SettingOrigin, SettingsLayers, StoredSetting};
pub use messaging::{AnnounceSettings, MessagingSettings, QueueSettings};
pub use rig::{Gate, RigSettings, SandboxSettings, max_polecats_of, namepool_of, target_branch_of};
pub(crate) use setting_key::parse_setting_duration;
pub use strategy::{LandingRoute, MergeStrategy};
pub use strict::{UnusedKey, check_merge_queue};
pub use town_settings::TownSettings;

#[cfg(test)]
mod tests;
