//! `gt mq next`, `status` and `reject`: single requests of a merge queue.

use serde_json::json;
use town_tests::{Town, Worker, eventually};

use crate::screens::assert_running_screen;

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
    let by_bead = town.gt(["mq", "status", bead]).ok().out;
    assert_eq!(by_bead, text, "a bead stands for its last request");
    town.gt(["mq", "retry", bead]).fails(&request);
    // To wait for a request is not to be its bead.
    let other = town.bead_with("web", "Not begun", &["--deps", &request]);
    let reject = ["mq", "reject", &other, "-r", "x"];
    town.gt(reject).fails("no merge request");
    let none = town.gt(["mq", "status", &other]).fails("no merge request");
    assert!(
        none.err.contains(&format!("gt why {other}")),
        "{}",
        none.err
    );
}

#[test]
fn a_rejected_request_is_not_merged_and_its_work_is_kept() {
    let (worker, request) = handed_in();
    let (town, bead) = (&worker.town, worker.bead.as_str());
    let said = town.gt(["release", bead]).fails("is handed in as");
    let advice = format!("gt mq reject {request}");
    assert!(said.err.contains(&advice), "{}", said.err);
    town.gt(["mq", "reject", &request]).fails("--reason");
    town.gt(["mq", "reject", &request, "web-mr-none", "-r", "Both"])
        .fails("web-mr-none");
    let rejected = town
        .gt(["mq", "reject", "web", &request, "-r", "Too large", "--json"])
        .ok()
        .json();
    assert_eq!(rejected["bead"], bead);
    let feed = town.gt(["feed", "--plain"]).ok().out;
    let event = format!("rejected {request} ({bead}): Too large");
    assert!(feed.contains(&event), "{feed}");
    let listed = town.gt(["mq", "list", "web"]).ok().out;
    assert!(listed.contains("it may not merge any more"), "{listed}");
    let why = town.gt(["why", &request]).ok().out;
    let first = why.lines().next().unwrap_or_default();
    assert!(
        first.contains("was rejected by overseer: Too large; the next run"),
        "{why}"
    );
    assert!(!why.contains("gt mq retry"), "{why}");
    town.gt(["mq", "retry", &request])
        .fails("may not merge any more");
    let run = town.gt(["mq", "run", "web"]).ok().out;
    assert!(run.contains(") rejected by overseer: Too large"), "{run}");
    let closed = town.show("web", &request)["close_reason"].clone();
    assert_eq!(closed, "Rejected by overseer: Too large");
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

#[test]
fn a_paused_queue_accepts_work_and_merges_nothing_until_it_is_resumed() {
    let worker = Worker::new();
    worker.commit("work.txt");
    let town = &worker.town;
    let paused = town.gt(["mq", "pause", "web", "--reason", "release day"]);
    let paused = paused.ok().out;
    let words = "the merge queue of rig web is paused by overseer: release day";
    assert!(paused.contains(words), "{paused}");
    let request = worker.hand_in();
    town.gt(["mq", "run", "web"]).fails(words);
    town.patrol();
    assert_eq!(town.show("web", &request)["status"], "open");
    let why = town.gt(["why", &request]).ok().out;
    assert!(why.contains(words), "{why}");
    let ids = [(worker.bead.as_str(), "web-one")];
    assert_running_screen("gt-mq-list-paused", town.gt(["mq", "list"]), &ids);
    assert_eq!(worker.requests()[0]["status"], "stopped");
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains("gt mq resume web"), "{status}");
    town.gt(["mq", "resume", "web"]).ok();
    town.patrol();
    assert_eq!(town.show("web", &request)["status"], "closed");
    let again = town.gt(["mq", "resume", "web"]).ok().out;
    assert!(again.contains("was not paused"), "{again}");
}

