//! The one table from typed errors to what a person and a program are told: message, hint, JSON code,
//! exit code.

use serde_json::{Value, json};

/// A failed command as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong: the chain of causes joined with `: `.
    pub message: String,
    /// The way out.
    pub hint: Option<String>,
    /// A stable word for programs.
    pub code: &'static str,
    /// The exit code of the process.
    pub exit: u8,
}

/// A command line that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Something already said, item by item, on standard error: nothing is left to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing succeeded")]
pub struct Silent;

impl Failure {
    /// How an error is shown.
    pub fn of(error: &anyhow::Error) -> Self {
        let message = chain(error);
        let (code, exit, hint) = classify(error);
        Self {
            message,
            hint,
            code,
            exit,
        }
    }

    /// The error object: `{"error", "code", "hint"?}`.
    pub fn json(&self) -> Value {
        let mut object = json!({"error": self.message, "code": self.code});
        if let Some(hint) = &self.hint {
            object["hint"] = json!(hint);
        }
        object
    }
}

/// The chain of causes joined with `: `, without repeating a cause that a message already tells.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Code, exit and hint of the first cause that we know.
fn classify(error: &anyhow::Error) -> (&'static str, u8, Option<String>) {
    if error.downcast_ref::<Usage>().is_some() {
        return ("usage", 2, None);
    }
    ("failed", 1, None)
}
