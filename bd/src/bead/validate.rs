//! Checks the values of a bead.

use kit::ui::cut::first_bytes;

use super::{Bead, Kind, Status, id, kind};

/// The maximum length of a title.
pub const MAX_TITLE_BYTES: usize = 500;

/// The words that a project adds to the built-in ones.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    pub statuses: Vec<String>,
    pub kinds: Vec<String>,
}

/// The reason why a bead is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValidationError {
    #[error("title is required")]
    NoTitle,
    /// The title is too long.
    #[error("title must be 500 characters or less (got {0})")]
    LongTitle(usize),
    /// The priority is out of range.
    #[error("priority must be between 0 and 4 (got {0})")]
    Priority(i64),
    /// The status is not a word of this project.
    #[error("invalid status: {0}")]
    Status(String),
    /// The kind is not a word of this project.
    #[error("invalid issue type: {0}")]
    Kind(String),
    /// The estimate is negative.
    #[error("estimated_minutes cannot be negative")]
    Estimate,
    /// The bead is closed but has no closing time.
    #[error("closed issues must have closed_at timestamp")]
    ClosedWithoutTime,
    /// The bead is not closed but has a closing time.
    #[error("non-closed issues cannot have closed_at timestamp")]
    OpenWithCloseTime,
    /// The bead is deleted but has no deletion time.
    #[error("tombstone issues must have deleted_at timestamp")]
    TombstoneWithoutTime,
    /// The bead is not deleted but has a deletion time.
    #[error("non-tombstone issues cannot have deleted_at timestamp")]
    LiveWithDeleteTime,
    /// The id contains unsafe characters.
    #[error(
        "invalid ID format '{0}' (expected format: prefix-hash or prefix-hash.number, such as bd-a3f8 or bd-a3f8.1)"
    )]
    Id(String),
}

impl Vocabulary {
    /// Returns true if the project allows this status.
    pub fn has_status(&self, status: &Status) -> bool {
        status.is_built_in() || self.statuses.iter().any(|known| known == status.as_str())
    }

    /// Returns true if the project allows this kind.
    pub fn has_kind(&self, kind: &Kind) -> bool {
        kind.is_built_in() || self.kinds.iter().any(|known| known == kind.as_str())
    }

    /// Lists the allowed statuses for an error message.
    pub fn list_statuses(&self) -> String {
        let built_in: Vec<Status> = (0..).map_while(Status::from_code).collect();
        join_words(built_in.iter().map(Status::as_str), &self.statuses)
    }

    /// Lists the allowed kinds of work for an error message.
    pub fn list_kinds(&self) -> String {
        join_words(kind::CORE.iter().map(Kind::as_str), &self.kinds)
    }
}

fn join_words<'a>(built_in: impl Iterator<Item = &'a str>, custom: &'a [String]) -> String {
    let all: Vec<&str> = built_in.chain(custom.iter().map(String::as_str)).collect();
    all.join(", ")
}

/// Checks a whole bead.
pub fn validate_bead(bead: &Bead, words: &Vocabulary) -> Result<(), ValidationError> {
    validate_change(None, bead, words)
}

/// Checks a changed bead. A violation that existed before the change is allowed, because otherwise
/// beads of older clients could not be changed.
pub fn validate_change(
    before: Option<&Bead>,
    bead: &Bead,
    words: &Vocabulary,
) -> Result<(), ValidationError> {
    let fresh = find_new_violations(before, bead, words).into_iter().next();
    fresh.map_or(Ok(()), Err)
}

/// Returns the rules that a changed bead breaks and did not break before.
pub fn find_new_violations(
    before: Option<&Bead>,
    bead: &Bead,
    words: &Vocabulary,
) -> Vec<ValidationError> {
    let known = before.map_or(Vec::new(), |before| find_violations(before, words));
    find_violations(bead, words)
        .into_iter()
        .filter(|problem| !known.contains(problem))
        .collect()
}

fn find_violations(bead: &Bead, words: &Vocabulary) -> Vec<ValidationError> {
    let rules = [
        (!id::is_well_formed(&bead.id)).then(|| ValidationError::Id(bead.id.clone())),
        bead.title
            .trim()
            .is_empty()
            .then_some(ValidationError::NoTitle),
        (bead.title.len() > MAX_TITLE_BYTES)
            .then_some(ValidationError::LongTitle(bead.title.len())),
        (!(0..=4).contains(&bead.priority)).then_some(ValidationError::Priority(bead.priority)),
        (!words.has_status(&bead.status)).then(|| ValidationError::Status(bead.status.to_string())),
        (!words.has_kind(&bead.issue_type))
            .then(|| ValidationError::Kind(bead.issue_type.to_string())),
        bead.estimated_minutes
            .filter(|minutes| *minutes < 0)
            .map(|_| ValidationError::Estimate),
        validate_times(bead).err(),
    ];
    rules.into_iter().flatten().collect()
}

