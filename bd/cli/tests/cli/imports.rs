//! `bd import` from other trackers, and from the database of another bd.

use std::process::Command;

use serde_json::{Value, json};

use super::{Project, ids};

const GITHUB: &str = r#"[
  {"number":12,"title":"Login fails","body":"Blocked by #7","state":"OPEN","labels":[{"name":"bug"},{"name":"P1"}],
   "assignees":[{"login":"dana"}],"author":{"login":"lee"},"createdAt":"2026-01-02T03:04:05Z","updatedAt":"2026-01-03T03:04:05Z",
   "comments":[{"author":{"login":"kim"},"body":"Seen too","createdAt":"2026-01-02T04:00:00Z"}]},
  {"number":7,"title":"Session store","body":"Part of #99","state":"CLOSED","labels":[],"createdAt":"2026-01-01T00:00:00Z","closedAt":"2026-01-02T00:00:00Z"}
]"#;

const JIRA: &str = r#"{"issues":[
  {"key":"WEB-1","fields":{"summary":"Rewrite","description":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"All of it"}]}]},
   "status":{"name":"To Do","statusCategory":{"key":"new"}},"issuetype":{"name":"Epic"},"priority":{"name":"High"},"created":"2026-01-01T10:00:00.000+0000","updated":"2026-01-02T10:00:00.000+0000"}},
  {"key":"WEB-2","fields":{"summary":"Part","status":{"name":"Doing","statusCategory":{"key":"indeterminate"}},"issuetype":{"name":"Story"},"parent":{"key":"WEB-1"},
   "labels":["ui"],"timeoriginalestimate":3600,"created":"2026-01-01T10:00:00.000+0000",
   "issuelinks":[{"type":{"name":"Blocks"},"inwardIssue":{"key":"WEB-3"}}]}}
]}"#;

const JIRA_CSV: &str = "Issue key,Summary,Issue Type,Status,Priority,Labels,Labels,Created\nWEB-9,\"One, two\",Bug,Done,Low,a,b,12/Jan/26 3:45 PM\n";

const LINEAR: &str = r#"{"data":{"issues":{"nodes":[
  {"identifier":"ENG-1","title":"Ship","description":"D","state":{"name":"In Progress","type":"started"},"priority":1,"assignee":{"name":"dana"},
   "labels":{"nodes":[{"name":"Feature"}]},"createdAt":"2026-01-01T00:00:00Z","inverseRelations":{"nodes":[{"type":"blocks","issue":{"identifier":"ENG-2"}}]}},
  {"identifier":"ENG-2","title":"First","state":{"type":"completed"},"priority":0,"createdAt":"2026-01-01T00:00:00Z","completedAt":"2026-01-02T00:00:00Z"}
]}}}"#;

const LINEAR_CSV: &str = "ID,Team,Title,Status,Priority,Labels,Created,Completed,Parent issue\nENG-5,Eng,Top,Todo,Urgent,\"x, y\",2026-01-01T00:00:00Z,,\nENG-6,Eng,Sub,Done,Low,,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z,ENG-5\n";

fn import(project: &Project, name: &str, text: &str) -> Value {
    project.write(name, text);
    let dry = project.json(&["import", name, "--dry-run"]);
    assert_eq!(
        project.json(&["list", "--all"]),
        json!([]),
        "nothing is changed"
    );
    let done = project.json(&["import", name]);
    assert_eq!(
        (&dry["created"], &dry["id_mapping"]),
        (&done["created"], &done["id_mapping"])
    );
    let again = project.json(&["import", name]);
    assert_eq!(
        (&again["created"], &again["updated"]),
        (&json!(0), &json!(0)),
        "twice changes nothing"
    );
    done
}

#[test]
fn github_issues_become_beads() {
    let project = Project::new();
    let done = import(&project, "issues.json", GITHUB);
    assert_eq!(done["id_mapping"], json!({"7": "bd-gh7", "12": "bd-gh12"}));
    assert_eq!(done["edges"], 1);
    let bead = project.shown("bd-gh12");
    for (key, wanted) in [
        ("title", json!("Login fails")),
        ("issue_type", json!("bug")),
        ("priority", json!(1)),
        ("assignee", json!("dana")),
        ("created_by", json!("lee")),
        ("labels", json!(["P1", "bug"])),
        ("external_ref", json!("gh-12")),
        ("created_at", json!("2026-01-02T03:04:05Z")),
    ] {
        assert_eq!(bead[key], wanted, "{key}");
    }
    assert_eq!(bead["comments"][0]["text"], "Seen too");
    assert_eq!(ids(&bead["dependencies"]), ["bd-gh7"]);
    assert_eq!(project.shown("bd-gh7")["status"], "closed");
    let said = project.run(&["import", "issues.json"]).err;
    assert!(
        said.contains("1 edge; fields: ") && said.contains("7 depends on 99"),
        "{said}"
    );
}

