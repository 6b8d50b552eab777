//! The tools that a client may call, and the command line of each call.
//!
//! Names and arguments are those of the usual MCP server for beads. A tool is one entry of
//! [`TOOLS`]. Values from a client are single arguments after their flag or after `--`, so no value
//! can act as a flag.

use serde_json::{Map, Value, json};

#[derive(Debug)]
pub(super) struct McpTool {
    pub(super) name: &'static str,
    /// The description for the model.
    pub(super) about: &'static str,
    /// The command and its fixed flags.
    command: &'static [&'static str],
    pub(super) is_reading: bool,
    /// True if the output has only a few fields of each bead.
    pub(super) is_brief: bool,
    params: &'static [ToolParam],
}

#[derive(Debug)]
struct ToolParam {
    name: &'static str,
    about: &'static str,
    kind: ParamKind,
    /// The flag for the value; empty for a positional argument.
    flag: &'static str,
    is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParamKind {
    Text,
    Number,
    Switch,
    Texts,
}

const fn flag_param(
    name: &'static str,
    flag: &'static str,
    kind: ParamKind,
    about: &'static str,
) -> ToolParam {
    ToolParam {
        name,
        about,
        kind,
        flag,
        is_required: false,
    }
}

const fn text_param(name: &'static str, long: &'static str, about: &'static str) -> ToolParam {
    flag_param(name, long, ParamKind::Text, about)
}

/// A required positional argument.
const fn positional_param(name: &'static str, about: &'static str) -> ToolParam {
    ToolParam {
        is_required: true,
        ..flag_param(name, "", ParamKind::Text, about)
    }
}

const LIMIT: ToolParam = flag_param("limit", "--limit", ParamKind::Number, "0 for all");
const PRIORITY: ToolParam = flag_param(
    "priority",
    "--priority",
    ParamKind::Number,
    "0 (most urgent) to 4",
);
const ASSIGNEE: ToolParam = text_param("assignee", "--assignee", "");
const LABELS: ToolParam = flag_param(
    "labels",
    "--label",
    ParamKind::Texts,
    "Beads with all given labels",
);
const LABELS_ANY: ToolParam = flag_param(
    "labels_any",
    "--label-any",
    ParamKind::Texts,
    "Beads with one of the given labels",
);
const KIND: ToolParam = text_param(
    "issue_type",
    "--type",
    "bug, feature, task, epic, chore, or a type of the project",
);
const STATUS: ToolParam = text_param(
    "status",
    "--status",
    "open, in_progress, blocked, deferred, closed, or a status of the project",
);
const ID: ToolParam = positional_param("issue_id", "Id of the bead, or an unambiguous part of it");
const DESCRIPTION: ToolParam = text_param("description", "--description", "The long text");
const DESIGN: ToolParam = text_param("design", "--design", "How it is to be done");
const EXTERNAL: ToolParam = text_param(
    "external_ref",
    "--external-ref",
    "The id in another tracker",
);

/// All tools, in the order in which a client lists them.
pub(super) const TOOLS: &[McpTool] = &[
    McpTool {
        name: "ready",
        about: "List beads that can be started now: open, not blocked, not deferred. Start here.",
        command: &["ready"],
        is_reading: true,
        is_brief: true,
        params: &[
            LIMIT,
            PRIORITY,
            ASSIGNEE,
            flag_param(
                "unassigned",
                "--unassigned",
                ParamKind::Switch,
                "Only unassigned beads",
            ),
            LABELS,
            LABELS_ANY,
            KIND,
            text_param("parent_id", "--parent", "Filter by ancestor"),
            text_param("sort_policy", "--sort", "hybrid, priority or oldest"),
        ],
    },
    McpTool {
        name: "list",
        about: "List beads by their fields; closed ones only with a status.",
        command: &["list"],
        is_reading: true,
        is_brief: true,
        params: &[
            STATUS,
            PRIORITY,
            KIND,
            ASSIGNEE,
            flag_param(
                "unassigned",
                "--no-assignee",
                ParamKind::Switch,
                "Only unassigned beads",
            ),
            LABELS,
            LABELS_ANY,
            text_param("parent_id", "--parent", "Filter by parent"),
            text_param("query", "--title", "Text in the title"),
            LIMIT,
        ],
    },
    McpTool {
        name: "search",
        about: "Find beads by text in title, description and id, closed ones included.",
        command: &["search"],
        is_reading: true,
        is_brief: true,
        params: &[
            positional_param("query", "The text"),
            STATUS,
            KIND,
            ASSIGNEE,
            LIMIT,
        ],
    },
    McpTool {
        name: "show",
        about: "Show a bead with all its fields, dependencies, dependents and comments.",
        command: &["show"],
        is_reading: true,
        is_brief: false,
        params: &[ID],
    },
    McpTool {
        name: "create",
        about: "Create a bead.",
        command: &["create"],
        is_reading: false,
        is_brief: true,
        params: &[
            ToolParam {
                is_required: true,
                ..text_param("title", "--title", "One line that summarizes the work")
            },
            DESCRIPTION,
            DESIGN,
            text_param("acceptance", "--acceptance", "The acceptance criteria"),
            PRIORITY,
            KIND,
            ASSIGNEE,
            flag_param("labels", "--labels", ParamKind::Texts, "The labels"),
            flag_param(
                "deps",
                "--deps",
                ParamKind::Texts,
                "Beads it depends on: ID or TYPE:ID, such as discovered-from:bd-k3f",
            ),
            text_param("parent_id", "--parent", "The bead it is a child of"),
            EXTERNAL,
            text_param("id", "--id", "The id (default: a new one)"),
        ],
    },
    McpTool {
        name: "claim",
        about: "Claim an unassigned bead: you become its assignee and it is in progress. If several agents claim it, one succeeds.",
        command: &["update", "--claim"],
        is_reading: false,
        is_brief: true,
        params: &[ID],
    },
    McpTool {
        name: "update",
        about: "Change fields of a bead. Empty text clears a field. To finish a bead use close.",
        command: &["update"],
        is_reading: false,
        is_brief: true,
        params: &[
            ID,
            STATUS,
            PRIORITY,
            ASSIGNEE,
            text_param("title", "--title", "One line that summarizes the work"),
            DESCRIPTION,
            DESIGN,
            text_param(
                "acceptance_criteria",
                "--acceptance",
                "The acceptance criteria",
            ),
            text_param("notes", "--notes", "Working notes"),
            KIND,
            flag_param(
                "add_labels",
                "--add-label",
                ParamKind::Texts,
                "Labels to add",
            ),
            flag_param(
                "remove_labels",
                "--remove-label",
                ParamKind::Texts,
                "Labels to remove",
            ),
            EXTERNAL,
            text_param(
                "expect_version",
                "--expect-version",
                "Refuse unless the bead has this version, as show gave it",
            ),
        ],
    },
    McpTool {
        name: "close",
        about: "Close a bead that is done.",
        command: &["close"],
        is_reading: false,
        is_brief: true,
        params: &[ID, text_param("reason", "--reason", "The reason")],
    },
    McpTool {
        name: "reopen",
        about: "Reopen closed beads.",
        command: &["reopen"],
        is_reading: false,
        is_brief: true,
        params: &[
            ToolParam {
                is_required: true,
                ..flag_param("issue_ids", "", ParamKind::Texts, "Ids of the beads")
            },
            text_param("reason", "--reason", "The reason"),
        ],
    },
    McpTool {
        name: "dep",
        about: "Make a bead depend on another: it is not ready before the other is closed.",
        command: &["dep", "add"],
        is_reading: false,
        is_brief: false,
        params: &[
            positional_param("issue_id", "Id of the bead that waits"),
            positional_param("depends_on_id", "Id of the bead it waits for"),
            text_param(
                "dep_type",
                "--type",
                "blocks (the default), related, parent-child, discovered-from, or another type",
            ),
        ],
    },
    McpTool {
        name: "comment",
        about: "Add a comment to a bead.",
        command: &["comments", "add"],
        is_reading: false,
        is_brief: false,
        params: &[ID, positional_param("text", "The comment")],
    },
    McpTool {
        name: "blocked",
        about: "List blocked beads, each with the open beads it waits for.",
        command: &["blocked"],
        is_reading: true,
        is_brief: true,
        params: &[text_param("parent_id", "--parent", "Filter by ancestor")],
    },
    McpTool {
        name: "stats",
        about: "Count beads by status; how many are ready, how long they took.",
        command: &["status"],
        is_reading: true,
        is_brief: false,
        params: &[],
    },
    McpTool {
        name: "where_am_i",
        about: "Name the folder whose beads the tools use, and its prefix.",
        command: &["where"],
        is_reading: true,
        is_brief: false,
        params: &[],
    },
    McpTool {
        name: "init",
        about: "Start a project in the workspace: make its .beads folder.",
        command: &["init"],
        is_reading: false,
        is_brief: false,
        params: &[text_param("prefix", "--prefix", "What the ids begin with")],
    },
];

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
        let wrong = || format!("{} takes {}", self.name, self.kind.describe());
        let value_text = |value: &Value| match (self.kind, value) {
            (ParamKind::Number, Value::Number(number)) => Ok(number.to_string()),
            (ParamKind::Number, Value::String(text)) if text.parse::<u32>().is_ok() => {
                Ok(text.clone())
            }
            (ParamKind::Text | ParamKind::Texts, Value::String(text)) => Ok(text.clone()),
            _ => Err(wrong()),
        };
        match (self.kind, value) {
            (_, Value::Null) => Ok(Vec::new()),
            (ParamKind::Switch, Value::Bool(on)) => {
                Ok(if *on { vec![String::new()] } else { Vec::new() })
            }
            (ParamKind::Texts, Value::Array(items)) => items.iter().map(value_text).collect(),
            (_, value) => Ok(vec![value_text(value)?]),
        }
    }
}

