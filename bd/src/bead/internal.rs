//! Internal beads: records that a town writes for itself, such as agents, slots, mail and merge
//! requests. Lists for people leave them out.

use super::{Bead, Kind};

/// The labels of internal beads. Older towns wrote them as tasks with one of these labels.
const LABELS: [&str; 14] = [
    AGENT_LABEL,
    "gt:channel",
    "gt:convoy",
    "gt:escalation",
    "gt:group",
    REQUEST_LABEL,
    "gt:message",
    "gt:queue",
    RATING_LABEL,
    RECORD_LABEL,
    "gt:rig",
    "gt:role",
    "gt:sling-context",
    "gt:slot",
];

/// The label of the beads that stand for agents.
pub const AGENT_LABEL: &str = "gt:agent";
/// The label of merge requests.
const REQUEST_LABEL: &str = "gt:merge-request";
/// The label of the beads with what a worker has finished, which no agent may write itself.
pub const RECORD_LABEL: &str = "gt:record";
/// The kind of event of these beads.
pub const RECORD_EVENT: &str = "work.finished";
/// The label of the beads with a user's rating of finished work, which no agent may write.
pub const RATING_LABEL: &str = "gt:rating";
/// The kind of event of these beads.
pub const RATING_EVENT: &str = "work.rated";
/// The key in the metadata of an agent's bead under which earlier versions kept what it has
/// finished.
pub const OLD_RECORD_KEY: &str = "record";

/// The label and the start of the title of the summary of a molecule's steps.
const DIGEST: (&str, &str) = ("digest", "Digest: ");

impl Kind {
    /// Returns true for the kinds of internal beads.
    pub fn is_internal(&self) -> bool {
        matches!(
            self,
            Self::Agent
                | Self::Convoy
                | Self::Event
                | Self::MergeRequest
                | Self::Message
                | Self::Queue
                | Self::Rig
                | Self::Role
                | Self::Slot
        )
    }
}

impl Bead {
    /// Returns true for the records by which workers are compared.
    pub fn is_worker_record(&self) -> bool {
        self.has_label(RECORD_LABEL)
            || self.has_label(RATING_LABEL)
            || [RECORD_EVENT, RATING_EVENT].contains(&self.event_kind.as_str())
    }

    /// Returns true for the beads that stand for agents.
    pub fn is_agent(&self) -> bool {
        self.issue_type == Kind::Agent || self.has_label(AGENT_LABEL)
    }

    /// Returns true for a bead by which the town acts: the record of an agent, mail, a merge request,
    /// a convoy, a queue. Events are none, because every change of a state makes one.
    pub(crate) fn is_of_town(&self) -> bool {
        let is_of_kind = self.issue_type.is_internal() && self.issue_type != Kind::Event;
        is_of_kind || LABELS.iter().any(|label| self.has_label(label))
    }

    pub(crate) fn is_merge_request(&self) -> bool {
        self.issue_type == Kind::MergeRequest || self.has_label(REQUEST_LABEL)
    }

    /// Returns the record that an earlier version wrote into the bead of an agent.
    pub(crate) fn old_record(&self) -> Option<serde_json::Value> {
        self.is_agent()
            .then(|| self.metadata_value(OLD_RECORD_KEY))
            .flatten()
    }

    /// Returns true for internal beads and wisps.
    pub fn is_internal(&self) -> bool {
        let is_digest = self.has_label(DIGEST.0)
            && self.title.starts_with(DIGEST.1)
            && self.close_reason.starts_with("Squashed from ");
        self.ephemeral
            || self.issue_type.is_internal()
            || LABELS.iter().any(|label| self.has_label(label))
            || is_digest
    }
}

/// Returns true for the labels of internal beads.
pub fn is_internal_label(label: &str) -> bool {
    label == DIGEST.0 || LABELS.contains(&label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_a_town_are_internal_and_the_work_of_users_is_not() {
        let bead = |kind: Kind, label: &str, title: &str| Bead {
            close_reason: "Squashed from 3 wisps".to_owned(),
            issue_type: kind,
            labels: vec![label.to_owned()],
            title: title.to_owned(),
            ..Bead::default()
        };
        assert!(bead(Kind::Slot, "", "").is_internal());
        assert!(bead(Kind::Task, "gt:escalation", "").is_internal());
        assert!(bead(Kind::Task, "digest", "Digest: mol-polecat-work").is_internal());
        assert!(!bead(Kind::Task, "digest", "Write a digest").is_internal());
        assert!(!bead(Kind::Task, "gt:merge-task", "Resolve the conflict").is_internal());
        assert!(!bead(Kind::Gate, "ui", "").is_internal());
        let own = Bead {
            close_reason: String::new(),
            ..bead(Kind::Task, "digest", "Digest: weekly mail for customers")
        };
        assert!(!own.is_internal());
        let wisp = Bead {
            ephemeral: true,
            ..Bead::default()
        };
        assert!(wisp.is_internal());
    }
}
