//! What is wrong with a formula: file, line, step and what to change.

use std::fmt;
use std::path::PathBuf;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaProblem {
    /// The file, or the name of a built-in formula.
    pub file: String,
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The step, if it is about one.
    pub step: Option<String>,
    /// What is wrong and what to change.
    pub text: String,
}

impl fmt::Display for FormulaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Ids and texts are from a file: no control character of it reaches a terminal.
        let plain = |text: &str| -> String {
            let shown = |c: char| match c {
                c if c.is_control() => c.escape_default().to_string(),
                c => c.to_string(),
            };
            text.chars().map(shown).collect()
        };
        write!(f, "{}", plain(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(step) = &self.step {
            write!(f, ": step \"{}\"", plain(step))?;
        }
        write!(f, ": {}", plain(&self.text))
    }
}

/// Why a formula cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FormulaError {
    /// No file and no built-in formula has this name.
    #[error(
        "formula \"{name}\" not found in search paths{}",
        similar_note(similar)
    )]
    NotFound {
        /// The name.
        name: String,
        /// Where it was looked for.
        searched: Vec<PathBuf>,
        /// Names that are like it.
        similar: Vec<String>,
    },
    /// There is such a formula, but not of the version that was asked for.
    #[error("formula \"{name}\" has no version {wanted} (found: {})", found.join(", "))]
    NoVersion {
        /// The name.
        name: String,
        /// The version that was asked for.
        wanted: String,
        /// The versions that there are.
        found: Vec<String>,
    },
    /// A name that is no name of a formula.
    #[error("\"{0}\" is no formula name: use letters, digits, `-`, `_` and `.`, without `..`")]
    BadName(String),
    /// A file cannot be read.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A formula extends itself.
    #[error("circular extends detected: {}", chain.join(" -> "))]
    CircularExtends {
        /// The names, the first again at the end.
        chain: Vec<String>,
    },
    /// It is wrong in one or more places.
    #[error("formula validation failed:{}", format_bullets(.0))]
    Invalid(Vec<FormulaProblem>),
    /// Variables have no value, or a value that they do not take.
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
