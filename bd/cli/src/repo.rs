//! `bd repo`: accepts the commands that copied beads of other repositories into the database of
//! earlier versions.

use crate::context::Context;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;

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
            let report = kit::report_value! { primary: ".", additional: projects };
            build_report(report, |report, page| {
                page.line(format!("Primary: {}", report.primary));
                for (name, path) in &report.additional {
                    page.line(format!("{name}: {path}"));
                }
            })
        }
        RepoCommand::Sync {} => {
            build_report(kit::report_value! { synced: true }, |_, page| {
                page.line("Nothing to copy: beads of other repositories stay there");
            })
        }
        RepoCommand::Add { path } | RepoCommand::Remove { path } => Err(UsageError(format!(
            "beads of other repositories are not copied. To wait for work of a project: bd config set external_projects.NAME {path}"
        ))
        .into()),
    }
}
