//! A whole convoy with the real Claude Code CLI: what each session's API requests hold, and that
//! each fact is there once.

use std::collections::BTreeSet;
use std::path::Path;

use crate::keeper;
use serde_json::{Value, json};
use town_tests::{Model, Repo, Town, claude, eventually, report_skip};

/// What the first worker of the tree says of its attempt.
const TRIED: &str = "FACT-TRIED-POOL. It deadlocks under load";

/// A bead of the convoy.
struct Step {
    name: &'static str,
    id: String,
}

/// A convoy whose beads are explored, planned, implemented by three and documented.
struct Story {
    town: Town,
    origin: Repo,
    model: Model,
    convoy: String,
    steps: Vec<Step>,
}

/// Titles, and the numbers of the beads that each waits for.
const PLAN: [(&str, &str, &[usize]); 6] = [
    ("EXPLORE", "Explore the parser", &[]),
    ("PLAN", "Plan the new parser", &[0]),
    ("LEXER", "Write the lexer", &[1]),
    ("TREE", "Write the tree", &[1]),
    ("ERRORS", "Write the errors", &[1]),
    ("DOCUMENT", "Document the parser", &[2, 3, 4]),
];

/// What a worker does: documents or a file, then `gt done`.
fn work(name: &str) -> String {
    let slug = match name {
        "EXPLORE" => "explore-the-parser",
        "PLAN" => "plan-the-new-parser",
        _ => "",
    };
    let done = format!("gt done --summary 'FACT-DONE-{name} is how it is. The rest is detail'");
    if slug.is_empty() {
        let file = name.to_lowercase();
        return format!(
            "mkdir -p src && echo {name} > src/{file}.txt && git add -A && git commit -qm 'FACT-COMMIT-{name}' && {done}"
        );
    }
    format!("mkdir -p .gt/discovery && echo found > .gt/discovery/{slug}.md && {done}")
}

/// A script of the model for the session whose context has these texts.
fn script(name: &str, texts: &[&str], sh: &str) -> Value {
    json!({
        "name": name,
        "match": { "cwd": "/polecats/", "text": texts },
        "turns": [{ "text": "Working.", "sh": sh }, { "text": "Done." }],
    })
}

/// What the model says in each session. The follow-up is known by what it follows, its bead has no
/// id yet.
fn scenario(steps: &[Step]) -> Value {
    let tree = &steps[3].id;
    let mut scripts = vec![
        script(
            "followup",
            &[&format!("# What this follows up: {tree} ")],
            &work("FOLLOWUP"),
        ),
        script(
            "again",
            &[
                &format!("# Your work: {tree} "),
                "# What was done on this bead before",
            ],
            &work("TREE"),
        ),
    ];
    for step in steps {
        let sh = if step.id == *tree {
            format!(
                "echo half > half.txt && git add -A && git commit -qm FACT-COMMIT-HALF && gt done --failed '{TRIED}'"
            )
        } else {
            work(step.name)
        };
        scripts.push(script(
            step.name,
            &[&format!("# Your work: {} ", step.id)],
            &sh,
        ));
    }
    json!({ "scripts": scripts, "default": { "text": "OK." } })
}

impl Story {
    /// Makes the convoy in a town with a rig.
    fn new(bin: &Path, (town, origin): (Town, Repo), spec: &str, task: fn(&str) -> &str) -> Self {
        let mut steps: Vec<Step> = Vec::new();
        for (name, title, needs) in PLAN {
            let needs: Vec<&str> = needs.iter().map(|at| steps[*at].id.as_str()).collect();
            let needs = needs.join(",");
            let task = format!("FACT-TASK-{name}: {}.", task(name));
            let mut args = vec!["create", title, "--silent", "-d", &task];
            if !needs.is_empty() {
                args.extend(["--deps", &needs]);
            }
            let id = town.bd("web", args).ok().text().to_owned();
            steps.push(Step { name, id });
        }
        let mut args = vec!["convoy", "create", "New parser", "--json", "--spec", spec];
        args.extend(steps.iter().map(|step| step.id.as_str()));
        let made = town.gt(args).ok().json();
        let model = Model::start(&town, &scenario(&steps));
        let town = model.for_town(town, bin);
        town.set_town_setting("default_agent", json!("claude"));
        Self {
            convoy: made["id"].as_str().unwrap().to_owned(),
            town,
            origin,
            model,
            steps,
        }
    }

    /// Does all of it, and gives the bead of the follow-up.
    fn run(&self) -> String {
        let town = &self.town;
        town.up();
        let mut args = vec!["sling"];
        args.extend(self.steps.iter().map(|step| step.id.as_str()));
        args.push("web");
        town.gt(args).ok();
        let tree = &self.steps[3].id;
        eventually("the worker of the tree has given up", || {
            let failed = town.events("attempt_failed");
            failed
                .iter()
                .any(|event| event["payload"]["bead"] == *tree)
                .then_some(())
        });
        for at in [2, 4] {
            town.closed("web", &self.steps[at].id);
        }
        town.gt(["sling", tree, "web"]).ok();
        town.closed("web", tree);
        town.closed("web", &self.steps[5].id);
        town.told_once("convoy_landed");
        let prompt = "FACT-PROMPT: the tree needs names";
        let made = town.gt(["followup", tree, prompt, "--sling", "--json"]);
        let bead = made.ok().json()["bead"].as_str().unwrap().to_owned();
        town.closed("web", &bead);
        bead
    }

