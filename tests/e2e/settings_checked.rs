//! Wrong settings: a limit, a gate or another safety rule that cannot be read stops starts and
//! merges, and every screen says why.

use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually};

/// Returns what a command prints on both streams, whatever its exit status.
fn said(town: &Town, args: &[&str]) -> String {
    let run = town.gt(args.iter().copied()).run();
    format!("{}{}", run.out, run.err)
}

/// Asserts that every screen gives the reason.
fn assert_reported(town: &Town, bead: &str, reason: &str) {
    for args in [
        vec!["status"],
        vec!["why", bead],
        vec!["why", "web"],
        vec!["rig", "status", "web"],
        vec!["mq", "list"],
        vec!["doctor"],
    ] {
        let text = said(town, &args);
        assert!(text.contains(reason), "{args:?}: {text}");
    }
    let needs = town.gt(["top", "--json"]).ok().json()["needs_you"].to_string();
    assert!(needs.contains("Nothing is started or merged"), "{needs}");
    town.patrol();
    let subjects: Vec<Value> = town
        .mail("overseer")
        .into_iter()
        .map(|mail| mail["subject"].clone())
        .collect();
    let is_about_settings = |subject: &Value| {
        let subject = subject.as_str().unwrap_or("");
        subject.contains("Nothing is started or merged")
    };
    assert!(subjects.iter().any(is_about_settings), "{subjects:?}");
}

#[test]
fn a_wrong_limit_starts_no_worker_until_it_is_correct() {
    for (key, value, expected) in [
        (
            "scheduler.max_polecats",
            json!("1"),
            "a whole number, without quotes",
        ),
        (
            "budget.day",
            json!("5"),
            "an amount of dollars such as 5 or 2.50, without quotes",
        ),
        ("max_polecats", json!(-1), "a whole number, without quotes"),
    ] {
        let (town, _origin) = Town::with_rig();
        town.script("echo done > work.txt");
        let bead = town.bead("web", "Work");
        set_nested(&town, key, &value);
        let queued = said(&town, &["sling", &bead, "web"]);
        assert!(
            queued.contains(&format!("{key} is `{value}`; use {expected}")),
            "{queued}"
        );
        assert!(queued.contains("settings/config.json:"), "{queued}");
        town.patrol();
        assert!(town.polecats().is_empty(), "{:?}", town.polecats());
        assert_reported(&town, &bead, &format!("{key} is `{value}`"));
        town.gt(["config", "set", key, "2", "--town"]).ok();
        eventually("the work is merged", || {
            town.patrol();
            (town.status_of("web", &bead) == "closed").then_some(())
        });
    }
}

/// Sets a dotted key of the town's file.
fn set_nested(town: &Town, key: &str, value: &Value) {
    match key.split_once('.') {
        Some((part, rest)) => town.set_town_setting(part, json!({ rest: value })),
        None => town.set_town_setting(key, value.clone()),
    }
}

#[test]
fn a_wrong_gate_or_a_key_of_another_version_merges_nothing() {
    let rows = [
        (
            "merge_queue",
            json!({"run_tests": "yes"}),
            "merge_queue.run_tests is `\"yes\"`",
        ),
        (
            "merge_queue",
            json!({"requires_review": true}),
            "the nearest is merge_queue.require_review",
        ),
        (
            "refinery",
            json!({"auto_merge": false}),
            "refinery.auto_merge is `false`, which has no effect here: set merge_queue.auto_merge",
        ),
        (
            "safety",
            json!({"blocked_patterns": "rm -rf /"}),
            "safety.blocked_patterns is",
        ),
    ];
    let mut worker = Worker::new();
    for (number, (part, value, reason)) in rows.into_iter().enumerate() {
        if number > 0 {
            worker.take_another();
        }
        let town = &worker.town;
        worker.commit(&format!("{number}.txt"));
        worker.hand_in();
        let bead = worker.bead.clone();
        town.set_rig_setting("web", part, value);
        town.patrol();
        let run = town.gt(["mq", "run"]).run();
        assert!(
            format!("{}{}", run.out, run.err).contains(reason),
            "{}{}",
            run.out,
            run.err
        );
        assert_ne!(town.status_of("web", &bead), "closed");
        assert_reported(town, &bead, reason);
        town.set_rig_setting("web", part, json!({}));
        worker.merge();
        assert_eq!(town.status_of("web", &bead), "closed");
        town.patrol();
    }
}

#[test]
fn no_session_goes_on_with_a_wrong_safety_rule() {
    let (town, _origin) = Town::with_rig();
    town.script("exit 1");
    town.gt(["config", "set", "patrol.breaker.wait", "0s"]).ok();
    let bead = town.bead("web", "Work");
    town.sling(&bead);
    eventually("its session has ended", || {
        (town.polecats()[0]["session_running"] == false).then_some(())
    });
    town.set_rig_setting("web", "safety", json!({"blocked_patterns": [5]}));
    for minutes in [1, 10, 60] {
        town.patrol_in(minutes * 60);
    }
    assert_eq!(town.events("respawn").len(), 0);
    let mayor = town.gt(["mayor", "start"]).run();
    assert_eq!(mayor.code, 0, "another rig's fault: {}", mayor.err);
    town.set_rig_setting("web", "safety", json!({}));
    town.patrol_in(2 * 3600);
    assert!(!town.events("respawn").is_empty());
}

#[test]
fn unsetting_the_last_key_of_a_gate_removes_the_gate() {
    let worker = Worker::new();
    let town = &worker.town;
    let set = |text: &str| {
        town.gt([
            "config",
            "set",
            "--rig",
            "web",
            "merge_queue.gates.t.cmd",
            text,
        ])
        .ok();
    };
    let unset = || {
        town.gt(["config", "unset", "--rig", "web", "merge_queue.gates.t.cmd"])
            .ok()
    };
    set("false");
    unset();
    worker.commit("work.txt");
    worker.hand_in();
    worker.merge();
    assert_eq!(town.status_of("web", &worker.bead), "closed");
    // The same for a gate that an earlier version left empty.
    town.set_rig_setting("web", "merge_queue", json!({"gates": {"t": {}}}));
    let stopped = said(town, &["mq", "list"]);
    assert!(
        stopped.contains("gt config unset merge_queue.gates.t.cmd"),
        "{stopped}"
    );
    unset();
    assert!(!said(town, &["mq", "list"]).contains("nothing is started"));
}

#[test]
fn a_wrong_environment_variable_is_named() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    let bead = town.bead("web", "Work");
    let run = town
        .gt(["sling", &bead, "web"])
        .env("GT_MAX_POLECATS", "many")
        .run();
    let text = format!("{}{}", run.out, run.err);
    assert!(
        text.contains(
            "environment variable GT_MAX_POLECATS: max_polecats is `many`; use a whole number"
        ),
        "{text}"
    );
    assert!(town.polecats().is_empty());
}
