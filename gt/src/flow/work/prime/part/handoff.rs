//! Formats the handoff note of the previous session.

use kit::ui::escape;

use super::foreign::quote_lines;
use super::{ContextPart, PartPointer, PartRoom};
use crate::record::mail::MailMessage;

/// Formats a handoff note, each line quoted.
pub(in crate::flow::work::prime) fn handoff_part(message: &MailMessage) -> ContextPart {
    let from = escape::escape_line(&message.from);
    let subject = escape::escape_line(&message.subject);
    let mut text = format!(
        "# From the session before you\n\n{subject} (from {from}, {})\n\n",
        message.id
    );
    text.push_str(&quote_lines(message.body.trim_end().lines()));
    text.push_str("\nThe handing over is done: do not do it again, go on with the work.\n");
    let part = ContextPart::fixed("handoff", format!("message {}", message.id), text);
    part.with_room(PartRoom {
        most: 2560,
        least: 400,
        rank: 2,
        pointer: PartPointer::HandoffNote,
    })
}
