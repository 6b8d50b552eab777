//! Communicates with other repositories: fetch, push, and reading refs back.
//!
//! A push is never forced except with a lease on an observed tip. The reasons of a failed push are
//! distinguished: the tip moved, a rule or a hook declined the push, the remote cannot be reached,
//! or the server has a problem.

use std::collections::BTreeMap;

use super::run::retry_races;
use super::{Git, GitCall, GitError, NETWORK, redact_urls};

/// The reason why a push failed.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The server or a hook refused the push.
    #[error(transparent)]
    Refused(#[from] PushRefusal),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The kind of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PushRefusal {
    /// The remote branch is not at the observed tip, because of another push in the meantime.
    #[error("the remote branch has moved since it was last seen")]
    Stale,
    /// A hook or a protection rule refused the push, with this message. It would refuse the push
    /// again.
    #[error("the push was declined: {0}")]
    Declined(String),
    /// The remote cannot be reached or denies access.
    #[error("the remote cannot be reached: {0}")]
    Unreachable(String),
    /// Any other message of git, such as a server without disk space. A later push may succeed.
    #[error("the push failed: {0}")]
    Other(String),
}

/// The state of the remote branch that a push requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushLease<'a> {
    /// Any tip that the new one descends from.
    FastForward,
    Absent,
    /// Exactly this tip. The new tip need not descend from it.
    At(&'a str),
}

/// The HEAD of a remote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteHead {
    /// The branch of HEAD, if the remote reports it.
    pub branch: Option<String>,
    /// The commit of HEAD; `None` in an empty repository.
    pub commit: Option<String>,
}

impl Git {
    /// Updates `refs/remotes` from the remote. Several processes may fetch at once, so no lock of
    /// ours is held while a remote is slow.
    pub fn fetch(&self, remote: &str) -> Result<(), GitError> {
        self.fetch_refs(remote, &["--prune", "--", remote])
    }

    /// Returns the tips of the branches and tags that the remote has now, with their commits here.
    /// Removes no branch from `refs/remotes`.
    pub fn fetch_remote_tips(&self, remote: &str) -> Result<Vec<String>, GitError> {
        let mut listed = self.ls_remote_all(remote, "*")?;
        listed.retain(|name, _| name.starts_with("refs/heads/") || name.starts_with("refs/tags/"));
        let tips: Vec<String> = listed.into_values().collect();
        let call = self.plumbing(["cat-file", "--batch-check"]);
        let found = call.stdin(tips.join("\n")).text()?;
        if found.lines().any(|line| line.ends_with(" missing")) {
            self.fetch_refs(remote, &["--no-prune", "--tags", "--", remote])?;
        }
        Ok(tips)
    }

    /// Fetches one ref of any kind from the remote into a local ref.
    pub fn fetch_ref(&self, remote: &str, from: &str, to: &str) -> Result<(), GitError> {
        self.fetch_refs(remote, &["--", remote, &format!("+{from}:{to}")])
    }

    /// Fetches, and retries if another fetch wrote the same refs at the same time, or if a worktree
    /// was being added.
    pub(super) fn fetch_refs(&self, remote: &str, args: &[&str]) -> Result<(), GitError> {
        retry_races(
            |words| is_ref_race(words) || names_half_made_worktree(words),
            || {
                self.plumbing(["fetch", "--quiet", "--no-auto-gc", "--no-write-fetch-head"])
                    // Otherwise git leaves out every branch of a shallow remote.
                    .args(["--update-shallow"])
                    // A branch may refer to a commit of a submodule that no one else has.
                    .args(["--no-recurse-submodules"])
                    .args(args)
                    .remote(remote, self.network)
                    .run()
            },
        )
    }

    /// Queries the remote for the tip of a ref; `None` if the remote has no such ref. A name
    /// without `refs/` is a branch.
    pub fn ls_remote(&self, remote: &str, name: &str) -> Result<Option<String>, GitError> {
        let name = full_ref(name);
        Ok(self.ls_remote_all(remote, &name)?.remove(&*name))
    }

    /// Queries the remote for the tips of all refs that match a pattern, by name.
    pub fn ls_remote_all(
        &self,
        remote: &str,
        pattern: &str,
    ) -> Result<BTreeMap<String, String>, GitError> {
        let call = self.plumbing(["ls-remote", "--quiet", remote, pattern]);
        let listed = call.remote(remote, self.network).text()?;
        Ok(listed
            .lines()
            .filter_map(|line| {
                let (id, name) = line.split_once('\t')?;
                Some((name.to_owned(), id.to_owned()))
            })
            .collect())
    }

