//! The meaning of "merged": the target's tree holds the work, whatever commits carry it.

use town_tests::{Town, Worker, eventually};

#[test]
fn adaptations_in_a_merge_commit_reach_the_target() {
    let worker = Worker::new();
    worker.commit_text("call.txt", "old_name()\n");
    worker.origin.commit("lib.txt", "def new_name\n", "Rename");
    worker.git(["fetch", "-q", "origin"]);
    worker.git(["merge", "-q", "--no-commit", "--no-ff", "origin/main"]);
    // The adaption is in the merge commit and nowhere else.
    std::fs::write(worker.sandbox.join("call.txt"), "new_name()\n").unwrap();
    worker.git(["commit", "-qam", "Merge main and adapt"]);
    worker.hand_in();
    worker.origin.commit("later.txt", "x\n", "Later");
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.file("main", "call.txt"), "new_name()");
    assert_eq!(worker.origin.file("main", "later.txt"), "x");
    assert_eq!(worker.shown()["status"], "closed");
    // The history has no merge commit, only the worker's commit with its own message.
    assert_eq!(worker.origin.subjects("main"), ["Work", "Later", "Rename"]);
}

#[test]
fn a_conflict_resolved_in_a_merge_commit_merges() {
    let worker = Worker::new();
    worker.commit_text("shared.txt", "one\nworker\nthree\n");
    worker
        .origin
        .commit("shared.txt", "one\nperson\nthree\n", "Faster");
    worker.git(["fetch", "-q", "origin"]);
    let merged = worker
        .town
        .git_at(&worker.sandbox, ["merge", "-q", "origin/main"])
        .run();
    assert!(merged.code != 0, "it conflicts");
    worker.commit_text("shared.txt", "one\nboth\nthree\n");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.file("main", "shared.txt"), "one\nboth\nthree");
}

#[test]
fn identical_lines_in_another_place_do_not_count_as_the_work() {
    let worker = Worker::new();
    worker.commit_text("call.txt", "if ready {\n    call();\n}\n");
    worker.hand_in();
    // The same but for white space, and it means something else.
    worker
        .origin
        .commit("call.txt", "if ready {\n}\ncall();\n", "By hand");
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "conflict", "{merged}");
    assert_eq!(worker.shown()["status"], "in_progress");
}

#[test]
fn work_merged_by_hand_and_reverted_does_not_count_as_merged() {
    let worker = Worker::new();
    worker.commit_text("hotfix.txt", "fixed\n");
    worker.hand_in();
    worker
        .origin
        .commit("hotfix.txt", "fixed\n", "Hotfix by hand");
    worker.origin.remove("hotfix.txt", "Revert the hotfix");
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.file("main", "hotfix.txt"), "fixed");
    assert_eq!(
        worker.origin.subjects("main"),
        ["Work", "Revert the hotfix", "Hotfix by hand"]
    );
}

#[test]
fn a_reverted_tip_waits_for_the_user_and_both_next_steps_work() {
    for keeps in [false, true] {
        let worker = Worker::new();
        worker.commit_text("fix.txt", "fixed\n");
        let tip = worker.git(["rev-parse", "HEAD"]);
        let request = worker.hand_in();
        worker
            .origin
            .git(["update-ref", "refs/heads/main", tip.trim()]);
        worker.origin.remove("fix.txt", "Take it back");
        let held = worker.merge();
        assert_eq!(held["outcome"], "needs_person", "{held}");
        let reason = held["reason"].as_str().unwrap();
        assert!(
            reason.contains("was taken back there (in fix.txt)"),
            "{reason}"
        );
        assert_eq!(worker.shown()["status"], "in_progress");
        let bead = worker.bead.as_str();
        if keeps {
            worker.origin.commit("fix.txt", "fixed\n", "Bring it back");
            let next = format!("gt mq retry {request}");
            assert!(reason.contains(&next), "{reason}");
            worker.town.gt(["mq", "retry", &request]).ok();
            assert_eq!(worker.merge()["outcome"], "merged");
        } else {
            let next = format!("bd close {bead} --force --reason \"Taken back on main\"");
            assert!(reason.contains(&next), "{reason}");
            let close = ["close", bead, "--force", "--reason", "Taken back on main"];
            worker.town.bd("web", close).ok();
            assert_eq!(worker.merge()["outcome"], "withdrawn");
            assert_eq!(worker.shown()["close_reason"], "Taken back on main");
        }
        assert!(worker.requests().is_empty());
    }
}

