use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::context::Context;
use bd::bead::lines;
use bd::git::{Git, GitError};
use bd::merge::{self, FileMerge, MergeError, MergeNote, OverruledValue};
use bd::store::archive::Archive;
use bd::store::paths::StorePaths;
use bd::store::{StoreError, rollback};
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::sys::file;
use kit::ui::{counted, escape};

/// Merge bead files field by field (git's merge driver)
///
/// Writes the merge of LEFT and RIGHT over BASE to OUT. Changes of different fields are both kept;
/// of one field the later change wins, and the other value is reported and kept in history. Labels,
/// edges and comments of both sides are kept. Two beads with one id are both kept. OUT may be one
/// of the inputs. If an input has conflict markers, nothing is written and the command fails.
///
/// --unmerged merges both sides from git's index, if `git status` reports the file as unmerged.
///
/// --install makes git merge this project's beads with this command. `bd init` does so for a new
/// project; every other clone needs it once.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The result, the common ancestor, ours and theirs
    #[arg(
        num_args = 4,
        value_names = ["OUT", "BASE", "LEFT", "RIGHT"],
        required_unless_present_any = ["install", "unmerged"],
        conflicts_with_all = ["install", "unmerged"]
    )]
    files: Vec<PathBuf>,
    /// Finish a merge that git stopped, with both sides from its index
    #[arg(long, conflicts_with = "install")]
    unmerged: bool,
    /// Set up this clone's git to use this command
    #[arg(long)]
    install: bool,
    #[arg(long, hide = true)]
    debug: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("merge")?;
    if args.install {
        let dir = ctx.project()?.dir.clone();
        let path = install_merge_driver(&dir)?;
        let report = kit::report_value! { installed: true, path };
        return build_confirmation(report, |report, page| {
            page.line(format!(
                "✓ git merges {} field by field in this clone",
                report.path
            ));
        });
    }
    if args.unmerged {
        return merge_unmerged_file(ctx);
    }
    let paths: Vec<PathBuf> = args
        .files
        .iter()
        .map(|path| make_absolute(ctx, path))
        .collect();
    let [out, base, left, right] = paths.as_slice() else {
        kit::bail_usage!("four files are needed");
    };
    let texts = [base, left, right]
        .map(|path| fs::read(path).map_err(|source| StoreError::io("read", path, source)));
    let [base_text, left_text, right_text] = texts;
    let sides = MergeInput {
        base: base_text?,
        left: left_text?,
        right: right_text?,
    };
    let merge = merge_sides(ctx, &sides)
        .with_context(|| format!("merging {} and {}", left.display(), right.display()))?;
    let there = read_output(out)?;
    if there != merge.text && there != sides.left {
        refuse_to_drop(out, &there, &sides)?;
    }
    finish_merge(ctx, out, merge, &sides)
}

/// The three texts of a merge.
pub(super) struct MergeInput {
    pub(super) base: Vec<u8>,
    pub(super) left: Vec<u8>,
    pub(super) right: Vec<u8>,
}

/// Merges the sides. Archived beads stay in the archive.
pub(super) fn merge_sides(ctx: &Context, sides: &MergeInput) -> Result<FileMerge, MergeError> {
    let archive = OnceCell::new();
    let look_up = |id: &str| archive.get_or_init(|| load_archive(ctx)).get(id);
    merge::merge_files(&sides.base, &sides.left, &sides.right, &look_up)
}

/// Writes and reports the result of a merge.
fn finish_merge(ctx: &Context, out: &Path, merge: FileMerge, sides: &MergeInput) -> CommandResult {
    write_merge(ctx, out, &merge, sides)?;
    let report = kit::report_value! {
        lost: merge.lost, notes: merge.notes, output: out.display().to_string()
    };
    build_report(report, |_, _| {})
}

/// Writes the merged text, reports the overruled values, and records them in history.
pub(super) fn write_merge(
    ctx: &Context,
    out: &Path,
    merge: &FileMerge,
    sides: &MergeInput,
) -> Result<(), StoreError> {
    if read_output(out)? != merge.text {
        file::replace_file(out, &merge.text, 0o644)
            .map_err(|source| StoreError::io("write", out, source))?;
    }
    report_merge(ctx, &merge.lost, &merge.notes);
    record_merge(ctx, merge, &sides.left);
    Ok(())
}

/// Reads the file that the merge will replace. A file that does not exist has no text.
fn read_output(out: &Path) -> Result<Vec<u8>, StoreError> {
    file::read_file_if_exists(out)
        .map(Option::unwrap_or_default)
        .map_err(|source| StoreError::io("read", out, source))
}

/// Merges both sides from git's index, and replaces the file that has git's conflict markers.
fn merge_unmerged_file(ctx: &Context) -> CommandResult {
    let dir = ctx.project()?.dir.clone();
    let paths = StorePaths::for_folder(&dir);
    let out = paths.issues();
    let name = out
        .file_name()
        .map(|name| format!("./{}", name.display()))
        .context("the issues file has no name")?;
    let git = Git::at(&dir);
    let (Some(left), Some(right)) = (git.file_at(":2", &name)?, git.file_at(":3", &name)?) else {
        let reason = "git does not have two sides of it in its index: there is nothing to merge";
        bail!("{}: {reason}", out.display());
    };
    let sides = MergeInput {
        // Both sides may have created the file.
        base: git.file_at(":1", &name)?.unwrap_or_default(),
        left,
        right,
    };
    let there = fs::read(out).map_err(|source| StoreError::io("read", out, source))?;
    let has_marker = there
        .split(|byte| *byte == b'\n')
        .any(lines::is_conflict_marker);
    if there != sides.left && !has_marker {
        let way_out = "it has no markers any more: `git add` it where it is as it should be";
        bail!(
            "{} was edited since git merged it; {way_out}",
            out.display()
        );
    }
    refuse_to_drop(out, &there, &sides)?;
    let merge = merge_sides(ctx, &sides).with_context(|| format!("merging {}", out.display()))?;
    let answer = finish_merge(ctx, out, merge, &sides);
    let shown = escape::escape_line(&out.display().to_string());
    ctx.ui
        .status(&format!("{shown} has both sides now: `git add` it"));
    answer
}

