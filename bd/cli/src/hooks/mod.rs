//! `bd hooks`: one file per subcommand.

mod install;
pub(super) mod run;
mod status;
mod uninstall;

use std::path::{Path, PathBuf};

use crate::context::Context;
use bd::git::Git;
use bd::hooks::{self, GitHook, HookError, HookPlace};
use kit::cli::report::CommandResult;

kit::family! {
    /// Install, check and remove the git hooks of bd
    ///
    /// `pre-commit` writes all changes to the issues file and stages it if git tracks it.
    /// `post-merge` and `post-checkout` report what changed. A hook that is there already runs
    /// first. Settings of git stay unchanged. Hook scripts in the work tree (husky,
    /// `core.hooksPath`) run in every clone, so they stay unchanged too, unless `install --tracked`
    /// asks for it.
    Args:
    Install => install,
    Uninstall => uninstall,
    #[command(visible_alias = "list")]
    Status => status,
    Run => run,
}

/// Opens the repository of the working directory.
fn open_repository(ctx: &Context) -> Git {
    Git::at(ctx.env.cwd())
}

/// The hooks that were installed.
pub(super) struct InstalledHooks {
    pub(super) names: Vec<&'static str>,
    /// The hooks that run another one first.
    pub(super) chained: Vec<&'static str>,
}

/// Installs the hooks, and names each file before its change. Returns `None` if the place belongs
/// to others, and is left unchanged.
pub(super) fn install_at(
    ctx: &Context,
    place: &HookPlace,
    change_tracked: bool,
) -> Result<Option<InstalledHooks>, HookError> {
    let version = env!("CARGO_PKG_VERSION");
    match place {
        HookPlace::Clone { folder } => {
            let chained = hooks::install_git_hooks(folder, version, &|hook: &GitHook| {
                let path = shorten(&hook.path, ctx.env.cwd());
                let is_own = hook.exists && hook.version.is_none();
                let own = if is_own {
                    format!(
                        " (your own hook moves to {}.before-bd and runs first)",
                        hook.name
                    )
                } else {
                    String::new()
                };
                ctx.ui.status(&format!("Writing {path}{own}"));
            })?;
            let names = hooks::NAMES.to_vec();
            Ok(Some(InstalledHooks { names, chained }))
        }
        HookPlace::Project { folder, is_husky } => {
            let is_there = hooks::read_hooks(place, version)?
                .iter()
                .any(|hook| hook.version.is_some());
            if !change_tracked && !is_there {
                return Ok(None);
            }
            if !is_there {
                let path = shorten(&folder.join("pre-commit"), ctx.env.cwd());
                ctx.ui.status(&format!("Writing {path} (commit it)"));
                hooks::install_in_project(folder, *is_husky)?;
            }
            Ok(Some(InstalledHooks {
                names: vec!["pre-commit"],
                chained: Vec::new(),
            }))
        }
        HookPlace::Lefthook { .. } | HookPlace::Shared { .. } => Ok(None),
    }
}

/// Describes a place where bd installs no hook without a request, and the line to add by hand.
/// Empty for the clone's own folder.
pub(super) fn describe_place(place: &HookPlace, cwd: &Path) -> Vec<String> {
    let command = hooks::COMMAND;
    let (reason, script, offers_flag) = match place {
        HookPlace::Clone { .. } => return Vec::new(),
        HookPlace::Project { folder, .. } => (
            format!(
                "git runs the hooks in {} for everyone",
                shorten(folder, cwd)
            ),
            shorten(&folder.join("pre-commit"), cwd),
            true,
        ),
        HookPlace::Shared { folder } => (
            format!(
                "git runs the hooks in {} for other repositories too",
                folder.display()
            ),
            folder.join("pre-commit").display().to_string(),
            false,
        ),
        HookPlace::Lefthook { settings } => (
            format!("lefthook writes the hooks from {}", shorten(settings, cwd)),
            shorten(settings, cwd),
            false,
        ),
    };
    let is_lefthook = matches!(place, HookPlace::Lefthook { .. });
    let mut lines = vec![
        format!("Git hooks: not installed, because {reason}"),
        "  Without a hook, a commit takes the beads along only if you stage them:".to_owned(),
        "    bd sync && git add .beads".to_owned(),
        format!("  To stage them at each commit, add to {script}:"),
    ];
    if is_lefthook {
        lines.extend(
            [
                "    pre-commit:",
                "      commands:",
                "        beads:",
                "          run: if command -v bd >/dev/null 2>&1; then bd hook pre-commit; fi",
            ]
            .map(str::to_owned),
        );
    } else {
        lines.push(format!("    {command}"));
    }
    if offers_flag {
        lines.push("  Or let bd add it (it does nothing for those without bd):".to_owned());
        lines.push("    bd hooks install --tracked".to_owned());
    }
    lines
}

/// Names the hooks that stay because someone edited them.
pub(super) fn describe_edited(paths: &[PathBuf]) -> Vec<String> {
    paths
        .iter()
        .map(|path| {
            let path = path.display();
            format!("  {path} was edited: it stays; remove the lines of bd by hand")
        })
        .collect()
}

/// Returns a path relative to a folder if it is inside.
fn shorten(path: &Path, folder: &Path) -> String {
    let inside = path.strip_prefix(folder);
    inside.unwrap_or(path).display().to_string()
}
