//! Constraint codes: short words that stand for a rule, so that a decision costs few tokens.

/// A code and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The code.
    pub code: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// All codes.
pub const CODES: &[Code] = &[
    Code {
        code: "auth-reuse",
        meaning: "Use the existing auth services only.",
    },
    Code {
        code: "data-append",
        meaning: "Enum changes are append-only: no value is removed, renamed or put before another.",
    },
    Code {
        code: "no-new-seeds",
        meaning: "No new patterns: reuse what is there.",
    },
    Code {
        code: "rest-shape",
        meaning: "New routes follow REST: small letters, nouns, no verbs in the path.",
    },
    Code {
        code: "ui-extend",
        meaning: "Extend existing UI components, make no new ones.",
    },
];

/// What one word of a decision's constraints is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A code.
    Known(Code),
    /// Words for people.
    Prose,
    /// It looks like a code and is none.
    Unknown,
}

/// What a constraint means.
pub fn meaning(constraint: &str) -> Meaning {
    if let Some(code) = CODES.iter().find(|code| code.code == constraint) {
        return Meaning::Known(*code);
    }
    let like_a_code = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !constraint.is_empty() && constraint.chars().all(like_a_code) {
        Meaning::Unknown
    } else {
        Meaning::Prose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_expand_and_unknown_ones_are_told_from_words() {
        assert!(
            matches!(meaning("auth-reuse"), Meaning::Known(code) if code.meaning.contains("auth"))
        );
        assert!(matches!(meaning("data-append"), Meaning::Known(_)));
        assert_eq!(meaning("auth-resuse"), Meaning::Unknown);
        assert_eq!(meaning("Logout redirects to /login"), Meaning::Prose);
    }
}
