//! Formats the answers to escalations about the work.

use kit::ui::escape;

use super::foreign::quote_lines;
use super::{ContextPart, PartPointer, PartRoom};
use crate::record::escalation::Escalation;

/// Returns the answered escalations about a bead. None if there are none.
pub(in crate::flow::work::prime) fn answers_part(
    bead: &str,
    answered: &[Escalation],
) -> Option<ContextPart> {
    if answered.is_empty() {
        return None;
    }
    let mut text = "# Answers to what was escalated about your work\n\n".to_owned();
    // Newest first, because it may replace an older answer.
    for escalation in answered.iter().rev() {
        let by = escape::escape_line(&escalation.closed_by);
        let title = escape::escape_line(&escalation.title);
        text.push_str(&format!(
            "- {} \"{title}\", answered by {by}:\n",
            escalation.id
        ));
        text.push_str(&quote_lines(escalation.details.answer.lines()));
    }
    let part = ContextPart::fixed("answers", format!("escalations about {bead}"), text);
    Some(part.with_room(PartRoom {
        most: 2048,
        least: 300,
        rank: 1,
        pointer: PartPointer::Command("gt escalate list --all --bead {}"),
    }))
}
