//! `gt mol`, with one file per verb.

mod attach;
mod attach_from_mail;
mod burn;
mod current;
mod dag;
mod detach;
mod progress;
mod squash;
mod status;
mod step;

use kit::ui::{Page, escape};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::molecule::{Molecule, MoleculeStep};

kit::family! {
    /// Follow the steps of the work on a hook
    ///
    /// A slung bead gets a molecule: the steps of a formula, each a bead. `gt mol status` shows
    /// them, `gt mol step done` closes the current one and begins the next. A crash, a handoff or
    /// another worker goes on at the same step.
    Args:
    Status => status,
    Current => current,
    Progress => progress,
    Step => step,
    Attach => attach,
    AttachFromMail => attach_from_mail,
    Detach => detach,
    Squash => squash,
    Burn => burn,
    Dag => dag,
}

/// Writes the steps, with a mark at the current one.
fn write_steps(page: &mut Page, steps: &[MoleculeStep]) {
    for step in steps {
        let title = escape::escape_line(&step.title);
        page.cut_line(format!("  [{}] {}: {title}", step.state.as_str(), step.id));
    }
}

/// Describes the progress of a molecule in one line.
fn describe_progress(found: &Molecule) -> String {
    let total = found.steps.len();
    let percent = (found.count_done() * 100).checked_div(total).unwrap_or(100);
    format!("{} of {total} steps done ({percent} %)", found.count_done())
}

/// Describes the command that continues the molecule.
fn describe_next_step(found: &Molecule) -> String {
    match &found.current {
        Some(step) => format!("Next: gt mol step done {}", step.id),
        None if found.count_done() == found.steps.len() => "Next: gt done".to_owned(),
        None => format!("Next: bd ready --explain --parent {}", found.id),
    }
}
