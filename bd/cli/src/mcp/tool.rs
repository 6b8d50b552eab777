//! The tools that a client may call, and the command line of each call.
//!
//! Names and arguments are those of the usual MCP server for beads. The tools are a table,
//! `mcp.txt`. Values from a client are single arguments after their flag or after `--`, so no value
//! can act as a flag.

use serde_json::{Map, Value, json};

use kit::table;

const MCP_TOOLS: &str = include_str!("../../../templates/mcp.txt");

#[derive(Debug)]
pub(super) struct McpTool {
    pub(super) name: &'static str,
    /// The description for the model.
    pub(super) about: &'static str,
    /// The command and its fixed flags.
    command: &'static str,
    pub(super) is_reading: bool,
    /// True if the output has only a few fields of each bead.
    pub(super) is_brief: bool,
    params: Vec<ToolParam>,
}

#[derive(Debug, Clone, Copy)]
struct ToolParam {
    name: &'static str,
    about: &'static str,
    kind: ParamKind,
    /// The flag for the value; `None` for a positional argument.
    flag: Option<&'static str>,
    is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParamKind {
    Text,
    Number,
    Switch,
    Texts,
}

/// Reads all tools, in the order in which a client lists them.
pub(super) fn read_tools() -> Vec<McpTool> {
    let mut tools: Vec<McpTool> = Vec::new();
    let mut shared: Vec<ToolParam> = Vec::new();
    for [row, name, target, traits, about] in table::read_rows(MCP_TOOLS) {
        let words: Vec<&str> = traits.split(' ').collect();
        let param = ToolParam {
            name,
            about,
            kind: ParamKind::parse(traits),
            flag: (!target.is_empty()).then_some(target),
            is_required: words.contains(&"required"),
        };
        match (row, tools.last_mut()) {
            ("shared", _) => shared.push(param),
            ("arg", Some(tool)) => {
                let known = shared
                    .iter()
                    .find(|known| traits.is_empty() && known.name == name);
                tool.params.push(known.copied().unwrap_or(param));
            }
            _ => tools.push(McpTool {
                name,
                about,
                command: target,
                is_reading: words.contains(&"reading"),
                is_brief: words.contains(&"brief"),
                params: Vec::new(),
            }),
        }
    }
    tools
}

/// The tool that is not a command. It sets the folder of later calls.
pub(super) const CONTEXT: &str = "context";
/// The argument that every tool has.
pub(super) const WORKSPACE: &str = "workspace_root";

/// Returns the schema of the arguments of [`CONTEXT`].
pub(super) fn context_schema() -> Map<String, Value> {
    schema_of(std::iter::empty())
}

fn schema_of<'a>(params: impl Iterator<Item = &'a ToolParam> + Clone) -> Map<String, Value> {
    let mut properties: Map<String, Value> = params
        .clone()
        .map(|param| (param.name.to_owned(), param.schema()))
        .collect();
    let about = "Folder of the project";
    properties.insert(
        WORKSPACE.to_owned(),
        json!({"type": "string", "description": about}),
    );
    let required: Vec<&str> = params
        .filter(|param| param.is_required)
        .map(|param| param.name)
        .collect();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

impl ToolParam {
    fn schema(&self) -> Value {
        let kind = match self.kind {
            ParamKind::Text => json!("string"),
            ParamKind::Number => json!("integer"),
            ParamKind::Switch => json!("boolean"),
            ParamKind::Texts => {
                return json!({"type": "array", "items": {"type": "string"}, "description": self.about});
            }
        };
        if self.about.is_empty() {
            return json!({"type": kind});
        }
        json!({"type": kind, "description": self.about})
    }

    /// Converts a client's value to texts. A number becomes its text, and a single text becomes a
    /// list of one.
    fn texts(&self, value: &Value) -> Result<Vec<String>, String> {
        match (self.kind, value) {
            (_, Value::Null) => Ok(Vec::new()),
            (ParamKind::Switch, Value::Bool(on)) => {
                Ok(if *on { vec![String::new()] } else { Vec::new() })
            }
            (ParamKind::Texts, Value::Array(items)) => {
                items.iter().map(|item| self.text(item)).collect()
            }
            (_, value) => Ok(vec![self.text(value)?]),
        }
    }

    fn text(&self, value: &Value) -> Result<String, String> {
        match (self.kind, value) {
            (ParamKind::Number, Value::Number(number)) => Ok(number.to_string()),
            (ParamKind::Number, Value::String(text)) if text.parse::<u32>().is_ok() => {
                Ok(text.clone())
            }
            (ParamKind::Text | ParamKind::Texts, Value::String(text)) => Ok(text.clone()),
            _ => Err(format!("{} takes {}", self.name, self.kind.describe())),
        }
    }
}

impl ParamKind {
    fn parse(traits: &str) -> Self {
        match traits.split(' ').next() {
            Some("number") => Self::Number,
            Some("switch") => Self::Switch,
            Some("texts") => Self::Texts,
            _ => Self::Text,
        }
    }

    fn describe(self) -> &'static str {
        match self {
            ParamKind::Text => "a text",
            ParamKind::Number => "a number",
            ParamKind::Switch => "true or false",
            ParamKind::Texts => "a list of texts",
        }
    }
}

