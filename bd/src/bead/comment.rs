//! Comments on a bead.

use serde_json::value::RawValue;

use super::Stamp;
use super::fields_table::part_struct;

part_struct! {
    /// One comment. Its number is local: clones are compared by author and text.
    pub struct Comment {
        /// A number within the bead.
        id: i64 = "id", always;
        /// The bead.
        issue_id: String = "issue_id", always;
        /// Who wrote it.
        author: String = "author", always;
        /// What was written.
        text: String = "text", always;
        /// When.
        created_at: Stamp = "created_at", always;
    }
}
