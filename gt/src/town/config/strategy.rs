//! How work gets onto its target.

/// How work gets onto its target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeStrategy {
    /// Its commits are rebased onto the target.
    #[default]
    Rebase,
    /// Its commits become one commit on the target.
    Squash,
    /// A merge commit joins both.
    Merge,
}

impl MergeStrategy {
    /// The names as settings have them.
    pub const NAMES: &[&str] = &["rebase", "squash", "merge"];

    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "rebase" => Some(Self::Rebase),
            "squash" => Some(Self::Squash),
            "merge" => Some(Self::Merge),
            _ => None,
        }
    }
}
