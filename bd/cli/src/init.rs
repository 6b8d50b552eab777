use std::ffi::OsStr;
use std::path::Path;

use crate::context::Context;
use bd::bead::id;
use bd::config;
use bd::git::Git;
use bd::hooks::{HookError, HookPlace};
use bd::store::paths::StorePaths;
use bd::store::{StoreError, create};
use bd::store::{find, mark};
use bd::sync::fresh::{self, FetchedBeads};
use kit::cli::report::{CommandResult, build_empty_report, build_report};
use kit::failure::UsageError;
use kit::ui::counted;

/// Start a beads project in this folder
///
/// Creates `.beads/` with an empty `issues.jsonl`, settings and a README, sets up this clone's git
/// to merge beads field by field (a setting in `.git/config`; see `bd merge`), and installs git
/// hooks in `.git/hooks` (see `bd hooks`; `--skip-hooks` leaves them out). No other file is
/// changed, and no hook script in the work tree (husky, `core.hooksPath`) unless --tracked-hooks
/// asks for it. A fresh clone gets the beads of the branch of `bd sync --full`. Refuses in a linked
/// git worktree, which uses the beads of the main worktree. In a folder with beads, such as a
/// clone, adds the missing files; after an earlier `bd init` only with --force.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The prefix of new ids (default: the folder's name)
    #[arg(short, long)]
    prefix: Option<String>,
    /// Add missing files to a folder with beads
    #[arg(long)]
    force: bool,
    /// The branch that `bd sync --full` commits beads to
    #[arg(short, long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Do not install git hooks
    #[arg(long)]
    skip_hooks: bool,
    /// Add the command to the hook script that the repository tracks
    #[arg(long, conflicts_with = "skip_hooks")]
    tracked_hooks: bool,
    /// Do not set git up to merge beads field by field
    #[arg(long, alias = "skip-merge-driver")]
    no_merge_driver: bool,
    #[arg(long, hide = true)]
    from_jsonl: bool,
    #[arg(long, hide = true)]
    contributor: bool,
    #[arg(long, hide = true)]
    team: bool,
    #[arg(long, hide = true)]
    stealth: bool,
    #[arg(long, hide = true)]
    setup_exclude: bool,
    #[arg(long, hide = true)]
    non_interactive: bool,
    #[arg(long, hide = true)]
    skip_agents: bool,
    #[arg(long, hide = true, value_name = "NAME")]
    backend: Option<String>,
    #[arg(long, hide = true, value_name = "TOKEN")]
    destroy_token: Option<String>,
    #[command(flatten)]
    server: ServerArgs,
}

/// Flags for a database server, which is not needed.
#[derive(Debug, clap::Args)]
struct ServerArgs {
    #[arg(long, hide = true)]
    reinit_local: bool,
    #[arg(long, hide = true, value_name = "ROLE")]
    role: Option<String>,
    #[arg(long, hide = true)]
    server: bool,
    #[arg(long, hide = true, value_name = "PORT")]
    server_port: Option<String>,
    #[arg(long, hide = true, value_name = "HOST")]
    server_host: Option<String>,
    #[arg(long, hide = true, value_name = "USER")]
    server_user: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("init")?;
    let named = find::find_named_folder(&ctx.env).map(|(_, dir)| dir);
    let cwd = ctx.env.cwd();
    if named.is_none() {
        refuse_odd_places(cwd)?;
    }
    let place = named.unwrap_or_else(|| cwd.join(".beads"));
    let dir = find::follow_redirect(&place, &mut Vec::new());
    let had = dir.join("config.yaml").is_file();
    let was_there = create::is_initialized(&dir);
    // A clone, or a folder with only the issues file, was not set up here.
    let is_set_up =
        StorePaths::for_folder(&dir).mark().exists() && !super::merge::lacks_driver(&dir);
    let was_made_here = was_there && is_set_up;
    refuse_hidden_issues(&dir)?;
    let taken = read_from_branch(ctx, &dir, &args)?;
    if taken.is_none() && was_made_here && !args.force {
        return Err(StoreError::AlreadyInitialized(dir).into());
    }
    let configured = had.then(|| ctx.config.get("issue-prefix")).flatten();
    let of_branch = taken.as_ref().and_then(|taken| taken.prefix.clone());
    let known = args.prefix.clone().or(configured).or(of_branch);
    let prefix = choose_prefix(ctx, &dir, known)?;
    create::complete_store(&dir, Some(&prefix))?;
    if let Some(branch) = &args.branch {
        config::set_setting(&dir, "sync-branch", branch)?;
    }
    let hooks = if args.skip_hooks || args.stealth {
        InitHooks::default()
    } else {
        install_hooks(ctx, &dir, args.tracked_hooks)
    };
    let driver = !args.no_merge_driver && !args.stealth && install_driver(ctx, &dir)?;
    warn_of_foreign(ctx, &dir);
    let is_found = was_there && !was_made_here;
    let beads = is_found.then(|| count_beads(ctx, &dir)).transpose()?;
    if ctx.ui.is_quiet() {
        return build_empty_report();
    }
    warn_of_outer(ctx, &dir);
    let report = kit::report_value! {
        path: dir.display().to_string(),
        prefix,
        merge_driver: driver,
        hooks: hooks.are_installed,
        issues: beads.unwrap_or(0)
    };
    build_report(report, move |report, page| {
        let prefix = &report.prefix;
        if let Some(taken) = &taken {
            page.line(describe_taken(taken));
        }
        page.line("✓ bd initialized successfully!");
        page.line(format!("  Beads: {}", report.path));
        page.line(format!("  Issue prefix: {prefix}"));
        page.line(format!(
            "  Issues will be named: {prefix}-<hash> (e.g., {prefix}-a3f)"
        ));
        if let Some(count) = beads {
            page.line(format!("  {} found here and used", counted(count, "bead")));
        }
        if report.merge_driver {
            page.line(
                "  Merge driver: git merges beads field by field (other clones: bd merge --install)",
            );
        }
        if report.hooks {
            page.line("  Git hooks: commits take the beads along (see bd hooks)");
        }
        for line in &hooks.advice {
            page.line(format!("  {line}"));
        }
    })
}

