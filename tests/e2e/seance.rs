//! `gt seance`.

use std::path::PathBuf;

use serde_json::{Value, json};
use town_tests::{Terminal, Town, eventually};

/// The name that agent programs give a folder in their store.
fn stored(folder: &std::path::Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    folder.to_str().unwrap().chars().map(plain).collect()
}

/// Writes the transcript of a session that ran in a folder.
fn transcript(town: &Town, folder: &std::path::Path, id: &str, lines: &[Value]) -> PathBuf {
    let real = std::fs::canonicalize(folder).unwrap();
    let store = town.path("home/.claude/projects").join(stored(&real));
    std::fs::create_dir_all(&store).unwrap();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let path = store.join(format!("{id}.jsonl"));
    std::fs::write(&path, text.join("\n")).unwrap();
    path
}

fn said(by: &str, at: &str, text: &str) -> Value {
    json!({ "type": by, "timestamp": at, "message": { "role": by, "content": text } })
}

/// A town with two sessions of the mayor: one that left an event, and one that left only its
/// transcript.
fn with_sessions() -> Town {
    let (town, _origin) = Town::with_rig();
    let event = r#"{"hook_event_name":"SessionStart","session_id":"aaaa-1","source":"startup"}"#;
    town.gt(["prime", "--hook"])
        .env("GT_ROLE", "mayor")
        .input(event)
        .ok();
    let home = town.root().join("mayor");
    let lines = [
        said("user", "2020-01-01T10:00:00Z", "Plan the parser"),
        said(
            "assistant",
            "2020-01-01T10:00:05Z",
            "The Parser needs a lexer\u{1b}[31m",
        ),
        said(
            "assistant",
            "2020-01-01T10:01:00Z",
            "gt handoff -m 'parser planned'",
        ),
    ];
    transcript(&town, &home, "bbbb-2", &lines);
    town
}

#[test]
fn session_ids_are_complete_and_handed_over_sessions_are_marked() {
    let (town, _origin) = Town::with_rig();
    let begin = |id: &str| {
        let event =
            json!({"hook_event_name": "SessionStart", "session_id": id, "source": "startup"});
        let begun = town.gt(["prime", "--hook"]).env("GT_ROLE", "mayor");
        begun.input(&event.to_string()).ok();
    };
    let ids = ["0197a1b2-c3d4-7000-8000-1", "0197a1b2-c3d4-7000-8000-2"];
    begin(ids[0]);
    town.set_town_setting(
        "agents",
        json!({ "stay": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } }),
    );
    town.set_town_setting("default_agent", "stay".into());
    town.gt(["mayor", "start"]).ok();
    town.gt(["handoff", "mayor", "-m", "go on"]).ok();
    eventually("the next session runs", || {
        (town.events("session_begun").len() == 2).then_some(())
    });
    begin(ids[1]);
    let shown = town.gt(["seance"]).ok().out;
    let line = |id: &str| {
        let found = shown
            .lines()
            .find(|line| line.starts_with(&format!("{id} ")));
        found.unwrap_or_else(|| panic!("{shown}")).to_owned()
    };
    assert!(line(ids[0]).ends_with("handed off"), "{shown}");
    assert!(!line(ids[1]).ends_with("handed off"), "{shown}");
}

#[test]
fn sessions_from_events_and_transcripts_are_filtered_by_role_time_and_number() {
    let town = with_sessions();
    let ids = |more: &[&str]| -> Vec<String> {
        let mut args = vec!["seance", "--json"];
        args.extend(more);
        let found = town.gt(args).ok().json();
        let id = |session: &Value| session["session_id"].as_str().unwrap().to_owned();
        found.as_array().unwrap().iter().map(id).collect()
    };
    assert_eq!(ids(&[]), ["aaaa-1", "bbbb-2"], "newest first");
    assert_eq!(ids(&["--role", "MAYOR", "-n", "1"]), ["aaaa-1"]);
    assert_eq!(ids(&["--since", "1h"]), ["aaaa-1"]);
    assert_eq!(ids(&["--since", "2019-12-31"]).len(), 2);
    assert!(ids(&["--rig", "web"]).is_empty());
    assert!(ids(&["--bead", "web-1"]).is_empty());
    town.gt(["seance", "--since", "soon"]).fails("`2h`, `3d`");
    let list = town.gt(["seance"]).ok().out;
    assert!(
        list.contains("bbbb-2") && list.contains("transcript"),
        "{list}"
    );
}

