//! What kind of thing a bead is.

use super::fields_table::word_enum;

word_enum! {
    /// What kind of thing a bead is. A word we do not know is kept as it is.
    pub enum Kind: Task {
        /// Something is wrong.
        Bug = "bug",
        /// Something new.
        Feature = "feature",
        /// Work.
        Task = "task",
        /// A goal with children.
        Epic = "epic",
        /// Upkeep.
        Chore = "chore",
        /// A thing that happened.
        Event = "event",
        /// An agent's own bead.
        Agent = "agent",
        /// A role definition.
        Role = "role",
        /// A rig's own bead.
        Rig = "rig",
        /// A batch of tracked work.
        Convoy = "convoy",
        /// A slot that one holds at a time.
        Slot = "slot",
        /// A work queue.
        Queue = "queue",
        /// A mail.
        Message = "message",
        /// A workflow in progress.
        Molecule = "molecule",
        /// Something that a step waits for.
        Gate = "gate",
        /// Work that asks to be merged.
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
    /// Reads a kind as a person writes it: `enhancement` and `feat` are features, in any case.
    pub fn from_user_text(word: &str) -> Self {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "enhancement" | "feat" => Self::Feature,
            _ => Self::from(word),
        }
    }

    /// Reads a kind as it stands in a filter, where `mr` and `mol` are understood as well.
    pub fn from_filter(word: &str) -> Self {
        match word {
            "mr" => Self::MergeRequest,
            "mol" => Self::Molecule,
            _ => Self::from_user_text(word),
        }
    }

    /// Whether it is one of the built-in words.
    pub fn is_built_in(&self) -> bool {
        !matches!(self, Self::Other(_))
    }
}

/// Kinds that are records about a town, not work.
pub const INFRA: [Kind; 5] = [
    Kind::Agent,
    Kind::Role,
    Kind::Rig,
    Kind::Message,
    Kind::Slot,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_case_sensitive_but_for_the_feature_aliases() {
        assert_eq!(Kind::from_user_text("FEAT"), Kind::Feature);
        assert_eq!(Kind::from_user_text("Enhancement"), Kind::Feature);
        assert_eq!(Kind::from_user_text("BUG"), Kind::Other("BUG".into()));
        assert_eq!(Kind::from_filter("mr"), Kind::MergeRequest);
    }
}
