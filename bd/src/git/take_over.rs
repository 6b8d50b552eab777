//! Takes over the state of a worker's repository into the town's repository for its work tree:
//! commits, branches, stashes, HEAD with its log, and index.
//!
//! The town obeys nothing that the worker can write. Refs are parsed from files, and objects are
//! copied to a repository made for this purpose, from which git fetches: git computes the id of each
//! object itself, so that none can have another content than its name says.
//!
//! 1. Read the refs. If they and the index are those of the last time, nothing is left to do.
//! 2. Fetch the new commits into `refs/gt/sandbox/<name>/`, as an image of the worker's refs. The
//!    branch that the town handed over also gets its usual name.
//! 3. Write HEAD and its log.
//! 4. Copy the index, if all of its paths lead into the work tree.
//! 5. Do the same for the submodules.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use kit::sys::{Clock, ForeignFolder, file};
use sha2::{Digest, Sha256};

use super::foreign::{
    ForeignHead, ForeignRefs, foreign_error, is_object_id, open_below, open_repository,
};
use super::run::{path_of_bytes, split_records};
use super::scratch::ScratchFolder;
use super::separate::SeparateRepository;
use super::taken_state::{FailedTaking, RECORD_NAME, TakenState, read_record};
use super::{Git, GitError, NETWORK};

/// The maximum size of a file with objects, in bytes.
const OBJECT_FILE: u64 = 16 << 30;

/// The maximum size of an index, in bytes.
const INDEX_FILE: u64 = 1 << 30;

/// Faults of commits that git writes and merges in spite of them. A tree that leads out of the work
/// tree is none.
const TOLERATED_FAULTS: [&str; 11] = [
    "badDate",
    "badDateOverflow",
    "badEmail",
    "badName",
    "badTimezone",
    "missingEmail",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
];

/// The maximum size of all objects of one taking, in bytes. A sparse file counts with its length.
const MAX_TAKING: u64 = 8 << 30;

/// The number of refs that are fetched one by one if git refuses all at once.
const MAX_SINGLE_REFS: usize = 200;

/// The name of the branch that was handed over, beside the index.
pub(super) const BRANCH_NAME: &str = "gt-branch";

/// A copy of the index of a worker.
struct CopiedIndex {
    /// The folder of the copy. None is in it if the worker has no index.
    scratch: ScratchFolder,
    /// The objects of files that are missing here.
    missing: Vec<String>,
}

impl CopiedIndex {
    fn put_in_place(&self, separate: &SeparateRepository) -> Result<(), GitError> {
        let index = separate.git_dir.join("index");
        let copy = self.scratch.path().join("index");
        let put = if copy.exists() {
            fs::rename(&copy, &index)
        } else {
            file::remove_file(&index)
        };
        put.map_err(|error| Git::file_error(&index, error))
    }
}

/// A repository with the refs of a worker.
struct RefImage {
    folder: ScratchFolder,
    refs: BTreeMap<String, String>,
    /// The commits that the worker's refs name and its repository lacks.
    missing: HashSet<String>,
}

impl RefImage {
    fn write_refs(&self) -> Result<(), GitError> {
        let mut text = String::from("# pack-refs with: sorted \n");
        for (name, id) in &self.refs {
            text.push_str(&format!("{id} {name}\n"));
        }
        let path = self.folder.path().join("packed-refs");
        file::replace_file_relaxed(&path, text.as_bytes(), 0o600)
            .map_err(|error| Git::file_error(&path, error))
    }
}

/// Returns the branch that the town handed over last, the only one that the worker moves in the
/// shared repository.
fn current_branch(separate: &SeparateRepository) -> Option<String> {
    fs::read_to_string(separate.git_dir.join(BRANCH_NAME)).ok()
}

impl Git {
    /// Takes over the state of the repository in the `.git` of the work tree. The branch that was
    /// handed over is set in the shared repository, too.
    pub fn take_over(&self) -> Result<(), GitError> {
        let repository = open_repository(self.folder())?;
        let repository = repository.ok_or_else(|| GitError::Foreign {
            path: self.folder().join(".git"),
            problem: "there is none".to_owned(),
        })?;
        self.take_over_from(&repository)
    }