#[test]
fn the_statistics_count_merges_gates_and_waiting_requests() {
    let worker = Worker::new();
    worker.town.gate("web", "test ! -e bad.txt");
    worker.commit("work.txt");
    worker.hand_in();
    worker.merge();
    let stats = worker.town.gt(["mq", "stats", "web", "--json"]).ok().json();
    assert_eq!(stats["merged"], 1, "{stats}");
    assert_eq!(stats["gates"][0]["runs"], 1, "{stats}");
    assert_eq!(stats["gates"][0]["failed"], 0, "{stats}");
    for part in ["wait_seconds", "waiting_seconds", "merging_seconds"] {
        assert!(stats[part]["p95"].is_f64(), "{part}: {stats}");
    }
    assert_eq!(stats["waiting"], serde_json::json!([]));
    let text = worker.town.gt(["mq", "stats", "web"]).ok().out;
    assert!(
        text.contains("1 request merged") && text.contains("1.00 per merge"),
        "{text}"
    );
}

#[test]
fn a_ready_request_has_an_estimate_after_the_first_run_of_the_gates() {
    let worker = Worker::new();
    let town = &worker.town;
    town.gate("web", "true");
    worker.commit("work.txt");
    worker.hand_in();
    let next = || town.gt(["mq", "next", "web", "--json"]).ok().json();
    assert_eq!(next()["place"], 1, "{}", next());
    assert!(next().get("estimate").is_none(), "{}", next());
    worker.merge();
    let bead = town.bead("web", "More work");
    let polecat = town.sling(&bead);
    let sandbox = town.sandbox(&polecat);
    std::fs::write(sandbox.join("more.txt"), "more\n").unwrap();
    town.git_at(&sandbox, ["add", "more.txt"]).ok();
    town.git_at(&sandbox, ["commit", "-qm", "More"]).ok();
    town.gt_as(&polecat, ["done"]).ok();
    assert_eq!(next()["estimate"]["rounds"], 1, "{}", next());
    let text = town.gt(["mq", "list", "web"]).ok().out;
    // Without the daemon, no one knows when.
    assert!(!text.contains("less than a minute"), "{text}");
    assert!(text.contains("the daemon does not run"), "{text}");
    let paused = town.gt(["mq", "pause", "web", "--reason", "freeze"]);
    paused.ok();
    assert!(next().get("estimate").is_none(), "{}", next());
}

#[test]
fn reverted_work_leaves_the_target_through_the_queue_and_its_bead_is_open_again() {
    let mut worker = Worker::new();
    worker.town.gate("web", "true");
    worker.commit("work.txt");
    worker.hand_in();
    worker
        .town
        .gt(["mq", "revert", &worker.bead])
        .fails("in the queue as");
    worker.merge();
    let (first, town) = (worker.bead.clone(), &worker.town);
    town.gt(["revert", &first]).fails("gt mq revert");
    town.gt_as(&worker.name, ["mq", "revert", &first])
        .fails("is a worker");
    town.gt(["config", "set", "merge_queue.target_branch", "next"])
        .ok();
    town.gt(["mq", "revert", &first])
        .fails("would be merged into next");
    town.gt(["config", "unset", "merge_queue.target_branch"])
        .ok();
    assert_eq!(town.status_of("web", &first), "closed");
    let revert = ["mq", "revert", &first, "--reason", "too slow", "--json"];
    let report = town.gt(revert).ok().json();
    let reverting = report["revert"].as_str().unwrap().to_owned();
    assert_eq!(town.status_of("web", &first), "open");
    let why = town.gt(["why", &first]).ok().out;
    assert!(
        why.starts_with(&format!("{first} waits for {reverting}")),
        "{why}"
    );
    town.gt(["mq", "revert", &first]).fails("already");
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(town.status_of("web", &reverting), "closed");
    let why = town.gt(["why", &first]).ok().out;
    let named = format!("{reverting} (closed) reverted its merge");
    assert!(why.contains(&named), "{why}");
    let branches = worker.origin.git(["branch", "--list", "revert/*"]);
    assert_eq!(branches, "", "the branch is gone");
    assert!(
        worker
            .origin
            .git(["ls-tree", "--name-only", "main"])
            .lines()
            .all(|file| file != "work.txt")
    );
    let subject = worker.origin.subjects("main").join("\n");
    assert!(subject.contains("Revert \"Work\""), "{subject}");
    let ready = town.bd("web", ["ready", "--json"]).ok().out;
    assert!(ready.contains(&first), "{ready}");
    town.gt(["mq", "revert", &first]).fails("nothing to revert");
    town.gt(["mq", "revert", &reverting])
        .fails("is itself a revert");
    // Later work in the same lines is for a worker.
    worker.take_another();
    worker.commit_text("two.txt", "one\n");
    worker.hand_in();
    worker.merge();
    worker.origin.commit("two.txt", "two\n", "Later work");
    let report = worker.town.gt(["mq", "revert", &worker.bead, "--json"]);
    let report = report.ok().json();
    assert_eq!(report["conflicts"], serde_json::json!(["two.txt"]));
    assert!(report.get("request").is_none(), "{report}");
    // The same revert is continued, because no one has it.
    let again = worker.town.gt(["mq", "revert", &worker.bead, "--json"]);
    assert_eq!(again.ok().json()["revert"], report["revert"]);
    // Another person's commit has the same change.
    worker.take_another();
    worker.commit_text("three.txt", "three\n");
    worker.hand_in();
    worker.origin.commit("three.txt", "three\n", "The same");
    worker.merge();
    assert_eq!(worker.shown()["status"], "closed");
    worker
        .town
        .gt(["mq", "revert", &worker.bead])
        .fails("revert the work of that commit");
    // Someone else pushed the worker's commits.
    worker.take_another();
    worker.commit_text("four.txt", "four\n");
    worker.commit_text("five.txt", "five\n");
    worker.hand_in();
    let tip = worker.git(["rev-parse", "HEAD"]);
    worker
        .origin
        .git(["update-ref", "refs/heads/main", tip.trim()]);
    worker.merge();
    assert_eq!(worker.shown()["status"], "closed");
    worker.town.gt(["mq", "revert", &worker.bead]).ok();
    assert_eq!(worker.merge()["outcome"], "merged");
    let files = worker.origin.git(["ls-tree", "--name-only", "main"]);
    assert!(
        !files.contains("four.txt") && !files.contains("five.txt"),
        "{files}"
    );
}