    /// Queries the remote for its HEAD. `remote` may be a URL.
    pub fn remote_head(&self, remote: &str) -> Result<RemoteHead, GitError> {
        let call = self.plumbing(["ls-remote", "--quiet", "--symref", "--", remote, "HEAD"]);
        let listed = call.remote(remote, self.network).text()?;
        let mut remote_head = RemoteHead::default();
        for line in listed.lines() {
            let Some((target, "HEAD")) = line.split_once('\t') else {
                continue;
            };
            match target.strip_prefix("ref: refs/heads/") {
                Some(branch) => remote_head.branch = Some(branch.to_owned()),
                None => remote_head.commit = Some(target.to_owned()),
            }
        }
        Ok(remote_head)
    }

    /// Pushes the commit `id` to `branch` of `remote`. `lease` is the required state of the branch.
    /// Succeeds if the branch is already at `id`. Files that git-lfs stores are uploaded first.
    /// `hooks` enables the repository's own pre-push hook.
    pub fn push(
        &self,
        remote: &str,
        id: &str,
        branch: &str,
        lease: PushLease<'_>,
        hooks: bool,
    ) -> Result<(), PushError> {
        let target = full_ref(branch);
        let refspec = format!("{id}:{target}");
        self.push_lfs_files(remote, id)?;
        self.push_refspec(remote, &refspec, &target, lease, hooks)
    }

    /// Checks that the commit `id` could be pushed to a new branch of the remote, and pushes
    /// nothing. Rules of single branches are not known to this check.
    pub fn check_push(&self, remote: &str, id: &str, branch: &str) -> Result<(), PushError> {
        let refspec = format!("{id}:{}", full_ref(branch));
        let call = self.plumbing(["push", "--dry-run", "--porcelain", "--no-follow-tags", "--"]);
        let call = call.args([remote, refspec.as_str()]);
        finish_push(call.remote(remote, self.network), false)
    }

    /// Deletes a branch of the remote, if its tip is `expected`.
    pub fn delete_remote_branch(
        &self,
        remote: &str,
        branch: &str,
        expected: &str,
    ) -> Result<(), PushError> {
        let target = full_ref(branch);
        let refspec = format!(":{target}");
        self.push_refspec(remote, &refspec, &target, PushLease::At(expected), false)
    }

    /// Deletes the branches of the remote whose tip is the given commit, in one push. A branch that
    /// cannot be deleted does not keep the others. The remote may refuse the push as a whole
    /// because of one branch, so each is then pushed alone. Returns the first error.
    pub fn delete_remote_branches(
        &self,
        remote: &str,
        branches: &[RemoteBranch<'_>],
    ) -> Result<(), PushError> {
        if let [] | [_] = branches {
            return branches
                .iter()
                .try_for_each(|branch| self.delete_remote_branch(remote, branch.name, branch.tip));
        }
        let leases = branches.iter().map(|branch| {
            let target = full_ref(branch.name);
            format!("--force-with-lease={target}:{}", branch.tip)
        });
        let refspecs = branches
            .iter()
            .map(|branch| format!(":{}", full_ref(branch.name)));
        let call = self
            .plumbing(["push", "--porcelain", "--no-follow-tags"])
            .args(leases)
            .args(["--", remote])
            .args(refspecs);
        match finish_push(call.remote(remote, self.network), false) {
            Err(PushError::Refused(PushRefusal::Unreachable(text))) => {
                return Err(PushError::Refused(PushRefusal::Unreachable(text)));
            }
            Err(PushError::Refused(_)) => {}
            other => return other,
        }
        let mut first_error = Ok(());
        for branch in branches {
            let deleted = self.delete_remote_branch(remote, branch.name, branch.tip);
            first_error = first_error.and(deleted);
        }
        first_error
    }

    fn push_refspec(
        &self,
        remote: &str,
        refspec: &str,
        target: &str,
        lease: PushLease<'_>,
        hooks: bool,
    ) -> Result<(), PushError> {
        let args = ["push", "--porcelain", "--no-follow-tags"];
        let call = if hooks {
            self.command(args)
        } else {
            self.plumbing(args)
        };
        let lease = match lease {
            PushLease::FastForward => None,
            PushLease::Absent => Some(format!("--force-with-lease={target}:")),
            PushLease::At(seen) => Some(format!("--force-with-lease={target}:{seen}")),
        };
        let call = call.args(lease).args(["--", remote, refspec]);
        // The repository's own hook may run a test suite. The remote has already answered an
        // earlier query.
        let limit = if hooks { NETWORK } else { self.network };
        finish_push(call.remote(remote, limit), hooks)
    }
}

/// A branch of a remote and its expected tip.
#[derive(Debug, Clone, Copy)]
pub struct RemoteBranch<'a> {
    pub name: &'a str,
    pub tip: &'a str,
}

