//! The main job with the real Claude Code CLI, offline, against a scripted model.

use serde_json::json;
use town_tests::{FarMachine, Model, Terminal, Town, claude, eventually, report_skip};

/// The folder of the real CLI. Without it a test is skipped.
fn program() -> Option<std::path::PathBuf> {
    claude()
        .map_err(|reason| report_skip(&format!("no Claude Code CLI: {reason}")))
        .ok()
}

#[test]
fn work_of_a_primed_claude_code_is_committed_finished_and_merged() {
    finish_main_job("off");
}

#[test]
fn work_of_a_claude_code_in_the_jail_is_committed_finished_and_merged() {
    finish_main_job("required");
}

/// Slings a bead to Claude Code, and waits until the work is merged.
fn finish_main_job(jail: &str) {
    let Some(bin) = program() else {
        return;
    };
    let (town, origin) = Town::with_rig();
    town.set_rig_setting("web", "sandbox", json!({ "jail": jail }));
    let model = Model::start(
        &town,
        &json!({
            "scripts": [{
                "name": "polecat",
                "match": { "cwd": "/polecats/", "text": "# Your work: (?P<bead>web-\\w+)" },
                "turns": [
                    { "text": "Working on {{bead}}.",
                      "sh": "echo 'by claude' > claude.txt && git add -A && git commit -qm '{{bead}}: by claude' && echo COMMITTED",
                      "usage": { "input_tokens": 1111, "cache_read_input_tokens": 2222, "output_tokens": 33 },
                      "expect": "It is on your hook" },
                    { "sh": "gt done --summary 'claude wrote claude.txt'", "expect": "COMMITTED" },
                    { "text": "Done." },
                ],
            }],
            "default": { "text": "OK." },
        }),
    );
    let town = model.for_town(town, &bin);
    town.set_town_setting("default_agent", json!("claude"));
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.subjects("main"), [format!("{bead}: by claude")]);
    let author = origin.authors("main").remove(0);
    assert!(author.starts_with("web/polecats/"), "{author}");
    assert_eq!(
        town.show("web", &bead)["metadata"]["summary"],
        "claude wrote claude.txt"
    );
    // The context reached the model with the first request, through the SessionStart hook, exactly
    // once.
    let requests = model.requests();
    let first = requests[0]["body"].to_string();
    assert_eq!(first.matches("# Your work: ").count(), 1, "{first}");
    assert!(first.contains("SessionStart"), "it came from the hook");
    assert!(
        first.contains(&format!("assigned:{bead}")),
        "the first message names the work"
    );
    let begun = town.events("session_start");
    assert_eq!(begun.len(), 1, "{begun:?}");
    assert_eq!(begun[0]["payload"]["source"], "startup");
    // The session ended with the work, and nothing was written into the repository.
    town.quiet();
    let costs = town.gt(["costs", "--by", "bead", "--json"]).ok().json();
    assert_eq!(costs["rows"][0]["key"], bead.as_str(), "{costs}");
    let tokens = &costs["rows"][0]["tokens"];
    assert_eq!(tokens["cache_read"], 2222, "{costs}");
    assert!(tokens["input"].as_u64() >= Some(1111), "{costs}");
    assert_eq!(
        origin.git(["ls-tree", "-r", "--name-only", "main"]),
        "README.md\nclaude.txt\nshared.txt"
    );
    // In the jail it cannot write to the user's own configuration.
    let is_jailed = jail != "off";
    assert_eq!(town.path("home/.claude/projects").exists(), !is_jailed);
}