/// Checks that closed and deleted beads have the matching time, and that no other bead has it.
fn validate_times(bead: &Bead) -> Result<(), ValidationError> {
    let closed = bead.closed_at.is_some();
    let deleted = bead.deleted_at.is_some();
    match (&bead.status, closed, deleted) {
        (Status::Closed, false, _) => Err(ValidationError::ClosedWithoutTime),
        (Status::Tombstone, _, false) => Err(ValidationError::TombstoneWithoutTime),
        (Status::Tombstone | Status::Closed, _, _) if !deleted || bead.is_tombstone() => Ok(()),
        (_, true, _) if bead.status != Status::Closed => Err(ValidationError::OpenWithCloseTime),
        (_, _, true) => Err(ValidationError::LiveWithDeleteTime),
        _ => Ok(()),
    }
}

/// Parses a priority that a user typed: `0` to `4`, or `P0` to `P4`.
pub fn parse_priority(text: &str) -> Option<i64> {
    let trimmed = text.trim();
    let digit = trimmed.strip_prefix(['P', 'p']).unwrap_or(trimmed);
    match digit.as_bytes() {
        [digit @ b'0'..=b'4'] => Some(i64::from(digit - b'0')),
        _ => None,
    }
}

/// Shortens a text to a valid title of one line.
pub fn fit_to_title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    first_bytes(&line, MAX_TITLE_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::Stamp;

    fn sound() -> Bead {
        Bead {
            id: "bd-1".into(),
            title: "t".into(),
            ..Bead::default()
        }
    }

    #[test]
    fn a_plain_bead_is_valid() {
        assert_eq!(validate_bead(&sound(), &Vocabulary::default()), Ok(()));
    }

    #[test]
    fn each_rule_refuses_with_its_own_message() {
        let words = Vocabulary::default();
        let refused = |change: fn(&mut Bead)| {
            let mut bead = sound();
            change(&mut bead);
            validate_bead(&bead, &words).unwrap_err()
        };
        assert_eq!(refused(|b| b.title.clear()), ValidationError::NoTitle);
        assert_eq!(
            refused(|b| b.title = "語".repeat(300)),
            ValidationError::LongTitle(900)
        );
        assert_eq!(refused(|b| b.priority = 9), ValidationError::Priority(9));
        assert_eq!(
            refused(|b| b.status = "odd".into()),
            ValidationError::Status("odd".into())
        );
        assert_eq!(
            refused(|b| b.issue_type = "BUG".into()),
            ValidationError::Kind("BUG".into())
        );
        assert_eq!(
            refused(|b| b.estimated_minutes = Some(-1)),
            ValidationError::Estimate
        );
        assert_eq!(
            refused(|b| b.status = Status::Closed),
            ValidationError::ClosedWithoutTime
        );
        assert_eq!(
            refused(|b| b.closed_at = Some(Stamp::default())),
            ValidationError::OpenWithCloseTime
        );
        assert_eq!(
            refused(|b| b.status = Status::Tombstone),
            ValidationError::TombstoneWithoutTime
        );
        assert_eq!(
            refused(|b| b.deleted_at = Some(Stamp::default())),
            ValidationError::LiveWithDeleteTime
        );
        assert_eq!(
            refused(|b| b.id = "x y".into()),
            ValidationError::Id("x y".into())
        );
    }

    #[test]
    fn existing_invalid_values_are_kept_but_new_ones_are_refused() {
        let words = Vocabulary::default();
        let old = Bead {
            id: "legacy".into(),
            issue_type: "spike".into(),
            status: Status::Closed,
            ..sound()
        };
        let mut new = Bead {
            notes: "more".into(),
            ..old.clone()
        };
        assert!(validate_bead(&new, &words).is_err());
        assert_eq!(validate_change(Some(&old), &new, &words), Ok(()));
        new.issue_type = "other".into();
        assert_eq!(
            validate_change(Some(&old), &new, &words),
            Err(ValidationError::Kind("other".into()))
        );
    }

    #[test]
    fn statuses_and_kinds_of_the_project_are_accepted() {
        let words = Vocabulary {
            statuses: vec!["staged".into()],
            kinds: vec!["spike".into()],
        };
        let mut bead = sound();
        bead.status = "staged".into();
        bead.issue_type = "spike".into();
        assert_eq!(validate_bead(&bead, &words), Ok(()));
    }

    #[test]
    fn priorities_are_parsed_with_or_without_p() {
        for (text, wanted) in [
            ("0", Some(0)),
            (" P4 ", Some(4)),
            ("p1", Some(1)),
            ("PP1", None),
            ("P", None),
            ("-1", None),
            ("5", None),
            ("high", None),
        ] {
            assert_eq!(parse_priority(text), wanted, "{text}");
        }
    }
}
