//! `gt cycle`, `gt status-line` and the display of sessions in tmux.

use serde_json::{Value, json};
use town_tests::Town;

#[test]
fn sessions_of_a_group_follow_each_other_and_show_their_work() {
    let (town, _origin) = Town::with_rig();
    let stay = json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting("agents", json!({ "stay": stay }));
    town.set_town_setting("default_agent", json!("stay"));
    for name in ["ada", "max"] {
        town.gt(["crew", "add", name, "--rig", "web"]).ok();
    }
    let bead = town.bead("web", "Paint #3 blue");
    town.gt(["sling", &bead, "web/crew/max"]).ok();
    town.gt(["crew", "start", "web/ada"]).ok();
    town.gt(["mayor", "start"]).ok();
    let after = |session: &str, word: &str| -> Value {
        // No terminal shows a session, so tmux switches none and says so.
        let said = town
            .gt(["cycle", word, "--session", session, "--json"])
            .run();
        if said.code == 0 {
            said.json()["session"].clone()
        } else {
            json!(said.err)
        }
    };
    for word in ["next", "prev"] {
        let told = after("gt-web-crew-ada", word).to_string();
        assert!(told.contains("no current client"), "{told}");
        assert_eq!(after("hq-mayor", word), Value::Null, "alone in its group");
    }
    town.gt(["mail", "send", "web/crew/max", "-s", "Hello"])
        .ok();
    let line = town.gt(["status-line", "gt-web-crew-max"]).ok().out;
    assert!(
        line.starts_with(&format!("🪝 {bead} Paint ##3 blue")) && line.ends_with(" | 📬 1\n"),
        "{line}"
    );
    assert_eq!(town.gt(["status-line", "other"]).ok().out, "\n");
    let keys = town.tmux(["list-keys", "-T", "prefix", "n"]);
    assert!(keys.contains("cycle next --session"), "{keys}");
    let right = town.tmux(["show-options", "-gv", "status-right"]);
    assert!(right.contains("status-line '#{session_name}'"), "{right}");
}
