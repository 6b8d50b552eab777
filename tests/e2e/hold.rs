//! `gt rig park`, `dock`, `stop` and their opposites, `gt estop` and `gt thaw`.

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually};

/// What `gt why` says now about a thing.
fn why(town: &Town, what: &str) -> (String, Value) {
    let found = town.gt(["why", what, "--json"]).ok().json();
    (found["now"].to_string(), found["next_steps"].clone())
}

fn rig_of_status(town: &Town) -> Value {
    town.gt(["status", "--json"]).ok().json()["rigs"][0].clone()
}

/// The changes that every screen offers for the rig.
fn offered_for_rig(town: &Town) -> Vec<Value> {
    let overview = town.gt(["top", "--json"]).ok().json();
    let offers = overview["offers"]["rigs"]["web"].as_array().unwrap();
    let acts = offers.iter().map(|offer| offer["change"]["act"].clone());
    acts.collect()
}

/// Patrols until nothing changes.
fn settle(town: &Town) {
    for _ in 0..4 {
        town.patrol();
    }
}

#[test]
fn a_parked_rig_stops_its_workers_starts_none_and_continues_after_unpark() {
    let worker = Worker::new();
    let town = &worker.town;
    std::fs::write(worker.sandbox.join("draft.txt"), "draft").unwrap();
    let parked = town.gt(["rig", "park", "web", "--json"]).ok().json();
    let parked = &parked[0];
    assert_eq!(parked["changed"], true);
    assert_eq!(parked["stopped"][0]["bead"], worker.bead.as_str());
    assert!(parked["stopped"][0]["snapshot"].is_string(), "{parked}");
    assert!(town.sessions().is_empty());
    assert_eq!(
        std::fs::read_to_string(worker.sandbox.join("draft.txt")).unwrap(),
        "draft"
    );
    settle(town);
    assert!(town.sessions().is_empty(), "the patrol starts none");
    assert_eq!(town.mail("overseer").len(), 0, "nobody is asked about it");
    // Each screen names the reason and the command.
    let unpark = "gt rig unpark web";
    assert_eq!(rig_of_status(town)["held"]["next"], unpark);
    assert_eq!(offered_for_rig(town), ["unpark", "create_bead"]);
    for args in [
        vec!["status"],
        vec!["rig", "list"],
        vec!["rig", "status", "web"],
        vec!["why", "web"],
        vec!["why", &worker.bead],
        vec!["why", &worker.name],
    ] {
        let said = town.gt(args.clone()).ok().out;
        assert!(
            said.contains("rig web is parked") && said.contains(unpark),
            "{args:?}: {said}"
        );
    }
    let retry = town.gt(["crew", "add", "max", "--rig", "web"]);
    retry.ok();
    let refused = town.gt(["crew", "start", "web/max"]).run();
    assert!(
        refused.code != 0 && refused.err.contains(unpark),
        "{}",
        refused.err
    );
    let again = town.gt(["rig", "park", "web"]).ok().out;
    assert!(again.contains("rig web is parked already"), "{again}");
    town.gt(["rig", "unpark", "web"]).ok();
    eventually("its worker is started again", || {
        town.patrol();
        (town.sessions().len() == 1).then_some(())
    });
    assert!(rig_of_status(town)["held"].is_null());
    assert_eq!(offered_for_rig(town), ["park", "create_bead"]);
    let (now, _) = why(town, &worker.bead);
    assert!(!now.contains("parked"), "{now}");
}

#[test]
fn work_for_a_parked_rig_is_queued_and_its_merge_queue_waits() {
    let worker = Worker::new();
    let town = &worker.town;
    worker.commit("work.txt");
    town.gt_as(&worker.name, ["done"]).ok();
    town.gt(["rig", "stop", "web"]).ok();
    let bead = town.bead("web", "Later");
    let convoy = town.gt(["convoy", "create", "C", &bead, "--json"]);
    let convoy = convoy.ok().json()["id"].as_str().unwrap().to_owned();
    let slung = town.gt(["sling", &bead, "web"]).ok().out;
    assert!(slung.contains("waits for `gt rig unpark web`"), "{slung}");
    town.gt(["sling", &bead, &worker.name])
        .fails("rig web is parked");
    town.gt(["mq", "run", "web"]).fails("rig web is parked");
    settle(town);
    assert!(town.sessions().is_empty());
    assert_ne!(town.status_of("web", &worker.bead), "closed");
    let status = town.gt(["convoy", "status", &convoy, "--json"]).ok().json();
    let tracked = &status[0]["tracked"][0];
    assert_eq!(tracked["why"], "rig web is parked", "{status}");
    assert_eq!(tracked["next_steps"], json!(["gt rig unpark web"]));
    let stranded = town.gt(["convoy", "stranded", "--json"]).ok().json();
    assert_eq!(stranded, json!([]));
    town.script("echo x > x.txt; git add . && git commit -qm x && gt done");
    town.gt(["rig", "start", "web"]).ok();
    eventually("both are merged", || {
        town.patrol();
        let is_closed = |id: &str| town.status_of("web", id) == "closed";
        (is_closed(&worker.bead) && is_closed(&bead)).then_some(())
    });
}

