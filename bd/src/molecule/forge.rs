//! Queries a forge about CI runs and pull requests, through configurable commands.

use std::path::Path;
use std::time::Duration;

use kit::sys::exec::ChildCommand;
use serde_json::Value;

use crate::config::Config;

/// The time limit for a forge command.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the forge commands of the settings in a folder.
#[derive(Debug, Clone, Copy)]
pub struct ForgeCommands<'a> {
    pub config: &'a Config,
    pub folder: &'a Path,
}

impl ForgeCommands<'_> {
    /// Runs a command from the settings, and passes the id as one argument in place of `{id}`.
    pub fn run_command(&self, setting: &str, usual: &str, id: &str) -> Result<Value, String> {
        let text = self.config.get(setting).unwrap_or_else(|| usual.to_owned());
        let mut words = text.split_whitespace();
        let program = words.next().ok_or_else(|| format!("{setting} is empty"))?;
        if id.starts_with('-') {
            return Err(format!("\"{id}\" is no id"));
        }
        let args = words.map(|word| {
            if word == "{id}" {
                id.to_owned()
            } else {
                word.to_owned()
            }
        });
        let command = ChildCommand::new(program).args(args).cwd(self.folder);
        let done = command
            .limit(PATIENCE)
            .run()
            .map_err(|error| error.to_string())?;
        if !done.is_success() {
            let error_text = done.error_text();
            let first = error_text.lines().next().unwrap_or("it failed");
            return Err(format!("{program}: {first}"));
        }
        serde_json::from_slice(&done.stdout)
            .map_err(|error| format!("{program} printed no JSON: {error}"))
    }

    /// Returns the state of a CI run, or of the latest run of a workflow.
    pub fn query_run(&self, id: &str) -> Result<Value, String> {
        if id.is_empty() || id.chars().all(|c| c.is_ascii_digit()) {
            let usual = "gh run view {id} --json status,conclusion,name";
            return self.run_command("gate.run-command", usual, id);
        }
        let usual = "gh run list --workflow {id} --limit 1 --json status,conclusion,name";
        let list = self.run_command("gate.workflow-command", usual, id)?;
        match list {
            Value::Array(mut runs) if !runs.is_empty() => Ok(runs.swap_remove(0)),
            Value::Object(_) => Ok(list),
            _ => Err(format!("workflow {id} has no run")),
        }
    }

    /// Returns the state of a pull request.
    pub fn query_pull_request(&self, id: &str) -> Result<Value, String> {
        let usual = "gh pr view {id} --json state,mergedAt,title";
        self.run_command("gate.pr-command", usual, id)
    }
}
