//! `gt scheduler`: queued beads go to workers in turn, as far as the town has room.

use serde_json::json;
use town_tests::{Town, eventually};

use crate::screens::assert_running_screen;

/// A town with beads whose workers never finish.
pub(crate) fn town_with_beads(count: usize) -> (Town, Vec<String>) {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let beads = (0..count).map(|number| town.bead("web", &format!("Work {number}")));
    let beads = beads.collect();
    (town, beads)
}

pub(crate) fn count_status(town: &Town, beads: &[String], status: &str) -> usize {
    let is = |bead: &&String| town.status_of("web", bead) == status;
    beads.iter().filter(is).count()
}

#[test]
fn a_sling_of_many_beads_queues_them_and_the_daemon_starts_them() {
    let (town, beads) = town_with_beads(12);
    town.up();
    let words = beads.iter().map(String::as_str);
    let slung = town
        .gt(["sling"].into_iter().chain(words).chain(["web", "--json"]))
        .ok()
        .json();
    let slung = slung.as_array().unwrap();
    let queued = slung
        .iter()
        .filter(|one| one["waits_for"] == json!(["its turn"]));
    assert_eq!(queued.count(), 12, "{slung:?}");
    let convoys = town.gt(["convoy", "list", "--json"]).ok().json();
    assert_eq!(convoys.as_array().unwrap().len(), 1);
    // The rig has room for 10 workers.
    eventually("10 workers", || {
        (count_status(&town, &beads, "hooked") == 10).then_some(())
    });
    let report = town.gt(["scheduler", "status", "--json"]).ok().json();
    assert_eq!(report["queued_total"], 2, "{report}");
    assert_eq!(report["active_polecats"], 10, "{report}");
}

