//! What concerns the whole town: its keepers, its plugins, its set-up and its demo.

pub mod deacon;
pub mod demo;
pub mod dog;
pub mod escalate;
pub mod init;
pub mod plugin;
pub mod town_change;
