//! Every open state has an owner or a message, and each next step that a message names moves it.

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually};

/// The messages of the overseer, by subject and body.
fn letters(town: &Town) -> Vec<(String, String)> {
    let text = |letter: &Value, key: &str| letter[key].as_str().unwrap().to_owned();
    let mail = town.mail("overseer").into_iter();
    mail.map(|letter| (text(&letter, "subject"), text(&letter, "body")))
        .collect()
}

/// Patrols with a clock that is so many minutes ahead.
fn patrol_in(town: &Town, minutes: u64) {
    let later = format!("+{minutes} minutes");
    let date = town.program_on_path("date").args(["-u", "-d", &later]);
    let date = date.args(["+%Y-%m-%dT%H:%M:%SZ"]).ok();
    let patrol = town.gtd(["run", "--once"]);
    patrol.env("BD_NOW", date.text()).run();
}

/// The only message, which names this command among its next steps.
fn only_letter(town: &Town, subject: &str, command: &str) -> String {
    let letters = letters(town);
    assert_eq!(letters.len(), 1, "{letters:?}");
    let (found, body) = &letters[0];
    assert!(found.contains(subject), "{found}");
    assert!(
        body.contains(&format!("    {command}\n")),
        "{command}: {body}"
    );
    body.clone()
}

#[test]
fn a_blocked_request_is_reported_once_and_its_message_closes_when_resolved() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let request = worker.hand_in();
    worker.origin.hook(
        "update",
        "[ $1 != refs/heads/main ] || { echo protected >&2; exit 1; }",
    );
    assert_eq!(worker.merge()["outcome"], "needs_person");
    let town = &worker.town;
    town.patrol();
    town.patrol();
    let retry = format!("gt mq retry {request}");
    let body = only_letter(town, "needs you to be merged", &retry);
    assert!(body.contains("protected"), "{body}");
    assert_eq!(town.events("needs_person").len(), 1);
    let told = town.gt(["why", &worker.bead]).ok().out;
    assert!(
        told.contains("needs you to be merged") || told.contains("needs_person"),
        "{told}"
    );
    worker.origin.hook("update", "exit 0");
    town.gt(["mq", "retry", &request]).ok();
    town.patrol();
    town.patrol();
    assert_eq!(worker.shown()["status"], "closed");
    assert_eq!(letters(town), []);
}

#[test]
fn the_bead_of_a_manually_closed_request_is_reported() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let request = worker.hand_in();
    let town = &worker.town;
    town.bd("web", ["close", &request, "--force", "--reason", "no"])
        .ok();
    town.patrol();
    let command = format!("gt sling {} web --force", worker.bead);
    only_letter(town, "No one works on", &command);
    town.gt(["sling", &worker.bead, "web", "--force"]).ok();
    town.patrol();
    assert_eq!(letters(town), []);
    assert_eq!(worker.shown()["status"], "hooked");
}

#[test]
fn a_bead_whose_local_records_are_lost_mid_work_is_reported() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let town = &worker.town;
    let rig = town.root().join("web");
    for folder in [".beads", "mayor/rig/.beads"] {
        let file = rig.join(folder).join("wisps.jsonl");
        if file.exists() {
            town.bd("web", ["sync"]).ok();
            std::fs::write(&file, "").unwrap();
        }
    }
    town.patrol();
    town.patrol();
    let command = format!("gt sling {} web --force", worker.bead);
    let body = only_letter(town, "No one works on", &command);
    assert!(
        body.contains("the local record of that work is gone"),
        "{body}"
    );
    town.gt(["sling", &worker.bead, "web", "--force"]).ok();
    town.patrol();
    assert_eq!(letters(town), []);
}

