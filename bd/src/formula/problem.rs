//! Problems of a formula: file, line, step and the necessary change.

use std::fmt;
use std::path::PathBuf;

/// One problem of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaProblem {
    /// The file, or the name of a built-in formula.
    pub file: String,
    /// The line, from 1, if known.
    pub line: Option<usize>,
    /// The step that has the problem, if there is one.
    pub step: Option<String>,
    /// A description of the problem and the necessary change.
    pub text: String,
}

impl fmt::Display for FormulaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", escape_control_chars(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(step) = &self.step {
            write!(f, ": step \"{}\"", escape_control_chars(step))?;
        }
        write!(f, ": {}", escape_control_chars(&self.text))
    }
}

/// Ids and texts come from a file, so their control characters must not reach a terminal.
fn escape_control_chars(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if c.is_control() => c.escape_default().to_string(),
            c => c.to_string(),
        })
        .collect()
}

/// The reason why a formula cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FormulaError {
    /// A caller in a jail names a file.
    #[error(transparent)]
    Forwarded(#[from] kit::gateway::ForwardedError),
    /// No file and no built-in formula has this name.
    #[error(
        "formula \"{name}\" not found in search paths{}",
        similar_note(similar)
    )]
    NotFound {
        name: String,
        /// The searched folders.
        searched: Vec<PathBuf>,
        /// Similar names.
        similar: Vec<String>,
    },
    /// The formula exists, but not in the requested version.
    #[error("formula \"{name}\" has no version {wanted} (found: {})", found.join(", "))]
    NoVersion {
        name: String,
        /// The requested version.
        wanted: String,
        /// The existing versions.
        found: Vec<String>,
    },
    /// The text is not a valid name of a formula.
    #[error("\"{0}\" is no formula name: use letters, digits, `-`, `_` and `.`, without `..`")]
    BadName(String),
    /// A file cannot be read.
    #[error("cannot read {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("circular extends detected: {}", chain.join(" -> "))]
    CircularExtends {
        /// The names of the cycle, closed by the first one.
        chain: Vec<String>,
    },
    /// The formula has one or more errors.
    #[error("formula validation failed:{}", format_bullets(.0))]
    Invalid(Vec<FormulaProblem>),
    /// Variables have no value, or an invalid one.
    #[error("{0}")]
    Values(String),
}

fn similar_note(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

fn format_bullets(problems: &[FormulaProblem]) -> String {
    problems
        .iter()
        .map(|problem| format!("\n  - {problem}"))
        .collect()
}
