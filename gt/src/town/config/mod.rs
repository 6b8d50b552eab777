//! Reads and changes the settings of town and rigs.
//!
//! [`key`] is the table of settings, [`SettingsLayers`] finds a value and its origin,
//! [`change_setting()`] sets one. [`RigSettings`] holds the settings for the flows, and
//! [`check_guards`] stops starts and merges if a limit or a gate may be misspelt.

mod change;
mod elsewhere;
mod error;
mod escalation;
mod faults;
mod jail;
mod jail_network;
pub mod key;
mod layers;
mod messaging;
mod rig;
mod setting_key;
mod settings_file;
mod strategy;
mod town_settings;

pub(in crate::town) use change::change_local_value;
pub use change::{
    ChangeError, SettingsLayer, change_agent, change_locked_setting, change_setting, lock_settings,
    read_agents,
};
pub use error::{SettingPlace, SettingsError};
pub use escalation::{EscalationRoute, EscalationSettings, NotifyCommand};
pub use faults::{FaultEffect, SettingFault, check_guards, check_town_guards};
pub use jail::{JailCache, JailMode, JailSettings};
pub use jail_network::{HostList, NetworkAccess, split_port};
pub use key::FORGE_KINDS;
pub use layers::{Setting, SettingOrigin, SettingsLayers, StoredSetting};
pub use messaging::{AnnounceSettings, MessagingSettings, QueueSettings};
pub use rig::{
    DeskSettings, Gate, Namepool, RigSettings, SETUP_GATE, SandboxSettings, command_to_name_agent,
    command_to_set_gate, namepool_of, target_branch_of,
};
pub(crate) use setting_key::parse_setting_duration;
pub use setting_key::{MAX_AMOUNT, is_amount, parse_amount};
pub use settings_file::NoPlace;
pub use strategy::{LandingRoute, MergeStrategy};
pub use town_settings::{TownSettings, describe_stopped_rigs};

#[cfg(test)]
mod tests;