fn parse_ids(text: &[u8]) -> BTreeSet<String> {
    text.split(|byte| *byte == b'\n')
        .filter_map(merge::id_of_line)
        .collect()
}

/// Fails if the file to overwrite has beads that none of the three texts has.
fn refuse_to_drop(out: &Path, there: &[u8], sides: &MergeInput) -> anyhow::Result<()> {
    let known: BTreeSet<String> = [&sides.base, &sides.left, &sides.right]
        .into_iter()
        .flat_map(|text| parse_ids(text))
        .collect();
    let dropped: Vec<String> = parse_ids(there).difference(&known).cloned().collect();
    if dropped.is_empty() {
        return Ok(());
    }
    bail!(
        "{} has beads that neither side has, and they would be gone: {}; nothing was written: give the result another name",
        out.display(),
        escape::escape_line(&dropped.join(", "))
    )
}

fn make_absolute(ctx: &Context, path: &Path) -> PathBuf {
    ctx.env.cwd().join(path)
}

/// Loads the archive of the enclosing project. Without a project there are no archived beads.
fn load_archive(ctx: &Context) -> Archive {
    let dir = ctx.project().ok().map(|found| found.dir.clone());
    // An unreadable archive must not prevent the merge.
    dir.and_then(|dir| Archive::read(&dir).ok())
        .unwrap_or_default()
}

/// Configures git to merge the beads of a folder with this command, and returns the path of the
/// issues file.
pub(super) fn install_merge_driver(dir: &Path) -> Result<String, GitError> {
    let git = Git::at(dir);
    let path = find_issues_path(&git, dir)?;
    git.install_merge_driver(&path)?;
    Ok(path)
}

/// Returns the path of the issues file in its repository.
fn find_issues_path(git: &Git, dir: &Path) -> Result<String, GitError> {
    let paths = StorePaths::for_folder(dir);
    let name = paths.issues().file_name().unwrap_or_default();
    Ok(format!("{}{}", git.prefix()?, name.display()))
}

/// Removes what [`install_merge_driver`] configured. Returns true if anything was there.
pub(super) fn remove_merge_driver(dir: &Path) -> Result<bool, GitError> {
    let git = Git::at(dir);
    git.remove_merge_driver(&find_issues_path(&git, dir)?)
}

/// Returns true if git tracks the beads of this folder and merges them line by line. Only bd merges
/// beads that are in no commit of the project.
pub(super) fn lacks_driver(dir: &Path) -> bool {
    let git = Git::at(dir);
    let is_tracked = git.tracked(&["issues.jsonl"]);
    let path = git.prefix().map(|prefix| format!("{prefix}issues.jsonl"));
    is_tracked.is_ok_and(|files| !files.is_empty())
        && path.is_ok_and(|path| git.has_merge_driver(&path).is_ok_and(|has| !has))
}

/// Records the merge in the history of the enclosing project, if there is one.
fn record_merge(ctx: &Context, merge: &FileMerge, ours: &[u8]) {
    let Ok(store) = ctx.store() else {
        return;
    };
    if let Err(error) = store.record_merge(merge, ours, &ctx.clock) {
        // The merge is complete, and the overruled values have been reported.
        ctx.ui.warn(&format!("history does not have it: {error}"));
    }
}

/// Reports the beads that a merge removed and the conflicts that it resolved.
pub(super) fn report_merge(ctx: &Context, lost: &[OverruledValue], notes: &[MergeNote]) {
    for lost in lost {
        let value = shorten_loser(&lost.value);
        let line = format!(
            "{}: {} {value} gave way to the other side's",
            lost.id, lost.field
        );
        ctx.ui.warn(&escape::escape_line(&line));
    }
    for note in notes {
        let line = match note {
            MergeNote::Kept { id } => {
                format!("{id}: removed on one side and changed on the other; it is kept")
            }
            MergeNote::Buried { id } => {
                format!(
                    "{id}: deleted on one side and changed on the other; it stays deleted, and bd history {id} has what was changed (bd restore {id} brings it back)"
                )
            }
            MergeNote::Spared { id } => {
                format!(
                    "{id}: its line is damaged on one side; it is kept as the other side has it"
                )
            }
            MergeNote::Archived { id } => format!("{id}: is in the archive and stays there"),
            MergeNote::Moved { from, to } => {
                format!("{from}: two beads were made under this id; the later one is now {to}")
            }
            MergeNote::Vanished { ids, commit } => format!(
                "{} removed by {commit}, which no one deleted or archived: kept, and back on the branch ({}); `bd delete` deletes a bead everywhere",
                counted(ids.len(), "bead"),
                rollback::format_some(ids)
            ),
        };
        ctx.ui.status(&escape::escape_line(&line));
    }
}

fn shorten_loser(value: &str) -> String {
    let most = 120;
    match value.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}
