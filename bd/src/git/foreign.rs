//! Reads the refs of a repository that someone else writes, from its files.
//!
//! Git never runs there, because it obeys the configuration, hooks and attributes of a repository.
//! No link is followed, and every size is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use kit::sys::ForeignFolder;
use sha2::{Digest, Sha256};

use super::GitError;

/// The maximum size of a file with one ref, in bytes.
const REF_FILE: u64 = 4 * 1024;

/// The maximum size of `packed-refs`, in bytes.
const PACKED_REFS: u64 = 64 << 20;

/// The maximum size of a log, in bytes.
const LOG_FILE: u64 = 64 << 20;

/// The maximum number of branches, and of stashes.
const MAX_REFS: usize = 10_000;

/// The maximum depth of folders of branches.
const MAX_DEPTH: usize = 20;

/// The number of the last entries of a log that count.
const MAX_LOG_LINES: usize = 2_000;

/// The commit or branch of HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ForeignHead {
    /// The name without `refs/heads/`. The branch may have no commit yet.
    Branch(String),
    Commit(String),
}

/// The refs of a repository that someone else writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ForeignRefs {
    /// The error is the reason why it cannot be read. The branches count nevertheless.
    pub head: Result<ForeignHead, String>,
    /// The tips of the branches by their names without `refs/heads/`.
    pub heads: BTreeMap<String, String>,
    /// The objects of the tags by their names without `refs/tags/`.
    pub tags: BTreeMap<String, String>,
    /// The commits of the stashes, newest first, and of changes that git put away for a moment.
    pub stashes: Vec<String>,
    /// The well-formed lines of the log of HEAD, oldest first.
    pub head_log: Vec<String>,
}

impl ForeignRefs {
    /// Reads the refs of a repository: of the folder that has its `HEAD`.
    pub(super) fn read(repository: &ForeignFolder) -> Result<Self, GitError> {
        let failed = |problem: String| GitError::Foreign {
            path: repository.path().to_owned(),
            problem,
        };
        let read = || -> io::Result<Self> {
            // A branch is made before HEAD moves to it.
            let head = read_head(repository).map_err(|error| error.to_string());
            Ok(Self {
                tags: read_refs(repository, "tags")?,
                head,
                heads: read_refs(repository, "heads")?,
                stashes: [read_stashes(repository)?, read_autostashes(repository)?].concat(),
                head_log: read_log(repository, &["HEAD"])?,
            })
        };
        read().map_err(|error| failed(error.to_string()))
    }

    /// Identifies the state of the refs.
    pub(super) fn fingerprint(&self) -> String {
        let digest = Sha256::digest(format!("{self:?}"));
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The commit of HEAD; `None` on a branch without a commit, or if HEAD cannot be read.
    pub(super) fn head_commit(&self) -> Option<&str> {
        match self.head.as_ref().ok()? {
            ForeignHead::Commit(id) => Some(id),
            ForeignHead::Branch(branch) => self.heads.get(branch).map(String::as_str),
        }
    }

    /// The commits from which HEAD moved on while it was on no branch.
    pub(super) fn left_commits(&self) -> BTreeSet<&str> {
        self.head_log
            .iter()
            .filter_map(|line| line.split_once("\tcheckout: moving from "))
            .filter_map(|(_, moved)| moved.split(' ').next())
            .filter(|from| is_object_id(from))
            .collect()
    }
}

pub(super) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

fn is_branch_name(name: &str) -> bool {
    git2::Reference::is_valid_name(&format!("refs/heads/{name}"))
}

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

fn read_text(folder: &ForeignFolder, name: &OsStr, limit: u64) -> io::Result<Option<String>> {
    let bytes = folder.read_file(name, limit)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn read_head(repository: &ForeignFolder) -> io::Result<ForeignHead> {
    let text = read_text(repository, OsStr::new("HEAD"), REF_FILE)?;
    let text = text.ok_or_else(|| invalid("it has no HEAD".to_owned()))?;
    let text = text.trim_end();
    if is_object_id(text) {
        return Ok(ForeignHead::Commit(text.to_owned()));
    }
    let branch = text
        .strip_prefix("ref:")
        .and_then(|name| name.trim_start().strip_prefix("refs/heads/"))
        .filter(|branch| is_branch_name(branch) && !branch.starts_with('.'));
    match branch {
        Some(branch) => Ok(ForeignHead::Branch(branch.to_owned())),
        None => Err(invalid("its HEAD names no branch and no commit".to_owned())),
    }
}

/// Reads the branches or tags. The loose ones come first, as git reads them: while the worker packs
/// its refs, each is in `packed-refs` before its own file goes.
fn read_refs(repository: &ForeignFolder, kind: &str) -> io::Result<BTreeMap<String, String>> {
    let mut loose = BTreeMap::new();
    if let Some(refs) = repository.subfolder("refs")?
        && let Some(folder) = refs.subfolder(kind)?
    {
        read_loose_refs(&folder, "", 0, &mut loose)?;
    }
    let mut found = read_packed_refs(repository, kind)?;
    for (name, id) in loose {
        insert_head(&mut found, name, id)?;
    }
    Ok(found)
}

fn read_packed_refs(
    repository: &ForeignFolder,
    kind: &str,
) -> io::Result<BTreeMap<String, String>> {
    let prefix = format!("refs/{kind}/");
    let text = read_text(repository, OsStr::new("packed-refs"), PACKED_REFS)?;
    let mut heads = BTreeMap::new();
    for line in text.iter().flat_map(|text| text.lines()) {
        if let Some((id, name)) = line.split_once(' ')
            && let Some(branch) = name.strip_prefix(&prefix)
            && is_object_id(id)
            && is_branch_name(branch)
        {
            insert_head(&mut heads, branch.to_owned(), id.to_owned())?;
        }
    }
    Ok(heads)
}

fn insert_head(heads: &mut BTreeMap<String, String>, branch: String, id: String) -> io::Result<()> {
    heads.insert(branch, id);
    if heads.len() > MAX_REFS {
        return Err(invalid(format!("it has more than {MAX_REFS} branches")));
    }
    Ok(())
}

fn read_loose_refs(
    folder: &ForeignFolder,
    prefix: &str,
    depth: usize,
    heads: &mut BTreeMap<String, String>,
) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return Err(invalid(format!(
            "the names of its branches have more than {MAX_DEPTH} parts"
        )));
    }
    for entry in folder.entries()? {
        // The name of an image, which need not be that of the branch.
        let part = entry.name.to_string_lossy().replace('\u{fffd}', "_");
        let branch = format!("{prefix}{part}");
        if entry.is_folder {
            if let Some(inner) = folder.subfolder(&entry.name)? {
                read_loose_refs(&inner, &format!("{branch}/"), depth + 1, heads)?;
            }
            continue;
        }
        // A lock file of git, or a branch that is just being written.
        if !is_branch_name(&branch) {
            continue;
        }
        if let Some(text) = read_text(folder, &entry.name, REF_FILE)?
            && is_object_id(text.trim_end())
        {
            insert_head(heads, branch, text.trim_end().to_owned())?;
        }
    }
    Ok(())
}

