//! Restores a town from a backup, `gt restore`, into a folder of its own.
//!
//! 1. Fetch the backups into a repository in the new folder, and choose one.
//! 2. Create the town's repositories with their refs, and write the files.
//! 3. Check out the clones, add the worktrees again, and put the uncommitted work back.
//! 4. Give each repository its own copy of the objects, and remove the fetched backup.
//! 5. Write `mayor/town.json`, which makes the folder a town.
//!
//! A failure removes everything that was written. No session is started.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use bd::git::{Git, rescue};
use kit::sys::{Env, file};
use serde::Serialize;

use crate::flow::place::backup::BackupChoice;
use crate::flow::place::backup::history::choose_backup;
use crate::flow::place::backup::manifest::{
    Manifest, SavedFile, SavedHead, SavedRepository, encode_part, encode_path,
};
use crate::flow::place::backup::place::{BackupPlace, Workshop, is_empty};
use crate::flow::place::sandbox;
use crate::town::TownLayout;

/// The time limit for writing one repository.
const REPOSITORY_TIMEOUT: Duration = Duration::from_secs(6 * 3600);

/// A restored town.
#[derive(Debug, Clone, Serialize)]
pub struct RestoreTownReport {
    pub town: PathBuf,
    pub source: String,
    pub commit: String,
    /// The time of the backup.
    pub saved_at: String,
    /// The folder of the town at that time.
    pub saved_root: PathBuf,
    pub files: usize,
    pub repositories: usize,
    pub refs: usize,
    pub worktrees: usize,
    /// The work trees whose uncommitted work is back.
    pub unsaved: Vec<String>,
    /// Descriptions of what is not restored, with what the backup does not have.
    pub not_restored: Vec<String>,
}

/// Restores a backup of `source`, a folder or a URL, into the new or empty folder `root`.
pub fn restore_town(
    env: &Env,
    source: &str,
    choice: &BackupChoice,
    root: &Path,
) -> anyhow::Result<RestoreTownReport> {
    anyhow::ensure!(
        is_empty(root),
        "{} is not empty: nothing was restored; choose a new folder",
        root.display()
    );
    let place = BackupPlace::parse(source, env);
    if let Some(folder) = &place.folder {
        anyhow::ensure!(folder.is_dir(), "{} is not there", folder.display());
    }
    let is_new = !root.exists();
    file::create_folder(root, 0o755)?;
    let root = root.canonicalize()?;
    let restored = Restoration::run(&root, &place, choice);
    if restored.is_err() {
        // The folder was empty. It holds only files of this run.
        for entry in fs::read_dir(&root).into_iter().flatten().flatten() {
            let path = entry.path();
            let removed = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.ok();
        }
        if is_new {
            // Fails if an entry could not be removed.
            fs::remove_dir(&root).ok();
        }
    }
    restored
}

struct Restoration<'a> {
    root: &'a Path,
    workshop: Workshop,
    backup: String,
    manifest: Manifest,
    /// The checked-out tree of the backup.
    tree: tempfile::TempDir,
    refs: usize,
    worktrees: usize,
    unsaved: Vec<String>,
    not_restored: Vec<String>,
}

impl<'a> Restoration<'a> {
    fn run(
        root: &'a Path,
        place: &BackupPlace,
        choice: &BackupChoice,
    ) -> anyhow::Result<RestoreTownReport> {
        let layout = TownLayout::new(root);
        file::create_folder(&layout.runtime(), 0o700)?;
        let workshop = Workshop::open(&layout.backup_repository(), &[])?;
        let backup = choose_backup(&workshop.git, workshop.fetch(place)?, choice)?;
        let manifest = workshop.read_manifest(&backup)?;
        check_paths(&manifest)?;
        let tree = tempfile::Builder::new()
            .prefix("restore-")
            .tempdir_in(layout.runtime())?;
        check_out_backup(&workshop.git, &backup, tree.path())?;
        let mut restoration = Self {
            root,
            workshop,
            backup,
            tree,
            refs: 0,
            worktrees: 0,
            unsaved: Vec::new(),
            not_restored: manifest.left_out.clone(),
            manifest,
        };
        restoration.restore_all()?;
        fs::remove_dir_all(layout.backup_repository())?;
        file::replace_file(
            &layout.restored_from(),
            restoration.manifest.root.as_os_str().as_bytes(),
            0o600,
        )?;
        restoration.write_town_file()?;
        let manifest = restoration.manifest;
        Ok(RestoreTownReport {
            town: root.to_owned(),
            source: place.describe(),
            commit: restoration.backup,
            saved_at: manifest.saved_at.to_string(),
            saved_root: manifest.root,
            files: manifest.files.len(),
            repositories: manifest.repositories.len(),
            refs: restoration.refs,
            worktrees: restoration.worktrees,
            unsaved: restoration.unsaved,
            not_restored: restoration.not_restored,
        })
    }