#[test]
fn claude_code_reports_the_usage_windows_of_a_subscription() {
    let Some(bin) = program() else {
        return;
    };
    let (town, _origin) = Town::with_rig();
    let model = Model::start(
        &town,
        &json!({
            "headers": {
                "anthropic-ratelimit-unified-status": "allowed",
                "anthropic-ratelimit-unified-5h-utilization": "0.375",
                "anthropic-ratelimit-unified-5h-reset": "4102444800",
                "anthropic-ratelimit-unified-7d-utilization": "0.04",
                "anthropic-ratelimit-unified-7d-reset": "4102444800",
            },
            "default": { "text": "Working." },
        }),
    );
    let town = model.for_subscriber(town, &bin);
    town.set_town_setting("default_agent", json!("claude"));
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let windows = eventually("the usage windows", || {
        let costs = town.gt(["costs", "--json"]).ok().json();
        costs["usage_windows"].as_array().cloned()
    });
    let told: Vec<_> = windows
        .iter()
        .map(|window| {
            json!([
                window["runtime"],
                window["window_minutes"],
                window["used_percent"]
            ])
        })
        .collect();
    assert_eq!(
        json!(told),
        json!([["claude", 300, 37.5], ["claude", 10_080, 4.0]])
    );
    assert_eq!(windows[0]["resets_at"], "2100-01-01T00:00:00Z");
    // The line below the prompt does not hide that the session waits for input.
    let worker = town.show("web", &bead)["assignee"]
        .as_str()
        .unwrap()
        .to_owned();
    eventually("the status line", || {
        let screen = town.gt(["peek", &worker]).ok().out;
        screen
            .contains("5-hour window: 38 % used · 7-day window: 4 % used")
            .then_some(())
    });
    town.gt(["nudge", &worker, "Go on."]).ok();
    eventually("the nudge arrives", || {
        let requests = model.requests();
        let has = |request: &serde_json::Value| request["body"].to_string().contains("Go on.");
        requests.iter().any(has).then_some(())
    });
}

#[test]
fn claude_code_does_formula_steps_and_resumes_a_killed_step() {
    let Some(bin) = program() else {
        return;
    };
    let (town, _origin) = Town::with_rig();
    let folder = town.root().join(".beads/formulas");
    std::fs::create_dir_all(&folder).unwrap();
    let step = |id: &str, needs: &str| {
        format!("[[steps]]\nid = \"{id}\"\ntitle = \"Step {id}\"\nneeds = [{needs}]\n")
    };
    let text = format!(
        "formula = \"two\"\n{}{}",
        step("one", ""),
        step("two", "\"one\"")
    );
    std::fs::write(folder.join("two.formula.toml"), text).unwrap();
    let model = Model::start(
        &town,
        &json!({
            "scripts": [
                { "name": "second",
                  "match": { "cwd": "/polecats/", "text": "## Now: step 2 of 2" },
                  "turns": [
                      { "sh": "echo two > two && git add two && git commit -qm two && gt mol step done --json && gt done -s 'two steps'" },
                      { "text": "Done." },
                  ] },
                { "name": "first",
                  "match": { "cwd": "/polecats/", "text": "## Now: step 1 of 2" },
                  "turns": [{ "sh": "gt mol step done && kill -9 $PPID" }, { "text": "OK." }] },
            ],
            "default": { "text": "OK." },
        }),
    );
    let town = model.for_town(town, &bin);
    town.set_town_setting("default_agent", json!("claude"));
    let bead = town.bead("web", "Two steps");
    town.up();
    town.gt(["sling", "two", "--on", &bead, "web"]).ok();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    let ended = &town.events("molecule_ended")[0]["payload"];
    let digest = town.show("web", ended["digest"].as_str().unwrap());
    let text = digest["description"].as_str().unwrap();
    assert!(text.contains("**Completed**: 2/2"), "{text}");
    assert!(
        !town.events("respawn").is_empty(),
        "a second session took over"
    );
}

/// How often a text stands in the last request.
fn in_last(model: &Model, text: &str) -> usize {
    let requests = model.requests();
    requests
        .last()
        .map_or(0, |last| last["body"].to_string().matches(text).count())
}

/// Asks the mayor; the model has it before it in the end.
fn asked(town: &Town, model: &Model, words: &str) {
    let before = model.requests().len();
    town.type_line("hq-mayor", words);
    eventually("the model is asked", || {
        let requests = model.requests();
        let mut asked = requests.iter().skip(before);
        let has = |request: &serde_json::Value| request["body"].to_string().contains(words);
        asked.any(has).then_some(())
    });
}

/// Waits until a session has begun in this way.
fn begun(town: &Town, source: &str) {
    eventually("the session is told of", || {
        let events = town.events("session_start");
        (events.last()?["payload"]["source"] == source).then_some(())
    });
}