#[test]
fn jira_issues_become_beads() {
    let project = Project::new();
    import(&project, "jira.json", JIRA);
    let part = project.shown("bd-web2");
    assert_eq!(part["parent"], "bd-web1");
    assert_eq!(
        (&part["status"], &part["issue_type"]),
        (&json!("in_progress"), &json!("feature"))
    );
    assert_eq!(part["estimated_minutes"], 60);
    let epic = project.shown("bd-web1");
    assert_eq!(
        (&epic["issue_type"], &epic["description"]),
        (&json!("epic"), &json!("All of it"))
    );
    let project = Project::new();
    import(&project, "jira.csv", JIRA_CSV);
    let bug = project.shown("bd-web9");
    assert_eq!(
        (&bug["title"], &bug["status"]),
        (&json!("One, two"), &json!("closed"))
    );
    assert_eq!(bug["labels"], json!(["a", "b"]));
    assert_eq!(bug["created_at"], "2026-01-12T15:45:00Z");
}

#[test]
fn linear_issues_become_beads() {
    let project = Project::new();
    import(&project, "linear.json", LINEAR);
    let bead = project.shown("bd-eng1");
    assert_eq!(
        (&bead["status"], &bead["priority"], &bead["issue_type"]),
        (&json!("in_progress"), &json!(0), &json!("feature"))
    );
    assert_eq!(ids(&bead["dependencies"]), ["bd-eng2"]);
    let project = Project::new();
    import(&project, "linear.csv", LINEAR_CSV);
    assert_eq!(project.shown("bd-eng6")["parent"], "bd-eng5");
    assert_eq!(project.shown("bd-eng5")["labels"], json!(["x", "y"]));
    let refused = project.fails(&["import", "linear.csv", "--from", "github"]);
    assert!(refused.contains("no issues of gh"), "{refused}");
}

#[test]
fn issues_with_similar_keys_stay_separate_and_keep_their_ids() {
    let project = Project::new();
    project.write("jira.csv", "Issue key,Summary\nA1-2,First\nA-12,Second\n");
    let done = project.json(&["import", "jira.csv"]);
    let ids = json!({"A1-2": "bd-a12", "A-12": "bd-a-12"});
    assert_eq!((&done["created"], &done["id_mapping"]), (&json!(2), &ids));
    // By itself, and after a rename by hand, an issue is still the same bead.
    project.ok(&["rename", "bd-a-12", "bd-own"]);
    project.write(
        "one.csv",
        "Issue key,Summary,Updated\nA-12,Changed,2030-01-01 00:00\n",
    );
    let again = project.json(&["import", "one.csv"]);
    assert_eq!(again["id_mapping"], json!({"A-12": "bd-own"}));
    assert_eq!(project.shown("bd-own")["title"], "Changed");
    // Another tracker's issue of that name is another one.
    project.write("linear.csv", "ID,Team,Title\nA-12,T,Of Linear\n");
    let done = project.json(&["import", "linear.csv"]);
    assert_eq!(done["id_mapping"], json!({"A-12": "bd-a-12"}));
    assert_eq!(project.shown("bd-a12")["title"], "First");

    let project = Project::new();
    let issue = |repo: &str| json!([{"number": 1, "title": repo, "state": "OPEN", "url": format!("https://github.com/o/{repo}/issues/1")}]);
    project.write("one.json", &issue("one").to_string());
    project.write("two.json", &issue("two").to_string());
    project.ok(&["import", "one.json"]);
    let refused = project.fails(&["import", "two.json"]);
    assert!(refused.contains("1 is bd-gh1 here"), "{refused}");
    assert_eq!(project.shown("bd-gh1")["title"], "one");
}

#[test]
fn an_issue_closed_since_the_last_import_needs_no_update_time() {
    let project = Project::new();
    let issue = |state, closed: Value| json!([{"number": 1, "title": "T", "state": state, "createdAt": "2026-01-01T00:00:00Z", "closedAt": closed}]);
    project.write("issues.json", &issue("OPEN", Value::Null).to_string());
    project.ok(&["import", "issues.json"]);
    let closed = issue("CLOSED", json!("2026-01-05T00:00:00Z"));
    project.write("issues.json", &closed.to_string());
    assert_eq!(project.json(&["import", "issues.json"])["updated"], 1);
    let bead = project.shown("bd-gh1");
    assert_eq!(
        (&bead["status"], &bead["closed_at"]),
        (&json!("closed"), &json!("2026-01-05T00:00:00Z"))
    );
}

