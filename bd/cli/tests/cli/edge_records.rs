//! The edge cases of records: export, import and merges, each in a test named after its number.

use serde_json::{Value, json};

use super::edge_cases::{file, lines, one, three};
use super::{Project, ids};

#[test]
fn edge_9_58_an_export_contains_everything_except_wisps() {
    let project = three();
    project.ok(&["update", "bd-b", "--add-label", "x"]);
    project.ok(&["comments", "add", "bd-b", "text"]);
    project.ok(&["dep", "add", "bd-b", "bd-c"]);
    project.ok(&["delete", "bd-a", "--force"]);
    project.ok(&["create", "Wisp", "--ephemeral", "-d", "D"]);
    project.ok(&["export", "-o", "all.jsonl"]);
    let text = project.read("all.jsonl");
    let found: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(ids(&json!(found)), ["bd-a", "bd-b", "bd-c"]);
    assert_eq!(found[0]["status"], "tombstone");
    assert_eq!(found[1]["labels"], json!(["x"]));
    assert_eq!(found[1]["comments"][0]["text"], "text");
    assert_eq!(found[1]["dependencies"][0]["depends_on_id"], "bd-c");
}

#[test]
fn edge_9_59_an_export_that_would_lose_beads_is_refused() {
    let project = three();
    project.write("all.jsonl", &lines(&["bd-q", "bd-r"]));
    let error = project.fails(&["export", "-o", "all.jsonl"]);
    assert!(error.contains("refusing to overwrite"), "{error}");
    project.ok(&["export", "-o", "all.jsonl", "--force"]);
    assert_eq!(project.ok(&["export", "--id", "bd-none"]), "");
    let empty = Project::new();
    empty.write("all.jsonl", &lines(&["bd-q"]));
    let error = empty.fails(&["export", "-o", "all.jsonl"]);
    assert!(error.contains("empty database"), "{error}");
}

