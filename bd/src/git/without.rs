//! Rewrites commits without the given paths, and lists the paths that a range of commits
//! introduces.
//!
//! A rewritten commit differs from the old one only in its tree and parents, and loses its
//! signature, which would be invalid. The same commits give the same rewritten ones. No index and
//! no work tree is touched. Paths are bytes, so every file name is supported.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Git, GitError};

/// Selects paths.
pub type PathFilter<'a> = &'a dyn Fn(&[u8]) -> bool;

impl Git {
    /// Returns the selected files that any commit of `base..tip` adds or changes, sorted. A merge
    /// does not introduce a file that it takes unchanged from a parent.
    pub fn introduced_paths(
        &self,
        base: &str,
        tip: &str,
        meant: PathFilter,
    ) -> Result<Vec<String>, GitError> {
        let args = ["log", "-c", "--format=", "--name-only", "-z"];
        let more = ["--no-renames", "--diff-filter=d", "--no-ext-diff"];
        let range = format!("{base}..{tip}");
        let call = self.plumbing(args).args(more).args([range.as_str(), "--"]);
        let listed = call.finish_checked()?.stdout;
        // An empty line separates two commits.
        let mut found: Vec<String> = listed
            .split(|byte| *byte == 0)
            .map(|path| path.strip_prefix(b"\n").unwrap_or(path))
            .filter(|path| !path.is_empty() && meant(path))
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Returns the tree of `rev` with the selected files as they are in `from`, and without those
    /// that `from` lacks.
    pub fn tree_without(
        &self,
        rev: &str,
        meant: PathFilter,
        from: &str,
    ) -> Result<String, GitError> {
        let mut lines = Vec::new();
        let own_files = self.list_tree(rev)?;
        for record in own_files.split(|byte| *byte == 0) {
            if path_of(record).is_some_and(|path| !meant(path)) {
                lines.extend_from_slice(record);
                lines.push(0);
            }
        }
        let theirs = self.list_tree(from)?;
        for record in theirs.split(|byte| *byte == 0) {
            if path_of(record).is_some_and(meant) {
                lines.extend_from_slice(record);
                lines.push(0);
            }
        }
        self.write_tree_lines(lines)
    }

    /// Returns the tree of `rev` with `path`, a file or folder, as it is in `from`, and without it
    /// if `from` lacks it.
    pub fn tree_with(&self, rev: &str, path: &str, from: &str) -> Result<String, GitError> {
        let below = format!("{path}/");
        self.tree_without(
            rev,
            &|candidate| candidate == path.as_bytes() || candidate.starts_with(below.as_bytes()),
            from,
        )
    }

    /// Lists all files of a commit in git's format.
    fn list_tree(&self, rev: &str) -> Result<Vec<u8>, GitError> {
        let call = self.plumbing(["ls-tree", "-r", "-z", "--full-tree", rev]);
        Ok(call.finish_checked()?.stdout)
    }

    /// Rewrites the commits of `base..tip` so that none changes a selected file: each commit has
    /// these files as its parent has them. Returns the new tip. Commits that become empty are
    /// dropped, so the result may be `base`.
    pub fn commits_without(
        &self,
        base: &str,
        tip: &str,
        meant: PathFilter,
    ) -> Result<String, GitError> {
        let base = self.commit_id(base)?;
        let range = format!("{base}..{tip}");
        let call = self.plumbing(["rev-list", "--topo-order", "--reverse", &range]);
        let mut rewritten: HashMap<String, String> = HashMap::new();
        let mut last = base.clone();
        for old in call.text()?.lines() {
            last = self.rewrite_without(old, &base, &rewritten, meant)?;
            rewritten.insert(old.to_owned(), last.clone());
        }
        Ok(last)
    }

    fn rewrite_without(
        &self,
        old: &str,
        base: &str,
        rewritten: &HashMap<String, String>,
        meant: PathFilter,
    ) -> Result<String, GitError> {
        let raw = self
            .plumbing(["cat-file", "commit", old])
            .finish_checked()?
            .stdout;
        let parsed = RawCommit::parse(&raw);
        let mut parents: Vec<&str> = Vec::new();
        for parent in &parsed.parents {
            let now = rewritten.get(*parent).map_or(*parent, String::as_str);
            if !parents.contains(&now) {
                parents.push(now);
            }
        }
        // A merge takes the selected files from the parent that is not rewritten.
        let outside = parsed
            .parents
            .iter()
            .find(|parent| !rewritten.contains_key(**parent));
        let from = match (parents.as_slice(), outside) {
            ([], _) => base,
            ([parent], _) => parent,
            ([_, ..], Some(outside)) => outside,
            ([parent, ..], None) => parent,
        };
        let tree = self.tree_without(old, meant, from)?;
        if tree == parsed.tree && parents == parsed.parents {
            return Ok(old.to_owned());
        }
        if let [parent] = parents[..] {
            let was_empty =
                parsed.parents.len() == 1 && self.tree_of(parsed.parents[0])? == parsed.tree;
            if !was_empty && self.tree_of(parent)? == tree {
                return Ok(parent.to_owned());
            }
        }
        self.plumbing(["hash-object", "-w", "-t", "commit", "--stdin"])
            .stdin(parsed.serialize(&tree, &parents, None))
            .text()
    }

    pub(super) fn commit_id(&self, rev: &str) -> Result<String, GitError> {
        let commit = format!("{rev}^{{commit}}");
        self.plumbing(["rev-parse", "--verify", "--end-of-options", &commit])
            .text()
    }
}

fn path_of(record: &[u8]) -> Option<&[u8]> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    record.get(tab + 1..)
}