/// Runs a push, and classifies the answer of the remote.
fn finish_push(call: GitCall<'_>, hooks: bool) -> Result<(), PushError> {
    let finished = call.finish()?;
    if finished.is_success() {
        return Ok(());
    }
    let listed = redact_urls(&finished.text());
    let said = finished.error_text();
    Err(PushError::Refused(classify_refusal(&listed, &said, hooks)))
}

/// Returns true if git could not write a ref because another process wrote it at the same time.
fn is_ref_race(words: &str) -> bool {
    has_any(words, &["cannot lock ref", ".lock': File exists"])
}

/// Returns true if git read the HEAD of a worktree that another process was adding: until its branch
/// is written, the HEAD names no commit.
fn names_half_made_worktree(words: &str) -> bool {
    words.lines().any(|line| {
        line.split_once("bad object worktrees/")
            .is_some_and(|(_, rest)| rest.ends_with("/HEAD"))
    })
}

fn full_ref(name: &str) -> String {
    if name.starts_with("refs/") {
        name.to_owned()
    } else {
        format!("refs/heads/{name}")
    }
}

/// Phrases in the reason of a rejected ref for a tip that moved.
const STALE_PHRASES: [&str; 5] = [
    "stale info",
    "fetch first",
    "non-fast-forward",
    "incorrect old value",
    "reference already exists",
];

/// Phrases in the server's reason for a rule or a hook that refuses the push. A reason without one
/// of them is a problem of the server, such as `unpacker error`, and passes without action by the
/// pusher.
const DECLINED_PHRASES: [&str; 11] = [
    "declined",
    "protected",
    "denied",
    "deny updating",
    "prohibited",
    "forbidden",
    "not allowed",
    "not permitted",
    "refusing",
    "violation",
    "checked out",
];

/// Phrases in git's output for a server that did not answer completely, or that denies access.
const UNREACHABLE_PHRASES: [&str; 13] = [
    "Could not read from remote repository",
    "does not appear to be a git repository",
    "Could not resolve host",
    "Connection refused",
    "Connection timed out",
    "Authentication failed",
    "could not read Username",
    "Permission denied (publickey",
    "repository not found",
    "RPC failed",
    "unexpected disconnect",
    "hung up unexpectedly",
    "early EOF",
];

/// Classifies a refusal by the porcelain lines (`!\tfrom:to\t[rejected] (reason)`) and git's
/// output. `hooks` tells if the repository's own pre-push hook ran.
fn classify_refusal(listed: &str, output: &str, hooks: bool) -> PushRefusal {
    let rejected = listed.lines().find(|line| line.starts_with("!\t"));
    if let Some(line) = rejected {
        let reason = line.rsplit('\t').next().unwrap_or(line);
        let text = describe_refusal(reason, output);
        // A server that locked the ref too late names both tips, in the line or in its output. The
        // output also has the words of its hooks, which may say anything.
        let is_overtaken =
            reason.contains("failed to update ref") && output.contains("but expected");
        if has_any(reason, &STALE_PHRASES) || reason.contains("but expected") || is_overtaken {
            return PushRefusal::Stale;
        }
        if reason.starts_with("[remote rejected]") && is_declined(reason, output) {
            return PushRefusal::Declined(text);
        }
        return PushRefusal::Other(text);
    }
    if has_any(output, &UNREACHABLE_PHRASES) {
        return PushRefusal::Unreachable(output.to_owned());
    }
    if hooks && output.contains("failed to push some refs") {
        // If no ref was offered, the pre-push hook ended the push.
        return PushRefusal::Declined(describe_refusal("pre-push hook", output));
    }
    PushRefusal::Other(output.to_owned())
}

/// Returns true if the server would refuse the same push again. A push that is too large is an
/// `unpacker error` with one of these phrases.
fn is_declined(reason: &str, output: &str) -> bool {
    has_any(&reason.to_lowercase(), &DECLINED_PHRASES)
        || output.contains("exceeds maximum allowed size")
}

