//! A failed command as the user and a program see it: message, hint, JSON code, exit code.
//!
//! The crates that define errors classify them. This module only holds the result.

use serde_json::{Value, json};

/// The exit code of a failed command. Existing clients know no other code.
pub const FAILED: u8 = 1;
/// The exit code of a change that `--expect-version` refused.
pub const CHANGED: u8 = 3;

/// A failed command as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The error message: the chain of causes joined with `: `.
    pub message: String,
    pub hint: Option<String>,
    /// A stable code for programs.
    pub code: &'static str,
    /// The exit code of the process: [`FAILED`] or [`CHANGED`].
    pub exit: u8,
    /// Ids similar to an unknown id.
    pub similar: Vec<String>,
}

/// A command line that is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Returns from a function with a [`UsageError`], whose text is formatted as by [`format!`].
#[macro_export]
macro_rules! bail_usage {
    ($($text:tt)*) => {
        return Err($crate::failure::UsageError(format!($($text)*)).into())
    };
}

/// A failure whose errors were already printed, item by item, on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing succeeded")]
pub struct SilentFailure;

impl Failure {
    /// A failure that no table classifies: the message is the chain of causes of the error.
    pub fn unclassified(error: &anyhow::Error) -> Self {
        Self {
            message: join_causes(error),
            hint: None,
            code: "failed",
            exit: FAILED,
            similar: Vec::new(),
        }
    }

    /// Adds the similar ids.
    #[must_use]
    pub fn with_similar(mut self, similar: Vec<String>) -> Self {
        if self.hint.is_none() && !similar.is_empty() {
            self.hint = Some(format!("similar ids: {}", similar.join(", ")));
        }
        self.similar = similar;
        self
    }

    /// Returns the error object: `{"error", "code", "hint"?, "similar"?}`.
    pub fn json(&self) -> Value {
        let mut object = json!({"error": self.message, "code": self.code});
        if let Some(hint) = &self.hint {
            object["hint"] = json!(hint);
        }
        if !self.similar.is_empty() {
            object["similar"] = json!(self.similar);
        }
        object
    }
}

/// Joins the chain of causes with `: `. Leaves out a cause that an outer message already contains.
fn join_causes(error: &anyhow::Error) -> String {
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
