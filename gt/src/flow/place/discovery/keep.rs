//! Manages the ref that keeps a convoy's documents in the rig's repository. Each change is a commit
//! on top of the previous one, so that older versions of a document exist until the convoy lands.

use bd::git::{Git, GitError, Identity, TreeEntries};
use bd::store::Snapshot;

use super::document_ref;
use crate::town::Rig;

/// The number of attempts to change a ref that others change at the same time.
const MAX_ATTEMPTS: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptDocuments {
    pub reference: String,
    /// The files that this call added.
    pub files: Vec<String>,
}

/// Adds files to the documents that are kept under a name. Idempotent.
pub(super) fn keep_documents(
    git: &Git,
    key: &str,
    files: &TreeEntries,
    message: &str,
    who: &Identity,
) -> Result<KeptDocuments, GitError> {
    let reference = document_ref(key);
    // Git silently omits files that it considers part of a repository.
    let report_kept = |held: &TreeEntries| KeptDocuments {
        reference: reference.clone(),
        files: files
            .iter()
            .filter(|(path, file)| held.get(*path).is_some_and(|held| held.id == file.id))
            .map(|(path, _)| path.clone())
            .collect(),
    };
    let mut tried = 0;
    loop {
        tried += 1;
        let old = git.resolve(&reference)?;
        let before = match &old {
            Some(commit) => git.entries(commit)?,
            None => TreeEntries::new(),
        };
        let after = overlay_files(before.clone(), files);
        if after == before {
            return Ok(report_kept(&before));
        }
        let tree = git.write_entries(&after)?;
        let held = git.entries(&tree)?;
        if held == before {
            return Ok(report_kept(&before));
        }
        let parents: Vec<&str> = old.as_deref().into_iter().collect();
        let new = git.commit_tree(&tree, &parents, message, who)?;
        match git.update_ref(&reference, &new, old.as_deref()) {
            Ok(()) => return Ok(report_kept(&held)),
            // Someone else changed the ref at the same time.
            Err(_) if tried < MAX_ATTEMPTS && git.resolve(&reference)? != old => {}
            Err(error) => return Err(error),
        }
    }
}

/// Puts files over existing ones. If one path is a folder of another, the new one wins.
pub(super) fn overlay_files(mut entries: TreeEntries, files: &TreeEntries) -> TreeEntries {
    for (path, entry) in files {
        let below = format!("{path}/");
        entries.retain(|other, _| {
            !other.starts_with(&below) && !path.starts_with(&format!("{other}/"))
        });
        entries.insert(path.clone(), entry.clone());
    }
    entries
}

