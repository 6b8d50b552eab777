//! The tools: what a client may call, and the command line that each call means.
//!
//! Names and arguments are those of the usual MCP server for beads. A tool is an entry of [`TOOLS`] and nothing else. Values
//! of a client are single arguments behind their flag or behind `--`, so none of them can pass for a flag.

use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// What it does, for the model.
    pub(super) about: &'static str,
    /// The command and the flags that are always given.
    command: &'static [&'static str],
    /// Whether it changes nothing.
    pub(super) is_reading: bool,
    /// Whether its beads are given with a few fields only.
    pub(super) is_brief: bool,
    params: &'static [Param],
}

/// An argument of a tool.
#[derive(Debug)]
struct Param {
    name: &'static str,
    about: &'static str,
    kind: Kind,
    /// The flag that takes it; empty for a positional argument.
    flag: &'static str,
    is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Switch,
    Texts,
}

const fn flag(name: &'static str, flag: &'static str, kind: Kind, about: &'static str) -> Param {
    Param {
        name,
        about,
        kind,
        flag,
        is_required: false,
    }
}

const fn text(name: &'static str, long: &'static str, about: &'static str) -> Param {
    flag(name, long, Kind::Text, about)
}

/// A required positional argument.
const fn place(name: &'static str, about: &'static str) -> Param {
    Param {
        is_required: true,
        ..flag(name, "", Kind::Text, about)
    }
}

const LIMIT: Param = flag("limit", "--limit", Kind::Number, "0 for all");
const PRIORITY: Param = flag(
    "priority",
    "--priority",
    Kind::Number,
    "0 (most urgent) to 4",
);
const ASSIGNEE: Param = text("assignee", "--assignee", "");
const LABELS: Param = flag(
    "labels",
    "--label",
    Kind::Texts,
    "Beads with all given labels",
);
const LABELS_ANY: Param = flag(
    "labels_any",
    "--label-any",
    Kind::Texts,
    "Beads with one of the given labels",
);
const KIND: Param = text(
    "issue_type",
    "--type",
    "bug, feature, task, epic, chore, or a type of the project",
);
const STATUS: Param = text(
    "status",
    "--status",
    "open, in_progress, blocked, deferred, closed, or a status of the project",
);
const ID: Param = place("issue_id", "Id of the bead, or an unambiguous part of it");
const DESCRIPTION: Param = text("description", "--description", "The long text");
const DESIGN: Param = text("design", "--design", "How it is to be done");
const EXTERNAL: Param = text(
    "external_ref",
    "--external-ref",
    "Its id in another tracker",
);

/// All tools, in the order in which a client lists them.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "ready",
        about: "List beads that can be started now: open, not blocked, not deferred. Start here.",
        command: &["ready"],
        is_reading: true,
        is_brief: true,
        params: &[
            LIMIT,
            PRIORITY,
            ASSIGNEE,
            flag(
                "unassigned",
                "--unassigned",
                Kind::Switch,
                "Only beads that nobody has",
            ),
            LABELS,
            LABELS_ANY,
            KIND,
            text("parent_id", "--parent", "Only descendants of this bead"),
            text("sort_policy", "--sort", "hybrid, priority or oldest"),
        ],
    },
    Tool {
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
            flag(
                "unassigned",
                "--no-assignee",
                Kind::Switch,
                "Only beads that nobody has",
            ),
            LABELS,
            LABELS_ANY,
            text("parent_id", "--parent", "Only children of this bead"),
            text("query", "--title", "Text in the title"),
            LIMIT,
        ],
    },
    Tool {
        name: "search",
        about: "Find beads by text in title, description and id, closed ones included.",
        command: &["search"],
        is_reading: true,
        is_brief: true,
        params: &[place("query", "The text"), STATUS, KIND, ASSIGNEE, LIMIT],
    },
    Tool {
        name: "show",
        about: "Show a bead with all its fields, dependencies, dependents and comments.",
        command: &["show"],
        is_reading: true,
        is_brief: false,
        params: &[ID],
    },
    Tool {
        name: "create",
        about: "Create a bead.",
        command: &["create"],
        is_reading: false,
        is_brief: true,
        params: &[
            Param {
                is_required: true,
                ..text("title", "--title", "One line that says what is to be done")
            },
            DESCRIPTION,
            DESIGN,
            text("acceptance", "--acceptance", "When it is done"),
            PRIORITY,
            KIND,
            ASSIGNEE,
            flag("labels", "--labels", Kind::Texts, "Its labels"),
            flag(
                "deps",
                "--deps",
                Kind::Texts,
                "Beads it depends on: ID or TYPE:ID, such as discovered-from:bd-k3f",
            ),
            text("parent_id", "--parent", "The bead it is a child of"),
            EXTERNAL,
            text("id", "--id", "Its id; without, one is made"),
        ],
    },
    Tool {
        name: "claim",
        about: "Take a bead that nobody has: you become its assignee and it is in progress. Of several claims one succeeds.",
        command: &["update", "--claim"],
        is_reading: false,
        is_brief: true,
        params: &[ID],
    },
    Tool {
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
            text("title", "--title", "One line that says what is to be done"),
            DESCRIPTION,
            DESIGN,
            text("acceptance_criteria", "--acceptance", "When it is done"),
            text("notes", "--notes", "Working notes"),
            KIND,
            flag("add_labels", "--add-label", Kind::Texts, "Labels to add"),
            flag(
                "remove_labels",
                "--remove-label",
                Kind::Texts,
                "Labels to remove",
            ),
            EXTERNAL,
            text(
                "expect_version",
                "--expect-version",
                "Refuse unless the bead has this version, as show gave it",
            ),
        ],
    },
    Tool {
        name: "close",
        about: "Close a bead that is done.",
        command: &["close"],
        is_reading: false,
        is_brief: true,
        params: &[
            ID,
            text("reason", "--reason", "What was done, or why it is closed"),
        ],
    },
    Tool {
        name: "reopen",
        about: "Open closed beads again.",
        command: &["reopen"],
        is_reading: false,
        is_brief: true,
        params: &[
            Param {
                is_required: true,
                ..flag("issue_ids", "", Kind::Texts, "Ids of the beads")
            },
            text("reason", "--reason", "Why they are opened again"),
        ],
    },
    Tool {
        name: "dep",
        about: "Let a bead depend on another: it is not ready before that one is closed.",
        command: &["dep", "add"],
        is_reading: false,
        is_brief: false,
        params: &[
            place("issue_id", "Id of the bead that waits"),
            place("depends_on_id", "Id of the bead it waits for"),
            text(
                "dep_type",
                "--type",
                "blocks (the default), related, parent-child, discovered-from, or another type",
            ),
        ],
    },
    Tool {
        name: "comment",
        about: "Add a comment to a bead.",
        command: &["comments", "add"],
        is_reading: false,
        is_brief: false,
        params: &[ID, place("text", "The comment")],
    },
    Tool {
        name: "blocked",
        about: "List blocked beads, each with the open beads it waits for.",
        command: &["blocked"],
        is_reading: true,
        is_brief: true,
        params: &[text(
            "parent_id",
            "--parent",
            "Only descendants of this bead",
        )],
    },
    Tool {
        name: "stats",
        about: "Count beads by status; how many are ready, how long they took.",
        command: &["status"],
        is_reading: true,
        is_brief: false,
        params: &[],
    },
    Tool {
        name: "where_am_i",
        about: "Name the folder whose beads the tools use, and its prefix.",
        command: &["where"],
        is_reading: true,
        is_brief: false,
        params: &[],
    },
    Tool {
        name: "init",
        about: "Start a project in the workspace: make its .beads folder.",
        command: &["init"],
        is_reading: false,
        is_brief: false,
        params: &[text("prefix", "--prefix", "What the ids begin with")],
    },
];

