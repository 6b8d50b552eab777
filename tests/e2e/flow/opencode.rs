//! The main job with the real OpenCode, offline, against a scripted model: its hooks call gt.

use serde_json::json;
use town_tests::{Model, Town, eventually, opencode, report_skip};

#[test]
fn opencode_has_its_context_and_its_work_is_merged() {
    let bin = match opencode() {
        Ok(bin) => bin,
        Err(reason) => {
            report_skip(&format!("no OpenCode: {reason}"));
            return;
        }
    };
    let (town, origin) = Town::with_rig();
    let model = Model::start(
        &town,
        &json!({
            "scripts": [{
                "name": "polecat",
                "match": { "text": "# Your work: (?P<bead>web-\\w+)" },
                "turns": [
                    { "sh": "echo 'by opencode' > opencode.txt && git add -A && git commit -qm '{{bead}}: by opencode' && echo COMMITTED" },
                    // It stops early, and is reminded of its work.
                    { "text": "I am done.", "expect": "COMMITTED" },
                    { "sh": "gt done --summary 'opencode wrote opencode.txt'", "expect": "is still on your hook" },
                    { "text": "Done." },
                ],
            }],
            "default": { "text": "OK." },
        }),
    );
    let town = model.for_opencode(town, &bin);
    town.set_town_setting("default_agent", json!("opencode"));
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.subjects("main"), [format!("{bead}: by opencode")]);
    assert!(town.events("session_needs_person").is_empty());
    // The hooks recorded the session, and nothing was written into the repository.
    let begun = town.events("session_start");
    assert!(
        begun
            .iter()
            .any(|event| event["payload"]["session_id"] != "")
    );
    assert_eq!(
        origin.git(["ls-tree", "-r", "--name-only", "main"]),
        "README.md\nopencode.txt\nshared.txt"
    );
    town.quiet();
}