#[test]
fn edge_9_60_and_61_an_import_is_atomic_and_idempotent() {
    let project = Project::new();
    project.write("in.jsonl", &lines(&["bd-a", "bd-b"]));
    project.ok(&["import", "in.jsonl"]);
    let again = project.json(&["import", "in.jsonl"]);
    assert_eq!(
        (&again["unchanged"], &again["created"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(project.shown("bd-a")["updated_at"], "2026-01-01T00:00:00Z");
    project.write("bad.jsonl", &(lines(&["bd-c"]) + "{\"id\":\n"));
    let error = project.fails(&["import", "bad.jsonl"]);
    assert!(error.contains("line 2"), "{error}");
    assert!(project.fails(&["show", "bd-c"]).contains("no issue found"));
}

#[test]
fn edge_9_62_and_63_prefixes_are_detected_in_records() {
    let project = Project::empty();
    project.write("in.jsonl", &lines(&["my-cool-app-1a2", "my-cool-app-2b3"]));
    project.ok(&["init", "--prefix", "my-cool-app", "-q"]);
    project.ok(&["import", "in.jsonl"]);
    assert_eq!(project.json(&["list"]).as_array().unwrap().len(), 2);
    let place = file(&["my-cool-app-1a2"]).json(&["where"]);
    assert_eq!(place["prefix"], "my-cool-app");
}

#[test]
fn edge_9_64_to_69_records_are_imported_by_the_rules() {
    let project = one();
    // 64: only the live ones of another prefix are named, tombstones are dropped.
    project.write(
        "in.jsonl",
        &lines(&["zz-1", r#"zz-2 "status":"tombstone""#]),
    );
    let error = project.fails(&["import", "in.jsonl"]);
    assert!(
        error.contains("prefix mismatch") && error.contains("1 bead "),
        "{error}"
    );
    // 65: an older record changes nothing.
    project.write("in.jsonl", &lines(&["bd-a"]));
    assert_eq!(project.json(&["import", "in.jsonl"])["unchanged"], 1);
    assert_eq!(project.shown("bd-a")["title"], "One");
    // 68: a deletion time makes a tombstone, an id of a wisp a wisp.
    project.write(
        "in.jsonl",
        &lines(&[r#"bd-t "deleted_at":"2026-01-02T00:00:00Z""#, "bd-wisp-x1"]),
    );
    project.ok(&["import", "in.jsonl"]);
    assert!(project.fails(&["show", "bd-t"]).contains("no issue found"));
    assert_eq!(project.shown("bd-wisp-x1")["ephemeral"], true);
    // 69: a child may come before its parent.
    project.write("in.jsonl", &lines(&["bd-p.1", "bd-p"]));
    assert_eq!(project.json(&["import", "in.jsonl"])["created"], 2);
}

#[test]
fn edge_9_66_references_to_other_trackers_are_one_per_bead() {
    let project = Project::new();
    project.write(
        "in.jsonl",
        &lines(&[
            r#"bd-a "external_ref":"gh-1""#,
            r#"bd-b "external_ref":"gh-1""#,
        ]),
    );
    let error = project.fails(&["import", "in.jsonl"]);
    assert!(error.contains("duplicate external_ref"), "{error}");
    project.ok(&["import", "in.jsonl", "--clear-duplicate-external-refs"]);
    assert_eq!(project.shown("bd-a")["external_ref"], "gh-1");
    assert_eq!(project.shown("bd-b")["external_ref"], Value::Null);
}

#[test]
fn edge_9_67_the_same_bead_of_another_prefix_is_not_renamed() {
    let project = one();
    project.ok(&["export", "-o", "own.jsonl"]);
    let other = project.read("own.jsonl").replace("bd-a", "zz-a");
    project.write("other.jsonl", &other);
    project.ok(&["import", "other.jsonl", "--force"]);
    assert_eq!(project.shown("bd-a")["title"], "One");
}

#[test]
fn edge_9_70_comments_may_be_empty_and_are_not_duplicated() {
    let project = Project::new();
    let comment = |id: u8, text: &str| {
        format!(
            r#"{{"id":{id},"issue_id":"bd-a","author":"lee","text":"{text}","created_at":"2026-01-01T00:00:00Z"}}"#
        )
    };
    let record = |text: &str, time: &str| {
        let comments = [comment(1, "same"), comment(2, text)].join(",");
        lines(&[&format!(r#"bd-a "comments":[{comments}]"#)]).replace(
            "updated_at\":\"2026-01-01",
            &format!("updated_at\":\"{time}"),
        )
    };
    project.write("in.jsonl", &record("", "2026-01-01"));
    project.ok(&["import", "in.jsonl"]);
    project.write(
        "in.jsonl",
        &record(" same ", "2026-01-05").replace("T bd-a", "New"),
    );
    project.ok(&["import", "in.jsonl"]);
    let texts = project.json(&["comments", "bd-a"]);
    let texts: Vec<&str> = texts
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["same", ""]);
}

/// Runs the merge driver on three files and returns the records of the result.
fn merged(base: &[&str], left: &[&str], right: &[&str]) -> Vec<Value> {
    let project = Project::new();
    for (name, records) in [("base", base), ("left", left), ("right", right)] {
        project.write(name, &lines(records));
    }
    project.ok(&["merge", "left", "base", "left", "right"]);
    let text = project.read("left");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn edge_9_76_beads_that_differ_only_in_time_precision_are_one_bead() {
    let project = Project::new();
    project.write("base", "");
    project.write("left", &lines(&["bd-a"]));
    project.write(
        "right",
        &lines(&["bd-a"]).replace(
            "created_at\":\"2026-01-01T00:00:00Z",
            "created_at\":\"2026-01-01T00:00:00.000Z",
        ),
    );
    project.ok(&["merge", "left", "base", "left", "right"]);
    assert_eq!(project.read("left").lines().count(), 1);
}

#[test]
fn edge_9_77_a_deletion_wins_over_a_live_bead() {
    let stone = r#"bd-a "status":"tombstone","deleted_at":"2099-01-01T00:00:00Z""#;
    for (left, right) in [(stone, "bd-a"), ("bd-a", stone), (stone, stone)] {
        let found = merged(&[], &[left], &[right]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["status"], "tombstone");
    }
}

#[test]
fn edge_9_79_fields_merge_by_rule() {
    let left =
        r#"bd-a "notes":"L","status":"closed","priority":1,"closed_at":"2026-01-03T00:00:00Z""#;
    let right = r#"bd-a "notes":"R","status":"open","priority":3,"labels":["x"]"#;
    let found = merged(&[r#"bd-a "priority":2"#], &[left], &[right]);
    assert_eq!(found.len(), 1);
    // The later record wins what both changed, except that closed beats open.
    let bead = &found[0];
    assert_eq!(bead["status"], "closed");
    assert_eq!(bead["closed_at"], "2026-01-03T00:00:00Z");
    assert!(bead["notes"] == "L" || bead["notes"] == "R", "{bead}");
    assert_eq!(bead["labels"], json!(["x"]));
}

#[test]
fn edge_9_78_and_80_an_absent_line_is_a_deletion_unless_the_other_side_changed_it() {
    assert_eq!(
        merged(&["bd-a", "bd-b"], &["bd-b"], &["bd-a", "bd-b"]).len(),
        1
    );
    let found = merged(
        &["bd-a", "bd-b"],
        &["bd-b"],
        &[r#"bd-a "priority":1"#, "bd-b"],
    );
    assert_eq!(ids(&json!(found)), ["bd-a", "bd-b"]);
}
