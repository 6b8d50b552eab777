//! A word that is no command of ours: `gt <name>` runs the program `gt-<name>`, of `PATH` or of the town's
//! `plugins/<name>/`, in our place. Our own commands, also shortened ones, come first.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use kit::sys::{ChildCommand, Env, ExecError};

use gt::town::{self, TownLayout};

/// A program that stands for a command.
pub(super) struct ExternalCommand {
    program: PathBuf,
    args: Vec<OsString>,
}

/// The program that a line which was not understood asks for.
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
    // Only what comes before the word is ours to read.
    let at = args.iter().skip(1).position(|arg| arg != "--json")? + 1;
    let own = args.get(at)?.to_str()? == word && known.find_subcommand(word).is_none();
    if !own || !is_command_name(word) {
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
    /// Runs it in our place; returns only when that failed.
    pub(super) fn replace_process(self) -> ExecError {
        ChildCommand::new(self.program)
            .args(self.args)
            .replace_process()
    }
}

/// Letters, digits, `-` and `_`: no path, no flag.
fn is_command_name(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(fits)
}

fn find_on_path(env: &Env, name: &str) -> Option<PathBuf> {
    which::which_in(format!("gt-{name}"), env.get("PATH"), env.cwd()).ok()
}

/// The program in a plugin's folder, which must not lead out of the town.
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
