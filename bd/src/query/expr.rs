//! The language of `bd query`: `status=open AND (priority<2 OR label=urgent) AND NOT updated>7d`.
//!
//! Steps:
//! 1. Split the text into tokens.
//! 2. Parse conditions by the precedence of NOT, AND and OR. Fields are checked and times are
//!    parsed once.
//! 3. Evaluate the expression for each bead.

use std::cmp::Ordering;
use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::filter::{contains_ignore_case, is_glob_match};
use super::when;
use crate::bead::{Bead, Stamp, validate};

/// An expression that a bead matches or does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryExpr {
    And(Box<QueryExpr>, Box<QueryExpr>),
    Or(Box<QueryExpr>, Box<QueryExpr>),
    Not(Box<QueryExpr>),
    Is(Comparison),
}

/// A comparison of one field with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    field: Field,
    operator: ComparisonOperator,
    text: String,
    value: ComparisonValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ComparisonValue {
    Text(String),
    /// `none`: the field is empty.
    Nothing,
    Number(i64),
    Flag(bool),
    Time(Timestamp),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComparisonOperator {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// The fields and their names. The first name of a field is the usual one.
const FIELDS: &[(&str, Field)] = &[
    ("status", Field::Status),
    ("priority", Field::Priority),
    ("type", Field::Type),
    ("assignee", Field::Assignee),
    ("owner", Field::Owner),
    ("label", Field::Label),
    ("labels", Field::Label),
    ("title", Field::Title),
    ("description", Field::Description),
    ("desc", Field::Description),
    ("notes", Field::Notes),
    ("created", Field::Created),
    ("updated", Field::Updated),
    ("closed", Field::Closed),
    ("id", Field::Id),
    ("spec", Field::Spec),
    ("external_ref", Field::ExternalRef),
    ("external-ref", Field::ExternalRef),
    ("parent", Field::Parent),
    ("pinned", Field::Pinned),
    ("ephemeral", Field::Ephemeral),
    ("template", Field::Template),
    ("mol_type", Field::MolType),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Status,
    Priority,
    Type,
    Assignee,
    Owner,
    Label,
    Title,
    Description,
    Notes,
    Created,
    Updated,
    Closed,
    Id,
    Spec,
    ExternalRef,
    Parent,
    Pinned,
    Ephemeral,
    Template,
    MolType,
}

/// The maximum number of words and of nested brackets and NOTs in an expression. No one writes
/// more, and each level needs some of the stack.
const MOST_TOKENS: usize = 5_000;
const MOST_LEVELS: usize = 200;

/// The reason why a text is not a valid expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    #[error("expected {wanted} at column {column}, not {found}")]
    Expected {
        wanted: &'static str,
        column: usize,
        found: String,
    },
    /// No field has this name.
    #[error("unknown field \"{0}\"; fields: {list}", list = list_field_names())]
    Field(String),
    /// The value does not fit the field.
    #[error("invalid value \"{value}\" for {field}: use {wanted}")]
    Value {
        field: &'static str,
        value: String,
        wanted: &'static str,
    },
    /// The field has no order.
    #[error("{field} can only be compared with = and !=")]
    Order { field: &'static str },
    #[error(
        "the expression is too long or nested too deeply: at most {MOST_TOKENS} words and {MOST_LEVELS} levels"
    )]
    TooComplex,
    /// An unterminated quotation.
    #[error("the quotation that begins at column {0} has no end")]
    OpenQuote(usize),
}

fn list_field_names() -> String {
    let names: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    names.join(" ")
}

impl Field {
    fn name(self) -> &'static str {
        let entry = FIELDS.iter().find(|(_, field)| *field == self);
        entry.map_or("", |(name, _)| name)
    }

    fn is_time(self) -> bool {
        matches!(self, Self::Created | Self::Updated | Self::Closed)
    }

    fn is_flag(self) -> bool {
        matches!(self, Self::Pinned | Self::Ephemeral | Self::Template)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum QueryToken {
    Word(String),
    /// A quoted text, which is never a keyword.
    Quoted(String),
    Operator(ComparisonOperator),
    Open,
    Close,
}

impl fmt::Display for QueryToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "\"{word}\""),
            Self::Quoted(text) => write!(f, "\"{text}\""),
            Self::Operator(operator) => write!(f, "\"{operator}\""),
            Self::Open => f.write_str("\"(\""),
            Self::Close => f.write_str("\")\""),
        }
    }
}

impl fmt::Display for ComparisonOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        })
    }
}

