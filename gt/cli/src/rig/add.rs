//! `gt rig add`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::rig::{self, AddRigRequest};

/// Add a repository to the town
///
/// The name has only letters, digits and _. Work is pushed to the URL and merged into its default
/// branch, or into --branch. Without a URL the rig has its own repository; with --no-remote it is a
/// copy that pushes nowhere. Beads that the repository tracks are used; else the rig gets its own,
/// with --prefix or a prefix made from its name. With `--json` {name, path, prefix, remote, branch,
/// tracked_beads}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig's name
    name: String,
    /// The repository: a URL or a path
    url: Option<String>,
    /// The prefix of its beads
    #[arg(long)]
    prefix: Option<String>,
    /// The branch that work is merged into
    #[arg(long)]
    branch: Option<String>,
    /// Copy the repository and push nowhere
    #[arg(long, requires = "url")]
    no_remote: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let request = AddRigRequest {
        name: args.name.clone(),
        url: args.url.clone(),
        prefix: args.prefix.clone(),
        branch: args.branch.clone(),
        no_remote: args.no_remote,
    };
    let added = rig::add_rig(&town, &request, &|text| ctx.ui.status(text))?;
    build_report(added, |added, page| {
        let remote = added.remote.as_deref().unwrap_or("none: local only");
        let beads = if added.tracked_beads {
            "tracked by the repository"
        } else {
            "the rig's own"
        };
        page.line(format!(
            "Added rig {} at {}",
            added.name,
            added.path.display()
        ));
        page.line(format!("  remote  {remote}"));
        page.line(format!("  branch  {}", added.branch));
        page.line(format!("  beads   {}-, {beads}", added.prefix));
        page.blank();
        page.line("Next:");
        page.line(format!("  cd {}", added.path.display()));
        page.line("  bd create \"...\"");
        page.line(format!("  gt sling BEAD {}", added.name));
    })
}