#[test]
fn edges_that_close_a_circle_and_pull_requests_are_skipped() {
    let project = Project::new();
    project.write(
        "issues.json",
        r#"[{"number":1,"title":"A","body":"depends on #2","state":"open"},
            {"number":2,"title":"B","body":"Part of #1, depends on #1","state":"open"},
            {"number":3,"title":"P","state":"open","pull_request":{}}]"#,
    );
    let done = project.json(&["import", "issues.json"]);
    assert_eq!((&done["created"], &done["edges"]), (&json!(2), &json!(1)));
    let said = project.run(&["import", "issues.json"]).err;
    assert!(
        said.contains("1 depends on 2, which would close a circle"),
        "{said}"
    );
    assert_eq!(project.shown("bd-gh2")["parent"], "bd-gh1");
    assert_eq!(ids(&project.json(&["ready"])), ["bd-gh1", "bd-gh2"]);
}

#[test]
fn an_unreadable_export_is_named_and_nothing_is_imported() {
    let project = Project::new();
    for (text, words) in [
        (
            "Issue key,Summary,Created\nA-1,T,soon\n",
            "A-1: \"soon\" is no time",
        ),
        ("Issue key,Summary\nA-1,\"open\nA-2,T\n", "is not closed"),
    ] {
        project.write("jira.csv", text);
        let refused = project.fails(&["import", "jira.csv"]);
        assert!(refused.contains(words), "{refused}");
    }
    assert_eq!(project.json(&["list", "--all"]), json!([]));
}

const DATABASE: &str = "
CREATE TABLE issues (id TEXT, content_hash TEXT, title TEXT, description TEXT, status TEXT, priority INTEGER, issue_type TEXT, assignee TEXT, created_at DATETIME, updated_at DATETIME, closed_at DATETIME, ephemeral INTEGER, metadata TEXT, timeout_ns INTEGER);
CREATE TABLE labels (issue_id TEXT, label TEXT);
CREATE TABLE dependencies (issue_id TEXT, depends_on_id TEXT, type TEXT, created_at DATETIME, created_by TEXT, metadata TEXT);
CREATE TABLE comments (id INTEGER, issue_id TEXT, author TEXT, text TEXT, created_at DATETIME);
CREATE TABLE config (key TEXT, value TEXT);
INSERT INTO issues VALUES ('bd-a', 'x', 'One', 'D', 'open', 0, 'runbook', '', '2026-01-02 03:04:05', '2026-01-02 03:04:05', NULL, 0, '{\"k\":1}', 0);
INSERT INTO issues VALUES ('bd-w', 'x', 'Wisp', '', 'open', 2, 'task', 'dana', '2026-01-02 03:04:05', '2026-01-02 03:04:05', NULL, 1, '{}', 0);
INSERT INTO labels VALUES ('bd-a', 'x');
INSERT INTO dependencies VALUES ('bd-w', 'bd-a', 'blocks', '2026-01-02 03:04:05', 'lee', '{}');
INSERT INTO comments VALUES (1, 'bd-a', 'lee', 'Text', '2026-01-02 03:04:05');
INSERT INTO config VALUES ('issue_prefix', 'bd'), ('types.custom', 'runbook'), ('kv.memory.k', 'A note'), ('last_import', 'x');
";

#[test]
fn a_database_of_another_bd_is_imported() {
    let project = Project::new();
    let path = project.path(".beads/old.db");
    let made = Command::new("sqlite3").arg(&path).arg(DATABASE).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no sqlite3 here");
        return;
    }
    let named = project.run(&["doctor", "--check", "database"]).out;
    let held =
        "2 beads, 1 of them a wisp; settings and notes: issue_prefix, kv.memory.k, types.custom";
    assert!(named.contains(held), "{named}");
    let done = project.json(&["import", ".beads/old.db"]);
    assert_eq!((&done["created"], &done["edges"]), (&json!(2), &json!(1)));
    let settings = json!({"kv.memory.k": "A note", "types.custom": "runbook"});
    assert_eq!(done["settings"], settings);
    assert_eq!(project.ok(&["kv", "get", "memory.k"]), "A note\n");
    let bead = project.shown("bd-a");
    assert_eq!(
        (&bead["issue_type"], &bead["priority"]),
        (&json!("runbook"), &json!(0))
    );
    assert_eq!(
        (&bead["labels"], &bead["metadata"]),
        (&json!(["x"]), &json!({"k": 1}))
    );
    assert_eq!(bead["comments"][0]["text"], "Text");
    assert_eq!(bead["created_at"], "2026-01-02T03:04:05Z");
    let wisp = project.shown("bd-w");
    assert_eq!(
        (&wisp["ephemeral"], ids(&wisp["dependencies"])),
        (&json!(true), vec!["bd-a"])
    );
    assert!(!project.read(".beads/issues.jsonl").contains("bd-w"));
    project.ok(&["create", "Another", "-t", "runbook", "-d", "D"]);
    let again = project.json(&["import", ".beads/old.db"]);
    assert_eq!(
        (&again["created"], &again["unchanged"]),
        (&json!(0), &json!(2))
    );
}

