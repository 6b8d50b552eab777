//! What a town looks like now, for people and programs.

pub mod doctor;
pub mod feed;
pub mod health;
pub mod polecat;
pub mod rig;
pub mod role;
pub mod status;
pub mod why;
