//! Whole stories, from sling to landed convoy, and crashes at each step.

mod asked;
mod claude;
mod claude_convoy;
mod conflict;
mod crash;
mod discovery;
mod gate;
mod happy;
mod integration;
mod length;
mod links;
mod reminded;
mod remotes;
mod tracked_beads;
mod typed;
