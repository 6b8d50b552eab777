//! Edges between beads. An edge is stored in the bead that depends.

use serde_json::value::RawValue;

use super::Stamp;
use super::fields_table::{part_struct, word_enum};

word_enum! {
    /// The meaning of an edge. An unknown word is preserved and blocks nothing.
    pub enum DepKind: Blocks {
        /// Waits until the target is closed.
        Blocks = "blocks",
        /// Is a child of the target.
        ParentChild = "parent-child",
        /// Runs only if the target failed.
        ConditionalBlocks = "conditional-blocks",
        /// Waits for the target's children.
        WaitsFor = "waits-for",
        /// Is loosely related to the target.
        Related = "related",
        /// Was discovered while working on the target.
        DiscoveredFrom = "discovered-from",
        /// Answers the target.
        RepliesTo = "replies-to",
        /// Is linked both ways with the target.
        RelatesTo = "relates-to",
        /// Is the same as the target.
        Duplicates = "duplicates",
        /// Replaces the target.
        Supersedes = "supersedes",
        /// Was written by the target.
        AuthoredBy = "authored-by",
        /// Is assigned to the target.
        AssignedTo = "assigned-to",
        /// Was approved by the target.
        ApprovedBy = "approved-by",
        /// Attests a skill.
        Attests = "attests",
        /// Follows the target's progress.
        Tracks = "tracks",
        /// Holds until the target.
        Until = "until",
        /// Was caused by the target.
        CausedBy = "caused-by",
        /// Validates the target.
        Validates = "validates",
        /// Was delegated from the target.
        DelegatedFrom = "delegated-from",
    }
}

impl DepKind {
    /// Returns true if an edge of this kind can keep its bead from being ready.
    pub fn affects_ready(&self) -> bool {
        matches!(
            self,
            Self::Blocks | Self::ParentChild | Self::ConditionalBlocks | Self::WaitsFor
        )
    }
}

part_struct! {
    pub struct Dep {
        /// The bead that depends. It holds this edge.
        issue_id: String = "issue_id", always;
        depends_on_id: String = "depends_on_id", always;
        kind: DepKind = "type", always;
        created_at: Stamp = "created_at", always;
        created_by: String = "created_by", omit;
        metadata: String = "metadata", omit;
        /// The first message of the thread.
        thread_id: String = "thread_id", omit;
    }
}

impl Dep {
    /// Returns true if the target is a capability of another project.
    pub fn is_external(&self) -> bool {
        self.depends_on_id.starts_with("external:")
    }
}
