//! The report of a merge of files.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::bead::Bead;

/// A value that lost a conflict: both sides changed its field, and the other value won.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct OverruledValue {
    pub id: String,
    /// The field; `metadata.<key>` for one key of the user-defined JSON.
    pub field: String,
    /// The value as JSON; `null` if the field would have been absent.
    #[serde(serialize_with = "serialize_json_text")]
    pub value: String,
}

fn serialize_json_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    value.serialize(serializer)
}

/// One of the three inputs of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeSide {
    /// The common ancestor.
    Base,
    Left,
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

/// The reason why files cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// An input is an unfinished merge.
    #[error("the {which} file has a git conflict marker in line {line}")]
    Marker {
        which: MergeSide,
        /// The first line with a marker.
        line: usize,
    },
}

/// A decision of the merge that the user should know about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum MergeNote {
    /// One side removed the bead, and it stays because the other side changed it.
    Kept { id: String },
    /// One side deleted the bead. It stays deleted, with the changes of the other side.
    Buried { id: String },
    /// One side has a damaged line for the bead. The bead stays as the other side has it.
    Spared { id: String },
    /// One side has an earlier state of an archived bead. The bead stays in the archive.
    Archived { id: String },
    /// Two beads had this id. The later one has a new id.
    Moved {
        #[serde(rename = "id")]
        from: String,
        /// The new id of the later bead.
        to: String,
    },
    /// Beads are missing on the other side of a sync, although no one deleted or archived them. The
    /// beads are kept.
    Vanished {
        ids: Vec<String>,
        /// The commit that removed them, with its author.
        commit: String,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMerge {
    pub text: Vec<u8>,
    /// The values that lost conflicts, by bead and field.
    pub lost: Vec<OverruledValue>,
    pub notes: Vec<MergeNote>,
}

/// Finds a bead in the archive.
pub type ArchiveLookup<'f> = &'f dyn Fn(&str) -> Option<Bead>;