#[test]
fn a_transcript_search_shows_session_turn_and_time_and_marks_handovers() {
    let town = with_sessions();
    let hits = town
        .gt(["seance", "search", "PARSER", "--json"])
        .ok()
        .json();
    let hits = hits.as_array().unwrap().clone();
    assert_eq!(hits.len(), 3);
    assert_eq!(hits[1]["session_id"], "bbbb-2");
    assert_eq!(
        (&hits[1]["turn"], &hits[1]["at"]),
        (&json!(1), &json!("2020-01-01T10:00:05Z"))
    );
    assert_eq!(hits[2]["handoff"], true);
    let shown = town.gt(["seance", "search", "parser"]).ok().out;
    assert!(
        shown.contains("turn 1") && shown.contains("(handoff)"),
        "{shown}"
    );
    assert!(
        !shown.contains('\u{1b}'),
        "text of a transcript moves no cursor"
    );
    let none = town.gt(["seance", "search", "nowhere"]).ok().out;
    assert!(none.contains("nothing was found"), "{none}");
}

/// The transcript of the session `cccc-3` of the mayor, with calls, results and a handoff.
fn long_transcript(town: &Town) {
    let call = |at: &str, name: &str, input: Value| {
        json!({
            "type": "assistant", "timestamp": at,
            "message": { "role": "assistant", "model": "m-1", "content": [
                { "type": "text", "text": "I look\u{1b}[2J around" },
                { "type": "tool_use", "name": name, "input": input },
            ] },
        })
    };
    let result = |at: &str, text: &str| {
        json!({
            "type": "user", "timestamp": at,
            "message": { "role": "user", "content": [{ "type": "tool_result", "content": text }] },
        })
    };
    let lines = [
        said(
            "user",
            "2020-01-02T10:00:00Z",
            "Plan the lexer\nand its tests",
        ),
        call(
            "2020-01-02T10:00:05Z",
            "Bash",
            json!({ "command": "ls\nsrc\u{1b}]0;x" }),
        ),
        result("2020-01-02T10:00:06Z", "1\n2\n3\n4\n5\n6\n7\n8\u{1b}[31m"),
        said("user", "2020-01-02T11:00:00Z", "Go on"),
        call(
            "2020-01-02T11:00:01Z",
            "Bash",
            json!({ "command": "gt handoff -m 'lexer'" }),
        ),
    ];
    transcript(town, &town.root().join("mayor"), "cccc-3", &lines);
}

