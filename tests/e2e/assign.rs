//! `gt assign`.

use serde_json::json;
use town_tests::Town;

#[test]
fn a_new_bead_is_put_on_the_hook_of_a_crew_member() {
    let (town, _origin) = Town::with_rig();
    let stay = json!({ "command": "sleep", "args": ["600"], "prompt_mode": "none" });
    town.set_town_setting("agents", json!({ "stay": stay }));
    town.set_town_setting("default_agent", json!("stay"));
    town.gt(["crew", "add", "max", "--rig", "web"]).ok();
    let preview = town.gt(["assign", "max", "Look", "-n"]).ok().out;
    assert!(preview.contains("web/crew/max"), "{preview}");
    let assigned = [
        "assign", "max", "Fix it", "-d", "Soon", "-t", "bug", "-p", "1",
    ];
    let assigned = town.gt(assigned).args(["-l", "ui", "--json"]).ok().json();
    assert_eq!(assigned["session"], "gt-web-crew-max");
    let bead = town.show("web", assigned["bead"].as_str().unwrap());
    assert_eq!(
        json!([
            bead["status"],
            bead["issue_type"],
            bead["priority"],
            bead["labels"]
        ]),
        json!(["hooked", "bug", 1, ["ui"]])
    );
    town.gt(["assign", "nobody", "x"]).fails("nobody");
}
