//! `bd swarm`: one file per subcommand.

mod create;
mod list;
mod status;
mod validate;

use crate::context::Context;
use bd::bead::{Bead, Kind};
use bd::graph::swarm;
use bd::store::Snapshot;
use kit::cli::report::CommandResult;

kit::family! {
    /// Work on the children of an epic with several agents
    ///
    /// `bd swarm validate EPIC` shows in which waves the children can be done, `bd swarm create
    /// EPIC` makes a swarm for them, `bd swarm status EPIC` shows how far they are.
    Args:
    Validate => validate,
    Create => create,
    Status => status,
    List => list,
}

/// Resolves an id to an epic: the bead, or the epic of a swarm.
fn find_epic<'a>(snapshot: &'a Snapshot, given: &str) -> anyhow::Result<&'a Bead> {
    let bead = snapshot.resolve(given)?;
    if swarm::is_swarm(bead) {
        return Ok(swarm::epic_of_swarm(snapshot, bead)
            .ok_or_else(|| kit::failure::UsageError(format!("swarm {} has no epic", bead.id)))?);
    }
    if bead.issue_type == Kind::Epic || bead.issue_type == Kind::Molecule {
        return Ok(bead);
    }
    let id = &bead.id;
    let kind = &bead.issue_type;
    Err(kit::failure::UsageError(format!("{id} is a {kind}, not an epic or a swarm")).into())
}
