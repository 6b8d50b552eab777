//! Finds the commits that workers brought to a target past the merge queue.
//!
//! Git has no hook outside of a worker's reach that could refuse a push to a remote. So each fetch
//! compares what a target gained with the merge requests. Only the line of first parents counts: a
//! person who merges the branch of a worker, and the queue of another town, make the merge commit
//! themselves.

use std::collections::{BTreeMap, BTreeSet};

use bd::git::{Git, GitError};
use jiff::SignedDuration;
use kit::sys::file;

use crate::record::merge_request::{self, request_state};
use crate::town::Rig;
use crate::town::identity::Address;
use crate::town::target_loss::PushedCommit;

/// The number of new commits of a target that are looked at.
const MAX_COMMITS: &str = "1000";

/// The time for which a closed request explains commits that are seen only now.
const EXPLAINING_TIME: SignedDuration = SignedDuration::from_hours(24);

/// The maximum size of the log of a sandbox's HEAD, in bytes.
const MAX_LOG: u64 = 4 << 20;

/// Returns the commits with which a target moved from `seen` to `tip`, that a worker made, and that
/// no merge request brought. Oldest first.
pub(super) fn find_worker_pushes(
    rig: &Rig,
    git: &Git,
    target: &str,
    seen: &str,
    tip: &str,
) -> anyhow::Result<Vec<PushedCommit>> {
    let log = git.plumbing(["log", "--first-parent", "--format=%H%x09%cn%x09%s", "-n"]);
    let log = log.args([MAX_COMMITS, tip, "--not", seen]).text()?;
    let mut made_here = None;
    let mut pushed = Vec::new();
    for line in log.lines() {
        let mut fields = line.splitn(3, '\t');
        let (Some(commit), Some(committer)) = (fields.next(), fields.next()) else {
            continue;
        };
        let worker = match committer.parse() {
            Ok(Address::Polecat(home, _)) if home == rig.name() => Some(committer.to_owned()),
            // A worker can give its commits another name, that of the queue too.
            _ => made_here
                .get_or_insert_with(|| list_commits_of_sandboxes(rig))
                .get(commit)
                .cloned(),
        };
        if let Some(worker) = worker {
            pushed.push(PushedCommit {
                commit: commit.to_owned(),
                worker,
                subject: fields.next().unwrap_or("").to_owned(),
            });
        }
    }
    if pushed.is_empty() {
        return Ok(pushed);
    }
    let explained = list_explained_commits(rig, git, target, seen, tip)?;
    pushed.retain(|one| !explained.contains(&one.commit));
    pushed.reverse();
    Ok(pushed)
}

/// Returns the commits of a target that merge requests brought or that were handed in.
fn list_explained_commits(
    rig: &Rig,
    git: &Git,
    target: &str,
    seen: &str,
    tip: &str,
) -> anyhow::Result<BTreeSet<String>> {
    let beads = rig.store()?.snapshot()?;
    let since = rig.town().clock.now() - EXPLAINING_TIME;
    let mut requests = merge_request::open_requests(&beads);
    requests.extend(merge_request::requests_closed_since(&beads, since));
    let mut explained = BTreeSet::new();
    for request in requests {
        let receipt = merge_request::receipt_of(request);
        if receipt.target != target || receipt.pushed_to_target {
            continue;
        }
        let state = request_state(request);
        for (onto, commit) in [
            (&state.onto, &state.candidate),
            (&receipt.base, &receipt.tip),
        ] {
            if is_gained(git, commit, seen, tip)? && !onto.is_empty() {
                let range = git.plumbing(["rev-list", commit, "--not", onto]);
                explained.extend(range.text()?.lines().map(str::to_owned));
            }
        }
    }
    Ok(explained)
}

/// Returns true if a commit came to a target when it moved from `seen` to `tip`.
fn is_gained(git: &Git, commit: &str, seen: &str, tip: &str) -> Result<bool, GitError> {
    Ok(!commit.is_empty()
        && git.resolve(commit)?.is_some()
        && git.is_ancestor(commit, tip)?
        && !git.is_ancestor(commit, seen)?)
}

