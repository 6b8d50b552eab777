//! Queries a forge about CI runs and pull requests, through configurable commands.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kit::sys::Env;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::Config;
use crate::forge::{ForgeCallError, ForgeProgram};

/// The time limit of one question.
const GATE_TIMEOUT: Duration = Duration::from_secs(30);

/// The reason why a forge gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ForgeFailure {
    /// The program that queries the forge does not exist.
    #[error("{program} is not installed or not on PATH")]
    MissingProgram { program: String },
    /// The query failed, for this reason.
    #[error("{0}")]
    Query(String),
}

impl From<ForgeCallError> for ForgeFailure {
    fn from(error: ForgeCallError) -> Self {
        match error {
            ForgeCallError::NotInstalled { program } => Self::MissingProgram { program },
            error => Self::Query(error.to_string()),
        }
    }
}

/// Runs the forge commands of the settings in a folder.
#[derive(Debug, Clone)]
pub struct ForgeCommands<'a> {
    pub config: &'a Config,
    pub folder: &'a Path,
    pub env: &'a Env,
    pub stop: Arc<AtomicBool>,
}

impl ForgeCommands<'_> {
    /// Runs a command from the settings, and passes the id as one argument in place of `{id}`.
    pub fn run_command(&self, setting: &str, usual: &str, id: &str) -> Result<Value, ForgeFailure> {
        let text = self.config.get(setting).unwrap_or_else(|| usual.to_owned());
        let mut words = text.split_whitespace();
        let program = words
            .next()
            .ok_or_else(|| ForgeFailure::Query(format!("{setting} is empty")))?;
        if id.starts_with('-') {
            return Err(ForgeFailure::Query(format!("\"{id}\" is no id")));
        }
        let args = words.map(|word| {
            if word == "{id}" {
                id.to_owned()
            } else {
                word.to_owned()
            }
        });
        let program = ForgeProgram {
            name: program,
            folder: self.folder,
            // The user's own command may need any of them.
            variables: self.env.vars().collect(),
            limit: GATE_TIMEOUT,
            stop: Arc::clone(&self.stop),
        };
        Ok(program.query(args, &[])?)
    }

    /// Returns the state of a CI run, or of the latest run of a workflow.
    pub fn query_run(&self, id: &str) -> Result<Value, ForgeFailure> {
        if id.is_empty() || id.chars().all(|c| c.is_ascii_digit()) {
            let usual = "gh run view {id} --json status,conclusion,name";
            return self.run_command("gate.run-command", usual, id);
        }
        let usual = "gh run list --workflow {id} --limit 1 --json status,conclusion,name";
        let list = self.run_command("gate.workflow-command", usual, id)?;
        match list {
            Value::Array(mut runs) if !runs.is_empty() => Ok(runs.swap_remove(0)),
            Value::Object(_) => Ok(list),
            _ => Err(ForgeFailure::Query(format!("workflow {id} has no run"))),
        }
    }

    /// Returns the state of a pull request.
    pub fn query_pull_request(&self, id: &str) -> Result<Value, ForgeFailure> {
        let usual = "gh pr view {id} --json state,mergedAt,title";
        self.run_command("gate.pr-command", usual, id)
    }
}
