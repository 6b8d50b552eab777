//! The current state of a town, for users and programs.

pub mod audit;
pub mod bead;
pub mod bundle;
pub mod convoy;
pub mod costs;
pub mod doctor;
pub mod feed;
pub mod health;
pub mod merge_stats;
pub mod metrics;
pub mod migration;
pub mod overview;
pub mod past;
pub mod plugin;
pub mod polecat;
pub mod ready;
pub mod request;
pub mod rig;
pub mod role;
pub mod scheduler;
pub mod search;
pub mod settings;
pub mod status;
pub mod status_line;
pub mod trail;
pub mod why;
