//! One attempt, one right to merge: what a person stops or gives to someone else does not reach the
//! target.

use serde_json::Value;
use town_tests::{Worker, eventually};

/// Whether a commit is on a rescue ref of the rig that the bead's comments name.
fn is_rescued(worker: &Worker, tip: &str) -> bool {
    let repo = worker.town.root().join("web/.repo.git");
    let shown = worker.shown();
    let comments = shown["comments"].as_array().cloned().unwrap_or_default();
    comments.iter().any(|comment| {
        let text = comment["text"].as_str().unwrap();
        let named = text
            .split_whitespace()
            .find(|word| word.starts_with("refs/gt/rescue/"));
        named.is_some_and(|reference| {
            let ask = ["merge-base", "--is-ancestor", tip, reference];
            worker.town.git_at(&repo, ask).run().code == 0
        })
    })
}

fn tip(worker: &Worker) -> String {
    worker.git(["rev-parse", "HEAD"]).trim().to_owned()
}

fn why(worker: &Worker) -> String {
    worker.town.gt(["why", &worker.bead]).ok().out
}

#[test]
fn waiting_work_closed_by_the_user_is_withdrawn_and_kept() {
    for reason in ["Won't do", "Cancelled: nobody wants it"] {
        let worker = Worker::new();
        worker.commit("work.txt");
        let request = worker.hand_in();
        let tip = tip(&worker);
        let close = ["close", &worker.bead, "--force", "--reason", reason];
        worker.town.bd("web", close).ok();
        let said = worker.merge();
        assert_eq!(said["outcome"], "withdrawn", "{said}");
        assert!(worker.origin.subjects("main").is_empty());
        assert_eq!(
            worker.shown()["close_reason"],
            reason,
            "it is not overwritten"
        );
        assert!(is_rescued(&worker, &tip), "{}", worker.shown());
        let request = worker.town.show("web", &request);
        assert_eq!(request["status"], "closed");
        assert!(
            request["close_reason"].as_str().unwrap().contains(reason),
            "{request}"
        );
        let told = why(&worker);
        assert!(told.contains("refs/gt/rescue/"), "{told}");
    }
}

#[test]
fn work_of_a_deleted_bead_is_withdrawn_and_kept() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let tip = tip(&worker);
    worker.hand_in();
    worker
        .town
        .bd("web", ["delete", &worker.bead, "--force"])
        .ok();
    assert_eq!(worker.merge()["outcome"], "withdrawn");
    assert!(worker.origin.subjects("main").is_empty());
    let told = worker.town.gt(["rescue", "list", "--json"]).ok().out;
    assert!(told.contains(&tip), "{told}");
    assert!(worker.requests().is_empty());
}

#[test]
fn closing_and_reopening_a_bead_starts_another_attempt() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    worker
        .town
        .bd(
            "web",
            ["close", &worker.bead, "--force", "--reason", "Wrong"],
        )
        .ok();
    worker.town.bd("web", ["reopen", &worker.bead]).ok();
    let said = worker.merge();
    assert_eq!(said["outcome"], "withdrawn", "{said}");
    assert!(worker.origin.subjects("main").is_empty());
    assert_eq!(worker.shown()["status"], "open");
    assert!(is_rescued(&worker, &tip(&worker)));
}

#[test]
fn the_request_of_reassigned_work_is_withdrawn() {
    let worker = Worker::new();
    worker.commit_text("work.txt", "first\n");
    let first = worker.hand_in();
    let tip = tip(&worker);
    let (town, bead) = (&worker.town, worker.bead.as_str());
    let slung = town
        .gt(["sling", bead, "web", "--force", "--json"])
        .ok()
        .json();
    let second = slung[0]["target"]
        .as_str()
        .unwrap()
        .replace("/polecats/", "/");
    assert_eq!(town.show("web", &first)["status"], "closed");
    assert!(is_rescued(&worker, &tip), "{}", worker.shown());
    let sandbox = town.sandbox(&second);
    std::fs::write(sandbox.join("work.txt"), "second\n").unwrap();
    town.git_at(&sandbox, ["add", "-A"]).ok();
    town.git_at(&sandbox, ["commit", "-qm", "Second"]).ok();
    town.gt_as(&second, ["done", "--stay", "--summary", "x"])
        .ok();
    let said = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(said.as_array().unwrap().len(), 1, "{said}");
    assert_eq!(worker.origin.subjects("main"), ["Second"]);
    assert_eq!(worker.origin.file("main", "work.txt"), "second");
}