    fn restore_all(&mut self) -> anyhow::Result<()> {
        let repositories = self.manifest.repositories.clone();
        for (number, saved) in repositories.iter().enumerate() {
            let folder = self.root.join(&saved.path);
            self.create_repository(number, saved, &folder)
                .with_context(|| format!("cannot restore the repository {}", folder.display()))?;
        }
        let files = self.manifest.files.clone();
        let trees: Vec<String> = repositories.iter().flat_map(list_trees).collect();
        let (late, early): (Vec<SavedFile>, Vec<SavedFile>) = files
            .into_iter()
            .partition(|file| is_in_work_tree(&file.path, &trees));
        for folder in &self.manifest.folders.clone() {
            let made = self
                .prepare_folder(&format!("{folder}/"))
                .with_context(|| format!("cannot create the folder {folder}"));
            if let Err(error) = made {
                self.not_restored.push(format!("{error:#}"));
            }
        }
        self.write_files(&early);
        for saved in &repositories {
            self.check_out(saved);
        }
        self.write_files(&late);
        for saved in &repositories {
            self.finish_repository(saved)?;
        }
        Ok(())
    }

    /// Creates a repository with its refs. Its objects are those of the backup for now.
    fn create_repository(
        &mut self,
        number: usize,
        saved: &SavedRepository,
        folder: &Path,
    ) -> anyhow::Result<()> {
        let git = Git::at(folder);
        git.init(saved.head.branch.as_deref().unwrap_or("main"), saved.bare)?;
        let common = git.common_dir()?;
        let objects = self.workshop.git.folder().join("objects");
        let alternates = format!("{}\n", objects.display());
        file::replace_file(
            &common.join("objects/info/alternates"),
            alternates.as_bytes(),
            0o600,
        )?;
        let missing_tags = self.write_tags(number, &git)?;
        let refs = self
            .workshop
            .read_file(&self.backup, &format!("refs/{number}"))?;
        let refs = String::from_utf8_lossy(&refs).into_owned();
        let mut commands = String::new();
        let mut links = Vec::new();
        for line in refs.lines() {
            let [id, _, link, name] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else {
                continue;
            };
            if missing_tags.iter().any(|tag| tag == id) {
                let text = format!("{}: git refuses the tag {name}", saved.path);
                self.not_restored.push(text);
                continue;
            }
            self.refs += 1;
            if link.is_empty() {
                let Some(name) = name_restored_ref(&saved.path, name, id, &refs) else {
                    continue;
                };
                commands.push_str(&format!("create {name} {id}\n"));
            } else {
                links.push((name, link));
            }
        }
        self.create_refs(&git, saved, &commands);
        for (name, link) in links {
            if let Err(error) = git.plumbing(["symbolic-ref", name, link]).run() {
                self.not_restored.push(format!("{}: {error}", saved.path));
            }
        }
        if saved.bare
            && saved.head.branch.is_none()
            && let Some(commit) = &saved.head.commit
        {
            git.plumbing(["update-ref", "--no-deref", "HEAD", commit])
                .run()?;
        }
        if !saved.stashes.is_empty() {
            // The newest stash comes back with the list.
            git.plumbing(["update-ref", "-d", "refs/stash"]).finish()?;
        }
        for (commit, message) in saved.stashes.iter().rev() {
            let store = [
                "update-ref",
                "--create-reflog",
                "-m",
                message,
                "refs/stash",
                commit,
            ];
            git.plumbing(store).run()?;
        }
        Ok(())
    }