#[test]
fn a_target_that_drops_the_push_is_detected_before_beads_are_closed() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    // A server that acknowledges the push and keeps what it had.
    let main = worker.origin.git(["rev-parse", "main"]);
    worker.origin.hook(
        "post-receive",
        &format!("git update-ref refs/heads/main {main}"),
    );
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "later", "{merged}");
    let reason = merged["reason"].as_str().unwrap();
    assert!(
        reason.contains("the fetched main does not hold it"),
        "{reason}"
    );
    assert_eq!(worker.shown()["status"], "in_progress");
    assert_eq!(worker.requests().len(), 1);
}

#[test]
fn a_push_before_a_crash_is_recognized_despite_later_changes() {
    let worker = Worker::new();
    worker.commit_text("shared.txt", "one\nworker\nthree\n");
    worker.hand_in();
    // The candidate is another commit than the worker's own.
    worker.origin.commit("other.txt", "x\n", "Other");
    worker.town.crash_after_git("push --porcelain", "true");
    worker.town.gt(["mq", "run", "web"]).run();
    assert_eq!(worker.shown()["status"], "in_progress");
    let pushed = worker.origin.git(["rev-parse", "main"]);
    worker
        .origin
        .commit("shared.txt", "one\nperson\nthree\n", "Changed since");
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "merged", "{merged}");
    assert_eq!(merged["commit"], pushed.as_str());
}

#[test]
fn a_push_reverted_and_rewritten_after_a_crash_waits_for_the_user() {
    let worker = Worker::new();
    worker.commit_text("new.txt", "worker\n");
    worker.hand_in();
    worker.town.crash_after_git("push --porcelain", "true");
    worker.town.gt(["mq", "run", "web"]).run();
    worker.origin.remove("new.txt", "Take it back");
    worker
        .origin
        .commit("new.txt", "person\n", "In another way");
    let held = worker.merge();
    assert_eq!(held["outcome"], "needs_person", "{held}");
    assert_eq!(worker.shown()["status"], "in_progress");
}

#[test]
fn a_branch_with_a_different_tip_after_the_push_is_not_submitted() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let main = worker.origin.git(["rev-parse", "main"]);
    worker.origin.hook(
        "post-receive",
        &format!("while read old new ref; do git update-ref $ref {main}; done"),
    );
    let said = worker
        .done(["--summary", "x"])
        .fails("stopped at the step: read back");
    assert!(said.err.contains("not the pushed"), "{}", said.err);
    assert!(worker.requests().is_empty());
    assert_eq!(worker.shown()["status"], "hooked");
}

#[test]
fn a_repair_that_shares_only_a_file_name_does_not_close_the_work() {
    let (town, origin) = Town::with_rig();
    town.script(
        r#"case "$GT_BEAD" in
  *-fix-*) echo something-else > answer.txt; echo good > state.txt ;;
  *) echo the-work > answer.txt ;;
esac"#,
    );
    town.set_rig_setting(
        "web",
        "merge_queue",
        serde_json::json!({ "auto_repair": false, "gates": { "check": { "cmd": "! test -e answer.txt || test -e state.txt" } } }),
    );
    let bead = town.bead("web", "Answer");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let failed = eventually("the gate has failed", || town.events("merge_failed").pop());
    let task = failed["payload"]["task"].as_str().unwrap().to_owned();
    town.quiet();
    town.gt(["sling", &task, "web"]).ok();
    town.closed("web", &task);
    assert_eq!(origin.file("main", "answer.txt"), "something-else");
    assert_eq!(town.status_of("web", &bead), "in_progress");
    let list = town.gt(["mq", "list", "web", "--json"]).ok().json();
    let reason = list[0]["needs_person"].as_str().unwrap();
    assert!(
        reason.contains("neither merged the commits of this work nor holds their change"),
        "{reason}"
    );
}

#[test]
fn a_reset_target_does_not_get_its_removed_commits_back() {
    let worker = Worker::new();
    // The work starts from a commit that the target loses afterwards.
    worker.origin.commit("bad.txt", "secret\n", "A mistake");
    worker.git(["pull", "-q", "--ff-only", "origin", "main"]);
    worker.commit("work.txt");
    worker.hand_in();
    worker
        .origin
        .git(["update-ref", "refs/heads/main", "main~1"]);
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.subjects("main"), ["Work"]);
    assert!(
        worker
            .origin
            .git(["ls-tree", "--name-only", "main", "bad.txt"])
            .is_empty()
    );
}

