//! Adds comments.

use super::{ChangeError, load_live_bead};
use crate::bead::{Comment, Stamp};
use crate::store::Tx;

/// Adds a comment. Leaves the bead's `updated_at` unchanged.
pub fn add_comment(
    tx: &mut Tx<'_>,
    id: &str,
    author: &str,
    text: &str,
) -> Result<Comment, ChangeError> {
    let mut bead = load_live_bead(tx, id)?;
    let number = bead
        .comments
        .iter()
        .map(|comment| comment.id)
        .max()
        .unwrap_or(0)
        + 1;
    let now = tx.now().instant();
    let whole = jiff::Timestamp::from_second(now.as_second()).unwrap_or(now);
    let comment = Comment {
        id: number,
        issue_id: id.to_owned(),
        author: author.to_owned(),
        text: text.to_owned(),
        created_at: Stamp::from(whole),
        extra: Vec::new(),
    };
    bead.comments.push(comment.clone());
    tx.put(bead)?;
    Ok(comment)
}
