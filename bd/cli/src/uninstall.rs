use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use anyhow::Context as _;

use crate::context::Context;
use bd::git::Git;
use bd::hooks;
use bd::store::paths::StorePaths;
use bd::store::{self, find};
use bd::sync::SyncPlace;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::failure::UsageError;
use kit::sys::file;
use kit::ui::{Page, counted};

/// Remove bd from this repository; the beads stay
///
/// Removes the git hooks, the merge driver and the excludes of this clone, and the sections and
/// settings of `bd setup` in the project's files. Files and settings of others are as they were
/// before. `.beads/` stays, and `bd init` sets everything up again.
///
/// --beads removes `.beads/` too. It refuses if beads are in no commit, unless --force is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Remove the beads, too
    #[arg(long)]
    beads: bool,
    /// With --beads, remove beads that are in no commit
    #[arg(long, requires = "beads")]
    force: bool,
}

/// The beads of a folder, and those that a removal would lose.
struct BeadStock {
    beads: usize,
    /// The beads and wisps whose current lines are in no commit that stays.
    uncommitted: usize,
    /// The files of the user in the folder that are in no commit.
    files: Vec<String>,
    /// True if git tracks files of the folder.
    is_tracked: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("uninstall")?;
    let found = ctx.project()?;
    if let Some(here) = &found.redirected_from {
        kit::bail_usage!(
            "{} uses the beads in {}: run bd uninstall there",
            here.display(),
            found.dir.display()
        );
    }
    let dir = found.dir.clone();
    ctx.store()?.fold(&ctx.clock)?;
    let stock = take_stock(ctx, &dir)?;
    if args.beads {
        refuse_loss(&stock, &dir, args.force)?;
    }
    let mut removed = Vec::new();
    let changed = super::setup::remove_from_project(ctx)?;
    removed.extend(changed.iter().map(|path| path.display().to_string()));
    let root = find::GitPlace::around(&dir).root;
    let mut edited = Vec::new();
    if let Some(root) = &root {
        if dir.parent() == Some(root) {
            let outcome = hooks::uninstall_git_hooks(&Git::at(root))?;
            removed.extend(
                outcome
                    .removed
                    .iter()
                    .map(|name| format!("git hook {name}")),
            );
            edited = outcome.edited;
        }
        if super::merge::remove_merge_driver(&dir)? {
            removed.push("merge driver of git".to_owned());
        }
    }
    let mut tracked = match &root {
        Some(root) => tracked_files(root, &changed)?,
        None => Vec::new(),
    };
    if args.beads {
        fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        removed.push(dir.display().to_string());
    }
    // Last, because reading the beads excludes their local files again.
    if store::remove_excludes(dir.parent().unwrap_or(&dir), &dir)? {
        removed.push("excludes of git".to_owned());
    }
    let mut rest = super::hooks::describe_edited(&edited);
    if args.beads && stock.is_tracked {
        tracked.push(dir.display().to_string());
    }
    if !tracked.is_empty() {
        rest.push("Git tracks some of the removed files. Commit their removal:".to_owned());
        rest.push(format!("  git add -A -- {}", tracked.join(" ")));
    }
    rest.extend(describe_rest(ctx, &dir, &stock, args.beads)?);
    let report = UninstallReport {
        removed,
        edited,
        beads: stock.beads,
        beads_removed: args.beads,
        uncommitted: stock.uncommitted,
        rest,
    };
    if report.removed.is_empty() {
        build_report(report, write_uninstall)
    } else {
        build_confirmation(report, write_uninstall)
    }
}

#[derive(Serialize)]
struct UninstallReport {
    removed: Vec<String>,
    edited: Vec<PathBuf>,
    beads: usize,
    beads_removed: bool,
    uncommitted: usize,
    /// The lines about everything that stays, and about next steps.
    #[serde(skip)]
    rest: Vec<String>,
}

fn write_uninstall(report: &UninstallReport, page: &mut Page) {
    page.line(if report.removed.is_empty() {
        "Nothing of bd is installed in this repository"
    } else {
        "✓ Removed from this repository:"
    });
    for name in &report.removed {
        page.line(format!("  {name}"));
    }
    for line in &report.rest {
        page.line(line);
    }
}

/// Counts the beads of a folder, and those that no remaining commit has.
fn take_stock(ctx: &Context, dir: &Path) -> anyhow::Result<BeadStock> {
    let paths = StorePaths::for_folder(dir);
    let snapshot = ctx.open(dir)?.snapshot()?;
    let beads = snapshot
        .bead_refs()
        .filter(|bead| !bead.is_tombstone())
        .count();
    let mut committed = CommittedFiles::default();
    if find::GitPlace::around(dir).root.is_some() {
        committed = CommittedFiles::find(ctx, dir)?;
    }
    let mut uncommitted = 0;
    let mut names = vec![paths.issues().to_owned(), paths.wisps()];
    if let Ok(entries) = fs::read_dir(paths.archive()) {
        names.extend(entries.flatten().map(|entry| entry.path()));
    }
    for path in names {
        let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy();
        let known = committed.lines(&name)?;
        let Some(text) = file::read_file_if_exists(&path)
            .with_context(|| format!("cannot read {}", path.display()))?
        else {
            continue;
        };
        uncommitted += text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty() && !known.contains(*line))
            .count();
    }
    Ok(BeadStock {
        beads,
        uncommitted,
        files: committed.uncommitted_files(dir)?,
        is_tracked: committed.is_tracked(dir)?,
    })
}

/// The commits that stay when the beads are removed, and the path of the folder in them.
#[derive(Default)]
struct CommittedFiles {
    git: Option<Git>,
    prefix: String,
    commits: Vec<String>,
}

