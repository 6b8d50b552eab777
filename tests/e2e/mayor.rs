//! `gt mayor`: start, status, stop.

use town_tests::Town;

#[test]
fn the_mayor_starts_once_and_stops() {
    let town = Town::new();
    town.set_town_setting(
        "agents",
        serde_json::json!({ "stay": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } }),
    );
    let running = || town.gt(["mayor", "status", "--json"]).ok().json()["running"].clone();
    assert_eq!(running(), false);
    let first = town
        .gt(["mayor", "start", "--agent", "stay", "--json"])
        .ok()
        .json();
    assert_eq!(first["session"], "hq-mayor");
    town.gt(["mayor", "start", "--agent", "stay"]).ok();
    assert_eq!(running(), true);
    // Without a terminal there is nothing to attach to; the way out is named.
    town.gt(["mayor", "attach"]).fails("gt peek");
    town.gt(["mayor", "stop"]).ok();
    assert_eq!(running(), false);
    town.gt(["mayor", "start", "--agent", "nobody"])
        .fails("there is no agent `nobody`");
}
