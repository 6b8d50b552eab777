//! Templates for lines of a list, in the part of Go's syntax that clients of the era use: text, `{{.Field}}`,
//! `{{.Issue.Title}}` and `{{if .Field}}…{{else}}…{{end}}`. Go's field names mean the keys of the record: `.IssueType` is
//! `issue_type`.

use serde_json::Value;

/// A template that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(Vec<String>),
    If(Vec<String>, Vec<Piece>, Vec<Piece>),
}

/// Why a template cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// `{{` without `}}`.
    #[error("{{{{ without }}}} behind it: {0}")]
    Open(String),
    /// Something that is no field, `if`, `else` or `end`.
    #[error(
        "{{{{{0}}}}} is not known; use {{{{.Field}}}}, {{{{if .Field}}}}, {{{{else}}}} and {{{{end}}}}"
    )]
    Unknown(String),
    /// An `if` without `end`, or an `else` or `end` without `if`.
    #[error("if and end do not fit")]
    Unbalanced,
}

enum Token {
    Text(String),
    Action(String),
}

impl Template {
    /// Reads a template. `\n` and `\t` in it are a line's end and a tab.
    pub fn read(text: &str) -> Result<Self, TemplateError> {
        let tokens = tokens(&text.replace("\\n", "\n").replace("\\t", "\t"))?;
        let mut tokens = tokens.into_iter();
        let (pieces, end) = block(&mut tokens)?;
        if end.is_some() {
            return Err(TemplateError::Unbalanced);
        }
        Ok(Self(pieces))
    }

    /// Whether one of these is the first name of a field in it.
    pub fn names(&self, first: &[&str]) -> bool {
        fn any(pieces: &[Piece], first: &[&str]) -> bool {
            let begins = |path: &[String]| {
                path.first()
                    .is_some_and(|name| first.contains(&name.as_str()))
            };
            pieces.iter().any(|piece| match piece {
                Piece::Text(_) => false,
                Piece::Field(path) => begins(path),
                Piece::If(path, yes, no) => begins(path) || any(yes, first) || any(no, first),
            })
        }
        any(&self.0, first)
    }

    /// The text for one value.
    pub fn fill(&self, value: &Value) -> String {
        let mut out = String::new();
        fill(&self.0, value, &mut out);
        out
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, TemplateError> {
    let (mut tokens, mut rest) = (Vec::new(), text);
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
        tokens.push(Token::Text(before.to_owned()));
        tokens.push(Token::Action(action.trim().to_owned()));
        rest = after;
    }
    tokens.push(Token::Text(rest.to_owned()));
    Ok(tokens)
}

/// The pieces up to an `else` or `end`, and which of them it was.
fn block(
    tokens: &mut impl Iterator<Item = Token>,
) -> Result<(Vec<Piece>, Option<String>), TemplateError> {
    let mut pieces = Vec::new();
    while let Some(token) = tokens.next() {
        let action = match token {
            Token::Text(text) if text.is_empty() => continue,
            Token::Text(text) => {
                pieces.push(Piece::Text(text));
                continue;
            }
            Token::Action(action) => action,
        };
        if let Some(condition) = action.strip_prefix("if ") {
            let path = path(condition)?;
            let (yes, mut end) = block(tokens)?;
            let mut no = Vec::new();
            if end.as_deref() == Some("else") {
                (no, end) = block(tokens)?;
            }
            if end.as_deref() != Some("end") {
                return Err(TemplateError::Unbalanced);
            }
            pieces.push(Piece::If(path, yes, no));
        } else if action == "else" || action == "end" {
            return Ok((pieces, Some(action)));
        } else {
            pieces.push(Piece::Field(path(&action)?));
        }
    }
    Ok((pieces, None))
}

fn path(text: &str) -> Result<Vec<String>, TemplateError> {
    let unknown = || TemplateError::Unknown(text.to_owned());
    let names = text.trim().strip_prefix('.').ok_or_else(unknown)?;
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let names: Vec<&str> = names.split('.').collect();
    if !names.iter().all(|name| is_name(name)) {
        return Err(unknown());
    }
    Ok(names.into_iter().map(snake).collect())
}

/// `DependsOnID` as `depends_on_id`.
fn snake(name: &str) -> String {
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

fn fill(pieces: &[Piece], value: &Value, out: &mut String) {
    let at = |path: &[String]| path.iter().try_fold(value, |value, name| value.get(name));
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Field(path) => match at(path) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => out.push_str(text),
                Some(other) => out.push_str(&other.to_string()),
            },
            Piece::If(path, yes, no) => {
                let is_set = at(path).is_some_and(|value| {
                    !matches!(value, Value::Null | Value::Bool(false))
                        && value.as_str() != Some("")
                        && value.as_f64() != Some(0.0)
                        && value.as_array().is_none_or(|list| !list.is_empty())
                });
                fill(if is_set { yes } else { no }, value, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_filled_in_by_the_names_of_go() {
        let value = json!({"issue_id": "a", "depends_on_id": "b", "issue": {"title": "T", "priority": 0, "labels": []}});
        for (template, wanted) in [
            ("{{.IssueID}} -> {{ .DependsOnID }}", "a -> b"),
            ("{{.Issue.Title}}\\t{{.Issue.Priority}}{{.Nope}}", "T\t0"),
            ("{{if .Issue.Labels}}yes{{else}}no{{end}}", "no"),
            ("{{if .Issue.Title}}[{{.Issue.Title}}]{{end}}", "[T]"),
            ("x {{- .IssueID -}} y", "xay"),
        ] {
            let filled = Template::read(template).unwrap().fill(&value);
            assert_eq!(filled, wanted, "{template}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for bad in [
            "{{.Title",
            "{{end}}",
            "{{if .A}}x",
            "{{range .A}}",
            "{{.A | js}}",
            "{{else}}",
        ] {
            assert!(Template::read(bad).is_err(), "{bad}");
        }
    }
}