#[test]
fn a_close_during_gates_is_detected_when_the_candidate_is_recorded() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    let bd = worker.town.path("bin/bd");
    let rig = worker.town.root().join("web");
    // The gate stands for a person who closes the bead in that moment.
    let close = format!(
        "cd {} && {} close {} --force --reason Stop",
        rig.display(),
        bd.display(),
        worker.bead
    );
    worker.town.gate("web", &close);
    let said = worker.merge();
    assert_eq!(said["outcome"], "withdrawn", "{said}");
    assert!(worker.origin.subjects("main").is_empty());
    assert_eq!(worker.shown()["close_reason"], "Stop");
}

#[test]
fn a_submitted_bead_closed_by_its_own_worker_does_not_merge() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    let me = worker.name.replace("web/", "web/polecats/");
    let close = ["close", &worker.bead, "--force", "--reason", "It is wrong"];
    // The holder of the attempt closes the bead, so the attempt number stays.
    worker.town.bd("web", close).env("BD_ACTOR", &me).ok();
    let said = worker.merge();
    assert_eq!(said["outcome"], "withdrawn", "{said}");
    assert!(worker.origin.subjects("main").is_empty());
    assert_eq!(worker.shown()["close_reason"], "It is wrong");
}

#[test]
fn a_worker_is_released_and_its_commits_kept_when_its_bead_is_closed() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let tip = tip(&worker);
    worker
        .town
        .bd("web", ["close", &worker.bead, "--reason", "Won't do"])
        .ok();
    worker
        .done(["--summary", "x"])
        .fails("closed by someone else: Won't do");
    worker.town.patrol();
    assert!(worker.town.sessions().is_empty(), "its session has ended");
    assert_eq!(worker.town.polecats()[0]["state"], "idle");
    assert!(is_rescued(&worker, &tip), "{}", worker.shown());
    assert_eq!(worker.shown()["close_reason"], "Won't do");
    assert!(why(&worker).contains("refs/gt/rescue/"), "{}", why(&worker));
    // The worker is free for other work.
    let next = worker.town.bead("web", "Next");
    worker.town.gt(["sling", &next, "web"]).ok();
    assert_eq!(worker.town.polecats().len(), 1);
}

#[test]
fn a_worker_is_released_and_its_commits_kept_when_its_bead_is_deleted() {
    for hard in [false, true] {
        let worker = Worker::new();
        worker.commit("work.txt");
        let tip = tip(&worker);
        let how = if hard { "--hard" } else { "--force" };
        worker
            .town
            .bd("web", ["delete", &worker.bead, "--force", how])
            .ok();
        worker.town.patrol();
        assert!(
            worker.town.sessions().is_empty(),
            "its session has ended ({how})"
        );
        let polecat = &worker.town.polecats()[0];
        assert_eq!(polecat["state"], "idle", "{polecat}");
        let kept = worker.town.gt(["rescue", "list", "--json"]).ok().out;
        assert!(kept.contains(&tip), "{kept}");
        worker.town.patrol();
        assert_eq!(worker.town.events("release").len(), 1, "once ({how})");
    }
}

