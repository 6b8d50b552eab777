//! `gt compact`: the retention policies of a town.

use std::fs;
use std::time::Duration;

use serde_json::Value;
use town_tests::{Town, Worker};

/// Returns the report of a policy for the rig `web`.
fn report(reports: &Value, what: &str) -> Value {
    let all = reports.as_array().unwrap();
    let is_it = |report: &&Value| report["place"] == "web" && report["what"] == what;
    all.iter().find(is_it).unwrap().clone()
}

#[test]
fn only_what_is_past_its_policy_is_removed_and_saved_work_stays() {
    let worker = Worker::new();
    let town: &Town = &worker.town;
    let logs = town.root().join("web/.runtime/gates");
    fs::create_dir_all(&logs).unwrap();
    for (name, days) in [("old.log", 100), ("new.log", 10)] {
        fs::write(logs.join(name), "output\n").unwrap();
        let file = fs::File::options()
            .write(true)
            .open(logs.join(name))
            .unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        let at = written - Duration::from_secs(days * 86_400);
        file.set_modified(at).unwrap();
    }
    worker.commit_text("a.txt", "a\n");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    fs::write(worker.sandbox.join("draft.txt"), "draft\n").unwrap();
    town.gt(["polecat", "nuke", &worker.name, "--force"]).ok();
    let count = |reports: &Value, what: &str| report(reports, what)["count"].as_u64().unwrap();

    let planned = town.gt(["compact", "--dry-run", "--json"]).ok().json();
    assert_eq!(count(&planned, "logs of gates"), 1);
    assert!(logs.join("old.log").exists());

    let done = town.gt(["compact", "--json"]).ok().json();
    assert_eq!(count(&done, "logs of gates"), 1);
    assert_eq!(count(&done, "closed beads"), 0);
    assert_eq!(count(&done, "rescues"), 0);
    assert!(!logs.join("old.log").exists());
    assert!(logs.join("new.log").exists());
    let saved = town.gt(["rescue", "list", "--json"]).ok().json();
    assert_eq!(saved.as_array().unwrap().len(), 1, "{saved}");
    assert_eq!(
        count(&town.gt(["compact", "--json"]).ok().json(), "refs"),
        0
    );

    // With an age, saved work and closed beads go too.
    town.gt(["config", "set", "retention.rescues", "1h", "--rig", "web"])
        .ok();
    town.gt(["config", "set", "patrol.archive_age", "1h", "--town"])
        .ok();
    let later = town.gt_in(600, ["compact", "--json"]).ok().json();
    assert_eq!(count(&later, "rescues"), 1);
    assert!(count(&later, "closed beads") > 0);
    assert_eq!(worker.shown()["status"], "closed", "the archive has it");
    let stats = town.gt(["mq", "stats", "web", "--since", "60d", "--json"]);
    assert_eq!(stats.ok().json()["merged"], 1, "with the archive");
    let screen = town.gt(["compact"]).ok();
    assert!(
        screen.out.contains("bytes of events kept"),
        "{}",
        screen.out
    );
}

#[test]
fn records_and_history_of_an_earlier_version_are_shortened_without_losing_an_answer() {
    let worker = Worker::new();
    let town: &Town = &worker.town;
    worker.commit_text("a.txt", "a\n");
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    // The form of an earlier version: all entries in the metadata of the worker's identity bead.
    let folder = town.root().join("web/.beads");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let entry = |number: usize| {
        serde_json::json!({"bead": format!("we-old{number}"), "outcome": "no_change",
            "at": format!("2025-01-01T00:00:00.{number:03}Z"), "seconds": 9, "sessions": 1,
            "agent": "codex"})
    };
    let name = worker.name.rsplit('/').next().unwrap();
    let identity = || {
        let issues = read("issues.jsonl");
        let mut lines = issues.lines();
        let is_identity = |line: &&str| line.contains(&format!("-polecat-{name}\",\"title\""));
        lines.find(is_identity).unwrap().to_owned()
    };
    let agent = identity().split('"').nth(3).unwrap().to_owned();
    for count in (20..=200).step_by(20) {
        let entries: Vec<Value> = (0..count).map(entry).collect();
        let metadata = serde_json::json!({ "record": entries }).to_string();
        town.bd("web", ["update", &agent, "--metadata", &metadata])
            .ok();
    }
    let answers = || {
        let status = town
            .gt(["polecat", "status", &worker.name, "--json"])
            .ok()
            .json();
        let costs = town.gt(["costs", "--by", "runtime", "--json"]).ok().json();
        let audit = town.gt(["audit", "--json", "--limit", "0"]).ok().json();
        [status["record"].clone(), costs, audit]
    };
    let before = answers();
    assert_eq!(before[0].as_array().unwrap().len(), 201);
    let planned = town.gt(["compact", "--dry-run", "--json"]).ok().json();
    let old = "old entries of worker records";
    assert_eq!(report(&planned, old)["count"], 200);

    let done = town.gt(["compact", "--json"]).ok().json();
    assert_eq!(report(&done, old)["count"], 200);
    assert!(identity().len() < 1000, "{}", identity());
    let after = answers();
    assert_eq!(after[..2], before[..2]);
    // History has what it had, and the move.
    let listed = |audit: &Value| audit.as_array().unwrap().clone();
    let (earlier, later) = (listed(&before[2]), listed(&after[2]));
    assert!(earlier.iter().all(|entry| later.contains(entry)));
    let again = town.gt(["compact", "--json"]).ok().json();
    assert_eq!(report(&again, old)["count"], 0);
}