#[test]
fn workers_of_a_parked_rig_take_no_room_of_the_town_and_a_full_rig_is_named() {
    let (town, beads) = town_with_beads(1);
    town.add_rig("api", "api");
    let set = |args: &[&str]| town.gt(["config", "set"].iter().chain(args).copied()).ok();
    set(&["scheduler.max_polecats", "1", "--town"]);
    town.gt(["sling", &beads[0], "web"]).ok();
    let (first, second) = (town.bead("api", "First"), town.bead("api", "Second"));
    town.gt(["sling", &first, "api"]).ok();
    assert_eq!(town.status_of("api", &first), "open");
    town.gt(["rig", "park", "web"]).ok();
    town.patrol();
    assert_eq!(town.status_of("api", &first), "hooked");
    set(&["scheduler.max_polecats", "5", "--town"]);
    set(&["max_polecats", "1", "--rig", "api"]);
    town.gt(["sling", &second, "api"]).ok();
    let reason = "rig api has 1 worker at work (setting max_polecats: 1)";
    for command in [["scheduler", "status"], ["why", &second]] {
        let said = town.gt(command).ok().out;
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_limit_of_an_agent_or_an_account_delays_only_beads_that_use_it() {
    let (town, beads) = town_with_beads(4);
    town.agent("other", "work");
    let set = |key: &str, value: &str| town.gt(["config", "set", key, value]).ok();
    let slip = ["config", "set", "scheduler.max_per_agent.workr", "1"];
    town.gt(slip)
        .fails("there is no agent `workr` (did you mean worker");
    let slip = ["config", "set", "scheduler.max_per_account.work", "1"];
    town.gt(slip).fails("there is no account `work`");
    let list = town.gt(["config", "list"]).ok().out;
    assert!(list.contains("scheduler.max_per_agent.* = "), "{list}");
    set("scheduler.max_per_agent.worker", "1");
    town.gt(["sling", &beads[0], "web"]).ok();
    let waits = town.gt(["sling", &beads[1], "web", "--json"]).ok().json();
    let reason = "1 worker at work with agent worker (setting scheduler.max_per_agent.worker: 1)";
    assert_eq!(
        waits[0]["waits_for"],
        json!([format!("room ({reason})")]),
        "{waits}"
    );
    for command in [["scheduler", "status"], ["why", &beads[1]]] {
        let said = town.gt(command).ok().out;
        assert!(said.contains(reason), "{said}");
    }
    let why = town.gt(["why", &beads[1]]).ok().out;
    let next = "gt config set scheduler.max_per_agent.worker N";
    assert!(why.contains(next), "{why}");
    // A bead behind it uses another program.
    town.gt(["scheduler", "pause"]).ok();
    town.gt(["sling", &beads[2], "web", "--agent", "other"])
        .ok();
    town.gt(["scheduler", "resume"]).ok();
    town.patrol();
    assert_eq!(count_status(&town, &beads[..3], "hooked"), 2);
    assert_eq!(town.status_of("web", &beads[1]), "open");
    town.gt(["account", "add", "work"]).ok();
    set("scheduler.max_per_account.work", "2");
    town.gt(["account", "default", "work"]).ok();
    let waits = town.gt(["sling", &beads[3], "web", "--agent", "other"]);
    assert!(waits.ok().out.contains("at work with account work"));
    set("scheduler.max_per_account.work", "0");
    set("scheduler.max_per_agent.worker", "2");
    town.patrol();
    assert_eq!(count_status(&town, &beads, "hooked"), 4);
}

#[test]
fn a_stopped_town_is_the_reason_for_queued_beads() {
    let (town, beads) = town_with_beads(1);
    town.gt(["scheduler", "pause"]).ok();
    town.gt(["sling", &beads[0], "web"]).ok();
    town.gt(["scheduler", "resume"]).ok();
    town.gt(["estop", "--reason", "Fire"]).ok();
    let report = town.gt(["scheduler", "status", "--json"]).ok().json();
    assert_eq!(report["obstacle"]["kind"], "stopped", "{report}");
    let text = town.gt(["scheduler", "status"]).ok().out;
    assert!(text.contains("the town is stopped: Fire"), "{text}");
    assert!(text.contains("gt thaw"), "{text}");
}

#[test]
fn a_paused_scheduler_queues_and_starts_no_worker() {
    let (town, beads) = town_with_beads(2);
    town.gt(["scheduler", "pause", "-r", "Weekend"]).ok();
    let status = town.gt(["status"]).ok().out;
    assert!(status.contains("the scheduler is paused by"), "{status}");
    let ids = [(beads[0].as_str(), "web-one")];
    let sling = town.gt(["sling", &beads[0], "web"]);
    assert_running_screen("gt-sling-paused", sling, &ids);
    town.patrol();
    assert_eq!(town.status_of("web", &beads[0]), "open");
    assert!(town.sessions().is_empty());
    let report = town.gt(["scheduler", "status"]);
    assert_running_screen("gt-scheduler-status-paused", report, &ids);
    let why = town.gt(["why", &beads[0]]).ok().out;
    assert!(why.contains("the scheduler is paused by overseer"), "{why}");
    town.gt(["scheduler", "run"]).ok();
    assert_eq!(town.status_of("web", &beads[0]), "open");
    let again = town.gt(["scheduler", "pause"]).ok().out;
    assert!(again.contains("was paused already"), "{again}");
    town.gt(["scheduler", "resume"]).ok();
    let planned = town
        .gt(["scheduler", "run", "--dry-run", "--json"])
        .ok()
        .json();
    assert_eq!(
        planned,
        json!([{ "bead": beads[0], "rig": "web", "failed": false }])
    );
    town.gt(["scheduler", "run"]).ok();
    assert_eq!(town.status_of("web", &beads[0]), "hooked");
}

#[test]
fn the_limit_of_the_town_holds_over_all_rigs_and_the_urgent_rig_goes_first() {
    let (town, beads) = town_with_beads(2);
    town.add_rig("api", "api");
    town.gt(["config", "set", "scheduler.max_polecats", "2"])
        .ok();
    let set = |name, value| town.gt(["config", "set", name, value, "--rig", "api"]).ok();
    set("scheduler.priority", "4");
    set("priority_adjustment", "-3");
    let (first, second) = (town.bead("api", "One"), town.bead("api", "Two"));
    town.gt(["sling", &beads[0], "web"]).ok();
    town.gt(["sling", &first, "api"]).ok();
    let queued = town.gt(["sling", &beads[1], "web"]).ok().out;
    let reason = "2 workers at work in the town (setting scheduler.max_polecats: 2)";
    assert!(queued.contains(reason), "{queued}");
    town.gt(["sling", &second, "api"]).ok();
    town.patrol();
    assert_eq!(town.sessions().len(), 2);
    let listed = town.gt(["scheduler", "list", "--json"]).ok().json();
    let ids: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [second.as_str(), beads[1].as_str()]);
    town.gt(["unsling", &beads[0]]).ok();
    town.patrol();
    assert_eq!(town.status_of("api", &second), "hooked");
    assert_eq!(town.status_of("web", &beads[1]), "open");
}

#[test]
fn a_machine_without_memory_starts_no_worker_and_says_so() {
    let (town, beads) = town_with_beads(1);
    let huge = "99999999999";
    town.gt(["config", "set", "scheduler.min_free_memory_mb", huge])
        .ok();
    town.gt(["sling", &beads[0], "web"]).ok();
    town.patrol();
    let why = town.gt(["why", &beads[0]]).ok().out;
    assert!(why.contains("MiB of memory are free"), "{why}");
    town.gt(["config", "set", "scheduler.min_free_memory_mb", "0"])
        .ok();
    town.patrol();
    assert_eq!(town.status_of("web", &beads[0]), "hooked");
}

#[test]
fn cleared_beads_stay_open_and_are_not_started() {
    let (town, beads) = town_with_beads(2);
    town.gt(["scheduler", "pause"]).ok();
    for bead in &beads {
        town.gt(["sling", bead, "web"]).ok();
    }
    town.gt(["scheduler", "clear", "--bead", "web-none"])
        .fails("web-none is not queued: not found");
    town.gt(["scheduler", "clear", "--bead", &beads[0]]).ok();
    town.gt(["scheduler", "resume"]).ok();
    town.patrol();
    assert_eq!(town.status_of("web", &beads[0]), "open");
    assert_eq!(town.status_of("web", &beads[1]), "hooked");
}

#[test]
fn a_forced_blocked_bead_does_not_wait_in_the_queue_for_its_blocker() {
    let (town, beads) = town_with_beads(7);
    town.bd("web", ["dep", "add", &beads[1], &beads[0]]).ok();
    town.gt(["scheduler", "pause"]).ok();
    town.gt(["sling", &beads[1], "web", "--force"])
        .fails("no worker is started: the scheduler is paused by overseer");
    let listed = town.gt(["scheduler", "list", "--json"]).ok().json();
    assert_eq!(listed, json!([]));
    town.gt(["scheduler", "resume"]).ok();
    town.up();
    let words = beads[1..].iter().map(String::as_str);
    town.gt(["sling"].into_iter().chain(words).chain(["web", "--force"]))
        .ok();
    // The daemon starts what the sling queued.
    eventually("the blocked bead is started", || {
        (town.status_of("web", &beads[1]) == "hooked").then_some(())
    });
}

#[test]
fn a_sling_of_many_beads_starts_them_itself_while_the_patrol_is_paused() {
    let (town, beads) = town_with_beads(6);
    town.up();
    town.gt(["deacon", "pause"]).ok();
    let words = beads.iter().map(String::as_str);
    town.gt(["sling"].into_iter().chain(words).chain(["web"]))
        .ok();
    assert_eq!(count_status(&town, &beads, "hooked"), 6);
}

#[test]
fn an_expired_timer_of_a_queued_bead_opens_without_a_person() {
    let (town, beads) = town_with_beads(1);
    let bead = &beads[0];
    let gate = ["gate", "create", "--type", "timer", "--timeout", "3s"];
    let blocks = ["--blocks", bead.as_str(), "--json"];
    town.bd("web", gate.into_iter().chain(blocks)).ok();
    town.gt(["sling", bead, "web"]).ok();
    town.up();
    eventually("the bead starts", || {
        (town.status_of("web", bead) == "hooked").then_some(())
    });
}
