//! Gates: plain commands that must pass on the merged tree.

use serde_json::json;
use town_tests::{Town, Worker, eventually};

#[test]
fn a_failing_gate_blocks_the_merge_and_its_task_shows_the_log() {
    let (town, origin) = Town::with_rig();
    town.script(
        r#"case "$GT_BEAD" in
  *-fix-*) git merge -q "$(grep -o 'git merge [0-9a-f]\{40\}' "$GT_PRIME_FILE" | head -1 | cut -d' ' -f3)"
           echo good > answer.txt ;;
  *) echo bad > answer.txt ;;
esac"#,
    );
    town.gate(
        "web",
        "echo checking; ! grep -q bad answer.txt || { echo 'ANSWER IS NOT GOOD'; exit 3; }",
    );
    let bead = town.bead("web", "Answer");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let failed = eventually("the gate has failed", || town.events("merge_failed").pop());
    assert_eq!(failed["payload"]["gate"], "check");
    assert_eq!(origin.subjects("main").len(), 0, "nothing is merged");
    assert_eq!(town.status_of("web", &bead), "in_progress");
    let task = failed["payload"]["task"].as_str().unwrap().to_owned();
    let text = town.show("web", &task)["description"]
        .as_str()
        .unwrap()
        .to_owned();
    for words in [
        "ANSWER IS NOT GOOD",
        "exit code 3",
        "checking",
        "grep -q bad",
    ] {
        assert!(text.contains(words), "`{words}` is not in: {text}");
    }
    // It goes to a worker automatically.
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "answer.txt"), "good");
    assert_eq!(town.status_of("web", &task), "closed");
    // Whoever follows it up is told that it was not merged as it was, and what put it right.
    let more = town.gt(["followup", &bead, "More of it", "--json"]).ok();
    let more = more.json()["bead"].as_str().unwrap().to_owned();
    let brief = town.gt(["brief", &more]).ok().out;
    let told =
        format!("not merged as it was handed in: {task} \"Fix gate check of {bead}: Answer\"");
    assert!(brief.contains(&told), "{brief}");
}

#[test]
fn a_repair_without_the_original_work_does_not_count_as_its_merge() {
    let (town, origin) = Town::with_rig();
    town.script(
        r#"case "$GT_BEAD" in
  *-fix-*) echo other > other.txt ;;
  *) echo x > broken.txt ;;
esac"#,
    );
    town.gate("web", "! test -e broken.txt");
    let bead = town.bead("web", "Work");
    let convoy = town.gt(["convoy", "create", "One", &bead, "--json"]).ok();
    let convoy = convoy.json()["id"].as_str().unwrap().to_owned();
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let failed = eventually("the gate has failed", || town.events("merge_failed").pop());
    let task = failed["payload"]["task"].as_str().unwrap().to_owned();
    let request = failed["payload"]["mr"].as_str().unwrap().to_owned();
    town.closed("web", &task);
    assert_eq!(origin.subjects("main").len(), 1, "the repair's own work");
    assert_eq!(
        town.status_of("web", &bead),
        "in_progress",
        "its work is nowhere"
    );
    let list = town.gt(["mq", "list", "web", "--json"]).ok().json();
    let reason = list[0]["needs_person"].as_str().unwrap();
    let wanted = format!(
        "{task} was merged, but it neither merged the commits of this work nor holds their change (in broken.txt)"
    );
    assert!(reason.starts_with(&wanted), "{reason}");
    // The beads record it first, the event follows.
    let said = eventually("it is told", || town.events("merge_unproven").pop());
    assert_eq!(said["payload"]["bead"], bead.as_str());

    // A person says that it stands in for it, as the reason tells.
    let why = format!("Replaced by {task}");
    town.bd(
        "web",
        ["close", &bead, &request, "--force", "--reason", &why],
    )
    .ok();
    eventually("the convoy has landed", || {
        (town.status_of(".", &convoy) == "closed").then_some(())
    });
    assert_eq!(town.show("web", &bead)["close_reason"], why.as_str());
}

#[test]
fn a_repair_that_merged_the_original_and_left_out_a_part_counts() {
    let (town, origin) = Town::with_rig();
    let bead = town.bead("web", "Work");
    let script = r#"case "$GT_BEAD" in
  *-fix-*)
    tip=$(git for-each-ref --format='%(objectname)' 'refs/remotes/origin/polecat/*/ORIGINAL@*' | head -1)
    git merge -q "$tip"
    git rm -q broken.txt ;;
  *) echo x > broken.txt; echo good > good.txt ;;