impl CommittedFiles {
    fn find(ctx: &Context, dir: &Path) -> anyhow::Result<Self> {
        let git = Git::at(dir);
        let prefix = git.prefix()?;
        let mut refs = vec!["HEAD".to_owned()];
        if let Ok(place) = SyncPlace::for_folder(dir, &ctx.config) {
            refs.push(place.reference());
            let remote = place.remote().ok().flatten();
            refs.extend(remote.map(|remote| place.tracking(&remote)));
        }
        let mut commits = Vec::new();
        for name in refs {
            commits.extend(git.resolve(&name)?);
        }
        let git = Some(git);
        Ok(Self {
            git,
            prefix,
            commits,
        })
    }

    /// Returns the lines of a file in the commits.
    fn lines(&self, name: &str) -> anyhow::Result<HashSet<Vec<u8>>> {
        let mut lines = HashSet::new();
        for commit in &self.commits {
            let path = format!("{}{name}", self.prefix);
            let Some(git) = &self.git else {
                continue;
            };
            if let Some(text) = git.file_at(commit, &path)? {
                lines.extend(text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
            }
        }
        Ok(lines)
    }

    fn is_tracked(&self, dir: &Path) -> anyhow::Result<bool> {
        let Some(git) = &self.git else {
            return Ok(false);
        };
        Ok(!git.in_folder(dir).tracked(&["."])?.is_empty())
    }

    /// Returns the files in a beads folder that bd does not write and whose content is in no
    /// commit.
    fn uncommitted_files(&self, dir: &Path) -> anyhow::Result<Vec<String>> {
        let mut committed = HashSet::new();
        let mut changed = HashSet::new();
        if let Some(git) = &self.git {
            committed.extend(git.in_folder(dir).tracked(&["."])?);
            changed.extend(git.status()?.into_iter().map(|change| change.path));
        }
        let mut files = Vec::new();
        add_files(dir, "", &mut files)?;
        files.retain(|name| {
            let path = format!("{}{name}", self.prefix);
            let path = Path::new(&path);
            let is_tracked = committed.contains(path) || committed.contains(Path::new(name));
            !is_tracked || changed.contains(path)
        });
        Ok(files)
    }
}

/// Entries of a beads folder that bd and earlier clients write. The beads in them are counted
/// separately.
const OWN_ENTRIES: &[&str] = &[
    ".gitattributes",
    ".gitignore",
    ".local_version",
    "README.md",
    "archive",
    "beads.db",
    "bd.sock",
    "clone-id",
    "config.yaml",
    "damaged",
    "dolt",
    "events",
    "last-touched",
    "metadata.json",
    "redirect",
    "sync-base",
];

/// Adds the names of the user's files in a beads folder.
fn add_files(folder: &Path, below: &str, names: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let ending = Path::new(&name)
            .extension()
            .and_then(|ending| ending.to_str());
        let is_own = OWN_ENTRIES.contains(&name.as_str())
            || name.starts_with('.')
            || matches!(ending, Some("jsonl" | "bin" | "lock" | "log" | "pid"))
            || name.starts_with("issues.")
            || name.starts_with("beads.");
        if below.is_empty() && is_own {
            continue;
        }
        let path = format!("{below}{name}");
        if entry.file_type()?.is_dir() {
            add_files(&entry.path(), &format!("{path}/"), names)?;
        } else {
            names.push(path);
        }
    }
    Ok(())
}

/// Refuses to remove beads and files that are in no commit.
fn refuse_loss(stock: &BeadStock, dir: &Path, force: bool) -> Result<(), UsageError> {
    if force || (stock.uncommitted == 0 && stock.files.is_empty()) {
        return Ok(());
    }
    let mut lost = Vec::new();
    if stock.uncommitted > 0 {
        lost.push(counted(stock.uncommitted, "bead"));
    }
    lost.extend(stock.files.iter().cloned());
    Err(UsageError(format!(
        "{} of {} would be lost: no commit has the current state of {}; nothing was removed\n  Commit .beads or run `bd sync --full` first, or add --force",
        lost.join(" and "),
        dir.display(),
        if stock.uncommitted == 1 { "it" } else { "them" },
    )))
}

/// Returns the paths that git tracks.
fn tracked_files(root: &Path, paths: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let git = Git::at(root);
    let mut tracked = Vec::new();
    for path in paths {
        let name = path.to_string_lossy();
        if !git.tracked(&[&name])?.is_empty() {
            tracked.push(name.into_owned());
        }
    }
    Ok(tracked)
}

/// Describes what bd wrote and the command leaves.
fn describe_rest(
    ctx: &Context,
    dir: &Path,
    stock: &BeadStock,
    are_removed: bool,
) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    if !are_removed {
        lines.push(format!(
            "{} with {} stays; remove it with: bd uninstall --beads",
            dir.display(),
            counted(stock.beads, "bead")
        ));
    }
    let folder = dir.parent().unwrap_or(dir);
    if find::GitPlace::around(folder).root.is_some()
        && let Some(branch) = ctx.config.sync_branch()
        && Git::at(folder)
            .resolve(&format!("refs/heads/{branch}"))?
            .is_some()
    {
        lines.push(format!(
            "The branch {branch} with the synchronized beads stays; remove it with: git branch -D {branch}"
        ));
    }
    for name in super::setup::find_user_setups(ctx) {
        lines.push(format!(
            "Your settings of {name} run bd in all projects; remove that with: bd setup {name} --remove"
        ));
    }
    Ok(lines)
}
