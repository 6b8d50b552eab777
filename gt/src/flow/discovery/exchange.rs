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
    combine_documents(git, &reference, &theirs, who)
}

/// Combines local and fetched documents if neither side contains the other. Local documents win.
fn combine_documents(
    git: &Git,
    reference: &str,
    theirs: &str,
    who: &Identity,
) -> Result<bool, GitError> {
    let ours = git.resolve(reference)?;
    if ours.as_deref() == Some(theirs) {
        return Ok(false);
    }
    if git.resolve(&format!("{theirs}^{{commit}}"))?.is_none() {
        let place = reference.replacen("refs/gt/", "refs/gt/origin/", 1);
        git.fetch_ref("origin", reference, &place)?;
    }
    let Some(ours) = ours else {
        git.update_ref(reference, theirs, None)?;
        return Ok(true);
    };
    if git.is_ancestor(theirs, &ours)? {
        return Ok(false);
    }
    let new = if git.is_ancestor(&ours, theirs)? {
        theirs.to_owned()
    } else {
        let all = overlay_files(git.entries(theirs)?, &git.entries(&ours)?);
        let tree = git.write_entries(&all)?;
        let message = "Discovery documents of two machines\n";
        git.commit_tree(&tree, &[ours.as_str(), theirs], message, who)?
    };
    git.update_ref(reference, &new, Some(&ours))?;
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
        if let Some(theirs) = &theirs {
            combine_documents(git, reference, theirs, who)?;
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
