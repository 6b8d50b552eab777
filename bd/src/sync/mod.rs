//! Synchronizes beads with their branch: `bd sync --full`, and gtd on its own.
//!
//! The branch (`sync-branch`, by default `beads-sync`) holds the store's shared files at their
//! paths in the repository and is written directly to its ref. No checkout, hook, index or work
//! tree is touched, and never a branch that is checked out. Changes from the branch are in the
//! store before a commit contains them. Nothing is pushed that lacks the remote's changes.
//!
//! Steps:
//! 1. Query the remote (`place`).
//! 2. Unite it with the store by field, under the store's lock ([`crate::store::exchange`],
//!    `unite`), unless rolled-back lines wait for a decision.
//! 3. Commit if anything is new (`commit`).
//! 4. Push. If the remote moved in the meantime, start over. No file of the commits is large
//!    (`parts`).
//!
//! After a crash between any two steps the next run continues: before the commit the store merely
//! has more than the branch, and after it both have the same.

mod commit;
pub mod fresh;
mod parts;
mod place;
mod side;
mod tips;
mod unite;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::config::Config;
use crate::git::{Git, GitError, Identity, PushError, PushLease, PushRefusal};
use crate::merge::{MergeError, MergeNote, OverruledValue};
use crate::store::exchange::{StoreSide, SyncBase};
use crate::store::rollback;
use crate::store::{Store, StoreError};
use kit::sys::{Clock, Env, RandomSource};
pub use place::SyncPlace;
use side::{CommitSide, CommitSides};
use tips::{SyncTips, find_tips, query_remote};
use unite::MergeReport;

/// The maximum number of rounds with a remote that moves.
const MAX_ROUNDS: usize = 5;

/// The options of a sync.
#[derive(Debug, Clone)]
pub struct SyncRequest<'a> {
    pub store: &'a Store,
    pub config: &'a Config,
    pub author: Identity,
    /// The commit message; the time if `None`.
    pub message: Option<&'a str>,
    /// True to query the remote.
    pub pull: bool,
    /// True to push the branch.
    pub push: bool,
    /// The time limit of each command that contacts the remote.
    pub network: Duration,
    pub clock: &'a Clock,
    pub random: &'a RandomSource,
}

impl SyncRequest<'_> {
    fn commit_message(&self) -> String {
        let now = self.clock.now();
        let usual = format!("bd sync: {}", now.strftime("%Y-%m-%d %H:%M:%S"));
        format!("{}\n", self.message.unwrap_or(&usual))
    }
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct SyncReport {
    pub branch: String,
    /// The remote; `None` if there is none.
    pub remote: Option<String>,
    /// The commit of the branch.
    #[serde(rename = "commit")]
    pub tip: Option<String>,
    /// True if a commit was created.
    pub committed: bool,
    /// The number of beads that the commit adds or changes, relative to the newer of the local and
    /// the remote branch.
    pub sent: usize,
    /// The number of beads of the store that others' changes affected.
    pub received: usize,
    /// True if the remote has all changes.
    pub pushed: bool,
    pub lost: Vec<OverruledValue>,
    /// The decisions of the merge.
    pub notes: Vec<MergeNote>,
    /// The reason why the remote does not have all changes although a push was requested.
    #[serde(rename = "error", skip_serializing_if = "Option::is_none")]
    pub unpushed: Option<String>,
}