impl McpTool {
    pub(super) fn find(name: &str) -> Option<Self> {
        read_tools().into_iter().find(|tool| tool.name == name)
    }

    pub(super) fn schema(&self) -> Map<String, Value> {
        schema_of(self.params.iter())
    }

    /// Builds the command line of a call, without the program.
    pub(super) fn command_line(&self, given: &Map<String, Value>) -> Result<Vec<String>, String> {
        if let Some(name) = given
            .keys()
            .find(|name| *name != WORKSPACE && self.params.iter().all(|param| param.name != *name))
        {
            let all: Vec<&str> = self.params.iter().map(|param| param.name).collect();
            return Err(format!(
                "{} has no argument {name:?}; it takes {}",
                self.name,
                all.join(", ")
            ));
        }
        let mut line: Vec<String> = self.command.split(' ').map(str::to_owned).collect();
        let mut places = Vec::new();
        for param in &self.params {
            let texts = match given.get(param.name) {
                Some(value) => param.texts(value)?,
                None => Vec::new(),
            };
            if param.is_required && texts.is_empty() {
                return Err(format!("{} needs {}", self.name, param.name));
            }
            match (param.flag, param.kind) {
                (None, _) => places.extend(texts),
                (Some(flag), ParamKind::Switch) => {
                    line.extend(texts.iter().map(|_| flag.to_owned()));
                }
                (Some(flag), _) => line.extend(texts.iter().map(|text| format!("{flag}={text}"))),
            }
        }
        line.push("--json".to_owned());
        if !places.is_empty() {
            line.push("--".to_owned());
            line.extend(places);
        }
        Ok(line)
    }
}

/// The fields of a bead in brief output.
const BRIEF_FIELDS: [&str; 9] = [
    "id",
    "title",
    "status",
    "priority",
    "issue_type",
    "assignee",
    "labels",
    "blocked_by",
    "version",
];

/// Reduces beads to a few fields, for lists that a model reads.
pub(super) fn keep_brief_fields(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(keep_brief_fields).collect(),
        Value::Object(bead) if bead.contains_key("id") && bead.contains_key("title") => {
            Value::Object(
                bead.into_iter()
                    .filter(|(key, _)| BRIEF_FIELDS.contains(&key.as_str()))
                    .collect(),
            )
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, given: Value) -> Result<Vec<String>, String> {
        let Value::Object(given) = given else {
            return Err("no object".into());
        };
        McpTool::find(name).unwrap().command_line(&given)
    }

    #[test]
    fn no_value_of_a_call_is_read_as_a_flag() {
        let words = line(
            "update",
            json!({"issue_id": "--force", "title": "--x", "priority": 1, "add_labels": ["a", "b"]}),
        );
        let wanted = [
            "update",
            "--priority=1",
            "--title=--x",
            "--add-label=a",
            "--add-label=b",
            "--json",
            "--",
            "--force",
        ];
        assert_eq!(words.unwrap(), wanted);
        assert_eq!(
            line("ready", json!({"unassigned": true, "limit": "3"})).unwrap(),
            ["ready", "--limit=3", "--unassigned", "--json"]
        );
    }

    #[test]
    fn a_call_with_wrong_arguments_lists_the_valid_ones() {
        assert_eq!(line("show", json!({})).unwrap_err(), "show needs issue_id");
        assert_eq!(
            line("show", json!({"issue_id": 7})).unwrap_err(),
            "issue_id takes a text"
        );
        assert_eq!(
            line("close", json!({"issue_id": "a", "why": "b"})).unwrap_err(),
            "close has no argument \"why\"; it takes issue_id, reason"
        );
    }
}
