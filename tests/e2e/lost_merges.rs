//! Targets that lose merged work, and commits that left a target and must not return.

use std::path::{Path, PathBuf};

use town_tests::{Repo, Town, Worker};

/// The words for lost commits.
const LOST: &str = "no longer on it";

/// A worker whose work is merged to `main` and taken away there by a forced push, which a sling
/// noticed.
fn lose_merged_work() -> (Worker, String) {
    let (worker, merged) = drop_merged_work();
    let other = worker.town.bead("web", "Other work");
    worker.town.sling(&other);
    (worker, merged)
}

/// The same before anything was fetched.
fn drop_merged_work() -> (Worker, String) {
    let worker = Worker::new();
    worker.origin.commit("before.txt", "x\n", "Before");
    worker.commit("work.txt");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    let merged = worker.origin.git(["rev-parse", "main"]);
    worker
        .origin
        .git(["update-ref", "refs/heads/main", "main~1"]);
    worker.origin.commit("other.txt", "x\n", "Other");
    (worker, merged.trim().to_owned())
}

/// The needs on the first screen, and the problems of the status, that are about a text.
fn needs_about(town: &Town, text: &str) -> Vec<String> {
    let top = town.gt(["top", "--json"]).ok().json();
    let status = town.gt(["status", "--json"]).ok().json();
    let needs: Vec<String> = ["needs_you", "problems"]
        .into_iter()
        .flat_map(|key| [&top, &status].map(|screen| screen[key].clone()))
        .filter_map(|list| list.as_array().cloned())
        .flatten()
        .map(|need| need.to_string())
        .collect();
    needs
        .into_iter()
        .filter(|need| need.contains(text))
        .collect()
}

#[test]
fn a_forced_push_that_drops_merged_work_needs_a_person_who_can_bring_it_back() {
    let (worker, merged) = lose_merged_work();
    let (town, bead) = (&worker.town, worker.bead.as_str());
    assert_eq!(town.events("merges_lost").len(), 1);
    let needs = needs_about(town, LOST);
    assert_eq!(needs.len(), 2, "{needs:?}");
    assert!(needs.iter().all(|need| need.contains(bead)), "{needs:?}");
    let why = town.gt(["why", bead]).ok().out;
    assert!(why.contains(&merged[..12]), "{why}");
    assert!(why.contains("gt mq lost web --restore"), "{why}");
    town.patrol();
    let mail = town.mail("overseer");
    let told = mail
        .iter()
        .filter(|mail| mail.to_string().contains("has lost the merged work"));
    assert_eq!(told.count(), 1, "{mail:?}");
    let listed = town.gt(["mq", "lost", "web", "--json"]).ok().json();
    assert_eq!(listed["losses"][0]["merges"][0]["commit"], merged.as_str());

    town.gt(["mq", "lost", "web", "--restore"]).ok();
    assert_eq!(worker.shown()["status"], "in_progress");
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.file("main", "work.txt"), "work");
    assert_eq!(worker.shown()["status"], "closed");
    assert!(needs_about(town, LOST).is_empty());
    let health = town.gt(["status", "--health", "--json"]).run().json();
    assert_eq!(health["healthy"], true, "{health}");
}

#[test]
fn a_loss_that_a_person_accepts_or_takes_back_is_over() {
    let (worker, merged) = lose_merged_work();
    let town = &worker.town;
    let health = town.gt(["status", "--health", "--json"]).run().json();
    assert_eq!(health["healthy"], false, "{health}");
    town.gt(["mq", "lost", "web", "--accept"]).ok();
    assert!(needs_about(town, LOST).is_empty());
    let health = town.gt(["status", "--health", "--json"]).run().json();
    assert_eq!(health["healthy"], true, "{health}");
    assert_eq!(worker.shown()["status"], "closed");
    let none = town.gt(["mq", "lost", "web"]).ok().out;
    assert!(none.contains("has lost merged work"), "{none}");

    let (worker, merged_too) = drop_merged_work();
    assert_ne!(merged, merged_too);
    // A user who asks gets the state of the remote, not of the last fetch.
    let lost = worker.town.gt(["mq", "lost", "web", "--json"]).ok().json();
    assert_eq!(
        lost["losses"][0]["merges"][0]["commit"],
        merged_too.as_str()
    );
    let push = ["update-ref", "refs/heads/main", merged_too.as_str()];
    worker.origin.git(push);
    let other = worker.town.bead("web", "More work");
    worker.town.sling(&other);
    assert!(needs_about(&worker.town, LOST).is_empty());
}