    /// Takes over commits, branches and stashes, while the town's HEAD and index count.
    pub fn take_over_refs(&self, tree: &Path) -> Result<(), GitError> {
        let path = tree.join(".git");
        let repository = open_repository(tree)?;
        let (Some(separate), Some(repository)) = (&self.separate, repository) else {
            return Ok(());
        };
        let refs = ForeignRefs::read(&repository)?;
        let record = separate.git_dir.join(RECORD_NAME);
        if read_record(&record).refs == refs.fingerprint() {
            return Ok(());
        }
        let failed = |error: io::Error| foreign_error(&path, &error);
        file::remove_file(&record).map_err(failed)?;
        self.take_refs(separate, &repository, &refs, &[])?;
        Ok(())
    }

    fn take_over_from(&self, repository: &ForeignFolder) -> Result<(), GitError> {
        let Some(separate) = &self.separate else {
            return Ok(());
        };
        let refs = ForeignRefs::read(repository)?;
        let index = repository
            .metadata("index")
            .map_err(|error| foreign_error(repository.path(), &error))?
            .map_or_else(String::new, |found| {
                let changed = (
                    found.mtime(),
                    found.mtime_nsec(),
                    found.ctime(),
                    found.ctime_nsec(),
                );
                format!("{} {changed:?} {}", found.len(), found.ino())
            });
        let now = TakenState {
            refs: refs.fingerprint(),
            index,
        };
        let time = Clock::System.now();
        let failure = FailedTaking::read(separate).filter(|failed| failed.state == now);
        if let Some(failed) = failure.as_ref().filter(|failed| failed.is_pausing(time)) {
            return Err(GitError::Foreign {
                path: repository.path().to_owned(),
                problem: failed.describe(),
            });
        }
        let taken = self.take_over_state(separate, repository, &refs, &now);
        match &taken {
            Ok(()) => FailedTaking::remove(separate),
            Err(error) => FailedTaking::record(separate, failure, now, error, time),
        }
        taken?;
        self.take_submodules(repository)
    }

    /// Takes over a state of the worker's repository that may differ from the last one.
    fn take_over_state(
        &self,
        separate: &SeparateRepository,
        repository: &ForeignFolder,
        refs: &ForeignRefs,
        now: &TakenState,
    ) -> Result<(), GitError> {
        let record = separate.git_dir.join(RECORD_NAME);
        let before = read_record(&record);
        let copied = if before.index == now.index {
            None
        } else {
            Some(self.copy_index(separate, repository, !now.index.is_empty())?)
        };
        let staged = copied.as_ref().map_or(&[][..], |copied| &copied.missing);
        if before.refs != now.refs || !staged.is_empty() {
            let missing = self.take_refs(separate, repository, refs, staged)?;
            let problem = match (&refs.head, refs.head_commit()) {
                (Err(problem), _) => Some(problem.clone()),
                (Ok(_), Some(id)) if missing.contains(id) => {
                    Some(format!("it lacks the commit {id} of its HEAD"))
                }
                (Ok(head), _) => {
                    self.write_head(separate, refs, head)?;
                    None
                }
            };
            if let Some(problem) = problem {
                let path = repository.path().to_owned();
                return Err(GitError::Foreign { path, problem });
            }
        }
        if let Some(copied) = copied {
            copied.put_in_place(separate)?;
        }
        if before != *now {
            let text = serde_json::to_vec(now).map_err(io::Error::other);
            text.and_then(|text| file::replace_file_relaxed(&record, &text, 0o600))
                .map_err(|error| Self::file_error(&record, error))?;
        }
        Ok(())
    }

