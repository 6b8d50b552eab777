//! The facts about a piece of work that its worker cannot change: they are noted at the claim and
//! at the start of the session, and go into the worker's record. A worker may edit its own bead, so
//! that the type of the bead at the end of the work proves nothing.

use bd::bead::Bead;
use serde::{Deserialize, Serialize};

use crate::host::runtime::AgentRuntime;
use crate::record::merge_task::MERGE_LABEL;

/// The maximum number of labels that are noted.
const MAX_LABELS: usize = 10;
/// The maximum length of a noted label, in bytes.
const MAX_LABEL_LENGTH: usize = 60;

/// The kind of a piece of work, and the program that does it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Assignment {
    /// The kind of work at the claim. Empty in records of earlier versions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The labels of the bead at the claim, without those of the town.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The agent program of the last session. Empty before the first one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// The number of restarts after a session had ended or made no progress. Unlike the times of
    /// restarts for the breaker, none is forgotten.
    #[serde(skip_serializing_if = "is_zero")]
    pub stalls: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The kind of the tasks that the merge queue creates for conflicts and broken targets.
const REPAIR_KIND: &str = "repair";

/// Returns the kind of work by which careers are compared: the type of the bead, and one of its own
/// for tasks of the merge queue.
pub fn kind_of_work(bead: &Bead) -> String {
    if bead.has_label(MERGE_LABEL) {
        REPAIR_KIND.to_owned()
    } else {
        bead.issue_type.to_string()
    }
}

impl Assignment {
    /// Notes the kind and the labels of a bead.
    pub fn for_bead(bead: &Bead) -> Self {
        let labels = bead.labels.iter();
        Self {
            kind: kind_of_work(bead),
            labels: labels
                .filter(|label| !label.starts_with("gt:") && label.len() <= MAX_LABEL_LENGTH)
                .take(MAX_LABELS)
                .cloned()
                .collect(),
            ..Self::default()
        }
    }

    /// Notes the agent program of a session that starts. Keeps the earlier one if it is unknown.
    pub fn set_program(&mut self, runtime: Option<&AgentRuntime>) {
        if let Some(runtime) = runtime {
            self.program.clone_from(&runtime.name);
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
        assert_eq!(noted.kind, "repair");
        assert_eq!(Assignment::for_bead(&Bead::default()).kind, "task");
    }
}
