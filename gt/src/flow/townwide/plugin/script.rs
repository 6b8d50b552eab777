//! Runs the program of a plugin, `run.sh`, with a time limit and a limit on its output. Nothing of
//! a bead is part of the command.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use kit::sys::exec::ChildOutput;
use kit::sys::{ChildCommand, ExecError, file};
use kit::ui::cut;
use serde::Serialize;

use super::{BegunRun, RunOutcome, finish_run};
use crate::flow::place::town_hook::inherited_variables;
use crate::host::LiveTown;
use crate::record::plugin::run::PluginResult;
use crate::record::plugin::{Plugin, SCRIPT, check_inside};
use crate::town::temporary::{self, TemporaryFolder};
use crate::town::{Town, hold};

/// The maximum size of each output stream in bytes.
const MAX_OUTPUT: usize = 1024 * 1024;

/// The maximum size of the output in a record.
const MAX_RECORDED_OUTPUT: usize = 4000;

/// The time between two looks whether a program may go on.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The number of logs that are kept per plugin.
const MAX_LOGS: usize = 20;

/// The exit code of a program that had nothing to do.
const NOTHING_TO_DO: i32 = 77;

/// A finished run.
#[derive(Debug, Clone, Serialize)]
pub struct PluginRunReport {
    pub plugin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
    pub result: PluginResult,
    /// How the run ended, in a few words.
    pub end: String,
    pub seconds: f64,
    /// The end of the output.
    pub output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The record of the run.
    pub run: String,
}

/// Runs a plugin's program to its end, and records the run.
pub fn run_script(
    town: &LiveTown,
    plugin: &Plugin,
    begun: &BegunRun,
) -> anyhow::Result<PluginRunReport> {
    let started = std::time::Instant::now();
    let (result, end, output) = match run_program(town, plugin, begun) {
        // Without a record, the run is due again.
        Ok(ended) if ended.is_stopped => {
            anyhow::bail!(
                "{} was stopped before its end, and runs again",
                plugin.key()
            )
        }
        Ok(ended) => (ended.result, ended.end, ended.output),
        Err(reason) => (PluginResult::Failure, reason, Vec::new()),
    };
    // A log that cannot be written must not lose the record of the run.
    let log = write_log(town, plugin, begun, &output).ok().flatten();
    let outcome = RunOutcome {
        result,
        end,
        seconds: (started.elapsed().as_secs_f64() * 10.0).round() / 10.0,
        tail: cut::last_lines(
            String::from_utf8_lossy(&output).trim_end(),
            MAX_RECORDED_OUTPUT,
        )
        .to_owned(),
        log,
    };
    let run = finish_run(town, plugin, &begun.trigger, &outcome)?;
    Ok(PluginRunReport {
        plugin: plugin.name().to_owned(),
        rig: plugin.rig.clone(),
        result: outcome.result,
        end: outcome.end,
        seconds: outcome.seconds,
        output: outcome.tail,
        log: outcome.log,
        run,
    })
}

/// The end of a program.
struct EndedProgram {
    result: PluginResult,
    end: String,
    output: Vec<u8>,
    /// True if this process was asked to stop.
    is_stopped: bool,
}