#[test]
fn a_stuck_worker_is_reported_and_freed_by_retry_or_reassignment() {
    for give in [false, true] {
        let (town, _origin) = Town::with_rig();
        // A full rig: the stuck worker must not take up the only place.
        town.set_rig_setting("web", "max_polecats", json!(1));
        town.gt(["config", "set", "patrol.breaker.wait", "0s"]).ok();
        town.script("test -e \"$GT_ROOT/../scripts/go\" || { sleep 1; exit 7; }; echo x > x.txt");
        let bead = town.bead("web", "Hopeless");
        town.gt(["sling", &bead, "web"]).run();
        let worker = town.polecats()[0]["name"].as_str().unwrap().to_owned();
        eventually("the worker is stuck", || {
            town.patrol();
            (letters(&town).len() == 1).then_some(())
        });
        let retry = format!("gt polecat retry web/{worker}");
        let sling = format!("gt sling {bead} web --force");
        only_letter(&town, "STUCK: web/polecats/", &retry);
        only_letter(&town, "STUCK: web/polecats/", &sling);
        std::fs::write(town.path("scripts/go"), "").unwrap();
        if give {
            town.gt(["sling", &bead, "web", "--force"]).ok();
        } else {
            town.gt(["polecat", "retry", &format!("web/{worker}")]).ok();
        }
        eventually("it is merged", || {
            town.patrol();
            (town.status_of("web", &bead) == "closed").then_some(())
        });
        town.patrol();
        assert_eq!(letters(&town), []);
    }
}

#[test]
fn a_refused_push_continues_once_the_cause_is_fixed() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let town = &worker.town;
    worker
        .origin
        .hook("pre-receive", "echo 'no branches here' >&2; exit 1");
    worker
        .done(["--summary", "x"])
        .fails("stopped at the step: push");
    town.kill_session(&town.sessions()[0]);
    town.quiet();
    town.patrol();
    town.patrol();
    let command = format!("gt polecat retry {}", worker.name);
    let body = only_letter(town, "STUCK", &command);
    assert!(body.contains("no branches here"), "{body}");
    worker.origin.hook("pre-receive", "exit 0");
    let end = town.gt(["peek", &worker.name, "--json"]).ok().json();
    assert_eq!(end["ended"]["how"], "by signal 9 (SIGKILL)", "{end}");
    let all = town.gt(["polecat", "retry", "--all", "--rig", "web"]).ok();
    assert!(all.out.contains("no branches here"), "{}", all.out);
    for _ in 0..3 {
        town.patrol();
    }
    assert_eq!(worker.shown()["status"], "closed");
    assert_eq!(letters(town), []);
    let none = town.gt(["polecat", "retry", "--all"]).ok().out;
    assert_eq!(none, "no worker is stuck\n");
    town.gt(["polecat", "retry", &worker.name])
        .fails("is not stuck");
}

#[test]
fn an_unreachable_remote_is_reported_after_a_while_and_still_retried() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    let town = &worker.town;
    let away = worker.origin.path().with_extension("away");
    std::fs::rename(worker.origin.path(), &away).unwrap();
    town.gtd(["run", "--once"]).run();
    patrol_in(town, 10);
    assert_eq!(letters(town), [], "that may pass");
    let needs = town.gt(["why", &worker.bead]).ok().out;
    assert!(needs.contains("has not been reached since"), "{needs}");
    patrol_in(town, 45);
    patrol_in(town, 50);
    let letters_now = letters(town);
    assert_eq!(letters_now.len(), 1, "{letters_now:?}");
    assert!(
        letters_now[0].0 == "The remote of rig web cannot be reached",
        "{letters_now:?}"
    );
    std::fs::rename(&away, worker.origin.path()).unwrap();
    town.patrol();
    town.patrol();
    assert_eq!(worker.shown()["status"], "closed");
    assert_eq!(letters(town), []);
}

