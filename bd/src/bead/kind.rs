//! The kind of a bead.

use super::fields_table::word_enum;

word_enum! {
    /// The kind of a bead. An unknown word is preserved.
    pub enum Kind: Task {
        /// A defect.
        Bug = "bug",
        /// A new capability.
        Feature = "feature",
        /// A piece of work.
        Task = "task",
        /// A goal with children.
        Epic = "epic",
        /// Maintenance.
        Chore = "chore",
        /// An event that happened.
        Event = "event",
        /// The bead of an agent.
        Agent = "agent",
        /// A role definition.
        Role = "role",
        /// The bead of a rig.
        Rig = "rig",
        /// A batch of tracked work.
        Convoy = "convoy",
        /// A slot with one holder at a time.
        Slot = "slot",
        /// A work queue.
        Queue = "queue",
        /// A mail message.
        Message = "message",
        /// A workflow in progress.
        Molecule = "molecule",
        /// A condition that a step waits for.
        Gate = "gate",
        /// A merge request.
        MergeRequest = "merge-request",
    }
}

/// The kinds that every project has.
pub const CORE: [Kind; 5] = [
    Kind::Bug,
    Kind::Feature,
    Kind::Task,
    Kind::Epic,
    Kind::Chore,
];

impl Kind {
    /// Parses a kind that a user typed, in any case. `enhancement` and `feat` mean features.
    pub fn from_user_text(word: &str) -> Self {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "enhancement" | "feat" => Self::Feature,
            _ => Self::from(word),
        }
    }

    /// Parses a kind in a filter, where `mr` and `mol` are aliases too.
    pub fn from_filter(word: &str) -> Self {
        match word {
            "mr" => Self::MergeRequest,
            "mol" => Self::Molecule,
            _ => Self::from_user_text(word),
        }
    }

    /// Returns true if the kind is one of the built-in words.
    pub fn is_built_in(&self) -> bool {
        !matches!(self, Self::Other(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_case_sensitive_except_for_the_feature_aliases() {
        assert_eq!(Kind::from_user_text("FEAT"), Kind::Feature);
        assert_eq!(Kind::from_user_text("Enhancement"), Kind::Feature);
        assert_eq!(Kind::from_user_text("BUG"), Kind::Other("BUG".into()));
        assert_eq!(Kind::from_filter("mr"), Kind::MergeRequest);
    }
}