    /// Fetches the commits of a worker's refs, and the objects `staged`. Returns the commits that
    /// the worker's refs name and its repository lacks.
    fn take_refs(
        &self,
        separate: &SeparateRepository,
        repository: &ForeignFolder,
        refs: &ForeignRefs,
        staged: &[String],
    ) -> Result<HashSet<String>, GitError> {
        let mut image = self.copy_refs(repository, refs, staged)?;
        let branch = current_branch(separate);
        if let Err(error) = self.fetch_image(separate, &image, true) {
            // One branch must not keep back the work at hand.
            let own = branch
                .as_ref()
                .map(|branch| format!("refs/taken/heads/{branch}"));
            let (first, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
                image.refs.into_iter().partition(|(name, _)| {
                    ["refs/taken/head", "refs/taken/index"].contains(&&**name)
                        || Some(name) == own.as_ref()
                });
            image.refs = first;
            image.write_refs()?;
            if self.fetch_image(separate, &image, false).is_err() {
                return Err(error);
            }
            // Names of which one is the folder of another fit only apart.
            for id in others.into_values().take(MAX_SINGLE_REFS) {
                image.refs = BTreeMap::from([(format!("refs/taken/heads/apart-{id}"), id)]);
                image.write_refs()?;
                // Git refuses the commits of this ref alone.
                self.fetch_image(separate, &image, false).ok();
            }
        }
        if let Some(branch) = branch
            && let Some(id) = refs.heads.get(&branch)
            && !image.missing.contains(id)
        {
            let name = format!("refs/heads/{branch}");
            self.plumbing(["update-ref", "--create-reflog", &name, id])
                .run()?;
        }
        self.take_lfs_files(repository)?;
        Ok(image.missing)
    }

    fn fetch_image(
        &self,
        separate: &SeparateRepository,
        image: &RefImage,
        is_whole: bool,
    ) -> Result<(), GitError> {
        let taken = separate.taken.as_deref().unwrap_or_default();
        let refspec = format!("+refs/taken/*:{taken}/*");
        let checks = TOLERATED_FAULTS
            .iter()
            .flat_map(|fault| ["-c".to_owned(), format!("fetch.fsck.{fault}=ignore")]);
        let call = self.plumbing(["-c", "transfer.fsckObjects=true"]);
        let call = call.args(checks).args(["fetch", "--quiet", "--no-tags"]);
        call.args(["--no-auto-gc", "--no-write-fetch-head"])
            .args(is_whole.then_some("--prune"))
            .args(["--no-recurse-submodules", "--update-shallow", "--"])
            .args([image.folder.path().as_os_str(), refspec.as_ref()])
            .limit(NETWORK)
            .run()
    }

    /// Creates a repository with the refs of a worker, and with those of its objects that may be
    /// missing here.
    fn copy_refs(
        &self,
        repository: &ForeignFolder,
        refs: &ForeignRefs,
        staged: &[String],
    ) -> Result<RefImage, GitError> {
        let left = refs.left_commits();
        let all: HashSet<&str> = refs
            .heads
            .values()
            .chain(refs.tags.values())
            .chain(&refs.stashes)
            .chain(staged)
            .map(String::as_str)
            .chain(refs.head_commit())
            .chain(left.iter().copied())
            .collect();
        let all: Vec<&str> = all.into_iter().collect();
        let mut missing = self.missing_objects(&all)?;
        let folder = self.create_scratch("taking-")?;
        let begun = self.begin_image(folder.path(), &all);
        begun.map_err(|error| Self::file_error(folder.path(), error))?;
        let git = Self::at(folder.path());
        if !missing.is_empty() {
            let common = self.common_dir()?.join("objects");
            let failed = |error: io::Error| foreign_error(repository.path(), &error);
            let mut budget = MAX_TAKING;
            copy_loose_objects(repository, &common, folder.path(), &mut budget).map_err(failed)?;
            if !self.is_complete(&git, &all)?
                && copy_packs(repository, folder.path(), &mut budget).map_err(failed)?
            {
                git.index_packs()?;
            }
            missing = git.missing_objects(&all)?;
        }
        let mut lines = BTreeMap::new();
        let mut add = |name: String, id: &str| lines.insert(name, id.to_owned());
        for (branch, id) in &refs.heads {
            add(format!("refs/taken/heads/{branch}"), id);
        }
        for (tag, id) in &refs.tags {
            add(format!("refs/taken/tags/{tag}"), id);
        }
        for (number, id) in refs.stashes.iter().enumerate() {
            add(format!("refs/taken/stash/{number}"), id);
        }
        for id in left {
            add(format!("refs/taken/left/{id}"), id);
        }
        if let Some(id) = refs.head_commit() {
            add("refs/taken/head".to_owned(), id);
        }
        // A ref whose commit is gone holds nothing.
        lines.retain(|_, id| !missing.contains(id));
        let blobs: Vec<&String> = staged.iter().filter(|id| !missing.contains(*id)).collect();
        if !blobs.is_empty() {
            let entries: String = blobs
                .iter()
                .map(|id| format!("100644 blob {id}\t{id}\n"))
                .collect();
            let tree = git.plumbing(["mktree"]).stdin(entries).text()?;
            lines.insert("refs/taken/index".to_owned(), tree);
        }
        let image = RefImage {
            folder,
            refs: lines,
            missing,
        };
        image.write_refs()?;
        Ok(image)
    }

    /// Returns true if an image has all objects, with their histories.
    fn is_complete(&self, image: &Self, ids: &[&str]) -> Result<bool, GitError> {
        if !image.missing_objects(ids)?.is_empty() {
            return Ok(false);
        }
        let objects = image.folder().join("objects");
        let call = self
            .plumbing(["rev-list", "--objects", "--quiet"])
            .args(ids);
        let call = call.args(["--not", "--all"]);
        let found = call
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)
            .finish()?;
        Ok(found.is_success())
    }

