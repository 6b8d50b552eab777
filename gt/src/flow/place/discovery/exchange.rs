//! Exchanges documents between machines: each convoy's ref is pushed to origin under its own name,
//! which is no branch, and fetched from there. If both sides wrote documents, they are combined,
//! and the pushing side wins per file.

use bd::git::{Git, GitError, Identity, PushError, PushLease, PushRefusal};

use super::document_ref;
use super::keep::overlay_files;

/// The number of attempts to push a ref that others push at the same time.
const MAX_ATTEMPTS: usize = 3;

/// Fetches the ref of a name from origin. Returns true if it changed.
pub fn receive_documents(git: &Git, key: &str, who: &Identity) -> Result<bool, GitError> {
    let reference = document_ref(key);
    let Some(theirs) = git.ls_remote("origin", &reference)? else {
        return Ok(false);
    };
    match git.resolve(&reference)? {
        Some(ours) => combine_documents(git, &reference, &ours, &theirs, who),
        None => {
            fetch_missing(git, &reference, &theirs)?;
            git.update_ref(&reference, &theirs, None)?;
            Ok(true)
        }
    }
}

/// Fetches the commit of a ref at origin, unless it is known.
fn fetch_missing(git: &Git, reference: &str, theirs: &str) -> Result<(), GitError> {
    if git.resolve(&format!("{theirs}^{{commit}}"))?.is_none() {
        let place = reference.replacen("refs/gt/", "refs/gt/origin/", 1);
        git.fetch_ref("origin", reference, &place)?;
    }
    Ok(())
}

/// Combines local and fetched documents if neither side contains the other. Local documents win.
fn combine_documents(
    git: &Git,
    reference: &str,
    ours: &str,
    theirs: &str,
    who: &Identity,
) -> Result<bool, GitError> {
    if ours == theirs {
        return Ok(false);
    }
    fetch_missing(git, reference, theirs)?;
    if git.is_ancestor(theirs, ours)? {
        return Ok(false);
    }
    let new = if git.is_ancestor(ours, theirs)? {
        theirs.to_owned()
    } else {
        let all = overlay_files(git.entries(theirs)?, &git.entries(ours)?);
        let tree = git.write_entries(&all)?;
        let message = "Discovery documents of two machines\n";
        git.commit_tree(&tree, &[ours, theirs], message, who)?
    };
    git.update_ref(reference, &new, Some(ours))?;
    Ok(true)
}

/// Pushes every convoy's documents to origin, which is queried once for all of them. Returns the
/// number of changed refs.
pub fn send_all(git: &Git, who: &Identity) -> anyhow::Result<usize> {
    let local = git
        .plumbing(["for-each-ref", "--format=%(refname)", "refs/gt/discovery"])
        .text()?;
    if local.is_empty() {
        return Ok(0);
    }
    let mut there = git.ls_remote_all("origin", "refs/gt/discovery/*")?;
    let mut sent = 0;
    for reference in local.lines() {
        if send_ref(git, reference, there.remove(reference), who)? {
            sent += 1;
        }
    }
    Ok(sent)
}

fn send_ref(
    git: &Git,
    reference: &str,
    mut theirs: Option<String>,
    who: &Identity,
) -> anyhow::Result<bool> {
    let mut tried = 0;
    loop {
        tried += 1;
        // A landing may have moved the ref away since it was listed. It must not come back.
        if let (Some(ours), Some(theirs)) = (git.resolve(reference)?, &theirs) {
            combine_documents(git, reference, &ours, theirs, who)?;
        }
        let Some(ours) = git.resolve(reference)? else {
            return Ok(false);
        };
        if theirs.as_ref() == Some(&ours) {
            return Ok(false);
        }
        let lease = theirs.as_deref().map_or(PushLease::Absent, PushLease::At);
        match git.push("origin", &ours, reference, lease, false) {
            Ok(()) => return Ok(true),
            Err(PushError::Refused(PushRefusal::Stale)) if tried < MAX_ATTEMPTS => {}
            Err(error) => return Err(error.into()),
        }
        theirs = git.ls_remote("origin", reference)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_ref_that_a_landing_moved_away_does_not_come_back_from_origin() {
        let place = TestTown::new();
        let url = place.create_origin(&[("a", "1")]);
        place.add_rig("web", Some(&url)).unwrap();
        let git = place.town.find_rig("web").unwrap().git();
        let tip = git.resolve("refs/remotes/origin/main").unwrap().unwrap();
        let who = Identity {
            name: "w".to_owned(),
            email: "w@example.org".to_owned(),
        };
        let reference = document_ref("hq-cv-1");
        git.update_ref(&reference, &tip, None).unwrap();
        assert_eq!(send_all(&git, &who).unwrap(), 1);
        git.delete_ref(&reference, &tip).unwrap();
        // As listed before the landing.
        assert!(!send_ref(&git, &reference, Some(tip), &who).unwrap());
        assert_eq!(git.resolve(&reference).unwrap(), None);
    }
}