#[test]
fn the_strategy_of_a_rig_decides_which_commits_carry_the_tree() {
    let story = |strategy: &str| {
        let worker = Worker::new();
        let setting = serde_json::json!({ "strategy": strategy });
        worker.town.set_rig_setting("web", "merge_queue", setting);
        worker.commit("one.txt");
        worker.commit("two.txt");
        worker.hand_in();
        worker.origin.commit("other.txt", "x\n", "Other");
        assert_eq!(worker.merge()["outcome"], "merged");
        let files = worker.origin.git(["ls-tree", "--name-only", "main"]);
        assert_eq!(files.lines().count(), 5, "{files}");
        let authors = worker.origin.authors("main");
        (
            worker.origin.subjects("main"),
            authors[0].clone(),
            worker.bead.clone(),
        )
    };
    let (subjects, author, _) = story("rebase");
    assert_eq!(subjects, ["Work", "Work", "Other"]);
    assert_eq!(author, "Dana");
    let (subjects, author, bead) = story("squash");
    assert_eq!(subjects, [format!("Work ({bead})").as_str(), "Other"]);
    assert_eq!(author, "Dana");
    let (subjects, author, bead) = story("merge");
    assert!(
        subjects.contains(&format!("Merge Work ({bead})")),
        "{subjects:?}"
    );
    assert_eq!(subjects.len(), 4, "{subjects:?}");
    assert_eq!(author, "web/refinery");
}

#[test]
fn each_gate_has_its_own_tree_whose_changes_are_never_pushed() {
    let worker = Worker::new();
    worker.commit_text(".gitignore", "cache\nbuilt\n");
    worker.hand_in();
    let gates = serde_json::json!({ "gates": {
        "a": { "cmd": "test ! -e built && echo x > built && echo y > added.txt && echo z >> cache", "cache": ["cache"] },
        "b": { "cmd": "test ! -e built && test ! -e added.txt && test ! -e cache" },
        "c": { "cmd": "test $(grep -c z cache) -eq 1", "cache": ["cache"] },
    } });
    worker.town.set_rig_setting("web", "merge_queue", gates);
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "merged", "{merged}");
    assert!(
        worker
            .origin
            .git(["ls-tree", "--name-only", "main", "added.txt"])
            .is_empty()
    );
}

#[test]
fn a_gate_that_leaves_its_tree_at_another_commit_fails() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    worker.origin.commit("other.txt", "x\n", "Other");
    worker.town.gate("web", "git checkout -q --detach HEAD~1");
    let merged = worker.merge();
    // The gate fails on every commit, so the work is not at fault.
    assert_eq!(merged["outcome"], "target_broken", "{merged}");
    let task = worker.town.show("web", merged["task"].as_str().unwrap());
    let text = task["description"].as_str().unwrap();
    assert!(text.contains("it left the tree at"), "{text}");
    assert_eq!(worker.origin.subjects("main"), ["Other"]);
}

/// Sets up a merge driver for one file, which runs `command`.
fn set_driver(worker: &Worker, file: &str, command: &str) {
    let attributes = format!("{file} merge=own\n");
    worker
        .origin
        .commit(".gitattributes", &attributes, "A driver");
    worker.git(["fetch", "-q", "origin"]);
    worker.git(["rebase", "-q", "origin/main"]);
    // The user's choice for the rig. That of a worker counts for its sandbox alone.
    for repository in [&worker.sandbox, &worker.town.root().join("web/.repo.git")] {
        let set = ["config", "merge.own.driver", command];
        worker.town.git_at(repository, set).ok();
    }
}