    /// Writes the files of an empty repository that borrows the objects of this one.
    fn begin_image(&self, image: &Path, ids: &[&str]) -> io::Result<()> {
        let common = self.common_dir().map_err(io::Error::other)?;
        let is_sha256 = ids.iter().any(|id| id.len() == 64);
        let config = if is_sha256 {
            "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
        } else {
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
        };
        for folder in ["refs", "objects/info", "objects/pack"] {
            file::create_folder(&image.join(folder), 0o700)?;
        }
        let write =
            |name: &str, text: &[u8]| file::replace_file_relaxed(&image.join(name), text, 0o600);
        write("HEAD", b"ref: refs/heads/none\n")?;
        write("config", config.as_bytes())?;
        let mut alternates = common.join("objects").into_os_string().into_encoded_bytes();
        alternates.push(b'\n');
        write("objects/info/alternates", &alternates)?;
        if let Some(shallow) = file::read_file_if_exists(&common.join("shallow"))? {
            write("shallow", &shallow)?;
        }
        Ok(())
    }

    /// Returns those of the ids that are no object here.
    fn missing_objects(&self, ids: &[&str]) -> Result<HashSet<String>, GitError> {
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        let input = ids.join("\n") + "\n";
        let call = self.plumbing(["cat-file", "--batch-check=%(objectname)"]);
        let listed = call.stdin(input).text()?;
        Ok(listed
            .lines()
            .filter_map(|line| line.strip_suffix(" missing"))
            .map(str::to_owned)
            .collect())
    }

    /// Computes the indexes of copied packs.
    fn index_packs(&self) -> Result<(), GitError> {
        let folder = self.folder().join("objects/pack");
        let entries = fs::read_dir(&folder).map_err(|error| Self::file_error(&folder, error))?;
        for entry in entries {
            let path = entry
                .map_err(|error| Self::file_error(&folder, error))?
                .path();
            self.plumbing(["index-pack"])
                .args([path])
                .limit(NETWORK)
                .run()?;
        }
        Ok(())
    }

    fn write_head(
        &self,
        separate: &SeparateRepository,
        refs: &ForeignRefs,
        head: &ForeignHead,
    ) -> Result<(), GitError> {
        let taken = separate.taken.as_deref().unwrap_or_default();
        let current = current_branch(separate);
        let head = match head {
            ForeignHead::Commit(id) => format!("{id}\n"),
            ForeignHead::Branch(branch) if current.as_ref() == Some(branch) => {
                format!("ref: refs/heads/{branch}\n")
            }
            ForeignHead::Branch(branch) => format!("ref: {taken}/heads/{branch}\n"),
        };
        let ids: Vec<&str> = refs
            .head_log
            .iter()
            .filter_map(|line| line.split(' ').nth(1))
            .collect();
        let missing = self.missing_objects(&ids)?;
        let mut log = String::new();
        for (line, id) in refs.head_log.iter().zip(ids) {
            if !missing.contains(id) {
                log.push_str(line);
                log.push('\n');
            }
        }
        for (name, text) in [("logs/HEAD", &log), ("HEAD", &head)] {
            let path = separate.git_dir.join(name);
            let folder = path.parent().unwrap_or(&separate.git_dir);
            file::create_folder(folder, 0o755)
                .and_then(|()| file::replace_file_relaxed(&path, text.as_bytes(), 0o644))
                .map_err(|error| Self::file_error(&path, error))?;
        }
        Ok(())
    }