#[test]
fn clear_compact_and_handoff_each_give_claude_code_its_context_once() {
    let Some(bin) = program() else {
        return;
    };
    let (town, _origin) = Town::with_rig();
    let model = Model::start(&town, &json!({ "default": { "text": "OK." } }));
    let town = model.for_town(town, &bin);
    town.set_town_setting("default_agent", json!("claude"));
    town.gt(["mayor", "start"]).ok();
    let ask = |words: &str| asked(&town, &model, words);
    let begun = |source: &str| begun(&town, source);
    let once = || {
        assert_eq!(in_last(&model, "# You are "), 1, "who it is");
        assert_eq!(
            in_last(&model, "You are the coordinator of the town"),
            1,
            "its role"
        );
    };
    begun("startup");
    ask("first question");
    once();
    town.type_line("hq-mayor", "/compact");
    begun("compact");
    ask("second question");
    once();
    assert_eq!(in_last(&model, "SessionStart:compact"), 1);
    assert_eq!(in_last(&model, "first question"), 0, "it was summed up");
    // The summary was asked for with what it must keep.
    let asked = model.all_requests().iter().any(|request| {
        let body = request["body"].to_string();
        body.contains("Keep in the summary")
    });
    assert!(asked, "what a summary must keep was not said");
    town.type_line("hq-mayor", "/clear");
    begun("clear");
    ask("third question");
    once();
    assert_eq!(in_last(&model, "second question"), 0);
    // A handed-over session begins with the letter, and only that one does.
    town.gt(["handoff", "mayor", "-m", "the queue needs care"])
        .ok();
    begun("startup");
    ask("fourth question");
    once();
    assert_eq!(in_last(&model, "> the queue needs care"), 1);
    town.type_line("hq-mayor", "/clear");
    begun("clear");
    ask("fifth question");
    assert_eq!(in_last(&model, "the queue needs care"), 0);
}

#[test]
fn a_past_claude_code_session_can_be_found_searched_and_asked() {
    let Some(bin) = program() else {
        return;
    };
    let (town, _origin) = Town::with_rig();
    let model = Model::start(
        &town,
        &json!({
            "on": [{
                "match": "what was the word",
                "turns": [{ "text": "It was PERSIMMON." }],
            }],
            "default": { "text": "OK." },
        }),
    );
    let town = model.for_town(town, &bin);
    town.set_town_setting("default_agent", json!("claude"));
    town.gt(["mayor", "start"]).ok();
    begun(&town, "startup");
    asked(&town, &model, "remember PERSIMMON");
    let sessions = eventually("the transcript is there", || {
        let found = town.gt(["seance", "--role", "mayor", "--json"]).ok().json();
        found[0]["transcript"].is_string().then_some(found)
    });
    let id = sessions[0]["session_id"].as_str().unwrap().to_owned();
    let hits = eventually("what was said is written down", || {
        let hits = town.gt(["seance", "search", "persimmon", "--json"]).ok();
        let hits = hits.json();
        (!hits.as_array().unwrap().is_empty()).then_some(hits)
    });
    assert_eq!(hits[0]["session_id"], id.as_str());
    assert!(hits[0]["at"].as_str().unwrap().starts_with("20"));

    // Resumed by hand, in the agent's folder as its session was: it is told that it goes on, and no
    // more.
    town.kill_session("hq-mayor");
    let resumed = town
        .other_program(&bin.join("claude"), &town.root().join("mayor"))
        .env("GT_ROLE", "mayor")
        .args(["--resume", &id, "-p", "sixth question"]);
    resumed.ok();
    begun(&town, "resume");
    assert_eq!(in_last(&model, "remember PERSIMMON"), 1);
    assert_eq!(
        in_last(&model, "back in a session that has its context already"),
        1
    );
    let first = "You are the coordinator of the town";
    assert!(in_last(&model, first) <= 1, "the role is not said again");

    let before = town.events("session_start").len();
    let talk = ["seance", "--talk", &id[..8], "-p", "what was the word"];
    let said = town.gt(talk).ok().out;
    assert_eq!(said.trim(), "It was PERSIMMON.");
    assert_eq!(
        in_last(&model, "remember PERSIMMON"),
        1,
        "it has the conversation before it"
    );
    assert_eq!(
        town.events("session_start").len(),
        before,
        "it is no session of the town"
    );
}