#[test]
fn requests_that_change_the_same_file_are_named_before_they_clash() {
    let worker = Worker::new();
    worker.commit("same.txt");
    let first = worker.hand_in();
    let town = &worker.town;
    let other = town.bead("web", "Other work");
    let polecat = town.sling(&other);
    let sandbox = town.sandbox(&polecat);
    std::fs::write(sandbox.join("same.txt"), "other\n").unwrap();
    town.git_at(&sandbox, ["add", "same.txt"]).ok();
    town.git_at(&sandbox, ["commit", "-qm", "Other"]).ok();
    town.gt_as(&polecat, ["done"]).ok();
    let listed = town.gt(["mq", "list", "web", "--json"]).ok().json();
    let row = |id: &str| {
        let rows = listed.as_array().unwrap().iter();
        rows.clone().find(|row| row["id"] == id).unwrap().clone()
    };
    let rows = listed.as_array().unwrap();
    assert_eq!(rows.len(), 2, "{listed}");
    let second = rows.iter().find(|row| row["id"] != first.as_str()).unwrap();
    assert_eq!(
        row(&first)["clashes_with"],
        serde_json::json!([second["id"]])
    );
    assert_eq!(second["clashes_with"], serde_json::json!([first]));
    let text = town.gt(["mq", "list", "web"]).ok().out;
    assert!(text.contains("they change the same files"), "{text}");
    let shown = town
        .gt(["mq", "show", &first, "--diff", "--json"])
        .ok()
        .json();
    assert_eq!(shown["clashes_with"], serde_json::json!([second["id"]]));
    assert_eq!(shown["files"], serde_json::json!(["same.txt"]));
    assert!(shown["place"].is_u64(), "{shown}");
    let diff = shown["diff"].as_str().unwrap();
    assert!(diff.contains("+++ b/same.txt"), "{diff}");
}

