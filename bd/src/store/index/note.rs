//! The facts that an index stores about lines without a bead.

use serde::{Deserialize, Serialize};

use crate::bead::lines::{is_conflict_marker, is_foreign};
use crate::bead::record;

/// A line of a file that holds no bead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NonBeadLine {
    /// The code of the file in the index.
    pub file: u8,
    pub line: usize,
    pub offset: u64,
    pub length: u32,
    /// The reason why the line cannot be parsed; `None` for a sound record.
    pub reason: Option<String>,
    /// True for a git conflict marker.
    pub conflict: bool,
    /// True for another version of a durable bead in the issues, which merges with it.
    #[serde(default)]
    pub is_version: bool,
}

impl NonBeadLine {
    /// Returns true for a sound record of another kind.
    pub(crate) fn is_foreign(&self) -> bool {
        self.reason.is_none() && !self.is_version
    }
}

/// Builds the entry of a line that is not a bead.
pub(super) fn describe_non_bead(
    line: &[u8],
    error: &record::RecordError,
    file: u8,
    number: usize,
    offset: u64,
) -> NonBeadLine {
    let conflict = is_conflict_marker(line);
    let reason = if conflict {
        Some("git conflict marker".to_owned())
    } else if is_foreign(line) {
        None
    } else {
        Some(error.to_string())
    };
    NonBeadLine {
        file,
        line: number,
        offset,
        length: u32::try_from(line.len()).unwrap_or(u32::MAX),
        reason,
        conflict,
        is_version: false,
    }
}
