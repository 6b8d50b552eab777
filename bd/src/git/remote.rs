//! Owns the way to other repositories: fetch, push, and reading back what is there.
//!
//! A push is never forced but with a lease on the tip that was seen, and a refusal is told apart: the tip
//! moved, the other side declined, or it cannot be reached.

use super::{Git, GitError};
use crate::sys::Finished;

/// Why a push did not happen.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The other side, or a hook, refused it.
    #[error(transparent)]
    Refused(#[from] PushRefusal),
    /// Git itself failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// How a push was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PushRefusal {
    /// The remote branch is not what was seen: someone pushed meanwhile.
    #[error("the remote branch has moved since it was last seen")]
    Stale,
    /// A hook or a protection rule said no, with these words.
    #[error("the push was declined: {0}")]
    Declined(String),
    /// The remote cannot be reached or does not let us in.
    #[error("the remote cannot be reached: {0}")]
    Unreachable(String),
    /// Anything else, in git's words.
    #[error("the push failed: {0}")]
    Other(String),
}

/// What a push expects at the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease<'a> {
    /// Anything that the new tip descends from.
    FastForward,
    /// No such branch.
    Absent,
    /// Exactly this tip, which may be replaced by one that does not descend from it.
    At(&'a str),
}

/// What a remote's HEAD is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteHead {
    /// The branch it names, where the remote says so.
    pub branch: Option<String>,
    /// The commit it is at; none in an empty repository.
    pub commit: Option<String>,
}

impl Git {
    /// Brings the remote's branches up to date in `refs/remotes`.
    pub fn fetch(&self, remote: &str) -> Result<(), GitError> {
        self.plumbing(["fetch", "--quiet", "--prune", "--no-auto-gc", remote])
            .limit(self.network)
            .done()
            .map(drop)
    }

    /// The tip of a ref on the remote, asked there; `None` where it has no such ref. A name without
    /// `refs/` is a branch.
    pub fn ls_remote(&self, remote: &str, name: &str) -> Result<Option<String>, GitError> {
        let name = full_ref(name);
        let call = self.plumbing(["ls-remote", "--quiet", remote, &name]);
        let listed = call.limit(self.network).text()?;
        Ok(listed.lines().find_map(|line| {
            let (id, listed) = line.split_once('\t')?;
            (listed == name).then(|| id.to_owned())
        }))
    }

    /// Where the remote's HEAD points. `remote` may be a URL.
    pub fn remote_head(&self, remote: &str) -> Result<RemoteHead, GitError> {
        let call = self.plumbing(["ls-remote", "--quiet", "--symref", "--", remote, "HEAD"]);
        let listed = call.limit(self.network).text()?;
        let mut head = RemoteHead::default();
        for line in listed.lines() {
            let Some((target, "HEAD")) = line.split_once('\t') else {
                continue;
            };
            match target.strip_prefix("ref: refs/heads/") {
                Some(branch) => head.branch = Some(branch.to_owned()),
                None => head.commit = Some(target.to_owned()),
            }
        }
        Ok(head)
    }

    /// Pushes the commit `id` to `branch` of `remote`. `lease` is what was seen there. A
    /// tip that is there already is a success. `hooks` says whether the repository's own pre-push hook runs.
    pub fn push(
        &self,
        remote: &str,
        id: &str,
        branch: &str,
        lease: Lease<'_>,
        hooks: bool,
    ) -> Result<(), PushError> {
        let target = full_ref(branch);
        let refspec = format!("{id}:{target}");
        self.push_refspec(remote, &refspec, &target, lease, hooks)
    }

    /// Removes a branch of the remote, if its tip is what was seen.
    pub fn delete_remote_branch(
        &self,
        remote: &str,
        branch: &str,
        expected: &str,
    ) -> Result<(), PushError> {
        let target = full_ref(branch);
        let refspec = format!(":{target}");
        self.push_refspec(remote, &refspec, &target, Lease::At(expected), false)
    }

    fn push_refspec(
        &self,
        remote: &str,
        refspec: &str,
        target: &str,
        lease: Lease<'_>,
        hooks: bool,
    ) -> Result<(), PushError> {
        let args = ["push", "--porcelain", "--no-follow-tags"];
        let call = if hooks {
            self.command(args)
        } else {
            self.plumbing(args)
        };
        let lease = match lease {
            Lease::FastForward => None,
            Lease::Absent => Some(format!("--force-with-lease={target}:")),
            Lease::At(seen) => Some(format!("--force-with-lease={target}:{seen}")),
        };
        let call = call.args(lease).args(["--", remote, refspec]);
        let finished = call.limit(self.network).finish()?;
        if finished.ok() {
            return Ok(());
        }
        Err(PushError::Refused(refusal(&finished)))
    }
}

fn full_ref(name: &str) -> String {
    if name.starts_with("refs/") {
        name.to_owned()
    } else {
        format!("refs/heads/{name}")
    }
}

/// Reads a refusal from the porcelain lines (`!\tfrom:to\t[rejected] (reason)`) and git's words.
fn refusal(finished: &Finished) -> PushRefusal {
    const STALE: [&str; 5] = [
        "stale info",
        "fetch first",
        "non-fast-forward",
        "cannot lock ref",
        "failed to update ref",
    ];
    const AWAY: [&str; 10] = [
        "Could not read from remote repository",
        "does not appear to be a git repository",
        "unable to access",
        "Could not resolve host",
        "Connection refused",
        "Connection timed out",
        "Authentication failed",
        "could not read Username",
        "Permission denied (publickey",
        "repository not found",
    ];
    let (listed, said) = (finished.text(), finished.error_text());
    let rejected = listed.lines().find(|line| line.starts_with("!\t"));
    if let Some(line) = rejected {
        if STALE.iter().any(|sign| line.contains(sign)) {
            return PushRefusal::Stale;
        }
        let reason = line.rsplit('\t').next().unwrap_or(line);
        if line.contains("[remote rejected]") {
            return PushRefusal::Declined(words(reason, &said));
        }
        return PushRefusal::Other(words(reason, &said));
    }
    if AWAY.iter().any(|sign| said.contains(sign)) {
        return PushRefusal::Unreachable(said);
    }
    if said.contains("failed to push some refs") {
        // No ref was even offered: the pre-push hook ended the push.
        return PushRefusal::Declined(words("pre-push hook", &said));
    }
    PushRefusal::Other(said)
}

/// The reason with what the hook printed, without git's own advice.
fn words(reason: &str, said: &str) -> String {
    let told: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("hint:") && !line.starts_with("error: failed to push"))
        .map(|line| line.strip_prefix("remote: ").unwrap_or(line).trim_end())
        .filter(|line| !line.is_empty() && *line != "remote:")
        .collect();
    if told.is_empty() {
        reason.to_owned()
    } else {
        format!("{reason}\n{}", told.join("\n"))
    }
}