/// A commit object as it is stored.
pub(super) struct RawCommit<'a> {
    tree: &'a str,
    parents: Vec<&'a str>,
    /// The other header lines, with their newlines.
    others: Vec<&'a [u8]>,
    /// The empty line and the message.
    rest: &'a [u8],
}

impl<'a> RawCommit<'a> {
    pub(super) fn parse(raw: &'a [u8]) -> Self {
        let mut read = RawCommit {
            tree: "",
            parents: Vec::new(),
            others: Vec::new(),
            rest: b"",
        };
        let mut at = 0;
        let mut in_signature = false;
        for line in raw.split_inclusive(|byte| *byte == b'\n') {
            if line == b"\n" {
                read.rest = raw.get(at..).unwrap_or_default();
                break;
            }
            at += line.len();
            let id = |name: &[u8]| {
                let rest = line.strip_prefix(name)?;
                std::str::from_utf8(rest).ok().map(str::trim_end)
            };
            in_signature = line.starts_with(b"gpgsig") || (in_signature && line.starts_with(b" "));
            if let Some(tree) = id(b"tree ") {
                read.tree = tree;
            } else if let Some(parent) = id(b"parent ") {
                read.parents.push(parent);
            } else if !in_signature {
                read.others.push(line);
            }
        }
        read
    }

