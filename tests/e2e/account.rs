//! `gt account`.

use serde_json::json;
use town_tests::{Town, eventually, read_text};

/// Makes the scripted agent one that reads the variable of Claude Code, and has a usage limit.
pub(crate) fn read_variable(town: &Town) {
    let path = town.root().join("settings/config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    let worker = &mut settings["agents"]["worker"];
    worker["config_dir_env"] = json!("CLAUDE_CONFIG_DIR");
    worker["refusals"] = json!([{ "sign": "usage limit reached", "kind": "rate_limit" }]);
    std::fs::write(&path, settings.to_string()).unwrap();
}

/// Waits until so many sessions have written a line, and returns the lines.
pub(crate) fn seen(town: &Town, lines: usize) -> Vec<String> {
    eventually("the session has begun", || {
        let seen = read_text(town.path("seen"));
        let seen: Vec<String> = seen.lines().map(str::to_owned).collect();
        (seen.len() == lines).then_some(seen)
    })
}

#[test]
fn a_session_uses_the_default_account_or_the_one_that_is_asked_for() {
    let (town, _origin) = Town::with_rig();
    town.script("echo dir=$CLAUDE_CONFIG_DIR > $GT_ROOT/../seen; sleep 600");
    read_variable(&town);
    let none = town.gt(["account", "status"]).ok().out;
    assert!(none.contains("no account"), "{none}");
    town.gt(["account", "default", "work"])
        .fails("there is no account `work`");
    town.gt(["account", "add", "work", "--email", "dana@example.com"])
        .ok();
    town.gt(["account", "add", "home", "--config-dir", "~/other"])
        .ok();
    let list = town.gt(["account", "ls", "--json"]).ok().json();
    assert_eq!(
        (
            &list[1]["handle"],
            &list[1]["is_default"],
            &list[1]["is_set_up"]
        ),
        (&json!("work"), &json!(true), &json!(true))
    );
    let seen = |expected: &str| {
        eventually("the session has begun", || {
            let seen = read_text(town.path("seen"));
            seen.trim_end().ends_with(expected).then_some(())
        });
    };
    town.sling(&town.bead("web", "One"));
    seen("/home/.claude-accounts/work");
    town.gt(["account", "switch", "home"]).ok();
    town.sling(&town.bead("web", "Two"));
    seen("/home/other");
    let asked = town.gt(["sling", &town.bead("web", "Three"), "web"]);
    asked.env("GT_ACCOUNT", "work").ok();
    seen("/home/.claude-accounts/work");
    let stored = std::fs::read_to_string(town.root().join("mayor/accounts.json")).unwrap();
    assert!(stored.contains("\"default\": \"home\""), "{stored}");
    let changed = town.gt(["account", "add", "home", "--description", "mine", "--json"]);
    let changed = changed.ok().json();
    assert_eq!(changed["config_dir"], "~/other", "{changed}");
    let email = ["account", "add", "work", "--description", "x", "--json"];
    assert_eq!(town.gt(email).ok().json()["email"], "dana@example.com");
}

#[test]
fn work_keeps_the_account_it_was_slung_with_until_the_daemon_starts_its_session() {
    let (town, _origin) = Town::with_rig();
    town.script("echo $GT_POLECAT $CLAUDE_CONFIG_DIR >> $GT_ROOT/../seen; sleep 600");
    read_variable(&town);
    for name in ["home", "work"] {
        town.gt(["account", "add", name]).ok();
    }
    let (first, second) = (town.bead("web", "One"), town.bead("web", "Two"));
    town.gt(["sling", &first, "web", "--account", "nosuch"])
        .fails("there is no account `nosuch`");
    assert_eq!(town.status_of("web", &first), "open");
    town.bd("web", ["dep", "add", &second, &first]).ok();
    town.gt(["sling", &second, "web", "--account", "work"]).ok();
    town.bd("web", ["close", &first]).ok();
    town.patrol();
    assert!(seen(&town, 1)[0].ends_with("/.claude-accounts/work"));
    let session = town.sessions().remove(0);
    town.kill_session(&session);
    town.patrol();
    assert!(seen(&town, 2)[1].ends_with("/.claude-accounts/work"));
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    town.gt(["crew", "start", "max", "--account", "nosuch"])
        .fails("there is no account `nosuch`");
    // Crew have no hook here: their agent is one that stays.
    let words = "echo $CLAUDE_CONFIG_DIR >> $GT_ROOT/../seen; sleep 600";
    let stay = json!({ "command": "sh", "args": ["-c", words], "prompt_mode": "none",
        "config_dir_env": "CLAUDE_CONFIG_DIR" });
    town.set_town_setting("agents", json!({ "stay": stay }));
    let with_account = ["--agent", "stay", "--account"];
    let start = ["crew", "start", "max"].iter().chain(&with_account);
    town.gt(start.copied().chain(["work"])).ok();
    assert!(seen(&town, 3)[2].ends_with("/.claude-accounts/work"));
    town.gt(["crew", "stop", "max"]).ok();
    let visit = ["crew", "at", "max", "-d"].iter().chain(&with_account);
    town.gt(visit.copied().chain(["home"])).ok();
    assert!(seen(&town, 4)[3].ends_with("/.claude-accounts/home"));
}