    /// Creates refs, all at once if git takes them all.
    fn create_refs(&mut self, git: &Git, saved: &SavedRepository, commands: &str) {
        let run_commands = |commands: &str| {
            let call = git.plumbing(["update-ref", "--stdin"]).stdin(commands);
            call.limit(REPOSITORY_TIMEOUT).run()
        };
        if run_commands(commands).is_ok() {
            return;
        }
        for command in commands.lines() {
            if let Err(error) = run_commands(&format!("{command}\n")) {
                self.refs -= 1;
                self.not_restored.push(format!("{}: {error}", saved.path));
            }
        }
    }

    /// Writes the annotated tags of a repository, in the format of `git cat-file --batch`.
    /// Returns those that git refuses.
    fn write_tags(&self, number: usize, git: &Git) -> anyhow::Result<Vec<String>> {
        let mut missing = Vec::new();
        let Some(mut rest) = self
            .workshop
            .git
            .file_at(&self.backup, &format!("tags/{number}"))?
        else {
            return Ok(missing);
        };
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let header = String::from_utf8_lossy(&rest[..end]).into_owned();
            let size: usize = header.rsplit(' ').next().unwrap_or("").parse()?;
            let content = rest
                .get(end + 1..end + 1 + size)
                .context("a tag is damaged")?;
            // Old tags may lack what git now asks for.
            let write = ["hash-object", "-t", "tag", "-w", "--literally", "--stdin"];
            let written = git.plumbing(write).stdin(content).text();
            let id = header.split(' ').next().unwrap_or("");
            if written.ok().as_deref() != Some(id) {
                missing.push(id.to_owned());
            }
            rest = rest.split_off((end + 2 + size).min(rest.len()));
        }
        Ok(missing)
    }

    fn write_files(&mut self, files: &[SavedFile]) {
        let town_json = TownLayout::new(Path::new("")).town_json();
        // No file is written through a link of the backup.
        let (links, plain): (Vec<_>, Vec<_>) = files.iter().partition(|saved| saved.link.is_some());
        for saved in plain {
            if Path::new(&saved.path) != town_json
                && let Err(error) = self.write_file(saved)
            {
                self.not_restored.push(format!("{}: {error:#}", saved.path));
            }
        }
        for saved in links {
            if let Err(error) = self.write_link(saved) {
                self.not_restored.push(format!("{}: {error:#}", saved.path));
            }
        }
    }

    fn write_link(&self, saved: &SavedFile) -> anyhow::Result<()> {
        let path = self.root.join(&saved.path);
        self.prepare_folder(&saved.path)?;
        if let Ok(found) = fs::symlink_metadata(&path) {
            anyhow::ensure!(!found.is_dir(), "a folder is in the place of the link");
            fs::remove_file(&path)?;
        }
        let target = saved.link.as_deref().unwrap_or("");
        Ok(std::os::unix::fs::symlink(target, &path)?)
    }

    fn write_file(&self, saved: &SavedFile) -> anyhow::Result<()> {
        let path = self.root.join(&saved.path);
        self.prepare_folder(&saved.path)?;
        let names: Vec<String> = match saved.parts {
            None => vec![encode_path(&saved.path)],
            Some(count) => (0..count)
                .map(|number| encode_part(&saved.path, number))
                .collect(),
        };
        let temporary = self.tree.path().join("whole");
        let mut whole = fs::File::create(&temporary)?;
        for name in names {
            let mut part = file::open_regular_file(&self.tree.path().join(&name))
                .with_context(|| format!("the backup has no {name}"))?;
            io::copy(&mut part, &mut whole)?;
        }
        whole.set_permissions(fs::Permissions::from_mode(saved.mode & 0o777))?;
        fs::rename(&temporary, &path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Creates the folder of a file. Refuses one that is a link.
    fn prepare_folder(&self, path: &str) -> anyhow::Result<()> {
        let mut folder = self.root.to_owned();
        let mut names: Vec<&str> = path.split('/').collect();
        names.pop();
        for name in names {
            folder.push(name);
            match fs::symlink_metadata(&folder) {
                Ok(found) => anyhow::ensure!(found.is_dir(), "{} is no folder", folder.display()),
                Err(_) => {
                    let private = name.starts_with(".runtime") || name == ".repo.git";
                    file::create_folder(&folder, if private { 0o700 } else { 0o755 })?;
                }
            }
        }
        Ok(())
    }

    /// Checks out a clone, and adds the worktrees of a repository.
    fn check_out(&mut self, saved: &SavedRepository) {
        let git = Git::at(self.root.join(&saved.path));
        if !saved.bare {
            let head = &saved.head;
            let checked_out = check_out_clone(&git, head);
            self.finish_tree(&git, head, checked_out);
        }
        for tree in &saved.worktrees {
            let path = self.root.join(&tree.path);
            let added = self
                .prepare_folder(&tree.path)
                .and_then(|()| add_worktree(&git, tree, &path));
            self.worktrees += usize::from(added.is_ok());
            self.finish_tree(&git, tree, added);
        }
    }

    /// Puts the uncommitted work back, and connects the work tree with the rig's beads.
    fn finish_tree(&mut self, home: &Git, head: &SavedHead, checked_out: anyhow::Result<()>) {
        let is_there = checked_out.is_ok();
        if is_there && let Err(error) = Git::at(self.root.join(&head.path)).complete_checkout() {
            self.not_restored.push(format!("{}: {error:#}", head.path));
        }
        let restored = checked_out.and_then(|()| {
            let Some(unsaved) = head.unsaved.as_deref().filter(|_| !head.path.is_empty()) else {
                return Ok(());
            };
            let tree = Git::at(self.root.join(&head.path));
            rescue::restore_rescue(home, &tree, unsaved)?;
            self.unsaved.push(head.path.clone());
            if !rescue::list_submodule_commits(home, unsaved)?.is_empty() {
                anyhow::bail!("the work in its submodules is not restored");
            }
            Ok(())
        });
        if let Err(error) = restored {
            let mut text = format!("{}: {error:#}", head.path);
            if let Some(commit) = &head.unsaved {
                let rig = head.path.split('/').next().unwrap_or("");
                let reference = format!("refs/gt/rescue/{rig}/backup/{commit:.12}");
                if home.update_ref(&reference, commit, None).is_ok() {
                    text.push_str(&format!("; its uncommitted work is in {reference}"));
                }
            }
            self.not_restored.push(text);
        }
        if is_there
            && head.provisioned
            && let Some((rig, _)) = head.path.split_once('/')
        {
            // A dog's worktree is named after its rig.
            let name = if rig == "deacon" {
                head.path.rsplit('/').next()
            } else {
                Some(rig)
            };
            let rig = TownLayout::new(self.root).rig(name.unwrap_or(rig));
            let path = self.root.join(&head.path);
            if let Err(error) = sandbox::provision_worktree(&rig, &Git::at(path)) {
                self.not_restored.push(format!("{}: {error}", head.path));
            }
        }
    }

    /// Gives a repository its own copy of its objects.
    fn finish_repository(&self, saved: &SavedRepository) -> anyhow::Result<()> {
        let git = Git::at(self.root.join(&saved.path));
        let repack = git.plumbing(["repack", "-a", "-d", "--quiet"]);
        repack.limit(REPOSITORY_TIMEOUT).run()?;
        file::remove_file(&git.common_dir()?.join("objects/info/alternates"))?;
        let has_objects = git.plumbing(["rev-list", "--objects", "--all", "--quiet"]);
        has_objects.limit(REPOSITORY_TIMEOUT).run()?;
        Ok(())
    }

    /// Writes the file that makes the folder a town.
    fn write_town_file(&mut self) -> anyhow::Result<()> {
        let town_json = TownLayout::new(Path::new("")).town_json();
        let saved = self
            .manifest
            .files
            .iter()
            .find(|saved| Path::new(&saved.path) == town_json)
            .cloned();
        self.write_file(&saved.context("the backup has no mayor/town.json")?)
    }
}

/// Refuses paths that lead out of the town.
fn check_paths(manifest: &Manifest) -> anyhow::Result<()> {
    let heads = manifest.repositories.iter().flat_map(|saved| {
        let trees = saved.worktrees.iter().map(|tree| tree.path.as_str());
        [saved.path.as_str(), saved.head.path.as_str()]
            .into_iter()
            .chain(trees)
    });
    let files = manifest.files.iter().map(|saved| saved.path.as_str());
    let folders = manifest.folders.iter().map(String::as_str);
    for path in files
        .chain(folders)
        .chain(heads.filter(|path| !path.is_empty()))
    {
        anyhow::ensure!(
            path.split('/').all(|part| !matches!(part, "" | "." | "..")),
            "the backup has a bad path: {path}"
        );
    }
    Ok(())
}

/// Writes the tree of a backup to a folder.
fn check_out_backup(git: &Git, backup: &str, to: &Path) -> anyhow::Result<()> {
    let index = to.join("index");
    git.plumbing(["read-tree", backup])
        .env("GIT_INDEX_FILE", &index)
        .run()?;
    // A link in the tree would bring a file of this machine into the town.
    let settings = [
        "-c",
        "core.symlinks=false",
        "-c",
        "core.autocrlf=false",
        "-c",
        "core.attributesFile=/dev/null",
    ];
    git.plumbing(settings)
        .args(["checkout-index", "--all", "--quiet"])
        .args([format!("--prefix={}/", to.display())])
        .env("GIT_INDEX_FILE", &index)
        .env("GIT_WORK_TREE", to)
        .limit(REPOSITORY_TIMEOUT)
        .run()?;
    Ok(())
}

/// Returns the folders of the work trees of a repository, except the town's own.
fn list_trees(saved: &SavedRepository) -> Vec<String> {
    let own = (!saved.bare && !saved.path.is_empty()).then(|| saved.path.clone());
    own.into_iter()
        .chain(saved.worktrees.iter().map(|tree| tree.path.clone()))
        .collect()
}

/// Returns true for a file in a work tree, which is written after the checkout.
fn is_in_work_tree(path: &str, trees: &[String]) -> bool {
    trees.iter().any(|tree| {
        let inside = path
            .strip_prefix(tree.as_str())
            .and_then(|rest| rest.strip_prefix('/'));
        inside.is_some_and(|inside| !inside.starts_with(".git/"))
    })
}

fn check_out_clone(git: &Git, head: &SavedHead) -> anyhow::Result<()> {
    match &head.branch {
        Some(branch) => {
            git.plumbing(["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")])
                .run()?;
        }
        None => {
            let commit = head.commit.as_deref().context("HEAD has no commit")?;
            git.plumbing(["update-ref", "--no-deref", "HEAD", commit])
                .run()?;
        }
    }
    if head.commit.is_none() {
        return Ok(());
    }
    // The files of the town's own folder are there already.
    let how = if head.path.is_empty() {
        "--mixed"
    } else {
        "--hard"
    };
    let call = git.plumbing(["reset", "--quiet", how]);
    Ok(without_lfs(call).limit(REPOSITORY_TIMEOUT).run()?)
}

