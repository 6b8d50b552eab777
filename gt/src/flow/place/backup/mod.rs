//! Backs up a whole town, `gt backup`: to a folder or to a git remote.
//!
//! A backup is one commit in a repository of backups. Its tree has the files of the town, the list
//! of the refs of each repository, and `manifest.json`. All commits of the town's repositories are
//! reachable from it. The next backup is a commit on top, so nothing that a backup has is ever
//! lost, and a killed backup leaves the last one whole.
//!
//! 1. Find the repositories, work trees, stores and files of the town.
//! 2. Save the uncommitted work of each work tree as a rescue commit.
//! 3. Keep the writers of all stores waiting. Copy the stores and list the refs: this is the moment
//!    of the backup. Let the writers go on.
//! 4. Copy the other files, and write the commit.
//! 5. Push it.

mod contents;
pub(crate) mod history;
pub(crate) mod manifest;
pub(crate) mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use bd::git::rescue::{self, BigFilePolicy};
use bd::git::{Git, TreeEntries, TreeEntry};
use kit::sys::file;
use serde::Serialize;

use crate::town::lock::Lock;
use crate::town::sandbox_git::open_tree;
use crate::town::{Town, TownLayout};
use contents::{FoundRepository, TownContents, find_contents};
pub use history::{BackupChoice, BackupEntry, list_backups};
use manifest::{Manifest, SavedFile, SavedHead, SavedRepository, TownId, VERSION};
use place::{BackupPlace, Workshop};

/// The size of the parts of a big file. The parts of a file that only grows stay the same.
const PART_SIZE: u64 = 4 * 1024 * 1024;

/// The start of the message of each backup's commit.
const SUBJECT_PREFIX: &str = "Backup of ";

/// The name prefix of the temporary folders with copies.
const COPIES_PREFIX: &str = "backup-copies-";

/// A written backup.
#[derive(Debug, Clone, Serialize)]
pub struct BackupReport {
    /// The folder or the URL.
    pub destination: String,
    pub commit: String,
    pub saved_at: String,
    pub files: usize,
    pub repositories: usize,
    pub refs: usize,
    /// The work trees with uncommitted work, which the backup has.
    pub unsaved: Vec<String>,
    /// Descriptions of what the backup does not have.
    pub left_out: Vec<String>,
    /// True if others on this machine may read the destination.
    pub readable_by_others: bool,
}

/// Writes a backup of the town to `destination`, a folder or a URL.
pub fn back_up_town(town: &Town, destination: &str) -> anyhow::Result<BackupReport> {
    let root = town.layout.root();
    let place = BackupPlace::parse(destination, &town.env);
    check_place(town, &place)?;
    let _lock = Lock::take(&town.layout.backup_lock(), Duration::from_secs(60))?;
    place.create_if_missing()?;
    place.check_refs(&Git::at(root))?;
    let mut contents = find_contents(root);
    let mut draft = BackupDraft::begin(root)?;
    let saved = save_unsaved_work(&mut draft, &mut contents);
    let written = draft
        .take(town, contents, &saved)
        .and_then(|()| write_backup(town, &place, &draft));
    draft.drop_rescues();
    let commit = written?;
    let heads = draft.repositories.iter().flat_map(|saved| {
        let own = std::iter::once(&saved.head);
        own.chain(&saved.worktrees)
    });
    let mode = place
        .folder
        .as_ref()
        .and_then(|folder| fs::metadata(folder).ok());
    Ok(BackupReport {
        destination: place.describe(),
        commit,
        saved_at: draft.saved_at.to_string(),
        files: draft.files.len(),
        repositories: draft.repositories.len(),
        refs: draft.ref_count,
        unsaved: heads
            .filter(|head| head.unsaved.is_some())
            .map(|head| head.path.clone())
            .collect(),
        left_out: draft.left_out.clone(),
        readable_by_others: mode.is_some_and(|found| found.permissions().mode() & 0o077 != 0),
    })
}