#[test]
fn bisect_finds_the_merge_that_broke_the_target_and_opens_its_bead_again() {
    let (town, origin) = Town::with_rig();
    town.script("echo work > \"$GT_BEAD.txt\"");
    town.gate("web", "true");
    town.up();
    let mut beads = Vec::new();
    for title in ["One", "Two", "Three", "Four"] {
        let bead = town.bead("web", title);
        town.sling(&bead);
        town.closed("web", &bead);
        beads.push(bead);
    }
    town.gt(["down"]).ok();
    let passes = town.gt(["mq", "bisect", "web", "--json"]).ok().json();
    assert_eq!(passes["outcome"], "passes", "{passes}");
    // The gate learns to notice what the second bead did.
    let guilty = &beads[1];
    town.gate("web", &format!("test ! -e {guilty}.txt"));
    let found = town.gt(["mq", "bisect", "web"]).ok();
    assert!(
        found.out.contains(&format!("{guilty} is open again")),
        "{}",
        found.out
    );
    let shown = town.show("web", guilty);
    assert_eq!(shown["status"], "open");
    let comment = shown["comments"].as_array().unwrap().last().unwrap()["text"].clone();
    let comment = comment.as_str().unwrap();
    assert!(comment.contains("broke `main`"), "{comment}");
    let stats = town.gt(["mq", "stats", "web", "--json"]).ok().json();
    assert_eq!(stats["gates"][0]["failed"], 0, "a search fails on purpose");
    for other in [&beads[0], &beads[2], &beads[3]] {
        assert_eq!(town.status_of("web", other), "closed");
    }
    let subjects = origin.subjects("main");
    assert_eq!(subjects.len(), 4, "{subjects:?}");
    // A commit that must pass is checked to be one of the target.
    town.gt(["mq", "bisect", "web", "--good", "HEAD~99"])
        .fails("is not one of the last");
    // A gate that no commit passes accuses no one.
    town.gate("web", "false");
    let none = town.gt(["mq", "bisect", "web", "--json"]).ok().json();
    assert_eq!(none["outcome"], "nothing_passes", "{none}");
}

#[test]
fn the_reason_why_a_request_is_not_merged_comes_first() {
    let (worker, request) = handed_in();
    let (town, bead) = (&worker.town, worker.bead.as_str());
    let first_line = |id: &str| {
        let why = town.gt(["why", id]).ok().out;
        why.lines().next().unwrap_or_default().to_owned()
    };
    let ready = format!("{request} is ready to merge, and so are 0 other requests");
    assert_eq!(first_line(bead), ready);
    let why = town.gt(["why", &request]).ok().out;
    assert!(why.contains("→ gt daemon start"), "{why}");
    town.gate("web", "exit 3");
    let outcome = worker.merge();
    assert_eq!(outcome["outcome"], "target_broken", "{outcome}");
    let task = outcome["task"].as_str().unwrap();
    let broken = format!("{request}: main fails its own gates, and waits for {task} (open)");
    let first = first_line(bead);
    assert!(first.starts_with(&broken), "{first}");
    let listed = town.gt(["mq", "list", "--json"]).ok().json();
    assert_eq!(
        listed[0]["next_steps"],
        json!([format!("gt sling {task} web")])
    );
    assert_eq!(listed[0]["rig"], "web");
    let counts = town.gt(["status", "--json"]).ok().json()["rigs"][0]["mq"].clone();
    assert_eq!(
        counts,
        json!({ "pending": 0, "blocked": 1, "needs_person": 0 })
    );
    // A task that is queued is not offered for a sling.
    town.gt(["scheduler", "pause"]).ok();
    town.gt(["sling", task, "web"]).ok();
    let why = town.gt(["why", bead]).ok().out;
    assert!(!why.contains(&format!("gt sling {task}")), "{why}");
}

#[test]
fn a_gate_that_cannot_run_needs_a_person_and_several_requests_are_retried_at_once() {
    let (worker, request) = handed_in();
    let town = &worker.town;
    town.gate("web", "no-such-program");
    worker.merge();
    let counts = town.gt(["status", "--json"]).ok().json()["rigs"][0]["mq"].clone();
    assert_eq!(counts["needs_person"], 1, "{counts}");
    let problems = town.gt(["status", "--json"]).ok().json()["problems"].to_string();
    assert!(
        problems.contains("The gate check of rig web cannot run"),
        "{problems}"
    );
    let set = "gt config set merge_queue.gates.check.cmd";
    assert!(problems.contains(set), "{problems}");
    let why = town.gt(["why", &worker.bead]).ok().out;
    let first = why.lines().next().unwrap_or_default();
    assert_eq!(first.matches("cannot run").count(), 1, "{why}");
    let output = "| sh: 1: no-such-program";
    assert!(why.contains(set) && why.contains("| sh:"), "{why}");
    let shown = town.gt(["mq", "status", &worker.bead]).ok().out;
    assert!(
        shown.contains(&output[..6]) && shown.contains(set),
        "{shown}"
    );
    let wrong = [&request, "web-mr-none"].map(String::from);
    town.gt(["mq", "retry", &wrong[0], &wrong[1]])
        .fails("web-mr-none");
    let retried = town.gt(["mq", "retry", "web", &request, &request, "--json"]);
    let retried = retried.ok().json();
    assert!(retried[0]["was"].is_string(), "{retried}");
    assert_eq!(retried[1]["was"], json!(null));
    // The other request that the same gate stops is named.
    let other = hand_in_another(&worker);
    town.gt(["mq", "run", "web"]).ok();
    let retried = town.gt(["mq", "retry", &request, "--json"]).ok().json();
    assert_eq!(retried["with_it"], json!([other]));
    let retried = town.gt(["mq", "retry", &other]).ok().out;
    assert!(!retried.contains(&request), "it waits no more: {retried}");
}

