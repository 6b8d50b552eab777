//! The number of the attempt at a bead that counts, in its metadata. A town gives a bead its first number with its
//! first worker; what a worker hands in carries the number under which it began, and counts only as long as the
//! bead still has it.

use super::Bead;

pub(crate) const KEY: &str = "attempt";

/// The number of the attempt that counts; 0 for a bead that no town has given to anyone.
pub fn of(bead: &Bead) -> u64 {
    // Nearly every bead has no metadata at all.
    if bead.metadata.is_none() {
        return 0;
    }
    let number = bead.metadata_object().remove(KEY);
    number.and_then(|number| number.as_u64()).unwrap_or(0)
}

/// Raises the number, so that what was begun before counts no more; gives the new one.
pub fn raise(bead: &mut Bead) -> serde_json::Result<u64> {
    let number = of(bead) + 1;
    bead.set_metadata(KEY, number)?;
    Ok(number)
}

/// Whether a change takes the number away, as whoever replaces all metadata does. It must not start again.
pub(crate) fn is_dropped(before: &Bead, after: &Bead) -> bool {
    of(before) > 0 && of(after) == 0
}

/// Whether a change of a bead by `actor` ends the attempt at it: it closes, deletes or reopens a bead that is someone
/// else's work, and leaves the number unchanged.
pub(crate) fn ends(before: &Bead, after: &Bead, actor: &str) -> bool {
    // Agents close their beads before they hand them in.
    let is_worker = before.assignee == actor && actor.contains("/polecats/");
    before.is_open() != after.is_open() && !is_worker && of(before) > 0 && of(before) == of(after)
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
        assert!(!ends(&open, &closed(&open), "dana"), "it is in no town");
        assert_eq!(raise(&mut open).unwrap(), 1);
        assert!(ends(&open, &closed(&open), "dana"));
        assert!(ends(&closed(&open), &open, "dana"));
        assert!(!ends(&open, &closed(&open), "web/polecats/nux"));
        assert!(!ends(&open, &open.clone(), "dana"));
        let mut raised = closed(&open);
        raise(&mut raised).unwrap();
        assert!(
            !ends(&open, &raised, "dana"),
            "whoever closed it has raised it"
        );
    }
}
