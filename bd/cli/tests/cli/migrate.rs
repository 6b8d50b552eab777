//! `bd migrate --from`: the beads of br, beads-rs and other folders, with a report by field.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{Project, ids};

/// The tables of br 0.1, as far as they hold beads.
const BR: &str = "
    CREATE TABLE issues (id TEXT PRIMARY KEY, content_hash TEXT, title TEXT NOT NULL,
        description TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'open',
        priority INTEGER NOT NULL DEFAULT 2, issue_type TEXT NOT NULL DEFAULT 'task',
        assignee TEXT, created_at DATETIME NOT NULL, created_by TEXT DEFAULT '',
        updated_at DATETIME NOT NULL, closed_at DATETIME, source_repo TEXT NOT NULL DEFAULT '.',
        ephemeral INTEGER DEFAULT 0, pinned INTEGER DEFAULT 0, is_template INTEGER DEFAULT 0);
    CREATE TABLE dependencies (issue_id TEXT, depends_on_id TEXT, type TEXT DEFAULT 'blocks',
        created_at DATETIME, created_by TEXT DEFAULT '', metadata TEXT DEFAULT '{}', thread_id TEXT DEFAULT '');
    CREATE TABLE labels (issue_id TEXT, label TEXT);
    CREATE TABLE comments (id INTEGER PRIMARY KEY, issue_id TEXT, author TEXT, text TEXT, created_at DATETIME);
    CREATE TABLE config (key TEXT, value TEXT);
    INSERT INTO config VALUES ('issue_prefix', 'app');
    INSERT INTO issues (id, content_hash, title, created_at, updated_at, priority) VALUES
        ('app-1', 'x', 'Newer in the database', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z', 0),
        ('app-2', 'y', 'Only in the database', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 1);
    INSERT INTO dependencies (issue_id, depends_on_id, created_at) VALUES ('app-2', 'app-1', '2026-01-01T00:00:00Z');
    INSERT INTO labels VALUES ('app-1', 'ui');
    INSERT INTO comments VALUES (1, 'app-1', 'dana', 'Look', '2026-01-02T00:00:00Z');";

const LINES: &str = concat!(
    r#"{"id":"app-1","title":"Older in the file","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","source_repo":"."}"#,
    "\n{\"id\":\"app-3\",\"title\"\n",
    r#"{"id":"app-4","title":"Only in the file","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","mood":"good"}"#,
    "\n"
);

#[test]
fn beads_of_br_come_from_the_file_and_the_database() {
    let project = Project::empty();
    project.ok(&["init", "--prefix", "bd"]);
    let folder = project.dir().parent().unwrap().join("app/.beads");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("issues.jsonl"), LINES).unwrap();
    let made = Command::new("sqlite3")
        .arg(folder.join("beads.db"))
        .arg(BR)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no sqlite3 here");
        return;
    }
    let dry = project.json(&["migrate", "--from", "../app", "--dry-run"]);
    assert_eq!(
        (&dry["created"], &dry["dry_run"]),
        (&json!(3), &json!(true))
    );
    assert_eq!(project.json(&["list"]), json!([]));
    let report = project.json(&["migrate", "--from", "../app"]);
    assert_eq!(report["sources"], json!(["issues.jsonl", "beads.db"]));
    assert_eq!(report["settings"]["issue_prefix"], "app");
    assert_eq!(
        report["fields"]["unknown"],
        json!({"mood": 1, "source_repo": 2})
    );
    assert!(report["fields"]["left_out"]["content_hash"].is_string());
    let unread = &report["unread"][0];
    assert_eq!(
        (&unread["file"], &unread["line"]),
        (&json!("issues.jsonl"), &json!(2))
    );
    let first = project.shown("app-1");
    assert_eq!(first["title"], "Newer in the database");
    assert_eq!(first["labels"], json!(["ui"]));
    assert_eq!(first["comments"][0]["text"], "Look");
    assert_eq!(project.shown("app-2")["dependencies"][0]["id"], "app-1");
    assert_eq!(project.shown("app-4")["mood"], "good");
    assert!(project.make("Next", &[]).starts_with("app-"));
    let again = project.ok(&["migrate", "--from", "../app/.beads"]);
    assert!(
        again.contains("0 created, 0 updated, 3 unchanged"),
        "{again}"
    );
    assert!(again.contains("    issues.jsonl:2: "), "{again}");
    assert!(
        again.contains("Unknown fields, kept: mood (1 bead)"),
        "{again}"
    );
}