#[test]
fn more_beads_than_workers_are_queued_and_all_get_done() {
    let (town, origin) = Town::with_rig();
    town.set_rig_setting("web", "max_polecats", json!(1));
    let slung_all = town.path("slung");
    let wait = format!("until [ -e {} ]; do sleep 0.1; done", slung_all.display());
    town.script(&format!("{wait}\necho x > \"$GT_BEAD.txt\""));
    let beads: Vec<String> = (0..3)
        .map(|n| town.bead("web", &format!("Work {n}")))
        .collect();
    let ids = beads.iter().map(String::as_str);
    let args: Vec<&str> = ["sling"]
        .into_iter()
        .chain(ids)
        .chain(["web", "--json"])
        .collect();
    let slung = town.gt(args).ok().json();
    let waits: Vec<bool> = slung
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["waits_for"] == json!(["a free worker"]))
        .collect();
    assert_eq!(waits, [false, true, true], "{slung}");
    std::fs::write(slung_all, "").unwrap();
    town.up();
    for bead in &beads {
        town.closed("web", bead);
    }
    assert_eq!(origin.subjects("main").len(), 3);
    assert_eq!(town.polecats().len(), 1);
}

#[test]
fn a_third_repair_waits_for_the_user() {
    let (town, _origin) = Town::with_rig();
    // Each repair merges the work before it, and none makes the gate pass.
    town.script(
        r#"case "$GT_BEAD" in
  *-fix-*) git merge -q "$(grep -o 'git merge [0-9a-f]\{40\}' "$GT_PRIME_FILE" | head -1 | cut -d' ' -f3)"
           echo again >> tried.txt ;;
  *) echo bad > answer.txt ;;
esac"#,
    );
    town.gate("web", "! test -e answer.txt");
    let bead = town.bead("web", "Answer");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the overseer hears of the third task", || {
        letters(&town)
            .iter()
            .any(|(subject, _)| subject.contains("waits for someone to take it"))
            .then_some(())
    });
    let tasks = eventually("the third failure is recorded", || {
        Some(town.events("merge_failed")).filter(|tasks| tasks.len() >= 3)
    });
    assert_eq!(tasks.len(), 3, "{tasks:?}");
    let third = tasks[2]["payload"]["task"].as_str().unwrap();
    let command = format!("gt sling {third} web");
    only_letter(&town, "waits for someone to take it", &command);
    // A repair that fails again at once would open the message again.
    town.script("while :; do sleep 1; done");
    town.gt(["sling", third, "web"]).ok();
    eventually("the message is closed", || {
        let about = |(_, body): &(String, String)| body.contains(&command);
        (!letters(&town).iter().any(about)).then_some(())
    });
}

