//! Formats the prior work of the same convoy.

use bd::bead::Bead;

use super::{ContextPart, PartPointer, PartRoom};
use crate::flow::work::convoy::briefing;

/// Returns the briefing for the worker of `own`. None if no other bead has an item.
pub(in crate::flow::work::prime) fn prior_work_part(
    convoy: &Bead,
    entries: &[briefing::BriefingItem],
    reader_bead: &str,
) -> Option<ContextPart> {
    let text = briefing::format_briefing(&convoy.title, entries, reader_bead)?;
    let part = ContextPart::fixed("convoy", format!("convoy {}", convoy.id), text);
    // The title is between the two blank lines of the heading. The last beads matter most.
    let heading = part
        .text
        .match_indices("\n\n")
        .nth(1)
        .map(|(at, _)| part.text[..at + 2].to_owned());
    let part = part.with_items(heading.as_deref().unwrap_or(""), "\n\n");
    Some(part.with_room(PartRoom {
        most: 6 * 1024 + 512,
        least: 400,
        rank: 5,
        pointer: PartPointer::Command("gt convoy status"),
    }))
}