#[test]
fn beads_of_beads_rs_come_from_its_branch() {
    let project = Project::empty();
    let script = r#"set -e
        git init -q -b main .
        blob() { git hash-object -w --stdin; }
        state=$(printf '%s\n' \
            '{"id":"rs-1","created_at":[1768680748707,1],"created_by":"darin@book","title":"One","description":"D","priority":1,"type":"bug","labels":{"entries":{"ui":[{"replica":"r","counter":1}]},"cc":{"max":{}}},"status":"closed","closed_at":[1768680750000,0],"closed_by":"darin@book","closed_reason":"Done","_at":[1768680750000,0],"_by":"darin@book","_v":{}}' \
            '{"id":"rs-1.1","created_at":[1768680748707,1],"created_by":"darin@book","title":"Two","description":"","priority":2,"type":"task","labels":["a"],"status":"open","notes":[{"id":"n","content":"Hello","author":"dana","at":[1768680749000,0]}],"_at":[1768680749000,0],"_by":"darin@book"}' \
            'broken' | blob)
        deps=$(printf '%s\n' '{"cc":{"max":{}},"entries":[{"key":{"from":{"namespace":"core","id":"rs-1.1"},"to":{"namespace":"core","id":"rs-1"},"kind":"parent"},"dots":[]}]}' | blob)
        tombstones=$(printf '%s\n' '{"id":"rs-9","deleted_at":[1768680748707,1],"deleted_by":"dana"}' '{"id":"rs-1","deleted_at":[1768680748707,1],"deleted_by":"dana","lineage_created_at":[1,0]}' | blob)
        notes=$(printf '%s\n' '{"bead_id":"rs-1","note":{"id":"m","content":"Note","author":"dana","at":[1768680749000,0]}}' | blob)
        tree=$(printf '100644 blob %s\tdeps.jsonl\n100644 blob %s\tnotes.jsonl\n100644 blob %s\tstate.jsonl\n100644 blob %s\ttombstones.jsonl\n' $deps $notes $state $tombstones | git mktree)
        git update-ref refs/heads/beads/store $(git -c user.name=t -c user.email=t@example.com commit-tree $tree -m Store)"#;
    let made = Command::new("sh")
        .args(["-c", script])
        .current_dir(project.dir())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    project.ok(&["init", "--prefix", "rs"]);
    let report = project.json(&["migrate", "--from", "."]);
    assert_eq!(
        report["sources"],
        json!(["branch refs/heads/beads/store of beads-rs"])
    );
    assert_eq!(report["fields"]["renamed"]["type"], "issue_type");
    assert_eq!(report["unread"][0]["line"], 3);
    assert_eq!(ids(&project.json(&["list", "--all"])), ["rs-1", "rs-1.1"]);
    let one = project.shown("rs-1");
    assert_eq!(
        (&one["issue_type"], &one["status"], &one["close_reason"]),
        (&json!("bug"), &json!("closed"), &json!("Done"))
    );
    assert_eq!(one["closed_at"], "2026-01-17T20:12:30Z");
    assert_eq!(one["labels"], json!(["ui"]));
    assert_eq!(one["comments"][0]["text"], "Note");
    assert_eq!(one["closed_by"], "darin@book");
    let two = project.shown("rs-1.1");
    assert_eq!(two["parent"], "rs-1");
    assert_eq!(two["comments"][0]["text"], "Hello");
    assert!(project.fails(&["show", "rs-9"]).contains("no issue found"));
    let again = project.json(&["migrate", "--from", "."]);
    assert_eq!(again["created"], 0, "{again}");
    assert_eq!(again["updated"], 0, "{again}");
}

#[test]
fn a_folder_without_beads_is_refused() {
    let project = Project::new();
    let error = project.fails(&["migrate", "--from", "."]);
    assert!(error.contains("besides the beads in use"), "{error}");
    assert!(
        project
            .fails(&["migrate", "--from", "nosuch"])
            .contains("no such folder")
    );
    project.ok(&["migrate", "--update-repo-id", "--yes"]);
    project.ok(&["migrate", "hash-ids", "--dry-run"]);
}
