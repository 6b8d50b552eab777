//! Beads: work tracked as JSONL records in git.
//!
//! The map of the crate: `sys` is the machine.

pub mod sys;
