//! `gt done`.

use town_tests::{Town, Worker, eventually};

#[test]
fn done_twice_files_one_merge_request() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let said = worker.done(["--summary", "did it", "--json"]).ok().json();
    let request = said["request"].as_str().unwrap().to_owned();
    worker
        .done(["--summary", "did it"])
        .fails("no work on the hook");
    let requests = worker.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0]["id"], request);
    // The bead waits for its request: neither ready nor stalled, still the worker's.
    let bead = worker.town.show("web", &worker.bead);
    assert_eq!(bead["status"], "in_progress");
    assert!(
        bead["assignee"]
            .as_str()
            .unwrap()
            .starts_with("web/polecats/")
    );
    let receipt = worker.town.show("web", &request)["metadata"]["receipt"].clone();
    assert_eq!(receipt["commits"].as_array().unwrap().len(), 1);
    assert_eq!(receipt["files"][0], "work.txt");
    assert_eq!(receipt["summary"], "did it");
    let branch = receipt["branch"].as_str().unwrap();
    assert_eq!(
        worker.origin.git(["rev-parse", branch]),
        receipt["tip"].as_str().unwrap()
    );
    let record = worker
        .town
        .gt(["polecat", "status", &worker.name, "--json"])
        .ok()
        .json();
    assert_eq!(record["record"][0]["bead"], worker.bead.as_str());
    assert_eq!(record["record"][0]["outcome"], "submitted");
}

#[test]
fn a_done_killed_after_its_push_resumes_there() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let branch = worker.git(["branch", "--show-current"]).trim().to_owned();
    // The state after a `gt done` that died between push and submit.
    worker.git(["push", "-q", "origin", "HEAD"]);
    let before = worker.origin.git(["rev-parse", &branch]);
    worker.done(["--summary", "x"]).ok();
    assert_eq!(worker.origin.git(["rev-parse", &branch]), before);
    assert_eq!(worker.requests().len(), 1);
}

#[test]
fn done_without_commits_is_refused_unless_a_reason_is_given() {
    let worker = Worker::new();
    worker
        .done(["--summary", "x"])
        .fails("has no commit beyond");
    assert_eq!(worker.town.status_of("web", &worker.bead), "hooked");
    worker.done(["--no-change", " "]).fails("needs a reason");
    worker
        .done(["--no-change", "it was right already", "--summary", "looked"])
        .ok();
    let bead = worker.town.show("web", &worker.bead);
    assert_eq!(bead["status"], "closed");
    assert_eq!(bead["close_reason"], "No change: it was right already");
    assert!(worker.requests().is_empty());
}

#[test]
fn a_worker_that_closes_its_bead_first_can_still_run_gt_done() {
    let (town, origin) = Town::with_rig();
    let go = town.path("scripts/go");
    town.program_on_path("mkfifo")
        .args([go.to_str().unwrap()])
        .ok();
    town.script(
        "echo work > work.txt; git add -A; git commit -qm Work\nbd close \"$GT_BEAD\"\n\
         read answer < \"$GT_ROOT/../scripts/go\"",
    );
    let bead = town.bead("web", "Work");
    let made = town.gt(["convoy", "create", "C", &bead, "--json"]).ok();
    let convoy = made.json()["id"].as_str().unwrap().to_owned();
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    town.patrol_is_quiet();
    assert_eq!(town.sessions().len(), 1, "nobody ended it");
    assert_eq!(town.status_of(".", &convoy), "open");
    std::fs::write(&go, "go\n").unwrap();
    eventually("the convoy has landed", || {
        (town.status_of(".", &convoy) == "closed").then_some(())
    });
    assert_eq!(origin.subjects("main"), ["Work"]);
    let reason = town.show("web", &bead)["close_reason"].clone();
    assert!(
        reason.as_str().unwrap().starts_with("Merged in"),
        "{reason}"
    );
}

#[test]
fn commits_merged_from_the_target_are_not_submitted() {
    let worker = Worker::new();
    let others = [("newer.txt", "x\n"), (".beads/note.txt", "x\n")];
    worker.origin.commit_many(&others);
    worker.git(["pull", "-q", "--ff-only", "origin", "main"]);
    worker
        .done(["--summary", "x"])
        .fails("has no commit beyond");
    let merge = ["-c", "merge.ff=false", "pull", "-q", "--no-rebase"];
    worker.origin.commit("later.txt", "x\n", "Later");
    worker.git(merge.into_iter().chain(["origin", "main"]));
    worker
        .done(["--summary", "x"])
        .fails("has no commit beyond");
    assert!(worker.requests().is_empty());
    assert_ne!(worker.town.status_of("web", &worker.bead), "closed");
}

