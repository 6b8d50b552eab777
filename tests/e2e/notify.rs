//! `gt notify`, `gt dnd` and `gt broadcast`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use town_tests::{Town, eventually, read_text};

/// A town with two workers whose sessions run.
fn town_with_workers() -> (Town, Vec<String>) {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 600");
    let workers = ["One", "Two"].map(|title| town.sling(&town.bead("web", title)));
    (town, workers.into())
}

fn nudges(town: &Town) -> Vec<String> {
    let events = town.events("nudge");
    let target = |event: &Value| event["payload"]["target"].as_str().unwrap().to_owned();
    events.iter().map(target).collect()
}

#[test]
fn a_nudge_to_a_muted_agent_is_kept_as_mail_for_its_next_turn() {
    let (town, workers) = town_with_workers();
    let name = &workers[0];
    let long = name.replace('/', "/polecats/");
    let level = town
        .gt(["dnd", "on", "--agent", name, "--json"])
        .ok()
        .json();
    assert_eq!(
        level,
        json!({ "agent": long, "level": "muted", "changed": true })
    );
    let nudge = town
        .gt(["nudge", name, "look", "here", "--json"])
        .ok()
        .json();
    assert_eq!(nudge["delivered"], false);
    assert!(nudges(&town).is_empty());
    let kept = &town.mail(name)[0];
    assert_eq!(
        (&kept["id"], &kept["subject"]),
        (&nudge["kept"], &json!("look here"))
    );
    let turn = town
        .gt(["mail", "check", "--inject"])
        .env("GT_ROLE", &long)
        .ok()
        .out;
    assert!(turn.contains("look here"), "{turn}");
    town.gt(["nudge", name, "now", "--force"]).ok();
    assert_eq!(nudges(&town), [long.as_str()]);
    town.gt(["dnd", "--agent", name]).ok();
    let status = town.gt(["dnd", "status", "--agent", name]).ok().out;
    assert!(
        status.contains("normal (nudges are typed into its session)"),
        "{status}"
    );
    town.gt(["nudge", name, "-m", "again"]).ok();
    assert_eq!(nudges(&town).len(), 2);
    assert_eq!(town.mail(name).len(), 1);
    let own = town.gt(["dnd", "--json"]).env("GT_ROLE", &long).ok().json();
    assert_eq!(
        (&own["agent"], &own["level"]),
        (&json!(long), &json!("muted"))
    );
}

#[test]
fn the_level_of_an_agent_decides_which_messages_are_typed_into_its_session() {
    let (town, workers) = town_with_workers();
    let name = &workers[0];
    let send = |more: &[&str]| {
        let run = town.gt(["mail", "send", name, "-s", "Look", "--json"]);
        run.args(more.iter().copied()).ok().json()["nudged"].clone()
    };
    assert_eq!(send(&[]), Value::Null);
    assert_eq!(send(&["--notify"]), json!([name]));
    town.gt(["notify", "verbose", "--agent", name]).ok();
    assert_eq!(send(&[]), json!([name]));
    town.gt(["notify", "muted", "--agent", name]).ok();
    assert_eq!(send(&["--notify"]), Value::Null);
    assert_eq!(town.mail(name).len(), 4);
    assert_eq!(town.mail(name)[0]["priority"], "high");
    let refused = town.gt(["notify", "loud"]).run();
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("verbose, normal, muted"),
        "{}",
        refused.err
    );
}

