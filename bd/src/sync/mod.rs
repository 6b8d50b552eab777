//! Beads and their branch: what `bd sync --full` does, and gtd by itself.
//!
//! The branch (`sync-branch`, by default `beads-sync`) holds the store's shared files at their paths in the
//! repository and is written straight to its ref. What must always hold: no checkout, no hook, no index or work tree
//! of anybody is touched, and never a branch that someone has checked out; what came from the branch is in the
//! store before a commit says so; nothing is pushed but with what the remote had in it.
//!
//! Steps: see what the remote has (`place`); bring it and the store together, by field, under the store's lock
//! ([`crate::store::exchange`], `unite`), unless lines that a rollback took wait for a decision; commit where anything is new
//! (`commit`); push. Where the remote moved meanwhile, from the beginning.
//!
//! Killed between any two steps the next run goes on: before the commit the store only has more than the branch; after it
//! both have the same.

mod commit;
pub mod fresh;
mod place;
mod side;
mod tips;
mod unite;

use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// How often a remote that moved is read again.
const TRIES: usize = 5;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct SyncRequest<'a> {
    /// Whose beads.
    pub store: &'a Store,
    /// By which settings.
    pub config: &'a Config,
    /// Who commits.
    pub author: Identity,
    /// What the commit says; the time where nothing is given.
    pub message: Option<&'a str>,
    /// Whether the remote is asked.
    pub pull: bool,
    /// Whether the branch is pushed.
    pub push: bool,
    /// How long each command that asks the remote may take.
    pub network: Duration,
    /// The clock.
    pub clock: &'a Clock,
    /// Chance.
    pub random: &'a RandomSource,
}

/// What was done.
#[derive(Debug, Clone, Default)]
pub struct SyncReport {
    /// The branch.
    pub branch: String,
    /// The remote, where there is one.
    pub remote: Option<String>,
    /// The commit that the branch is at.
    pub tip: Option<String>,
    /// Whether a commit was made.
    pub committed: bool,
    /// How many beads are in the commit as the branch, at the remote where that was ahead, did not have them.
    pub sent: usize,
    /// How many beads of the store changed by what others did.
    pub received: usize,
    /// What conflicts took away.
    pub lost: Vec<OverruledValue>,
    /// What else should be told.
    pub notes: Vec<MergeNote>,
    /// Whether the remote has it all.
    pub pushed: bool,
    /// Why the remote does not have it, though it was to.
    pub unpushed: Option<String>,
}

