//! The work itself, from the sling to the landed convoy.

pub mod convoy;
pub mod done;
pub mod followup;
pub mod formula;
pub mod landing;
pub mod molecule;
pub mod mq;
pub mod prime;
pub mod rate;
pub mod revert;
pub mod sling;