impl fmt::Display for QueryExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(a, b) => write!(f, "({a} AND {b})"),
            Self::Or(a, b) => write!(f, "({a} OR {b})"),
            Self::Not(inner) => write!(f, "NOT {inner}"),
            Self::Is(own) => {
                let text = &own.text;
                write!(f, "{}{}", own.field.name(), own.operator)?;
                if !text.is_empty()
                    && text
                        .chars()
                        .all(|c| c.is_alphanumeric() || "_-.:*@/+".contains(c))
                {
                    f.write_str(text)
                } else {
                    write!(f, "\"{}\"", text.replace('"', "\\\""))
                }
            }
        }
    }
}

fn tokenize_query(text: &str) -> Result<Vec<(usize, QueryToken)>, ExprError> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let column = at + 1;
        let has_equal = chars.get(at + 1) == Some(&'=');
        let (token, length) = match c {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            '(' => (QueryToken::Open, 1),
            ')' => (QueryToken::Close, 1),
            '=' => (
                QueryToken::Operator(ComparisonOperator::Equal),
                if has_equal { 2 } else { 1 },
            ),
            '!' if has_equal => (QueryToken::Operator(ComparisonOperator::Unequal), 2),
            '<' if has_equal => (QueryToken::Operator(ComparisonOperator::AtMost), 2),
            '<' => (QueryToken::Operator(ComparisonOperator::Less), 1),
            '>' if has_equal => (QueryToken::Operator(ComparisonOperator::AtLeast), 2),
            '>' => (QueryToken::Operator(ComparisonOperator::More), 1),
            '"' | '\'' => {
                let (text, length) =
                    parse_quoted(&chars[at..]).ok_or(ExprError::OpenQuote(column))?;
                (QueryToken::Quoted(text), length)
            }
            _ => {
                let length = 1 + chars[at + 1..]
                    .iter()
                    .take_while(|c| !c.is_whitespace() && !"()=!<>\"'".contains(**c))
                    .count();
                let word = chars[at..at + length].iter().collect();
                (QueryToken::Word(word), length)
            }
        };
        found.push((column, token));
        at += length;
    }
    Ok(found)
}

/// Parses the quoted text at the beginning. Returns it with the number of consumed characters.
fn parse_quoted(chars: &[char]) -> Option<(String, usize)> {
    let mark = *chars.first()?;
    let mut text = String::new();
    let mut at = 1;
    loop {
        match *chars.get(at)? {
            '\\' => {
                text.push(*chars.get(at + 1)?);
                at += 2;
            }
            c if c == mark => return Some((text, at + 1)),
            c => {
                text.push(c);
                at += 1;
            }
        }
    }
}

/// Parses an expression. Relative times are relative to `now` in `zone`.
pub fn parse_query(text: &str, now: Timestamp, zone: &TimeZone) -> Result<QueryExpr, ExprError> {
    let tokens = tokenize_query(text)?;
    if tokens.len() > MOST_TOKENS {
        return Err(ExprError::TooComplex);
    }
    let end = text.chars().count() + 1;
    let mut reader = QueryParser {
        tokens: &tokens,
        levels: 0,
        end,
        now,
        zone,
    };
    let expr = reader.parse_or()?;
    match reader.tokens.first() {
        None => Ok(expr),
        Some(_) => Err(reader.expected("AND, OR or the end")),
    }
}

struct QueryParser<'a> {
    tokens: &'a [(usize, QueryToken)],
    /// The number of open brackets and NOTs.
    levels: usize,
    end: usize,
    now: Timestamp,
    zone: &'a TimeZone,
}

