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
    let screen = town.gt(["compact"]).ok();
    assert!(
        screen.out.contains("bytes of events kept"),
        "{}",
        screen.out
    );
}
