//! An agent program that takes no prompt as an argument.

use serde_json::json;
use town_tests::{Town, eventually};

#[test]
fn a_first_message_is_typed_if_it_cannot_be_an_argument() {
    let (town, origin) = Town::with_rig();
    town.script_named(
        "asker",
        r#"[ $# -eq 0 ]
read -r line
bead=${line##*assigned:}
echo typed > typed.txt
git add -A
git commit -qm "$bead: from what was typed"
exec gt done --summary "asked and answered""#,
    );
    let asker = json!({ "command": town.path("scripts/asker"), "prompt_mode": "typed", "ready_delay_ms": 0 });
    town.set_town_setting("agents", json!({ "asker": asker }));
    town.set_town_setting("default_agent", json!("asker"));
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(
        origin.subjects("main"),
        [format!("{bead}: from what was typed")]
    );
}
