//! Beads as candidates for completion: id and title.

use kit::cli::completion::CompletionValue;
use kit::ui::escape;
use serde::Deserialize;

use crate::store::{BeadRef, Snapshot};

/// Lists the ids of beads with their titles, open beads first.
pub fn list_bead_values(
    beads: &Snapshot,
    is_wanted: impl Fn(&BeadRef<'_>) -> bool,
) -> Vec<CompletionValue> {
    #[derive(Deserialize)]
    struct Titled {
        title: String,
    }
    let mut found: Vec<BeadRef<'_>> = beads
        .bead_refs()
        .filter(|bead| !bead.is_tombstone())
        .filter(is_wanted)
        .collect();
    found.sort_by_key(|bead| !bead.is_open());
    found
        .into_iter()
        .map(|bead| {
            let titled = bead
                .is_open()
                .then(|| bead.parse_part::<Titled>())
                .flatten();
            let title =
                titled.map_or_else(String::new, |titled| escape::escape_line(&titled.title));
            (bead.id().to_owned(), title)
        })
        .collect()
}

/// Returns true if a bead is work and not a record about a town.
pub fn is_work(bead: &BeadRef<'_>) -> bool {
    !bead.is_internal()
}
