//! The patrol besides workers and queues: hooks of other agents, chores, alerts, slow
//! rigs, agents that all die at once. And the daemon's own files.

use serde_json::json;
use town_tests::{Town, eventually};

fn set(town: &Town, name: &str, value: &str) {
    town.gt(["config", "set", name, value]).ok();
}

/// The outcomes of a rule that acted.
fn outcomes(town: &Town, rule: &str) -> Vec<String> {
    let events = town.events("patrol").into_iter();
    let its = events.filter(|event| event["payload"]["rule"] == rule);
    its.map(|event| event["payload"]["outcome"].as_str().unwrap().to_owned())
        .collect()
}

/// Whether the dog has a session.
fn runs(town: &Town, dog: &str) -> bool {
    let status = town.gt(["status", "--json"]).ok().json();
    let agents = status["agents"].as_array().unwrap();
    let found = agents.iter().find(|one| one["name"] == dog).unwrap();
    found["running"] == true
}

/// The subjects of the overseer's open messages.
fn subjects(town: &Town) -> Vec<String> {
    let mail = town.mail("overseer").into_iter();
    mail.map(|one| one["subject"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_agent_without_progress_is_reminded_once_and_then_reported() {
    let (town, _origin) = Town::with_rig();
    let cat = json!({ "cat": { "command": "cat", "prompt_mode": "none" } });
    town.set_town_setting("agents", cat);
    town.set_town_setting("role_agents", json!({ "dog": "cat", "crew": "cat" }));
    set(&town, "patrol.hook.dog", "20m");
    town.gt(["dog", "add", "rex"]).ok();
    let bead = town.bead("web", "Look at all rigs");
    town.gt(["sling", &bead, "deacon/dogs/rex"]).ok();
    town.patrol();
    assert!(outcomes(&town, "G3-nudge-hooked").is_empty());
    town.patrol_in(21 * 60);
    town.patrol_in(22 * 60);
    assert_eq!(outcomes(&town, "G3-nudge-hooked"), ["reminded"]);
    let screen = town.gt(["peek", "deacon/dogs/rex"]).ok().out;
    let said = format!("{bead} has been on your hook for 21m");
    assert!(screen.replace('\n', " ").contains(&said), "{screen}");
    assert!(subjects(&town).is_empty(), "{:?}", subjects(&town));
    town.patrol_in(43 * 60);
    let wanted = format!("deacon/dogs/rex does not get on with {bead}");
    assert_eq!(subjects(&town), [wanted]);
    assert_eq!(outcomes(&town, "G3-nudge-hooked").len(), 1);
    assert!(runs(&town, "rex"), "it is never ended");
    // The report ends when the bead is off the hook.
    town.gt(["unsling", &bead]).ok();
    town.patrol();
    assert!(subjects(&town).is_empty(), "{:?}", subjects(&town));
    town.gt(["dog", "clear", "rex", "--force"]).ok();
}

#[test]
fn chores_run_when_due_and_never_in_an_idle_town() {
    let (town, _origin) = Town::with_rig();
    let old = town.bead("web", "Done long ago");
    let closed = town.bd("web", ["close", &old]);
    closed.env("BD_NOW", "2025-01-01T00:00:00Z").ok();
    set(&town, "patrol.chore.archive", "30m");
    set(&town, "patrol.chore.stale_work", "0s");
    town.patrol();
    assert!(outcomes(&town, "T1-do-chore").is_empty());
    town.patrol_in(31 * 60);
    assert_eq!(outcomes(&town, "T1-do-chore"), ["1 bead of web archived"]);
    let all = town.bd("web", ["list", "--all", "--json"]).ok().out;
    assert!(!all.contains(&old), "{all}");
    assert_eq!(town.show("web", &old)["id"], old, "it is in the archive");
    let chores = || -> Vec<String> {
        let events = town.events("chore_done").into_iter();
        events
            .map(|one| one["payload"]["chore"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(chores(), ["archive"]);
    // Nothing happened since then but that itself: the archive is left alone, others are due for
    // the first time.
    town.patrol_in(62 * 60);
    assert_eq!(chores(), ["archive", "kennel"]);
}

/// Daemon edge case 122, and dogs that are not well by command.
#[test]
fn case_122_work_trees_of_idle_dogs_are_recreated_and_busy_ones_stay() {
    let (town, origin) = Town::with_rig();
    let stay = json!({ "stay": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } });
    town.set_town_setting("agents", stay);
    town.set_town_setting("role_agents", json!({ "dog": "stay" }));
    town.gt(["dog", "add", "rex"]).ok();
    let tree = town.root().join("deacon/dogs/rex/web");
    let bead = town.bead("web", "Look");
    town.gt(["sling", &bead, "deacon/dogs/rex"]).ok();
    town.gt(["dog", "refresh", "rex"]).fails("at work on");
    let health = |minutes, args: &[&str]| {
        let args = ["dog", "health-check", "--json"].iter().chain(args);
        town.gt_in(minutes, args.copied()).ok().json()
    };
    assert_eq!(health(0, &[]), json!([]));
    let hung = health(180, &[]);
    assert_eq!(
        (&hung[0]["condition"], &hung[0]["cleared"]),
        (&json!("hung"), &json!(false))
    );
    assert!(runs(&town, "rex"), "only reported");
    assert_eq!(health(180, &["--auto-clear"])[0]["cleared"], true);
    assert!(!runs(&town, "rex"));

    origin.commit("new.txt", "new\n", "Something new");
    std::fs::write(tree.join("draft.txt"), "half\n").unwrap();
    town.gt(["dog", "refresh", "rex"]).fails("uncommitted");
    let saved = town
        .gt(["dog", "refresh", "rex", "--force", "--json"])
        .ok()
        .json();
    assert_eq!(saved["saved"].as_array().unwrap().len(), 1);
    assert!(tree.join("new.txt").is_file());
    assert!(!tree.join("draft.txt").exists());
}

/// Daemon edge cases 2, 3 and 4: the lock says whether the daemon runs, and the pid file is only a
/// number.
#[test]
fn cases_2_3_4_stale_foreign_and_missing_pid_files_change_nothing() {
    let town = Town::new();
    let pid = town.root().join("daemon/daemon.pid");
    std::fs::create_dir_all(pid.parent().unwrap()).unwrap();
    let own = std::process::id().to_string();
    // A process that has ended, one of somebody else, nonsense, and the form that names no
    // instance.
    for text in ["999999\n", &own, "nonsense", ""] {
        std::fs::write(&pid, text).unwrap();
        let status = town.gt(["daemon", "status", "--json"]).ok().json();
        assert_eq!(
            (&status["running"], &status["pid"]),
            (&json!(false), &json!(0)),
            "{text}"
        );
        town.gt(["daemon", "stop"]).fails("no daemon runs");
    }
    std::fs::write(&pid, "999999\n").unwrap();
    town.gt(["daemon", "start"]).ok();
    let status = town.gt(["daemon", "status", "--json"]).ok().json();
    let running = status["pid"].to_string();
    assert_ne!(running, "999999");
    // While it runs, a file without its number is no reason to think it has ended.
    for text in [None, Some("nonsense")] {
        match text {
            None => std::fs::remove_file(&pid).unwrap(),
            Some(text) => std::fs::write(&pid, text).unwrap(),
        }
        let status = town.gt(["daemon", "status", "--json"]).ok().json();
        assert_eq!(status["pid"].to_string(), running);
    }
    // After a rotation the daemon writes to a new log.
    let log = town.root().join("daemon/daemon.log");
    town.gt(["daemon", "rotate-logs", "--force"]).ok();
    let first = std::fs::read_to_string(log.with_extension("log.1")).unwrap();
    assert!(first.contains("watching"), "{first}");
    let small = town.gt(["daemon", "rotate-logs", "--json"]).ok().json();
    assert_eq!(small["rotated"], false);
    town.gt(["daemon", "stop"]).ok();
    let rest = std::fs::read_to_string(&log).unwrap();
    assert!(
        rest.contains("ending") && !rest.contains("watching"),
        "{rest}"
    );
}

/// Daemon edge case 15: one slow rig.
#[test]
fn case_15_a_rig_with_an_endless_gate_does_not_block_others() {
    let (town, _web) = Town::with_rig();
    let _api = town.add_rig("api", "api");
    town.script("echo x > $GT_POLECAT.txt");
    let goes = town.path("goes");
    let gate = format!("until [ -e {} ]; do sleep 0.1; done", goes.display());
    town.gate("web", &gate);
    town.up();
    let slow = town.bead("web", "In the slow rig");
    town.sling(&slow);
    eventually("its gate runs", || {
        let list = town.gt(["mq", "list", "web", "--json"]).ok().json();
        (list.as_array().is_some_and(|all| !all.is_empty())).then_some(())
    });
    let quick = town.bead("api", "In another");
    town.gt(["sling", &quick, "api"]).ok();
    town.closed("api", &quick);
    assert_ne!(town.status_of("web", &slow), "closed");
    std::fs::write(&goes, "").unwrap();
    town.closed("web", &slow);
}

/// ACCEPTANCE: memory runs out, and the system kills every agent.
#[test]
fn agents_killed_together_by_the_system_are_restarted_and_finish() {
    let (town, _origin) = Town::with_rig();
    let go = town.path("go");
    // The first sessions wait; those that are started again find the sign and work.
    town.script(&format!(
        "[ -e {go} ] || sleep 600\necho x > $GT_POLECAT.txt",
        go = go.display()
    ));
    let beads: Vec<String> = (0..3)
        .map(|number| town.bead("web", &format!("B{number}")))
        .collect();
    for bead in &beads {
        town.sling(bead);
    }
    town.up();
    std::fs::write(&go, "").unwrap();
    assert_eq!(town.kill_all_sessions(), 3);
    for bead in &beads {
        town.closed("web", bead);
    }
    assert_eq!(outcomes(&town, "P6-respawn-stalled").len(), 3);
    // And someone hears that it was the system.
    let killed = eventually("it is reported", || {
        let all = town
            .gt(["mail", "inbox", "overseer", "--all", "--json"])
            .ok()
            .json();
        let all = all.as_array().unwrap().clone();
        all.into_iter().find(|one| {
            one["subject"]
                .as_str()
                .unwrap()
                .contains("3 sessions killed")
        })
    });
    assert!(
        killed["body"].as_str().unwrap().contains("memory"),
        "{killed}"
    );
}

#[test]
fn many_open_requests_and_many_escalations_are_reported_once() {
    let (town, _origin) = Town::with_rig();
    set(&town, "patrol.alert.requests", "2");
    set(&town, "patrol.alert.escalations", "3");
    for number in 0..2 {
        town.gt(["escalate", "-s", "low", &format!("Matter {number}")])
            .ok();
    }
    town.patrol();
    let has = |words: &str| {
        subjects(&town)
            .iter()
            .filter(|one| one.contains(words))
            .count()
    };
    assert_eq!(has("in the last hour"), 0);
    town.gt(["escalate", "-s", "low", "One more"]).ok();
    for number in 0..2 {
        let title = format!("Merge {number}");
        let labels = [
            "create",
            &title,
            "-t",
            "merge-request",
            "-l",
            "gt:merge-request",
        ];
        town.bd("web", labels).ok();
    }
    town.patrol();
    town.patrol();
    assert_eq!(
        has("3 escalations in the last hour"),
        1,
        "{:?}",
        subjects(&town)
    );
    assert_eq!(
        has("web has 2 merge requests open"),
        1,
        "{:?}",
        subjects(&town)
    );
}
