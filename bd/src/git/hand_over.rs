//! Gives a work tree a repository of its own: a new `.git` in the state of the town's repository for
//! this work tree.
//!
//! The new repository borrows the objects of the shared one for reading, by a relative path. An
//! earlier `.git` is dropped as a whole: the caller must have taken over and saved its content. The
//! exchange is one step. The configuration, hooks, attributes and exclusions are those of the shared
//! repository, which the user set.
//!
//! 1. Write the new repository beside the work tree: configuration, objects, refs, HEAD, index.
//! 2. The same for each submodule, below `modules/`.
//! 3. Exchange it with the earlier `.git`, and remove that one.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use kit::sys::{ConfinedFolder, InsideError, file};

use super::foreign::{foreign_error, open_below, open_repository};
use super::scratch::ScratchFolder;
use super::take_over::BRANCH_NAME;
use super::{Git, GitError};

/// The number of the last entries of the log of HEAD that the new repository has.
const LOG_LINES: usize = 200;

/// The maximum size of the file that names the lenders of objects, in bytes.
const ALTERNATES_FILE: u64 = 64 * 1024;

/// The ref of a work tree that keeps what its own repository borrows, and its log.
const PIN_REF: &str = "refs/worktree/lent";
const PIN_LOG: &str = "logs/refs/worktree/lent";

/// The date of the entries in the log, in seconds since 1970: in the year 2100.
const PIN_TIME: u64 = 4_102_444_800;

/// The branches that the town makes for workers.
const WORKER_BRANCHES: &str = "polecat/";

/// Additions to a new repository beside the state of the town's repository.
#[derive(Debug, Clone, Copy)]
pub struct HandOver<'a> {
    /// A folder of the town on the file system of the work tree.
    pub workshop: &'a Path,
    /// The folder of further refs that the worker may read, such as `refs/gt/rescue/web`.
    pub readable: &'a str,
    /// A mark in hooks that are not handed over.
    pub own_hooks: &'a str,
}

impl Git {
    /// Replaces the `.git` of the work tree. Returns a folder with the earlier one, which is removed
    /// on drop.
    pub fn hand_over(&self, with: HandOver<'_>) -> Result<ScratchFolder, GitError> {
        let workshop = ScratchFolder::create(with.workshop, ".git-")
            .map_err(|error| Self::file_error(with.workshop, error))?;
        // The earlier one gets this name.
        let new = workshop.path().join(".git");
        let place = self.folder().join(".git");
        self.write_repository(&new, &place, with)?;
        self.write_submodules(&new, &place, self.folder(), with)?;
        file::exchange(&new, &place).map_err(|error| Self::file_error(&place, error))?;
        Ok(workshop)
    }

    /// Checks that the repository in the work tree borrows the objects of the shared one, or has all
    /// of its own.
    pub fn check_borrowed_objects(&self) -> Result<(), GitError> {
        let place = self.folder().join(".git");
        let broken = |problem: &str| GitError::Foreign {
            path: place.clone(),
            problem: problem.to_owned(),
        };
        let repository = open_repository(self.folder())?.ok_or_else(|| broken("there is none"))?;
        let read = || -> io::Result<(Option<Vec<u8>>, bool)> {
            let info = open_below(&repository, Path::new("objects/info"))?;
            let alternates = match info {
                Some(info) => info.read_file("alternates", ALTERNATES_FILE)?,
                None => None,
            };
            let packs = open_below(&repository, Path::new("objects/pack"))?;
            let packs = packs.map_or(Ok(Vec::new()), |packs| packs.entries())?;
            let has_pack = packs.iter().any(|entry| {
                Path::new(&entry.name)
                    .extension()
                    .is_some_and(|ending| ending == "pack")
            });
            Ok((alternates, has_pack))
        };
        let (alternates, has_pack) = read().map_err(|error| foreign_error(&place, &error))?;
        let Some(alternates) = alternates else {
            if has_pack {
                return Ok(());
            }
            return Err(broken("it does not borrow the objects of the rig"));
        };
        let shared = self.common_dir()?.join("objects");
        let expected = relative_path(&place.join("objects"), &shared);
        let text = String::from_utf8_lossy(&alternates);
        let is_borrowing = text
            .lines()
            .any(|line| Path::new(line) == expected || Path::new(line) == shared);
        if is_borrowing {
            return Ok(());
        }
        Err(broken("it does not borrow the objects of the rig"))
    }