    /// The sessions in the order in which they began.
    fn sessions(&self) -> Vec<Session> {
        let mut sessions: Vec<Session> = Vec::new();
        for request in self.model.requests() {
            let field = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
            let mut texts = Vec::new();
            collect(&request["body"]["system"], &mut texts);
            collect(&request["body"]["messages"], &mut texts);
            let id = field("session");
            match sessions.iter_mut().find(|session| session.id == id) {
                Some(session) => session.requests.push(texts),
                None => sessions.push(Session {
                    id,
                    name: field("script"),
                    requests: vec![texts],
                    bytes: request["body"].to_string().len(),
                }),
            }
        }
        sessions
    }
}

/// A session as the API saw it.
struct Session {
    id: String,
    /// The script that it played.
    name: String,
    /// The texts of each of its requests.
    requests: Vec<Vec<String>>,
    /// How long its first request is.
    bytes: usize,
}

impl Session {
    /// What the town says to it: the context that the hook brings, and the first message.
    fn told(&self) -> (&str, &str) {
        let texts = &self.requests[0];
        let with = |words: &str| {
            let mut found = texts.iter().filter(|text| text.contains(words));
            let text = found.next().unwrap_or_else(|| panic!("{words}: {texts:?}"));
            assert!(found.next().is_none(), "{}: `{words}` twice", self.name);
            text.as_str()
        };
        // The program puts lists of its own below what a hook says.
        let context = with("# Your work: ")
            .split("Available agent types for")
            .next();
        (context.unwrap_or_default(), with("assigned:"))
    }

    /// Checks that these texts are there once, and those not at all: in what the town says to it,
    /// and in each of its requests. Subjects of commits are there once more where the program shows
    /// the last commits of the folder.
    fn knows(&self, once: &[String], never: &[String]) {
        let (context, message) = self.told();
        self.holds(
            "the town's part",
            &format!("{context}\n{message}"),
            (once, never),
        );
        let elsewhere = |fact: &&String| !fact.starts_with("FACT-COMMIT-");
        let once: Vec<String> = once.iter().filter(elsewhere).cloned().collect();
        for (number, request) in self.requests.iter().enumerate() {
            let part = format!("request {number}");
            self.holds(&part, &request.join("\n"), (&once, never));
        }
    }

    fn holds(&self, part: &str, text: &str, (once, never): (&[String], &[String])) {
        for (facts, times) in [(once, 1), (never, 0)] {
            let is_wrong = |fact: &&String| text.matches(fact.as_str()).count() != times;
            let wrong: Vec<&String> = facts.iter().filter(is_wrong).collect();
            let name = &self.name;
            assert!(
                wrong.is_empty(),
                "{part} of {name} has not {times} times: {wrong:?}\n{text}"
            );
        }
    }
}

/// All texts below a value.
fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| collect(one, into)),
        Value::Object(all) => all.values().for_each(|one| collect(one, into)),
        _ => {}
    }
}

fn of<const N: usize>(kind: &str, names: [&str; N]) -> Vec<String> {
    names.map(|name| format!("FACT-{kind}-{name}")).to_vec()
}

/// What each session should know once, and what it should not hear of, from the session's name.
fn facts(name: &str) -> (Vec<String>, Vec<String>) {
    let findings = of("DONE", ["EXPLORE", "PLAN"]);
    let documents = ["explore-the-parser.md", "plan-the-new-parser.md"];
    let documents = documents.map(str::to_owned).to_vec();
    match name {
        "EXPLORE" => (of("TASK", ["EXPLORE"]), findings[1..].to_vec()),
        "PLAN" => (
            [of("TASK", ["PLAN"]), of("DONE", ["EXPLORE"])].concat(),
            of("TASK", ["EXPLORE", "LEXER"]),
        ),
        "LEXER" | "TREE" | "ERRORS" => (
            [of("TASK", [name]), findings, documents].concat(),
            of("TASK", ["EXPLORE", "PLAN", "DOCUMENT"]),
        ),
        "again" => (
            [
                of("TASK", ["TREE"]),
                findings,
                of("DONE", ["LEXER", "ERRORS"]),
                documents,
                of("COMMIT", ["HALF"]),
                vec!["FACT-TRIED-POOL".to_owned(), "> half.txt".to_owned()],
            ]
            .concat(),
            of("TASK", ["EXPLORE", "PLAN", "LEXER", "DOCUMENT"]),
        ),
        "DOCUMENT" => (
            [
                of("TASK", ["DOCUMENT"]),
                findings,
                of("DONE", ["LEXER", "TREE", "ERRORS"]),
                documents,
            ]
            .concat(),
            of("TASK", ["EXPLORE", "PLAN", "LEXER", "TREE"]),
        ),
        "followup" => (
            [
                of("TASK", ["TREE"]),
                of("DONE", ["TREE"]),
                of("COMMIT", ["HALF", "TREE"]),
                documents,
                vec!["FACT-TRIED-POOL".to_owned(), "> src/tree.txt".to_owned()],
            ]
            .concat(),
            // What the siblings did is in the code by now.
            of("DONE", ["LEXER", "ERRORS", "DOCUMENT"]),
        ),
        other => panic!("an unexpected session: {other}"),
    }
}