#[test]
fn a_rig_docked_elsewhere_is_stopped_by_the_patrol() {
    let worker = Worker::new();
    let town = &worker.town;
    // As a sync from another machine brings it.
    town.bd("web", ["label", "add", "web-rig-web", "status:docked"])
        .ok();
    settle(town);
    assert!(town.sessions().is_empty());
    let events = town.events("patrol");
    let rules: Vec<&Value> = events
        .iter()
        .map(|event| &event["payload"]["rule"])
        .collect();
    assert!(rules.contains(&&json!("H1-stop-held")), "{rules:?}");
    town.gt(["rig", "unpark", "web"]).run();
    town.gt(["rig", "undock", "web"]).ok();
    eventually("its worker is started again", || {
        town.patrol();
        (town.sessions().len() == 1).then_some(())
    });
    town.gt(["rig", "dock", "web"]).ok();
    // Only `gt rig undock` starts a docked rig.
    assert_eq!(offered_for_rig(town), ["create_bead"]);
    let bead = town.show("web", "web-rig-web");
    assert!(
        bead["labels"].to_string().contains("status:docked"),
        "{bead}"
    );
    // Ending a park does not end the dock.
    town.gt(["rig", "park", "web"]).ok();
    let still = town.gt(["rig", "unpark", "web"]).run();
    assert!(
        still.code == 1 && still.out.contains("gt rig undock web"),
        "{}",
        still.out
    );
}

#[test]
fn an_emergency_stop_ends_every_session_until_the_town_is_thawed() {
    let worker = Worker::new();
    let town = &worker.town;
    let stay = json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting(
        "agents",
        json!({ "stay": stay, "worker": town_agent(town) }),
    );
    town.gt(["mayor", "start", "--agent", "stay"]).ok();
    let stopped = town.gt(["estop", "-r", "too hot", "--json"]).ok().json();
    assert_eq!(stopped["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(stopped["stopped"][0]["bead"], worker.bead.as_str());
    settle(town);
    assert!(town.sessions().is_empty());
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("the town is stopped: too hot") && status.contains("gt thaw"),
        "{status}"
    );
    let doctor = town.gt(["doctor"]).run().out;
    assert!(doctor.contains("gt thaw ends the stop"), "{doctor}");
    let start = town.gt(["mayor", "start", "--agent", "stay"]).run();
    assert!(
        start.code != 0 && start.err.contains("gt thaw"),
        "{}",
        start.err
    );
    let (now, next) = why(town, &worker.bead);
    assert!(now.contains("too hot"), "{now}");
    assert!(next.to_string().contains("gt thaw"), "{next}");
    let file = std::fs::read_to_string(town.root().join("ESTOP")).unwrap();
    assert_eq!(file.split('\t').count(), 3, "{file}");
    town.gt(["thaw"]).ok();
    eventually("its worker is started again", || {
        town.patrol();
        (town.sessions().len() == 1).then_some(())
    });
    let none = town.gt(["thaw"]).ok().out;
    assert!(none.contains("the town was not stopped"), "{none}");
}

#[test]
fn an_emergency_stop_ends_sessions_whose_beads_cannot_be_read() {
    let worker = Worker::new();
    let town = &worker.town;
    let beads = town.root().join("web/.beads");
    let aside = town.root().join("web/.beads-aside");
    std::fs::rename(&beads, &aside).unwrap();
    town.gt(["estop"]).fails("web");
    assert!(town.sessions().is_empty());
    std::fs::rename(&aside, &beads).unwrap();
    town.gt(["thaw"]).ok();
}

/// The settings of the scripted agent.
fn town_agent(town: &Town) -> Value {
    let path = town.root().join("settings/config.json");
    let settings: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    settings["agents"]["worker"].clone()
}

#[test]
fn a_restart_of_a_rig_ends_sessions_that_the_patrol_starts_again() {
    let worker = Worker::new();
    let town = &worker.town;
    std::fs::write(worker.sandbox.join("draft.txt"), "draft").unwrap();
    let ended = town.gt(["rig", "reboot", "web", "--json"]).ok().json();
    assert_eq!(ended[0]["stopped"][0]["bead"], worker.bead.as_str());
    eventually("its worker is started again", || {
        town.patrol();
        (town.sessions().len() == 1).then_some(())
    });
    assert!(worker.sandbox.join("draft.txt").exists());
    town.gt(["rig", "park", "nosuch"]).fails("no rig `nosuch`");
}
