//! `gt install`.

use kit::sys::Clock;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::install::{InstallRequest, install_town};

/// Make a town, or complete one
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder (default: the working directory)
    #[arg(default_value = ".")]
    path: String,
    /// The town's name (default: the name of its folder)
    #[arg(short, long)]
    name: Option<String>,
    /// The e-mail address for agents' commits (default: git's user.email)
    #[arg(long)]
    owner: Option<String>,
    /// Make the town a git repository, with a .gitignore for the clones in it
    #[arg(long)]
    git: bool,
    /// Accepted for scripts: a town that is there is completed
    #[arg(short, long, hide = true)]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let root = ctx.env.make_absolute(&args.path);
    // Drops a trailing `.`, which has no name. Symbolic links stay as the user wrote them.
    let root: std::path::PathBuf = root.components().collect();
    let owner = InstallRequest::from_git_user(ctx.env.cwd());
    let request = InstallRequest {
        name: args.name,
        email: args.owner.or_else(|| owner.email.clone()),
        git: args.git,
        ..owner
    };
    let clock = Clock::choose(ctx.env.get("BD_NOW"));
    let installed = install_town(&ctx.env, &clock, &root, &request)?;
    if let Some(around) = &installed.inside {
        ctx.ui.warn(&format!(
            "this town lies inside the town at {}",
            around.display()
        ));
    }
    for town in &installed.around {
        ctx.ui.warn(&format!(
            "the town at {} lies inside this one; in it and below it commands go on meaning that one",
            town.display()
        ));
    }
    build_report(installed, |installed, page| {
        let how = if installed.existed {
            "was there already"
        } else {
            "is ready"
        };
        page.line(format!(
            "✓ the town \"{}\" {how}: {}",
            installed.name,
            installed.root.display()
        ));
        page.line("Next:");
        page.line(format!("  cd {}", installed.root.display()));
        page.line("  gt rig add NAME GIT-URL     a repository to work on");
        page.line("  gt up                       the daemon");
        page.line("  gt status                   what is going on");
    })
}