impl ParamKind {
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
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    pub(super) fn schema(&self) -> Map<String, Value> {
        schema_of(self.params.iter())
    }

    /// Builds the command line of a call, without the program.
    pub(super) fn command_line(&self, given: &Map<String, Value>) -> Result<Vec<String>, String> {
        let known =
            |name: &str| name == WORKSPACE || self.params.iter().any(|param| param.name == name);
        if let Some(name) = given.keys().find(|name| !known(name)) {
            let all: Vec<&str> = self.params.iter().map(|param| param.name).collect();
            return Err(format!(
                "{} has no argument {name:?}; it takes {}",
                self.name,
                all.join(", ")
            ));
        }
        let mut line: Vec<String> = self.command.iter().map(|&word| word.to_owned()).collect();
        let mut places = Vec::new();
        for param in self.params {
            let texts = given
                .get(param.name)
                .map(|value| param.texts(value))
                .transpose()?
                .unwrap_or_default();
            if param.is_required && texts.is_empty() {
                return Err(format!("{} needs {}", self.name, param.name));
            }
            match (param.flag, param.kind) {
                ("", _) => places.extend(texts),
                (flag, ParamKind::Switch) => line.extend(texts.iter().map(|_| flag.to_owned())),
                (flag, _) => line.extend(texts.iter().map(|text| format!("{flag}={text}"))),
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
            let kept = bead
                .into_iter()
                .filter(|(key, _)| BRIEF_FIELDS.contains(&key.as_str()));
            Value::Object(kept.collect())
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
