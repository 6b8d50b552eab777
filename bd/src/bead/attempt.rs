//! Reads and raises the number of the current attempt at a bead, which is in its metadata.
//!
//! A town gives a bead its first number with its first worker. A submission carries the number
//! under which the worker began, and counts only as long as the bead still has that number.

use super::Bead;

pub(crate) const KEY: &str = "attempt";

/// Returns the number of the current attempt, or 0 for a bead that no town has assigned.
pub fn read_attempt(bead: &Bead) -> u64 {
    // Nearly every bead has no metadata at all.
    if bead.metadata.is_none() {
        return 0;
    }
    let number = bead.metadata_object().remove(KEY);
    number.and_then(|number| number.as_u64()).unwrap_or(0)
}

/// Raises the number, so that earlier attempts no longer count, and returns the new number.
pub fn raise_attempt(bead: &mut Bead) -> serde_json::Result<u64> {
    let number = read_attempt(bead) + 1;
    bead.set_metadata(KEY, number)?;
    Ok(number)
}

/// Returns true if a change removes the number, as replacing all metadata does. The numbering must
/// not start again.
pub(crate) fn is_attempt_dropped(before: &Bead, after: &Bead) -> bool {
    read_attempt(before) > 0 && read_attempt(after) == 0
}

/// Returns true if a change of a bead by `actor` ends the attempt at it: the change closes, deletes
/// or reopens a bead that is assigned to someone else, and leaves the number unchanged.
pub(crate) fn is_attempt_ended(before: &Bead, after: &Bead, actor: &str) -> bool {
    // Agents close their beads before they hand them in.
    let is_worker = before.assignee == actor && actor.contains("/polecats/");
    before.is_open() != after.is_open()
        && !is_worker
        && read_attempt(before) > 0
        && read_attempt(before) == read_attempt(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::Status;

    #[test]
    fn only_closing_the_work_of_someone_else_ends_the_attempt() {
        let mut open = Bead {
            assignee: "web/polecats/nux".to_owned(),
            ..Bead::default()
        };
        let closed = |open: &Bead| Bead {
            status: Status::Closed,
            ..open.clone()
        };
        assert!(
            !is_attempt_ended(&open, &closed(&open), "dana"),
            "it is in no town"
        );
        assert_eq!(raise_attempt(&mut open).unwrap(), 1);
        assert!(is_attempt_ended(&open, &closed(&open), "dana"));
        assert!(is_attempt_ended(&closed(&open), &open, "dana"));
        assert!(!is_attempt_ended(&open, &closed(&open), "web/polecats/nux"));
        assert!(!is_attempt_ended(&open, &open.clone(), "dana"));
        let mut raised = closed(&open);
        raise_attempt(&mut raised).unwrap();
        assert!(
            !is_attempt_ended(&open, &raised, "dana"),
            "whoever closed it has raised it"
        );
    }
}