/// The tool that is no command: it sets the folder of later calls.
pub(super) const CONTEXT: &str = "context";
/// The argument that every tool takes.
pub(super) const WORKSPACE: &str = "workspace_root";

/// The schema of the arguments of [`CONTEXT`].
pub(super) fn context_schema() -> Map<String, Value> {
    schema_of(std::iter::empty())
}

fn schema_of<'a>(params: impl Iterator<Item = &'a Param> + Clone) -> Map<String, Value> {
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

impl Param {
    fn schema(&self) -> Value {
        let kind = match self.kind {
            Kind::Text => json!("string"),
            Kind::Number => json!("integer"),
            Kind::Switch => json!("boolean"),
            Kind::Texts => {
                return json!({"type": "array", "items": {"type": "string"}, "description": self.about});
            }
        };
        if self.about.is_empty() {
            return json!({"type": kind});
        }
        json!({"type": kind, "description": self.about})
    }

    /// The texts that a client gave. Of a number its text counts, of a list a single text is a list of one.
    fn texts(&self, value: &Value) -> Result<Vec<String>, String> {
        let wrong = || format!("{} takes {}", self.name, self.kind.in_words());
        let one = |value: &Value| match (self.kind, value) {
            (Kind::Number, Value::Number(number)) => Ok(number.to_string()),
            (Kind::Number, Value::String(text)) if text.parse::<u32>().is_ok() => Ok(text.clone()),
            (Kind::Text | Kind::Texts, Value::String(text)) => Ok(text.clone()),
            _ => Err(wrong()),
        };
        match (self.kind, value) {
            (_, Value::Null) => Ok(Vec::new()),
            (Kind::Switch, Value::Bool(on)) => {
                Ok(if *on { vec![String::new()] } else { Vec::new() })
            }
            (Kind::Texts, Value::Array(items)) => items.iter().map(one).collect(),
            (_, value) => Ok(vec![one(value)?]),
        }
    }
}

impl Kind {
    fn in_words(self) -> &'static str {
        match self {
            Kind::Text => "a text",
            Kind::Number => "a number",
            Kind::Switch => "true or false",
            Kind::Texts => "a list of texts",
        }
    }
}

impl Tool {
    /// The tool of a name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The schema of its arguments.
    pub(super) fn schema(&self) -> Map<String, Value> {
        schema_of(self.params.iter())
    }

    /// The command line that a call means, without the program.
    pub(super) fn line(&self, given: &Map<String, Value>) -> Result<Vec<String>, String> {
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
                (flag, Kind::Switch) => line.extend(texts.iter().map(|_| flag.to_owned())),
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

/// The fields that a list has of each bead.
const BRIEF: [&str; 9] = [
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

/// Beads with a few of their fields, for lists that a model reads.
pub(super) fn brief(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(brief).collect(),
        Value::Object(bead) if bead.contains_key("id") && bead.contains_key("title") => {
            let kept = bead
                .into_iter()
                .filter(|(key, _)| BRIEF.contains(&key.as_str()));
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
        Tool::named(name).unwrap().line(&given)
    }

    #[test]
    fn a_call_is_a_command_line_in_which_no_value_is_a_flag() {
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
    fn a_call_with_wrong_arguments_says_what_is_right() {
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