/// The outcome of the installation of git hooks.
#[derive(Default)]
struct InitHooks {
    are_installed: bool,
    /// The lines about hooks that belong to others.
    advice: Vec<String>,
}

/// Installs the git hooks if the folder is at the top of a repository.
fn install_hooks(ctx: &Context, dir: &Path, change_tracked: bool) -> InitHooks {
    let root = find::GitPlace::around(dir).root;
    let Some(root) = root.filter(|root| dir.parent() == Some(root)) else {
        return InitHooks::default();
    };
    try_install_hooks(ctx, &root, change_tracked).unwrap_or_else(|error| {
        ctx.ui.warn(&format!("no git hooks are installed: {error}"));
        InitHooks::default()
    })
}

fn try_install_hooks(
    ctx: &Context,
    root: &Path,
    change_tracked: bool,
) -> Result<InitHooks, HookError> {
    let place = HookPlace::find(&Git::at(root))?;
    let installed = super::hooks::install_at(ctx, &place, change_tracked)?;
    Ok(InitHooks {
        are_installed: installed.is_some(),
        advice: match installed {
            Some(_) => Vec::new(),
            None => super::hooks::describe_place(&place, root),
        },
    })
}

/// Chooses the prefix: the recorded one, the prefix of the existing beads, or the name of the
/// folder.
fn choose_prefix(ctx: &Context, dir: &Path, known: Option<String>) -> Result<String, UsageError> {
    let prefix = known
        .or_else(|| prefix_of_beads(ctx, dir))
        .unwrap_or_else(|| {
            let name = ctx.env.cwd().file_name().unwrap_or_default();
            id::clean_prefix(&name.to_string_lossy())
        })
        .trim_end_matches('-')
        .to_owned();
    if !id::is_well_formed(&format!("{prefix}-a")) {
        kit::bail_usage!("invalid prefix \"{prefix}\": use letters, digits, '-', '_' and '.'");
    }
    Ok(prefix)
}

fn count_beads(ctx: &Context, dir: &Path) -> Result<usize, StoreError> {
    let snapshot = ctx.open(dir)?.snapshot()?;
    Ok(snapshot
        .bead_refs()
        .filter(|bead| !bead.is_tombstone())
        .count())
}

/// Returns the prefix of the existing beads; of several, the most frequent one.
fn prefix_of_beads(ctx: &Context, dir: &Path) -> Option<String> {
    let is_there = create::is_initialized(dir);
    let snapshot = is_there
        .then(|| ctx.open(dir).ok()?.snapshot().ok())
        .flatten()?;
    if let Ok(prefix) = snapshot.prefix() {
        let has_beads = snapshot.bead_refs().next().is_some();
        return has_beads.then_some(prefix);
    }
    let ids: Vec<String> = snapshot
        .bead_refs()
        .filter(|bead| !bead.is_tombstone())
        .map(|bead| bead.id().to_owned())
        .collect();
    id::find_usual_prefix(&ids).map(str::to_owned)
}

/// Warns that another program's database stays unchanged.
fn warn_of_foreign(ctx: &Context, dir: &Path) {
    let paths = StorePaths::for_folder(dir);
    if mark::is_foreign_database(&paths) {
        let mark = paths.mark();
        let path = mark.display();
        ctx.ui.warn(&format!("{path} is a database of another program: it is left unchanged and not read; `bd import {path}` imports its beads"));
    }
}

