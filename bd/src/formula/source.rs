//! Parses a formula's file, TOML or JSON with the same keys, and finds the line of each part.
//!
//! A key that is similar to a known key is treated as a typing error and refused. Any other unknown
//! key is ignored and reported by `bd formula validate`, so that files of other versions can be
//! read.

use std::path::Path;

use serde_json::{Map, Value};

use super::problem::{FormulaError, FormulaProblem};
use super::schema::{Formula, FormulaKind};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormulaFormat {
    Toml,
    Json,
}

impl FormulaFormat {
    /// Returns the format by the extension of a file name.
    pub fn from_file_name(name: &str) -> Self {
        match Path::new(name).extension() {
            Some(end) if end.eq_ignore_ascii_case("json") => Self::Json,
            _ => Self::Toml,
        }
    }
}

/// The text of a formula and the name under which problems are reported.
#[derive(Debug, Clone)]
pub struct FormulaSource {
    pub file: String,
    text: String,
}

/// A formula as its file has it, not checked yet.
#[derive(Debug, Clone)]
pub struct LoadedFormula {
    pub formula: Formula,
    pub source: FormulaSource,
    /// Problems that do not prevent the use of the formula.
    pub warnings: Vec<FormulaProblem>,
}

const ROOT_KEYS: &[&str] = &[
    "formula",
    "description",
    "version",
    "type",
    "extends",
    "vars",
    "steps",
    "template",
    "compose",
    "advice",
    "pointcuts",
    "phase",
    "inputs",
    "legs",
    "synthesis",
    "prompts",
    "output",
    "presets",
    "squash",
    "pour",
    "agent",
    "review_only",
    "cycle",
    "on_done",
    "source",
];
const STEP_KEYS: &[&str] = &[
    "id",
    "title",
    "description",
    "notes",
    "acceptance",
    "type",
    "priority",
    "labels",
    "metadata",
    "depends_on",
    "needs",
    "waits_for",
    "assignee",
    "expand",
    "expand_vars",
    "condition",
    "children",
    "gate",
    "loop",
    "on_complete",
    "cycle",
    "focus",
    "agent",
    "review_only",
];
const VAR_KEYS: &[&str] = &[
    "description",
    "default",
    "required",
    "enum",
    "pattern",
    "type",
    "required_unless",
];
const LOOP_KEYS: &[&str] = &["count", "until", "max", "range", "var", "body"];
const GATE_KEYS: &[&str] = &["type", "id", "await_id", "timeout", "condition", "before"];
const COMPOSE_KEYS: &[&str] = &[
    "bond_points",
    "hooks",
    "expand",
    "map",
    "branch",
    "gate",
    "aspects",
];

/// Parses a formula.
pub fn parse_formula(
    file: &str,
    text: &str,
    format: FormulaFormat,
) -> Result<LoadedFormula, FormulaError> {
    let source = FormulaSource {
        file: file.to_owned(),
        text: text.to_owned(),
    };
    let mut value = source.parse(format)?;
    expand_short_forms(&mut value);
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let read: Result<Formula, _> = {
        let tracked = serde_path_to_error::Deserializer::new(&value, &mut track);
        serde_ignored::deserialize(tracked, |path| unknown.push(path.to_string()))
    };
    let mut formula = read.map_err(|error| source.wrong_value(&value, &track.path(), &error))?;
    let (refused, warnings) = source.unknown_keys(&value, &unknown);
    if !refused.is_empty() {
        return Err(FormulaError::Invalid(refused));
    }
    file.clone_into(&mut formula.source);
    Ok(LoadedFormula {
        formula,
        source,
        warnings,
    })
}

/// Expands short forms to their long ones: a plain text to a variable with that default, and a
/// missing kind to the kind that the content implies.
fn expand_short_forms(value: &mut Value) {
    let Value::Object(root) = value else { return };
    if !root.contains_key("type") {
        let kind = [
            ("steps", FormulaKind::Workflow),
            ("extends", FormulaKind::Workflow),
            ("legs", FormulaKind::Convoy),
            ("template", FormulaKind::Expansion),
            ("advice", FormulaKind::Aspect),
            ("pointcuts", FormulaKind::Aspect),
        ]
        .into_iter()
        .find(|(key, _)| root.contains_key(*key))
        .map_or(FormulaKind::Workflow, |(_, kind)| kind);
        root.insert("type".into(), kind.as_str().into());
    }
    if root.get("version").is_none_or(Value::is_null) {
        root.insert("version".into(), 1.into());
    }
    for key in ["vars", "inputs"] {
        if let Some(Value::Object(vars)) = root.get_mut(key) {
            vars.values_mut().for_each(expand_var);
        }
    }
}