/// Hands in the work of a second worker of the rig; gives the request.
fn hand_in_another(worker: &Worker) -> String {
    let town = &worker.town;
    let bead = town.bead("web", "More work");
    let name = town.sling(&bead);
    let sandbox = town.sandbox(&name);
    std::fs::write(sandbox.join("more.txt"), "more\n").unwrap();
    town.git_at(&sandbox, ["add", "-A"]).ok();
    town.git_at(&sandbox, ["commit", "-qm", "More"]).ok();
    let done = ["done", "--stay", "--summary", "done", "--json"];
    let report = town.gt_as(&name, done).ok().json();
    report["request"].as_str().unwrap().to_owned()
}

#[test]
fn a_request_that_is_rejected_while_its_batch_is_checked_is_not_merged() {
    let (worker, request) = handed_in();
    let town = &worker.town;
    let rejected = hand_in_another(&worker);
    let (begun, go) = (town.path("begun"), town.path("go"));
    let wait = "while [ ! -e GO ]; do sleep 0.05; done";
    let gate = format!("touch '{}'; {wait}", begun.display());
    town.gate("web", &gate.replace("GO", &format!("'{}'", go.display())));
    let mut run = town.gt(["mq", "run", "web"]).start();
    eventually("the batch is checked", || begun.exists().then_some(()));
    let rows = worker.requests();
    assert!(
        rows.iter().all(|row| row["status"] == "merging"),
        "{rows:?}"
    );
    town.gt(["mq", "reject", &rejected, "-r", "No"]).ok();
    std::fs::write(go, "").unwrap();
    assert!(run.wait().unwrap().success());
    assert_eq!(town.events("merge_batch").len(), 1);
    let closed = town.show("web", &request);
    assert_eq!(closed["status"], "closed", "{closed}");
    let closed = town.show("web", &rejected)["close_reason"].clone();
    assert_eq!(closed, "Rejected by overseer: No");
    assert_eq!(worker.origin.subjects("main").len(), 1);
    // Daemon edge case 96: the branch of a merged worker is deleted, others stay.
    let branches = town.git_at(&worker.sandbox, ["ls-remote", "--heads", "origin"]);
    let branches = branches.ok().out;
    let branch = |id: &str| {
        let found = town.gt(["mq", "status", id, "--json"]).ok().json();
        found["branch"].as_str().unwrap().to_owned()
    };
    assert!(!branches.contains(&branch(&request)), "{branches}");
    assert!(branches.contains("refs/heads/main"), "{branches}");
}

