//! The molecule of the work: its steps, and which one is to be done.

use bd::ui::escape;

use super::before::marked;
use super::{Part, Pointer, Room};
use crate::flow::followup::Molecule;

/// Where the work stands in its molecule.
pub(in crate::flow::prime) fn molecule(found: &Molecule) -> Part {
    let (id, title) = (escape::line(&found.id), escape::line(&found.title));
    let done = found.steps.iter().filter(|(_, done)| *done).count();
    let mut text = format!(
        "# Your molecule: {id} \"{title}\", {done} of {} steps done\n\n",
        found.steps.len()
    );
    if let Some(next) = &found.next {
        let next = escape::line(next);
        text.push_str(&format!(
            "Go on with {next} (`bd show {next}`), and close it when it is done (`bd close {next}`).\n"
        ));
    }
    text.push_str(&marked(found));
    Part::fixed("molecule", format!("bead {id}"), text).within(Room {
        most: 1536,
        least: 300,
        rank: 1,
        pointer: Pointer::Source,
    })
}
