//! Runs the command-line programs of forges: `gh`, `glab`, or one that the settings name.
//!
//! Arguments are lists, never command lines. The program finds the project by the remote of the
//! folder in which it runs, and has its own credentials.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kit::sys::exec::{ChildCommand, ExecError};
use kit::ui::escape::escape_line;
use serde::de::DeserializeOwned;

/// The number of lines of a program's message that are shown.
const MAX_MESSAGE_LINES: usize = 3;

/// A program that asks a forge.
#[derive(Debug, Clone)]
pub struct ForgeProgram<'a> {
    pub name: &'a str,
    /// A folder of the project's repository.
    pub folder: &'a Path,
    pub variables: Vec<(&'a str, &'a str)>,
    /// The time limit of one call.
    pub limit: Duration,
    /// Ends a running call.
    pub stop: Arc<AtomicBool>,
}

#[derive(Debug, thiserror::Error)]
pub enum ForgeCallError {
    #[error("{program} is not installed or not on PATH")]
    NotInstalled { program: String },
    /// The program refused what was asked, or could not reach its forge.
    #[error("{program}: {message}")]
    Failed { program: String, message: String },
    #[error("{program} printed something else than the expected JSON: {message}")]
    BadAnswer { program: String, message: String },
}

impl ForgeProgram<'_> {
    /// Runs the program without prompts, and returns its output.
    pub fn call(
        &self,
        args: impl IntoIterator<Item = String>,
        input: &[u8],
    ) -> Result<String, ForgeCallError> {
        let mut command = ChildCommand::new(self.name)
            .args(args)
            .cwd(self.folder)
            .env_clear();
        for (name, value) in &self.variables {
            command = command.env(name, value);
        }
        let command = command
            .env("GH_PROMPT_DISABLED", "1")
            .env("NO_PROMPT", "1")
            .env("NO_COLOR", "1")
            .stdin(input)
            .limit(self.limit)
            .stop_when(Arc::clone(&self.stop));
        let program = self.name.to_owned();
        match command.run() {
            Ok(done) if done.is_success() => Ok(done.text()),
            Ok(done) => Err(ForgeCallError::Failed {
                message: describe_failure(&done.error_text(), &done.text()),
                program,
            }),
            Err(ExecError::Missing { .. }) => Err(ForgeCallError::NotInstalled { program }),
            Err(error) => Err(ForgeCallError::Failed {
                message: error.to_string(),
                program,
            }),
        }
    }

    /// Runs the program, and parses its output as JSON.
    pub fn query<T: DeserializeOwned>(
        &self,
        args: impl IntoIterator<Item = String>,
        input: &[u8],
    ) -> Result<T, ForgeCallError> {
        let text = self.call(args, input)?;
        serde_json::from_str(&text).map_err(|error| ForgeCallError::BadAnswer {
            program: self.name.to_owned(),
            message: error.to_string(),
        })
    }
}

fn describe_failure(errors: &str, output: &str) -> String {
    let text = if errors.is_empty() { output } else { errors };
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(MAX_MESSAGE_LINES)
        .collect();
    match lines.as_slice() {
        [] => "it failed without a message".to_owned(),
        lines => escape_line(&lines.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_described_by_the_first_lines_of_its_message() {
        assert_eq!(describe_failure("a\n\nb\nc\nd", "x"), "a; b; c");
        assert_eq!(describe_failure("", "x"), "x");
        assert_eq!(describe_failure("", ""), "it failed without a message");
    }
}
