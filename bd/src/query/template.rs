//! Templates for lines of a list, in the part of Go's syntax that existing clients use: text,
//! `{{.Field}}`, `{{.Issue.Title}}` and `{{if .Field}}…{{else}}…{{end}}`. Go's field names stand
//! for the keys of the record: `.IssueType` is `issue_type`.

use serde_json::Value;

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineTemplate(Vec<TemplatePiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    Field(Vec<String>),
    If(Vec<String>, Vec<TemplatePiece>, Vec<TemplatePiece>),
}

/// The reason why a template cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("{{{{ without }}}} behind it: {0}")]
    Open(String),
    /// An action that is not a field, `if`, `else` or `end`.
    #[error(
        "{{{{{0}}}}} is not known; use {{{{.Field}}}}, {{{{if .Field}}}}, {{{{else}}}} and {{{{end}}}}"
    )]
    Unknown(String),
    /// An `if` without `end`, or an `else` or `end` without `if`.
    #[error("if and end do not fit")]
    Unbalanced,
}

enum TemplateToken {
    Text(String),
    Action(String),
}

impl LineTemplate {
    /// Parses a template. A backslash followed by `n` or `t` stands for a newline or a tab.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut tokens =
            tokenize_template(&text.replace("\\n", "\n").replace("\\t", "\t"))?.into_iter();
        let (pieces, end) = parse_block(&mut tokens)?;
        if end.is_some() {
            return Err(TemplateError::Unbalanced);
        }
        Ok(Self(pieces))
    }

    /// Returns true if the path of any field begins with one of these names.
    pub fn has_field_prefix(&self, first: &[&str]) -> bool {
        fn any(pieces: &[TemplatePiece], first: &[&str]) -> bool {
            pieces.iter().any(|piece| {
                let (path, inner) = match piece {
                    TemplatePiece::Text(_) => return false,
                    TemplatePiece::Field(path) => (path, false),
                    TemplatePiece::If(path, yes, no) => (path, any(yes, first) || any(no, first)),
                };
                let name = path.first();
                inner || name.is_some_and(|name| first.contains(&name.as_str()))
            })
        }
        any(&self.0, first)
    }

    /// Fills in the fields of one value.
    pub fn fill(&self, value: &Value) -> String {
        let mut out = String::new();
        fill_pieces(&self.0, value, &mut out);
        out
    }
}

fn tokenize_template(text: &str) -> Result<Vec<TemplateToken>, TemplateError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (action, after) = behind
            .split_once("}}")
            .ok_or_else(|| TemplateError::Open(behind.to_owned()))?;
        let (action, before) = match action.strip_prefix("- ") {
            Some(action) => (action, before.trim_end()),
            None => (action, before),
        };
        let (action, after) = match action.strip_suffix(" -") {
            Some(action) => (action, after.trim_start()),
            None => (action, after),
        };
        tokens.push(TemplateToken::Text(before.to_owned()));
        tokens.push(TemplateToken::Action(action.trim().to_owned()));
        rest = after;
    }
    tokens.push(TemplateToken::Text(rest.to_owned()));
    Ok(tokens)
}

/// Parses the pieces up to an `else` or `end`, and returns that word.
fn parse_block(
    tokens: &mut impl Iterator<Item = TemplateToken>,
) -> Result<(Vec<TemplatePiece>, Option<String>), TemplateError> {
    let mut pieces = Vec::new();
    while let Some(token) = tokens.next() {
        let action = match token {
            TemplateToken::Text(text) if text.is_empty() => continue,
            TemplateToken::Text(text) => {
                pieces.push(TemplatePiece::Text(text));
                continue;
            }
            TemplateToken::Action(action) => action,
        };
        if let Some(condition) = action.strip_prefix("if ") {
            let path = parse_path(condition)?;
            let (yes, mut end) = parse_block(tokens)?;
            let mut no = Vec::new();
            if end.as_deref() == Some("else") {
                (no, end) = parse_block(tokens)?;
            }
            if end.as_deref() != Some("end") {
                return Err(TemplateError::Unbalanced);
            }
            pieces.push(TemplatePiece::If(path, yes, no));
        } else if action == "else" || action == "end" {
            return Ok((pieces, Some(action)));
        } else {
            pieces.push(TemplatePiece::Field(parse_path(&action)?));
        }
    }
    Ok((pieces, None))
}

fn parse_path(text: &str) -> Result<Vec<String>, TemplateError> {
    text.trim()
        .strip_prefix('.')
        .filter(|names| names.split('.').all(is_field_name))
        .map(|names| names.split('.').map(to_snake_case).collect())
        .ok_or_else(|| TemplateError::Unknown(text.to_owned()))
}

fn is_field_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Converts `DependsOnID` to `depends_on_id`.
fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut was_upper = true;
    for c in name.chars() {
        if c.is_ascii_uppercase() && !was_upper {
            out.push('_');
        }
        was_upper = c.is_ascii_uppercase();
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn fill_pieces(pieces: &[TemplatePiece], value: &Value, out: &mut String) {
    let find_value = |path: &[String]| path.iter().try_fold(value, |value, name| value.get(name));
    for piece in pieces {
        match piece {
            TemplatePiece::Text(text) => out.push_str(text),
            TemplatePiece::Field(path) => match find_value(path) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => out.push_str(text),
                Some(other) => out.push_str(&other.to_string()),
            },
            TemplatePiece::If(path, yes, no) => {
                let is_set = find_value(path).is_some_and(|value| {
                    !matches!(value, Value::Null | Value::Bool(false))
                        && value.as_str() != Some("")
                        && value.as_f64() != Some(0.0)
                        && value.as_array().is_none_or(|list| !list.is_empty())
                });
                fill_pieces(if is_set { yes } else { no }, value, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_substituted_by_their_go_names() {
        let value = json!({"issue_id": "a", "depends_on_id": "b", "issue": {"title": "T", "priority": 0, "labels": []}});
        for (template, wanted) in [
            ("{{.IssueID}} -> {{ .DependsOnID }}", "a -> b"),
            ("{{.Issue.Title}}\\t{{.Issue.Priority}}{{.Nope}}", "T\t0"),
            ("{{if .Issue.Labels}}yes{{else}}no{{end}}", "no"),
            ("{{if .Issue.Title}}[{{.Issue.Title}}]{{end}}", "[T]"),
            ("x {{- .IssueID -}} y", "xay"),
        ] {
            let filled = LineTemplate::parse(template).unwrap().fill(&value);
            assert_eq!(filled, wanted, "{template}");
        }
    }

    #[test]
    fn an_invalid_template_part_is_named() {
        for bad in [
            "{{.Title",
            "{{end}}",
            "{{if .A}}x",
            "{{range .A}}",
            "{{.A | js}}",
            "{{else}}",
        ] {
            assert!(LineTemplate::parse(bad).is_err(), "{bad}");
        }
    }
}