/// Why beads were not brought together with their branch.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum SyncError {
    /// The settings turn it off.
    #[error("sync-branch is empty: nothing is committed, merged or pushed")]
    Off,
    /// There is no repository.
    #[error("not in a git repository: {}", dir.display())]
    NotInGit { dir: PathBuf },
    /// The name is not one that beads can be committed to.
    #[error("beads cannot be committed to the branch \"{name}\": {reason}")]
    Name { name: String, reason: &'static str },
    /// Someone works on the branch.
    #[error("the branch {branch} is checked out in {}", path.display())]
    CheckedOut { branch: String, path: PathBuf },
    /// It is not clear which remote is meant.
    #[error("{branch} may belong to any of the remotes {}", names.join(", "))]
    Remotes { branch: String, names: Vec<String> },
    /// A rollback took lines of the issues, and nobody decided about them.
    #[error("{} was rolled back, and changes to {} are not in it", path.display(), rollback::format_some(ids))]
    RolledBack { path: PathBuf, ids: Vec<String> },
    /// Others push all the time.
    #[error("{branch} moved on {remote} each of {TRIES} times")]
    Moving { branch: String, remote: String },
    /// A side has conflict markers.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Brings a store and its branch together.
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
    for _ in 0..TRIES {
        let seen = query_remote(request, &place, remote.as_deref())?;
        let tips = find_tips(request, &place, remote.as_deref(), &seen)?;
        match run_round(request, &place, &tips, &mut synced)? {
            SyncRound::Overtaken => continue,
            SyncRound::Done(tip) => synced.tip = tip,
        }
        let (Some(remote), true, Some(tip)) = (&remote, request.push, &synced.tip) else {
            return Ok(synced);
        };
        if let Some(away) = seen.unreachable {
            synced.unpushed = Some(away);
            return Ok(synced);
        }
        if seen.tip.as_ref() == Some(tip) {
            synced.pushed = true;
            return Ok(synced);
        }
        match place
            .git
            .push(remote, tip, &place.branch, PushLease::FastForward, false)
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

/// Who commits: the setting `git.author`, else git's user in `folder`, else whoever acts.
pub fn choose_author(config: &Config, folder: &Path, env: &Env, actor: Identity) -> Identity {
    let told = config.get("git.author");
    if let Some((name, email)) = told.as_deref().and_then(|told| told.split_once('<')) {
        return Identity {
            name: name.trim().to_owned(),
            email: email.trim_end_matches('>').trim().to_owned(),
        };
    }
    let user = Git::at(folder).user(env);
    let told = |name| env.get(name).map(str::to_owned);
    Identity {
        name: told("GIT_AUTHOR_NAME").or(user.name).unwrap_or(actor.name),
        email: told("GIT_AUTHOR_EMAIL")
            .or(user.email)
            .unwrap_or(actor.email),
    }
}

/// How many beads the branch does not have as they are here.
pub fn count_unsynced(store: &Store, place: &SyncPlace) -> Result<usize, SyncError> {
    let name = store.issues_file().file_name().unwrap_or_default();
    let there = match place.git.resolve(&place.reference())? {
        Some(tip) => {
            CommitSide::from_commit(place, &name.to_string_lossy(), &tip)?.issues_text(place)?
        }
        None => None,
    };
    Ok(unite::count_changed(
        &there.unwrap_or_default(),
        &store.durable_lines()?,
    ))
}

/// How one round ended.
enum SyncRound {
    /// The branch is there now; nowhere where there is nothing to commit.
    Done(Option<String>),
    /// Someone else moved it meanwhile.
    Overtaken,
}

/// Brings store and commits together once, commits where anything is new, and remembers what the store has all of.
fn run_round(
    request: &SyncRequest<'_>,
    place: &SyncPlace,
    tips: &SyncTips,
    synced: &mut SyncReport,
) -> Result<SyncRound, SyncError> {
    let name = request.store.issues_file().file_name();
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    let sides = CommitSides::from_tips(place, &name, tips)?;
    let mut told = MergeReport::default();
    let mut before = Vec::new();
    let shared = request
        .store
        .exchange(request.clock, request.random, |own: &StoreSide| {
            told = MergeReport::default();
            before.clone_from(&own.issues);
            check_no_rollback(request.store, &own.issues)?;
            sides.unite(request, place, tips, own.clone(), &mut told)
        })?;
    synced.received += unite::count_changed(&before, &shared.own.issues);
    synced.lost.append(&mut told.lost);
    synced.notes.append(&mut told.notes);
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
    // Also where there is nothing to commit yet: that, too, is then known to be nothing new.
    request.store.set_base(&SyncBase {
        branch: place.branch.clone(),
        commit: made.tip.clone().unwrap_or_default(),
        at: request.clock.now().to_string(),
        issues: shared.version,
    })?;
    Ok(SyncRound::Done(made.tip))
}

/// Refuses while lines that a rollback took wait for a decision: nobody else is to lose them.
fn check_no_rollback(store: &Store, issues: &[u8]) -> Result<(), SyncError> {
    let mut ids: Vec<String> = store
        .rolled_back_in(issues)?
        .into_iter()
        .map(|one| one.id)
        .collect();
    ids.dedup();
    if ids.is_empty() {
        return Ok(());
    }
    let path = store.issues_file().to_owned();
    Err(SyncError::RolledBack { path, ids })
}