#[test]
fn lost_work_that_cannot_come_back_stays_a_need() {
    let mut worker = Worker::new();
    worker.origin.commit("before.txt", "x\n", "Before");
    let mut beads = Vec::new();
    for file in ["changed.txt", "work.txt"] {
        worker.commit(file);
        worker.hand_in();
        assert_eq!(worker.merge()["outcome"], "merged");
        beads.push(worker.bead.clone());
        worker.take_another();
    }
    let (town, origin) = (&worker.town, &worker.origin);
    origin.git(["update-ref", "refs/heads/main", "main~2"]);
    origin.commit("other.txt", "x\n", "Other");
    town.sling(&town.bead("web", "Other work"));
    let (changed, back) = (beads[0].as_str(), beads[1].as_str());
    town.bd("web", ["reopen", changed]).ok();
    let restored = town.gt(["mq", "lost", "web", "--restore"]).run();
    assert_eq!(restored.code, 1, "{}", restored.out);
    let said = restored.out;
    assert!(said.contains("was changed since the merge"), "{said}");
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(town.status_of("web", back), "closed");
    // Work that is back is no longer lost, and what cannot help is not offered again.
    let listed = town.gt(["mq", "lost", "web"]).ok().out;
    assert!(listed.contains(changed), "{listed}");
    assert!(!listed.contains(back), "{listed}");
    assert!(!listed.contains("--restore"), "{listed}");
    assert!(listed.contains("cannot be restored"), "{listed}");
    let needs = needs_about(town, LOST);
    assert!(!needs.is_empty());
    assert!(needs.iter().all(|need| !need.contains(back)), "{needs:?}");
    town.gt(["mq", "lost", "web", "--restore"]).fails("");
    assert_eq!(town.status_of("web", back), "closed");
    town.gt(["mq", "lost", "web", "--accept"]).ok();
    assert!(needs_about(town, LOST).is_empty());
}

#[test]
fn a_target_rewritten_with_the_same_changes_has_lost_nothing() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    worker
        .origin
        .git(["update-ref", "refs/heads/main", "main~1"]);
    worker
        .origin
        .commit("work.txt", "work\n", "Work, in other words");
    let other = worker.town.bead("web", "Other work");
    worker.town.sling(&other);
    assert!(worker.town.events("merges_lost").is_empty());
}

#[test]
fn work_merged_to_a_branch_that_was_deleted_needs_a_person() {
    let worker = Worker::new();
    worker.origin.git(["branch", "develop", "main"]);
    let setting = serde_json::json!({ "target_branch": "develop" });
    worker.town.set_rig_setting("web", "merge_queue", setting);
    let bead = worker.town.bead("web", "For develop");
    let name = worker.town.sling(&bead);
    let sandbox = worker.town.sandbox(&name);
    std::fs::write(sandbox.join("work.txt"), "work\n").unwrap();
    worker.town.git_at(&sandbox, ["add", "-A"]).ok();
    worker.town.git_at(&sandbox, ["commit", "-qm", "Work"]).ok();
    worker
        .town
        .gt_as(&name, ["done", "--stay", "--summary", "x"])
        .ok();
    worker.town.gt(["mq", "run", "web"]).ok();
    assert_eq!(worker.town.status_of("web", &bead), "closed");
    let setting = serde_json::json!({ "target_branch": "main" });
    worker.town.set_rig_setting("web", "merge_queue", setting);
    worker.origin.git(["branch", "-D", "develop"]);
    let other = worker.town.bead("web", "Other work");
    worker.town.sling(&other);
    let needs = needs_about(&worker.town, "develop was deleted");
    assert_eq!(needs.len(), 2, "{needs:?}");
    assert!(needs.iter().all(|need| need.contains(&bead)), "{needs:?}");
    worker.town.gt(["mq", "lost", "web", "--restore"]).ok();
    assert_eq!(worker.origin.file("develop", "work.txt"), "work");
    assert!(needs_about(&worker.town, LOST).is_empty());
}