/// Returns the commits that were made in the sandboxes of a rig, with their workers, as the logs say
/// that the town has taken over. A log that cannot be read says nothing.
fn list_commits_of_sandboxes(rig: &Rig) -> BTreeMap<String, String> {
    let mut made = BTreeMap::new();
    for name in file::list_subfolders(&rig.polecats()) {
        let log = rig.sandbox_repository(&name).join("logs/HEAD");
        let is_small = log.metadata().is_ok_and(|found| found.len() <= MAX_LOG);
        let Some(bytes) = file::read_regular_file(&log)
            .ok()
            .flatten()
            .filter(|_| is_small)
        else {
            continue;
        };
        let worker = Address::Polecat(rig.name().to_owned(), name).to_string();
        for line in String::from_utf8_lossy(&bytes).lines() {
            if let Some((moved, reason)) = line.split_once('\t')
                && reason.starts_with("commit")
                && let Some(commit) = moved.split(' ').nth(1)
            {
                made.insert(commit.to_owned(), worker.clone());
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use bd::bead::{Bead, Kind};
    use bd::git::PushLease;

    use super::super::target_history::{check_targets, end_losses, watch_target};
    use super::*;
    use crate::record::merge_request::Receipt;
    use crate::testing::TestTown;
    use crate::town::target_loss::{LossEnding, TargetLoss};

    const WORKER: &str = "web/polecats/nux";

    /// A rig whose target is watched, with a clone of its remote.
    struct WatchedTown {
        place: TestTown,
        clone: Git,
    }

    impl WatchedTown {
        fn new() -> Self {
            let place = TestTown::new();
            let url = place.create_origin(&[("a", "a\n")]);
            place.add_rig("web", Some(&url)).unwrap();
            let rig = place.town.find_rig("web").unwrap();
            let tip = rig.git().resolve("refs/remotes/origin/main").unwrap();
            watch_target(&rig.git(), "main", &tip.unwrap()).unwrap();
            let clone = place.create_tree("clone", &[("unrelated", "x\n")]);
            clone.add_origin(&url).unwrap();
            clone.fetch("origin").unwrap();
            clone.reset_hard("refs/remotes/origin/main").unwrap();
            Self { place, clone }
        }

        /// Commits with this committer, and returns the commit.
        fn commit(&self, committer: &str) -> String {
            let head = self.clone.resolve("HEAD").unwrap().unwrap();
            let tree = self.clone.tree_of(&head).unwrap();
            self.commit_on(committer, &tree, &[&head])
        }

        fn commit_on(&self, committer: &str, tree: &str, parents: &[&str]) -> String {
            let git = self.clone.clone().with_env("GIT_COMMITTER_NAME", committer);
            let who = bd::git::Identity {
                name: committer.to_owned(),
                email: "x@example.org".to_owned(),
            };
            let id = git
                .commit_tree(tree, parents, "Quick\u{1b}fix\n", &who)
                .unwrap();
            self.clone.reset_hard(&id).unwrap();
            id
        }

        /// Pushes the clone to the target, and lets the town fetch. Returns the open records.
        fn push(&self) -> Vec<TargetLoss> {
            let tip = self.clone.resolve("HEAD").unwrap().unwrap();
            let seen = self.clone.ls_remote("origin", "main").unwrap().unwrap();
            let lease = PushLease::At(&seen);
            self.clone
                .push("origin", &tip, "main", lease, false)
                .unwrap();
            let rig = self.place.town.find_rig("web").unwrap();
            rig.git().fetch("origin").unwrap();
            check_targets(&rig).unwrap();
            let mut open = TargetLoss::load(&rig).unwrap();
            open.retain(TargetLoss::is_open);
            open
        }
    }

    #[test]
    fn a_push_of_a_worker_to_the_target_needs_a_user_until_it_is_accepted_or_gone() {
        let town = WatchedTown::new();
        town.commit("Tess");
        assert_eq!(town.push(), []);
        let base = town.clone.resolve("HEAD").unwrap().unwrap();
        let first = town.commit(WORKER);
        let open = town.push();
        assert_eq!(open.len(), 1);
        assert_eq!(open[0].pushed[0].commit, first);
        assert_eq!(open[0].list_pushers(), WORKER);
        assert!(
            !open[0].describe().contains('\u{1b}'),
            "{}",
            open[0].describe()
        );
        let steps = open[0].next_steps("web");
        assert!(
            steps[0].contains(&format!("log -p {base:.12}..{first:.12}")),
            "{steps:?}"
        );
        assert_eq!(steps[1], "gt mq lost web --accept");
        // Two processes may notice the same push, or begin to watch the same target.
        let rig = town.place.town.find_rig("web").unwrap();
        let target = "refs/gt/target/main";
        rig.git().update_ref(target, &base, Some(&first)).unwrap();
        watch_target(&rig.git(), "main", &first).unwrap();
        check_targets(&rig).unwrap();
        assert_eq!(TargetLoss::load(&rig).unwrap(), open);
        // Another push is added to the same record.
        let second = town.commit(WORKER);
        let open = town.push();
        assert_eq!(open.len(), 1);
        assert_eq!(open[0].pushed.len(), 2);
        assert_eq!(open[0].new_tip.as_ref(), Some(&second));
        let accepted = end_losses(&rig, LossEnding::Accepted, |_| true).unwrap();
        assert_eq!(accepted.len(), 1);
        town.commit(WORKER);
        assert_eq!(town.push().len(), 1);
        town.clone.reset_hard(&second).unwrap();
        assert_eq!(town.push(), []);
    }

    #[test]
    fn commits_that_were_handed_in_or_merged_by_a_person_are_no_pushes_past_the_queue() {
        let town = WatchedTown::new();
        let base = town.clone.resolve("HEAD").unwrap().unwrap();
        let work = town.commit(WORKER);
        let tree = town.clone.tree_of(&work).unwrap();
        town.commit_on("Tess", &tree, &[&base, &work]);
        assert_eq!(town.push(), []);

        let base = town.clone.resolve("HEAD").unwrap().unwrap();
        let tip = town.commit(WORKER);
        let rig = town.place.town.find_rig("web").unwrap();
        let store = rig.store().unwrap();
        let receipt = Receipt {
            target: "main".to_owned(),
            branch: "work".to_owned(),
            base,
            tip,
            ..Receipt::default()
        };
        let put = |tx: &mut bd::store::Tx| {
            let now = tx.now();
            let bead = Bead {
                id: "web-1".to_owned(),
                title: "Work".to_owned(),
                issue_type: Kind::Task,
                created_at: now.clone(),
                ..Bead::default()
            };
            let request = receipt.build_request("web-mr-1", "web", &bead, "", &now, "w")?;
            tx.put(bead)?;
            Ok(tx.put(request)?)
        };
        rig.town().transact(&store, put).unwrap();
        assert_eq!(town.push(), []);
    }

    #[test]
    fn a_worker_that_commits_under_another_name_is_known_by_the_log_of_its_sandbox() {
        let town = WatchedTown::new();
        let rig = town.place.town.find_rig("web").unwrap();
        let before = town.clone.resolve("HEAD").unwrap().unwrap();
        let fetched = town.commit("Tess");
        let made = town.commit("web/refinery");
        let log = rig.sandbox_repository("nux").join("logs/HEAD");
        std::fs::create_dir_all(rig.polecats().join("nux")).unwrap();
        std::fs::create_dir_all(log.parent().unwrap()).unwrap();
        let lines = format!(
            "{before} {fetched} x <x> 1 +0000\tpull: Fast-forward\n{fetched} {made} x <x> 2 +0000\tcommit: y\n"
        );
        std::fs::write(&log, lines).unwrap();
        let open = town.push();
        let commits: Vec<_> = open[0].pushed.iter().map(|one| &one.commit).collect();
        assert_eq!(commits, [&made]);
        assert_eq!(open[0].list_pushers(), WORKER);
    }
}
