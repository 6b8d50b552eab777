//! End-to-end tests: real programs, real git, real tmux, scripted agents.

#![expect(clippy::unwrap_used, reason = "a step that fails fails its test")]

mod attention;
mod checkpoint;
mod clones_law;
mod config;
mod convoy;
mod crew;
mod daemon;
mod demo;
mod disk;
mod doctor;
mod done;
mod external;
mod first_sync;
mod flow;
mod followup;
mod fuzz;
mod git_store;
mod handoff;
mod hooks;
mod install;
mod keeper;
mod layout;
mod mail;
mod mayor;
mod merge;
mod merged_means_merged;
mod old_town;
mod one_attempt;
mod polecat;
mod prime;
mod promises;
mod rescue;
mod restore;
mod rig;
mod seance;
mod share;
mod signal;
mod sling;
mod status;
mod sync_full;
mod sync_places;
mod temporary;
mod town_hook;
mod went_back;
