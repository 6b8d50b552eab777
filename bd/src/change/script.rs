//! Parses changes written one per line, for `bd batch`.

use super::{
    BeadEdit, ChangeError, NewBead, add_dep, close_bead, create_bead, read_assignee, remove_dep,
    update_bead,
};
use crate::bead::{DepKind, Kind, Status, validate};
use crate::store::Tx;

#[derive(Debug, Clone)]
pub struct ScriptStep {
    pub line: usize,
    pub change: ScriptChange,
}

/// A change that a line requests. Ids are unresolved.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the fields are those of the bead or the edge")]
pub enum ScriptChange {
    Create {
        kind: Kind,
        priority: i64,
        title: String,
    },
    Update {
        id: String,
        edit: Box<BeadEdit>,
    },
    Close {
        id: String,
        reason: String,
    },
    /// `dep add FROM TO KIND`
    AddDep {
        from: String,
        to: String,
        kind: DepKind,
    },
    RemoveDep {
        from: String,
        to: String,
    },
}

/// A line that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ScriptError {
    pub line: usize,
    pub reason: String,
}

/// The fields that `update` accepts in a script.
const FIELDS: &str =
    "status, priority, title, type, assignee, description, design, acceptance, notes";

/// Parses a script. Skips empty lines and lines that start with `#`.
pub fn read_script(text: &str) -> Result<Vec<ScriptStep>, ScriptError> {
    let mut steps = Vec::new();
    for (number, text) in text.lines().enumerate() {
        let line = number + 1;
        let build_error = |reason| ScriptError { line, reason };
        let words = split_words(text).map_err(build_error)?;
        if words.first().is_none_or(|word| word.starts_with('#')) {
            continue;
        }
        let change = read_change(&words).map_err(build_error)?;
        steps.push(ScriptStep { line, change });
    }
    Ok(steps)
}

/// Splits a line into words. Double quotes keep a word together, and `\` makes the next character
/// literal.
fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut is_word = false;
    let mut is_quoted = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                word.extend(chars.next());
                is_word = true;
            }
            '"' => {
                is_quoted = !is_quoted;
                is_word = true;
            }
            c if c.is_whitespace() && !is_quoted => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
            }
            c => {
                word.push(c);
                is_word = true;
            }
        }
    }
    if is_quoted {
        return Err("a double quote is not closed".into());
    }
    if is_word {
        words.push(word);
    }
    Ok(words)
}

fn read_change(words: &[String]) -> Result<ScriptChange, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["create", kind, priority, title @ ..] if !title.is_empty() => Ok(ScriptChange::Create {
            kind: Kind::from_user_text(kind),
            priority: read_priority(priority)?,
            title: title.join(" "),
        }),
        ["update", id, pairs @ ..] if !pairs.is_empty() => Ok(ScriptChange::Update {
            id: (*id).to_owned(),
            edit: Box::new(read_edit(pairs)?),
        }),
        ["close", id, reason @ ..] => Ok(ScriptChange::Close {
            id: (*id).to_owned(),
            reason: if reason.is_empty() {
                "Closed".to_owned()
            } else {
                reason.join(" ")
            },
        }),
        ["dep", "add", from, to] => Ok(build_add_dep(from, to, DepKind::Blocks)),
        ["dep", "add", from, to, kind] => Ok(build_add_dep(from, to, DepKind::from(*kind))),
        ["dep", "remove", from, to] => Ok(ScriptChange::RemoveDep {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
        }),
        ["create", ..] => Err("use: create KIND PRIORITY TITLE".into()),
        ["update", ..] => Err("use: update ID FIELD=VALUE …".into()),
        ["close", ..] => Err("use: close ID [REASON]".into()),
        ["dep", ..] => Err("use: dep add FROM TO [KIND], or dep remove FROM TO".into()),
        [other, ..] => Err(format!(
            "unknown operation \"{other}\": use create, update, close, dep add or dep remove"
        )),
        [] => Err("the line is empty".into()),
    }
}

fn build_add_dep(from: &str, to: &str, kind: DepKind) -> ScriptChange {
    ScriptChange::AddDep {
        from: from.to_owned(),
        to: to.to_owned(),
        kind,
    }
}

fn read_priority(text: &str) -> Result<i64, String> {
    validate::parse_priority(text)
        .ok_or_else(|| format!("invalid priority \"{text}\": use 0-4 or P0-P4"))
}

fn read_edit(pairs: &[&str]) -> Result<BeadEdit, String> {
    let mut edit = BeadEdit::default();
    for pair in pairs {
        let Some((field, value)) = pair.split_once('=') else {
            return Err(format!("\"{pair}\" is not FIELD=VALUE"));
        };
        match field {
            "status" => edit.status = Some(Status::from(value)),
            "priority" => edit.priority = Some(read_priority(value)?),
            "type" => edit.issue_type = Some(Kind::from_user_text(value)),
            "title" => edit.title = Some(value.to_owned()),
            "assignee" => edit.assignee = Some(read_assignee(value).to_owned()),
            "description" => edit.description = Some(value.to_owned()),
            "design" => edit.design = Some(value.to_owned()),
            "acceptance" => edit.acceptance_criteria = Some(value.to_owned()),
            "notes" => edit.notes = Some(value.to_owned()),
            _ => return Err(format!("unknown field \"{field}\": use {FIELDS}")),
        }
    }
    Ok(edit)
}

impl ScriptChange {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Update { .. } => "update",
            Self::Close { .. } => "close",
            Self::AddDep { .. } => "dep add",
            Self::RemoveDep { .. } => "dep remove",
        }
    }

    /// Applies the change and returns the id of the changed bead.
    pub fn apply(&self, tx: &mut Tx<'_>) -> Result<String, ChangeError> {
        match self {
            Self::Create {
                kind,
                priority,
                title,
            } => {
                let new = NewBead {
                    title: title.clone(),
                    priority: *priority,
                    issue_type: kind.clone(),
                    ..NewBead::default()
                };
                Ok(create_bead(tx, new)?.id)
            }
            Self::Update { id, edit } => {
                let id = tx.resolve(id)?.id.clone();
                Ok(update_bead(tx, &id, (**edit).clone())?.id)
            }
            Self::Close { id, reason } => {
                let id = tx.resolve(id)?.id.clone();
                Ok(close_bead(tx, &id, reason, "", false)?.id)
            }
            Self::AddDep { from, to, kind } => {
                let from = tx.resolve(from)?.id.clone();
                let to = resolve_target(tx, to)?;
                add_dep(tx, &from, &to, kind.clone())?;
                Ok(from)
            }
            Self::RemoveDep { from, to } => {
                let from = tx.resolve(from)?.id.clone();
                let to = resolve_target(tx, to)?;
                remove_dep(tx, &from, &to)?;
                Ok(from)
            }
        }
    }
}

fn resolve_target(tx: &Tx<'_>, given: &str) -> Result<String, ChangeError> {
    if given.starts_with("external:") {
        return Ok(given.to_owned());
    }
    Ok(tx.resolve(given)?.id.clone())
}