esac"#;
    town.script(&script.replace("ORIGINAL", &bead));
    town.gate("web", "! test -e broken.txt");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "good.txt"), "good");
    // The beads record it first, the event follows.
    eventually("it is told", || town.events("merged_along").pop());
    assert!(town.events("merge_unproven").is_empty());
}

#[test]
fn gates_run_on_the_merged_result() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > work.txt");
    // Passes only where both the work and the newer commit of the target are there.
    town.gate("web", "test -e work.txt && test -e newer.txt");
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    origin.commit("newer.txt", "x\n", "Newer");
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.subjects("main")[1], "Newer", "the work is on top");
}

#[test]
fn a_stale_git_lock_in_the_queue_tree_does_not_block_the_queue() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    town.gate("web", "true");
    let merge = || {
        let bead = town.bead("web", "Work");
        town.gt(["sling", &bead, "web"]).ok();
        eventually("the work is handed in", || {
            (town.status_of("web", &bead) == "in_progress").then_some(())
        });
        town.gt(["mq", "run", "web"]).ok();
        assert_eq!(town.status_of("web", &bead), "closed");
    };
    merge();
    let tree = town.root().join("web/refinery/rig");
    let at = ["-C", tree.to_str().unwrap()];
    let asked = ["rev-parse", "--path-format=absolute", "--git-path"];
    let said = town.program_on_path("git").args(at).args(asked);
    let lock = said.args(["index.lock"]).ok().text().to_owned();
    std::fs::write(&lock, "").unwrap();
    merge();
    assert_eq!(town.events("gate_tree_rebuilt").len(), 1);
}

#[test]
fn an_unreadable_request_waits_for_the_user_and_later_requests_merge() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > work.txt");
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    let receipt = format!("branch: x\ntarget: main\ncommit_sha: {}", "e".repeat(40));
    let bad = town
        .bd("web", ["create", "Merge: x", "--silent", "-p", "0"])
        .args(["-t", "merge-request", "-d", &receipt])
        .ok();
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged[0]["request"], bad.text(), "{merged}");
    assert_eq!(merged[0]["outcome"], "needs_person", "{merged}");
    assert_eq!(merged[1]["outcome"], "merged", "{merged}");
    assert_eq!(town.status_of("web", &bead), "closed");
}

#[test]
fn a_disabled_queue_merges_nothing_and_reports_that() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > work.txt");
    let off = |enabled: bool| {
        town.set_rig_setting(
            "web",
            "merge_queue",
            serde_json::json!({ "enabled": enabled }),
        );
    };
    off(false);
    let bead = town.bead("web", "Work");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    town.quiet();
    town.patrol_is_quiet();
    town.gt(["mq", "run", "web"]).fails("is turned off");
    assert!(origin.subjects("main").is_empty());
    off(true);
    town.gt(["mq", "run", "web"]).run();
    town.closed("web", &bead);
}

/// Slings a bead, and waits until its work is handed in.
fn hand_in(town: &Town, bead: &str) {
    town.gt(["sling", bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", bead) == "in_progress").then_some(())
    });
}

#[test]
fn a_misspelled_gate_stops_the_merge_until_it_is_fixed() {
    let (town, origin) = Town::with_rig();
    town.script("echo x > work.txt");
    let bead = town.bead("web", "Work");
    let gates = |key: &str| json!({ "gates": { "test": { key: "true" } } });
    hand_in(&town, &bead);
    town.set_rig_setting("web", "merge_queue", gates("cmdd"));
    town.up();
    let run = town.gt(["mq", "run", "web"]).run();
    let wanted = "merge_queue.gates.test.cmdd: the nearest is merge_queue.gates.test.cmd";
    assert!(run.err.contains(wanted), "{}", run.err);
    assert_eq!(origin.subjects("main").len(), 0, "nothing is merged");
    let list = town.gt(["mq", "list", "web"]).ok();
    assert!(list.err.contains(wanted), "{}", list.err);
    let doctor = town.gt(["doctor"]).run();
    assert!(doctor.out.contains(wanted), "{}", doctor.out);
    town.set_rig_setting("web", "merge_queue", gates("cmd"));
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "work.txt"), "x");
}