/// The reason why a sync failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum SyncError {
    /// The settings turn the sync off.
    #[error("sync-branch is empty: nothing is committed, merged or pushed")]
    Off,
    #[error("not in a git repository: {}", dir.display())]
    NotInGit { dir: PathBuf },
    /// The branch name is not allowed for beads.
    #[error("beads cannot be committed to the branch \"{name}\": {reason}")]
    Name { name: String, reason: &'static str },
    /// The branch is checked out.
    #[error("the branch {branch} is checked out in {}", path.display())]
    CheckedOut { branch: String, path: PathBuf },
    /// The remote of the branch is ambiguous.
    #[error("{branch} may belong to any of the remotes {}", names.join(", "))]
    Remotes { branch: String, names: Vec<String> },
    /// Rolled-back lines of the issues wait for a decision.
    #[error("{} was rolled back, and changes to {} are not in it", path.display(), rollback::format_some(ids))]
    RolledBack { path: PathBuf, ids: Vec<String> },
    /// The remote moved in every round.
    #[error("{branch} moved on {remote} each of {MAX_ROUNDS} times")]
    Moving { branch: String, remote: String },
    /// A side has conflict markers.
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Synchronizes a store with its branch.
pub fn sync_store(request: &SyncRequest<'_>) -> Result<SyncReport, SyncError> {
    let mut place = SyncPlace::for_folder(request.store.dir(), request.config)?;
    place.git = place.git.with_network(request.network);
    place.refuse_checked_out()?;
    let remote = place.remote()?;
    let _turn = request.store.lock_sync()?;
    let mut synced = SyncReport {
        branch: place.branch.clone(),
        remote: remote.clone(),
        ..SyncReport::default()
    };
    for _ in 0..MAX_ROUNDS {
        let seen = query_remote(request, &place, remote.as_deref())?;
        let tips = find_tips(request, &place, remote.as_deref(), &seen)?;
        match run_round(request, &place, &tips, &mut synced)? {
            SyncRound::Overtaken => continue,
            SyncRound::Done(tip) => synced.tip = tip,
        }
        let (Some(remote), true, Some(tip)) = (&remote, request.push, synced.tip.clone()) else {
            return Ok(synced);
        };
        if let Some(away) = seen.unreachable {
            synced.unpushed = Some(away);
            return Ok(synced);
        }
        if seen.tip.as_ref() == Some(&tip) {
            synced.pushed = true;
            return Ok(synced);
        }
        match place
            .git
            .push(remote, &tip, &place.branch, PushLease::FastForward, false)
        {
            Ok(()) => {
                synced.pushed = true;
                return Ok(synced);
            }
            Err(PushError::Refused(PushRefusal::Stale)) if request.pull => {}
            Err(PushError::Refused(refusal)) => {
                synced.unpushed = Some(refusal.to_string());
                return Ok(synced);
            }
            Err(PushError::Git(error)) => return Err(error.into()),
        }
    }
    Err(SyncError::Moving {
        branch: place.branch,
        remote: remote.unwrap_or_default(),
    })
}

/// Returns the committer: the setting `git.author`, git's user in `folder`, or the actor.
pub fn choose_author(config: &Config, folder: &Path, env: &Env, actor: Identity) -> Identity {
    let setting = config.get("git.author");
    if let Some((name, email)) = setting
        .as_deref()
        .and_then(|identity| identity.split_once('<'))
    {
        return Identity {
            name: name.trim().to_owned(),
            email: email.trim_end_matches('>').trim().to_owned(),
        };
    }
    let user = Git::at(folder).user(env);
    let variable = |name| env.get(name).map(str::to_owned);
    Identity {
        name: variable("GIT_AUTHOR_NAME")
            .or(user.name)
            .unwrap_or(actor.name),
        email: variable("GIT_AUTHOR_EMAIL")
            .or(user.email)
            .unwrap_or(actor.email),
    }
}

/// The number of beads whose current state the branch lacks.
pub fn count_unsynced(store: &Store, place: &SyncPlace) -> Result<usize, SyncError> {
    let there = match place.git.resolve(&place.reference())? {
        Some(tip) => {
            CommitSide::from_commit(place, &store.issues_name(), &tip)?.issues_text(place)?
        }
        None => None,
    };
    Ok(unite::count_changed(
        &there.unwrap_or_default(),
        &store.durable_lines()?,
    ))
}

/// The outcome of one round.
enum SyncRound {
    /// The branch is at this commit; `None` if there is nothing to commit.
    Done(Option<String>),
    /// Another process moved the branch in the meantime.
    Overtaken,
}

/// Unites store and commits once, commits if anything is new, and records the new base of the
/// store.
fn run_round(
    request: &SyncRequest<'_>,
    place: &SyncPlace,
    tips: &SyncTips,
    synced: &mut SyncReport,
) -> Result<SyncRound, SyncError> {
    let name = request.store.issues_name();
    let sides = CommitSides::from_tips(place, &name, tips)?;
    let mut report = MergeReport::default();
    let mut before = Vec::new();
    let shared = request
        .store
        .exchange(request.clock, request.random, |current: &StoreSide| {
            report = MergeReport::default();
            before.clone_from(&current.issues);
            check_no_rollback(request.store, &current.issues)?;
            sides.unite(request, place, tips, current.clone(), &mut report)
        })?;
    synced.received += unite::count_changed(&before, &shared.side.issues);
    synced.lost.append(&mut report.lost);
    synced.notes.append(&mut report.notes);
    let commit = commit::SyncCommit {
        request,
        place,
        tips,
        sides: &sides,
        shared: &shared,
        issues: &name,
    };
    let Some(made) = commit.commit()? else {
        return Ok(SyncRound::Overtaken);
    };
    if made.is_new {
        synced.committed = true;
        synced.sent = made.sent;
    }
    // Recorded even if there is nothing to commit yet, so that the next check finds no changes.
    request.store.set_base(&SyncBase {
        branch: place.branch.clone(),
        commit: made.tip.clone().unwrap_or_default(),
        at: request.clock.now().to_string(),
        issues: shared.version,
    })?;
    Ok(SyncRound::Done(made.tip))
}

/// Fails while rolled-back lines wait for a decision, so that other clones do not lose them too.
fn check_no_rollback(store: &Store, issues: &[u8]) -> Result<(), SyncError> {
    let mut ids: Vec<String> = store
        .rolled_back_in(issues)?
        .into_iter()
        .map(|change| change.id)
        .collect();
    ids.dedup();
    if ids.is_empty() {
        return Ok(());
    }
    let path = store.issues_file().to_owned();
    Err(SyncError::RolledBack { path, ids })
}
