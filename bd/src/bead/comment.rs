//! Comments on a bead.

use serde_json::value::RawValue;

use super::Stamp;
use super::fields_table::part_struct;

part_struct! {
    /// One comment. The number is local: clones match comments by author and text.
    pub struct Comment {
        /// The number of the comment within the bead.
        id: i64 = "id", always;
        issue_id: String = "issue_id", always;
        author: String = "author", always;
        text: String = "text", always;
        created_at: Stamp = "created_at", always;
    }
}