#[test]
fn original_test_commands_run_as_gates_in_order() {
    let (town, origin) = Town::with_rig();
    town.script("echo x > work.txt");
    let log = town.path("gates.log");
    let say = |word: &str| format!("echo {word} >> {}", log.display());
    let queue = json!({
        "setup_command": say("setup"), "typecheck_command": say("typecheck"), "lint_command": say("lint"),
        "build_command": say("build"), "test_command": format!("{}; ! test -e work.txt", say("test")),
    });
    town.set_rig_setting("web", "merge_queue", queue);
    let bead = town.bead("web", "Work");
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    let merged = town.gt(["mq", "run", "web", "--json"]).run().json();
    assert_eq!(merged[0]["outcome"], "gate_failed", "{merged}");
    assert_eq!(merged[0]["gate"], "test_command", "{merged}");
    let ran = std::fs::read_to_string(&log).unwrap();
    // Once with the work, and once without: is it the target that fails?
    let once = "setup\ntypecheck\nlint\nbuild\ntest\n";
    assert_eq!(ran, once.repeat(2));
    assert!(origin.subjects("main").is_empty());
}

#[test]
fn misplaced_gates_stop_the_merge_and_unknown_keys_do_not() {
    let (town, origin) = Town::with_rig();
    town.script("echo x > work.txt");
    let gates = json!({ "gates": { "test": { "cmd": "true" } } });
    let bead = town.bead("web", "Work");
    hand_in(&town, &bead);
    town.set_rig_setting("web", "refinery", gates);
    town.set_rig_setting("web", "merge_queue", json!({ "colour": "red" }));
    town.up();
    let run = town.gt(["mq", "run", "web"]).run();
    let wanted = "gates at refinery.gates are not run: move them to merge_queue.gates";
    assert!(run.err.contains(wanted), "{}", run.err);
    assert!(origin.subjects("main").is_empty(), "nothing is merged");
    town.set_rig_setting("web", "refinery", json!({}));
    town.closed("web", &bead);
    let unknown = "there is no setting merge_queue.colour";
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains(unknown), "{status}");
    let doctor = town.gt(["doctor"]).run();
    assert!(doctor.out.contains(unknown), "{}", doctor.out);
}

#[test]
fn a_required_review_holds_each_request_and_no_worker_can_release_it() {
    let (town, origin) = Town::with_rig();
    town.script("echo x > work.txt");
    town.set_rig_setting("web", "merge_queue", json!({ "require_review": true }));
    let bead = town.bead("web", "Work");
    town.up();
    let worker = town.sling(&bead);
    let waits = eventually("the request waits", || {
        let list = town.gt(["mq", "list", "web", "--json"]).ok().json();
        list[0]["needs_person"].is_string().then(|| list[0].clone())
    });
    let reason = waits["needs_person"].as_str().unwrap();
    assert!(reason.contains("require_review"), "{reason}");
    assert!(origin.subjects("main").is_empty(), "nothing is merged");
    let request = waits["id"].as_str().unwrap();
    town.gt_as(&worker, ["mq", "retry", request])
        .fails("is a worker");
    town.gt(["mq", "retry", request]).ok();
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "work.txt"), "x");
}

#[test]
fn a_worker_that_removes_the_program_of_a_gate_gets_the_task() {
    let worker = Worker::new();
    let script = "#!/bin/sh\n";
    worker.origin.commit("check.sh", script, "A check");
    worker.git(["fetch", "-q", "origin"]);
    worker.git(["rebase", "-q", "origin/main"]);
    worker
        .town
        .gate("web", "test -e work.txt || exit 0; ./check.sh");
    worker.git(["rm", "-q", "check.sh"]);
    worker.commit("work.txt");
    worker.hand_in();
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "gate_failed", "{merged}");
    assert_eq!(worker.town.mail("overseer").len(), 0);
}

