//! Keeps discovery documents off target branches: removes them from commits before a landing, and
//! refuses to push a commit that still has one.

use bd::git::{Git, GitError, Identity, TreeEntries};

use super::is_in_gt_folder;
use super::keep::{self, KeptDocuments};

/// A commit would bring documents to a target branch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "discovery documents would reach {target}: {}. Nothing was pushed; they are for the convoy's own workers and \
     stay on its ref or its integration branch",
    files.join(", ")
)]
pub struct WouldLand {
    pub target: String,
    pub files: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum LandingCheckError {
    #[error(transparent)]
    WouldLand(WouldLand),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Refuses a candidate if any of its commits beyond `seen`, the fetched tip of the target, has a
/// document.
pub fn check_landing(
    git: &Git,
    target: &str,
    seen: &str,
    candidate: &str,
) -> Result<(), LandingCheckError> {
    let files = git.introduced_paths(seen, candidate, &is_in_gt_folder)?;
    if files.is_empty() {
        return Ok(());
    }
    Err(LandingCheckError::WouldLand(WouldLand {
        target: target.to_owned(),
        files,
    }))
}

/// Keeps the documents that the commits of `base..tip` introduce, and rewrites the commits without
/// them. `None` if there are none.
pub fn keep_committed(
    git: &Git,
    key: &str,
    base: &str,
    tip: &str,
    who: &Identity,
) -> Result<Option<(String, KeptDocuments)>, GitError> {
    let paths = git.introduced_paths(base, tip, &is_in_gt_folder)?;
    if paths.is_empty() {
        return Ok(None);
    }
    let mut files = TreeEntries::new();
    for path in &paths {
        let there = git.entries_below(tip, path)?;
        let before = git.entries_below(base, path)?;
        for (path, entry) in there {
            if before.get(&path) != Some(&entry) {
                files.insert(move_to_top(&path), entry);
            }
        }
    }
    let message = format!("Discovery documents of {tip:.12}\n");
    let kept = keep::keep_documents(git, key, &files, &message, who)?;
    let tip = git.commits_without(base, tip, &is_in_gt_folder)?;
    Ok(Some((tip, kept)))
}

/// Returns the path at which a committed document is kept: below the `.gt/` at the top, which is
/// untracked in every sandbox.
fn move_to_top(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts
        .iter()
        .position(|part| part.eq_ignore_ascii_case(".gt"))
        .unwrap_or(0);
    let before = &parts[..at];
    let after = &parts[at + 1..];
    let (folder, rest) = match after.split_first() {
        Some((first, rest)) if first.eq_ignore_ascii_case("discovery") && !rest.is_empty() => {
            (".gt/discovery", rest)
        }
        _ => (".gt", after),
    };
    let mut place = vec![folder];
    place.extend(before);
    place.extend(rest);
    if place.len() == 1 {
        place.push("gt");
    }
    place.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn documents_of_subfolders_are_kept_below_the_top_level_gt_folder() {
        let rows = [
            (".gt/discovery/x.md", ".gt/discovery/x.md"),
            ("web/.gt/discovery/x.md", ".gt/discovery/web/x.md"),
            ("a/b/.gt/notes", ".gt/a/b/notes"),
            (".GT/discovery/x.md", ".gt/discovery/x.md"),
            (".gt", ".gt/gt"),
        ];
        for (path, place) in rows {
            assert_eq!(move_to_top(path), place, "{path}");
        }
    }

    #[test]
    fn the_gate_refuses_a_document_in_any_commit_even_a_removed_one() {
        let place = TestTown::new();
        let git = place.create_tree("tree", &[("a", "1")]);
        let seen = git.resolve("HEAD").unwrap().unwrap();
        let write = |file: &str| {
            let path = git.folder().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
            git.add_all().unwrap();
            git.commit_index("Work").unwrap()
        };
        let clean = write("b");
        check_landing(&git, "main", &seen, &clean).unwrap();
        write("sub/.gt/discovery/x.md");
        std::fs::remove_dir_all(git.folder().join("sub")).unwrap();
        let candidate = write("c");
        let refused = check_landing(&git, "main", &seen, &candidate).unwrap_err();
        let words = refused.to_string();
        assert!(words.contains("main: sub/.gt/discovery/x.md"), "{words}");
        let who = Identity {
            name: "q".to_owned(),
            email: "q@example.org".to_owned(),
        };
        let (tip, kept) = keep_committed(&git, "hq-cv-1", &seen, &candidate, &who)
            .unwrap()
            .unwrap();
        check_landing(&git, "main", &seen, &tip).unwrap();
        assert_eq!(kept.reference, "refs/gt/discovery/hq-cv-1");
        assert!(kept.files.is_empty(), "its author removed it again");
    }
}