/// A rig whose repairs are made by the test, with a file that everyone changes.
struct ConflictTown {
    town: Town,
    origin: Repo,
}

impl ConflictTown {
    fn new() -> Self {
        let (town, origin) = Town::with_rig();
        town.script("while :; do sleep 1; done");
        let settings = serde_json::json!({ "auto_repair": false });
        town.set_rig_setting("web", "merge_queue", settings);
        origin.commit("shared.txt", "start\n", "Start");
        Self { town, origin }
    }

    fn git<'a>(&self, sandbox: &Path, args: impl IntoIterator<Item = &'a str>) -> String {
        self.town.git_at(sandbox, args).ok().out
    }

    fn sling(&self, bead: &str) -> (String, PathBuf) {
        let name = self.town.sling(bead);
        let sandbox = self.town.sandbox(&name);
        (name, sandbox)
    }

    /// Slings a bead whose worker writes a text into the shared file, and hands it in.
    fn hand_in(&self, title: &str, text: &str) -> String {
        let bead = self.town.bead("web", title);
        let (name, sandbox) = self.sling(&bead);
        self.commit(&sandbox, text);
        self.done(&name).ok();
        bead
    }

    fn commit(&self, sandbox: &Path, text: &str) {
        std::fs::write(sandbox.join("shared.txt"), text).unwrap();
        self.git(sandbox, ["commit", "-qam", "Work"]);
    }

    fn done(&self, name: &str) -> town_tests::Run {
        self.town.gt_as(name, ["done", "--stay", "--summary", "x"])
    }

    /// The commit that the text of a task tells its worker to merge.
    fn commit_to_merge(&self, task: &str) -> String {
        let text = self.town.show("web", task)["description"].clone();
        let text = text.as_str().unwrap();
        let (_, after) = text.rsplit_once("git merge ").unwrap();
        after[..40].to_owned()
    }

    /// Slings a task, merges what its text says, and resolves with a text. Returns the worker.
    fn repair(&self, task: &str, text: &str) -> String {
        let (name, sandbox) = self.sling(task);
        let commit = self.commit_to_merge(task);
        self.town
            .git_at(&sandbox, ["merge", "-q", &commit])
            .fails("");
        self.commit(&sandbox, text);
        name
    }

    /// Runs the queue, and returns the task of each conflict by bead.
    fn run_queue(&self) -> Vec<(String, String)> {
        let ran = self.town.gt(["mq", "run", "web", "--json"]).ok().json();
        let results = ran.as_array().unwrap().iter();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        results
            .map(|result| (text(&result["bead"]), text(&result["task"])))
            .collect()
    }

    fn has_commit(&self, branch: &str, commit: &str) -> bool {
        let args = ["merge-base", "--is-ancestor", commit, branch];
        self.town.git_at(self.origin.path(), args).run().code == 0
    }
}

