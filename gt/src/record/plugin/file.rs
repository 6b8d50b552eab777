//! Parses the text of `plugin.md`: TOML between the first two lines `+++`, then the instructions.

use serde::{Deserialize, Serialize};

/// The line before and after the TOML.
const TOML_MARK: &str = "+++";

/// The maximum length of a name.
const MAX_NAME: usize = 64;

/// The content of a plugin's file. Unknown keys are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginFile {
    pub name: String,
    pub description: String,
    pub version: i64,
    pub gate: GateSpec,
    pub tracking: TrackingSpec,
    pub execution: ExecutionSpec,
    /// The text after the TOML.
    #[serde(skip)]
    pub instructions: String,
}

/// The gate as in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GateSpec {
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub duration: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub schedule: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub check: String,
    #[serde(skip_serializing_if = "EventNames::is_empty")]
    pub on: EventNames,
    /// The time between two evaluations of a condition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub interval: String,
}

/// One event or several, written as in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventNames {
    One(String),
    Several(Vec<String>),
}

impl Default for EventNames {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl EventNames {
    pub fn names(&self) -> Vec<&str> {
        let names = match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names.as_slice(),
        };
        names
            .iter()
            .map(|name| name.trim())
            .filter(|name| !name.is_empty())
            .collect()
    }

    fn is_empty(&self) -> bool {
        self.names().is_empty()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrackingSpec {
    /// Further labels of the records of runs.
    pub labels: Vec<String>,
    /// True if the runs are in the report of the day.
    pub digest: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExecutionSpec {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ExecutionKind>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub timeout: String,
    pub notify_on_failure: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub severity: String,
}

/// How a plugin runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionKind {
    /// A dog carries out the instructions.
    Agent,
    /// The plugin's program runs.
    Script,
}

impl ExecutionKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Script => "script",
        }
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PluginFileError {
    #[error("it has no TOML between two lines `+++`")]
    NoFrontMatter,
    #[error("its TOML does not end: a second line `+++` is missing")]
    Unclosed,
    #[error("line {line}: {reason}")]
    Malformed { line: usize, reason: String },
    #[error("it has no name")]
    NoName,
    #[error("`{name}` is no name of a plugin: letters, digits, `-`, `_` and `.`")]
    BadName { name: String },
}

/// Parses a plugin's file.
pub fn parse_plugin_file(text: &str) -> Result<PluginFile, PluginFileError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut marks = Vec::new();
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if line.trim_end() == TOML_MARK {
            marks.push((number, at, at + line.len()));
        }
        at += line.len();
        if marks.len() == 2 {
            break;
        }
    }
    let (first_line, front, rest) = match marks.as_slice() {
        [] => return Err(PluginFileError::NoFrontMatter),
        [_] => return Err(PluginFileError::Unclosed),
        [(line, _, begin), (_, end, rest), ..] => (*line, &text[*begin..*end], &text[*rest..]),
    };
    let mut file: PluginFile = toml::from_str(front).map_err(|error| {
        let before = error.span().and_then(|span| front.get(..span.start));
        let line = before.map_or(0, |before| before.matches('\n').count());
        PluginFileError::Malformed {
            line: first_line + 2 + line,
            reason: error.message().to_owned(),
        }
    })?;
    if file.name.is_empty() {
        return Err(PluginFileError::NoName);
    }
    let begins = file.name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !begins
        || file.name.len() > MAX_NAME
        || !file
            .name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    {
        let name = file.name.chars().take(MAX_NAME).collect();
        return Err(PluginFileError::BadName { name });
    }
    rest.trim_start_matches(['\r', '\n'])
        .clone_into(&mut file.instructions);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::plugin::PluginGate;

    #[test]
    fn every_key_is_read() {
        let text = "+++\nname = \"merge-oracle\"\ndescription = \"d\"\nversion = 3\n[gate]\n\
                    type = \"event\"\non = [\"merged\", \"startup\"]\n[tracking]\nlabels = [\"a:b\"]\n\
                    digest = true\n[execution]\ntimeout = \"5m\"\nnotify_on_failure = true\n\
                    severity = \"high\"\ntype = \"script\"\n+++\n\n# Steps\n+++\nnot a mark any more\n";
        let file = parse_plugin_file(text).unwrap();
        assert_eq!((file.name.as_str(), file.version), ("merge-oracle", 3));
        assert_eq!(file.gate.on.names(), ["merged", "startup"]);
        assert!(file.tracking.digest && file.execution.notify_on_failure);
        assert_eq!(file.execution.kind, Some(ExecutionKind::Script));
        assert_eq!(file.instructions, "# Steps\n+++\nnot a mark any more\n");
        let one = "+++\nname = \"a\"\nunknown = 1\n[gate]\ntype = \"event\"\non = \"startup\"\n+++";
        assert_eq!(parse_plugin_file(one).unwrap().gate.on.names(), ["startup"]);
    }

    /// Daemon edge case 156.
    #[test]
    fn case_156_missing_unclosed_and_malformed_front_matter_and_a_missing_name_are_errors() {
        let error = |text: &str| parse_plugin_file(text).unwrap_err();
        for text in ["", "# Only text\n", "name = \"a\"\n"] {
            assert_eq!(error(text), PluginFileError::NoFrontMatter, "{text}");
        }
        assert_eq!(error("+++\nname = \"a\"\n"), PluginFileError::Unclosed);
        assert!(matches!(
            error("+++\nversion = 1\nname = \n+++\n"),
            PluginFileError::Malformed { line: 3, .. }
        ));
        assert!(matches!(
            error("+++\nname = \"a\"\n[gate]\ntype = 7\n+++\n"),
            PluginFileError::Malformed { line: 4, .. }
        ));
        assert_eq!(error("+++\n+++\n"), PluginFileError::NoName);
        assert_eq!(error("+++\nname = \"\"\n+++\n"), PluginFileError::NoName);
        for name in ["../x", "a b", "-x", ".x", "a/b", "ü"] {
            let text = format!("+++\nname = \"{name}\"\n+++\n");
            assert!(
                matches!(error(&text), PluginFileError::BadName { .. }),
                "{name}"
            );
        }
    }

    /// Daemon edge case 157.
    #[test]
    fn case_157_an_unknown_gate_and_a_cooldown_without_duration_parse() {
        let gate = |text: &str| {
            let text = format!("+++\nname = \"a\"\n{text}+++\n");
            PluginGate::from_spec(&parse_plugin_file(&text).unwrap().gate)
        };
        assert!(matches!(
            gate("[gate]\ntype = \"lunar\"\n"),
            PluginGate::Closed(_)
        ));
        assert_eq!(
            gate("[gate]\ntype = \"cooldown\"\n"),
            PluginGate::Cooldown(jiff::SignedDuration::from_hours(1))
        );
        assert_eq!(gate(""), PluginGate::Manual);
        assert_eq!(gate("[gate]\n"), PluginGate::Manual);
    }
}