#[test]
fn a_change_that_a_merge_driver_left_out_waits_for_a_person() {
    // With and without another change that can be merged.
    for others in [true, false] {
        let worker = Worker::new();
        set_driver(&worker, "shared.txt", "true");
        worker.commit_text("shared.txt", "one\ntwo\nthree\nworker\n");
        if others {
            worker.commit("work.txt");
        }
        worker
            .origin
            .commit("shared.txt", "person\none\ntwo\nthree\n", "By hand");
        let main = worker.origin.git(["rev-parse", "main"]);
        let request = worker.hand_in();
        let held = worker.merge();
        assert_eq!(held["outcome"], "needs_person", "{held}");
        let reason = held["reason"].as_str().unwrap();
        assert!(reason.contains("shared.txt (driver own)"), "{reason}");
        assert_eq!(worker.origin.git(["rev-parse", "main"]), main);
        assert_eq!(worker.shown()["status"], "in_progress");
        let why = worker.town.gt(["why", &worker.bead]).ok().out;
        assert!(why.contains("let own merge shared.txt"), "{why}");
        // A worker cannot accept it, a person can.
        worker
            .town
            .gt_as(&worker.name, ["mq", "retry", &request])
            .fails("is a worker");
        worker.town.gt(["mq", "retry", &request]).ok();
        let outcome = if others { "merged" } else { "already_there" };
        assert_eq!(worker.merge()["outcome"], outcome);
        let files = worker.origin.git(["ls-tree", "--name-only", "main"]);
        assert_eq!(files.contains("work.txt"), others, "{files}");
        assert_eq!(
            worker.origin.file("main", "shared.txt"),
            "person\none\ntwo\nthree"
        );
    }
}

#[test]
fn a_change_that_a_merge_driver_kept_is_merged() {
    let worker = Worker::new();
    set_driver(&worker, "shared.txt", "git merge-file --union %A %O %B");
    worker.commit_text("shared.txt", "one\ntwo\nthree\nworker\n");
    worker
        .origin
        .commit("shared.txt", "one\ntwo\nthree\nperson\n", "By hand");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    let merged = worker.origin.file("main", "shared.txt");
    assert_eq!(merged, "one\ntwo\nthree\nperson\nworker");
    let reported = worker.town.events("merge_driven");
    assert_eq!(reported[0]["payload"]["drivers"][0], "own");
}

#[test]
fn the_log_of_a_failed_gate_names_the_merge_drivers() {
    let worker = Worker::new();
    set_driver(&worker, "shared.txt", "git merge-file --union %A %O %B");
    worker.commit_text("shared.txt", "one\ntwo\nthree\nworker\n");
    worker
        .origin
        .commit("shared.txt", "one\ntwo\nthree\nperson\n", "By hand");
    worker
        .town
        .gate("web", "echo red; ! grep -q worker shared.txt");
    worker.hand_in();
    let failed = worker.merge();
    assert_eq!(failed["outcome"], "gate_failed", "{failed}");
    let logs = worker.town.root().join("web/.runtime/gates");
    let log = std::fs::read_dir(logs).unwrap().next().unwrap().unwrap();
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert_eq!(
        log,
        "red\nThe merge driver own of the repository merged shared.txt.\n"
    );
}

#[test]
fn work_that_the_worker_pushed_to_the_target_itself_waits_for_a_person() {
    let worker = Worker::new();
    worker.origin.commit("other.txt", "x\n", "Other");
    worker.git(["fetch", "-q", "origin"]);
    worker.git(["rebase", "-q", "origin/main"]);
    // Commits that came from the target are no work.
    worker
        .done(["--summary", "s"])
        .fails("nothing to merge (commit your work");
    worker.commit("work.txt");
    worker.origin.commit("faster.txt", "x\n", "Faster");
    let address = worker.name.replace("web/", "web/polecats/");
    let committer = format!("user.name={address}");
    let pull = ["-c", &committer, "pull", "-q", "--rebase", "origin", "main"];
    worker.git(pull);
    worker.git(["push", "-q", "origin", "HEAD:main"]);
    let pushed = worker.git(["rev-parse", "HEAD"]);
    let request = worker.hand_in();
    let held = worker.merge();
    assert_eq!(held["outcome"], "needs_person", "{held}");
    let reason = held["reason"].as_str().unwrap();
    let wanted = format!("{} to main itself, before any check", &pushed[..12]);
    assert!(reason.contains(&wanted), "{reason}");
    // The push itself is a need, too, which stays until the user has looked at it.
    let status = worker.town.gt(["status", "--json"]).ok().json();
    let problems = status["problems"].to_string();
    let wanted = format!("{} \\\"Work\\\" ({address})", &pushed[..12]);
    assert!(problems.contains(&wanted), "{problems}");
    assert!(problems.contains(" log -p "), "{problems}");
    assert_eq!(worker.town.events("target_pushed").len(), 1);
    worker.town.gt(["mq", "lost", "web", "--restore"]).ok();
    let listed = worker.town.gt(["mq", "lost", "web"]).ok().out;
    assert!(listed.contains("no merge request brought"), "{listed}");
    worker.town.gt(["mq", "lost", "web", "--accept"]).ok();
    let status = worker.town.gt(["status", "--json"]).ok().json();
    assert!(!status.to_string().contains("no merge request brought"));
    assert_eq!(worker.shown()["status"], "in_progress");
    worker
        .town
        .gt_as(&worker.name, ["mq", "retry", &request])
        .fails("is a worker");
    worker.town.gt(["mq", "retry", &request]).ok();
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "merged", "{merged}");
    assert_eq!(merged["commit"].as_str(), Some(pushed.trim()));
    let reason = worker.shown()["close_reason"].clone();
    let wanted = "had on main already";
    assert!(reason.as_str().unwrap().ends_with(wanted), "{reason}");
    let subjects = worker.origin.subjects("main");
    assert_eq!(subjects, ["Work", "Faster", "Other"]);
}

