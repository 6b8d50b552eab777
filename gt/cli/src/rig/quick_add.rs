//! `gt rig quick-add`.

use std::path::PathBuf;

use anyhow::Context as _;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::crew::{self, CrewError};
use gt::flow::place::rig::{self, AddRigRequest};

/// Add the repository around the working directory as a rig
///
/// Also makes a crew clone for you. The rig is named after the folder, and its origin is that of
/// the repository. The last line is `GT_CREW_PATH=` and the path of your clone. With `--json` {rig,
/// path}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The repository (default: the working directory)
    path: Option<PathBuf>,
    /// The name of your clone (default: $USER)
    #[arg(long)]
    user: Option<String>,
    /// Accepted for scripts: no question is asked
    #[arg(long, hide = true)]
    yes: bool,
    /// Print only the last line
    #[arg(short, long)]
    quiet: bool,
}

#[derive(serde::Serialize)]
struct QuickAddReport {
    rig: String,
    path: PathBuf,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let start = match &args.path {
        Some(path) => ctx.env.make_absolute(&path.to_string_lossy()),
        None => ctx.env.cwd().to_owned(),
    };
    let found = rig::find_repository_around(&start)
        .with_context(|| format!("{} is in no git repository", start.display()))?;
    anyhow::ensure!(
        !found.root.starts_with(town.layout.root()),
        "{} is in the town already",
        found.root.display()
    );
    let folder = found
        .root
        .file_name()
        .context("the root of the file system is no rig")?;
    let request = AddRigRequest {
        name: rig::derive_rig_name(&folder.to_string_lossy()),
        url: Some(found.url()),
        ..AddRigRequest::default()
    };
    let added = rig::add_rig(&town, &request, &|text: &str| {
        if !args.quiet {
            ctx.ui.status(text);
        }
    })?;
    let user = args.user.as_deref().or_else(|| ctx.env.get("USER"));
    let user = rig::derive_rig_name(user.unwrap_or("max"));
    let rig = town.find_rig(&added.name)?;
    match crew::add_member(&rig, &user, false) {
        Ok(_) | Err(CrewError::Exists { .. }) => {}
        Err(CrewError::Other(error)) => return Err(error),
        Err(error) => return Err(error.into()),
    }
    let report = QuickAddReport {
        path: rig.crew(&user),
        rig: added.name,
    };
    build_report(report, move |report, page| {
        if !args.quiet {
            page.line(format!("✓ rig {}", report.rig));
        }
        page.line(format!("GT_CREW_PATH={}", report.path.display()));
    })
}
