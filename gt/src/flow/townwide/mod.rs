//! Flows of the whole town: its deacon and dogs, escalations, plugins, set-up and demo.

pub mod deacon;
pub mod demo;
pub mod dog;
pub mod escalate;
pub mod init;
pub mod plugin;
pub mod recorded_setting;
pub mod setting_change;
pub mod town_change;
