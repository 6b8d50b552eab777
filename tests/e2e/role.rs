//! `gt deacon`, `gt boot`, `gt witness` and `gt refinery`: roles of the patrol that gtd does, or an
//! agent.

use serde_json::{Value, json};
use town_tests::{Town, eventually};

/// A town with a rig whose agents of the patrol sleep.
fn town() -> Town {
    let (town, _origin) = Town::with_rig();
    town.set_town_setting(
        "agents",
        json!({ "worker": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } }),
    );
    town
}

fn agent_mode(town: &Town, role: &str, whose: &[&str]) {
    let key = format!("patrol.mode.{role}");
    let args = [&["config", "set", key.as_str(), "agent"], whose].concat();
    town.gt(args).ok();
}

fn status(town: &Town, args: &[&str]) -> Value {
    town.gt([args, &["--json"]].concat()).ok().json()
}

#[test]
fn a_mechanical_role_has_no_session_and_shows_how_to_assign_an_agent() {
    let town = town();
    for (args, setting) in [
        (vec!["deacon", "start"], "patrol.mode.deacon agent --town"),
        (vec!["boot", "attach"], "patrol.mode.boot agent --town"),
        (
            vec!["witness", "start", "web"],
            "patrol.mode.witness agent --rig web",
        ),
        (
            vec!["refinery", "restart", "web"],
            "patrol.mode.refinery agent --rig web",
        ),
    ] {
        let said = town.gt(args).fails("gtd does the work of");
        assert_eq!(said.code, 1);
        assert!(said.err.contains(setting), "{}", said.err);
    }
    let found = status(&town, &["witness", "status", "web"]);
    assert_eq!(
        (&found["mode"], &found["running"]),
        (&json!("mechanical"), &json!(false))
    );
    town.gt(["witness", "status", "nowhere"])
        .fails("no rig `nowhere`");
    // Nobody is shown who cannot run.
    let agents = status(&town, &["status"])["agents"].clone();
    assert_eq!(agents.as_array().unwrap().len(), 1);
}

#[test]
fn each_role_done_by_an_agent_can_start_restart_and_stop() {
    let town = town();
    for (role, whose, rig) in [
        ("deacon", vec!["--town"], None),
        ("boot", vec!["--town"], None),
        ("witness", vec!["--rig", "web"], Some("web")),
        ("refinery", vec!["--rig", "web"], Some("web")),
    ] {
        agent_mode(&town, role, &whose);
        let run = |verb: &str| {
            let args = [role, verb].into_iter().chain(rig).chain(["--json"]);
            town.gt(args.collect::<Vec<_>>()).ok().json()
        };
        let started = run("start");
        assert_eq!(run("start")["session"], started["session"]);
        assert_eq!(run("status")["running"], true);
        assert_eq!(run("restart")["was_running"], true);
        let attach: Vec<&str> = [role, "attach"].into_iter().chain(rig).collect();
        town.gt(attach).fails("gt peek");
        assert_eq!(run("stop")["was_running"], true);
        assert_eq!(run("stop")["was_running"], false);
        assert_eq!(run("status")["running"], false);
    }
    let shown = town.gt(["status"]).ok().out;
    for name in ["deacon", "deacon-boot", "witness", "refinery"] {
        assert!(
            shown.contains(name.trim_start_matches("deacon-")),
            "{shown}"
        );
    }
}

#[test]
fn gtd_keeps_an_agent_session_running_unless_the_user_stopped_it() {
    let town = town();
    agent_mode(&town, "witness", &["--rig", "web"]);
    town.up();
    let running = || status(&town, &["witness", "status", "web"])["running"] == true;
    eventually("the witness runs", || running().then_some(()));
    town.gt(["witness", "stop", "web"]).ok();
    town.patrol_is_quiet();
    assert!(!running(), "a person stopped it");
    town.gt(["witness", "start", "web"]).ok();
    assert!(running());
    // A user started the session, so earlier starts no longer count.
    let count =
        || status(&town, &["witness", "status", "web"])["restarts"]["restart_count"].as_u64();
    assert_eq!(count().unwrap_or_default(), 0);
    // After a pass the daemon knows of the session, and its end wakes the daemon.
    town.patrol_is_quiet();
    town.kill_session("gt-web-witness");
    eventually("it is started again", || {
        (running() && count() >= Some(1)).then_some(())
    });
}

#[test]
fn a_crash_looping_agent_is_reported_once_and_retried_later() {
    let town = town();
    town.set_town_setting(
        "agents",
        json!({ "worker": { "command": "sh", "args": ["-c", "sleep 0.3; exit 3"], "prompt_mode": "none" } }),
    );
    agent_mode(&town, "deacon", &["--town"]);
    for args in [
        ["patrol.agent.starts", "2"],
        ["patrol.breaker.half_open", "1h"],
    ] {
        town.gt(["config", "set", args[0], args[1], "--town"]).ok();
    }
    let count = || status(&town, &["deacon", "status"])["restarts"]["restart_count"].clone();
    let ended = || {
        eventually("the session has ended", || {
            (status(&town, &["deacon", "status"])["running"] == false).then_some(())
        });
    };
    for (seconds, starts) in [(0, 1), (10, 1), (40, 2), (200, 2), (3500, 2)] {
        town.patrol_in(seconds);
        assert_eq!(count(), starts, "after {seconds} s");
        ended();
    }
    let about = |mail: &Value| mail["subject"] == "STUCK: deacon ends again and again";
    let mail = town.mail("overseer");
    assert_eq!(
        mail.iter().filter(|mail| about(mail)).count(),
        1,
        "{mail:?}"
    );
    town.patrol_in(3700);
    assert_eq!(count(), 3);
    assert_eq!(
        town.mail("overseer")
            .iter()
            .filter(|mail| about(mail))
            .count(),
        1
    );
    // A person starts it: the row and the message are over.
    ended();
    town.agent("worker", "stay");
    town.script_named("stay", "exec sleep 600");
    town.gt(["deacon", "start"]).ok();
    town.patrol();
    assert!(!town.mail("overseer").iter().any(about));
}

