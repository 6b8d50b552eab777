//! The seams to the machine: clock, chance, environment, files, child processes.
//!
//! Nothing else in these crates touches them, so every test can put its own in place.

pub mod boot;
pub mod clock;
pub mod env;
pub mod exec;
pub mod file;
pub mod inside;
pub mod lock;
pub mod parallel;
pub mod random;
mod remembered;
pub mod section;
pub mod watch;

pub use clock::Clock;
pub use env::Env;
pub use exec::{ChildCommand, ChildOutput, ExecError};
pub use inside::{ConfinedFolder, InsideError};
pub use random::RandomSource;
pub use remembered::CachedAnswer;