#[test]
fn a_gate_whose_program_is_missing_goes_to_the_user_and_the_queue_continues_once_it_is_there() {
    let (town, origin) = Town::with_rig();
    town.script("echo x > \"$GT_BEAD.txt\"");
    town.gate("web", "checker --all");
    let beads = [town.bead("web", "One"), town.bead("web", "Two")];
    for bead in &beads {
        town.sling(bead);
    }
    eventually("the work is handed in", || {
        let waits = |bead: &String| town.status_of("web", bead) == "in_progress";
        beads.iter().all(waits).then_some(())
    });
    town.patrol();
    town.patrol();
    let tasks = town.bd(
        "web",
        ["list", "--label", "gt:merge-task", "--all", "--json"],
    );
    assert_eq!(tasks.ok().json(), json!([]), "no agent repairs the machine");
    let mail = town.mail("overseer");
    let about = |mail: &&serde_json::Value| {
        mail["subject"] == "The gate check of rig web cannot run"
            && mail["body"].as_str().unwrap().contains("checker")
    };
    assert_eq!(mail.iter().filter(about).count(), 1, "{mail:?}");
    let why = town.gt(["why", &beads[0]]).ok().out;
    assert!(
        why.contains("the gate check cannot run (exit code 127)"),
        "{why}"
    );
    let program = town.path("bin/checker");
    std::fs::write(&program, "#!/bin/sh\n").unwrap();
    // Found, but not executable.
    let ran = town.gt(["mq", "run", "web", "--json"]).run().json();
    assert_eq!(ran[0]["outcome"], "gate_cannot_run", "{ran}");
    std::fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    town.patrol_in(600);
    for bead in &beads {
        assert_eq!(town.status_of("web", bead), "closed");
    }
    assert_eq!(origin.subjects("main").len(), 2);
    town.patrol_in(601);
    let open = town
        .mail("overseer")
        .into_iter()
        .filter(|mail| mail["read"] == false);
    assert_eq!(open.count(), 0, "the message is closed");
}

#[test]
fn files_that_a_gate_rewrites_are_taken_back_and_named() {
    let (town, origin) = Town::with_rig();
    origin.commit("Cargo.lock", "old\n", "Lock");
    town.script("echo x > work.txt");
    town.gate("web", "echo new > Cargo.lock; echo cache > untracked.txt");
    let bead = town.bead("web", "Work");
    town.sling(&bead);
    eventually("the work is handed in", || {
        (town.status_of("web", &bead) == "in_progress").then_some(())
    });
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.file("main", "Cargo.lock"), "old");
    let why = town.gt(["why", &bead]).ok().out;
    assert!(why.contains("dropped: Cargo.lock"), "{why}");
}

#[test]
fn a_failed_repair_is_tried_once_more_under_the_same_task_and_then_waits_for_the_user() {
    let (town, origin) = Town::with_rig();
    town.script(
        r#"case "$GT_BEAD" in
  *-fix-*) git merge -q "$(grep -o 'git merge [0-9a-f]\{40\}' "$GT_PRIME_FILE" | head -1 | cut -d' ' -f3)"
           echo "still bad $(git rev-list --count HEAD)" > answer.txt ;;
  *) echo bad > answer.txt ;;
esac"#,
    );
    town.gate("web", "! grep -q bad answer.txt");
    let bead = town.bead_with("web", "Answer", &["-p", "3"]);
    let convoy = town.gt(["convoy", "create", "One", &bead, "--json"]).ok();
    let convoy = convoy.json()["id"].as_str().unwrap().to_owned();
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let tasks = || {
        let list = ["list", "--label", "gt:merge-task", "--all", "--json"];
        town.bd("web", list).ok().json()
    };
    let task = eventually("the repairs have failed", || {
        let tasks = tasks();
        let title = tasks[0]["title"].as_str().unwrap_or_default();
        title.contains("attempt 3").then(|| tasks.clone())
    });
    assert_eq!(task.as_array().unwrap().len(), 1, "{task}");
    let title = task[0]["title"].as_str().unwrap();
    let start = format!("Fix gate check of {bead} (attempt 3");
    assert!(
        title.starts_with(&start) && title.ends_with(": Answer"),
        "{title}"
    );
    assert_eq!(task[0]["priority"], 3);
    // Recorded in the beads first and as an event right after.
    eventually("each failure is an event", || {
        (town.events("merge_failed").len() == 3).then_some(())
    });
    let convoy = town.gt(["convoy", "status", &convoy, "--json"]).ok().json();
    assert_eq!(
        (&convoy[0]["completed"], &convoy[0]["total"]),
        (&json!(0), &json!(1))
    );
    // A person gives it out, and the work of all attempts is in the result.
    let id = task[0]["id"].as_str().unwrap();
    let waits = format!("{id} waits for someone to take it");
    eventually("the user gets a message", || {
        let mail = town.mail("overseer");
        mail.iter()
            .any(|mail| mail["subject"] == waits.as_str())
            .then_some(())
    });
    town.script(
        r#"git merge -q "$(grep -o 'git merge [0-9a-f]\{40\}' "$GT_PRIME_FILE" | head -1 | cut -d' ' -f3)"; echo good > answer.txt"#,
    );
    town.gt(["sling", id, "web"]).ok();
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "answer.txt"), "good");
    assert_eq!(town.status_of("web", id), "closed");
}
