use serde_json::json;

use crate::context::Context;
use bd::store::find::NotFound;
use bd::store::mark;
use bd::store::paths::StorePaths;

use kit::cli::report::{CommandResult, TextReport};

/// Print the folder of the beads in use
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let found = ctx.project().map_err(|error| match error {
        NotFound::Around { .. } => NoFolder.into(),
        NotFound::Named { .. } => anyhow::Error::from(error),
    })?;
    let path = found.dir.display().to_string();
    let mut value = json!({"path": path});
    let mut lines = vec![path];
    if let Some(from) = &found.redirected_from {
        value["redirected_from"] = json!(from);
        lines.push(format!("  (via redirect from {})", from.display()));
    }
    if let Ok(prefix) = ctx.store()?.prefix() {
        value["prefix"] = json!(prefix);
        lines.push(format!("  prefix: {prefix}"));
    }
    let paths = StorePaths::for_folder(&found.dir);
    value["issues_path"] = json!(paths.issues());
    value["database_path"] = json!(paths.mark());
    if mark::is_foreign_database(&paths) {
        lines.push(format!(
            "  note: {} is a database of another program and is not read",
            paths.mark().display()
        ));
    }
    TextReport::lines(value, lines).into_answer()
}

/// No beads folder was found.
#[derive(Debug, thiserror::Error)]
#[error("no beads directory found")]
struct NoFolder;