#[test]
fn a_broadcast_reaches_each_running_worker_except_the_sender() {
    let (town, workers) = town_with_workers();
    let long: Vec<String> = workers
        .iter()
        .map(|name| name.replace('/', "/polecats/"))
        .collect();
    let agents = |run: town_tests::Run| {
        let report = run.ok().json();
        let agents = report["agents"].as_array().unwrap().clone();
        let line = |one: &Value| format!("{} {}", one["agent"].as_str().unwrap(), one["delivered"]);
        let mut lines: Vec<String> = agents.iter().map(line).collect();
        lines.sort();
        lines
    };
    let mut expected = [format!("{} false", long[0]), format!("{} false", long[1])];
    expected.sort();
    assert_eq!(
        agents(town.gt(["broadcast", "hi", "--dry-run", "--json"])),
        expected
    );
    assert!(nudges(&town).is_empty());
    town.gt(["dnd", "on", "--agent", &workers[0]]).ok();
    let mut expected = [format!("{} false", long[0]), format!("{} true", long[1])];
    expected.sort();
    assert_eq!(
        agents(town.gt(["broadcast", "main", "is", "frozen", "--json"])),
        expected
    );
    assert_eq!(town.mail(&workers[0])[0]["subject"], "main is frozen");
    let own = town
        .gt(["broadcast", "hi", "--json"])
        .env("GT_ROLE", &long[0]);
    assert_eq!(agents(own), [format!("{} true", long[1])]);
    town.gt(["broadcast", "hi", "--rig", "none"])
        .fails("there is no rig `none`");
    town.add_rig("docs", "docs");
    let none = town.gt(["broadcast", "hi", "--rig", "docs"]).ok().out;
    assert!(none.contains("no agent with a running session"), "{none}");
}

#[test]
fn a_nudge_channel_reaches_the_running_agents_that_it_lists() {
    let (town, workers) = town_with_workers();
    let path = town.root().join("config/messaging.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let channels =
        json!({ "nudge_channels": { "workers": ["web/polecats/*"], "mayor": ["mayor"] } });
    std::fs::write(path, channels.to_string()).unwrap();
    town.gt(["nudge", "channel:workers", "rebase now"]).ok();
    assert_eq!(nudges(&town).len(), workers.len());
    let none = town.gt(["nudge", "channel:mayor", "hi"]).ok().out;
    assert!(none.contains("no agent with a running session"), "{none}");
    town.gt(["nudge", "channel:none", "hi"])
        .fails("there is no nudge channel `none`");
}

#[test]
fn the_level_on_an_old_agent_bead_counts_until_another_one_is_set() {
    let town = Town::new();
    let level = |town: &Town| {
        let status = town.gt(["notify", "--agent", "mayor/", "--json"]);
        status.ok().json()["level"].clone()
    };
    assert_eq!(level(&town), "normal");
    let old = "role_type: mayor\nrig: null\nagent_state: idle\nnotification_level: muted";
    town.bd(".", ["update", "hq-mayor", "-d", old]).ok();
    assert_eq!(level(&town), "muted");
    town.gt(["notify", "normal", "--agent", "mayor/"]).ok();
    assert_eq!(level(&town), "normal");
}

#[test]
fn the_desktop_shows_each_new_message_to_the_overseer_once() {
    let town = Town::new().with_env("DISPLAY", ":9");
    let shown = town.path("shown");
    let script = format!(
        "#!/bin/sh\nprintf '%s|' \"$@\" >> {0}\necho >> {0}\n",
        shown.display()
    );
    let program = town.path("bin/notify-send");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let send = |subject: &str| {
        let subject_flag = format!("--subject={subject}");
        town.gt(["mail", "send", "overseer", "-m", "Look.", &subject_flag])
            .env("GT_ROLE", "mayor")
            .ok();
    };
    let lines = || {
        let text = read_text(&shown);
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    send("Before");
    town.up();
    town.patrol_is_quiet();
    assert_eq!(lines(), [""; 0], "old messages are not shown");
    send("-h <b>$(id)</b>");
    let first = "--app-name=Gas Town|--urgency|normal|--|-h <b>$(id)</b>|from mayor/|";
    eventually("it is shown", || (lines() == [first]).then_some(()));
    town.gt(["config", "set", "notify.desktop", "false"]).ok();
    send("Quiet");
    town.patrol_is_quiet();
    assert_eq!(lines().len(), 1);
}
