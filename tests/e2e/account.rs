//! `gt account`.

use serde_json::json;
use town_tests::{Town, eventually};

#[test]
fn a_session_uses_the_default_account_or_the_one_that_is_asked_for() {
    let (town, _origin) = Town::with_rig();
    town.script("echo dir=$CLAUDE_CONFIG_DIR > $GT_ROOT/../seen; sleep 600");
    // The scripted agent stands in for one that reads the variable.
    let path = town.root().join("settings/config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    settings["agents"]["worker"]["config_dir_env"] = json!("CLAUDE_CONFIG_DIR");
    std::fs::write(&path, settings.to_string()).unwrap();
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
            let seen = std::fs::read_to_string(town.path("seen")).unwrap_or_default();
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