#[test]
fn a_broken_target_gets_one_task_and_its_requests_continue_when_it_moves() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit("one.txt");
    worker.hand_in();
    town.script("echo two > two.txt");
    let second = town.bead("web", "Second");
    town.gt(["sling", &second, "web"]).ok();
    eventually("the second is handed in", || {
        (town.status_of("web", &second) == "in_progress").then_some(())
    });
    worker.origin.commit("broken.txt", "x\n", "Break it");
    let runs = town.path("scripts/runs");
    let gate = format!("echo run >> {}; ! test -e broken.txt", runs.display());
    let setting = json!({ "auto_repair": false, "gates": { "check": { "cmd": gate } } });
    town.set_rig_setting("web", "merge_queue", setting);
    let said = town.gt(["mq", "run", "web", "--json"]).ok().json();
    let outcomes: Vec<&str> = said
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["target_broken", "target_broken"], "{said}");
    assert_eq!(said[0]["task"], said[1]["task"], "one task");
    let task = said[0]["task"].as_str().unwrap().to_owned();
    let shown = town.show("web", &task);
    assert_eq!(shown["title"], "Fix gate check on main");
    // Nothing is run again while the target stays.
    let before = std::fs::read_to_string(&runs).unwrap();
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(std::fs::read_to_string(&runs).unwrap(), before);
    // A further request may be the repair, so its own work is tested once. The target is not.
    let third = town.bead("web", "Third");
    town.script("echo three > three.txt");
    town.gt(["sling", &third, "web"]).ok();
    eventually("the third is handed in", || {
        (town.status_of("web", &third) == "in_progress").then_some(())
    });
    for _ in 0..2 {
        town.gt(["mq", "run", "web"]).ok();
        let after = std::fs::read_to_string(&runs).unwrap();
        assert_eq!(after.lines().count(), before.lines().count() + 1, "{after}");
    }
    let listed = worker.requests();
    let standings: Vec<&Value> = listed.iter().map(|request| &request["status"]).collect();
    assert_eq!(standings, ["blocked"; 3], "{listed:?}");
    assert!(listed.iter().all(|request| request["estimate"].is_null()));
    let stats = town.gt(["mq", "stats", "web", "--json"]).ok().json();
    let strip = &stats["targets"][0];
    let newest = strip["commits"].as_array().unwrap().last().unwrap();
    assert_eq!(newest["state"], "red", "{strip}");
    assert_eq!(newest["subject"], "Break it");
    assert_eq!(newest["failed_gates"], json!(["check"]));
    assert_eq!(strip["red"]["repair"], task);
    let listed = town.gt(["mq", "list", "web"]).ok().out;
    assert!(
        listed.contains(&format!("repair {task}, which no one has")),
        "{listed}"
    );
    // The broken target is a need of the user everywhere.
    let subject =
        format!("main of rig web fails its own gates: {task} waits for someone to take it");
    let status = town.gt(["status", "--json"]).ok().json();
    let problems = status["problems"].to_string();
    assert!(problems.contains(&subject), "{problems}");
    assert_eq!(status["rigs"][0]["red_targets"][0]["repair"], task);
    let holding = &status["convoys"][0]["held_up_by"];
    assert_eq!(holding["id"], worker.bead, "{holding}");
    let text = town.gt(["status"]).ok().out;
    let repair = format!(": repair {task}, which no one has");
    assert!(text.contains("✗ main is red since "), "{text}");
    assert!(text.contains(&repair), "{text}");
    let held_up = format!("held up by {}: main fails its own gates", worker.bead);
    assert!(text.contains(&held_up), "{text}");
    town.patrol();
    only_letter(town, &subject, &format!("gt sling {task} web"));
    let repair = town.bead("web", "Mend it");
    town.script("git rm -q broken.txt");
    town.gt(["sling", &repair, "web"]).ok();
    eventually("the repair is handed in", || {
        (town.status_of("web", &repair) == "in_progress").then_some(())
    });
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &repair), "closed");
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(worker.shown()["status"], "closed");
    assert_eq!(town.status_of("web", &second), "closed");
    assert_eq!(town.status_of("web", &task), "closed", "it is over");
}

/// A worker whose work conflicts with its target, and the task that the queue made for it.
fn in_conflict() -> (Worker, String, String) {
    let worker = Worker::new();
    worker
        .town
        .set_rig_setting("web", "merge_queue", json!({ "auto_repair": false }));
    worker.commit_text("shared.txt", "one\nworker\nthree\n");
    let request = worker.hand_in();
    worker
        .origin
        .commit("shared.txt", "one\nperson\nthree\n", "Faster");
    let said = worker.merge();
    assert_eq!(said["outcome"], "conflict", "{said}");
    let task = said["task"].as_str().unwrap().to_owned();
    (worker, request, task)
}

#[test]
fn a_deleted_task_is_recreated_without_a_busy_loop_of_the_queue() {
    let (worker, _, task) = in_conflict();
    let town = &worker.town;
    town.bd("web", ["delete", &task, "--force"]).ok();
    town.patrol();
    let begun = town.events("merge_started").len();
    assert_eq!(begun, 2, "one more try, which made another task");
    let open = town
        .bd("web", ["list", "--label", "gt:merge-task", "--json"])
        .ok()
        .json();
    assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
    let again = open[0]["id"].as_str().unwrap();
    assert_ne!(again, task);
    only_letter(town, "waits for someone", &format!("gt sling {again} web"));
}

