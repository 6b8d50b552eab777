//! The number of the attempt at a bead that counts, in its metadata. A town gives a bead its first number with its
//! first worker; what a worker hands in carries the number under which it began, and counts only as long as the
//! bead still has it.

use super::Bead;

pub(crate) const KEY: &str = "attempt";

/// The number of the attempt that counts; 0 for a bead that no town has given to anyone.
pub fn read_attempt(bead: &Bead) -> u64 {
    // Nearly every bead has no metadata at all.
    if bead.metadata.is_none() {
        return 0;
    }
    let number = bead.metadata_object().remove(KEY);
    number.and_then(|number| number.as_u64()).unwrap_or(0)
}

/// Raises the number, so that what was begun before counts no more; gives the new one.
pub fn raise_attempt(bead: &mut Bead) -> serde_json::Result<u64> {
    let number = read_attempt(bead) + 1;
    bead.set_metadata(KEY, number)?;
    Ok(number)
}

/// Whether a change takes the number away, as whoever replaces all metadata does. It must not start again.
pub(crate) fn is_attempt_dropped(before: &Bead, after: &Bead) -> bool {
    read_attempt(before) > 0 && read_attempt(after) == 0
}

/// Whether a change of a bead by `actor` ends the attempt at it: it closes, deletes or reopens a bead that is someone
/// else's work, and leaves the number unchanged.
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
    fn closing_someone_elses_work_ends_the_attempt_and_closing_ones_own_does_not() {
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
