//! Defines the ways in which work is put on its target, and the routes to it.

/// The way in which work is put on its target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeStrategy {
    /// Rebases the commits onto the target.
    #[default]
    Rebase,
    /// Squashes the commits to one on the target.
    Squash,
    /// Joins both with a merge commit.
    Merge,
}

impl MergeStrategy {
    /// The names in settings.
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

/// The route of work to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandingRoute {
    /// The queue pushes to the target.
    Direct,
    /// The queue opens a pull request, and the work lands when that is merged.
    PullRequest,
}

impl LandingRoute {
    /// The names in settings.
    pub const NAMES: &[&str] = &["direct", "pr"];

    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "direct" => Some(Self::Direct),
            "pr" => Some(Self::PullRequest),
            _ => None,
        }
    }
}