/// The real program; without it a test is skipped.
fn program() -> Option<std::path::PathBuf> {
    claude()
        .map_err(|reason| report_skip(&format!("no Claude Code CLI: {reason}")))
        .ok()
}

#[test]
fn each_claude_code_session_of_a_convoy_gets_its_context_once() {
    let Some(bin) = program() else {
        return;
    };
    let spec = "A parser that names its errors";
    let story = Story::new(&bin, Town::with_rig(), spec, |_| "do it well");
    let followup = story.run();
    let sessions = story.sessions();
    let mut names: Vec<&str> = sessions.iter().map(|one| one.name.as_str()).collect();
    println!("bytes of a session's context, of its first message, of its whole first request:");
    for session in &sessions {
        let (context, message) = session.told();
        let (context, message) = (context.len(), message.len());
        println!("{}: {context}, {message}, {}", session.name, session.bytes);
        // What a hook says is cut by the program beyond 10,000 characters.
        assert!(context < 5_000 && message < 400, "{context} {message}");
        let (mut once, never) = facts(&session.name);
        once.extend(["# Your work: ", "You are polecat "].map(str::to_owned));
        session.knows(&once, &never);
    }
    // Workers of the middle ran beside each other.
    names[2..5].sort_unstable();
    let expected = [
        "EXPLORE", "PLAN", "ERRORS", "LEXER", "TREE", "again", "DOCUMENT", "followup",
    ];
    assert_eq!(names, expected);
    // The prompt is the title of the follow-up's bead, and its description says nothing else.
    let (context, message) = sessions[7].told();
    let said = |text: &str| text.matches("FACT-PROMPT").count();
    assert_eq!((said(context), said(message)), (1, 1), "{context}{message}");
    let work = format!("# Your work: {followup} ");
    assert!(context.contains(&work), "{context}");
    let merged = story.origin.subjects("main");
    assert!(
        merged.contains(&"FACT-COMMIT-FOLLOWUP".to_owned()),
        "{merged:?}"
    );
    assert_eq!(story.town.show(".", &story.convoy)["status"], "closed");
}

/// The keeper's text in a context: the part about the decision, to the heading after it.
fn keeper_text(context: &str) -> &str {
    let Some(begin) = context.find("# Decision about this convoy") else {
        return "";
    };
    let part = &context[begin..];
    let end = part[1..].find("\n#").map_or(part.len(), |end| end + 2);
    part[..end].trim_end()
}

#[test]
fn the_keeper_costs_a_convoy_with_claude_code_under_1000_tokens() {
    let Some(bin) = program() else {
        return;
    };
    let spec = "Add user profile modal with a logout button, and the Tier enum";
    // Three beads name the area that they touch.
    let task = |name: &str| match name {
        "LEXER" => "extend the profile modal",
        "TREE" => "append to the Tier enum",
        "ERRORS" => "log out with the auth service",
        _ => "do it well",
    };
    let story = Story::new(&bin, keeper::planted(), spec, task);
    story.run();
    let root = story.town.path("").display().to_string();
    let mut counts = Vec::new();
    let mut counted = BTreeSet::new();
    for session in story.sessions() {
        // On a busy machine a session may be restarted, and gets the same text again.
        if !counted.insert(session.name.clone()) {
            continue;
        }
        let (context, message) = session.told();
        let text = keeper_text(context);
        let tokens = keeper::tokens(&text.replace(&root, "/"));
        println!("{}: {tokens} tokens", session.name);
        assert!(tokens < 300, "{text}");
        assert_eq!(message.matches("ADR-001").count(), 0, "{message}");
        // A follow-up is no bead of the convoy: the task then names its decision.
        let is_in_convoy = session.name != "followup";
        let expected = if is_in_convoy { 2 } else { 1 };
        assert_eq!(
            context.matches("ADR-001").count() - text.matches("`gt keeper show").count(),
            expected,
            "{context}"
        );
        assert_eq!(text.is_empty(), !is_in_convoy, "{context}");
        counts.push(tokens);
    }
    let sum: usize = counts.iter().sum();
    println!("all sessions of the convoy: {sum} tokens");
    assert!(sum < 1000, "{sum}");
}