    /// Copies the index of a worker. Git trusts the paths of an index, and would remove files
    /// through them.
    fn copy_index(
        &self,
        separate: &SeparateRepository,
        repository: &ForeignFolder,
        is_there: bool,
    ) -> Result<CopiedIndex, GitError> {
        let scratch = ScratchFolder::create(&separate.git_dir, "index-")
            .map_err(|error| Self::file_error(&separate.git_dir, error))?;
        if !is_there {
            return Ok(CopiedIndex {
                scratch,
                missing: Vec::new(),
            });
        }
        let copy = scratch.path().join("index");
        let failed = |error: io::Error| foreign_error(repository.path(), &error);
        repository
            .copy_file("index", &copy, INDEX_FILE)
            .map_err(failed)?;
        // The shared part of a split index, which git looks for beside the repository's HEAD.
        for entry in repository.entries().map_err(failed)? {
            let name = entry.name.to_str();
            let id = name.and_then(|name| name.strip_prefix("sharedindex."));
            if id.is_some_and(is_object_id) {
                let shared = separate.git_dir.join(&entry.name);
                if !shared.exists() {
                    repository
                        .copy_file(&entry.name, &shared, INDEX_FILE)
                        .map_err(failed)?;
                }
            }
        }
        let listed = self
            .plumbing(["ls-files", "--stage", "-z"])
            .env("GIT_INDEX_FILE", &copy)
            .finish_checked()?;
        let mut ids = Vec::new();
        for entry in split_records(&listed.stdout) {
            // `<mode> <id> <stage>\t<path>`.
            let tab = entry.iter().position(|byte| *byte == b'\t');
            let (about, path) = entry.split_at(tab.unwrap_or(entry.len()));
            let path = path_of_bytes(path.get(1..).unwrap_or_default());
            if !is_inside(&path) {
                return Err(GitError::Foreign {
                    path: repository.path().join("index"),
                    problem: format!(
                        "it names {}, which is no path in the work tree",
                        path.display()
                    ),
                });
            }
            let about = String::from_utf8_lossy(about);
            if let Some(id) = about.split(' ').nth(1)
                && !about.starts_with("160000 ")
            {
                ids.push(id.to_owned());
            }
        }
        ids.sort();
        ids.dedup();
        let all: Vec<&str> = ids.iter().map(String::as_str).collect();
        let missing = self.missing_objects(&all)?.into_iter().collect();
        Ok(CopiedIndex { scratch, missing })
    }

    /// Copies the files of git-lfs that are missing here, if their content fits their names.
    fn take_lfs_files(&self, repository: &ForeignFolder) -> Result<(), GitError> {
        let failed = |error: io::Error| foreign_error(repository.path(), &error);
        let objects = open_below(repository, Path::new("lfs/objects")).map_err(failed)?;
        let Some(objects) = objects else {
            return Ok(());
        };
        let store = self.common_dir()?.join("lfs");
        for (folder, inside) in list_folders(&objects).map_err(failed)? {
            for (inner, files) in list_folders(&inside).map_err(failed)? {
                let place = store.join("objects").join(&folder).join(&inner);
                for entry in files.entries().map_err(failed)? {
                    let to = place.join(&entry.name);
                    if entry.is_folder || to.exists() {
                        continue;
                    }
                    copy_lfs_file(&files, &entry.name, &store, &to).map_err(failed)?;
                }
            }
        }
        Ok(())
    }

    fn take_submodules(&self, repository: &ForeignFolder) -> Result<(), GitError> {
        for (path, name) in self.declared_submodule_names()? {
            let inner = self.submodule(&path, &name);
            let failed = |error: io::Error| foreign_error(repository.path(), &error);
            let folder = open_below(repository, &Path::new("modules").join(&name));
            let Some(folder) = folder.map_err(failed)? else {
                continue;
            };
            if folder.metadata("HEAD").map_err(failed)?.is_none() {
                continue;
            }
            self.create_submodule_repository(&inner, &path, &name)?;
            inner.take_over_from(&folder)?;
        }
        Ok(())
    }

