use std::path::PathBuf;

use serde::Serialize;

use crate::context::Context;
use bd::store::find::NotFound;
use bd::store::mark;
use bd::store::paths::StorePaths;
use kit::cli::report::{CommandResult, build_report};

/// Print the folder of the beads in use
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let found = ctx.project().map_err(|error| match error {
        NotFound::Around { .. } => NoFolder.into(),
        NotFound::Named { .. } | NotFound::Unreadable { .. } => anyhow::Error::from(error),
    })?;
    let paths = StorePaths::for_folder(&found.dir);
    let is_foreign = mark::is_foreign_database(&paths);
    let report = WhereReport {
        path: found.dir.display().to_string(),
        redirected_from: found.redirected_from.clone(),
        prefix: ctx.store()?.prefix().ok(),
        issues_path: paths.issues().to_owned(),
        database_path: paths.mark(),
    };
    build_report(report, move |report, page| {
        page.line(&report.path);
        if let Some(from) = &report.redirected_from {
            page.line(format!("  (via redirect from {})", from.display()));
        }
        if let Some(prefix) = &report.prefix {
            page.line(format!("  prefix: {prefix}"));
        }
        if is_foreign {
            let path = report.database_path.display();
            page.line(format!(
                "  note: {path} is a database of another program and is not read"
            ));
        }
    })
}

#[derive(Serialize)]
struct WhereReport {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    redirected_from: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    issues_path: PathBuf,
    database_path: PathBuf,
}

/// No beads folder was found.
#[derive(Debug, thiserror::Error)]
#[error("no beads directory found")]
struct NoFolder;