impl QueryParser<'_> {
    fn expected(&self, wanted: &'static str) -> ExprError {
        let next = self.tokens.first();
        ExprError::Expected {
            wanted,
            column: next.map_or(self.end, |(column, _)| *column),
            found: next.map_or("the end".to_owned(), |(_, token)| token.to_string()),
        }
    }

    fn next(&mut self) -> Option<QueryToken> {
        let ((_, token), rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(token.clone())
    }

    /// Consumes a keyword if it comes next.
    fn take_keyword(&mut self, keyword: &str) -> bool {
        let is_it = matches!(self.tokens.first(), Some((_, QueryToken::Word(word))) if word.eq_ignore_ascii_case(keyword));
        if is_it {
            self.tokens = &self.tokens[1..];
        }
        is_it
    }

    fn parse_or(&mut self) -> Result<QueryExpr, ExprError> {
        let mut expr = self.parse_and()?;
        while self.take_keyword("OR") {
            expr = QueryExpr::Or(Box::new(expr), Box::new(self.parse_and()?));
        }
        Ok(expr)
    }

    fn parse_and(&mut self) -> Result<QueryExpr, ExprError> {
        let mut expr = self.parse_unary()?;
        while self.take_keyword("AND") {
            expr = QueryExpr::And(Box::new(expr), Box::new(self.parse_unary()?));
        }
        Ok(expr)
    }

    fn parse_unary(&mut self) -> Result<QueryExpr, ExprError> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return Err(ExprError::TooComplex);
        }
        let expr = self.parse_operand();
        self.levels -= 1;
        expr
    }

    fn parse_operand(&mut self) -> Result<QueryExpr, ExprError> {
        if self.take_keyword("NOT") {
            return Ok(QueryExpr::Not(Box::new(self.parse_unary()?)));
        }
        if matches!(self.tokens.first(), Some((_, QueryToken::Open))) {
            self.next();
            let expr = self.parse_or()?;
            if !matches!(self.tokens.first(), Some((_, QueryToken::Close))) {
                return Err(self.expected("AND, OR or a closing bracket"));
            }
            self.next();
            return Ok(expr);
        }
        self.parse_comparison()
    }

    fn parse_comparison(&mut self) -> Result<QueryExpr, ExprError> {
        let Some((_, QueryToken::Word(name))) = self.tokens.first() else {
            return Err(self.expected("a field"));
        };
        let known = FIELDS
            .iter()
            .find(|(field_name, _)| field_name.eq_ignore_ascii_case(name));
        let field = known.ok_or_else(|| ExprError::Field(name.clone()))?.1;
        self.next();
        let Some((_, QueryToken::Operator(operator))) = self.tokens.first() else {
            return Err(self.expected("= != < <= > or >="));
        };
        let operator = *operator;
        self.next();
        let Some((_, QueryToken::Word(text) | QueryToken::Quoted(text))) = self.tokens.first()
        else {
            return Err(self.expected("a value"));
        };
        let text = text.clone();
        self.next();
        let value = self.parse_value(field, &text)?;
        let has_order = field == Field::Priority || field.is_time();
        let is_equality = matches!(
            operator,
            ComparisonOperator::Equal | ComparisonOperator::Unequal
        );
        if !is_equality && (!has_order || value == ComparisonValue::Nothing) {
            let field = field.name();
            return Err(ExprError::Order { field });
        }
        Ok(QueryExpr::Is(Comparison {
            field,
            operator,
            text,
            value,
        }))
    }

    fn parse_value(&self, field: Field, text: &str) -> Result<ComparisonValue, ExprError> {
        let build_error = |wanted| ExprError::Value {
            field: field.name(),
            value: text.to_owned(),
            wanted,
        };
        if field.is_flag() {
            return match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "1" => Ok(ComparisonValue::Flag(true)),
                "false" | "no" | "0" => Ok(ComparisonValue::Flag(false)),
                _ => Err(build_error("true or false")),
            };
        }
        if text.is_empty() || matches!(text.to_ascii_lowercase().as_str(), "none" | "null") {
            return Ok(ComparisonValue::Nothing);
        }
        if field == Field::Priority {
            return validate::parse_priority(text)
                .map(ComparisonValue::Number)
                .ok_or_else(|| build_error("0-4 or P0-P4"));
        }
        if field.is_time() {
            return when::parse_past_time(text, self.now, self.zone)
                .map(ComparisonValue::Time)
                .ok_or_else(|| {
                    build_error("7d, 2026-03-01, an RFC 3339 time, or words such as yesterday")
                });
        }
        Ok(ComparisonValue::Text(text.to_owned()))
    }
}

impl QueryExpr {
    /// Returns true if the expression uses one of these fields.
    fn has_field(&self, fields: &[Field]) -> bool {
        match self {
            Self::And(a, b) | Self::Or(a, b) => a.has_field(fields) || b.has_field(fields),
            Self::Not(inner) => inner.has_field(fields),
            Self::Is(own) => fields.contains(&own.field),
        }
    }

    /// Returns true if the expression itself decides about closed beads.
    pub fn has_status_condition(&self) -> bool {
        self.has_field(&[Field::Status, Field::Closed])
    }

    /// Returns true if the expression itself decides about templates.
    pub fn has_template_condition(&self) -> bool {
        self.has_field(&[Field::Template, Field::Id])
    }