#[test]
fn a_task_is_closed_when_its_request_is_closed_with_its_bead() {
    let (worker, request, task) = in_conflict();
    let town = &worker.town;
    let close = [
        "close",
        &worker.bead,
        &request,
        "--force",
        "--reason",
        "Not wanted",
    ];
    town.bd("web", close).ok();
    town.patrol();
    assert_eq!(town.status_of("web", &task), "closed");
    assert_eq!(letters(town), []);
    assert_eq!(worker.origin.subjects("main"), ["Faster"]);
}

#[test]
fn a_recurring_problem_is_reported_again_after_its_message_was_closed() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let request = worker.hand_in();
    let town = &worker.town;
    let refuse = |word: &str| {
        let body = format!("[ $1 != refs/heads/main ] || {{ echo {word} >&2; exit 1; }}");
        worker.origin.hook("update", &body);
    };
    refuse("first");
    town.patrol();
    let letter = town.mail("overseer")[0]["id"].as_str().unwrap().to_owned();
    town.bd(".", ["close", &letter]).ok();
    town.patrol();
    assert_eq!(letters(town), [], "a person has seen it");
    refuse("second");
    town.gt(["mq", "retry", &request]).ok();
    town.patrol();
    let body = only_letter(town, "needs you", &format!("gt mq retry {request}"));
    assert!(body.contains("second"), "{body}");
}

#[test]
fn a_worker_unslung_in_the_middle_of_a_rebase_takes_other_work() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit_text("shared.txt", "one\nworker\nthree\n");
    worker
        .origin
        .commit("shared.txt", "one\nperson\nthree\n", "Faster");
    worker.git(["fetch", "-q", "origin"]);
    let rebase = town
        .git_at(&worker.sandbox, ["rebase", "-q", "origin/main"])
        .run();
    assert_ne!(rebase.code, 0, "it stops at the conflict");
    town.gt(["unsling", &worker.bead]).ok();
    let next = town.bead("web", "Next");
    let slung = town.gt(["sling", &next, "web", "--json"]).ok().json();
    assert_eq!(slung[0]["sandbox"], "switched", "{slung}");
    assert_eq!(town.polecats().len(), 1);
}

#[test]
fn a_worker_with_a_broken_sandbox_is_still_released() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit("work.txt");
    let tip = worker.git(["rev-parse", "HEAD"]).trim().to_owned();
    std::fs::write(worker.sandbox.join(".git/HEAD"), "garbage\n").unwrap();
    town.bd("web", ["close", &worker.bead, "--reason", "Won't do"])
        .ok();
    town.patrol();
    assert_eq!(town.polecats()[0]["state"], "idle");
    let kept = town.gt(["rescue", "list", "--json"]).ok().out;
    assert!(kept.contains(&tip), "{kept}");
}

#[test]
fn a_target_that_passes_again_without_a_commit_unblocks_its_requests() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit("work.txt");
    let request = worker.hand_in();
    let bad = town.path("scripts/bad");
    std::fs::write(&bad, "").unwrap();
    let gate = format!("! test -e {}", bad.display());
    let setting = json!({ "auto_repair": false, "gates": { "check": { "cmd": gate } } });
    town.set_rig_setting("web", "merge_queue", setting);
    assert_eq!(worker.merge()["outcome"], "target_broken");
    std::fs::remove_file(&bad).unwrap();
    assert_eq!(worker.merge()["outcome"], "later");
    town.gt(["mq", "retry", &request]).ok();
    assert_eq!(worker.merge()["outcome"], "merged");
}