/// Returns the name that a ref of a backup gets; `None` if it is not needed. The restored sandbox
/// gets a new repository, so the stashes and other branches of the earlier one become rescues.
/// `refs` lists all refs of the repository.
fn name_restored_ref(repository: &str, name: &str, id: &str, refs: &str) -> Option<String> {
    let rig = repository.split('/').next().unwrap_or(repository);
    let taken = name.strip_prefix("refs/gt/sandbox/");
    let Some((worker, rest)) = taken.and_then(|rest| rest.split_once('/')) else {
        return Some(name.to_owned());
    };
    let branch = rest.strip_prefix("heads/");
    let is_shared = branch.is_some_and(|branch| {
        let shared = format!(" refs/heads/{branch}");
        refs.lines()
            .any(|line| line.starts_with(id) && line.ends_with(&shared))
    });
    if rest == "head" || is_shared {
        return None;
    }
    let rest = rest.replace('/', "-");
    Some(format!(
        "refs/gt/rescue/{rig}/polecats/{worker}/backup-{rest}"
    ))
}

fn add_worktree(git: &Git, tree: &SavedHead, path: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(!path.is_symlink(), "{} is a link", path.display());
    let commit = tree.commit.as_deref().context("its branch has no commit")?;
    let call = git.plumbing(["worktree", "add", "--quiet", "--force"]);
    let call = match &tree.branch {
        Some(branch) => call.args([path]).args([branch]),
        None => call.args(["--detach"]).args([path]).args([commit]),
    };
    Ok(without_lfs(call).limit(REPOSITORY_TIMEOUT).run()?)
}

/// Leaves files that git-lfs stores as they are in git. They are checked out afterwards, if they
/// can be found.
fn without_lfs(call: bd::git::GitCall<'_>) -> bd::git::GitCall<'_> {
    call.env("GIT_LFS_SKIP_SMUDGE", "1")
}
