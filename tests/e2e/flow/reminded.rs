//! The main job with the real CLIs of other agents, offline, against a scripted model: their hooks
//! call gt. Each stops early and is reminded of its work.

use std::path::{Path, PathBuf};

use serde_json::json;
use town_tests::{Model, Town, codex, eventually, gemini, opencode, report_skip};

/// Runs the job with one program, whose way into a town is `enter`, in a jail of this mode; without
/// the program the test is skipped.
fn is_merged(
    name: &str,
    jail: &str,
    enter: impl Fn(&Model, Town, &Path) -> Town,
    program: Result<PathBuf, String>,
) {
    let bin = match program {
        Ok(bin) => bin,
        Err(reason) => return report_skip(&format!("no CLI of {name}: {reason}")),
    };
    let (town, origin) = Town::with_rig();
    town.set_rig_setting("web", "sandbox", json!({ "jail": jail }));
    let write = format!(
        "echo 'by {name}' > {name}.txt && git add -A && git commit -qm '{{{{bead}}}}: by {name}' && echo COMMITTED"
    );
    let model = Model::start(
        &town,
        &json!({
            "scripts": [{
                "name": "polecat",
                "match": { "text": "# Your work: (?P<bead>web-\\w+)" },
                "turns": [
                    { "sh": write, "expect": "assigned:web-" },
                    { "text": "I am done.", "expect": "COMMITTED" },
                    { "sh": format!("gt done --summary '{name} wrote {name}.txt'"), "expect": "is still on your hook" },
                    { "text": "Done." },
                ],
            }],
            "default": { "text": "OK." },
        }),
    );
    let town = enter(&model, town, &bin);
    town.set_town_setting("default_agent", json!(name));
    // Without the user's settings of npm, OpenCode tries a registry that is not there for long.
    let agent = json!({ "jail_readable": ["~/.npmrc"] });
    town.set_town_setting("agents", json!({ name: agent }));
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.subjects("main"), [format!("{bead}: by {name}")]);
    let author = origin.authors("main").remove(0);
    assert!(author.starts_with("web/polecats/"), "{author}");
    assert_eq!(
        town.show("web", &bead)["metadata"]["summary"],
        format!("{name} wrote {name}.txt")
    );
    assert!(town.events("session_needs_person").is_empty());
    // The hooks recorded the session, and what `gt prime` said reached the model.
    let begun = town.events("session_start");
    let has_id = |event: &serde_json::Value| event["payload"]["session_id"] != "";
    assert!(begun.iter().any(has_id), "{begun:?}");
    let seen = model.requests().iter().any(|request| {
        let body = request["body"].to_string();
        body.contains("# Your work: ")
    });
    assert!(seen, "the context did not reach the model");
    // The session ended with the work, and nothing was written into the repository.
    town.quiet();
    let mut files = [
        "README.md".to_owned(),
        format!("{name}.txt"),
        "shared.txt".to_owned(),
    ];
    files.sort();
    assert_eq!(
        origin.git(["ls-tree", "-r", "--name-only", "main"]),
        files.join("\n")
    );
}

#[test]
fn codex_gets_trust_and_hook_context_and_its_work_is_merged() {
    is_merged("codex", "off", Model::for_codex, codex());
}

#[test]
fn codex_works_in_the_jail_and_its_work_is_merged() {
    is_merged("codex", "required", Model::for_codex, codex());
}

#[test]
fn opencode_works_in_the_jail_and_its_work_is_merged() {
    is_merged("opencode", "required", Model::for_opencode, opencode());
}

#[test]
fn gemini_gets_its_context_and_its_work_is_merged() {
    is_merged("gemini", "off", Model::for_gemini, gemini());
}

#[test]
fn opencode_gets_its_context_and_its_work_is_merged() {
    is_merged("opencode", "off", Model::for_opencode, opencode());
}
