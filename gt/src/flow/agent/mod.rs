//! Agents: their sessions and roles, the messages to them, and the notes that they leave to the
//! next session.

pub mod broadcast;
pub mod checkpoint;
pub mod compact;
pub mod connect;
pub mod costs;
pub mod down;
pub mod handoff;
pub mod hold;
pub mod jail_trial;
pub mod nudge;
pub mod polecat;
pub mod post;
pub mod quota;
pub mod recipient;
pub mod role;
pub mod seance;
pub mod session;
pub mod stop_hook;
pub mod theme;
pub mod uninstall;
pub mod up;