/// A worker in a town of its own whose model plays these turns; a fresh session gets the last of
/// them.
fn slung(turns: &serde_json::Value) -> Option<(Town, Model, String)> {
    let bin = program()?;
    let (town, _origin) = Town::with_rig();
    let scenario = json!({
        "scripts": [{ "name": "polecat", "match": { "cwd": "/polecats/" }, "turns": turns }],
        "default": { "text": "OK." },
    });
    let model = Model::start(&town, &scenario);
    let town = model.for_town(town, &bin);
    town.set_town_setting("default_agent", json!("claude"));
    for (name, value) in [("note", "2s"), ("nudge", "4s"), ("restart", "60s")] {
        town.gt(["config", "set", &format!("patrol.progress.{name}"), value])
            .ok();
    }
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    Some((town, model, bead))
}

const FINISH: &str =
    "echo x > x.txt && git add -A && git commit -qm x && gt done --summary 'finished'";

/// How often a rule acted.
fn count(town: &Town, rule: &str) -> usize {
    let events = town.events("patrol");
    events
        .iter()
        .filter(|event| event["payload"]["rule"] == rule)
        .count()
}

#[test]
fn a_question_in_text_is_noticed_and_a_nudge_gets_the_work_finished() {
    // The stop hook speaks once; then the model asks again and stops.
    let turns = json!([
        { "text": "Shall I use tabs or spaces?" },
        { "text": "I would rather know: tabs or spaces?" },
        { "text": "Good, spaces.", "sh": FINISH, "expect": "You have made no progress" },
        { "text": "Done." },
    ]);
    let Some((town, _model, bead)) = slung(&turns) else {
        return;
    };
    town.closed("web", &bead);
    assert_eq!(count(&town, "G1-nudge-quiet"), 1);
    assert_eq!(count(&town, "G2-restart-quiet"), 0);
}

#[test]
fn an_api_without_credit_is_reported_and_work_continues_when_it_answers() {
    let refusal = json!({ "status": 400, "type": "invalid_request_error",
        "message": "Your credit balance is too low to access the Anthropic API.", "times": 1 });
    let turns = json!([
        { "error": refusal, "text": "Working.", "sh": FINISH },
        { "text": "Done." },
    ]);
    let Some((town, _model, bead)) = slung(&turns) else {
        return;
    };
    let doing = eventually("the refusal is known", || {
        let doing = town.polecats()[0]["progress"]["doing"].clone();
        (doing["state"] == "refused").then_some(doing)
    });
    assert_eq!(doing["kind"], "billing_error", "{doing}");
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains("the API refuses: billing_error"),
        "{status}"
    );
    eventually("the overseer hears of it", || {
        let mail = town.mail("overseer");
        let is_about = |one: &serde_json::Value| one["subject"] == "The API of claude refuses";
        mail.iter().any(is_about).then_some(())
    });
    // A worker tries again after half a minute.
    town.closed("web", &bead);
    assert_eq!(count(&town, "A1-resume-refused"), 1);
    assert_eq!(count(&town, "P6-breaker"), 0);
}

#[test]
fn workers_get_no_tool_that_waits_for_the_user() {
    let turns = json!([{ "text": "Working.", "sh": FINISH }, { "text": "Done." }]);
    let Some((town, model, bead)) = slung(&turns) else {
        return;
    };
    town.closed("web", &bead);
    let first = &model.requests()[0]["body"];
    let tools = first["tools"].to_string();
    assert!(tools.contains("\"Bash\""), "{tools}");
    for tool in ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"] {
        assert!(!tools.contains(&format!("\"{tool}\"")), "{tool}");
    }
}

/// A town with Claude Code and a model, before anything is slung.
fn with_model(scenario: &serde_json::Value) -> Option<(Town, Model)> {
    let bin = program()?;
    let (town, _origin) = Town::with_rig();
    let model = Model::start(&town, scenario);
    let town = model.for_town(town, &bin);
    town.set_town_setting("default_agent", json!("claude"));
    Some((town, model))
}