#[test]
fn a_commit_that_was_forced_away_does_not_return_with_a_repair() {
    let town = ConflictTown::new();
    town.origin.commit("secret.txt", "password\n", "A mistake");
    let secret = town.origin.git(["rev-parse", "main"]);
    let secret = secret.trim();
    let bead = town.hand_in("Answer", "worker\n");
    town.origin.commit("shared.txt", "person\n", "By hand");
    let task = town.run_queue()[0].1.clone();
    let name = town.repair(&task, "both\n");
    town.done(&name).ok();
    // The secret is removed while the repair waits, and the file is changed again.
    town.origin.git(["update-ref", "refs/heads/main", "main~2"]);
    town.origin
        .commit("shared.txt", "person again\n", "Without the secret");
    let again = town.run_queue();
    assert_eq!(again, [(task.clone(), task.clone())]);
    let commit = town.commit_to_merge(&task);
    let rig = town.town.root().join("web/.repo.git");
    let contains = ["merge-base", "--is-ancestor", secret, commit.as_str()];
    assert_eq!(town.town.git_at(&rig, contains).run().code, 1);

    // A worker that merges the older result is refused.
    let (name, sandbox) = town.sling(&task);
    let first = town.town.show("web", &task)["metadata"]["tip"].clone();
    let first = first.as_str().unwrap();
    town.town.git_at(&sandbox, ["merge", "-q", first]).fails("");
    town.commit(&sandbox, "all\n");
    let refused = town.done(&name).fails("A mistake");
    // The command of the message takes the commits out, with the conflicts to resolve.
    let (_, command) = refused.err.split_once(": git rebase ").unwrap();
    let words: Vec<&str> = command.split_whitespace().take(3).collect();
    let rebased = town.town.git_at(&sandbox, ["rebase"]).args(words).run();
    assert!(
        rebased.code == 0 || rebased.out.contains("CONFLICT"),
        "{}",
        rebased.err
    );
    town.town.git_at(&sandbox, ["rebase", "--abort"]).run();

    // One that merges the named commit is not.
    town.git(&sandbox, ["reset", "-q", "--hard", "origin/main"]);
    town.town
        .git_at(&sandbox, ["merge", "-q", &commit])
        .fails("");
    town.commit(&sandbox, "all\n");
    town.done(&name).ok();
    town.run_queue();
    assert_eq!(town.town.status_of("web", &bead), "closed");
    assert_eq!(town.origin.file("main", "shared.txt"), "all");
    assert!(!town.has_commit("main", secret));
    let files = town.origin.git(["ls-tree", "--name-only", "main"]);
    assert!(!files.contains("secret.txt"), "{files}");
}

#[test]
fn a_repair_that_another_repair_made_void_is_not_an_attempt() {
    let town = ConflictTown::new();
    let beads = ["one\n", "two\n"].map(|text| town.hand_in(text.trim(), text));
    town.origin.commit("shared.txt", "person\n", "By hand");
    let tasks = town.run_queue();
    assert_eq!(tasks.len(), 2, "{tasks:?}");
    let mut workers = Vec::new();
    for (bead, task) in &tasks {
        workers.push(town.repair(task, &format!("person and {bead}\n")));
    }
    for worker in &workers {
        town.done(worker).ok();
    }
    town.run_queue();
    let closed = beads
        .iter()
        .filter(|bead| town.town.status_of("web", bead) == "closed");
    assert_eq!(closed.count(), 1);
    let open = tasks
        .iter()
        .find(|(_, task)| town.town.status_of("web", task) == "open")
        .unwrap();
    let task = town.town.show("web", &open.1);
    let title = task["title"].as_str().unwrap();
    assert!(!title.contains("attempt 2"), "{title}");
    assert_eq!(task["metadata"]["repair"]["number"], 1, "{task}");
}

#[test]
fn a_commit_with_an_odd_author_or_date_is_merged() {
    let mut worker = Worker::new();
    for (number, strategy) in ["rebase", "squash", "merge"].into_iter().enumerate() {
        if number > 0 {
            worker.take_another();
        }
        let setting = serde_json::json!({ "strategy": strategy });
        worker.town.set_rig_setting("web", "merge_queue", setting);
        for (number, who) in [" <> 5 +0000", "D <d@x> -100 +0000"].iter().enumerate() {
            worker.commit_text(&format!("{strategy}-{number}.txt"), "x\n");
            let raw = worker.git(["cat-file", "commit", "HEAD"]);
            let lines: Vec<String> = raw
                .lines()
                .map(|line| match line.split_once(' ') {
                    Some((key @ ("author" | "committer"), _)) => format!("{key} {who}"),
                    _ => line.to_owned(),
                })
                .collect();
            let write = [
                "hash-object",
                "-t",
                "commit",
                "-w",
                "--literally",
                "--stdin",
            ];
            let written = worker
                .town
                .git_at(&worker.sandbox, write)
                .input(&(lines.join("\n") + "\n"))
                .ok()
                .out;
            worker.git(["reset", "-q", "--hard", written.trim()]);
        }
        worker.hand_in();
        let other = format!("{strategy}.txt");
        worker.origin.commit(&other, "x\n", "Other");
        let merged = worker.merge();
        assert_eq!(merged["outcome"], "merged", "{strategy}: {merged}");
        let file = format!("{strategy}-1.txt");
        assert_eq!(worker.origin.file("main", &file), "x");
    }
}