    /// Serializes the object with another tree, other parents and, if given, another committer. Git
    /// writes no commit whose author has no name or whose date it cannot represent, so these are
    /// replaced.
    pub(super) fn serialize(
        &self,
        tree: &str,
        parents: &[&str],
        committer: Option<&str>,
    ) -> Vec<u8> {
        let mut text = format!("tree {tree}\n").into_bytes();
        for parent in parents {
            text.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        for line in &self.others {
            match committer.filter(|_| line.starts_with(b"committer ")) {
                Some(who) => text.extend_from_slice(format!("committer {who}\n").as_bytes()),
                None => text.extend_from_slice(&repair_identity_line(line)),
            }
        }
        text.extend_from_slice(self.rest);
        text
    }
}

/// Returns an author or committer line with a name, an address and a date that git accepts. Valid
/// lines and all others stay unchanged.
fn repair_identity_line(line: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(line);
    let key = ["author ", "committer "]
        .into_iter()
        .find(|key| text.starts_with(key));
    let Some(key) = key else {
        return Cow::Borrowed(line);
    };
    let (who, when) = text[key.len()..]
        .rsplit_once('>')
        .unwrap_or((&text[key.len()..], ""));
    let (name, address) = who.split_once('<').unwrap_or((who, ""));
    let address = address.replace(['<', '>'], "");
    let name = match name.trim() {
        "" => address.split('@').next().unwrap_or(""),
        name => name,
    };
    let name = if name.is_empty() { "unknown" } else { name };
    let mut words = when.split_ascii_whitespace();
    let seconds = words.next().and_then(|word| word.parse::<u32>().ok());
    let zone = words.next().filter(|zone| is_time_zone(zone));
    let repaired = format!(
        "{key}{name} <{address}> {} {}\n",
        seconds.unwrap_or(0),
        zone.unwrap_or("+0000")
    );
    // A name that is not UTF-8 would differ, and is git's own business.
    if std::str::from_utf8(line).is_err() || repaired.as_bytes() == line {
        return Cow::Borrowed(line);
    }
    Cow::Owned(repaired.into_bytes())
}

/// Returns true for a zone as git writes it, such as `+0200`.
fn is_time_zone(zone: &str) -> bool {
    let digits = zone.strip_prefix(['+', '-']);
    digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_authors_that_git_refuses_are_repaired() {
        let repaired =
            |line: &str| String::from_utf8(repair_identity_line(line.as_bytes()).into()).unwrap();
        for valid in [
            "author Dana <dana@example.org> 1700000000 +0200\n",
            "committer D. <> 0 -0130\n",
            "encoding latin1\n",
        ] {
            assert_eq!(repaired(valid), valid);
        }
        for (broken, wanted) in [
            (
                "author  <dana@x.org> 5 +0000\n",
                "author dana <dana@x.org> 5 +0000\n",
            ),
            ("author <> 5 +0000\n", "author unknown <> 5 +0000\n"),
            ("author D <d@x> -100 +0000\n", "author D <d@x> 0 +0000\n"),
            (
                "author D <d@x> 99999999999999999999 +0000\n",
                "author D <d@x> 0 +0000\n",
            ),
            ("author D <d@x> 7 CEST\n", "author D <d@x> 7 +0000\n"),
            ("author D\n", "author D <> 0 +0000\n"),
        ] {
            assert_eq!(repaired(broken), wanted);
        }
    }

    fn is_note(path: &[u8]) -> bool {
        path.split(|byte| *byte == b'/')
            .any(|part| part == b".note")
    }

    struct Tree {
        _folder: tempfile::TempDir,
        git: Git,
    }

    fn tree() -> Tree {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path().join("tree"));
        git.init("main", false).unwrap();
        git.config_set("user.name", "Tess").unwrap();
        git.config_set("user.email", "tess@example.org").unwrap();
        Tree {
            _folder: folder,
            git,
        }
    }

    impl Tree {
        fn commit(&self, files: &[(&str, &str)], message: &str) -> String {
            for (file, text) in files {
                let path = self.git.folder().join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            self.git.add_all().unwrap();
            self.git.commit_index(message).unwrap()
        }

        fn files(&self, rev: &str) -> Vec<String> {
            self.git.entries(rev).unwrap().into_keys().collect()
        }
    }

    #[test]
    fn files_are_removed_from_every_commit_and_the_rest_stays() {
        let tree = tree();
        let base = tree.commit(&[("a", "1"), (".note/old", "kept")], "Begin\n");
        tree.commit(&[(".note/x", "only a note")], "A note\n");
        tree.commit(
            &[
                ("b", "2"),
                ("sub/.note/y", "deep"),
                (".note/old", "changed"),
            ],
            "Work: ü\n\nWith a body.\n",
        );
        let tip = tree.commit(&[("c", "3")], "More\n");
        let brought = tree.git.introduced_paths(&base, &tip, &is_note).unwrap();
        assert_eq!(brought, [".note/old", ".note/x", "sub/.note/y"]);
        let new = tree.git.commits_without(&base, &tip, &is_note).unwrap();
        assert_eq!(tree.files(&new), [".note/old", "a", "b", "c"]);
        assert!(
            tree.git
                .introduced_paths(&base, &new, &is_note)
                .unwrap()
                .is_empty()
        );
        let commits = tree.git.commits(&base, &new).unwrap();
        let subjects: Vec<&str> = commits.iter().map(|commit| &*commit.subject).collect();
        assert_eq!(
            subjects,
            ["More", "Work: ü"],
            "what was only a note is gone"
        );
        assert_eq!(
            tree.git.file_at(&new, ".note/old").unwrap().unwrap(),
            b"kept"
        );
        // The same again, to the letter.
        assert_eq!(
            tree.git.commits_without(&base, &tip, &is_note).unwrap(),
            new
        );
        assert_eq!(
            tree.git.commits_without(&base, &new, &is_note).unwrap(),
            new
        );
    }

    #[test]
    fn commits_with_only_removed_files_collapse_to_the_base() {
        let tree = tree();
        let base = tree.commit(&[("a", "1")], "Begin\n");
        let tip = tree.commit(&[(".note/x", "1")], "A note\n");
        assert_eq!(
            tree.git.commits_without(&base, &tip, &is_note).unwrap(),
            base
        );
    }

