//! Runs external commands: `gt <name>` with an unknown name replaces this process with the program
//! `gt-<name>` of `PATH` or of the town's `plugins/<name>/`. Built-in commands, also abbreviated
//! ones, come first.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use kit::sys::{ChildCommand, Env, ExecError};

use gt::town::{self, TownLayout};

/// An external program with its arguments.
pub(super) struct ExternalCommand {
    program: PathBuf,
    args: Vec<OsString>,
}

/// Returns the external program for a command line that clap did not understand.
pub(super) fn find_external_command(
    env: &Env,
    args: &[OsString],
    error: &clap::Error,
    known: &clap::Command,
) -> Option<ExternalCommand> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    // Only the arguments before the command name are parsed here.
    let at = args.iter().skip(1).position(|arg| arg != "--json")? + 1;
    let is_external = args.get(at)?.to_str()? == word && known.find_subcommand(word).is_none();
    if !is_external || !is_command_name(word) {
        return None;
    }
    let program = find_on_path(env, word).or_else(|| find_in_town(env, word))?;
    let before = args[1..at].iter();
    Some(ExternalCommand {
        program,
        args: before.chain(&args[at + 1..]).cloned().collect(),
    })
}

impl ExternalCommand {
    /// Replaces this process with the program. Returns only if that failed.
    pub(super) fn replace_process(self) -> ExecError {
        ChildCommand::new(self.program)
            .args(self.args)
            .replace_process()
    }
}

/// Returns true for letters, digits, `-` and `_`, so never for a path or a flag.
fn is_command_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn find_on_path(env: &Env, name: &str) -> Option<PathBuf> {
    which::which_in(format!("gt-{name}"), env.get("PATH"), env.cwd()).ok()
}

/// Finds the program in a plugin's folder, which must resolve to a place inside the town.
fn find_in_town(env: &Env, name: &str) -> Option<PathBuf> {
    let root = town::find_town(env).ok()?;
    let folder = TownLayout::new(&root).plugins().join(name);
    let program = folder.join(format!("gt-{name}")).canonicalize().ok()?;
    let inside = program.starts_with(root.canonicalize().ok()?);
    (inside && is_executable(&program)).then_some(program)
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