/// Moves the documents of a name out of the way of later work, to a rescue ref of the rig. `gt
/// rescue` lists, restores and drops it. Returns the commit and that ref, or `None` if another
/// process did it or keeps new documents there.
pub fn retire_documents(
    git: &Git,
    rig: &str,
    key: &str,
) -> Result<Option<(String, String)>, GitError> {
    let reference = document_ref(key);
    let Some(commit) = git.resolve(&reference)? else {
        return Ok(None);
    };
    let name = reference.rsplit('/').next().unwrap_or("");
    let rescue = rescue_ref_of(rig, name, &commit);
    if git.resolve(&rescue)?.is_none() {
        let whole = build_rescue_commit(git, rig, name, &commit)?;
        match git.update_ref(&rescue, &whole, None) {
            Err(error) if git.resolve(&rescue)?.is_none() => return Err(error),
            _ => {}
        }
    }
    match git.delete_ref(&reference, &commit) {
        Ok(()) => Ok(Some((commit, rescue))),
        Err(error) if git.resolve(&reference)?.as_ref() == Some(&commit) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns the rescue ref of documents after the landing. Unique per commit, because a convoy may
/// land again with other documents.
pub(super) fn rescue_ref_of(rig: &str, name: &str, commit: &str) -> String {
    format!("refs/gt/rescue/{rig}/discovery/{name}-{commit:.12}")
}

/// Returns the documents as one rescue commit without a base, because a rescue restores the files
/// that its commit changes. The earlier versions are its second parent.
fn build_rescue_commit(git: &Git, rig: &str, name: &str, commit: &str) -> Result<String, GitError> {
    let who = Identity {
        name: format!("{rig}/refinery"),
        email: "refinery@gastown.local".to_owned(),
    };
    let message = format!("Discovery documents of {name}\n");
    let nothing = git.write_entries(&TreeEntries::new())?;
    let empty = git.commit_tree(&nothing, &[], &message, &who)?;
    git.commit_tree(&git.tree_of(commit)?, &[&empty, commit], &message, &who)
}

/// Retires the documents of all landed convoys. Needed if a process was killed right after a
/// landing.
pub fn retire_landed_documents(rig: &Rig, town: &Snapshot) -> Result<(), GitError> {
    let git = rig.git();
    let call = git.plumbing(["for-each-ref", "--format=%(refname)", "refs/gt/discovery"]);
    for reference in call.text()?.lines() {
        let name = reference.rsplit('/').next().unwrap_or("");
        if town.get(name).is_some_and(|bead| {
            crate::record::convoy::is_convoy(bead) && crate::record::convoy::has_landed(bead)
        }) {
            retire_documents(&git, rig.name(), name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bd::git::TreeEntry;

    use super::*;
    use crate::testing::TestTown;

    fn entries(paths: &[&str]) -> TreeEntries {
        let entry = |id: &str| TreeEntry {
            mode: "100644".to_owned(),
            id: id.to_owned(),
            size: 1,
        };
        paths
            .iter()
            .map(|path| ((*path).to_owned(), entry(path)))
            .collect()
    }

    #[test]
    fn later_files_replace_files_in_their_way() {
        let before = entries(&[".gt/a", ".gt/b/c", ".gt/bc", ".gt/d"]);
        let after = overlay_files(before, &entries(&[".gt/a/x", ".gt/b"]));
        let paths: Vec<&str> = after.keys().map(String::as_str).collect();
        assert_eq!(paths, [".gt/a/x", ".gt/b", ".gt/bc", ".gt/d"]);
    }

    #[test]
    fn files_that_a_landing_removed_are_restored_completely_and_once() {
        let place = TestTown::new();
        let git = place.create_tree("tree", &[("a", "1")]);
        let who = Identity {
            name: "w".to_owned(),
            email: "w@example.org".to_owned(),
        };
        for (path, text) in [(".gt/discovery/x.md", "one"), (".gt/discovery/y.md", "two")] {
            let entry = TreeEntry {
                mode: "100644".to_owned(),
                id: git.write_blob(text.as_bytes()).unwrap(),
                size: 3,
            };
            let files = TreeEntries::from([(path.to_owned(), entry)]);
            keep_documents(&git, "hq-cv-1", &files, "Notes\n", &who).unwrap();
        }
        let held = git.resolve(&document_ref("hq-cv-1")).unwrap().unwrap();
        let (commit, rescue) = retire_documents(&git, "web", "hq-cv-1").unwrap().unwrap();
        assert_eq!(commit, held);
        assert_eq!(retire_documents(&git, "web", "hq-cv-1").unwrap(), None);
        // Killed before the ref was gone, it is done again.
        git.update_ref(&document_ref("hq-cv-1"), &commit, None)
            .unwrap();
        // By however many at once, it is done by one.
        let again: Vec<_> = std::thread::scope(|scope| {
            let at_once = || retire_documents(&git, "web", "hq-cv-1").unwrap();
            let all: Vec<_> = (0..6).map(|_| scope.spawn(at_once)).collect();
            all.into_iter()
                .filter_map(|one| one.join().unwrap())
                .collect()
        });
        assert_eq!(again, [(commit, rescue.clone())]);
        let back = bd::git::rescue::restore_rescue(&git, &git, &rescue).unwrap();
        let files = [".gt/discovery/x.md", ".gt/discovery/y.md"];
        assert_eq!(back, files.map(std::path::PathBuf::from));
        // What they were before is still there.
        assert_eq!(
            git.resolve(&format!("{rescue}^2")).unwrap().as_ref(),
            Some(&held)
        );
    }
}