/// Refuses a place in the town, and the repository of a rig: its readers would get the settings and
/// the mail of the town.
fn check_place(town: &Town, place: &BackupPlace) -> anyhow::Result<()> {
    let root = town.layout.root();
    if let Some(folder) = &place.folder {
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        anyhow::ensure!(
            !folder.starts_with(root) && !folder.starts_with(&real),
            "{} is in the town itself: choose a folder outside of it",
            folder.display()
        );
    }
    for (name, entry) in town.read_registry()?.rigs {
        let own = BackupPlace::parse(&entry.git_url, &town.env);
        anyhow::ensure!(
            entry.git_url.is_empty() || own.url() != place.url(),
            "{} is the repository of rig {name}: everyone who can read it could read the settings \
             and the mail of the town; choose another repository",
            place.describe()
        );
    }
    Ok(())
}

/// A backup before it is written.
struct BackupDraft {
    root: PathBuf,
    /// Copies of the files, in parts.
    copies: tempfile::TempDir,
    saved_at: jiff::Timestamp,
    /// The copied parts by their names in the backup.
    parts: Vec<(String, PathBuf)>,
    files: Vec<SavedFile>,
    repositories: Vec<SavedRepository>,
    /// The list of refs of each repository.
    refs: Vec<String>,
    ref_count: usize,
    folders: Vec<String>,
    left_out: Vec<String>,
    /// The rescue refs of this backup, with their repositories.
    rescues: Vec<(Git, String, String)>,
    /// The commits that must be reachable.
    tips: BTreeSet<String>,
    /// The folders with the objects.
    lenders: Vec<PathBuf>,
}

