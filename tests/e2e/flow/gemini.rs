//! The main job with the real Gemini CLI, offline, against a scripted model: its hooks call gt.

use serde_json::json;
use town_tests::{Model, Town, eventually, gemini, report_skip};

#[test]
fn gemini_has_its_context_and_its_work_is_merged() {
    let bin = match gemini() {
        Ok(bin) => bin,
        Err(reason) => {
            report_skip(&format!("no Gemini CLI: {reason}"));
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
                    { "sh": "echo 'by gemini' > gemini.txt && git add -A && git commit -qm '{{bead}}: by gemini' && echo COMMITTED" },
                    // It stops early, and is reminded of its work.
                    { "text": "I am done.", "expect": "COMMITTED" },
                    { "sh": "gt done --summary 'gemini wrote gemini.txt'", "expect": "is still on your hook" },
                    { "text": "Done." },
                ],
            }],
            "default": { "text": "OK." },
        }),
    );
    let town = model.for_gemini(town, &bin);
    town.set_town_setting("default_agent", json!("gemini"));
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.subjects("main"), [format!("{bead}: by gemini")]);
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
        "README.md\ngemini.txt\nshared.txt"
    );
    town.quiet();
}
