//! A program that runs for a caller in a jail: what it must not do, and how it asks for input.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use super::{COMMANDS, CONTROL, FILES, FORWARDED_ARGUMENT, REFUSED, WANTS_INPUT};

/// The folder of the call that this process runs for. Empty for any other process.
static CALL_FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// What a caller in a jail may not ask for.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ForwardedError {
    #[error(
        "`{path}` cannot be used from a jail: only a file that the command line names is handed to the town, as in \
         --OPTION={path}, and no folder",
        path = path.display()
    )]
    Path { path: PathBuf },
    #[error("`{program} {command}` runs in a jail, not in the town")]
    InPlace {
        program: &'static str,
        command: String,
    },
    #[error(
        "you may not run `{program} {command}`, with which others are affected: \
         ask with `gt escalate`, or tell the mayor with `gt mail send mayor/`"
    )]
    Command {
        program: &'static str,
        command: String,
    },
    #[error("--{option} cannot be used from a jail")]
    Option { option: String },
}

/// Takes the mark of a forwarded call off the arguments. From then on this process runs for a caller
/// in a jail, if there was one.
pub fn take_forwarded(mut args: Vec<OsString>) -> Vec<OsString> {
    let folder = args
        .get(1)
        .and_then(|arg| arg.to_str())
        .and_then(|arg| arg.strip_prefix(FORWARDED_ARGUMENT));
    if let Some(folder) = folder {
        // A process takes its arguments once.
        CALL_FOLDER.set(PathBuf::from(folder)).ok();
        args.remove(1);
    }
    args
}

/// Returns the folder of the call, if this process runs for a caller in a jail.
pub fn find_call_folder() -> Option<&'static Path> {
    CALL_FOLDER.get().map(PathBuf::as_path)
}

/// Checks that all files that a command line names were sent by the caller.
pub fn check_named_files(paths: &[String]) -> Result<(), ForwardedError> {
    let Some(folder) = find_call_folder() else {
        return Ok(());
    };
    let files = folder.join(FILES);
    for path in paths {
        let below = Path::new(path.as_str()).strip_prefix(&files);
        let is_sent = below.is_ok_and(|below| {
            below
                .components()
                .all(|part| matches!(part, Component::Normal(_)))
        });
        if !is_sent {
            let path = PathBuf::from(path);
            return Err(ForwardedError::Path { path });
        }
    }
    Ok(())
}

/// Checks that the caller may run a command, if the gateway has listed those that it may run.
pub fn check_listed(program: &'static str, path: &[String]) -> Result<(), ForwardedError> {
    let Some(folder) = find_call_folder() else {
        return Ok(());
    };
    let is_listed = fs::read_to_string(folder.join(COMMANDS)).is_ok_and(|list| {
        list.lines().any(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            path.len() >= words.len() && words.iter().zip(path).all(|(word, name)| word == name)
        })
    });
    if is_listed {
        return Ok(());
    }
    let command = path.join(" ");
    tell_gateway(&format!("{REFUSED}{command}"));
    Err(ForwardedError::Command { program, command })
}

/// Checks that a command line has none of these options, which name another place or caller.
pub fn check_options(given: &[String], refused: &[&str]) -> Result<(), ForwardedError> {
    let is_refused = |option: &&String| refused.contains(&option.as_str());
    match given.iter().find(is_refused) {
        Some(option) if find_call_folder().is_some() => Err(ForwardedError::Option {
            option: option.clone(),
        }),
        _ => Ok(()),
    }
}

/// Asks the caller for the standard input, before it is read.
pub fn prepare_input() {
    tell_gateway(WANTS_INPUT);
}

/// Reads the standard input to its end: in a jail that of the caller.
pub fn read_input() -> io::Result<String> {
    prepare_input();
    io::read_to_string(io::stdin())
}

fn tell_gateway(line: &str) {
    let Some(folder) = find_call_folder() else {
        return;
    };
    let pipe = OpenOptions::new().write(true).open(folder.join(CONTROL));
    // Without the gateway, the input is empty and this process ends.
    if let Ok(mut pipe) = pipe {
        pipe.write_all(format!("{line}\n").as_bytes()).ok();
    }
}