#[test]
fn the_gates_run_on_work_that_someone_else_pushed_to_the_target() {
    let worker = Worker::new();
    worker.town.gate("web", "! test -e work.txt");
    worker.commit("work.txt");
    let tip = worker.git(["rev-parse", "HEAD"]);
    worker.hand_in();
    worker.git(["push", "-q", "origin", &format!("{}:main", tip.trim())]);
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "target_broken", "{merged}");
    assert_eq!(worker.shown()["status"], "in_progress");
}

/// Hands in the same change as two beads, by the commands of the second worker.
fn hand_in_same_change_twice(second_commands: &str) -> (Worker, String, String) {
    let worker = Worker::new();
    let second = worker.town.bead("web", "The same");
    let name = worker.town.sling(&second);
    worker.commit_text("same.txt", "same\n");
    let tip = worker.git(["rev-parse", "HEAD"]);
    let sandbox = worker.town.sandbox(&name);
    let shell = worker.town.program_on_path("sh").at(&sandbox);
    let shell = shell.args(["-ec", second_commands]);
    shell
        .env("FIRST", tip.trim())
        .env("FROM", worker.sandbox.to_str().unwrap())
        .ok();
    worker.hand_in();
    worker
        .town
        .gt_as(&name, ["done", "--stay", "--summary", "x"])
        .ok();
    let ran = worker.town.gt(["mq", "run", "web", "--json"]).ok().json();
    let mut results = ran.as_array().unwrap().iter();
    let result = results
        .rfind(|result| result["bead"] == second.as_str())
        .unwrap()
        .clone();
    (worker, second, result.to_string())
}

