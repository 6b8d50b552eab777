//! The facts about a piece of work that its worker cannot change: they are noted at the claim and
//! at the start of the session, and go into the worker's record. A worker may edit its own bead, so
//! that the type of the bead at the end of the work proves nothing.

use bd::bead::Bead;
use serde::{Deserialize, Serialize};

/// The maximum number of labels that are noted.
const MAX_LABELS: usize = 10;
/// The maximum length of a noted label, in bytes.
const MAX_LABEL_LENGTH: usize = 60;

/// The kind of a piece of work, and the program that does it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Assignment {
    /// The type of the bead at the claim. Empty in records of earlier versions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The labels of the bead at the claim, without those of the town.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The agent program of the last session. Empty before the first one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program: String,
}

impl Assignment {
    /// Notes the kind and the labels of a bead.
    pub fn for_bead(bead: &Bead) -> Self {
        let labels = bead.labels.iter();
        Self {
            kind: bead.issue_type.to_string(),
            labels: labels
                .filter(|label| !label.starts_with("gt:") && label.len() <= MAX_LABEL_LENGTH)
                .take(MAX_LABELS)
                .cloned()
                .collect(),
            program: String::new(),
        }
    }

    /// Notes the agent program of a session that starts. Keeps the earlier one if it is unknown.
    pub fn set_program(&mut self, program: Option<&str>) {
        if let Some(program) = program {
            program.clone_into(&mut self.program);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_notes_a_bounded_number_of_the_users_labels() {
        let many = (0..30).map(|number| format!("area-{number:02}"));
        let labels = ["gt:merge-task".to_owned(), "x".repeat(100)];
        let noted = Assignment::for_bead(&Bead {
            labels: labels.into_iter().chain(many).collect(),
            ..Bead::default()
        });
        assert_eq!(noted.labels.len(), MAX_LABELS);
        assert_eq!(noted.labels[0], "area-00");
        assert_eq!(noted.kind, "task");
    }
}