#[test]
fn only_the_workers_own_commits_are_submitted_after_a_rebase() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let others = [("newer.txt", "x\n"), (".beads/note.txt", "x\n")];
    worker.origin.commit_many(&others);
    worker.git(["pull", "-q", "--rebase", "origin", "main"]);
    let said = worker.done(["--summary", "x", "--json"]).ok().json();
    assert_eq!(said["commits"], 1, "{said}");
    let request = said["request"].as_str().unwrap();
    let receipt = worker.town.show("web", request)["metadata"]["receipt"].clone();
    assert_eq!(receipt["files"], serde_json::json!(["work.txt"]));
    let main = worker.origin.git(["rev-parse", "main"]);
    assert_eq!(receipt["base"], main.trim());
    worker.town.gt(["mq", "run", "web"]).ok();
    assert_eq!(worker.town.status_of("web", &worker.bead), "closed");
    assert_eq!(worker.origin.subjects("main"), ["Work", "Several files"]);
}

#[test]
fn uncommitted_files_and_a_wrong_branch_are_refused_by_name() {
    let worker = Worker::new();
    worker.commit("work.txt");
    std::fs::write(worker.sandbox.join("forgotten.txt"), "x").unwrap();
    worker.done(["--summary", "x"]).fails("forgotten.txt");
    let polecat = worker.town.polecats().remove(0);
    assert_eq!(polecat["state"], "zombie");
    assert!(
        polecat["failed_step"]
            .as_str()
            .unwrap()
            .starts_with("proof: "),
        "{polecat}"
    );
    std::fs::remove_file(worker.sandbox.join("forgotten.txt")).unwrap();
    let branch = worker.git(["branch", "--show-current"]);
    worker.git(["switch", "-q", "-c", "elsewhere"]);
    worker.done(["--summary", "x"]).fails("the work belongs on");
    worker.git(["switch", "-q", branch.trim()]);
    worker.done(["--summary", "x"]).ok();
}

#[test]
fn only_the_current_lease_may_finish() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker
        .done(["--summary", "x"])
        .env("GT_LEASE", "")
        .fails("only the session that holds the lease");
    worker
        .done(["--summary", "x"])
        .env("GT_LEASE", "1")
        .fails("a newer session has taken over");
    worker.done(["--summary", "x"]).env("GT_LEASE", "2").ok();
}

#[test]
fn only_polecats_can_run_gt_done() {
    let worker = Worker::new();
    worker
        .town
        .gt(["done"])
        .fails("only a polecat finishes work");
}

#[test]
fn a_branch_pushed_by_someone_else_is_not_overwritten() {
    use std::os::unix::fs::PermissionsExt;
    let worker = Worker::new();
    worker.commit("work.txt");
    let hook = worker.origin.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho 'no branches here' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = worker
        .done(["--summary", "x"])
        .fails("stopped at the step: push");
    assert!(said.err.contains("no branches here"), "{}", said.err);
    assert!(worker.requests().is_empty(), "no request without a push");
    let polecat = worker.town.polecats().remove(0);
    assert_eq!(polecat["state"], "zombie");
    // Mended by a person; the next `gt done` begins at the failed step.
    std::fs::remove_file(&hook).unwrap();
    worker.done(["--summary", "x"]).ok();
    assert_eq!(worker.requests().len(), 1);
}

#[test]
fn no_change_is_refused_while_work_is_stashed_or_on_another_branch() {
    let worker = Worker::new();
    // In a repository with hooks elsewhere, the hook that refuses stashes does not run.
    let hooks = worker.town.path("hooks").display().to_string();
    worker.git(["config", "core.hooksPath", &hooks]);
    let no_change = |words: &str| {
        let args = ["--summary", "x", "--no-change", "nothing to do"];
        worker.done(args).fails(words).err
    };
    let own = worker.git(["branch", "--show-current"]);
    // Another worker's stash and branch are none of its business.
    let other = worker.town.bead("web", "Other");
    let other = worker.town.sandbox(&worker.town.sling(&other));
    let at_other = |args: &[&str]| worker.town.git_at(&other, args.iter().copied()).ok();
    std::fs::write(other.join("shared.txt"), "other\n").unwrap();
    at_other(&["stash", "push", "-q", "-m", "of another"]);
    std::fs::write(other.join("shared.txt"), "more\n").unwrap();
    at_other(&["commit", "-qam", "Other work"]);

    worker.git(["switch", "-qc", "feature"]);
    worker.commit("work.txt");
    worker.git(["switch", "-q", own.trim()]);
    let said = no_change("1 commit on branch feature");
    assert!(said.contains("git merge feature"), "{said}");
    worker.git(["branch", "-qm", "feature", "renamed"]);
    no_change("1 commit on branch renamed");
    worker.git(["branch", "-qD", "renamed"]);

    worker.git(["checkout", "-q", "--detach"]);
    worker.commit("more.txt");
    let tip = worker.git(["rev-parse", "--short=12", "HEAD"]);
    no_change(&format!("1 commit on no branch, up to {}", tip.trim()));
    worker.git(["switch", "-q", own.trim()]);

    std::fs::write(worker.sandbox.join("shared.txt"), "mine\n").unwrap();
    worker.git(["stash", "push", "-q", "-m", "half done"]);
    let said = no_change("half done");
    assert!(said.contains("git stash pop stash@{0}"), "{said}");
    assert!(!said.contains("of another"), "{said}");
    worker.git(["stash", "drop", "-q", "stash@{0}"]);

    worker
        .done(["--summary", "x", "--no-change", "nothing to do"])
        .ok();
    assert_eq!(worker.town.status_of("web", &worker.bead), "closed");
    assert!(at_other(&["stash", "list"]).out.contains("of another"));
}