/// Returns true if the words of a failed fetch or push say that the remote could not be reached, or
/// denied access.
pub fn is_unreachable(words: &str) -> bool {
    has_any(words, &UNREACHABLE_PHRASES)
        || words.contains(" did not answer `git ")
        // git says the same of a file of its own that it cannot read.
        || words.contains("unable to access '") && !words.contains("unable to access '/")
}

fn has_any(text: &str, signs: &[&str]) -> bool {
    signs.iter().any(|sign| text.contains(sign))
}

/// Formats the reason with the hook's output, without git's own advice.
fn describe_refusal(reason: &str, output: &str) -> String {
    let reasons: Vec<&str> = output
        .lines()
        .filter(|line| !line.starts_with("hint:") && !line.starts_with("error: failed to push"))
        .map(|line| line.strip_prefix("remote: ").unwrap_or(line).trim_end())
        .filter(|line| !line.is_empty() && *line != "remote:")
        .collect();
    if reasons.is_empty() {
        reason.to_owned()
    } else {
        format!("{reason}\n{}", reasons.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(reason: &str, said: &str) -> PushRefusal {
        let listed = format!("To x.git\n!\tHEAD:refs/heads/main\t{reason}\nDone");
        classify_refusal(&listed, said, false)
    }

    #[test]
    fn a_server_error_is_not_a_policy_refusal() {
        for (reason, said) in [
            (
                "unpacker error",
                "error: remote unpack failed: unable to create temporary object directory",
            ),
            (
                "unpacker error",
                "remote: fatal: write error: No space left on device\n\
                 error: remote unpack failed: index-pack abnormal exit",
            ),
            ("unable to migrate objects to permanent storage", ""),
            (
                "failed to update ref",
                "remote: error: cannot lock ref 'refs/heads/main': Unable to create '/x/main.lock': File exists.",
            ),
            ("failed to write", ""),
            ("Internal Server Error", ""),
            ("fatal error in commit_refs", ""),
        ] {
            let refusal = rejected(&format!("[remote rejected] ({reason})"), said);
            assert!(
                matches!(refusal, PushRefusal::Other(_)),
                "{reason}: {refusal:?}"
            );
        }
        let failure = rejected("[remote failure] (remote failed to report status)", "");
        assert!(matches!(failure, PushRefusal::Other(_)), "{failure:?}");
    }

    #[test]
    fn a_rule_or_hook_of_the_server_declines_a_push() {
        for (reason, said) in [
            ("pre-receive hook declined", "remote: main is protected"),
            ("hook declined", ""),
            (
                "pre-receive hook declined",
                "remote: found TODO but expected none",
            ),
            ("protected branch hook declined", ""),
            ("push declined due to repository rule violations", ""),
            ("permission denied", ""),
            ("prohibited by Gerrit: not permitted: update", ""),
            ("deny updating a hidden ref", ""),
            ("deletion prohibited", ""),
            ("shallow update not allowed", ""),
            ("branch is currently checked out", ""),
            (
                "unpacker error",
                "remote: fatal: pack exceeds maximum allowed size (10 bytes)",
            ),
        ] {
            let refusal = rejected(&format!("[remote rejected] ({reason})"), said);
            assert!(
                matches!(refusal, PushRefusal::Declined(_)),
                "{reason}: {refusal:?}"
            );
        }
    }

    #[test]
    fn a_moved_tip_is_stale_whether_git_or_the_server_notices() {
        for (reason, said) in [
            ("[rejected] (stale info)", ""),
            ("[rejected] (fetch first)", ""),
            ("[remote rejected] (incorrect old value provided)", ""),
            (
                "[remote rejected] (failed to update ref)",
                "remote: error: cannot lock ref 'refs/heads/main': is at 1234 but expected 5678",
            ),
            (
                "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1234 but expected 5678)",
                "",
            ),
        ] {
            assert_eq!(rejected(reason, said), PushRefusal::Stale, "{reason}");
        }
    }

    #[test]
    fn a_push_without_a_server_response_is_declined_only_by_a_local_hook() {
        let hook = "tests fail\nerror: failed to push some refs to 'x.git'";
        let declined = classify_refusal("", hook, true);
        assert!(matches!(declined, PushRefusal::Declined(_)), "{declined:?}");
        let other = classify_refusal("", hook, false);
        assert!(matches!(other, PushRefusal::Other(_)), "{other:?}");
        let http = "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\n\
                    send-pack: unexpected disconnect while reading sideband packet\n\
                    error: failed to push some refs to 'https://x/x.git'";
        let away = classify_refusal("", http, true);
        assert!(matches!(away, PushRefusal::Unreachable(_)), "{away:?}");
    }
}
