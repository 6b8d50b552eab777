//! The commits that are brought together: where the branch is here and at its remote, and what the store has.

use super::place::SyncPlace;
use super::{SyncError, SyncRequest};
use crate::git::GitError;

/// The commits that are brought together.
#[derive(Debug, Clone, Default)]
pub(super) struct SyncTips {
    /// Where the branch is here.
    pub ours: Option<String>,
    /// Where it is at the remote, where that has what we have not.
    pub theirs: Option<String>,
    /// What the store has all of.
    pub base: Option<String>,
    /// What ours and theirs both came from.
    pub fork: Option<String>,
}

impl SyncTips {
    /// Each of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        let all = [&self.ours, &self.theirs, &self.base, &self.fork];
        all.into_iter().flatten().map(String::as_str)
    }
}

/// The remote as it was seen.
#[derive(Debug, Default)]
pub(super) struct RemoteState {
    pub tip: Option<String>,
    /// Why it could not be asked.
    pub unreachable: Option<String>,
}

/// Asks the remote, and brings its branch here.
pub(super) fn query_remote(
    request: &SyncRequest<'_>,
    place: &SyncPlace,
    remote: Option<&str>,
) -> Result<RemoteState, SyncError> {
    let Some(remote) = remote.filter(|_| request.pull) else {
        return Ok(RemoteState::default());
    };
    let asked = place.git.ls_remote(remote, &place.branch);
    let fetched = asked.and_then(|tip| {
        let known = place.git.resolve(&place.tracking(remote))?;
        if tip.is_some() && tip != known {
            place.git.fetch_branch(remote, &place.branch)?;
        }
        Ok(tip)
    });
    match fetched {
        Ok(None) => Ok(RemoteState::default()),
        // It may have moved between the two.
        Ok(Some(_)) => Ok(RemoteState {
            tip: place.git.resolve(&place.tracking(remote))?,
            unreachable: None,
        }),
        Err(GitError::Failed { words, .. }) => Ok(RemoteState {
            tip: None,
            unreachable: Some(format!("{remote} cannot be reached: {}", words.trim())),
        }),
        Err(error @ GitError::NoAnswer { .. }) => Ok(RemoteState {
            tip: None,
            unreachable: Some(error.to_string()),
        }),
        Err(error) => Err(error.into()),
    }
}

/// Which commits are to be brought together, and from where they came.
pub(super) fn find_tips(
    request: &SyncRequest<'_>,
    place: &SyncPlace,
    remote: Option<&str>,
    seen: &RemoteState,
) -> Result<SyncTips, SyncError> {
    let git = &place.git;
    let ours = git.resolve(&place.reference())?;
    let mut theirs = seen.tip.clone();
    if let (Some(remote), true) = (remote, seen.unreachable.is_some()) {
        theirs = git.resolve(&place.tracking(remote))?;
    }
    if let (Some(one), Some(other)) = (&ours, &theirs)
        && git.is_ancestor(other, one)?
    {
        theirs = None;
    }
    let last = request.store.base();
    let last = last.filter(|base| base.branch == place.branch);
    let last = match last {
        Some(base) if !base.commit.is_empty() => git.resolve(&base.commit)?,
        Some(_) => None,
        // What people work on came from there, if anything did.
        None => git.resolve("HEAD")?,
    };
    // The store came from what it had then; the branch only if it still has that.
    let common = |last: &Option<String>, tip: &Option<String>| match (last, tip) {
        (Some(last), Some(tip)) => git.merge_base(last, tip),
        _ => Ok(None),
    };
    let base = common(&last, if ours.is_some() { &ours } else { &theirs })?;
    let fork = match &ours {
        Some(_) => common(&ours, &theirs)?,
        None => base.clone(),
    };
    Ok(SyncTips {
        ours,
        theirs,
        base,
        fork,
    })
}