#[test]
fn reusing_a_sandbox_saves_the_previous_stash_and_keeps_the_stash_list() {
    let worker = Worker::new();
    // In a repository with hooks elsewhere, the hook that refuses stashes does not run.
    let hooks = worker.town.path("hooks").display().to_string();
    worker.git(["config", "core.hooksPath", &hooks]);
    let other = worker.town.bead("web", "Other");
    let other = worker.town.sandbox(&worker.town.sling(&other));
    let stash = |sandbox: &std::path::Path, words: &str| {
        std::fs::write(sandbox.join("shared.txt"), words).unwrap();
        let args = ["stash", "push", "-q", "-m", words];
        worker.town.git_at(sandbox, args).ok();
    };
    stash(&worker.sandbox, "mine");
    stash(&other, "of another");
    worker.commit("work.txt");
    // Without `--stay`: its session ends.
    let done = worker.town.gt_as(&worker.name, ["done", "--summary", "x"]);
    done.ok();
    worker.town.gt(["mq", "run", "web"]).ok();
    let before = worker.git(["stash", "list"]);
    let next = worker.town.bead("web", "Next");
    eventually("the worker is idle", || {
        let target = format!("web/polecats/{}", worker.name.split_once('/').unwrap().1);
        let slung = worker.town.gt(["sling", &next, &target]).run();
        (slung.code == 0).then_some(slung.out)
    });
    assert_eq!(worker.git(["stash", "list"]), before);
    let saved = worker
        .town
        .gt(["rescue", "list", "web", "--json"])
        .ok()
        .json();
    let saved = saved.as_array().unwrap();
    let stashes: Vec<_> = saved
        .iter()
        .filter(|row| row["subject"].as_str().unwrap().contains("mine"))
        .collect();
    assert_eq!(stashes.len(), 1, "{saved:?}");
    assert_eq!(stashes[0]["bead"], worker.bead.as_str());
    assert!(
        !saved
            .iter()
            .any(|row| row["subject"].as_str().unwrap().contains("of another")),
        "{saved:?}"
    );
}

