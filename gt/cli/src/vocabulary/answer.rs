//! Answers a command line of the original that this program does not know: runs the equivalent, or
//! explains what to type.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use kit::failure::Failure;
use kit::gateway::{self, FORWARDED_ARGUMENT};
use kit::sys::{ChildCommand, Env, ExecError, env};
use kit::table::find_meaning;

use super::flags::{self, OldFlag};
use super::{
    BARE_LINES, OldCommand, SHORT_NAMES, Standing, all_commands, find_command, list_below,
};

/// The exit code of a command line that is refused.
pub(super) const USAGE: u8 = 2;

/// The answer to a command line of the original.
#[derive(Debug)]
pub(in super::super) enum OldLineAnswer {
    /// Run this line of `gt` in its place.
    Gt(Vec<OsString>),
    /// Replace this process with `bd` and these arguments.
    Bd(Vec<OsString>),
    /// Do nothing.
    Nothing,
    /// Refuse the line, and name what to type.
    Refuse {
        failure: Failure,
        /// The words after the refused ones.
        operands: Vec<String>,
    },
}

/// Returns the answer to a line whose first word is a command of ours that would read the next word
/// as an argument, such as `gt hook show X`, or that needs one, such as `gt role`.
pub(in super::super) fn answer_known_word(args: &[OsString]) -> Option<OldLineAnswer> {
    let line = OldLine::split(args)?;
    if let Some(answer) = line.answer_bare_line() {
        return Some(answer);
    }
    let first = find_command(&line.words[..1])?;
    let found = find_command(&line.words)?;
    // The parser would take the beginning of a command's name for the command.
    let is_beginning = || {
        all_commands()
            .any(|command| command.standing.is_ours() && command.path.starts_with(line.words[0]))
    };
    let is_answered = !found.standing.is_ours() && (first.standing.is_ours() || is_beginning());
    is_answered.then(|| line.answer(&found)).flatten()
}

/// Returns the answer to a line that the parser has refused with `error`.
pub(in super::super) fn answer_refused_line(
    args: &[OsString],
    error: &clap::Error,
) -> Option<OldLineAnswer> {
    let line = OldLine::split(args)?;
    let found = find_command(&line.words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => line.answer(&found?),
        ErrorKind::UnknownArgument => {
            let Some(ContextValue::String(written)) = error.get(ContextKind::InvalidArg) else {
                return None;
            };
            // A command that the original lacks has one word.
            let path = found.map_or(line.words[0], |found| found.path);
            if !written.starts_with('-') {
                let standing = flags::find_argument(path)?;
                let name = format!("gt {path} {written}");
                return Some(OldLineAnswer::Refuse {
                    failure: explain(&name, standing),
                    operands: vec![written.clone()],
                });
            }
            let flag = flags::find_flag(path, written)?;
            Some(line.refuse(explain_flag(&flag), path))
        }
        _ => None,
    }
}

/// A command line, split at its command.
struct OldLine<'a> {
    /// The flags before the command.
    before: &'a [OsString],
    /// The words that may be a command: those before the first flag.
    words: Vec<&'a str>,
    /// The arguments from the command on.
    rest: &'a [OsString],
}

impl<'a> OldLine<'a> {
    /// Splits a line that begins with the program's name. None if it has no command.
    fn split(args: &'a [OsString]) -> Option<Self> {
        let args = args.get(1..)?;
        let start = args.iter().position(|arg| arg != "--json")?;
        let (before, rest) = args.split_at(start);
        let texts = rest.iter().map_while(|arg| arg.to_str());
        let words: Vec<&str> = texts.take_while(|word| !word.starts_with('-')).collect();
        (!words.is_empty()).then_some(Self {
            before,
            words,
            rest,
        })
    }

    /// Returns the line that runs in place of one that lacks a command or a value.
    fn answer_bare_line(&self) -> Option<OldLineAnswer> {
        let line = find_meaning(BARE_LINES, &self.words.join(" "))?;
        if self.rest.iter().any(|arg| arg == "--help" || arg == "-h") {
            return None;
        }
        let words: Vec<&str> = line.split(' ').collect();
        Some(self.run_instead(&words, self.words.len()))
    }

    /// Returns the line of `gt` in which `words` take the place of the first `taken` words.
    fn run_instead(&self, words: &[&str], taken: usize) -> OldLineAnswer {
        let given = self.before.iter().chain(&self.rest[taken..]).cloned();
        OldLineAnswer::Gt(
            std::iter::once("gt")
                .chain(words.iter().copied())
                .map(OsString::from)
                .chain(given)
                .collect(),
        )
    }