    /// Writes a repository to `new`, which is going to be at `place`.
    fn write_repository(
        &self,
        new: &Path,
        place: &Path,
        with: HandOver<'_>,
    ) -> Result<(), GitError> {
        let common = self.common_dir()?;
        let git_dir = self.separate_git_dir().unwrap_or(&common).to_owned();
        let refs = self.list_given_refs(with)?;
        self.pin_given_objects(&git_dir, &refs)?;
        let head_commit = self.resolve("HEAD")?;
        let head_branch = self.head_branch()?;
        let branch_file = git_dir.join(BRANCH_NAME);
        let branch = head_branch.as_deref().unwrap_or_default();
        file::replace_file(&branch_file, branch.as_bytes(), 0o644)
            .map_err(|error| Self::file_error(&branch_file, error))?;
        let write = || -> io::Result<()> {
            for folder in [
                "objects/info",
                "objects/pack",
                "refs/heads",
                "refs/tags",
                "info",
                "logs",
            ] {
                file::create_folder(&new.join(folder), 0o755)?;
            }
            let objects = relative_path(&place.join("objects"), &common.join("objects"));
            let mut alternates = objects.into_os_string().into_encoded_bytes();
            alternates.push(b'\n');
            put(new, "objects/info/alternates", &alternates)?;
            for name in ["info/exclude", "info/attributes", "shallow"] {
                copy_if_there(&common.join(name), &new.join(name))?;
            }
            for name in ["info/sparse-checkout", "index"] {
                copy_if_there(&git_dir.join(name), &new.join(name))?;
            }
            copy_hooks(&common.join("hooks"), &new.join("hooks"), with.own_hooks)?;
            let mut packed = refs;
            let head = match (&head_branch, &head_commit) {
                (Some(branch), commit) => {
                    if let Some(commit) = commit {
                        packed.push((format!("refs/heads/{branch}"), commit.clone()));
                    }
                    format!("ref: refs/heads/{branch}\n")
                }
                (None, Some(commit)) => format!("{commit}\n"),
                (None, None) => return Err(io::Error::other("HEAD names nothing")),
            };
            packed.sort();
            packed.dedup_by(|a, b| a.0 == b.0);
            let mut text = String::from("# pack-refs with: sorted \n");
            for (name, id) in &packed {
                text.push_str(&format!("{id} {name}\n"));
            }
            put(new, "packed-refs", text.as_bytes())?;
            put(new, "HEAD", head.as_bytes())?;
            let log = fs::read_to_string(git_dir.join("logs/HEAD")).or_else(empty_if_missing)?;
            let lines: Vec<&str> = log.lines().collect();
            let first = lines.len().saturating_sub(LOG_LINES);
            let mut kept = lines[first..].join("\n");
            if !kept.is_empty() {
                kept.push('\n');
            }
            put(new, "logs/HEAD", kept.as_bytes())
        };
        write().map_err(|error| Self::file_error(new, error))?;
        if let Some(head) = self.default_remote_branch()? {
            let path = new.join("refs/remotes/origin/HEAD");
            file::create_folder(&new.join("refs/remotes/origin"), 0o755)
                .and_then(|()| file::replace_file_relaxed(&path, head.as_bytes(), 0o644))
                .map_err(|error| Self::file_error(&path, error))?;
        }
        self.write_own_config(&common, &git_dir, new)
    }