/// Runs the program. The error is why it could not be run.
fn run_program(town: &Town, plugin: &Plugin, begun: &BegunRun) -> Result<EndedProgram, String> {
    let script = plugin.script();
    if !script.is_file() {
        return Err(format!("it has no {SCRIPT}"));
    }
    check_inside(&town.layout, plugin.rig.as_deref(), &script)?;
    let is_executable = script
        .metadata()
        .is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0);
    let command = if is_executable {
        prepare(town, plugin, &script)
    } else {
        prepare(town, plugin, "sh").arg(&script)
    };
    let folder = TemporaryFolder::new("gt-plugin-").map_err(|error| error.to_string())?;
    let events = folder.path().join("events.jsonl");
    let lines: String = begun
        .events
        .iter()
        .map(|stored| format!("{}\n", stored.raw_line))
        .collect();
    std::fs::write(&events, lines).map_err(|error| error.to_string())?;
    let command = command
        .env("GT_PLUGIN_TRIGGER", &begun.trigger)
        .env("GT_PLUGIN_EVENTS_FILE", &events)
        .limit(plugin.timeout())
        .cap(MAX_OUTPUT);
    let run = run_until_held(town, plugin, command);
    let is_stopped = matches!(run, Err(ExecError::Stopped { .. }));
    let (result, end, output) = match run {
        Ok(done) => {
            let (result, end) = match done.code() {
                Some(0) => (PluginResult::Success, "exit code 0".to_owned()),
                Some(NOTHING_TO_DO) => (PluginResult::Skipped, "nothing to do".to_owned()),
                Some(code) => (PluginResult::Failure, format!("exit code {code}")),
                None => (PluginResult::Failure, "ended by a signal".to_owned()),
            };
            (result, end, [done.stdout, done.stderr].concat())
        }
        Err(ExecError::TimedOut { limit, output, .. }) => (
            PluginResult::Failure,
            format!("not finished after {}s", limit.as_secs()),
            output.into_bytes(),
        ),
        Err(ExecError::Stopped { .. }) => (PluginResult::Skipped, "stopped".to_owned(), Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    Ok(EndedProgram {
        result,
        end,
        output,
        is_stopped,
    })
}

/// Runs a command until it ends, this process is asked to stop, or the town is stopped or the rig
/// held after the start.
fn run_until_held(
    town: &Town,
    plugin: &Plugin,
    command: ChildCommand,
) -> Result<ChildOutput, ExecError> {
    let rig = plugin.rig.as_ref().map(|rig| town.rig(rig));
    let find_hold = || hold::find_hold(rig.as_ref(), &town.layout);
    // A user may run a plugin in a stopped town.
    let was_held = find_hold().is_some();
    let stop = Arc::new(AtomicBool::new(false));
    let command = command.stop_when(Arc::clone(&stop));
    std::thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        scope.spawn(move || {
            while end.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if town.stop.load(Ordering::Relaxed) || !was_held && find_hold().is_some() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
        let run = command.run();
        drop(ended);
        run
    })
}

/// Prepares a command in the plugin's town or rig: a clean environment with the programs of Gas
/// Town on the path, and the documented variables.
pub(super) fn prepare(
    town: &Town,
    plugin: &Plugin,
    program: impl AsRef<std::ffi::OsStr>,
) -> ChildCommand {
    temporary::prepare_for_signals();
    let root = town.layout.root();
    let cwd = plugin
        .rig
        .as_ref()
        .map(|rig| town.layout.rig(rig))
        .as_ref()
        .map_or_else(|| root.to_owned(), |rig| rig.root().to_owned());
    let mut command = ChildCommand::new(program).cwd(&cwd).env_clear();
    for (name, value) in inherited_variables(&town.env) {
        command = command.env(name, value);
    }
    command = command
        .env("PATH", path_with_programs(town))
        .env("GT_TOWN_ROOT", root)
        .env("GT_PLUGIN", plugin.name())
        .env("GT_PLUGIN_DIR", &plugin.folder)
        .stop_when(Arc::clone(&town.stop));
    if let Some(rig) = &plugin.rig {
        command = command.env("GT_RIG", rig).env("GT_RIG_ROOT", &cwd);
    }
    command
}

/// Returns the caller's path after the folder of our own programs.
fn path_with_programs(town: &Town) -> OsString {
    let mut path = match town.exe.parent() {
        Some(own) => own.as_os_str().to_owned(),
        None => OsString::new(),
    };
    if let Some(inherited) = town.env.get("PATH") {
        if !path.is_empty() {
            path.push(":");
        }
        path.push(inherited);
    }
    path
}

/// Writes the output of a run to a log, and removes old logs. Returns the path in the town.
fn write_log(
    town: &Town,
    plugin: &Plugin,
    begun: &BegunRun,
    output: &[u8],
) -> anyhow::Result<Option<String>> {
    if output.is_empty() {
        return Ok(None);
    }
    let folder = town.layout.plugin_logs(&plugin.key());
    file::create_folder(&folder, 0o700)?;
    let stamp = begun.started.strftime("%Y%m%dT%H%M%S%.3fZ").to_string();
    let log = folder.join(format!("{stamp}.log"));
    file::replace_file_relaxed(&log, output, 0o600)?;
    let entries = std::fs::read_dir(&folder)?.flatten();
    let mut logs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    logs.sort();
    for old in &logs[..logs.len().saturating_sub(MAX_LOGS)] {
        file::remove_file(old)?;
    }
    let inside = log.strip_prefix(town.layout.root()).unwrap_or(&log);
    Ok(Some(inside.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::townwide::plugin::{begin_by_hand, begin_if_open, find_plugin};
    use crate::record::plugin::run::list_runs;
    use crate::testing::TestTown;

    fn put(place: &TestTown, front: &str, script: &str) -> Plugin {
        let folder = place.town.layout.plugins().join("p");
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("+++\nname = \"p\"\n{front}\n+++\nDo it.\n");
        std::fs::write(folder.join("plugin.md"), text).unwrap();
        std::fs::write(folder.join(SCRIPT), script).unwrap();
        find_plugin(&place.town, "p", None).unwrap()
    }

    #[test]
    fn each_end_of_a_program_is_recorded_with_its_output() {
        let place = TestTown::new();
        let run = |front: &str, script: &str| {
            let plugin = put(&place, front, script);
            let begun = begin_by_hand(&place.town, &plugin).unwrap();
            run_script(&place.town, &plugin, &begun).unwrap()
        };
        let good = run(
            "[tracking]\nlabels = [\"area:x\", \"rig:web\"]",
            "echo \"$GT_PLUGIN $GT_PLUGIN_TRIGGER\"; cat \"$GT_PLUGIN_EVENTS_FILE\"\n",
        );
        assert_eq!(
            (good.result, good.output.as_str()),
            (PluginResult::Success, "p manual")
        );
        let log = place.town.layout.root().join(good.log.unwrap());
        assert_eq!(std::fs::read_to_string(log).unwrap(), "p manual\n");
        let bad = run("", "echo no >&2\nexit 3\n");
        assert_eq!(
            (bad.result, bad.end.as_str()),
            (PluginResult::Failure, "exit code 3")
        );
        let idle = run("", "exit 77\n");
        assert_eq!(idle.result, PluginResult::Skipped);
        let slow = run("[execution]\ntimeout = \"1s\"", "echo begun\nsleep 600\n");
        assert_eq!(slow.end, "not finished after 1s");
        assert_eq!(slow.output, "begun");
        let plugin = put(&place, "", "");
        let beads = place.town.open_town_store().unwrap().snapshot().unwrap();
        let runs = list_runs(&beads, &plugin, 10);
        let results: Vec<&str> = runs.iter().map(|run| run.result.unwrap().word()).collect();
        assert_eq!(results, ["failure", "skipped", "failure", "success"]);
        let labels = ["area:x", "plugin:p", "result:success", "type:plugin-run"];
        assert_eq!(runs[3].labels, labels);
        assert!(beads.get(&runs[3].id).unwrap().is_internal());
        assert!(runs[2].text.contains("exit code 3"), "{}", runs[2].text);
    }

    #[test]
    fn an_open_gate_begins_one_run_and_a_running_plugin_no_second_one() {
        let place = TestTown::new();
        let plugin = put(&place, "[gate]\ntype = \"cooldown\"\nduration = \"1h\"", "");
        let begun = begin_if_open(&place.town, &plugin).unwrap().unwrap();
        assert_eq!(begun.trigger, "cooldown");
        assert!(begin_if_open(&place.town, &plugin).is_err(), "it runs");
        assert!(begin_by_hand(&place.town, &plugin).is_err(), "it runs");
        // A run without a record is repeated once.
        drop(begun);
        drop(begin_if_open(&place.town, &plugin).unwrap().unwrap());
        assert!(begin_if_open(&place.town, &plugin).unwrap().is_none());
        assert!(begin_by_hand(&place.town, &plugin).is_ok());
    }

    #[test]
    fn old_runs_and_logs_are_removed() {
        let place = TestTown::new();
        let plugin = put(&place, "", "echo hello\n");
        for _ in 0..MAX_LOGS + 3 {
            let begun = begin_by_hand(&place.town, &plugin).unwrap();
            run_script(&place.town, &plugin, &begun).unwrap();
        }
        let logs = std::fs::read_dir(place.town.layout.plugin_logs("p")).unwrap();
        assert_eq!(logs.count(), MAX_LOGS);
    }
}