/// Daemon edge case 95.
#[test]
fn children_of_a_gate_end_when_it_times_out_or_its_command_is_ended() {
    let (worker, request) = handed_in();
    let town = &worker.town;
    let file = town.path("child");
    let gate = |timeout: &str| {
        let command = format!("sleep 600 & echo $! > '{}'; wait", file.display());
        let check = json!({ "cmd": command, "timeout": timeout });
        town.set_rig_setting("web", "merge_queue", json!({ "gates": { "check": check } }));
    };
    let read_child = || {
        let text = std::fs::read_to_string(&file).ok();
        text.filter(|text| text.ends_with('\n'))
    };
    let wait_for_end = || {
        let child = read_child().unwrap();
        let stat = format!("/proc/{}/stat", child.trim());
        eventually("the child has ended", || {
            let stat = std::fs::read_to_string(&stat).ok();
            // Another process may have got its number in the meantime.
            let is_running = |stat: String| stat.contains("(sleep)") && !stat.contains(") Z ");
            (!stat.is_some_and(is_running)).then_some(())
        });
        std::fs::remove_file(&file).unwrap();
    };
    gate("10m");
    let mut run = town.gt(["mq", "run", "web"]).start();
    eventually("the gate runs", read_child);
    let pid = run.id().to_string();
    town.program_on_path("kill").args(["-INT", &pid]).ok();
    assert!(!run.wait().unwrap().success());
    wait_for_end();
    assert_eq!(town.show("web", &request)["status"], "open");
    gate("1s");
    // Without the work, the target fails the same gate.
    assert_eq!(worker.merge()["outcome"], "target_broken");
    wait_for_end();
}

#[test]
fn the_task_of_a_failed_merge_gets_no_convoy_of_its_own() {
    let (worker, _) = handed_in();
    let town = &worker.town;
    town.gate("web", "exit 3");
    let outcome = worker.merge();
    let task = outcome["task"].as_str().unwrap().to_owned();
    let convoys = || town.gt(["convoy", "list", "--json"]).ok().json();
    let before = convoys();
    town.gt(["sling", &task, "web"]).ok();
    assert_eq!(town.status_of("web", &task), "hooked");
    let after = convoys();
    assert_eq!(
        after.as_array().unwrap().len(),
        before.as_array().unwrap().len(),
        "{after}"
    );
}

/// A crew member with a clone on a branch, and a bead.
fn crew_with_branch(name: &str) -> (Town, town_tests::Repo, std::path::PathBuf, String) {
    let (town, origin) = Town::with_rig();
    town.gt(["crew", "add", "dana", "--rig", "web"]).ok();
    let clone = town.root().join("web/crew/dana");
    let bead = town.bead("web", "Work of the crew");
    let branch = name.replace("BEAD", &bead);
    town.git_at(&clone, ["switch", "-q", "-c", &branch]).ok();
    (town, origin, clone, bead)
}

fn commit_in(town: &Town, clone: &std::path::Path, file: &str) {
    std::fs::write(clone.join(file), file).unwrap();
    town.git_at(clone, ["add", file]).ok();
    town.git_at(clone, ["commit", "-q", "-m", file]).ok();
}

#[test]
fn a_branch_of_crew_is_merged_for_the_bead_in_its_name() {
    let (town, origin, clone, bead) = crew_with_branch("fix/BEAD-words");
    let submit = || town.gt_at(&clone, ["mq", "submit", "--json", "-s", "Better words"]);
    submit().fails("has no commit that main lacks");
    commit_in(&town, &clone, "words.txt");
    std::fs::write(clone.join("draft.txt"), "draft").unwrap();
    submit().fails("1 file not committed: draft.txt");
    std::fs::remove_file(clone.join("draft.txt")).unwrap();
    let overlay = town.root().join("web/.runtime/overlay");
    std::fs::create_dir_all(&overlay).unwrap();
    std::fs::write(overlay.join("secret.env"), "secret.env").unwrap();
    commit_in(&town, &clone, "secret.env");
    submit().fails("the commits hold secret.env");
    town.git_at(&clone, ["reset", "-q", "--hard", "HEAD~1"])
        .ok();
    let submitted = submit().ok().json();
    assert_eq!(submitted["bead"], bead.as_str());
    assert_eq!(submitted["commits"], 1);
    let request = submitted["request"].as_str().unwrap();
    assert_eq!(town.status_of("web", &bead), "in_progress");
    submit().fails(&format!("already in the queue as {request}"));
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged[0]["outcome"], "merged", "{merged}");
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.file("main", "words.txt"), "words.txt");
    // The branch is the user's.
    let branch = format!("fix/{bead}-words");
    assert_eq!(origin.file(&branch, "words.txt"), "words.txt");
    commit_in(&town, &clone, "more.txt");
    submit().fails("has the id of no open bead of rig web");
    let next = town.bead("web", "More words");
    let again = town.gt_at(&clone, ["mq", "submit", "--issue", &next, "--json"]);
    assert_ne!(again.ok().json()["request"], request);
    let merged = town.gt(["mq", "run", "web", "--json"]).ok().json();
    assert_eq!(merged[0]["outcome"], "merged", "{merged}");
}

