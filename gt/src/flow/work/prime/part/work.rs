//! Formats the work on the hook: our heading, then the description in a fence that it cannot close.

use bd::bead::{Bead, fields};
use kit::ui::escape;

use super::foreign::fence_text;
use super::{ContextPart, PartPointer, PartRoom};
use crate::flow::work::prime::Occasion;
use crate::record::attempt::instructions_of;
use crate::record::polecat::Slot;
use crate::town::identity::Address;

const ROOM: PartRoom = PartRoom {
    most: 5 * 1024,
    least: 512,
    rank: 0,
    pointer: PartPointer::Command("bd show {}"),
};

/// Formats the work of an agent.
pub(in crate::flow::work::prime) fn work_part(
    address: &Address,
    bead: &Bead,
    slot: &Slot,
    occasion: Occasion,
) -> ContextPart {
    let title = escape::escape_line(&bead.title);
    let mut text = format!(
        "# Your work: {} \"{title}\" (P{})\n\n",
        bead.id, bead.priority
    );
    text.push_str(match occasion {
        Occasion::Compact => {
            "Your context was compacted in the middle of this work: look at `git status` and `git log`, and go on \
             where you were. What was said before about this convoy is not said again: `gt brief` shows it.\n"
        }
        Occasion::Brief => "",
        _ => "It is on your hook: begin at once, no one will confirm it.\n",
    });
    if !slot.branch.is_empty() && matches!(address, Address::Polecat(..)) {
        text.push_str(&format!(
            "Branch: {} (to be merged into {})\n",
            slot.branch, slot.target
        ));
    }
    if !(slot.respawns.is_empty() && slot.refused.is_empty()) && occasion != Occasion::Compact {
        let sessions = slot.session_count();
        text.push_str(&format!(
            "This is session {sessions} on this work: look at `git status` and `git log` first, and go on \
             where the last one stopped.\n"
        ));
    }
    text.push_str(&format_assignment(bead));
    ContextPart::fixed("hook", format!("bead {}", bead.id), text).with_room(ROOM)
}

pub(in crate::flow::work::prime) fn no_work_part(address: &Address) -> ContextPart {
    let text = match address {
        Address::Polecat(..) => {
            "# No work is on your hook\n\nSay so and end the session: `gt done` is not needed.\n"
        }
        _ => {
            "# No work is on your hook\n\nLook at your mail (`gt mail inbox`), else wait for the human.\n"
        }
    };
    ContextPart::fixed("hook", "the empty hook", text.to_owned())
}

/// Lists the facts that a summary of the conversation must keep. Role, place and assignment are
/// repeated after it.
pub(in crate::flow::work::prime) fn facts_to_keep_part(
    hook: Option<&Bead>,
    slot: &Slot,
) -> ContextPart {
    let mut text = String::new();
    if let Some(bead) = hook {
        let title = escape::escape_line(&bead.title);
        text.push_str(&format!("The work is {} \"{title}\"", bead.id));
        if !slot.branch.is_empty() {
            text.push_str(&format!(" on branch {}", slot.branch));
        }
        text.push_str(".\n");
    }
    text.push_str(
        "Keep in the summary: what was decided and why, what is done and committed, what is not committed yet, \
         what was tried and failed, what earlier workers found that still counts, and the very next step. \
         Leave out role, rules and assignment: they are said again.\n",
    );
    ContextPart::fixed("to-keep", "hook", text)
}

fn format_assignment(bead: &Bead) -> String {
    let mut text = String::new();
    let description = original_task_text(bead);
    let instructions = instructions_of(bead);
    let sections = [
        ("The assignment", description.as_str()),
        (
            "Instructions with it",
            instructions.as_deref().unwrap_or(""),
        ),
        ("Design", &bead.design),
        ("Acceptance criteria", &bead.acceptance_criteria),
        ("Notes", &bead.notes),
    ];
    for (heading, body) in sections {
        // A text that only repeats the title is left out.
        if !body.trim().is_empty() && body.trim() != bead.title.trim() {
            text.push_str(&format!("\n## {heading}\n\n{}\n", fence_text(body)));
        }
    }
    if text.is_empty() {
        text.push_str("\n(Its title is the assignment.)\n");
    }
    text
}

/// Returns the task as its worker got it, for the worker that continues it.
pub(in crate::flow::work::prime) fn original_task_text(bead: &Bead) -> String {
    strip_tool_fields(&bead.description)
}

/// Removes the lines that the original and older towns keep at the top of a description. Such lines
/// further down belong to the user's text.
fn strip_tool_fields(description: &str) -> String {
    const KEPT_BY_TOOLS: [&str; 4] = [
        "dispatched_by",
        "attached_molecule",
        "attached_at",
        "attached_args",
    ];
    KEPT_BY_TOOLS
        .iter()
        .fold(description.to_owned(), |text, key| {
            fields::set_field_at_top(&text, key, None)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_data_in_a_description_is_not_part_of_the_assignment() {
        let bead = Bead {
            description: "dispatched_by: mayor\nattached_args: be quick\n\nFix it.".to_owned(),
            ..Bead::default()
        };
        let text = format_assignment(&bead);
        assert!(
            text.contains("~~~\nFix it.\n~~~") && text.contains("~~~\nbe quick\n~~~"),
            "{text}"
        );
        assert!(!text.contains("dispatched_by"), "{text}");
        let empty = Bead {
            description: "dispatched_by: mayor".to_owned(),
            ..Bead::default()
        };
        assert!(format_assignment(&empty).contains("Its title is the assignment"));
        let own = "Add these columns:\nattached_at: when\nattached_args: what";
        for description in [own.to_owned(), format!("dispatched_by: mayor\n\n{own}")] {
            assert_eq!(strip_tool_fields(&description), own);
            let bead = Bead {
                description,
                ..Bead::default()
            };
            assert_eq!(instructions_of(&bead), None);
        }
        let same = Bead {
            title: "Handle tabs".to_owned(),
            description: "Handle tabs\n".to_owned(),
            ..Bead::default()
        };
        assert_eq!(
            format_assignment(&same),
            "\n(Its title is the assignment.)\n"
        );
    }
}
