//! The commits that a sync unites: the local branch, the remote branch, and the base of the store.

use super::place::SyncPlace;
use super::{SyncError, SyncRequest};
use crate::git::GitError;

/// The commits that a sync unites.
#[derive(Debug, Clone, Default)]
pub(super) struct SyncTips {
    /// The tip of the local branch.
    pub ours: Option<String>,
    /// The tip of the remote branch, if it has commits that the local one lacks.
    pub theirs: Option<String>,
    /// The commit that is completely in the store.
    pub base: Option<String>,
    /// The merge base of `ours` and `theirs`.
    pub fork: Option<String>,
}

/// The remote branch as it was observed.
#[derive(Debug, Default)]
pub(super) struct RemoteState {
    pub tip: Option<String>,
    /// The reason why the remote could not be queried.
    pub unreachable: Option<String>,
}

/// Queries the remote and fetches its branch.
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
        // The remote may have moved between the query and the fetch.
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

/// Determines the commits to unite and their common bases.
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
    if let (Some(our_tip), Some(their_tip)) = (&ours, &theirs)
        && git.is_ancestor(their_tip, our_tip)?
    {
        theirs = None;
    }
    let last_base = request
        .store
        .base()
        .filter(|base| base.branch == place.branch);
    let last = match last_base {
        Some(base) if !base.commit.is_empty() => git.resolve(&base.commit)?,
        Some(_) => None,
        // The user's branch started from the remote's state, if it started from any.
        None => git.resolve("HEAD")?,
    };
    // The store is based on the commit of its last exchange, and so is the branch only if it still
    // contains that commit.
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