    /// Keeps what the new repository borrows, also if the shared one loses the refs: writes a log of
    /// a ref of this work tree, whose entries git considers as used. They are dated so that git does
    /// not expire them.
    fn pin_given_objects(&self, git_dir: &Path, refs: &[(String, String)]) -> Result<(), GitError> {
        let Some(head_commit) = self.resolve("HEAD")? else {
            return Ok(());
        };
        let ids: BTreeSet<&str> = refs.iter().map(|(_, id)| &**id).collect();
        let mut log = String::new();
        for id in ids.into_iter().chain([&*head_commit]) {
            let none = "0".repeat(id.len());
            log.push_str(&format!(
                "{none} {id} Gas Town <town@gastown.local> {PIN_TIME} +0000\tlent\n"
            ));
        }
        for (name, text) in [(PIN_LOG, log), (PIN_REF, format!("{head_commit}\n"))] {
            let path = git_dir.join(name);
            let folder = path.parent().unwrap_or(git_dir);
            file::create_folder(folder, 0o755)
                .and_then(|()| file::replace_file_relaxed(&path, text.as_bytes(), 0o644))
                .map_err(|error| Self::file_error(&path, error))?;
        }
        Ok(())
    }

    /// Lists the refs that the new repository begins with: remote branches, tags, and the readable
    /// ones. Without a remote, the branches of the shared repository are those of the remote.
    fn list_given_refs(&self, with: HandOver<'_>) -> Result<Vec<(String, String)>, GitError> {
        let mut given = self.refs_below("refs/remotes/")?;
        given.retain(|(name, _)| !name.ends_with("/HEAD"));
        given.extend(self.refs_below("refs/tags/")?);
        if !with.readable.is_empty() {
            given.extend(self.refs_below(&format!("{}/", with.readable))?);
        }
        if self.remote_url("origin")?.is_none() {
            for (name, id) in self.refs_below("refs/heads/")? {
                let branch = name.strip_prefix("refs/heads/").unwrap_or(&name);
                if !branch.starts_with(WORKER_BRANCHES) {
                    given.push((format!("refs/remotes/origin/{branch}"), id));
                }
            }
        }
        Ok(given)
    }

