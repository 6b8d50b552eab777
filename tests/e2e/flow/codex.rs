//! The main job with the real Codex CLI, offline, against a scripted model.

use serde_json::json;
use town_tests::{Model, Town, codex, eventually, report_skip};

#[test]
fn codex_is_trusted_has_its_context_by_a_hook_and_its_work_is_merged() {
    let bin = match codex() {
        Ok(bin) => bin,
        Err(reason) => {
            report_skip(&format!("no Codex CLI: {reason}"));
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
                    { "sh": "echo 'by codex' > codex.txt && git add -A && git commit -qm '{{bead}}: by codex' && echo COMMITTED",
                      "expect": "assigned:web-" },
                    // It stops early, and is reminded of its work.
                    { "text": "I am done.", "expect": "COMMITTED" },
                    { "sh": "gt done --summary 'codex wrote codex.txt'", "expect": "is still on your hook" },
                    { "text": "Done." },
                ],
            }],
            "default": { "text": "OK." },
        }),
    );
    let town = model.for_codex(town, &bin);
    town.set_town_setting("default_agent", json!("codex"));
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.subjects("main"), [format!("{bead}: by codex")]);
    let author = origin.authors("main").remove(0);
    assert!(author.starts_with("web/polecats/"), "{author}");
    assert_eq!(
        town.show("web", &bead)["metadata"]["summary"],
        "codex wrote codex.txt"
    );
    assert!(town.events("session_needs_person").is_empty());
    // What `gt prime` said reached the model, by the hook.
    let seen = model.requests().iter().any(|request| {
        let body = request["body"].to_string();
        body.contains("# Your work: ")
    });
    assert!(seen, "the context did not reach the model");
    // The session ended with the work, and nothing was written into the repository.
    town.quiet();
    assert_eq!(
        origin.git(["ls-tree", "-r", "--name-only", "main"]),
        "README.md\ncodex.txt\nshared.txt"
    );
}