fn expand_var(var: &mut Value) {
    if let Some(text) = scalar_to_text(var) {
        *var = Value::Object(Map::from_iter([("default".to_owned(), text)]));
    } else if let Value::Object(fields) = var
        && let Some(default) = fields.get_mut("default")
        && let Some(text) = scalar_to_text(default)
    {
        *default = text;
    }
}

/// Converts a text, number or truth value to text.
fn scalar_to_text(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Number(_) | Value::Bool(_) => Some(Value::String(value.to_string())),
        _ => None,
    }
}

/// The location of a key in a formula's file.
struct KeyLocation {
    step: Option<String>,
    line: Option<usize>,
    key: String,
}

impl FormulaSource {
    fn parse(&self, format: FormulaFormat) -> Result<Value, FormulaError> {
        let (line, text) = match format {
            FormulaFormat::Json => match serde_json::from_str(&self.text) {
                Ok(value) => return Ok(value),
                Err(error) => (Some(error.line()), format!("not valid JSON: {error}")),
            },
            FormulaFormat::Toml => match toml::from_str(&self.text) {
                Ok(value) => return Ok(value),
                Err(error) => {
                    let line = error.span().map(|span| self.line_at(span.start));
                    let message = error.message().lines().collect::<Vec<_>>().join("; ");
                    (line, format!("not valid TOML: {message}"))
                }
            },
        };
        Err(FormulaError::Invalid(vec![FormulaProblem {
            file: self.file.clone(),
            line,
            step: None,
            text,
        }]))
    }

    fn line_at(&self, offset: usize) -> usize {
        self.text
            .as_bytes()
            .iter()
            .take(offset)
            .filter(|byte| **byte == b'\n')
            .count()
            + 1
    }

    /// Reports a value of a wrong type with its place.
    fn wrong_value(
        &self,
        value: &Value,
        path: &serde_path_to_error::Path,
        error: &serde_json::Error,
    ) -> FormulaError {
        let path = path.to_string().replace('[', ".").replace(']', "");
        let found = self.locate_path(value, &path);
        FormulaError::Invalid(vec![FormulaProblem {
            file: self.file.clone(),
            line: found.line,
            step: found.step,
            text: format!("{}: {error}", found.key),
        }])
    }

    /// Returns the unknown keys: those that are similar to a known key, and the others.
    fn unknown_keys(
        &self,
        value: &Value,
        paths: &[String],
    ) -> (Vec<FormulaProblem>, Vec<FormulaProblem>) {
        let mut refused = Vec::new();
        let mut warnings = Vec::new();
        for path in paths {
            // An optional value appears as `?` in the path.
            let path = path.replace(".?", "");
            let key = path.rsplit('.').next().unwrap_or("");
            let known = known_keys(&path);
            let near = known.iter().find(|candidate| {
                key.len() > 3 && strsim::damerau_levenshtein(candidate, key) <= 2
            });
            let found = self.locate_path(value, &path);
            let (list, text) = match near {
                Some(candidate) => (
                    &mut refused,
                    format!("unknown key \"{key}\": did you mean \"{candidate}\"?"),
                ),
                None => (&mut warnings, format!("unknown key \"{key}\" is ignored")),
            };
            list.push(FormulaProblem {
                file: self.file.clone(),
                line: found.line,
                step: found.step,
                text,
            });
        }
        (refused, warnings)
    }

    /// Locates a dotted path into the file's value.
    fn locate_path(&self, value: &Value, path: &str) -> KeyLocation {
        let mut here = Some(value);
        let mut step = None;
        let mut key = "";
        for part in path.split('.') {
            if part.parse::<usize>().is_err() {
                key = part;
            }
            here = here.and_then(|here| match here {
                Value::Array(list) => list.get(part.parse::<usize>().ok()?),
                other => other.get(part),
            });
            let id = here.and_then(|here| here.get("id")?.as_str());
            if let Some(id) = id
                && here
                    .is_some_and(|here| here.get("title").is_some() || here.get("body").is_some())
            {
                step = Some(id.to_owned());
            }
        }
        let from = step.as_deref().and_then(|id| self.step_line(id, 0));
        let line = self.key_line(from, key).or(from);
        KeyLocation {
            step,
            line,
            key: key.to_owned(),
        }
    }

    /// Returns the line on which the step with this id begins. If several steps have the id,
    /// `number` selects one.
    pub fn step_line(&self, id: &str, number: usize) -> Option<usize> {
        self.text
            .lines()
            .enumerate()
            .filter(|(_, line)| find_quoted_id(line) == Some(id))
            .map(|(at, _)| at + 1)
            .nth(number)
    }

    /// Returns the first line on which this key has this text.
    pub fn value_line(&self, key: &str, text: &str) -> Option<usize> {
        let quoted = [format!("\"{text}\""), format!("'{text}'")];
        let at = self.text.lines().position(|line| {
            let value = find_value(line, key).map(str::trim_start);
            value.is_some_and(|value| quoted.iter().any(|quoted| value.starts_with(quoted)))
        });
        at.map(|at| at + 1)
    }