#[test]
fn the_queue_continues_automatically_after_its_gates_were_repaired() {
    let mut worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    let bad = worker.town.path("scripts/bad");
    std::fs::write(&bad, "").unwrap();
    let set_gate = |worker: &Worker, gate: &str| {
        let setting = json!({ "auto_repair": false, "gates": { "check": { "cmd": gate } } });
        worker.town.set_rig_setting("web", "merge_queue", setting);
    };
    set_gate(&worker, &format!("! test -e {}", bad.display()));
    assert_eq!(worker.merge()["outcome"], "target_broken");
    // The machine was repaired: the target is tested again after a pause.
    std::fs::remove_file(&bad).unwrap();
    patrol_in(&worker.town, 3);
    assert_eq!(worker.shown()["status"], "closed");
    // The command was repaired: the target is tested again at once.
    worker.take_another();
    worker.commit("more.txt");
    worker.hand_in();
    set_gate(&worker, "false");
    assert_eq!(worker.merge()["outcome"], "target_broken");
    set_gate(&worker, "true");
    // The last check is a minute old.
    patrol_in(&worker.town, 2);
    assert_eq!(worker.shown()["status"], "closed");
}

#[test]
fn requests_waiting_for_a_broken_target_merge_in_the_run_that_fixes_it() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit("one.txt");
    worker.hand_in();
    worker.origin.commit("broken.txt", "x\n", "Break it");
    let gates = json!({ "check": { "cmd": "! test -e broken.txt" } });
    let setting = json!({ "auto_repair": false, "gates": gates });
    town.set_rig_setting("web", "merge_queue", setting);
    assert_eq!(worker.merge()["outcome"], "target_broken");
    let listed = worker.requests();
    assert_eq!(listed[0]["status"], "blocked", "{listed:?}");
    let task = listed[0]["waits_for"][0].as_str().unwrap().to_owned();
    town.script("git rm -q broken.txt");
    town.gt(["sling", &task, "web"]).ok();
    eventually("the fix is handed in", || {
        (town.status_of("web", &task) == "in_progress").then_some(())
    });
    let said = town.gt(["mq", "run", "web", "--json"]).ok().json();
    let merged: Vec<&str> = said
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(merged, ["merged", "merged"], "{said}");
    assert_eq!(worker.shown()["status"], "closed");
    // Another breakage is another task, which says what is seen now.
    worker.origin.commit("broken.txt", "y\n", "Break it again");
    town.script("while :; do sleep 1; done");
    let second = town.bead("web", "Second");
    let name = town.sling(&second);
    let sandbox = town.sandbox(&name);
    std::fs::write(sandbox.join("two.txt"), "two").unwrap();
    town.git_at(&sandbox, ["add", "-A"]).ok();
    town.git_at(&sandbox, ["commit", "-qm", "Two"]).ok();
    town.gt_as(&name, ["done", "--stay", "--summary", "x"]).ok();
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains("○ finished"), "{status}");
    let said = worker.merge();
    assert_eq!(said["outcome"], "target_broken", "{said}");
    assert_ne!(said["task"], task.as_str());
    let head = worker.origin.git(["rev-parse", "main"]);
    let shown = town.show("web", said["task"].as_str().unwrap());
    assert!(shown["description"].as_str().unwrap().contains(&head[..12]));
}

#[test]
fn a_failing_fix_of_the_target_is_repaired_and_finally_reported() {
    let (town, origin) = Town::with_rig();
    town.script("echo x > \"$(echo $GT_BEAD | tr / -).txt\"");
    origin.commit("broken.txt", "x\n", "Break it");
    town.gate("web", "! test -e broken.txt");
    let bead = town.bead("web", "Work");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the overseer hears of the third try", || {
        letters(&town)
            .iter()
            .any(|(subject, _)| subject.contains("waits for someone to take it"))
            .then_some(())
    });
    let broken = town.events("merge_failed").into_iter();
    let broken: Vec<Value> = broken
        .map(|event| event["payload"].clone())
        .filter(|payload| payload["outcome"] == "target_broken")
        .map(|payload| payload["bead"].clone())
        .collect();
    assert_eq!(
        broken,
        [json!(bead)],
        "what is to mend the target does not wait for it"
    );
    // A person mends the target. What waits goes on when its pause is over, and what is no longer
    // needed ends.
    origin.remove("broken.txt", "Mend it");
    eventually("the work is merged", || {
        patrol_in(&town, 2);
        (town.status_of("web", &bead) == "closed").then_some(())
    });
}