#[test]
fn a_past_session_is_shown_as_a_conversation() {
    let town = with_sessions();
    long_transcript(&town);
    let play = town.gt(["seance", "play", "cccc"]).env("TZ", "UTC");
    let shown = play.ok().out;
    assert!(!shown.contains('\u{1b}'), "no text moves a cursor: {shown}");
    let expected = "\
══ cccc-3  mayor  2020-01-02 10:00:00
2020-01-02 10:00:00  user (turn 1)
  Plan the lexer
  and its tests
2020-01-02 10:00:05  assistant (m-1)
  I look\\u{1b}[2J around
  → Bash: ls↵src\\u{1b}]0;x
2020-01-02 10:00:06  tool
  │ 1
  │ 2
  │ 3
  │ 4
  │ 5
  │ 6
  │ … and 2 more lines
2020-01-02 11:00:00  user (turn 2)
  Go on
2020-01-02 11:00:01  assistant (m-1)
  I look\\u{1b}[2J around
  → Bash: gt handoff -m 'lexer'
── handoff ──
";
    assert_eq!(shown, expected);

    // All sessions of an agent, the oldest first.
    let shown = town.gt(["seance", "play", "mayor", "-n", "1"]).ok().out;
    let headers: Vec<&str> = shown.lines().filter(|line| line.starts_with('═')).collect();
    assert!(
        headers[0].starts_with("══ bbbb-2") && headers[1].starts_with("══ cccc-3"),
        "{shown}"
    );
    assert!(shown.contains("(4 older entries: -n 0)"), "{shown}");

    let played = town.gt(["seance", "play", "cccc-3", "--json"]).ok().json();
    let session = &played[0];
    assert_eq!(
        (&session["actor"], &session["total"]),
        (&json!("mayor"), &json!(5))
    );
    let entries = session["entries"].as_array().unwrap();
    assert_eq!(entries[2]["by"], "tool");
    assert_eq!(entries[4]["calls"][0]["input"], "gt handoff -m 'lexer'");
    assert_eq!(entries[4]["handoff"], true);

    town.gt(["seance", "play", "nowhere"])
        .fails("no session `nowhere`");
    town.gt(["seance", "play", "aaaa-1"])
        .fails("left no transcript");
    town.gt(["seance", "play", "cccc", "--speed", "0"])
        .fails("a number above 0");
    town.gt(["seance", "play", "cccc", "--speed", "1", "--json"])
        .fails("leave out --json");
}

#[test]
fn a_played_session_appears_step_by_step_and_ends_with_control_c() {
    let town = with_sessions();
    long_transcript(&town);
    // The shell outlives the signal, too.
    let line = "trap : INT; gt seance play cccc --speed 0.0001; echo ended $?";
    let terminal = Terminal::run(&town, &town.root(), line);
    terminal.wait_for("Plan the lexer");
    assert!(!terminal.screen().contains("handoff"), "it is not over yet");
    terminal.press(&["C-c"]);
    terminal.wait_for("ended 130");

    // A pace at which every pause is over at once.
    let all = town
        .gt(["seance", "play", "cccc", "--speed", "1e9"])
        .ok()
        .out;
    assert!(all.ends_with("── handoff ──\n"), "{all}");
}

#[test]
fn a_session_answers_from_its_folder_with_a_clean_environment() {
    use std::os::unix::fs::PermissionsExt;
    let town = with_sessions();
    let agent = town.path("bin/oracle");
    let body = "#!/bin/sh\nfor word in \"$@\"; do echo \"[$word]\"; done; pwd; echo \"${CLAUDECODE-unset}\"\n";
    std::fs::write(&agent, body).unwrap();
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let own = json!({ "own": { "provider": "claude", "command": agent } });
    town.set_town_setting("agents", own);
    town.set_town_setting("default_agent", json!("own"));
    let question = "what; `touch harmed` \"now\"?";
    let ask = ["seance", "--talk", "bbbb", "-p", question];
    let said = town.gt(ask).env("CLAUDECODE", "1").ok().out;
    let home = std::fs::canonicalize(town.root().join("mayor")).unwrap();
    let wanted = format!(
        "[--resume]\n[bbbb-2]\n[--fork-session]\n[-p]\n[{question}]\n{}\nunset",
        home.display()
    );
    assert_eq!(said.trim(), wanted);

    town.gt(["seance", "--talk", "cccc", "-p", "?"])
        .fails("no session `cccc`");
    let flag = [
        "seance",
        "--talk",
        "bbbb",
        "-p=--dangerously-skip-permissions",
    ];
    town.gt(flag).fails("begins like a flag");
    // The id of a session is data, too.
    let event =
        r#"{"hook_event_name":"SessionStart","session_id":"--dangerously-skip-permissions"}"#;
    let odd = town.gt(["prime", "--hook"]).env("GT_ROLE", "mayor");
    odd.input(event).ok();
    town.gt(["seance", "--talk=--dangerously", "-p", "?"])
        .fails("is no id of a session");
    town.gt(["seance", "-p", "?"]).fails("--talk");
    town.gt(["seance", "--talk", "bbbb"]).fails("no terminal");
    std::fs::write(&agent, "#!/bin/sh\necho no such conversation >&2\nexit 1\n").unwrap();
    town.gt(ask).fails("no such conversation");
}

#[test]
fn asking_a_scripted_session_shows_its_recorded_work() {
    let (town, _origin) = Town::with_rig();
    town.script("echo work > w.txt; echo 'The lexer is slow' > \"$GT_SUMMARY_FILE\"");
    let bead = town.bead("web", "Measure the lexer");
    town.up();
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    let listed = town.gt(["seance", "--bead", &bead, "--json"]).ok().json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed[0]["agent"], "worker");
    let id = listed[0]["session_id"].as_str().unwrap();
    let ask = ["seance", "--talk", id, "-p", "why?"];
    let said = town.gt(ask).args(["--json"]).ok().json();
    assert_eq!(said["recorded"], true);
    let text = said["answer"].as_str().unwrap();
    for words in [
        "a script, which answers no question",
        "\"Measure the lexer\" (closed)",
        ": handed in as web-mr-",
        "> The lexer is slow",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // In words, too.
    let said = town.gt(["seance", "--talk", id, "-p", "why?"]).ok().out;
    assert!(said.contains("> The lexer is slow"), "{said}");
}

#[test]
fn a_program_that_cannot_resume_a_copy_names_the_transcript() {
    let (town, _origin) = Town::with_rig();
    let own = json!({ "own": { "provider": "amp", "command": "true" } });
    town.set_town_setting("agents", own);
    let event = r#"{"hook_event_name":"SessionStart","session_id":"cccc-3","source":"startup"}"#;
    let began = town.gt(["prime", "--hook"]).env("GT_ROLE", "mayor");
    began.env("GT_AGENT", "own").input(event).ok();
    let ask = ["seance", "--talk", "cccc", "-p", "why?"];
    let said = town.gt(ask).run();
    assert_eq!(said.code, 1, "{}", said.err);
    for words in [
        "own cannot resume a copy of this session",
        "no transcript of it is known",
    ] {
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
}
