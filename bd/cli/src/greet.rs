//! Prints notices before a command: a warning that the beads are still in another bd's database,
//! and once per clone a hint that git does not merge beads there yet.

use crate::context::Context;
use bd::store::mark;
use kit::sys::file;

use super::{Command, merge};

/// The file with the version that last ran in this clone, a convention of existing clients. Git
/// ignores the file.
const VERSION_FILE: &str = ".local_version";

pub(super) fn print_notices(ctx: &Context, command: &Command) {
    if !matches!(
        command,
        Command::Init(_) | Command::Import(_) | Command::Doctor(_)
    ) {
        warn_of_database(ctx);
    }
    hint_at_driver(ctx, command);
}

/// Warns if the folder has a database and no issues file: nothing has been imported yet.
fn warn_of_database(ctx: &Context) {
    let Ok(found) = ctx.project() else { return };
    if found.dir.join("issues.jsonl").exists() {
        return;
    }
    if let Some(database) = mark::find_databases(&found.dir).first() {
        let path = database.display();
        ctx.ui.warn(&format!(
            "{path} is a database of another bd and is not read; `bd import {path}` imports its beads"
        ));
    }
}

/// Hints, at the first command in a clone, that git does not merge beads there yet. Only terminals
/// get the hint.
fn hint_at_driver(ctx: &Context, command: &Command) {
    let installs = matches!(
        command,
        Command::Init(_)
            | Command::Merge(_)
            | Command::Hooks(_)
            | Command::Hook(_)
            | Command::Doctor(_)
            | Command::Mcp(_)
    );
    if ctx.ui.is_json() || ctx.ui.is_quiet() || ctx.is_readonly || installs {
        return;
    }
    let Ok(found) = ctx.project() else { return };
    let mark = found.dir.join(VERSION_FILE);
    let is_new = !mark.exists() && found.dir.join("issues.jsonl").is_file();
    // If the mark cannot be written, the hint would be repeated by every command.
    if !is_new || file::put_first_line(&mark, env!("CARGO_PKG_VERSION"), file::SHARED).is_err() {
        return;
    }
    if merge::lacks_driver(&found.dir) {
        ctx.ui.status(
            "Hint: git merges issues.jsonl line by line in this clone; to merge beads field by field:\n  bd merge --install",
        );
    }
}