#[test]
fn rolled_back_beads_are_reported_everywhere_until_restored_or_discarded() {
    let (town, _origin) = Town::with_rig();
    let id = town.bead("web", "Old");
    let file = town.root().join("web/.beads/issues.jsonl");
    let older = std::fs::read(&file).unwrap();
    town.bd("web", ["update", &id, "--title", "New"]).ok();
    assert_ne!(std::fs::read(&file).unwrap(), older);
    std::fs::write(&file, &older).unwrap();
    town.bd("web", ["list"]).ok();
    town.patrol();
    town.patrol();
    let restore = format!("bd -C {} restore --lost", town.root().join("web").display());
    let body = only_letter(&town, "Beads of rig web were rolled back", &restore);
    assert!(body.contains("changes to 1 bead are"), "{body}");
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains(&format!("\n  {restore}\n")), "{status}");
    let doctor = town.gt(["doctor"]).run().out;
    assert!(doctor.contains(&restore), "{doctor}");
    town.bd("web", ["restore", "--lost"]).ok();
    town.patrol();
    assert_eq!(letters(&town), []);
    let status = town.gt(["status"]).ok().out;
    assert!(!status.contains("rolled back"), "{status}");
    assert_eq!(town.show("web", &id)["title"], "New");
}

#[test]
fn a_refused_push_is_tried_again_without_the_user() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let town = &worker.town;
    worker
        .origin
        .hook("pre-receive", "echo 'no branches here' >&2; exit 1");
    worker
        .done(["--summary", "x"])
        .fails("stopped at the step: push");
    town.kill_session(&town.sessions()[0]);
    town.quiet();
    town.patrol();
    town.patrol();
    worker.origin.hook("pre-receive", "exit 0");
    for minutes in [31, 32, 33] {
        patrol_in(town, minutes);
    }
    assert_eq!(worker.shown()["status"], "closed");
    assert_eq!(letters(town), []);
}

#[test]
fn work_on_the_hook_of_a_crew_member_or_mayor_without_a_session_is_reported() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    town.gt(["crew", "add", "dave", "--rig", "web"]).ok();
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    town.gt(["sling", &one, "web/crew/dave"]).ok();
    town.gt(["sling", &two, "mayor"]).ok();
    town.kill_all_sessions();
    patrol_in(&town, 10);
    assert_eq!(letters(&town), [], "it may be started soon");
    patrol_in(&town, 31);
    let found = letters(&town);
    assert_eq!(found.len(), 2, "{found:?}");
    for (who, command) in [
        ("dave", "gt crew start web/dave"),
        ("mayor", "gt mayor start"),
    ] {
        let about = |(subject, body): &(String, String)| {
            subject.contains(who) && subject.contains("no session") && body.contains(command)
        };
        assert!(found.iter().any(about), "{who}: {found:?}");
    }
    let up = town.gt(["up"]).ok();
    assert!(
        up.out
            .contains("the mayor was started: work is on its hook"),
        "{}{}",
        up.out,
        up.err
    );
}

#[test]
fn a_crew_member_whose_session_ended_with_a_bead_on_the_hook_is_reported() {
    let (town, _origin) = Town::with_rig();
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let bead = town.bead("web", "For max");
    let stay = json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting("agents", json!({ "stay": stay }));
    town.set_town_setting("default_agent", json!("stay"));
    town.gt(["sling", &bead, "web/crew/max"]).ok();
    town.gt(["crew", "start", "web/max"]).ok();
    town.kill_all_sessions();
    town.patrol();
    assert_eq!(letters(&town), [], "it is not due yet");
    patrol_in(&town, 25 * 60);
    only_letter(&town, "on its hook and no session", "gt crew start web/max");
}