    /// Returns the first line, from `from` on, that has this key.
    pub fn key_line(&self, from: Option<usize>, key: &str) -> Option<usize> {
        let from = from.unwrap_or(1);
        self.text
            .lines()
            .enumerate()
            .skip(from - 1)
            .find(|(_, line)| find_value(line, key).is_some() || is_header(line, key))
            .map(|(at, _)| at + 1)
    }

    /// Builds a problem with a key of a step.
    pub fn step_problem(&self, id: &str, key: &str, text: String) -> FormulaProblem {
        let from = self.step_line(id, 0);
        let line = if key.is_empty() {
            from
        } else {
            self.key_line(from, key).or(from)
        };
        FormulaProblem {
            file: self.file.clone(),
            line,
            step: Some(id.to_owned()),
            text,
        }
    }

    /// Builds a problem with a key of the whole formula.
    pub fn problem(&self, key: &str, text: String) -> FormulaProblem {
        FormulaProblem {
            file: self.file.clone(),
            line: self.key_line(None, key),
            step: None,
            text,
        }
    }
}

/// Returns the quoted id on a line.
fn find_quoted_id(line: &str) -> Option<&str> {
    let value = find_value(line, "id")?.trim_start();
    ['"', '\''].iter().find_map(|quote| {
        let rest = value.strip_prefix(*quote)?;
        rest.split(*quote).next()
    })
}

/// Returns the text after `key =` in a line of TOML or after `"key":` in a line of JSON, even if
/// several keys share the line.
fn find_value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.match_indices(key).find_map(|(at, _)| {
        let before = line[..at].trim_end_matches(['"', '\'']);
        let begins = before.is_empty() || before.ends_with([' ', '\t', '{', ',']);
        let behind = line[at + key.len()..]
            .trim_start_matches(['"', '\''])
            .trim_start();
        let value = behind
            .strip_prefix('=')
            .or_else(|| behind.strip_prefix(':'))?;
        begins.then_some(value)
    })
}

/// Returns true if a line of TOML is the header of a table with this name.
fn is_header(line: &str, key: &str) -> bool {
    let inner = line.trim().trim_start_matches('[').split(']').next();
    line.trim_start().starts_with('[')
        && inner.is_some_and(|inner| {
            inner
                .rsplit('.')
                .next()
                .is_some_and(|last| last.trim() == key)
        })
}

/// Returns the known keys at a path.
fn known_keys(path: &str) -> &'static [&'static str] {
    let parts: Vec<&str> = path
        .split('.')
        .filter(|part| part.parse::<usize>().is_err())
        .collect();
    match parts.as_slice() {
        [_] => ROOT_KEYS,
        ["vars" | "inputs", ..] => VAR_KEYS,
        ["compose", _] => COMPOSE_KEYS,
        [.., "loop", _] => LOOP_KEYS,
        [.., "gate", _] => GATE_KEYS,
        [.., "steps" | "template" | "children" | "body" | "legs", _] => STEP_KEYS,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_value_is_reported_with_its_line() {
        let text = "formula = \"x\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n[[steps]]\nid = \"b\"\ntitle = \"B\"\npriority = \"high\"\n";
        let error = parse_formula("f.toml", text, FormulaFormat::Toml)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("f.toml:8: step \"b\": priority: "),
            "{error}"
        );
    }

    #[test]
    fn a_misspelled_key_is_refused_but_other_unknown_keys_are_not() {
        let text = "{\"formula\": \"x\",\n \"steps\": [\n {\"id\": \"a\", \"title\": \"A\",\n  \"neds\": [\"b\"]}]}";
        let error = parse_formula("f.json", text, FormulaFormat::Json)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("f.json:4: step \"a\": unknown key \"neds\": did you mean \"needs\"?"),
            "{error}"
        );
        let loaded = parse_formula(
            "f.toml",
            "formula = \"x\"\nowner = \"me\"\n",
            FormulaFormat::Toml,
        )
        .unwrap();
        assert_eq!(
            loaded.warnings[0].to_string(),
            "f.toml:2: unknown key \"owner\" is ignored"
        );
    }

    #[test]
    fn short_forms_of_variables_are_parsed() {
        let text = "formula = \"x\"\n[vars]\nname = \"Ann\"\ncount = { default = 3 }\n";
        let formula = parse_formula("f.toml", text, FormulaFormat::Toml)
            .unwrap()
            .formula;
        assert_eq!(formula.vars["name"].default.as_deref(), Some("Ann"));
        assert_eq!(formula.vars["count"].default.as_deref(), Some("3"));
    }
}
