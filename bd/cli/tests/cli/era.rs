//! Stores of the JSONL era open, and every field of theirs survives.

use serde_json::Value;

use super::Project;

/// Lines as older clients left them: HTML escapes, nanoseconds and offsets, a time with a space,
/// missing fields, a tombstone of each kind, unknown keys with odd spacing, a record of another
/// kind.
const ERA: &str = concat!(
    r#"{"id":"old-a1b","title":"a \u003cb\u003e \u0026 c","description":"caf\u00e9 \u2028 x","status":"open","priority":1,"issue_type":"feature","created_at":"2025-11-14T02:07:28.023801-08:00","updated_at":"2025-11-14T02:43:07.808833123Z","zz":{"b":1.0, "a":1e5},"labels":["b","a"]}"#,
    "\n",
    r#"{"id":"old-b2","title":"Closed long ago","status":"closed","priority":0,"issue_type":"bug","created_at":"2025-10-01 08:00:00","updated_at":"2025-10-02T08:00:00Z","closed_at":"2025-10-02T08:00:00Z","dependencies":[{"issue_id":"old-b2","depends_on_id":"old-a1b","type":"odd-kind","created_at":"2025-10-01T08:00:00+02:00","created_by":"daemon","own":[1, 2]}],"comments":[{"id":7,"issue_id":"old-b2","author":"eve","text":"why \u003e","created_at":"2025-10-01T09:00:00Z"}]}"#,
    "\n",
    r#"{"id":"old-c3","title":"Gone","status":"tombstone","priority":2,"issue_type":"task","created_at":"2025-10-01T08:00:00Z","updated_at":"2025-10-05T08:00:00Z","deleted_at":"2025-10-05T08:00:00Z","deleted_by":"batch delete","delete_reason":"merged","original_type":"task"}"#,
    "\n",
    r#"{"id":"old-d4","title":"Deleted by an older client","status":"open","priority":2,"created_at":"2025-10-01T08:00:00Z","updated_at":"2025-10-05T08:00:00Z","deleted_at":"2025-10-05T08:00:00Z"}"#,
    "\n",
    r#"{"id":"old-e5","title":"Hardly anything"}"#,
    "\n",
    r#"{"_type":"memory","key":"k","value":"kept as it is"}"#,
    "\n",
);

fn project(name: &str) -> Project {
    let project = Project::empty();
    std::fs::create_dir(project.path(".beads")).unwrap();
    project.write(&format!(".beads/{name}"), ERA);
    project
}