/// Slings a bead to a worker whose API refuses its first requests, as long as Claude Code tries by
/// itself, and gives what is known of the refusal then.
fn refused(error: &serde_json::Value) -> Option<(Town, Model, String, serde_json::Value)> {
    let turns = json!([{ "error": error, "text": "Working.", "sh": FINISH }, { "text": "Done." }]);
    let scenario = json!({
        "scripts": [{ "name": "polecat", "match": { "cwd": "/polecats/" }, "turns": turns }],
        "default": { "text": "OK." },
    });
    let (town, model) = with_model(&scenario)?;
    // It gives up after one more try, instead of ten.
    let town = town.with_env("CLAUDE_CODE_MAX_RETRIES", "1");
    let pass = ["config", "set", "session.pass", "CLAUDE_CODE_MAX_RETRIES"];
    town.gt(pass).ok();
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    let refusal = eventually("the refusal is known", || {
        let doing = town.polecats()[0]["progress"]["doing"].clone();
        let is_final = doing["state"] == "refused" && doing["kind"] != "retrying";
        is_final.then_some(doing)
    });
    Some((town, model, bead, refusal))
}

#[test]
fn an_overloaded_api_is_reported_and_work_continues_without_a_restart() {
    let error = json!({ "status": 529, "type": "overloaded_error", "message": "Overloaded",
        "times": 2, "headers": { "retry-after": "1" } });
    let Some((town, _model, bead, refusal)) = refused(&error) else {
        return;
    };
    assert!(refusal["until"].is_null(), "{refusal}");
    town.closed("web", &bead);
    assert_eq!(count(&town, "A1-resume-refused"), 1);
    for rule in ["G2-restart-quiet", "P6-respawn-stalled", "P6-breaker"] {
        assert_eq!(count(&town, rule), 0, "{rule}");
    }
}

#[test]
fn an_api_is_retried_at_the_time_that_it_names() {
    let error = json!({ "status": 429, "type": "rate_limit_error",
        "message": "This request would exceed your rate limit. Please try again in 8 seconds.",
        "times": 2, "headers": { "retry-after": "1" } });
    let Some((town, _model, bead, refusal)) = refused(&error) else {
        return;
    };
    assert_eq!(refusal["kind"], "rate_limit", "{refusal}");
    let at = |key: &str| -> jiff::Timestamp { refusal[key].as_str().unwrap().parse().unwrap() };
    let wait = at("until").duration_since(at("at")).as_secs();
    // Less is left if the refusal was noticed late.
    assert!(wait <= 8, "{refusal}");
    town.closed("web", &bead);
    let tried = town.events("patrol");
    let tried = tried
        .iter()
        .find(|event| event["payload"]["rule"] == "A1-resume-refused");
    let tried: jiff::Timestamp = tried.unwrap()["ts"].as_str().unwrap().parse().unwrap();
    // Events have whole seconds.
    assert!(
        tried.as_second() >= at("until").as_second(),
        "{tried} {refusal}"
    );
    assert_eq!(count(&town, "P6-breaker"), 0);
}

#[test]
fn sling_reports_an_api_key_dialog_and_leaves_it_to_the_user() {
    let Some((town, model)) = with_model(&json!({ "default": { "text": "OK." } })) else {
        return;
    };
    let state = json!({ "hasCompletedOnboarding": true });
    std::fs::write(town.path("home/.claude.json"), state.to_string()).unwrap();
    let bead = town.bead("web", "Write a file");
    let said = town.gt(["sling", &bead, "web"]).run();
    assert_eq!(said.code, 3, "{} {}", said.out, said.err);
    assert!(said.out.contains("API key"), "{}", said.out);
    let why = town.gt(["why", &bead, "--no-pager"]).ok().out;
    assert!(why.contains("API key"), "{why}");
    assert_eq!(model.requests().len(), 0, "nobody answered in its place");
}

