//! What happens to work, from the sling to the landed convoy. Each flow is a list of steps that are safe to run twice.

pub mod checkpoint;
pub mod convoy;
pub mod crew;
pub mod demo;
pub mod discovery;
pub mod done;
pub mod down;
pub mod escalate;
pub mod followup;
pub mod handoff;
pub mod install;
pub mod landing;
pub mod mq;
pub mod nudge;
pub mod polecat;
pub mod prime;
pub mod rescue;
pub mod rig;
pub mod sandbox;
pub mod seance;
pub mod session;
pub mod sling;
pub mod stop_hook;
pub mod sync;
pub mod town_hook;
pub mod up;