#[test]
fn work_closed_by_its_worker_without_gt_done_does_not_land() {
    let worker = Worker::new();
    let town = &worker.town;
    let made = town
        .gt(["convoy", "create", "C", &worker.bead, "--json"])
        .ok();
    let convoy = made.json()["id"].as_str().unwrap().to_owned();
    worker.commit("work.txt");
    let tip = tip(&worker);
    let me = format!("web/polecats/{}", worker.name.trim_start_matches("web/"));
    let close = ["close", &worker.bead, "--reason", "all of it"];
    town.bd("web", close).env("BD_ACTOR", &me).ok();
    town.kill_session(&town.sessions()[0]);
    town.quiet();
    town.patrol();
    assert!(worker.origin.subjects("main").is_empty());
    assert!(is_rescued(&worker, &tip), "{}", worker.shown());
    assert_eq!(town.status_of(".", &convoy), "open");
    let status = || town.gt(["convoy", "status", &convoy, "--json"]).ok().json();
    let bead = status()[0]["tracked"][0].clone();
    assert!(
        bead["why"]
            .as_str()
            .unwrap()
            .contains("closed it without `gt done`"),
        "{bead}"
    );
    // A person takes it as it is, in the way that the convoy names.
    let ways: Vec<&str> = bead["next_steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let named = format!("bd close {} --reason \"<why it is done>\"", worker.bead);
    assert!(ways.contains(&named.as_str()), "{ways:?}");
    town.bd(
        "web",
        ["close", &worker.bead, "--reason", "Nothing was needed"],
    )
    .ok();
    town.patrol();
    eventually("the convoy has landed", || {
        (town.status_of(".", &convoy) == "closed").then_some(())
    });
}

#[test]
fn the_repair_of_withdrawn_work_is_withdrawn_with_it() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit_text("shared.txt", "one\nworker\nthree\n");
    worker.hand_in();
    worker
        .origin
        .commit("shared.txt", "one\nperson\nthree\n", "Faster");
    let said = worker.merge();
    assert_eq!(said["outcome"], "conflict", "{said}");
    let task = said["task"].as_str().unwrap().to_owned();
    town.patrol();
    if town.status_of("web", &task) == "open" {
        town.gt(["sling", &task, "web"]).ok();
    }
    let slung = town.show("web", &task)["assignee"]
        .as_str()
        .unwrap()
        .replace("/polecats/", "/");
    town.bd(
        "web",
        [
            "close",
            &worker.bead,
            "--force",
            "--reason",
            "Cancelled: no",
        ],
    )
    .ok();
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &task), "closed");
    // The worker on the task cannot submit any more.
    let sandbox = town.sandbox(&slung);
    std::fs::write(sandbox.join("shared.txt"), "one\nboth\nthree\n").unwrap();
    town.git_at(&sandbox, ["commit", "-qam", "Resolved"]).ok();
    town.gt_as(&slung, ["done", "--stay", "--summary", "x"])
        .fails("closed by someone else");
    town.patrol();
    assert_eq!(worker.origin.subjects("main"), ["Faster"]);
    assert!(town.sessions().is_empty());
}

#[test]
fn a_user_who_takes_over_and_reopens_a_bead_starts_another_attempt() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker.hand_in();
    let bead = worker.bead.as_str();
    for args in [
        vec!["update", bead, "--assignee", "Dana"],
        vec!["close", bead, "--force", "--reason", "no"],
        vec!["reopen", bead],
    ] {
        worker.town.bd("web", args).env("BD_ACTOR", "Dana").ok();
    }
    assert_eq!(worker.merge()["outcome"], "withdrawn");
    assert!(worker.origin.subjects("main").is_empty());
}

#[test]
fn user_metadata_does_not_end_an_attempt() {
    let worker = Worker::new();
    worker.commit("work.txt");
    worker
        .town
        .bd(
            "web",
            ["update", &worker.bead, "--metadata", r#"{"k":"v"}"#],
        )
        .ok();
    worker.town.patrol();
    assert_eq!(worker.shown()["metadata"]["k"], "v");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
}