/// Reads the commits of the stashes from the log of their ref, newest first.
fn read_stashes(repository: &ForeignFolder) -> io::Result<Vec<String>> {
    let Some(refs) = repository.subfolder("refs")? else {
        return Ok(Vec::new());
    };
    let tip = match read_text(&refs, OsStr::new("stash"), REF_FILE)? {
        Some(text) => Some(text.trim_end().to_owned()),
        None => read_packed_stash(repository)?,
    };
    let Some(tip) = tip.filter(|tip| is_object_id(tip)) else {
        return Ok(Vec::new());
    };
    let mut stashes: Vec<String> = read_log(repository, &["refs", "stash"])?
        .iter()
        .rev()
        .filter_map(|line| line.split(' ').nth(1))
        .map(str::to_owned)
        .collect();
    if stashes.first() != Some(&tip) {
        stashes.insert(0, tip);
    }
    stashes.truncate(MAX_REFS);
    Ok(stashes)
}

/// Reads the commits of changes that a rebase or merge put away until its end.
fn read_autostashes(repository: &ForeignFolder) -> io::Result<Vec<String>> {
    let mut found = read_text(repository, OsStr::new("MERGE_AUTOSTASH"), REF_FILE)?
        .into_iter()
        .collect::<Vec<_>>();
    for name in ["rebase-merge", "rebase-apply"] {
        if let Some(folder) = repository.subfolder(name)? {
            found.extend(read_text(&folder, OsStr::new("autostash"), REF_FILE)?);
        }
    }
    let ids = found.iter().map(|text| text.trim_end().to_owned());
    Ok(ids.filter(|id| is_object_id(id)).collect())
}

fn read_packed_stash(repository: &ForeignFolder) -> io::Result<Option<String>> {
    let text = read_text(repository, OsStr::new("packed-refs"), PACKED_REFS)?;
    let found = text
        .iter()
        .flat_map(|text| text.lines())
        .find_map(|line| line.strip_suffix(" refs/stash"));
    Ok(found.map(str::to_owned))
}

/// Reads the last lines of a log that are well-formed: `<old id> <new id> <who> <time>\t<reason>`.
fn read_log(repository: &ForeignFolder, place: &[&str]) -> io::Result<Vec<String>> {
    let Some((name, folders)) = place.split_last() else {
        return Ok(Vec::new());
    };
    let Some(mut folder) = repository.subfolder("logs")? else {
        return Ok(Vec::new());
    };
    for part in folders {
        match folder.subfolder(part)? {
            Some(inner) => folder = inner,
            None => return Ok(Vec::new()),
        }
    }
    let Some(text) = read_text(&folder, OsStr::new(name), LOG_FILE)? else {
        return Ok(Vec::new());
    };
    let lines: Vec<&str> = text.lines().filter(|line| is_log_line(line)).collect();
    let first = lines.len().saturating_sub(MAX_LOG_LINES);
    Ok(lines[first..]
        .iter()
        .map(|line| (*line).to_owned())
        .collect())
}