#[test]
fn the_stashes_of_a_sandbox_are_its_own_and_are_saved_before_its_next_work() {
    let mut worker = Worker::new();
    std::fs::write(worker.sandbox.join("shared.txt"), "mine\n").unwrap();
    worker.git(["stash", "push", "-q", "-m", "half done"]);
    let shared = worker.town.root().join("web/.repo.git");
    let list = ["for-each-ref", "refs/stash"];
    let list = worker.town.git_at(&shared, list).ok().out;
    assert_eq!(list, "", "no other worker sees it");
    // Work that is only in a stash is not handed in as nothing.
    worker
        .done(["--no-change", "nothing to do"])
        .fails("the stash `On polecat/");
    worker.git(["stash", "pop", "-q"]);
    worker.git(["commit", "-qam", "Half done"]);
    std::fs::write(worker.sandbox.join("README.md"), "edited\n").unwrap();
    worker.git(["stash", "push", "-q", "-m", "for later"]);
    worker.git(["branch", "idea"]);
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    worker.take_another();
    assert_eq!(worker.git(["stash", "list"]), "");
    let kept = worker.town.gt(["rescue", "list", "--json"]).ok().json();
    let subjects: Vec<&str> = kept
        .as_array()
        .unwrap()
        .iter()
        .map(|saved| saved["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects.len(), 1, "{kept}");
    assert!(subjects[0].ends_with(": for later"), "{kept}");
    assert_eq!(worker.town.events("stash_kept").len(), 1);
}

#[test]
fn a_file_that_the_worker_makes_git_ignore_is_named() {
    let worker = Worker::new();
    let excludes = worker.sandbox.join(".git/info/exclude");
    let before = std::fs::read_to_string(&excludes).unwrap();
    std::fs::write(&excludes, format!("{before}docs/\n")).unwrap();
    std::fs::create_dir(worker.sandbox.join("docs")).unwrap();
    std::fs::write(worker.sandbox.join("docs/guide.txt"), "guide\n").unwrap();
    worker.commit("work.txt");
    worker.done(["--summary", "done"]).fails("docs/guide.txt");
    worker.git(["add", "-f", "docs/guide.txt"]);
    worker.git(["commit", "-qm", "Guide"]);
    // Build output is no work, and the user's own ignore file is a choice of the user.
    worker.commit_text(".gitignore", "target/\n");
    let user_file = worker.town.path("home/.config/git/ignore");
    std::fs::create_dir_all(user_file.parent().unwrap()).unwrap();
    std::fs::write(&user_file, "*.swp\n").unwrap();
    std::fs::create_dir(worker.sandbox.join("target")).unwrap();
    for file in ["target/output", "notes.swp"] {
        std::fs::write(worker.sandbox.join(file), "x\n").unwrap();
    }
    let report = worker.done(["--summary", "done", "--json"]).ok().json();
    assert_eq!(report["ignored_files"], serde_json::json!(["notes.swp"]));
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.file("main", "docs/guide.txt"), "guide");
}

#[test]
fn a_worker_that_renames_or_deletes_its_branch_gets_a_command_that_works() {
    for is_renamed in [true, false] {
        let worker = Worker::new();
        worker.commit("work.txt");
        let branch = worker.git(["branch", "--show-current"]).trim().to_owned();
        let command = if is_renamed {
            worker.git(["branch", "-m", "topic"]);
            worker.git(["switch", "-q", "--detach"]);
            format!("git branch -m topic {branch} && git switch {branch}")
        } else {
            worker.git(["switch", "-q", "--detach"]);
            worker.git(["branch", "-q", "-D", &branch]);
            format!("git switch -c {branch}")
        };
        worker.done(["--summary", "done"]).fails(&command);
        let run = worker.town.program_on_path("sh").at(&worker.sandbox);
        run.args(["-c", &command]).ok();
        worker.hand_in();
    }
}

#[test]
fn carried_files_are_not_committed() {
    let (town, origin) = Town::with_rig();
    origin.commit("tracked.env", "of the repository\n", "Settings");
    let overlay = town.root().join("web/.runtime/overlay");
    std::fs::create_dir_all(&overlay).unwrap();
    for file in ["secret.env", "tracked.env"] {
        std::fs::write(overlay.join(file), "TOKEN=1\n").unwrap();
    }
    let worker = Worker::in_town(town, origin);
    let carried = worker.sandbox.join("secret.env");
    assert_eq!(std::fs::read_to_string(&carried).unwrap(), "TOKEN=1\n");
    worker.commit("work.txt");
    assert_eq!(worker.git(["ls-files", "secret.env"]), "");
    // An earlier commit is pushed, too.
    worker.git(["add", "-f", "secret.env"]);
    worker.git(["commit", "-qm", "Add a secret"]);
    worker.git(["rm", "-q", "--cached", "secret.env"]);
    worker.git(["commit", "-qm", "Remove the secret"]);
    worker
        .done(["--summary", "done"])
        .fails("the commits hold secret.env");
    let base = worker.git(["rev-parse", "origin/main"]);
    worker.git(["reset", "-q", "--soft", base.trim()]);
    worker.git(["commit", "-qm", "Work"]);
    // A copy that the worker changed has the secret, too.
    std::fs::write(&carried, "TOKEN=1\nMORE=2\n").unwrap();
    worker.git(["add", "-f", "secret.env"]);
    worker.git(["commit", "-qm", "Add a changed secret"]);
    worker
        .done(["--summary", "done"])
        .fails("the commits hold secret.env");
    worker.git(["reset", "-q", "--soft", base.trim()]);
    worker.git(["rm", "-q", "--cached", "secret.env"]);
    worker.commit_text("tracked.env", "changed\n");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    let files = worker.origin.git(["ls-tree", "--name-only", "main"]);
    assert!(!files.contains("secret.env"), "{files}");
    assert_eq!(worker.origin.file("main", "tracked.env"), "changed");
}
