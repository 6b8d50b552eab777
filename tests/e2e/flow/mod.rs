//! Whole stories, from sling to landed convoy, and crashes at each step.

mod claude;
mod codex;
mod conflict;
mod crash;
mod discovery;
mod gate;
mod gemini;
mod happy;
mod integration;
mod length;
mod links;
mod opencode;
mod remotes;
mod tracked_beads;
mod typed;