/// Warns if beads of an outer folder applied here so far. The new store hides them.
fn warn_of_outer(ctx: &Context, dir: &Path) {
    if let Some(outer) = ctx.project().ok().filter(|found| found.dir != dir) {
        let outer = outer.dir.display();
        let here = ctx.env.cwd().display();
        ctx.ui.warn(&format!("{outer} has beads, too: they are as they were, and commands in {here} and below use the new ones now"));
    }
}

/// Reads the beads from the sync branch in a fresh clone.
fn read_from_branch(
    ctx: &Context,
    dir: &Path,
    args: &Args,
) -> anyhow::Result<Option<FetchedBeads>> {
    let wanted = args.branch.as_deref();
    let mut config = ctx.config.clone();
    if let Some(branch) = wanted {
        config.set_flag("sync-branch", branch);
    }
    let has_issues = StorePaths::for_folder(dir).issues().exists();
    let root = find::GitPlace::around(ctx.env.cwd()).root;
    if let Some(root) = root.filter(|_| !has_issues)
        && let Err(error) = fresh::fetch_missing_branch(&root, &config, fresh::QUESTION_LIMIT)
    {
        ctx.ui.warn(&format!(
            "the remote did not say whether it has beads: {error}; get them later:\n  bd sync --full"
        ));
    }
    let there = if dir.is_dir() {
        fresh::find_fresh_store(dir, &config)
    } else {
        let here = ctx.env.cwd().join(".beads");
        let found = fresh::find_fresh_clone_around(&ctx.env, &config);
        found.filter(|fresh| fresh.dir == dir && dir == here)
    };
    match there {
        Some(there) => Ok(Some(there.fetch(&ctx.clock)?)),
        None => Ok(None),
    }
}

/// Describes the beads that were read from the sync branch.
pub(super) fn describe_taken(taken: &FetchedBeads) -> String {
    let FetchedBeads {
        beads, branch, dir, ..
    } = taken;
    format!(
        "{} read from the branch {branch} into {}",
        counted(*beads, "bead"),
        dir.display()
    )
}

/// Configures git to merge these beads if the folder is in a repository. Returns true if the folder
/// is in one.
fn install_driver(ctx: &Context, dir: &Path) -> anyhow::Result<bool> {
    create::write_attributes(dir)?;
    if find::GitPlace::around(dir).root.is_none() {
        return Ok(false);
    }
    let git = Git::at(dir);
    if git.config_get("merge.beads.driver")?.is_none() {
        let settings = git.common_dir()?.join("config");
        ctx.ui
            .status(&format!("Setting merge.beads in {}", settings.display()));
    }
    if let Err(error) = super::merge::install_merge_driver(dir) {
        // The project exists by now. Without the driver, git merges line by line.
        ctx.ui.warn(&format!(
            "git is not set up to merge beads field by field ({error}); try 'bd merge --install'"
        ));
        return Ok(false);
    }
    Ok(true)
}

/// Refuses to start an empty project over issues that git tracks and that are not checked out.
fn refuse_hidden_issues(dir: &Path) -> anyhow::Result<()> {
    let folder = dir.file_name().and_then(OsStr::to_str);
    let (Some(project), Some(folder)) = (dir.parent(), folder) else {
        return Ok(());
    };
    if StorePaths::for_folder(dir).issues().exists()
        || find::GitPlace::around(project).root.is_none()
    {
        return Ok(());
    }
    let git = Git::at(project);
    let issues = format!("{folder}/issues.jsonl");
    if git.tracked(&[&issues])?.is_empty() {
        return Ok(());
    }
    let is_sparse = git.config_get("core.sparseCheckout")?.as_deref() == Some("true");
    let command = if is_sparse {
        format!("git sparse-checkout add {}{folder}", git.prefix()?)
    } else {
        format!("git restore {issues}")
    };
    Err(UsageError(format!(
        "git tracks {issues}, but it is not in this checkout; bring the beads back first: {command}"
    ))
    .into())
}

/// Refuses to start a project inside a `.beads` folder or in a linked worktree.
fn refuse_odd_places(cwd: &Path) -> Result<(), UsageError> {
    if cwd
        .ancestors()
        .any(|folder| folder.file_name().is_some_and(|name| name == ".beads"))
    {
        kit::bail_usage!("cannot run 'bd init' inside a .beads directory");
    }
    if let Some(main) = find::GitPlace::around(cwd).main_root {
        kit::bail_usage!(
            "cannot run 'bd init' from within a git worktree; run it in the main repository, {}",
            main.display()
        );
    }
    Ok(())
}