#[test]
fn a_missing_sqlite_program_is_named_in_the_error() {
    let project = Project::new();
    std::fs::write(project.path("old.db"), b"SQLite format 3\0rest of it").unwrap();
    let ran = project.run_with(&[("PATH", "/nonexistent")], &["import", "old.db"]);
    assert!(
        ran.code == 1 && ran.err.contains("`sqlite3`, which is not installed"),
        "{}",
        ran.err
    );
}

#[test]
fn a_damaged_database_is_not_partly_imported() {
    let project = Project::new();
    let path = project.path("old.db");
    let sql = format!(
        "{DATABASE}INSERT INTO issues VALUES ('bd-z', 'x', 'Z', '', 'open', 2, 'task', '', 'yesterday', '', NULL, 0, '', 0);"
    );
    let made = Command::new("sqlite3").arg(&path).arg(sql).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no sqlite3 here");
        return;
    }
    let refused = project.fails(&["import", "old.db"]);
    assert!(refused.contains("bd-z"), "{refused}");
    // A table whose pages are damaged is not one that is missing.
    let sql = "DELETE FROM issues WHERE id = 'bd-z'; SELECT rootpage FROM sqlite_master WHERE name = 'labels';";
    let said = Command::new("sqlite3")
        .arg(&path)
        .arg(sql)
        .output()
        .unwrap();
    let page: usize = String::from_utf8(said.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(page - 1) * 4096..page * 4096].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let refused = project.fails(&["import", "old.db"]);
    assert!(refused.contains("sqlite3 cannot read"), "{refused}");
    assert_eq!(project.json(&["list", "--all"]), json!([]));
}

#[test]
fn an_import_into_an_empty_folder_adopts_the_prefix_of_the_database() {
    let project = Project::new();
    std::fs::remove_file(project.path(".beads/config.yaml")).ok();
    let path = project.path(".beads/old.db");
    let sql = DATABASE
        .replace("'bd-", "'web-")
        .replace("('issue_prefix', 'bd')", "('issue_prefix', 'web')");
    let made = Command::new("sqlite3").arg(&path).arg(sql).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no sqlite3 here");
        return;
    }
    assert_eq!(project.json(&["import", ".beads/old.db"])["created"], 2);
    let new = project.json(&["create", "New", "-d", "D"]);
    assert!(new["id"].as_str().unwrap().starts_with("web-"), "{new}");
}

#[test]
fn a_folder_with_only_a_database_is_reported() {
    let project = Project::new();
    std::fs::remove_file(project.path(".beads/issues.jsonl")).ok();
    project.write(".beads/beads.db", "SQLite format 3\0and more");
    let said = project.run(&["list"]).err;
    assert!(
        said.contains("bd import") && said.contains("beads.db"),
        "{said}"
    );
}

#[test]
fn a_large_import_shows_a_progress_bar_on_a_terminal() {
    let project = Project::new();
    let lines = (0..5_000).map(|number| {
        format!(r#"{{"id":"bd-{number:05}","title":"T","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}}"#)
    });
    project.write("large.jsonl", &lines.collect::<Vec<_>>().join("\n"));
    let piped = project.run(&["import", "large.jsonl", "--dry-run"]);
    assert!(!piped.err.contains("of 5,000 beads"), "{}", piped.err);
    // The program `script` gives a command a terminal.
    let command = format!("{} import large.jsonl", env!("CARGO_BIN_EXE_bd"));
    let shown = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(project.dir())
        .env("HOME", project.dir())
        .env("TERM", "xterm")
        .output();
    let Ok(shown) = shown else {
        eprintln!("skipped: no script here");
        return;
    };
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(text.contains("of 5,000 beads"), "{text}");
    assert_eq!(project.json(&["count"])["count"], 5_000);
}