    /// Returns true if the expression may ask for internal beads.
    pub fn may_ask_for_internal(&self) -> bool {
        match self {
            Self::And(a, b) | Self::Or(a, b) => {
                a.may_ask_for_internal() || b.may_ask_for_internal()
            }
            Self::Not(inner) => inner.may_ask_for_internal(),
            // Almost all beads have no parent, internal ones too.
            Self::Is(own) if own.field == Field::Parent => own.value != ComparisonValue::Nothing,
            Self::Is(own) => {
                [Field::Type, Field::Label, Field::Id, Field::Ephemeral].contains(&own.field)
            }
        }
    }

    /// Returns true if a bead matches. Days are those of `zone`.
    pub fn matches(&self, bead: &Bead, zone: &TimeZone) -> bool {
        match self {
            Self::And(a, b) => a.matches(bead, zone) && b.matches(bead, zone),
            Self::Or(a, b) => a.matches(bead, zone) || b.matches(bead, zone),
            Self::Not(inner) => !inner.matches(bead, zone),
            Self::Is(own) => own.matches(bead, zone),
        }
    }
}

impl Comparison {
    fn matches(&self, bead: &Bead, zone: &TimeZone) -> bool {
        let wanted = self.operator != ComparisonOperator::Unequal;
        match &self.value {
            ComparisonValue::Flag(flag) => {
                let flag_of_bead = match self.field {
                    Field::Pinned => bead.pinned,
                    Field::Ephemeral => bead.ephemeral,
                    _ => bead.is_template,
                };
                (flag_of_bead == *flag) == wanted
            }
            ComparisonValue::Number(number) => self.is_satisfied_by(bead.priority.cmp(number)),
            ComparisonValue::Time(at) => self
                .time(bead)
                .is_some_and(|time| self.is_time_match(time, *at, zone)),
            ComparisonValue::Nothing => self.is_empty(bead) == wanted,
            ComparisonValue::Text(text) => self.is_text_match(bead, text) == wanted,
        }
    }

    fn is_satisfied_by(&self, order: Ordering) -> bool {
        match self.operator {
            ComparisonOperator::Equal => order.is_eq(),
            ComparisonOperator::Unequal => order.is_ne(),
            ComparisonOperator::Less => order.is_lt(),
            ComparisonOperator::AtMost => order.is_le(),
            ComparisonOperator::More => order.is_gt(),
            ComparisonOperator::AtLeast => order.is_ge(),
        }
    }

