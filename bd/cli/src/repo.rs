//! `bd repo`: accepts the commands that copied beads of other repositories into the database of
//! earlier versions.

use serde_json::json;

use crate::context::Context;
use kit::failure::UsageError;

use kit::cli::report::{CommandResult, TextReport};

/// Show the repositories whose beads are used here
///
/// Beads of other repositories are not copied. Rigs of a town are found by their routes, other
/// projects by the setting `external_projects.NAME`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: RepoCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RepoCommand {
    /// List the repositories
    List {},
    /// Accepted for older scripts; there is nothing to copy
    Sync {},
    /// Refused: beads of other repositories are not copied
    Add {
        /// The repository
        #[arg(value_name = "PATH")]
        path: String,
    },
    /// Refused: beads of other repositories are not copied
    Remove {
        /// The repository
        #[arg(value_name = "PATH")]
        path: String,
    },
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    match args.verb {
        RepoCommand::List {} => {
            let projects = ctx.config.family("external_projects");
            let mut lines = vec!["Primary: .".to_owned()];
            lines.extend(projects.iter().map(|(name, path)| format!("{name}: {path}")));
            TextReport::lines(json!({"primary": ".", "additional": projects}), lines).into_answer()
        }
        RepoCommand::Sync {} => {
            let line = "Nothing to copy: beads of other repositories stay there";
            TextReport::new(json!({"synced": true}), line).into_answer()
        }
        RepoCommand::Add { path } | RepoCommand::Remove { path } => Err(UsageError(format!(
            "beads of other repositories are not copied. To wait for work of a project: bd config set external_projects.NAME {path}"
        ))
        .into()),
    }
}
