//! Formats the molecule of the work: its steps and the current one.

use kit::ui::escape;

use super::before::mark_steps;
use super::foreign::fence_text;
use super::{ContextPart, PartPointer, PartRoom};
use crate::record::molecule::{CurrentStep, Molecule, MoleculeStep};

/// The number of listed steps around the current one.
const MAX_LISTED_STEPS: usize = 12;

/// Formats the state of the work's molecule.
pub(in crate::flow::work::prime) fn molecule_part(found: &Molecule) -> ContextPart {
    let id = escape::escape_line(&found.id);
    let title = escape::escape_line(&found.title);
    let total = found.steps.len();
    if found.is_digest {
        return digest_part(found, &id);
    }
    let mut text = format!(
        "# Your molecule: {id} \"{title}\", {} of {total} steps done\n\n",
        found.count_done()
    );
    match &found.current {
        Some(step) => text.push_str(&format_current_step(found, step, total)),
        None if found.count_done() == total => {
            text.push_str("All steps are done: hand the work in with `gt done`.\n");
        }
        None => text.push_str(&format!(
            "No step can be begun now: `bd mol current {id}` shows what each waits for.\n"
        )),
    }
    let at = found
        .current
        .as_ref()
        .map_or(0, |step| step.number.saturating_sub(1));
    let steps = steps_around(&found.steps, at);
    let name = found.current.as_ref().map_or("", |step| step.id.as_str());
    text.push_str("\n## The steps\n\n");
    text.push_str(&mark_steps(steps, name));
    if steps.len() < total {
        text.push_str(&format!(
            "`bd mol current {id} --range 1-{total}` lists all {total}.\n"
        ));
    }
    ContextPart::fixed("molecule", format!("bead {id}"), text).with_room(PartRoom {
        most: 3072,
        least: 300,
        rank: 1,
        pointer: PartPointer::Source,
    })
}

/// Formats the steps of work that has ended.
fn digest_part(found: &Molecule, id: &str) -> ContextPart {
    let done = found.count_done();
    let total = found.steps.len();
    let mut text = format!("# The steps, as the worker left them: {done} of {total} closed\n\n");
    text.push_str(&mark_steps(&found.steps, ""));
    ContextPart::fixed("molecule", format!("bead {id}"), text).with_room(PartRoom {
        most: 3072,
        least: 300,
        rank: 1,
        pointer: PartPointer::Source,
    })
}

/// Formats the current step: its text, its exit criteria, and the step after it.
fn format_current_step(found: &Molecule, step: &CurrentStep, total: usize) -> String {
    let id = escape::escape_line(&step.id);
    let title = escape::escape_line(&step.title);
    let mut text = format!(
        "## Now: step {} of {total}, {id} \"{title}\"\n\n",
        step.number
    );
    if !step.description.trim().is_empty() {
        text.push_str(&fence_text(&step.description));
        text.push('\n');
    }
    if !step.acceptance.trim().is_empty() {
        text.push_str("It is done when:\n");
        text.push_str(&fence_text(&step.acceptance));
        text.push('\n');
    }
    if !step.is_begun {
        text.push_str(&format!(
            "Begin it: `bd update {id} --status in_progress`.\n"
        ));
    }
    text.push_str(&format!(
        "When it is done: `gt mol step done {id}`, which begins the next step.\n"
    ));
    match found.step_after_current() {
        Some(next) => text.push_str(&format!("Next: {}\n", escape::escape_line(&next.title))),
        None => text.push_str("It is the last step: hand the work in with `gt done` after it.\n"),
    }
    text
}

/// Returns the steps around the current one, if there are many.
fn steps_around(steps: &[MoleculeStep], at: usize) -> &[MoleculeStep] {
    let from = at
        .saturating_sub(MAX_LISTED_STEPS / 3)
        .min(steps.len().saturating_sub(MAX_LISTED_STEPS));
    &steps[from..steps.len().min(from + MAX_LISTED_STEPS)]
}