    fn answer(&self, command: &OldCommand) -> Option<OldLineAnswer> {
        match command.standing {
            Standing::Runs(other) => {
                let (program, words) = other.split_once(' ')?;
                let words: Vec<&str> = words.split(' ').collect();
                let taken = command.path.split(' ').count();
                Some(match self.run_instead(&words, taken) {
                    OldLineAnswer::Gt(line) if program == "bd" => {
                        OldLineAnswer::Bd(line.into_iter().skip(1).collect())
                    }
                    answer => answer,
                })
            }
            Standing::Accepted(_) => Some(OldLineAnswer::Nothing),
            // Only a line with another name of the command is refused.
            Standing::Same | Standing::Kinder(_) => {
                let name = find_meaning(SHORT_NAMES, self.words[0])?;
                Some(self.run_instead(&[name], 1))
            }
            standing => Some(self.refuse(explain_command(command.path, standing), command.path)),
        }
    }

    /// Refuses the line, whose first words are the path of a command.
    fn refuse(&self, failure: Failure, path: &str) -> OldLineAnswer {
        let operands = self.rest.iter().skip(path.split(' ').count());
        OldLineAnswer::Refuse {
            failure,
            operands: operands
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        }
    }
}

/// Explains a command that is refused, with the commands below it.
fn explain_command(path: &str, standing: Standing) -> Failure {
    let mut failure = explain(&format!("gt {path}"), standing);
    let below: Vec<String> = list_below(path)
        .map(|command| describe_line(&command))
        .collect();
    if let Some(hint) = &mut failure.hint
        && !below.is_empty()
    {
        hint.push_str(&format!("\n{}", below.join("\n")));
    }
    failure
}

/// One line of a list of commands: the old one and what to type.
fn describe_line(command: &OldCommand) -> String {
    let path = command.path;
    match command.standing {
        Standing::Runs(other) | Standing::Renamed { command: other, .. } => {
            format!("  gt {path}: {other}")
        }
        Standing::Same | Standing::Kinder(_) | Standing::Accepted(_) => format!("  gt {path}"),
        Standing::NotOffered { reason, .. } => format!("  gt {path}: not offered: {reason}"),
    }
}

fn explain_flag(flag: &OldFlag) -> Failure {
    let name = flag.names().next().unwrap_or(flag.spellings);
    explain(&format!("gt {} {name}", flag.path), flag.standing)
}

fn explain(name: &str, standing: Standing) -> Failure {
    let (message, hint, code) = match standing {
        Standing::Renamed {
            command,
            note: None,
        }
        | Standing::Runs(command) => (
            format!("`{name}` has another name in this version"),
            format!("type\n  {command}"),
            "renamed",
        ),
        Standing::Renamed {
            command,
            note: Some(note),
        } => (
            format!("`{name}` has another name in this version: {note}"),
            format!("type\n  {command}"),
            "renamed",
        ),
        Standing::NotOffered { reason, next } => (
            format!("`{name}` is not offered: {reason}"),
            next.to_string(),
            "not_offered",
        ),
        Standing::Same | Standing::Kinder(_) | Standing::Accepted(_) => {
            (format!("`{name}` failed"), String::new(), "failed")
        }
    };
    Failure {
        message,
        hint: Some(hint),
        code,
        exit: USAGE,
        similar: Vec::new(),
    }
}

/// Replaces this process with `bd`: the one beside this program, otherwise the one on `PATH`.
/// Returns only if that failed.
pub(in super::super) fn replace_with_bd(env: &Env, args: Vec<OsString>) -> ExecError {
    let mark = gateway::find_call_folder()
        .map(|folder| format!("{FORWARDED_ARGUMENT}{}", folder.display()));
    ChildCommand::new(find_bd(env))
        .args(mark)
        .args(args)
        .replace_process()
}

fn find_bd(env: &Env) -> PathBuf {
    let beside = env::current_exe().and_then(|exe| Some(exe.parent()?.join("bd")));
    beside
        .filter(|path| path.is_file())
        .or_else(|| which::which_in("bd", env.get("PATH"), env.cwd()).ok())
        .unwrap_or_else(|| PathBuf::from("bd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn known(text: &str) -> Option<OldLineAnswer> {
        answer_known_word(&words(text))
    }

    #[test]
    fn a_line_that_goes_on_after_a_command_of_ours_runs_its_equivalent() {
        let Some(OldLineAnswer::Gt(line)) = known("gt --json hook show web/amber") else {
            panic!("`gt hook show` is not answered");
        };
        assert_eq!(line, words("gt hook --json web/amber"));
        assert!(known("gt hook web/amber").is_none());
        assert!(known("gt status").is_none());
        assert!(known("gt").is_none());
        assert!(known("gt session at web/amber").is_none());
        assert!(known("gt role --help").is_none());
        assert!(known("gt role def mayor").is_none());
        let Some(OldLineAnswer::Gt(line)) = known("gt --json trail -n 3") else {
            panic!("`gt trail` is not answered");
        };
        assert_eq!(line, words("gt trail commits --json -n 3"));
    }

    #[test]
    fn a_family_lists_what_to_type_for_each_of_its_commands() {
        let session = find_command(&["session"]).unwrap();
        let failure = explain_command(session.path, session.standing);
        let hint = failure.hint.unwrap();
        assert!(hint.contains("\n  gt session at: gt attach"), "{hint}");
        assert_eq!(failure.exit, 2);
    }
}