    #[test]
    fn a_path_is_taken_from_the_other_commit_whatever_its_file_type() {
        let tree = tree();
        let put = |kind: &str| {
            let path = tree.git.folder().join(".note");
            std::fs::remove_file(&path).ok();
            std::fs::remove_dir_all(&path).ok();
            match kind {
                "none" => {}
                "link" => std::os::unix::fs::symlink("/", &path).unwrap(),
                "folder" => return tree.commit(&[(".note/x", "1"), ("a", kind)], kind),
                "submodule" => {
                    tree.commit(&[("a", kind)], kind);
                    let id = "1".repeat(40);
                    let entry = format!("160000,{id},.note");
                    let add = ["update-index", "--add", "--cacheinfo", &entry];
                    tree.git.plumbing(add).finish_checked().unwrap();
                    return tree.git.commit_index(kind).unwrap();
                }
                _ => std::fs::write(&path, "1").unwrap(),
            }
            tree.commit(&[("a", kind)], kind)
        };
        let kinds = ["none", "link", "folder", "submodule", "file"];
        let commits: Vec<String> = kinds.into_iter().map(put).collect();
        let is_at = |rev: &str| {
            let listed = tree.git.plumbing(["ls-tree", rev, "--", ".note"]);
            listed.text().unwrap()
        };
        for rev in &commits {
            for from in &commits {
                let made = tree.git.tree_with(rev, ".note", from).unwrap();
                assert_eq!(is_at(&made), is_at(from), "{rev} {from}");
                let a = |rev: &str| tree.git.file_at(rev, "a").unwrap();
                assert_eq!(a(&made), a(rev));
            }
        }
    }

    #[test]
    fn merges_stay_merges() {
        let tree = tree();
        let base = tree.commit(&[("a", "1")], "Begin\n");
        tree.git.switch_new_branch("side", &base).unwrap();
        tree.commit(&[("side", "1"), (".note/s", "1")], "Side\n");
        tree.git.switch("main").unwrap();
        tree.commit(&[("b", "1")], "Main\n");
        let merge = ["merge", "--quiet", "--no-ff", "-m", "Merge", "side"];
        tree.git.plumbing(merge).finish_checked().unwrap();
        let new = tree.git.commits_without(&base, "main", &is_note).unwrap();
        assert_eq!(tree.files(&new), ["a", "b", "side"]);
        assert!(tree.git.resolve(&format!("{new}^2")).unwrap().is_some());
    }

    #[test]
    fn only_paths_that_a_merge_adds_itself_are_introduced() {
        let tree = tree();
        let start = tree.commit(&[("a", "1"), (".note/kept", "1")], "Begin\n");
        tree.git.switch_new_branch("work", &start).unwrap();
        tree.commit(&[("work", "1")], "Work\n");
        tree.git.switch("main").unwrap();
        let base = tree.commit(&[(".note/kept", "2")], "The target's own\n");
        tree.git.switch("work").unwrap();
        let merge = ["merge", "--quiet", "--no-commit", "main"];
        tree.git.plumbing(merge).finish_checked().unwrap();
        let clean = tree.git.commit_index("Merge\n").unwrap();
        assert!(
            tree.git
                .introduced_paths(&base, &clean, &is_note)
                .unwrap()
                .is_empty()
        );
        tree.git.reset_hard("HEAD^").unwrap();
        tree.git.plumbing(merge).finish_checked().unwrap();
        let evil = tree.commit(&[(".note/evil", "x")], "Merge\n");
        let brought = tree.git.introduced_paths(&base, &evil, &is_note).unwrap();
        assert_eq!(brought, [".note/evil"]);
        let new = tree.git.commits_without(&base, &evil, &is_note).unwrap();
        assert_eq!(tree.files(&new), [".note/kept", "a", "work"]);
        assert!(
            tree.git
                .introduced_paths(&base, &new, &is_note)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn a_rewritten_commit_loses_its_signature() {
        let raw = b"tree t\nparent p\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\ngpgsig -----B\n x\n \n -----E\nencoding x\n\nSubject\n\n parent p\n";
        let written = RawCommit::parse(raw).serialize("n", &["q", "r"], None);
        let text = String::from_utf8(written).unwrap();
        let expected = "tree n\nparent q\nparent r\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\nencoding x\n\nSubject\n\n parent p\n";
        assert_eq!(text, expected);
    }
}