    /// Returns the content of the remote's HEAD, if it is known.
    fn default_remote_branch(&self) -> Result<Option<String>, GitError> {
        let call = self.plumbing(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
        let found = call.finish_if_found()?;
        Ok(found.map(|found| format!("ref: {}\n", found.text())))
    }

    /// Writes the configuration of the shared repository for one that has a work tree.
    fn write_own_config(&self, common: &Path, git_dir: &Path, new: &Path) -> Result<(), GitError> {
        let path = new.join("config");
        let from = common.join("config");
        fs::copy(&from, &path).map_err(|error| Self::file_error(&from, error))?;
        let edit = || -> Result<(), git2::Error> {
            let mut config = git2::Config::open(&path)?;
            // A key that is not set cannot be removed.
            for key in ["core.worktree", "extensions.worktreeconfig"] {
                config.remove(key).ok();
            }
            config.set_bool("core.bare", false)?;
            config.set_bool("core.logAllRefUpdates", true)?;
            if config.get_string("remote.origin.url").is_err() {
                config.set_str("remote.origin.url", &common.to_string_lossy())?;
                let refspec = "+refs/heads/*:refs/remotes/origin/*";
                config.set_str("remote.origin.fetch", refspec)?;
                // Work gets to the rig by `gt done` alone.
                config.set_str("remote.origin.pushurl", "/dev/null")?;
            }
            let own = git_dir.join("config.worktree");
            if own.is_file() {
                let own = git2::Config::open(&own)?;
                let mut entries = own.entries(None)?;
                while let Some(entry) = entries.next() {
                    let entry = entry?;
                    if let (Ok(name), Ok(value)) = (entry.name(), entry.value())
                        && !matches!(name, "core.bare" | "core.worktree")
                    {
                        config.set_str(name, value)?;
                    }
                }
            }
            Ok(())
        };
        edit().map_err(|source| GitError::Library {
            action: "write the configuration",
            folder: self.folder().to_owned(),
            source,
        })?;
        // An address with a password is private.
        fs::metadata(&from)
            .and_then(|meta| fs::set_permissions(&path, meta.permissions()))
            .map_err(|error| Self::file_error(&path, error))
    }

    /// Writes the repositories of the submodules, and the links to them in the work tree.
    fn write_submodules(
        &self,
        new: &Path,
        place: &Path,
        top: &Path,
        with: HandOver<'_>,
    ) -> Result<(), GitError> {
        for (path, name) in self.declared_submodule_names()? {
            let inner = self.submodule(&path, &name);
            if !inner.is_populated() || inner.resolve("HEAD")?.is_none() {
                continue;
            }
            let inner_new = new.join("modules").join(&name);
            let inner_place = place.join("modules").join(&name);
            let plain = HandOver {
                readable: "",
                ..with
            };
            inner.write_repository(&inner_new, &inner_place, plain)?;
            let tree = relative_path(&inner_place, inner.folder());
            let config = inner_new.join("config");
            let set = git2::Config::open(&config)
                .and_then(|mut config| config.set_str("core.worktree", &tree.to_string_lossy()));
            set.map_err(|source| GitError::Library {
                action: "write the configuration",
                folder: inner.folder().to_owned(),
                source,
            })?;
            inner.write_submodules(&inner_new, &inner_place, top, with)?;
            // A folder that the worker put there is its own affair.
            let link = relative_path(inner.folder(), &inner_place);
            write_git_link(top, inner.folder(), &link).ok();
        }
        Ok(())
    }
}

/// Writes the `.git` of a submodule. No link in the work tree is followed.
fn write_git_link(top: &Path, folder: &Path, to: &Path) -> Result<(), GitError> {
    let below = folder.strip_prefix(top).unwrap_or(folder);
    let text = format!("gitdir: {}\n", to.display());
    let write = || -> Result<(), InsideError> {
        ConfinedFolder::open(top)?.write_git_link(&below.to_string_lossy(), text.as_bytes())
    };
    write().map_err(|error| GitError::Foreign {
        path: folder.to_owned(),
        problem: error.to_string(),
    })
}

fn put(new: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    file::replace_file_relaxed(&new.join(name), content, 0o644)
}

fn empty_if_missing(error: io::Error) -> io::Result<String> {
    if error.kind() == io::ErrorKind::NotFound {
        return Ok(String::new());
    }
    Err(error)
}

/// Copies a file with its time, which git compares with those of the files in the work tree.
fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Ok(_) => {
            let time = fs::metadata(from)?.modified()?;
            fs::File::options().write(true).open(to)?.set_modified(time)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Copies the programs among the hooks, without those with the mark.
fn copy_hooks(from: &Path, to: &Path, mark: &str) -> io::Result<()> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    file::create_folder(to, 0o755)?;
    for entry in entries {
        let entry = entry?;
        let meta = fs::metadata(entry.path())?;
        let is_sample = Path::new(&entry.file_name())
            .extension()
            .is_some_and(|ending| ending == "sample");
        if !meta.is_file() || meta.permissions().mode() & 0o111 == 0 || is_sample {
            continue;
        }
        let text = fs::read(entry.path())?;
        if String::from_utf8_lossy(&text).contains(mark) {
            continue;
        }
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Returns the path of `to` relative to the folder `from`. Both are absolute.
fn relative_path(from: &Path, to: &Path) -> PathBuf {
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[same..].iter().map(|_| Component::ParentDir);
    up.chain(to[same..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_goes_up_to_the_common_folder() {
        let path = relative_path(Path::new("/a/b/c"), Path::new("/a/d/e"));
        assert_eq!(path, Path::new("../../d/e"));
    }
}
