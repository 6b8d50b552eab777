//! Runs the commands of a desk: the one place in which a setup, a check or a teardown is started.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kit::sys::{ChildCommand, ExecError, file};
use kit::ui::cut;

use crate::flow::place::town_hook::inherited_variables;
use crate::host::jail::{JailRefusal, RepositoryCommand};
use crate::record::desk::{DeskFailure, DeskState, DeskStep, RunningStep};
use crate::town::Rig;
use crate::town::config::RigSettings;
use crate::town::event::event;
use crate::town::lock::Lock;

/// The maximum size of the output in a failure.
const MAX_TAIL: usize = 2000;

/// The time that a command may take.
const SETUP_LIMIT: Duration = Duration::from_secs(1800);
const CHECK_LIMIT: Duration = Duration::from_secs(600);
const TEARDOWN_LIMIT: Duration = Duration::from_secs(300);

/// A command of a desk.
#[derive(Debug, Clone, Copy)]
pub struct DeskCommand<'a> {
    pub rig: &'a Rig<'a>,
    /// The work tree in which it runs.
    pub tree: &'a Path,
    pub step: DeskStep,
    /// The user's command line, run by `sh -c`.
    pub line: &'a str,
    /// The variables of the desk.
    pub variables: &'a [(String, String)],
}

/// The end of a command of a desk.
#[derive(Debug, Clone, PartialEq)]
pub struct DeskCommandEnd {
    pub passed: bool,
    /// How it ended, such as `exit code 2`.
    pub end: String,
    /// The end of its output.
    pub tail: String,
    pub seconds: f64,
}

impl DeskCommandEnd {
    /// Returns the failure, if the command failed. `desk` is the hash of the desk.
    pub fn into_failure(
        self,
        command: &DeskCommand<'_>,
        desk: Option<String>,
    ) -> Option<DeskFailure> {
        (!self.passed).then(|| DeskFailure {
            desk,
            step: command.step,
            command: command.line.to_owned(),
            end: self.end,
            tail: self.tail,
            log: command.rig.desk_log(command.tree),
            tree: command.tree.to_owned(),
            at: command.rig.town().clock.now().to_string(),
        })
    }
}

/// Runs a command of a desk to its end. Its whole output is the log of the tree. While it runs,
/// the state of the tree says so.
pub fn run_desk_command(
    command: &DeskCommand<'_>,
    state: &mut DeskState,
) -> anyhow::Result<DeskCommandEnd> {
    let DeskCommand {
        rig, tree, step, ..
    } = *command;
    let town = rig.town();
    let _running = Lock::try_take(&rig.desk_lock(tree))?;
    state.running = Some(RunningStep {
        step,
        since: town.clock.now(),
    });
    state.save(rig, tree)?;
    let begun = Instant::now();
    let settings = RigSettings::load(rig)?.sandbox.jail(rig)?;
    let mut place = "";
    let ran = match RepositoryCommand::prepare(rig, &settings, tree, build_child(command)) {
        Ok(child) => {
            if child.is_jailed() {
                place = ", in a jail (sandbox.jail)";
            }
            Ok(child.run())
        }
        Err(refusal @ (JailRefusal::NoBackend { .. } | JailRefusal::Cache { .. })) => Err(refusal),
        Err(error) => return Err(error.into()),
    };
    let seconds = (begun.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    state.running = None;
    state.save(rig, tree)?;
    let (passed, end, output) = match ran {
        Err(refusal) => (
            false,
            "not started".to_owned(),
            format!("{refusal}\n").into_bytes(),
        ),
        Ok(Ok(done)) => {
            let end = done.code().map_or_else(
                || "ended by a signal".to_owned(),
                |code| format!("exit code {code}"),
            );
            (done.is_success(), end, [done.stdout, done.stderr].concat())
        }
        Ok(Err(ExecError::TimedOut { limit, output, .. })) => {
            let end = format!("not finished after {}s", limit.as_secs());
            (false, end, output.into_bytes())
        }
        Ok(Err(error)) => return Err(error.into()),
    };
    let end = if passed { end } else { format!("{end}{place}") };
    let log = rig.desk_log(tree);
    file::replace_file_relaxed(&log, &output, 0o600)?;
    town.record_event(&event!(DeskRun,
        rig: rig.name(), tree: tree, step: step.to_string(), passed: passed, end: end,
        seconds: seconds, log: log,
    ));
    let text = String::from_utf8_lossy(&output);
    Ok(DeskCommandEnd {
        passed,
        end,
        tail: cut::last_lines(text.trim_end(), MAX_TAIL).to_owned(),
        seconds,
    })
}

/// Builds the child process of a command.
fn build_child(command: &DeskCommand<'_>) -> ChildCommand {
    let town = command.rig.town();
    // One stream, so that the log has the lines in their order.
    let line = format!("exec 2>&1\n{}", command.line);
    let mut child = ChildCommand::new("sh")
        .args(["-c", &line])
        .cwd(command.tree)
        .env_clear();
    for (name, value) in inherited_variables(&town.env) {
        child = child.env(name, value);
    }
    for (name, value) in command.variables {
        child = child.env(name, value);
    }
    child
        .env("GT_RIG", command.rig.name())
        .env("GT_RIG_PATH", command.rig.root())
        .env("GT_WORKTREE_PATH", command.tree)
        .limit(match command.step {
            DeskStep::Setup => SETUP_LIMIT,
            DeskStep::Check | DeskStep::Jail => CHECK_LIMIT,
            DeskStep::Teardown => TEARDOWN_LIMIT,
        })
        .stop_when(Arc::clone(&town.stop))
}
