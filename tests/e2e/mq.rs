//! `gt mq next`, `status` and `reject`: single requests of a merge queue.

use serde_json::json;
use town_tests::{Town, Worker};

/// A worker that has handed in work, and its request.
fn handed_in() -> (Worker, String) {
    let worker = Worker::new();
    worker.commit("work.txt");
    let request = worker.hand_in();
    (worker, request)
}

#[test]
fn the_next_request_is_shown_with_its_branch_and_bead() {
    let (worker, request) = handed_in();
    let (town, bead) = (&worker.town, worker.bead.as_str());
    assert_eq!(town.gt(["mq", "next", "-q"]).ok().text(), request);
    let next = town.gt(["mq", "next", "web", "--json"]).ok().json();
    assert_eq!(next["bead"], bead);
    let status = town.gt(["mq", "status", &request, "--json"]).ok().json();
    assert_eq!(status["source_issue"], bead);
    assert_eq!(status["rig"], "web");
    assert_eq!(status["type"], "merge-request");
    assert_eq!(status["commits"].as_array().unwrap().len(), 1);
    town.gt(["mq", "run"]).ok();
    let status = town.gt(["mq", "status", &request, "--json"]).ok().json();
    assert_eq!(status["status"], "closed");
    assert!(status["merge_commit"].is_string(), "{status:#}");
    let text = town.gt(["mq", "status", &request]).ok().out;
    assert!(text.contains("merged:"), "{text}");
    town.gt(["mq", "status", bead]).fails("is no merge request");
}

#[test]
fn a_rejected_request_is_not_merged_and_its_work_is_kept() {
    let (worker, request) = handed_in();
    let (town, bead) = (&worker.town, worker.bead.as_str());
    let said = town.gt(["release", bead]).fails("is handed in as");
    let advice = format!("gt mq reject {request}");
    assert!(said.err.contains(&advice), "{}", said.err);
    town.gt(["mq", "reject", &request]).fails("--reason");
    let rejected = town
        .gt(["mq", "reject", "web", &request, "-r", "Too large", "--json"])
        .ok()
        .json();
    assert_eq!(rejected["bead"], bead);
    town.gt(["mq", "retry", &request])
        .fails("may not merge any more");
    assert_eq!(worker.merge()["outcome"], "withdrawn");
    let shown = worker.shown();
    assert_eq!(shown["status"], "open");
    assert!(shown.to_string().contains("was rejected: Too large"));
    assert!(shown.to_string().contains("refs/gt/rescue/"), "{shown:#}");
    let queue = town.gt(["mq", "list", "web", "--json"]).ok().json();
    assert_eq!(queue, json!([]));
    assert!(worker.origin.subjects("main").is_empty());
    town.gt(["mq", "reject", &request, "-r", "Again"])
        .fails("is no open merge request");
}

#[test]
fn a_hook_is_cleared_by_its_agent_or_by_the_name_of_the_agent() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    town.gt(["unsling", "web-other", &worker])
        .fails("not web-other");
    town.gt(["hook", "clear", &worker]).ok();
    assert_eq!(town.status_of("web", &bead), "open");
    town.gt(["unsling"])
        .fails("no work is on the hook of overseer");
    town.gt(["unsling", "nothing"]).fails("bead not found");
}