    fn time<'a>(&self, bead: &'a Bead) -> Option<&'a Stamp> {
        match self.field {
            Field::Created => Some(&bead.created_at),
            Field::Updated => Some(&bead.updated_at),
            _ => bead.closed_at.as_ref(),
        }
    }

    /// Equal times are times on the same day.
    fn is_time_match(&self, stamp: &Stamp, at: Timestamp, zone: &TimeZone) -> bool {
        let bead_time = stamp.instant();
        match self.operator {
            ComparisonOperator::Equal | ComparisonOperator::Unequal => {
                let [bead_day, day] =
                    [bead_time, at].map(|time| time.to_zoned(zone.clone()).date());
                self.is_satisfied_by(bead_day.cmp(&day))
            }
            _ => self.is_satisfied_by(bead_time.cmp(&at)),
        }
    }

    fn is_empty(&self, bead: &Bead) -> bool {
        match self.field {
            Field::Label => bead.labels.is_empty(),
            Field::Parent => bead.parent().is_none(),
            Field::Priority => false,
            field if field.is_time() => self.time(bead).is_none(),
            _ => self.text(bead).is_empty(),
        }
    }

    fn text<'a>(&self, bead: &'a Bead) -> &'a str {
        match self.field {
            Field::Status => bead.status.as_str(),
            Field::Type => bead.issue_type.as_str(),
            Field::Assignee => &bead.assignee,
            Field::Owner => &bead.owner,
            Field::Title => &bead.title,
            Field::Description => &bead.description,
            Field::Notes => &bead.notes,
            Field::Id => &bead.id,
            Field::Spec => &bead.spec_id,
            Field::ExternalRef => bead.external_ref.as_deref().unwrap_or(""),
            Field::MolType => &bead.mol_type,
            _ => bead.parent().unwrap_or(""),
        }
    }

    fn is_text_match(&self, bead: &Bead, text: &str) -> bool {
        match self.field {
            Field::Title | Field::Description | Field::Notes => {
                contains_ignore_case(self.text(bead), text)
            }
            Field::Label => bead.labels.iter().any(|label| is_glob_match(text, label)),
            Field::Id | Field::Spec | Field::ExternalRef => is_glob_match(text, self.text(bead)),
            _ => self.text(bead) == text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-03-10T12:00:00Z".parse().unwrap()
    }

    fn parsed(text: &str) -> Result<QueryExpr, ExprError> {
        parse_query(text, now(), &TimeZone::UTC)
    }

    #[test]
    fn beads_without_a_parent_are_not_the_internal_ones() {
        let asks = |text: &str| parsed(text).unwrap().may_ask_for_internal();
        for text in [
            "parent=none",
            "parent=none and status=open",
            "NOT parent=none",
        ] {
            assert!(!asks(text), "{text}");
        }
        for text in [
            "parent=bd-1",
            "parent=none or type=agent",
            "NOT id=bd-1",
            "label=x",
        ] {
            assert!(asks(text), "{text}");
        }
    }

    #[test]
    fn not_binds_before_and_before_or() {
        let expr = parsed("NOT status=closed and priority<2 or label = 'a b'").unwrap();
        assert_eq!(
            expr.to_string(),
            "((NOT status=closed AND priority<2) OR label=\"a b\")"
        );
        let expr = parsed("status=open AND (type=bug OR type=task)").unwrap();
        assert_eq!(
            expr.to_string(),
            "(status=open AND (type=bug OR type=task))"
        );
    }

    #[test]
    fn deep_and_long_expressions_are_refused() {
        let deep =
            |levels: usize| format!("{}status=open{}", "(".repeat(levels), ")".repeat(levels));
        assert!(parsed(&deep(199)).is_ok());
        assert!(parsed(&format!("{} AND {}", deep(199), deep(199))).is_ok());
        for text in [
            deep(100_000),
            "(".repeat(4_000),
            format!("{}status=open", "NOT ".repeat(4_000)),
            format!("status=open{}", " AND status=open".repeat(100_000)),
        ] {
            assert_eq!(parsed(&text), Err(ExprError::TooComplex));
        }
    }

    #[test]
    fn expressions_match_beads() {
        let bead = Bead {
            id: "bd-a1".into(),
            title: "Fix Login".into(),
            priority: 1,
            labels: vec!["gt:mail".into()],
            external_ref: Some("gh-41".into()),
            created_at: Stamp::parse("2026-03-09T10:00:00Z"),
            ..Bead::default()
        };
        for (text, wanted) in [
            ("status=open", true),
            ("status!=open", false),
            ("priority<=P1", true),
            ("priority>1", false),
            ("title=login", true),
            ("label=gt:*", true),
            ("label!=gt:mail", false),
            ("labels=none", false),
            ("assignee=none", true),
            ("assignee!=none", false),
            ("created>7d", true),
            ("created<7d", false),
            ("created=2026-03-09", true),
            ("closed=none", true),
            ("closed>7d", false),
            ("id=bd-*", true),
            ("ephemeral=false AND pinned!=true", true),
            ("parent=bd-x", false),
            ("external_ref=gh-*", true),
            ("external_ref=gh-4", false),
            ("external-ref!=none", true),
        ] {
            let expr = parsed(text).unwrap();
            assert_eq!(expr.matches(&bead, &TimeZone::UTC), wanted, "{text}");
        }
    }

    #[test]
    fn a_syntax_error_is_reported_with_its_position() {
        for (text, wanted) in [
            ("", "expected a field at column 1, not the end"),
            (
                "status",
                "expected = != < <= > or >= at column 7, not the end",
            ),
            ("status=", "expected a value at column 8, not the end"),
            (
                "(status=open",
                "expected AND, OR or a closing bracket at column 13, not the end",
            ),
            (
                "status=open type=bug",
                "expected AND, OR or the end at column 13, not \"type\"",
            ),
            (
                "title='a",
                "the quotation that begins at column 7 has no end",
            ),
            ("status<open", "status can only be compared with = and !="),
            (
                "priority=high",
                "invalid value \"high\" for priority: use 0-4 or P0-P4",
            ),
            (
                "pinned=maybe",
                "invalid value \"maybe\" for pinned: use true or false",
            ),
        ] {
            assert_eq!(parsed(text).unwrap_err().to_string(), wanted, "{text}");
        }
        let unknown = parsed("colour=red").unwrap_err().to_string();
        assert!(unknown.starts_with("unknown field \"colour\"; fields: status priority"));
    }
}
