//! Crash and concurrency tests of the bead store: the real `bd` as a black box, killed, raced and
//! starved.
//!
//! What they hold it to: what was acknowledged is there, what failed left nothing half done, and
//! the next command works. Small counts run in CI; `GASTOWN_STORM=full` runs the large ones, best
//! on shipped programs:
//!
//! `GASTOWN_STORM=full GASTOWN_TEST_BIN=$(scripts/release.sh bd) cargo test -p town-tests --test
//! crash -- --nocapture`
//!
//! Chance comes from a seed that each test prints; `GASTOWN_SEED` sets it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests start processes, tell their seeds and counts, and stop at the first thing that is wrong"
)]

mod fault;
mod kill;
mod lines;
mod project;
mod storm;
mod sync;

use project::Project;

/// Chance of a test, from the seed it tells.
fn chance(test: &str) -> fastrand::Rng {
    let given = std::env::var("GASTOWN_SEED").ok();
    let seed = given.and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    eprintln!("{test}: GASTOWN_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}
