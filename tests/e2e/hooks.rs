//! `gt hooks`.

use serde_json::{Value, json};
use town_tests::Town;

fn state(town: &Town, target: &str) -> Value {
    town.gt(["hooks", "status", target, "--json"]).ok().json()[0]["state"].clone()
}

#[test]
fn hooks_are_installed_for_each_role_and_existing_ones_stay() {
    let (town, _origin) = Town::with_rig();
    // The test needs the preset, not its program: `true` replaces the program.
    town.set_town_setting(
        "agents",
        json!({ "own": { "provider": "claude", "command": "true" } }),
    );
    town.set_town_setting("default_agent", json!("own"));
    assert_eq!(state(&town, "web/polecats"), "absent");
    let file = town.root().join("web/polecats/.claude/settings.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mine = json!({"zeta": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}});
    std::fs::write(&file, mine.to_string()).unwrap();
    assert_eq!(state(&town, "web/polecats"), "incomplete");
    let diff = town.gt(["hooks", "diff"]).ok().out;
    for words in [
        "+ hooks.Stop: gt signal stop",
        "+ hooks.SessionStart: gt prime --hook",
    ] {
        assert!(diff.contains(words), "{diff}");
    }

    let changed = town.gt(["hooks", "sync", "--json"]).ok().json();
    assert_eq!(
        changed.as_array().unwrap().len(),
        1,
        "only the file that is there"
    );
    let now: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(now["zeta"], 1);
    assert_eq!(now["hooks"]["Stop"][0]["hooks"][0]["command"], "mine");
    assert_eq!(
        now["hooks"]["Stop"][1]["hooks"][0]["command"],
        "gt signal stop"
    );
    town.gt(["hooks", "install"]).ok();
    assert_eq!(state(&town, "mayor"), "installed");
    let nothing = town.gt(["hooks", "install"]).ok().out;
    assert!(nothing.contains("nothing was missing"), "{nothing}");

    std::fs::write(&file, "{ not json").unwrap();
    assert_eq!(state(&town, "web/polecats"), "damaged");
    town.gt(["hooks", "sync"]).fails("settings.json");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{ not json");
    town.gt(["hooks", "status", "nobody"])
        .fails("there are mayor");
}

#[test]
fn a_program_without_hook_support_gets_no_hooks() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    assert_eq!(state(&town, "web/polecats"), "none");
    town.gt(["hooks", "install", "web/polecats"]).ok();
    assert!(!town.root().join("web/polecats/.claude").exists());
}
