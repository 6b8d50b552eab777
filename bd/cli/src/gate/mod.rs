//! `bd gate`: one file per subcommand.

mod add_waiter;
mod check;
mod create;
mod discover;
mod forge;
mod list;
mod resolve;
mod show;
mod wait;

use crate::context::Context;
use bd::bead::{Bead, Kind};
use bd::store::Snapshot;
use kit::cli::report::CommandResult;
use kit::failure::UsageError;

kit::family! {
    /// Make steps wait for time, a user, CI or a pull request
    ///
    /// A gate is a bead that blocks a step until it is closed. `bd gate check` closes the gates
    /// whose timer ran out, whose bead of another rig is closed, whose CI run succeeded, or whose
    /// pull request was merged. Gates for a user or a mail are opened by `bd gate resolve`.
    Args:
    Create => create,
    List => list,
    Show => show,
    #[command(visible_alias = "close")]
    Resolve => resolve,
    Check => check,
    Wait => wait,
    AddWaiter => add_waiter,
    Discover => discover,
}

/// Resolves an id to a gate.
fn find_gate(snapshot: &Snapshot, given: &str) -> anyhow::Result<Bead> {
    let bead = snapshot.resolve(given)?.clone();
    if bead.issue_type != Kind::Gate {
        let text = format!("{} is not a gate issue (type={})", bead.id, bead.issue_type);
        return Err(bd::molecule::MoleculeError::Refused(text).into());
    }
    Ok(bead)
}

/// The kinds of gates.
const GATE_KINDS: [&str; 6] = ["human", "mail", "timer", "bead", "gh:run", "gh:pr"];

fn check_kind(kind: &str) -> Result<(), UsageError> {
    if GATE_KINDS.contains(&kind) {
        return Ok(());
    }
    Err(UsageError(format!(
        "unknown gate type \"{kind}\": use one of {}",
        GATE_KINDS.join(", ")
    )))
}

/// Describes the condition of a gate for the user.
fn describe_condition(gate: &Bead) -> String {
    let kind = gate.await_type.as_str();
    match gate.await_id.as_str() {
        "" => kind.to_owned(),
        id => format!("{kind} {id}"),
    }
}
