//! The flows of work, from the sling to the landed convoy. Each flow is a list of steps that are
//! safe to run twice. A floor imports from itself and from the floors below it: `place`, `agent`,
//! `work`, `townwide`.

pub mod agent;
pub mod place;
pub mod townwide;
pub mod work;
