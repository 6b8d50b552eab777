//! Constraint codes: short words that stand for rules, so that a decision costs few tokens.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstraintCode {
    pub code: &'static str,
    pub meaning: &'static str,
}

pub const CODES: &[ConstraintCode] = &[
    ConstraintCode {
        code: "auth-reuse",
        meaning: "Use the existing auth services only.",
    },
    ConstraintCode {
        code: "data-append",
        meaning: "Enum changes are append-only: no value is removed, renamed or put before another.",
    },
    ConstraintCode {
        code: "no-new-seeds",
        meaning: "No new patterns: reuse what is there.",
    },
    ConstraintCode {
        code: "rest-shape",
        meaning: "New routes follow REST: small letters, nouns, no verbs in the path.",
    },
    ConstraintCode {
        code: "ui-extend",
        meaning: "Extend existing UI components, make no new ones.",
    },
];

/// The meaning of one entry in a decision's constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintMeaning {
    Known(ConstraintCode),
    Prose,
    /// A word in the form of a code that is not in the table.
    Unknown,
}

pub fn parse_constraint(constraint: &str) -> ConstraintMeaning {
    if let Some(code) = CODES.iter().find(|code| code.code == constraint) {
        return ConstraintMeaning::Known(*code);
    }
    if !constraint.is_empty()
        && constraint
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    {
        ConstraintMeaning::Unknown
    } else {
        ConstraintMeaning::Prose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_expand_and_unknown_codes_are_distinguished_from_prose() {
        assert!(
            matches!(parse_constraint("auth-reuse"), ConstraintMeaning::Known(code) if code.meaning.contains("auth"))
        );
        assert!(matches!(
            parse_constraint("data-append"),
            ConstraintMeaning::Known(_)
        ));
        assert_eq!(parse_constraint("auth-resuse"), ConstraintMeaning::Unknown);
        assert_eq!(
            parse_constraint("Logout redirects to /login"),
            ConstraintMeaning::Prose
        );
    }
}
