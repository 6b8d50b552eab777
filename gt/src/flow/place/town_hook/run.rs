//! Runs one hook in its own process group, with a time limit and a limit on its output, and reads
//! its result.

use std::path::Path;
use std::sync::Arc;

use kit::sys::{ChildCommand, ExecError};
use kit::ui::{cut, escape};

use super::find::HookPlace;
use super::result::{self, TownHookAnswer};
use super::{TownHookCall, TownHookEvent, TownHookRun, TownHookVerdict, surroundings, time_limit};
use crate::town::Town;
use crate::town::lock::Lock;
use crate::town::temporary::TemporaryFolder;

/// The maximum size of an output in bytes, larger than any result.
const MAX_OUTPUT: usize = 64 * 1024;

/// The maximum size of a reason in bytes.
const MAX_REASON: usize = 2000;

/// Runs a hook. `warnings` gets messages about an approving hook.
pub(super) fn run_hook(
    town: &Town,
    event: TownHookEvent,
    call: &TownHookCall,
    place: HookPlace,
    warnings: &mut Vec<String>,
) -> TownHookRun {
    let mut ran = TownHookRun::new(place.name, String::new());
    match run_process(town, event, call, &place.path, &mut ran) {
        Ok(warning) => warnings.extend(warning),
        Err(reason) => {
            ran.verdict = TownHookVerdict::Broken;
            ran.reason = reason;
        }
    }
    ran
}

/// Runs the process and reads its answer. The value is a warning, the error is why the hook reached
/// no decision.
fn run_process(
    town: &Town,
    event: TownHookEvent,
    call: &TownHookCall,
    place: &Path,
    ran: &mut TownHookRun,
) -> Result<Option<String>, String> {
    let limit = time_limit(town, call.rig, event);
    let root = call.rig.map_or(town.layout.root(), |rig| rig.root());
    let with_result = event == TownHookEvent::PreConvoy;
    // Two concurrent convoys must not read each other's side-car.
    let _turn = if with_result {
        let lock = root.join(".runtime/locks/hooks");
        Some(Lock::take(&lock, limit * 2).map_err(|error| error.to_string())?)
    } else {
        None
    };
    if with_result {
        result::clear_side_car(root).map_err(|error| error.to_string())?;
    }
    let folder = TemporaryFolder::new("gt-hook-")
        .map_err(|error| format!("no temporary folder: {error}"))?;
    let variables = surroundings::build_variables(town, event, call, folder.path())
        .map_err(|error| format!("its input cannot be written: {error}"))?;
    let mut run = ChildCommand::new(place)
        .cwd(call.cwd.as_deref().unwrap_or(root))
        .env_clear();
    for (name, value) in variables {
        run = run.env(name, value);
    }
    let run = run
        .limit(limit)
        .cap(MAX_OUTPUT + 1)
        .stop_when(Arc::clone(&town.stop))
        .run();
    let side_car = if with_result {
        // Removed even if standard output has a result, so that it cannot answer for a later
        // convoy.
        result::take_side_car(root)
    } else {
        Ok(None)
    };
    let done = run.map_err(|error| describe_exec_error(&error))?;
    let Some(exit) = done.code() else {
        return Err("it was ended by a signal".to_owned());
    };
    if done.stdout.len() > MAX_OUTPUT {
        return Err(format!("it printed more than {} KiB", MAX_OUTPUT / 1024));
    }
    ran.errors = decode_errors(&done.stderr);
    ran.output = String::from_utf8(done.stdout)
        .map_err(|_| "what it printed is no text (not UTF-8)".to_owned())?;
    let (answer, warning) = if with_result {
        match result::read_answer(&ran.output, side_car, exit) {
            Ok(read) => read,
            // A rejection counts even if its result is invalid.
            Err(_) if exit != 0 && exit != 3 => (TownHookAnswer::from_exit(exit), None),
            Err(error) => return Err(error.to_string()),
        }
    } else {
        (TownHookAnswer::from_exit(exit), None)
    };
    ran.verdict = answer.verdict();
    if ran.verdict != TownHookVerdict::Approved {
        ran.reason = find_reason(&answer, &ran.output, &ran.errors);
    }
    ran.answer = answer;
    Ok(warning.map(|warning| format!("{}: {warning}", ran.hook)))
}

/// Describes why a run had no exit code.
fn describe_exec_error(error: &ExecError) -> String {
    match error {
        ExecError::TimedOut { limit, .. } => format!(
            "it did not finish within {}s and was ended (setting hooks.timeout)",
            limit.as_secs()
        ),
        ExecError::Io { source, .. } => format!("it cannot be started: {source}"),
        error => error.to_string(),
    }
}

/// Returns why a hook did not approve: the reason in its result, otherwise its standard error,
/// otherwise its standard output.
fn find_reason(answer: &TownHookAnswer, output: &str, errors: &str) -> String {
    let texts = [answer.reason.as_str(), errors, output];
    let words = match texts
        .iter()
        .map(|text| text.trim())
        .find(|text| !text.is_empty())
    {
        Some(text) => cut::first_bytes(text, MAX_REASON).trim_end().to_owned(),
        None => format!("exit code {}, without a word", answer.exit.unwrap_or(0)),
    };
    escape::escape_block(&words)
}

/// Decodes a hook's standard error, within the limit of its output.
fn decode_errors(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(MAX_OUTPUT)];
    String::from_utf8_lossy(bytes).into_owned()
}