#[test]
fn a_killed_claude_is_restarted_and_shown_the_existing_work() {
    let scenario = json!({
        "scripts": [
            { "name": "again", "match": { "cwd": "/polecats/", "text": "half\\.txt" },
              "turns": [{ "text": "I go on.", "sh": FINISH }, { "text": "Done." }] },
            { "name": "first", "match": { "cwd": "/polecats/" },
              "turns": [{ "text": "Working.", "sh": "echo half > ha\"\"lf.txt; echo WRITTEN" },
                        { "delay": 120, "text": "Too late." }] },
        ],
        "default": { "text": "OK." },
    });
    let Some((town, _model)) = with_model(&scenario) else {
        return;
    };
    let bead = town.bead("web", "Write a file");
    town.up();
    let worker = town.sling(&bead);
    let half = town.sandbox(&worker).join("half.txt");
    eventually("it has written half", || half.exists().then_some(()));
    let session = format!("GT_SESSION=gt-{}", worker.replace('/', "-"));
    // Workers of other tests, in towns of their own, may have the same name.
    let root = format!("GT_ROOT={}", town.root().display());
    let is_its = |pid: &String| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_else(|_| Vec::new());
        let words: Vec<&[u8]> = environ.split(|byte| *byte == 0).collect();
        let comm =
            std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_else(|_| String::new());
        let is_here = words.contains(&session.as_bytes()) && words.contains(&root.as_bytes());
        is_here && comm.starts_with("claude")
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let pids: Vec<String> = pids.filter(is_its).collect();
    assert!(!pids.is_empty(), "no process of {session}");
    for pid in &pids {
        town.kill(pid);
    }
    town.closed("web", &bead);
    assert_eq!(count(&town, "P6-respawn-stalled"), 1);
    let ended = &town.events("session_ended")[0]["payload"];
    assert_eq!(ended["signal"], 9, "{ended}");
}

#[test]
fn work_of_a_claude_code_on_another_machine_is_seen_counted_and_merged() {
    let Some(bin) = program() else {
        return;
    };
    let (town, origin) = Town::with_rig();
    let model = Model::start(
        &town,
        &json!({
            "scripts": [{
                "name": "polecat",
                "match": { "cwd": "/polecats/", "text": "# Your work: (?P<bead>web-\\w+)" },
                "turns": [
                    { "text": "Working far away.",
                      "sh": "while ! [ -e ../seen ]; do sleep 0.2; done; echo far > far.txt && git add -A && git commit -qm '{{bead}}: far' && echo COMMITTED",
                      "usage": { "input_tokens": 1111, "cache_read_input_tokens": 2222, "output_tokens": 33 },
                      "expect": "It is on your hook" },
                    { "sh": "gt done --summary 'claude wrote far.txt'", "expect": "COMMITTED" },
                    { "text": "Done." },
                ],
            }],
            "default": { "text": "OK." },
        }),
    );
    let town = model.for_town(town, &bin);
    let home = town.path("far-big/home");
    let far = FarMachine::with_variables(&town, &model.for_machine(&home));
    town.set_town_setting("default_agent", json!("claude"));
    town.gt(["host", "add", "big", "--ssh", "big-machine"]).ok();
    let bead = town.bead("web", "Write a file");
    town.up();
    town.gt(["sling", &bead, "web", "--host", "big"]).ok();
    let worker = eventually("the worker", || {
        let listed = town.gt(["polecat", "list", "web", "--json"]).ok().json();
        Some(format!("web/{}", listed[0]["name"].as_str()?))
    });
    let line = format!("gt attach {worker}");
    let terminal = Terminal::run(&town, &town.root(), &line);
    terminal.wait_for("Working far away.");
    drop(terminal);
    std::fs::write(far.sandbox(&worker).join("../seen"), "").unwrap();
    eventually("the bead is closed", || {
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.subjects("main"), [format!("{bead}: far")]);
    let begun = town.events("session_start");
    assert_eq!(begun.len(), 1, "{begun:?}");
    let costs = town.gt(["costs", "--by", "bead", "--json"]).ok().json();
    assert_eq!(costs["rows"][0]["key"], bead.as_str(), "{costs}");
    assert_eq!(costs["rows"][0]["tokens"]["cache_read"], 2222, "{costs}");
    // The conversation was there and not here.
    assert!(home.join(".claude/projects").exists());
    assert!(!town.path("home/.claude/projects").exists());
}
