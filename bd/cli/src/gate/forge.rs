//! Queries a forge about CI runs and pull requests, through configurable commands.

use std::time::Duration;

use serde_json::Value;

use crate::context::Context;
use bd::bead::Status;
use bd::molecule::gate::Forge;
use kit::sys::exec::ChildCommand;

/// The time limit for a forge command.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct ForgeCommands<'a> {
    ctx: &'a Context,
}

impl<'a> ForgeCommands<'a> {
    pub(super) fn new(ctx: &'a Context) -> Self {
        Self { ctx }
    }

    /// Runs a command from the settings, and passes the id as one argument in place of `{id}`.
    pub(super) fn run_command(
        &self,
        setting: &str,
        usual: &str,
        id: &str,
    ) -> Result<Value, String> {
        let text = self
            .ctx
            .config
            .get(setting)
            .unwrap_or_else(|| usual.to_owned());
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
        let command = ChildCommand::new(program)
            .args(args)
            .cwd(self.ctx.env.cwd());
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
}

impl Forge for ForgeCommands<'_> {
    fn run(&self, id: &str) -> Result<Value, String> {
        if id.is_empty() || id.chars().all(|c| c.is_ascii_digit()) {
            let usual = "gh run view {id} --json status,conclusion,name";
            return self.run_command("gate.run-command", usual, id);
        }
        // The name of a workflow means its latest run.
        let usual = "gh run list --workflow {id} --limit 1 --json status,conclusion,name";
        let list = self.run_command("gate.workflow-command", usual, id)?;
        match list {
            Value::Array(mut runs) if !runs.is_empty() => Ok(runs.swap_remove(0)),
            Value::Object(_) => Ok(list),
            _ => Err(format!("workflow {id} has no run")),
        }
    }

    fn pull_request(&self, id: &str) -> Result<Value, String> {
        let usual = "gh pr view {id} --json state,mergedAt,title";
        self.run_command("gate.pr-command", usual, id)
    }

    fn bead(&self, rig: &str, id: &str) -> Result<Option<Status>, String> {
        let found = self.ctx.project().map_err(|error| error.to_string())?;
        let routes = self.ctx.routes(&found.dir);
        let route = routes.route_of_rig(rig);
        let dir = route
            .and_then(|route| routes.dir_of(route))
            .ok_or_else(|| format!("rig {rig} is not known here"))?;
        let snapshot = self
            .ctx
            .open(&dir)
            .and_then(|store| store.snapshot())
            .map_err(|error| error.to_string())?;
        Ok(snapshot.get_live(id).map(|bead| bead.status.clone()))
    }
}
