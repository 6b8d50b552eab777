//! The completion scripts of shells, and the answers to a shell that completes a command line.
//!
//! The script that a shell loads holds no candidates: it runs the program again with `COMPLETE`
//! set, and [`answer_completion`] prints the candidates. What must always hold: an answer prints no
//! error, and no values if there is no store.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Command, ValueHint};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use serde::Serialize;

use crate::sys::Env;

use super::named_files::names_a_file;
use super::report::{CommandResult, build_report};

/// The supported shells. The names are also the extensions of script files and the values of
/// `COMPLETE`.
pub const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Print the completion script for a shell.
///
/// The script asks the program for candidates each time a line is completed, so it stays valid when
/// the program changes. `make install` installs it. Without an installation, let the startup file
/// of the shell evaluate it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = SHELLS)]
    shell: String,
}

pub fn print_script(program: &str, args: &Args) -> CommandResult {
    let script = build_script(program, &args.shell);
    let shell = args.shell.clone();
    build_report(ScriptReport { shell, script }, |report, page| {
        page.line(report.script.trim_end());
    })
}

#[derive(Serialize)]
struct ScriptReport {
    shell: String,
    script: String,
}

/// Returns the script that teaches a shell to complete the command lines of a program.
pub fn build_script(program: &str, shell: &str) -> String {
    let template = match shell {
        "zsh" => include_str!("../../../templates/completion.zsh"),
        "fish" => include_str!("../../../templates/completion.fish"),
        _ => include_str!("../../../templates/completion.bash"),
    };
    template
        .replace("NAME", program)
        .replace("FUNCTION", &program.replace('-', "_"))
}

/// Answers a shell that requests candidates, or the function that requests them. Returns `None` if
/// `COMPLETE` is not set.
pub fn answer_completion(
    env: &Env,
    args: &[OsString],
    command: impl Fn() -> Command,
) -> Option<ExitCode> {
    let shell = env.get("COMPLETE")?;
    SHELLS.contains(&shell).then_some(())?;
    // A shell that completes a line cannot show an error. The user sees no candidates.
    CompleteEnv::with_factory(command)
        .try_complete(args.iter().cloned(), Some(env.cwd()))
        .ok();
    Some(ExitCode::SUCCESS)
}

/// A value with its description, which may be empty.
pub type CompletionValue = (String, String);

/// Lists the values of an argument in the context `P`.
pub type ValueLister<P> = fn(&P) -> Vec<CompletionValue>;

pub fn without_descriptions(values: impl IntoIterator<Item = String>) -> Vec<CompletionValue> {
    values
        .into_iter()
        .map(|value| (value, String::new()))
        .collect()
}

/// Attaches a completer to each argument that `table` has a lister for. `table` gets the names of
/// the subcommands (`dep add`) and the id of the argument. In a comma-separated list, the last
/// value is completed.
pub fn attach_completers<P: Send + Sync + 'static>(
    command: Command,
    path: &str,
    place: &Arc<P>,
    table: fn(&str, &str) -> Option<ValueLister<P>>,
) -> Command {
    let command = command.mut_args(|arg| {
        if names_a_file(&arg) {
            return arg.value_hint(ValueHint::AnyPath);
        }
        let Some(values) = table(path, arg.get_id().as_str()) else {
            return arg;
        };
        let place = Arc::clone(place);
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
            filter_candidates(typed.to_str().unwrap_or(""), values(&place))
        }))
    });
    command.mut_subcommands(|sub| {
        let path = format!("{path} {}", sub.get_name());
        attach_completers(sub, path.trim_start(), place, table)
    })
}

fn filter_candidates(typed: &str, values: Vec<CompletionValue>) -> Vec<CompletionCandidate> {
    let (before, last) = typed.split_at(typed.rfind(',').map_or(0, |comma| comma + 1));
    values
        .into_iter()
        .filter(|(value, _)| value.starts_with(last))
        .map(|(value, help)| {
            let help = (!help.is_empty()).then(|| help.into());
            CompletionCandidate::new(format!("{before}{value}")).help(help)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn only_a_shell_name_requests_completion() {
        for value in ["", "0", "1", "yes", "/bin/bash"] {
            let env = Env::with_vars(Path::new("/"), [("COMPLETE", value)]);
            let asked = answer_completion(&env, &[], || unreachable!()).is_some();
            assert!(!asked, "{value}");
        }
    }
}