fn is_log_line(line: &str) -> bool {
    let mut parts = line.splitn(3, ' ');
    let ids = [parts.next(), parts.next()];
    ids.iter().all(|id| id.is_some_and(is_object_id))
        && parts.next().is_some_and(|rest| rest.contains('\t'))
}

/// Opens the folder of a worker's repository in a work tree; `None` if there is none.
pub(super) fn open_repository(tree: &Path) -> Result<Option<ForeignFolder>, GitError> {
    let path = tree.join(".git");
    ForeignFolder::open(&path).map_err(|error| foreign_error(&path, &error))
}

pub(super) fn foreign_error(path: &Path, error: &io::Error) -> GitError {
    GitError::Foreign {
        path: path.to_owned(),
        problem: error.to_string(),
    }
}

/// Opens a folder below an open one, part by part; `None` if a part is missing.
pub(super) fn open_below(
    folder: &ForeignFolder,
    below: &Path,
) -> io::Result<Option<ForeignFolder>> {
    let mut parts = below
        .components()
        .map(|part| PathBuf::from(part.as_os_str()));
    let Some(first) = parts.next() else {
        return Ok(None);
    };
    let mut found = folder.subfolder(first)?;
    for part in parts {
        found = match found {
            Some(folder) => folder.subfolder(part)?,
            None => None,
        };
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn read(files: &[(&str, &str)]) -> Result<ForeignRefs, GitError> {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        ForeignRefs::read(&ForeignFolder::open(place.path()).unwrap().unwrap())
    }

    #[test]
    fn loose_refs_win_over_packed_ones_and_damaged_ones_are_left_out() {
        let packed = format!("# pack-refs\n{ONE} refs/heads/a\n{ONE} refs/heads/b\n^{TWO}\nx y\n");
        let log = format!("{ONE} {TWO} Me <m@e> 1 +0000\tcheckout: moving from {ONE} to b\nbad\n");
        let refs = read(&[
            ("HEAD", "ref: refs/heads/b\n"),
            ("packed-refs", &packed),
            ("refs/heads/b", &format!("{TWO}\n")),
            ("refs/heads/c/d", &format!("{ONE}\n")),
            ("refs/heads/e.lock", &format!("{ONE}\n")),
            ("refs/heads/f", "ref: refs/heads/a\n"),
            ("logs/HEAD", &log),
        ])
        .unwrap();
        let heads: Vec<_> = refs
            .heads
            .iter()
            .map(|(name, id)| (&**name, &**id))
            .collect();
        assert_eq!(heads, [("a", ONE), ("b", TWO), ("c/d", ONE)]);
        assert_eq!(refs.head_commit(), Some(TWO));
        assert_eq!(refs.left_commits(), BTreeSet::from([ONE]));
        assert_eq!(refs.head_log.len(), 1);
    }

    #[test]
    fn no_branch_is_missing_while_the_worker_packs_its_refs() {
        let place = tempfile::tempdir().unwrap();
        let loose = place.path().join("refs/heads");
        fs::create_dir_all(&loose).unwrap();
        fs::write(place.path().join("HEAD"), "ref: refs/heads/0\n").unwrap();
        let repository = ForeignFolder::open(place.path()).unwrap().unwrap();
        let mut packed = String::new();
        for number in 0..300 {
            let branch = number.to_string();
            fs::write(loose.join(&branch), ONE).unwrap();
            packed.push_str(&format!("{ONE} refs/heads/{branch}\n"));
            std::thread::scope(|scope| {
                let packing = scope.spawn(|| {
                    let new = place.path().join("packed-refs.lock");
                    fs::write(&new, &packed).unwrap();
                    fs::rename(new, place.path().join("packed-refs")).unwrap();
                    fs::remove_file(loose.join(&branch)).unwrap();
                });
                loop {
                    let is_packed = packing.is_finished();
                    let refs = ForeignRefs::read(&repository).unwrap();
                    assert!(refs.heads.contains_key(&branch), "{branch}");
                    if is_packed {
                        break;
                    }
                }
            });
        }
    }

    #[test]
    fn a_head_that_names_neither_branch_nor_commit_is_an_error() {
        for head in [
            "",
            "ref: refs/remotes/x",
            "ref: ../x",
            "ref: refs/heads/.invalid",
            "junk",
        ] {
            assert!(read(&[("HEAD", head)]).unwrap().head.is_err(), "{head}");
        }
        assert!(read(&[]).unwrap().head.is_err());
        let unborn = read(&[("HEAD", "ref: refs/heads/new\n")]).unwrap();
        assert_eq!(unborn.head_commit(), None);
    }

    #[test]
    fn stashes_come_from_their_log_newest_first() {
        let log = format!("{ONE} {ONE} M <m> 1 +0\tWIP\n{ONE} {TWO} M <m> 2 +0\tWIP\n");
        let refs = read(&[
            ("HEAD", ONE),
            ("refs/stash", TWO),
            ("logs/refs/stash", &log),
        ])
        .unwrap();
        assert_eq!(refs.stashes, [TWO, ONE]);
        let refs = read(&[("HEAD", ONE), ("logs/refs/stash", &log)]).unwrap();
        assert!(refs.stashes.is_empty(), "a dropped list");
    }
}
