//! The main job with the real CLIs of other agents, offline, against a scripted model: their hooks
//! call gt. Each stops early, is reminded of its work and finishes it; later its session is asked.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use town_tests::{Model, Repo, Town, codex, eventually, gemini, opencode, report_skip};

/// A bead that a program has done.
struct Job {
    name: &'static str,
    town: Town,
    origin: Repo,
    model: Model,
    bead: String,
}

/// What the model says to the worker, and to the question.
fn scenario(name: &str) -> Value {
    let write = format!(
        "echo 'by {name}' > {name}.txt && git add -A && git commit -qm '{{{{bead}}}}: by {name}' && echo COMMITTED"
    );
    json!({
        "scripts": [{
            "name": "polecat",
            "match": { "text": "# Your work: (?P<bead>web-\\w+)" },
            "turns": [
                { "text": "The word is PERSIMMON.", "sh": write, "expect": "assigned:web-",
                  "usage": { "input_tokens": 4321, "output_tokens": 57 } },
                // OpenCode records no tokens of a request whose tools have not ended.
                { "text": "I am done.", "expect": "COMMITTED" },
                { "sh": format!("gt done --summary '{name} wrote {name}.txt'"), "expect": "is still on your hook" },
                { "text": "Done." },
            ],
        }],
        "on": [{ "match": "what was the word", "turns": [{ "text": "It was PERSIMMON." }] }],
        "default": { "text": "OK." },
    })
}

/// Runs the job with one program, whose way into a town is `enter`, and asks its session; without
/// the program the test is skipped.
fn works_and_answers(
    name: &'static str,
    program: Result<PathBuf, String>,
    enter: impl Fn(&Model, Town, &Path) -> Town,
) {
    let bin = match program {
        Ok(bin) => bin,
        Err(reason) => return report_skip(&format!("no CLI of {name}: {reason}")),
    };
    let (town, origin) = Town::with_rig();
    let model = Model::start(&town, &scenario(name));
    let town = enter(&model, town, &bin);
    town.set_town_setting("default_agent", json!(name));
    let bead = town.bead("web", "Write a file");
    let job = Job {
        name,
        town,
        origin,
        model,
        bead,
    };
    job.is_merged();
    job.answers();
}

impl Job {
    /// Slings the bead; its work is merged after a reminder.
    fn is_merged(&self) {
        let Self {
            name,
            town,
            origin,
            model,
            bead,
        } = self;
        town.up();
        town.gt(["sling", bead, "web"]).ok();
        eventually("the bead is closed", || {
            (town.status_of("web", bead) == "closed").then_some(())
        });
        assert_eq!(origin.subjects("main"), [format!("{bead}: by {name}")]);
        let author = origin.authors("main").remove(0);
        assert!(author.starts_with("web/polecats/"), "{author}");
        assert_eq!(
            town.show("web", bead)["metadata"]["summary"],
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

    /// Asks the session of the worker, which is gone.
    fn answers(&self) {
        let Self {
            name,
            town,
            model,
            bead,
            ..
        } = self;
        // Asked with another agent as the default: the session's own program answers.
        town.set_town_setting("default_agent", json!("worker"));
        let list = || {
            let listed = town.gt(["seance", "--bead", bead, "--json"]).ok().json();
            assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
            listed[0].clone()
        };
        let session = eventually("the session is known", || {
            let session = list();
            session["transcript"].is_string().then_some(session)
        });
        assert_eq!(session["agent"], *name);
        let costs = town.gt(["costs", "--by", "bead", "--json"]).ok().json();
        assert_eq!(costs["rows"][0]["key"], bead.as_str(), "{costs}");
        let tokens = &costs["sessions"][0]["tokens"];
        assert!(tokens["input"].as_u64() >= Some(4321), "{costs}");
        assert!(tokens["output"].as_u64() >= Some(57), "{costs}");
        let id = session["session_id"].as_str().unwrap();
        let text = || {
            let path = session["transcript"].as_str();
            // The database of OpenCode has the copy too.
            path.filter(|_| *name != "opencode")
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
}

#[test]
fn codex_gets_trust_and_hook_context_and_its_merged_session_answers_a_question() {
    works_and_answers("codex", codex(), Model::for_codex);
}

#[test]
fn gemini_gets_its_context_and_its_merged_session_answers_a_question() {
    works_and_answers("gemini", gemini(), Model::for_gemini);
}

#[test]
fn opencode_gets_its_context_and_its_merged_session_answers_a_question() {
    works_and_answers("opencode", opencode(), Model::for_opencode);
}
