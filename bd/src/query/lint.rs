//! The headings that a description must have, by the kind of the bead.

use crate::bead::{Bead, Kind};

/// Returns the headings that a kind of bead must have.
pub fn required_headings(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Bug => &["Steps to Reproduce", "Acceptance Criteria"],
        Kind::Task | Kind::Feature => &["Acceptance Criteria"],
        Kind::Epic => &["Success Criteria"],
        _ => &[],
    }
}

/// Returns the required headings that a bead lacks.
pub fn find_missing_headings(bead: &Bead) -> Vec<&'static str> {
    let text = bead.description.to_lowercase();
    required_headings(&bead.issue_type)
        .iter()
        .copied()
        .filter(|heading| !text.contains(&heading.to_lowercase()))
        .collect()
}
