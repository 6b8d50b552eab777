//! The permissions of a worker, which its variables and its folder do not change.

use town_tests::{Worker, eventually};

/// The commands by which a worker would lower a guard or touch the work of others.
const REFUSED: [&[&str]; 15] = [
    &[
        "config",
        "set",
        "--rig",
        "web",
        "merge_queue.gates.t.cmd",
        "true",
    ],
    &["config", "unset", "--rig", "web", "merge_queue.gates"],
    &["mq", "pause", "web"],
    &["mq", "lost", "web", "--accept"],
    &["rig", "park", "web"],
    &["polecat", "nuke", "web/other", "--force"],
    &["unsling", "web-1", "--force"],
    &["sling", "web-1", "web"],
    &["escalate", "resolve", "hq-1", "yes"],
    &["escalate", "close", "hq-1", "--reason", "x"],
    &["rate", "web-1", "5", "I am good"],
    &["polecat", "hire", "web/other", "--persona", "x"],
    &["polecat", "fire", "web/other"],
    &["estop"],
    &["uninstall", "--force"],
];

#[test]
fn a_worker_lowers_no_guard_and_each_refusal_is_an_event() {
    let worker = Worker::new();
    for command in REFUSED {
        let refused = worker.town.gt_as(&worker.name, command.iter().copied());
        let refused = refused.fails("is a worker");
        assert!(refused.err.contains("permission"), "{}", refused.err);
        assert!(refused.err.contains("gt escalate"), "{}", refused.err);
    }
    let restart = worker.town.gt_as(&worker.name, ["handoff", "mayor"]);
    restart.fails("is a worker");
    let events = worker.town.events("permission_refused");
    assert_eq!(events.len(), REFUSED.len());
    assert_eq!(events[0]["payload"]["permission"], "settings");
    assert!(events[0]["actor"].as_str().unwrap().contains("polecats"));
    for allowed in [
        &["status"][..],
        &["mq", "list", "web"],
        &["escalate", "list"],
        &["why", &worker.bead],
        &["mail", "send", "mayor/", "-s", "A question", "-m", "x"],
    ] {
        worker
            .town
            .gt_as(&worker.name, allowed.iter().copied())
            .ok();
    }
}

#[test]
fn a_worker_changes_its_own_beads_and_comments_on_others() {
    let worker = Worker::new();
    let town = &worker.town;
    let other = town.bead("web", "Someone else's");
    let as_worker = |args: &[&str]| {
        let run = town.bd("web", args.iter().copied());
        run.env(
            "GT_ROLE",
            "web/polecats/".to_owned() + worker.name.split_once('/').unwrap().1,
        )
        .env("BD_ACTOR", "mayor")
    };
    for command in [
        &["close", &other, "--reason", "done"][..],
        &["update", &other, "--status", "in_progress"],
        &["update", &other, "--assignee", "someone"],
        &["delete", &other, "--force"],
        &["label", "add", &other, "x"],
        &["dep", "add", &other, &worker.bead],
    ] {
        as_worker(command).fails("is a worker: it may not change");
    }
    for label in ["gt:record", "gt:rating"] {
        let forged = as_worker(&["create", "Finished", "-t", "event", "-l", label]);
        forged.fails("workers are compared by such records");
        let create = ["create", "Finished", "-t", "event", "-l", label];
        let forged = town.bd("web", create).env("GT_ROLE", "mayor");
        forged.fails("workers are compared by such records");
    }
    let record = r#"{"record":[{"agent":"other","kind":"task","result":"merged"}]}"#;
    as_worker(&["create", "note", "-l", "gt:agent", "--metadata", record])
        .fails("workers are compared by such records");
    assert_eq!(town.status_of("web", &other), "open");
    as_worker(&["comment", &other, "I have seen this too"]).ok();
    let found = as_worker(&["create", "Found on the way", "--json"]);
    let found = found.env("BD_ACTOR", town_actor(&worker)).ok().json();
    let found = found["id"].as_str().unwrap();
    as_worker(&["update", found, "--priority", "1"]).ok();
    as_worker(&["update", &worker.bead, "--append-notes", "half done"]).ok();
    // A person may do all of it.
    town.bd("web", ["close", &other, "--reason", "done"]).ok();
}

/// The name under which a worker writes beads.
fn town_actor(worker: &Worker) -> String {
    worker.name.replace('/', "/polecats/")
}

#[test]
fn a_worker_does_not_hand_in_the_work_of_another() {
    let worker = Worker::new();
    let town = &worker.town;
    let bead = town.bead("web", "Half done");
    let other = town.sling(&bead);
    let sandbox = town.sandbox(&other);
    std::fs::write(sandbox.join("half.txt"), "half\n").unwrap();
    town.git_at(&sandbox, ["add", "-A"]).ok();
    town.git_at(&sandbox, ["commit", "-qm", "Half"]).ok();
    // With the names and the number of the other, and the own secret.
    let own_token = town.session_token(&worker.name);
    let done = ["done", "--stay", "--summary", "x"];
    let forged = town.gt_as(&other, done);
    forged
        .env("GT_SESSION_TOKEN", own_token)
        .fails("GT_SESSION_TOKEN is another one");
    // With everything of the other, from the own sandbox.
    let elsewhere = town.gt_as(&other, done).at(&worker.sandbox);
    elsewhere.fails("runs in its own sandbox");
    assert_eq!(town.status_of("web", &bead), "hooked");
    town.gt_as(&other, done).ok();
}

#[test]
fn a_worker_without_variables_is_known_by_its_session() {
    let (town, _origin) = town_tests::Town::with_rig();
    town.script(
        r#"cd "$GT_TOWN_ROOT"
env -i PATH="$PATH" HOME="$HOME" gt whoami --json > "$HOME/unset.json"
env GT_ROLE=mayor gt whoami --json > "$HOME/forged.json"
env GT_ROLE=mayor gt rig park web > "$HOME/refused" 2>&1 || true
env -i PATH="$PATH" HOME="$HOME" BD_ACTOR=mayor bd -C web close "$(cat "$HOME/other")" --reason x > "$HOME/closed" 2>&1 || true
touch "$HOME/ready"
while :; do sleep 1; done"#,
    );
    let bead = town.bead("web", "Work");
    let other = town.bead("web", "Someone else's");
    std::fs::write(town.path("home").join("other"), &other).unwrap();
    let name = town.sling(&bead);
    let home = town.path("home");
    eventually("the worker has tried", || {
        home.join("ready").exists().then_some(())
    });
    let address = name.replace('/', "/polecats/");
    for file in ["unset.json", "forged.json"] {
        let text = std::fs::read_to_string(home.join(file)).unwrap();
        assert!(text.contains(&address), "{file}: {text}");
        assert!(text.contains("\"session\""), "{file}: {text}");
    }
    let refused = std::fs::read_to_string(home.join("refused")).unwrap();
    assert!(refused.contains("is a worker"), "{refused}");
    let closed = std::fs::read_to_string(home.join("closed")).unwrap();
    assert!(closed.contains("may not change"), "{closed}");
    assert_eq!(town.status_of("web", &other), "open");
}
