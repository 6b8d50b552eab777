//! Asking past sessions of the real CLIs of other agents, offline, against a scripted model.

use std::path::{Path, PathBuf};

use serde_json::json;
use town_tests::{Model, Town, codex, eventually, gemini, opencode, report_skip};

/// A worker does its bead and is gone; then its session is asked.
fn answers(
    name: &str,
    program: Result<PathBuf, String>,
    enter: impl Fn(&Model, Town, &Path) -> Town,
) {
    let bin = match program {
        Ok(bin) => bin,
        Err(reason) => return report_skip(&format!("no CLI of {name}: {reason}")),
    };
    let (town, _origin) = Town::with_rig();
    let model = Model::start(
        &town,
        &json!({
            "scripts": [{
                "name": "polecat",
                "match": { "text": "# Your work: (?P<bead>web-\\w+)" },
                "turns": [
                    { "text": "The word is PERSIMMON.", "sh": "true",
                      "usage": { "input_tokens": 4321, "output_tokens": 57 } },
                    // OpenCode records no tokens of a request whose tools have not ended.
                    { "text": "Nothing to change.", "sh": "gt done --no-change 'nothing to change'" },
                    { "text": "Done." },
                ],
            }],
            "on": [{ "match": "what was the word", "turns": [{ "text": "It was PERSIMMON." }] }],
            "default": { "text": "OK." },
        }),
    );
    let town = enter(&model, town, &bin);
    town.set_town_setting("default_agent", json!(name));
    let bead = town.bead("web", "Find the word");
    town.sling(&bead);
    town.closed("web", &bead);
    town.quiet();
    // Asked with another agent as the default: the session's own program answers.
    town.set_town_setting("default_agent", json!("worker"));
    let list = || {
        let listed = town.gt(["seance", "--bead", &bead, "--json"]).ok().json();
        assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
        listed[0].clone()
    };
    let session = eventually("the session is known", || {
        let session = list();
        session["transcript"].is_string().then_some(session)
    });
    assert_eq!(session["agent"], name);
    let costs = town.gt(["costs", "--by", "bead", "--json"]).ok().json();
    assert_eq!(costs["rows"][0]["key"], bead.as_str(), "{costs}");
    let tokens = &costs["sessions"][0]["tokens"];
    assert!(tokens["input"].as_u64() >= Some(4321), "{costs}");
    assert!(tokens["output"].as_u64() >= Some(57), "{costs}");
    let id = session["session_id"].as_str().unwrap();
    let text = || {
        let path = session["transcript"].as_str();
        // The database of OpenCode has the copy too.
        path.filter(|_| name != "opencode")
            .map(|path| std::fs::read(path).unwrap())
    };
    let before = (text(), town.events("session_start").len());
    let said = town.gt(["seance", "--talk", id, "-p", "what was the word?"]);
    let said = said.ok().out;
    assert!(said.contains("It was PERSIMMON."), "{said}");
    let requests = model.requests();
    let last = &requests.last().unwrap()["body"];
    let words = last.to_string();
    assert!(words.contains("The word is PERSIMMON"), "it knows: {words}");
    // The session is as it was, and the copy is none of the town's.
    assert_eq!(before, (text(), town.events("session_start").len()));
    list();
    let listed = town.gt(["seance", "--json"]).ok().json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let hits = town.gt(["seance", "search", "is persimmon", "--json"]).ok();
    let hits = hits.json();
    assert_eq!(hits[0]["session_id"], id, "{hits}");
}

#[test]
fn a_past_session_of_codex_answers_a_question() {
    answers("codex", codex(), Model::for_codex);
}

#[test]
fn a_past_session_of_gemini_answers_a_question() {
    answers("gemini", gemini(), Model::for_gemini);
}

#[test]
fn a_past_session_of_opencode_answers_a_question() {
    answers("opencode", opencode(), Model::for_opencode);
}