#[test]
fn a_branch_that_is_not_fit_for_the_queue_is_not_pushed() {
    let (town, origin, clone, bead) = crew_with_branch("topic");
    commit_in(&town, &clone, "topic.txt");
    let submit = |more: &[&str]| {
        let words = ["mq", "submit"].iter().chain(more).copied();
        town.gt_at(&clone, words)
    };
    submit(&[]).fails("give it with `gt mq submit --issue ID`");
    let other_prefix = bead.replacen("web-", "xx-", 1);
    submit(&["--issue", &other_prefix]).fails("not found");
    submit(&["--issue", &bead, "--branch", "main"]).fails("main is the target itself");
    submit(&["--issue", &bead, "--branch", "none"]).fails("branch none does not exist");
    town.script("while :; do sleep 1; done");
    let held = town.bead("web", "Of a worker");
    let worker = town.sling(&held);
    town.gt_as(&worker, ["mq", "submit"])
        .fails("hands in its work with `gt done`");
    submit(&["--issue", &held]).fails("is on the hook of");
    let record = town
        .gt(["polecat", "status", &worker, "--json"])
        .ok()
        .json();
    let agent = format!("web-web-polecat-{}", record["name"].as_str().unwrap());
    submit(&["--issue", &agent]).fails("is a record of the town");
    // The history of another repository is not pushed, although it has a branch main.
    let foreign = town.add_rig("api", "api");
    foreign.commit("api.txt", "api", "Begin api");
    town.gt(["crew", "add", "dana", "--rig", "api"]).ok();
    let api = town.root().join("api/crew/dana");
    town.git_at(&api, ["switch", "-q", "-c", "topic"]).ok();
    commit_in(&town, &api, "foreign.txt");
    town.gt_at(&api, ["mq", "submit", "--rig", "web", "--issue", &bead])
        .fails("is no clone of rig web");
    assert_eq!(origin.git(["branch", "--list", "topic"]), "");
    // Someone else has pushed to the branch.
    let other = town.path("other");
    town.git_at(
        &town.path("home"),
        ["clone", "-q", origin.url(), other.to_str().unwrap()],
    )
    .ok();
    town.git_at(&other, ["switch", "-q", "-c", "topic"]).ok();
    commit_in(&town, &other, "other.txt");
    town.git_at(&other, ["push", "-q", "origin", "topic"]).ok();
    submit(&["--issue", &bead]).fails("has commits that yours lacks");
    assert_eq!(origin.file("topic", "other.txt"), "other.txt");
}

#[test]
fn a_user_who_resolves_a_conflict_lands_the_work_of_the_worker() {
    let (worker, request) = handed_in();
    let (town, origin) = (&worker.town, &worker.origin);
    origin.commit("work.txt", "theirs", "Their work");
    let outcome = worker.merge();
    assert_eq!(outcome["outcome"], "conflict", "{outcome}");
    let task = outcome["task"].as_str().unwrap().to_owned();
    town.gt(["crew", "add", "dana", "--rig", "web"]).ok();
    let clone = town.root().join("web/crew/dana");
    town.git_at(&clone, ["switch", "-q", "-c", "resolve"]).ok();
    let tip = town.gt(["mq", "status", &request, "--json"]).ok().json()["commits"][0].clone();
    let repo = town.root().join("web/.repo.git");
    let fetch = ["fetch", "-q", repo.to_str().unwrap(), tip.as_str().unwrap()];
    town.git_at(&clone, fetch).ok();
    town.git_at(
        &clone,
        [
            "merge",
            "-q",
            "-s",
            "ours",
            "-m",
            "Resolve",
            tip.as_str().unwrap(),
        ],
    )
    .ok();
    commit_in(town, &clone, "work.txt");
    town.gt_at(&clone, ["mq", "submit", "--issue", &task]).ok();
    town.gt(["mq", "run", "web"]).ok();
    for id in [task.as_str(), &request, &worker.bead] {
        assert_eq!(town.status_of("web", id), "closed", "{id}");
    }
}
