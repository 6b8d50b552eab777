//! The patrol: one pass of facts → rules → actions over the whole town.
//!
//! `facts` reads, and only reads; `rule` decides, without any I/O; `action` acts, each action safe to
//! repeat and recorded with the rule that decided it and what that rule saw. `gtd` runs passes as long as
//! anything happens; `gtd run --once` runs one.

mod action;
pub mod attention;
mod facts;
mod rule;

use serde::Serialize;

pub use action::{Acted, act};
pub use facts::{Facts, PolecatFacts, RigFacts, facts};
pub use rule::{Decision, Do, decide, due_in};

use crate::host::LiveTown;

/// What one pass did.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Pass {
    /// What was decided and how it went.
    pub acted: Vec<Acted>,
    /// Rigs whose beads could not be read.
    pub unreadable: Vec<String>,
    /// Whether the sessions could not be asked.
    pub degraded: Option<String>,
}

/// Runs one pass, the merge queues included.
pub fn pass(town: &LiveTown) -> anyhow::Result<Pass> {
    let facts = facts(town)?;
    let decisions = decide(&facts);
    Ok(Pass {
        acted: decisions
            .into_iter()
            .map(|decision| act(town, decision))
            .collect(),
        unreadable: facts.unreadable,
        degraded: facts.degraded,
    })
}
