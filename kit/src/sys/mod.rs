//! The interfaces to the machine: clock, random source, environment, files, child processes.
//!
//! No other code in these crates accesses them, so every test can provide its own.

pub mod ancestor;
pub mod boot;
pub mod clock;
pub mod confine;
mod entry;
pub mod env;
pub mod exec;
pub mod file;
pub mod folder_copy;
mod foreground;
pub mod foreign;
pub mod foreign_folder;
pub mod inside;
pub mod jail;
pub mod lock;
pub mod machine;
pub mod parallel;
pub mod random;
mod remembered;
pub mod running;
pub mod section;
pub mod watch;

pub use clock::Clock;
pub use env::Env;
pub use exec::{ChildCommand, ChildOutput, ExecError};
pub use foreign_folder::{ForeignEntry, ForeignFolder};
pub use inside::{ConfinedFolder, InsideError};
pub use random::RandomSource;
pub use remembered::CachedAnswer;
