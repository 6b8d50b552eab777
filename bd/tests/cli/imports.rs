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
fn issues_of_github_become_beads() {
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
fn issues_of_jira_become_beads() {
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
fn issues_of_linear_become_beads() {
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
INSERT INTO config VALUES ('issue_prefix', 'bd'), ('types.custom', 'runbook'), ('last_import', 'x');
";

#[test]
fn a_database_of_another_bd_is_taken_over() {
    let project = Project::new();
    let path = project.path(".beads/old.db");
    let made = Command::new("sqlite3").arg(&path).arg(DATABASE).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no sqlite3 here");
        return;
    }
    let done = project.json(&["import", ".beads/old.db"]);
    assert_eq!((&done["created"], &done["edges"]), (&json!(2), &json!(1)));
    assert_eq!(done["settings"], json!({"types.custom": "runbook"}));
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
fn without_the_program_for_databases_the_error_names_it() {
    let project = Project::new();
    std::fs::write(project.path("old.db"), b"SQLite format 3\0rest of it").unwrap();
    let ran = project.run_with(&[("PATH", "/nonexistent")], &["import", "old.db"]);
    assert!(
        ran.code == 1 && ran.err.contains("`sqlite3`, which is not installed"),
        "{}",
        ran.err
    );
}