fn fields(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn an_old_file_is_read_under_each_name_and_written_back_unchanged() {
    for (name, metadata) in [
        ("issues.jsonl", None),
        ("beads.jsonl", None),
        (
            "work.jsonl",
            Some(r#"{"database":"beads.db","jsonl_export":"work.jsonl"}"#),
        ),
        (
            "beads.jsonl",
            Some(
                r#"{"database":"old.db","version":"0.17.0","jsonl_export":"beads.jsonl","last_bd_version":"0.20.1"}"#,
            ),
        ),
    ] {
        let project = project(name);
        if let Some(metadata) = metadata {
            project.write(".beads/metadata.json", metadata);
        }
        let list = project.json(&["list", "--all"]);
        assert_eq!(list.as_array().unwrap().len(), 3, "{name}");
        let made = project.make("New", &[]);
        assert!(made.starts_with("old-"), "{made}");
        let text = project.read(&format!(".beads/{name}"));
        for line in ERA.lines() {
            assert!(text.lines().any(|own| own == line), "{name}: {line}");
        }
    }
}

#[test]
fn changing_one_field_keeps_every_other_field_of_an_old_record() {
    let project = project("issues.jsonl");
    project.ok(&["update", "old-a1b", "--title", "New <title>"]);
    project.ok(&["update", "old-b2", "--notes", "seen"]);
    let text = project.read(".beads/issues.jsonl");
    for (id, changed) in [("old-a1b", "title"), ("old-b2", "notes")] {
        let find = |text: &str| {
            let key = format!("\"id\":\"{id}\"");
            text.lines()
                .find(|line| line.contains(&key))
                .unwrap()
                .to_owned()
        };
        let (old, new) = (fields(&find(ERA)), fields(&find(&text)));
        for (key, value) in old.as_object().unwrap() {
            let may_differ = [changed, "updated_at", "labels"].contains(&key.as_str());
            assert!(may_differ || new[key] == *value, "{id}: {key}");
        }
    }
    assert!(text.contains(r#""zz":{"b":1.0, "a":1e5}"#) && text.contains(r#""own":[1, 2]"#));
    assert!(text.contains("New \\u003ctitle\\u003e"));
    assert!(text.contains("2025-11-14T02:07:28.023801-08:00"));
    assert!(text.contains("\"created_at\":\"2025-10-01 08:00:00\""));
}

#[test]
fn tombstones_of_both_forms_stay_deleted() {
    let project = project("issues.jsonl");
    for id in ["old-c3", "old-d4"] {
        project.fails(&["show", id]);
    }
    let deleted = project.json(&["list", "--status", "tombstone"]);
    assert_eq!(deleted.as_array().unwrap().len(), 2);
}

#[test]
fn a_database_of_another_bd_is_never_written() {
    let project = project("issues.jsonl");
    let database = [
        b"SQLite format 3\0".as_slice(),
        &[0x10, 0, 1, 1, 0, 0x40],
        &[7; 4000],
    ]
    .concat();
    let path = project.path(".beads/beads.db");
    std::fs::write(&path, &database).unwrap();
    let id = project.make("Beside a database", &[]);
    project.ok(&["close", &id]);
    project.ok(&["sync"]);
    assert_eq!(std::fs::read(&path).unwrap(), database);
}

#[test]
fn sync_accepts_the_flags_of_older_versions_and_refuses_unknown_ones() {
    let project = project("issues.jsonl");
    for flags in [
        "--flush-only",
        "--import",
        "--import-only",
        "--from-main",
        "--squash",
        "--status --json",
        "--check",
        "--resolve --ours",
        "--resolve --theirs",
        "--resolve --manual",
        "--merge",
        "--set-mode git-portable",
        "--rename-on-import --no-git-history --accept-rebase --force",
        "-m Text --dry-run --no-push --no-pull",
    ] {
        let words: Vec<&str> = flags.split(' ').collect();
        project.ok(&[&["sync"], words.as_slice()].concat());
    }
    for odd in ["--fulll", "-x", "full"] {
        let ran = project.run(&["sync", odd]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{odd}");
        assert!(ran.err.contains(odd), "{}", ran.err);
    }
    assert!(
        project
            .fails(&["sync", "--full", "--ours"])
            .contains("--ours")
    );
}

#[test]
fn a_store_with_two_word_prefixes_accepts_new_beads() {
    for id in ["web-mol-x1y", "web-cv-x1y", "web-agent-1"] {
        let project = Project::empty();
        let line = |id: &str| format!("{{\"id\":\"{id}\",\"title\":\"T\"}}\n");
        project.write(".beads/issues.jsonl", &(line("web-a1b") + &line(id)));
        let made = project.make("New", &[]);
        assert!(
            made.starts_with("web-") && made.matches('-').count() == 1,
            "{made}"
        );
        project.write(".beads/config.yaml", "prefix: own\n");
        assert!(project.make("New", &[]).starts_with("own-"));
    }
}

#[test]
fn daemon_and_migration_commands_are_recognized() {
    let project = Project::new();
    for args in [
        &["daemon", "status"][..],
        &["daemon", "--start"],
        &["daemon"],
        &["migrate", "--update-repo-id", "--yes"],
        &["migrate", "hash-ids"],
    ] {
        project.ok(args);
    }
    for args in [&["daemon", "nosuch"], &["migrate", "nosuch"]] {
        let error = project.fails(args);
        assert!(error.contains("unknown command \"nosuch\""), "{error}");
    }
}

/// The lines that scripts and agents of the era look for, word for word.
#[test]
fn lines_that_scripts_match_are_those_of_the_original() {
    let project = Project::new();
    let created = project.ok(&["create", "First"]);
    let id = created
        .strip_prefix("✓ Created issue: ")
        .and_then(|rest| rest.lines().next())
        .unwrap_or_else(|| panic!("{created}"));
    let other = project.make("Second", &[]);
    project.ok(&["dep", "add", &other, id]);
    let lines = format!(
        "\
create x --type zebra      | invalid issue type: zebra. Valid types: bug, feature, task, epic, chore
create --dry-run x         | Would create issue:
update {id} -p 1           | ✓ Updated issue: {id}
show none                  | no issue found matching \"none\"
update none -p 1           | no issue found matching \"none\"
close none                 | no issue found matching \"none\"
close {other}              | cannot close {other}: blocked by open issues [{id}] (use --force to override)
close                      | no issue ID provided
show                       | at least one issue ID is required (use positional args or --id flag)
delete                     | no issue IDs provided
delete none --force        | issue none not found
delete none nil --force    | issues not found: none, nil
dep add {id} {id}          | issue cannot depend on itself
dep add {id} none          | resolving dependency ID none: no issue found matching \"none\"
dep list {id} --direction up | Issues that depend on {id}:
dep list {other} --direction up | No issues depend on {other}
list --title none          | No issues found
list --long                | Found 2 issues:
search none                | No issues found matching 'none'
search First               | Found 1 issue matching 'First':
query status=closed        | No issues found
ready                      | Ready work (1 issue with no blockers):
blocked                    | Blocked issues (1):
stale                      | No stale issues
stats                      | Issue Database Status
stats                      | Total Issues:           2
gate show {id}             | {id} is not a gate issue (type=task)
label add none x           | no issue found matching \"none\""
    );
    for line in lines.lines() {
        let (command, words) = line.split_once(" | ").unwrap();
        let args: Vec<&str> = command.split_whitespace().collect();
        let ran = project.run(&args);
        assert!(
            ran.out.contains(words) || ran.err.contains(words),
            "bd {command}: {}{}",
            ran.out,
            ran.err
        );
    }
}