#[test]
fn a_change_that_another_bead_has_merged_is_closed_as_already_there() {
    let (worker, second, result) =
        hand_in_same_change_twice("echo same > same.txt; git add -A; git commit -qm Mine");
    let main = worker.origin.git(["rev-parse", "main"]);
    assert!(result.contains(r#""outcome":"already_there""#), "{result}");
    assert!(result.contains(main.trim()), "{result}");
    assert!(
        result.contains(&format!(r#""brought_by":"{}""#, worker.bead)),
        "{result}"
    );
    let reason = worker.town.show("web", &second)["close_reason"].clone();
    let wanted = format!(
        "Already on main: {}, the work of {}, brought this change",
        &main[..12],
        worker.bead
    );
    assert!(reason.as_str().unwrap().starts_with(&wanted), "{reason}");
    let stats = worker.town.gt(["mq", "stats", "web", "--json"]).ok().json();
    assert_eq!(stats["merged"], 1, "{stats}");
    let told = worker.town.events("merge_already_there");
    assert_eq!(told.len(), 1, "{told:?}");
    let health = worker.town.gt(["status", "--health", "--json"]).ok().json();
    assert_eq!(health["healthy"], true, "{health}");
}

#[test]
fn work_whose_change_is_there_is_closed_with_a_reason_and_its_commits_stay() {
    let worker = Worker::new();
    worker.commit_text("same.txt", "same\n");
    let tip = worker.git(["rev-parse", "HEAD"]);
    worker.origin.commit("same.txt", "same\n", "By hand");
    let refused = worker.done(["--summary", "x"]).fails("gt done --no-change");
    let (_, command) = refused.err.split_once("(gt done --no-change \"").unwrap();
    let reason = command.split('"').next().unwrap();
    worker.done(["--no-change", reason]).ok();
    assert_eq!(
        worker.shown()["close_reason"],
        format!("No change: {reason}")
    );
    let repository = worker.town.root().join("web/.repo.git");
    let kept = ["branch", "--contains", tip.trim()];
    let kept = worker.town.git_at(&repository, kept).ok().out;
    assert!(kept.contains("polecat/"), "{kept}");
}

#[test]
fn a_copy_of_the_commits_of_another_worker_waits_for_a_person() {
    let (worker, second, result) =
        hand_in_same_change_twice("git fetch -q $FROM; git cherry-pick -x $FIRST");
    assert!(result.contains(r#""outcome":"needs_person""#), "{result}");
    assert!(result.contains("are copies of commits"), "{result}");
    assert_eq!(worker.town.status_of("web", &second), "in_progress");
    assert_eq!(worker.town.status_of("web", &worker.bead), "closed");
}

#[test]
fn a_repair_that_removes_the_refused_file_replaces_the_work() {
    let (town, origin) = Town::with_rig();
    town.script(
        r#"case "$GT_BEAD" in
  *-fix-*) git merge -q "$(grep -o 'git merge [0-9a-f]\{40\}' "$GT_PRIME_FILE" | head -1 | cut -d' ' -f3)"
    git mv refused.txt allowed.txt; git commit -qm Rename ;;
  *) echo the-work > refused.txt ;;
esac"#,
    );
    town.gate("web", "! test -e refused.txt");
    let bead = town.bead("web", "Answer");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let closed = town.closed("web", &bead);
    assert_eq!(origin.file("main", "allowed.txt"), "the-work");
    let reason = closed["close_reason"].as_str().unwrap();
    assert!(reason.starts_with("Merged in "), "{reason}");
    assert!(town.gt(["mq", "list", "web", "--json"]).ok().json()[0].is_null());
}

/// Changes a key of a receipt, as a worker without a jail can, and as beads of another machine may.
fn forge_receipt(worker: &Worker, request: &str, key: &str, value: &str) {
    let mut metadata = worker.town.show("web", request)["metadata"].clone();
    metadata["receipt"][key] = value.into();
    let update = ["update", request, "--metadata", &metadata.to_string()];
    worker.town.bd("web", update).ok();
}

#[test]
fn a_receipt_that_the_records_of_the_town_contradict_waits_for_the_user() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let tip = worker.git(["rev-parse", "HEAD"]).trim().to_owned();
    let request = worker.hand_in();
    worker.commit("sneaked.txt");
    let sneaked = worker.git(["rev-parse", "HEAD"]).trim().to_owned();
    worker.git(["push", "-q", "origin", "HEAD:refs/heads/other"]);
    worker.origin.git(["branch", "release", "main"]);
    for (key, value, was, words) in [
        (
            "target",
            "release",
            "main",
            "its target release is neither main",
        ),
        (
            "tip",
            sneaked.as_str(),
            tip.as_str(),
            "is not the one that was handed in",
        ),
    ] {
        forge_receipt(&worker, &request, key, value);
        let held = worker.merge();
        assert_eq!(held["outcome"], "needs_person", "{held}");
        let reason = held["reason"].as_str().unwrap();
        assert!(reason.contains(words), "{reason}");
        let retry = ["mq", "retry", request.as_str()];
        worker.town.gt_as(&worker.name, retry).fails("is a worker");
        assert_eq!(worker.origin.subjects("main").len(), 0);
        assert_eq!(worker.origin.subjects("release").len(), 0);
        forge_receipt(&worker, &request, key, was);
        worker.town.gt(retry).ok();
    }
    // The user accepted another receipt than the one that comes now.
    forge_receipt(&worker, &request, "target", "release");
    assert_eq!(worker.merge()["outcome"], "needs_person");
    worker.town.gt(["mq", "retry", &request]).ok();
    // A branch that is not the worker's stays.
    worker.origin.git(["branch", "kept", &tip]);
    forge_receipt(&worker, &request, "branch", "kept");
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "merged", "{merged}");
    assert_eq!(worker.origin.subjects("release"), ["Work"]);
    assert_eq!(worker.origin.subjects("kept"), ["Work"]);
}