/// Removes the copies of a killed backup. The caller holds the lock.
fn remove_stale_copies(runtime: &Path) {
    for entry in fs::read_dir(runtime).into_iter().flatten().flatten() {
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with(COPIES_PREFIX)
        {
            // Copies that cannot be removed only take space.
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// Saves the uncommitted work of all work trees. Returns the states of the work trees by their
/// paths. Big files and the repositories inside of a work tree become plain files.
fn save_unsaved_work(
    draft: &mut BackupDraft,
    contents: &mut TownContents,
) -> BTreeMap<String, SavedHead> {
    let mut paths: Vec<String> = contents
        .repositories
        .iter()
        .filter(|found| !found.bare)
        .map(|found| found.path.clone())
        .collect();
    paths.extend(contents.worktrees.iter().map(|found| found.path.clone()));
    // The files of the town's own folder are plain files.
    paths.retain(|path| !path.is_empty());
    let mut heads = BTreeMap::new();
    for (number, path) in paths.into_iter().enumerate() {
        let git = match open_tree(&draft.root.join(&path)) {
            Ok(git) => git,
            Err(error) => {
                draft.leave_out(&path, "its uncommitted work cannot be saved", &error.into());
                continue;
            }
        };
        let reference = format!("refs/gt/backup/{number}");
        let saved = save_work_tree(draft, contents, &git, &path, reference);
        let unsaved = saved.unwrap_or_else(|error| {
            draft.leave_out(&path, "its uncommitted work cannot be saved", &error);
            None
        });
        if !git.folder().is_dir() {
            continue;
        }
        match read_head(&git, &path) {
            Ok(head) => {
                heads.insert(path, SavedHead { unsaved, ..head });
            }
            Err(error) => draft.leave_out(&path, "its branch cannot be read", &error),
        }
    }
    heads
}

/// Saves the uncommitted work of a work tree as a commit that `reference` keeps. Returns the
/// commit.
fn save_work_tree(
    draft: &mut BackupDraft,
    contents: &mut TownContents,
    git: &Git,
    path: &str,
    reference: String,
) -> anyhow::Result<Option<String>> {
    if let Some(stale) = git.resolve(&reference)? {
        git.delete_ref(&reference, &stale)?;
    }
    if git.resolve("HEAD")?.is_none() {
        anyhow::ensure!(git.folder().is_dir(), "the folder is gone");
        draft
            .left_out
            .push(format!("{path}: files of a repository without a commit"));
        return Ok(None);
    }
    if git.is_in_the_middle()? {
        draft.left_out.push(format!(
            "{path}: an unfinished merge or rebase; its files and commits are saved"
        ));
    }
    let message = format!("Uncommitted work of {path}");
    let author = place::backup_identity();
    let saved = rescue::save_rescue(git, &reference, &message, &author, BigFilePolicy::Leave)?;
    let Some(saved) = saved else {
        return Ok(None);
    };
    for big in &saved.big {
        match big.path.to_str() {
            Some(file) => contents.files.push(format!("{path}/{file}")),
            None => draft.left_out.push(format!(
                "{path}/{}: it is big, and its name is not UTF-8",
                big.path.display()
            )),
        }
    }
    for inner in &saved.nested {
        let inside = format!("{path}/{}/.git", inner.display());
        if draft.root.join(&inside).is_dir() {
            contents.add_all(&draft.root, &inside);
        }
    }
    let commit = saved.commit;
    draft.rescues.push((git.clone(), reference, commit.clone()));
    Ok(Some(commit))
}

/// Returns the commits and messages of the stash list, newest first. Works in a bare repository.
fn list_stashes(git: &Git) -> anyhow::Result<Vec<(String, String)>> {
    if git.resolve("refs/stash")?.is_none() {
        return Ok(Vec::new());
    }
    let log = git
        .plumbing([
            "log",
            "--walk-reflogs",
            "--format=%H %gs",
            "refs/stash",
            "--",
        ])
        .text()?;
    Ok(log
        .lines()
        .filter_map(|line| {
            let (commit, message) = line.split_once(' ')?;
            Some((commit.to_owned(), message.to_owned()))
        })
        .collect())
}

fn read_head(git: &Git, path: &str) -> anyhow::Result<SavedHead> {
    let commit = git.resolve("HEAD")?;
    // A branch that only the repository of a sandbox has is none of the restored one.
    let branch = match git.head_branch()? {
        Some(branch) if git.resolve(&format!("refs/heads/{branch}"))? == commit => Some(branch),
        _ => None,
    };
    Ok(SavedHead {
        path: path.to_owned(),
        branch,
        commit,
        unsaved: None,
        provisioned: git.folder().join(".beads/redirect").is_file(),
    })
}

impl BackupDraft {
    fn begin(root: &Path) -> anyhow::Result<Self> {
        let runtime = TownLayout::new(root).runtime();
        file::create_folder(&runtime, 0o700)?;
        remove_stale_copies(&runtime);
        let copies = tempfile::Builder::new()
            .prefix(COPIES_PREFIX)
            .tempdir_in(runtime)?;
        Ok(Self {
            root: root.to_owned(),
            copies,
            saved_at: jiff::Timestamp::UNIX_EPOCH,
            parts: Vec::new(),
            files: Vec::new(),
            repositories: Vec::new(),
            refs: Vec::new(),
            ref_count: 0,
            folders: Vec::new(),
            left_out: Vec::new(),
            rescues: Vec::new(),
            tips: BTreeSet::new(),
            lenders: Vec::new(),
        })
    }

    /// Copies the stores and lists the refs while no one writes beads, then copies the other files.
    fn take(
        &mut self,
        town: &Town,
        contents: TownContents,
        saved: &BTreeMap<String, SavedHead>,
    ) -> anyhow::Result<()> {
        let root = self.root.clone();
        let mut guards = Vec::new();
        for path in &contents.stores {
            match town
                .open_store(&root.join(path))
                .and_then(|store| store.hold_writers())
            {
                Ok(guard) => guards.push(guard),
                Err(error) => {
                    let text = format!("{path}: copied without its lock: {error}");
                    self.left_out.push(text);
                }
            }
        }
        self.saved_at = town.clock.now();
        let mut of_stores = TownContents::default();
        for path in &contents.stores {
            of_stores.add_store(&root, path);
        }
        for path in &of_stores.files {
            self.copy(path)?;
        }
        for found in &contents.repositories {
            if let Err(error) = self.read_repository(found, &contents, saved) {
                self.leave_out(&found.path, "the repository cannot be read", &error);
            }
        }
        drop(guards);
        for path in &contents.files {
            self.copy(path)?;
        }
        self.folders = contents.folders;
        self.left_out.extend(contents.left_out);
        self.left_out.extend(of_stores.left_out);
        Ok(())
    }

    /// Notes what of a folder the backup does not have, unless the folder is gone.
    fn leave_out(&mut self, path: &str, what: &str, error: &anyhow::Error) {
        if self.root.join(path).is_dir() {
            self.left_out.push(format!("{path}: {what}: {error:#}"));
        }
    }

    fn read_repository(
        &mut self,
        found: &FoundRepository,
        contents: &TownContents,
        saved: &BTreeMap<String, SavedHead>,
    ) -> anyhow::Result<()> {
        let git = Git::at(self.root.join(&found.path));
        let common = git.common_dir()?.canonicalize()?;
        let format =
            "%(objectname) %(objecttype) %(*objectname) %(*objecttype) %(symref) %(refname)";
        let listed = git
            .plumbing(["for-each-ref", &format!("--format={format}")])
            .text()?;
        let mut lines = String::new();
        let mut tips = BTreeSet::new();
        for line in listed.lines() {
            let [id, kind, peeled, peeled_kind, link, name] =
                line.splitn(6, ' ').collect::<Vec<_>>()[..]
            else {
                continue;
            };
            // The staged files of a sandbox are in the commit of its uncommitted work.
            let is_staged = name.starts_with("refs/gt/sandbox/") && name.ends_with("/index");
            if is_staged || name.starts_with("refs/gt/backup/") {
                continue;
            }
            let commit = match (kind, peeled_kind) {
                ("commit", _) => id,
                ("tag", "commit") => peeled,
                _ => {
                    let text = format!("{}: {name} is no commit", found.path);
                    self.left_out.push(text);
                    continue;
                }
            };
            tips.insert(commit.to_owned());
            lines.push_str(&format!("{id} {kind} {link} {name}\n"));
        }
        let mut head = if found.bare || found.path.is_empty() {
            read_head(&git, &found.path)?
        } else {
            saved.get(&found.path).cloned().unwrap_or_default()
        };
        head.path.clone_from(&found.path);
        let worktrees: Vec<SavedHead> = contents
            .worktrees
            .iter()
            .filter(|tree| tree.common == common)
            .filter_map(|tree| saved.get(&tree.path).cloned())
            .collect();
        let stashes = list_stashes(&git)?;
        tips.extend(stashes.iter().map(|(commit, _)| commit.clone()));
        for head in worktrees.iter().chain([&head]) {
            tips.extend(head.commit.iter().chain(&head.unsaved).cloned());
        }
        if common.join("lfs/objects").is_dir() {
            let text = format!("{}: files of git-lfs that no remote has", found.path);
            self.left_out.push(text);
        }
        self.tags(&git, &lines)?;
        self.tips.extend(tips);
        self.ref_count += lines.lines().count();
        self.refs.push(lines);
        self.lenders.push(common);
        self.repositories.push(SavedRepository {
            path: found.path.clone(),
            bare: found.bare,
            head,
            stashes,
            worktrees,
        });
        Ok(())
    }

    /// Copies the annotated tags of a repository. No commit can hold them.
    fn tags(&mut self, git: &Git, refs: &str) -> anyhow::Result<()> {
        let ids: Vec<&str> = refs
            .lines()
            .filter(|line| line.split(' ').nth(1) == Some("tag"))
            .filter_map(|line| line.split(' ').next())
            .collect();
        if ids.is_empty() {
            return Ok(());
        }
        let read = git.plumbing(["cat-file", "--batch"]).stdin(ids.join("\n"));
        let content = read.finish_checked()?.stdout;
        self.add_part(format!("tags/{}", self.refs.len()), &content)
    }

    /// Copies a file. A file that is gone is left out, and so is one that cannot be read.
    fn copy(&mut self, path: &str) -> anyhow::Result<()> {
        let from = self.root.join(path);
        let opened = match open_for_copy(&from) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.left_out.push(format!("{path}: {error}"));
                return Ok(());
            }
        };
        let mut saved = SavedFile {
            path: path.to_owned(),
            mode: opened.mode,
            link: opened.link,
            parts: None,
        };
        if let Some(mut file) = opened.file {
            let parts = self.copy_parts(&mut file)?;
            let is_split = parts.len() != 1;
            saved.parts = is_split.then_some(parts.len());
            for (number, part) in parts.into_iter().enumerate() {
                let name = if is_split {
                    manifest::encode_part(path, number)
                } else {
                    manifest::encode_path(path)
                };
                self.parts.push((name, part));
            }
        }
        self.files.push(saved);
        Ok(())
    }

    fn copy_parts(&self, file: &mut fs::File) -> anyhow::Result<Vec<PathBuf>> {
        let mut parts = Vec::new();
        loop {
            let mut part = Vec::new();
            file.by_ref().take(PART_SIZE).read_to_end(&mut part)?;
            let is_last = (part.len() as u64) < PART_SIZE;
            if !part.is_empty() || parts.is_empty() {
                parts.push(self.write_copy(&part)?);
            }
            if is_last {
                return Ok(parts);
            }
        }
    }

    fn add_part(&mut self, name: String, content: &[u8]) -> anyhow::Result<()> {
        let copy = self.write_copy(content)?;
        self.parts.push((name, copy));
        Ok(())
    }

    /// Writes a copy under a name of its own.
    fn write_copy(&self, content: &[u8]) -> anyhow::Result<PathBuf> {
        let copy = tempfile::Builder::new()
            .prefix("")
            .tempfile_in(self.copies.path())?;
        let (mut opened, path) = copy.keep()?;
        io::Write::write_all(&mut opened, content)?;
        Ok(path)
    }

    /// Removes the rescue refs of this backup. The work itself is still in the work trees.
    fn drop_rescues(&self) {
        for (git, reference, commit) in &self.rescues {
            git.delete_ref(reference, commit).ok();
        }
    }
}

/// A file or a link to copy.
struct OpenedFile {
    mode: u32,
    link: Option<String>,
    /// None for a link.
    file: Option<fs::File>,
}

/// Opens a file. None if it is gone.
fn open_for_copy(path: &Path) -> io::Result<Option<OpenedFile>> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    let mode = found.permissions().mode() & 0o777;
    if found.is_symlink() {
        let target = fs::read_link(path)?.into_os_string().into_string();
        let link = target.map_err(|_| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let link = Some(link);
        let file = None;
        return Ok(Some(OpenedFile { mode, link, file }));
    }
    let link = None;
    let file = file::open_file_if_exists(path)?;
    Ok(file.is_some().then_some(OpenedFile { mode, link, file }))
}

/// Writes the backup as a commit, and pushes it.
fn write_backup(town: &Town, place: &BackupPlace, draft: &BackupDraft) -> anyhow::Result<String> {
    let workshop = Workshop::open(&town.layout.backup_repository(), &draft.lenders)?;
    let town_id = read_town_id(&draft.root)?;
    let last = workshop.find_last(place)?;
    let mut known = BTreeSet::new();
    if let Some(last) = &last {
        let other = workshop.read_manifest(last)?.town;
        anyhow::ensure!(
            other == town_id,
            "{} has backups of another town, {}: choose another place",
            place.describe(),
            other.name
        );
        let tips = workshop.read_file(last, "tips")?;
        known.extend(String::from_utf8_lossy(&tips).lines().map(str::to_owned));
    }
    let manifest = Manifest {
        version: VERSION,
        town: town_id,
        root: draft.root.clone(),
        saved_at: draft.saved_at,
        repositories: draft.repositories.clone(),
        files: draft.files.clone(),
        folders: draft.folders.clone(),
        left_out: draft.left_out.clone(),
    };
    let git = &workshop.git;
    let mut entries = write_parts(git, &draft.parts)?;
    let mut add_file = |path: String, content: &[u8]| -> anyhow::Result<()> {
        entries.insert(path, blob_entry(git.write_blob(content)?));
        Ok(())
    };
    add_file(
        "manifest.json".to_owned(),
        &serde_json::to_vec_pretty(&manifest)?,
    )?;
    let tips: Vec<&str> = draft.tips.iter().map(String::as_str).collect();
    add_file("tips".to_owned(), tips.join("\n").as_bytes())?;
    for (number, refs) in draft.refs.iter().enumerate() {
        add_file(format!("refs/{number}"), refs.as_bytes())?;
    }
    let tree = git.write_entries(&entries)?;
    let new_tips: Vec<&str> = tips
        .into_iter()
        .filter(|tip| !known.contains(*tip))
        .collect();
    let joined = workshop.join_tips(&new_tips)?;
    let parents: Vec<&str> = last.iter().chain(&joined).map(String::as_str).collect();
    let message = format!(
        "{SUBJECT_PREFIX}{} at {}",
        manifest.town.name, manifest.saved_at
    );
    let commit = git.commit_tree(&tree, &parents, &message, &place::backup_identity())?;
    match workshop.push(place, &commit, last.as_deref()) {
        Err(error) if format!("{error:#}").contains("shallow") => Err(error.context(format!(
            "{} does not take the history of shallow repositories; run `git fetch --unshallow` in {}",
            place.describe(),
            list_shallow(draft).join(", ")
        ))),
        pushed => pushed.map(|()| commit),
    }
}

/// Returns the paths of the repositories without their whole history.
fn list_shallow(draft: &BackupDraft) -> Vec<String> {
    draft
        .lenders
        .iter()
        .zip(&draft.repositories)
        .filter(|(lender, _)| lender.join("shallow").exists())
        .map(|(_, saved)| draft.root.join(&saved.path).display().to_string())
        .collect()
}

/// Writes the copied parts to the repository.
fn write_parts(git: &Git, parts: &[(String, PathBuf)]) -> anyhow::Result<TreeEntries> {
    let paths: Vec<_> = parts
        .iter()
        .map(|(_, copy)| copy.to_string_lossy())
        .collect();
    let call = git.plumbing(["hash-object", "-w", "--no-filters", "--stdin-paths"]);
    let ids = call
        .stdin(paths.join("\n"))
        .limit(Duration::from_secs(3600))
        .text()?;
    let entries: TreeEntries = parts
        .iter()
        .map(|(name, _)| name.clone())
        .zip(ids.lines().map(|id| blob_entry(id.to_owned())))
        .collect();
    anyhow::ensure!(
        entries.len() == parts.len(),
        "not all files could be written"
    );
    Ok(entries)
}

fn blob_entry(id: String) -> TreeEntry {
    let mode = "100644".to_owned();
    TreeEntry { mode, id, size: 0 }
}

/// Reads the identity of the town.
fn read_town_id(root: &Path) -> anyhow::Result<TownId> {
    let path = TownLayout::new(root).town_json();
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let town: serde_json::Value = serde_json::from_slice(&bytes)?;
    let [name, created_at] =
        ["name", "created_at"].map(|key| town[key].as_str().unwrap_or("").to_owned());
    Ok(TownId { name, created_at })
}