#[test]
fn a_paused_town_starts_nothing_until_it_is_resumed() {
    let town = town();
    agent_mode(&town, "deacon", &["--town"]);
    town.gt(["deacon", "heartbeat", "looked around"]).ok();
    town.gt(["deacon", "pause", "--reason", "moving house"])
        .ok();
    for said in [
        town.gt(["status"]).ok().out,
        town.gt(["doctor", "daemon"]).ok().out,
        town.gt(["deacon", "status"]).ok().out,
        town.gt(["deacon", "heartbeat"]).fails("paused").err,
    ] {
        assert!(said.contains("the town is paused: moving house"), "{said}");
    }
    town.patrol();
    let found = status(&town, &["deacon", "status"]);
    assert_eq!(
        (&found["running"], &found["heartbeat"]["cycle"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(found["heartbeat"]["last_action"], "looked around");
    assert_eq!(status(&town, &["deacon", "resume"])["was_paused"], true);
    assert_eq!(status(&town, &["deacon", "resume"])["was_paused"], false);
    town.patrol();
    assert_eq!(status(&town, &["deacon", "status"])["running"], true);
}

#[test]
fn gtd_writes_the_heartbeat_of_a_mechanical_town() {
    let town = town();
    let cycle = || {
        let text = std::fs::read(town.root().join("deacon/heartbeat.json")).ok()?;
        let beat: Value = serde_json::from_slice(&text).unwrap();
        assert!(beat["timestamp"].as_str().unwrap().ends_with('Z'), "{beat}");
        beat["cycle"].as_u64()
    };
    assert_eq!(cycle(), None);
    town.patrol();
    let first = cycle().unwrap();
    town.up();
    eventually("gtd writes the next", || (cycle()? > first).then_some(()));
    let fresh = &status(&town, &["deacon", "status"])["heartbeat"]["freshness"];
    assert_eq!(fresh, "fresh");
}

#[test]
fn a_role_is_described_by_its_folder_variables_and_text() {
    let town = town();
    let roles = status(&town, &["role", "list"]);
    assert_eq!(roles.as_array().unwrap().len(), 9);
    let home = |args: &[&str]| town.gt([&["role", "home"], args].concat()).ok().out;
    assert_eq!(
        home(&["mayor"]).trim(),
        town.root().join("mayor").to_str().unwrap()
    );
    assert_eq!(home(&["witness", "--rig", "web"]), home(&["web/witness"]));
    let amber = home(&["--rig", "web", "--polecat", "amber"]);
    assert!(amber.contains("web/polecats/amber"), "{amber}");
    town.gt(["role", "home", "nobody"])
        .fails("no agent of this town is called");
    let shown = town.gt(["role", "show"]).env("GT_ROLE", "web/witness").ok();
    assert!(shown.out.starts_with("web/witness"), "{}", shown.out);
    let env = town.gt(["role", "env"]).env("GT_ROLE", "web/crew/max").ok();
    assert!(env.out.contains("export GT_CREW=max\n"), "{}", env.out);
    assert!(env.out.contains("export GIT_AUTHOR_NAME=web/crew/max\n"));
    let text = town.gt(["role", "def", "witness"]).ok().out;
    assert!(text.starts_with("# Witness"), "{text}");
    let said = town.gt(["role", "def", "clown"]).fails("possible values");
    assert!(said.err.contains("refinery") && said.code == 2);
}

#[test]
fn an_idle_witness_hears_of_nudges_and_of_a_stuck_worker() {
    let (town, _origin) = Town::with_rig();
    town.script("exit 1");
    let typed = town.path("typed");
    let body = format!(
        "while :; do printf '❯\\302\\240'; read -r line; echo \"$line\" >> {}; done",
        typed.display()
    );
    town.script_named("drawn", &body);
    let command = town.path("scripts/drawn");
    let drawn = json!({ "provider": "claude", "command": command, "args": [], "hooks": "none" });
    let worker = json!({ "provider": "scripted", "args": ["scripted", "--script", town.path("scripts/work")] });
    town.set_town_setting("agents", json!({ "drawn": drawn, "worker": worker }));
    town.set_town_setting("role_agents", json!({ "witness": "drawn" }));
    town.gt(["config", "set", "patrol.breaker.restarts", "1"])
        .ok();
    agent_mode(&town, "witness", &["--rig", "web"]);
    town.gt(["witness", "start", "web"]).ok();
    let was_typed =
        |text: &str| std::fs::read_to_string(&typed).is_ok_and(|all| all.contains(text));
    town.gt(["nudge", "web/witness", "look around"]).ok();
    eventually("the nudge arrives", || {
        was_typed("look around").then_some(())
    });
    let bead = town.bead("web", "Break");
    town.gt(["sling", &bead, "web"]).run();
    eventually("it hears of the stuck worker", || {
        town.patrol();
        was_typed("STUCK").then_some(())
    });
    // Other matters do not disturb it.
    assert!(!was_typed("gate"), "{:?}", std::fs::read_to_string(&typed));
}
