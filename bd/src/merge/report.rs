//! What a merge of files says beside its text.

use crate::bead::Bead;

/// A value that lost a conflict: both sides changed its field, and the other value stays.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OverruledValue {
    /// The bead.
    pub id: String,
    /// The field; `metadata.<key>` for one key of the users' own.
    pub field: String,
    /// The value as JSON; `null` where the field would have been absent.
    pub value: String,
}

/// One of the three inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeSide {
    /// What both sides started from.
    Base,
    /// Our side.
    Left,
    /// Their side.
    Right,
}

impl std::fmt::Display for MergeSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Base => "base",
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

/// Why files cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// An input is itself an unfinished merge.
    #[error("the {which} file has a git conflict marker in line {line}")]
    Marker {
        /// The input.
        which: MergeSide,
        /// The first line with a marker.
        line: usize,
    },
}

/// Something a person should know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MergeNote {
    /// One side removed the bead; it stays, since the other side changed it.
    Kept {
        /// The bead.
        id: String,
    },
    /// One side deleted the bead; it stays deleted, with what the other side changed in it.
    Buried {
        /// The bead.
        id: String,
    },
    /// One side has a damaged line where the bead stood; it stays as the other side has it.
    Spared {
        /// The bead.
        id: String,
    },
    /// One side brought an earlier state of a bead that is in the archive; it stays there.
    Archived {
        /// The bead.
        id: String,
    },
    /// Two beads had this id; the later one has a new one.
    Moved {
        /// The id.
        from: String,
        /// The new id of the later bead.
        to: String,
    },
}

/// A merged file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMerge {
    /// The whole text.
    pub text: Vec<u8>,
    /// What conflicts took away, by bead and field.
    pub lost: Vec<OverruledValue>,
    /// What should be told.
    pub notes: Vec<MergeNote>,
}

/// Looks a bead up in the archive.
pub type ArchiveLookup<'f> = &'f dyn Fn(&str) -> Option<Bead>;
