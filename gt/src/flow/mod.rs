//! The flows of work, from the sling to the landed convoy. Each flow is a list of steps that are
//! safe to run twice.

pub mod backup;
pub mod broadcast;
pub mod checkpoint;
pub mod convoy;
pub mod crew;
pub mod deacon;
pub mod demo;
pub mod discovery;
pub mod dog;
pub mod done;
pub mod down;
pub mod escalate;
pub mod followup;
pub mod formula;
pub mod handoff;
pub mod install;
pub mod landing;
pub mod molecule;
pub mod mq;
pub mod nudge;
pub mod polecat;
pub mod post;
pub mod prime;
pub mod recipient;
pub mod rescue;
pub mod rig;
pub mod role;
pub mod sandbox;
pub mod seance;
pub mod session;
pub mod sling;
pub mod stop_hook;
pub mod sync;
pub mod town_hook;
pub mod up;