    /// Creates the town's repository for a submodule that the worker has added.
    fn create_submodule_repository(
        &self,
        inner: &Self,
        path: &Path,
        name: &str,
    ) -> Result<(), GitError> {
        let Some(git_dir) = inner.separate_git_dir() else {
            return Ok(());
        };
        if git_dir.join("HEAD").exists() {
            return Ok(());
        }
        Self::at(git_dir).init("main", true)?;
        let config = ["config", "-f", "config", "core.bare", "false"];
        Self::at(git_dir).plumbing(config).run()?;
        // Git finds the address, which may be relative to that of the outer repository.
        let call = self.plumbing(["submodule", "--quiet", "init", "--"]);
        call.args([path]).finish()?;
        match self.config_get(&format!("submodule.{name}.url"))? {
            Some(url) => inner.add_origin(&url),
            None => Ok(()),
        }
    }
}

/// Returns true if a path of an index leads to a place in the work tree, outside of `.git`.
fn is_inside(path: &Path) -> bool {
    !path.as_os_str().is_empty()
        && path.components().all(|part| match part {
            Component::Normal(part) => !part.eq_ignore_ascii_case(".git"),
            _ => false,
        })
}

fn list_folders(folder: &ForeignFolder) -> io::Result<Vec<(PathBuf, ForeignFolder)>> {
    let mut found = Vec::new();
    for entry in folder.entries()? {
        if entry.is_folder
            && let Some(inner) = folder.subfolder(&entry.name)?
        {
            found.push((PathBuf::from(entry.name), inner));
        }
    }
    Ok(found)
}

/// Copies the loose objects of a worker that are not loose objects in `known`.
fn copy_loose_objects(
    repository: &ForeignFolder,
    known: &Path,
    image: &Path,
    budget: &mut u64,
) -> io::Result<()> {
    let Some(objects) = repository.subfolder("objects")? else {
        return Ok(());
    };
    for (part, folder) in list_folders(&objects)? {
        let is_part = part.as_os_str().len() == 2
            && part
                .as_os_str()
                .as_bytes()
                .iter()
                .all(u8::is_ascii_hexdigit);
        if !is_part {
            continue;
        }
        let to = image.join("objects").join(&part);
        file::create_folder(&to, 0o700)?;
        for entry in folder.entries()? {
            let is_object = !entry.is_folder
                && entry.name.as_bytes().iter().all(u8::is_ascii_hexdigit)
                && matches!(entry.name.len(), 38 | 62);
            if is_object && !known.join(&part).join(&entry.name).exists() {
                let copied = folder.copy_file(&entry.name, &to.join(&entry.name), *budget)?;
                *budget -= copied.unwrap_or(0);
            }
        }
    }
    Ok(())
}

/// Copies the packs of a worker without their indexes. Returns false if there are none.
fn copy_packs(repository: &ForeignFolder, image: &Path, budget: &mut u64) -> io::Result<bool> {
    let Some(packs) = open_below(repository, Path::new("objects/pack"))? else {
        return Ok(false);
    };
    let mut number = 0;
    for entry in packs.entries()? {
        if entry.is_folder || !entry.name.as_bytes().ends_with(b".pack") {
            continue;
        }
        let to = image.join(format!("objects/pack/pack-{number:040}.pack"));
        *budget -= packs.copy_file(&entry.name, &to, *budget)?.unwrap_or(0);
        number += 1;
    }
    Ok(number > 0)
}

fn encode_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn copy_lfs_file(
    folder: &ForeignFolder,
    name: &std::ffi::OsStr,
    store: &Path,
    to: &Path,
) -> io::Result<()> {
    let parent = to.parent().unwrap_or(store);
    file::create_folder(parent, 0o755)?;
    let scratch = ScratchFolder::create(store, "taking-")?;
    let copy = scratch.path().join("file");
    folder.copy_file(name, &copy, OBJECT_FILE)?;
    let mut digest = Sha256::new();
    let mut file = fs::File::open(&copy)?;
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            length => digest.update(&piece[..length]),
        }
    }
    let id = encode_hex(&digest.finalize());
    if name.as_bytes() == id.as_bytes() {
        fs::rename(&copy, to)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_an_index_that_lead_out_of_the_work_tree_are_refused() {
        for path in ["a", "a/b.git", ".gitignore", "a b"] {
            assert!(is_inside(Path::new(path)), "{path}");
        }
        for path in [
            "",
            "..",
            "../a",
            "a/../../b",
            "/etc/x",
            ".git/config",
            "a/.GIT/x",
        ] {
            assert!(!is_inside(Path::new(path)), "{path}");
        }
    }
}
