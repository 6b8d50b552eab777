//! `bd restore ID` of beads that were deleted.

use serde_json::Value;

use super::Project;

fn targets(bead: &Value) -> Vec<&str> {
    let edges = bead["dependencies"].as_array().into_iter().flatten();
    edges.map(|edge| edge["id"].as_str().unwrap()).collect()
}

#[test]
fn a_restored_bead_regains_its_status_edges_and_mentions() {
    let project = Project::new();
    let before = project.make("Before", &[]);
    let bead = project.make("Bead", &["-d", "text", "--type", "bug"]);
    let after = project.make("After", &["-d", &format!("when {bead} is done")]);
    project.ok(&["dep", "add", &bead, &before]);
    project.ok(&["dep", "add", &after, &bead]);
    project.ok(&["update", &bead, "--status", "in_progress"]);
    let line = project.read(".beads/issues.jsonl");
    let said = project.fails(&["restore", &bead]);
    assert!(
        said.contains("neither in the archive nor deleted"),
        "{said}"
    );
    project.ok(&["--actor", "bob", "delete", &bead, "--force"]);
    let said = project.fails(&["show", &bead]);
    assert!(said.contains("was deleted by bob at"), "{said}");
    assert!(
        said.contains(&format!("bd restore {bead} brings it back")),
        "{said}"
    );

    let said = project.ok(&["restore", &bead]);
    let wanted = format!("Restored {bead}, which bob deleted at");
    assert!(
        said.contains(&wanted) && said.contains("(in_progress): Bead"),
        "{said}"
    );
    assert!(!said.contains("not back"), "{said}");
    let unstamped = |text: &str| -> Vec<Value> {
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines
            .map(|mut bead: Value| {
                bead.as_object_mut().unwrap().remove("updated_at");
                bead
            })
            .collect()
    };
    assert_eq!(
        unstamped(&project.read(".beads/issues.jsonl")),
        unstamped(&line)
    );
    // It is a change like any other.
    project.ok(&["undo"]);
    let said = project.fails(&["show", &bead]);
    assert!(said.contains("deleted by bob"), "{said}");
    assert_eq!(
        project.shown(&after)["description"],
        format!("when [deleted:{bead}] is done")
    );
}

#[test]
fn edges_between_deleted_beads_are_restored_once_both_beads_are_back() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    project.ok(&["dep", "add", &a, &b]);
    project.ok(&["close", &b, "--reason", "done"]);
    project.ok(&["delete", &a, &b, "--force"]);
    let said = project.ok(&["restore", &a]);
    assert!(said.contains(&format!("not back: {a} → {b}: ")), "{said}");
    let back = project.json(&["restore", &b]);
    assert_eq!(
        (&back[0]["id"], &back[0]["status"]),
        (&b.as_str().into(), &"closed".into())
    );
    let bead = project.shown(&b);
    assert_eq!(bead["close_reason"], "done");
    assert!(
        bead["closed_at"].is_string() && bead["deleted_at"].is_null(),
        "{bead}"
    );
    assert_eq!(targets(&project.shown(&a)), [b.as_str()]);
    // At once, and each only once, with or without the prefix.
    project.ok(&["delete", &a, &b, "--force"]);
    let short = a.strip_prefix("bd-").unwrap();
    let said = project.ok(&["restore", short, &b, &a]);
    assert!(!said.contains("not back"), "{said}");
    assert_eq!(said.matches("Restored").count(), 2, "{said}");
    assert_eq!(targets(&project.shown(&a)), [b.as_str()]);
}

#[test]
fn a_bead_without_deletion_history_is_restored_open_with_a_note() {
    let project = Project::new();
    project.write(
        ".beads/issues.jsonl",
        r#"{"id":"bd-old","title":"Old","status":"tombstone","priority":2,"issue_type":"task","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-02-01T00:00:00Z","deleted_at":"2024-02-01T00:00:00Z","original_type":"task"}
"#,
    );
    let said = project.fails(&["show", "old"]);
    assert!(said.contains("was deleted at 2024-02-01"), "{said}");
    let said = project.ok(&["restore", "bd-old"]);
    assert!(
        said.contains("history here does not have the deletion"),
        "{said}"
    );
    assert_eq!(project.shown("bd-old")["status"], "open");
}

#[test]
fn the_id_and_deleter_of_a_bead_are_escaped() {
    let project = Project::new();
    project.write(
        ".beads/issues.jsonl",
        r#"{"id":"bd-\u001b[31m","title":"T","status":"tombstone","priority":2,"issue_type":"task","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-02-01T00:00:00Z","deleted_at":"2024-02-01T00:00:00Z","deleted_by":"\u001b[2J"}
"#,
    );
    let said = project.fails(&["show", "bd-\u{1b}[31m"]);
    // A command with such an id is not offered.
    assert!(
        said.contains("deleted by") && !said.contains("Hint"),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn deletion_text_from_a_file_cannot_imitate_our_output() {
    let project = Project::new();
    project.write(
        ".beads/issues.jsonl",
        r#"{"id":"bd-a","title":"T","status":"tombstone","priority":2,"issue_type":"task","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-02-01T00:00:00Z","deleted_at":"2024-02-01T00:00:00Z","deleted_by":"x\nHint: do that"}
"#,
    );
    let said = project.fails(&["show", "bd-a"]);
    assert!(said.contains(r"deleted by x\nHint: do that at"), "{said}");
    assert_eq!(said.matches("\nHint:").count(), 1, "{said}");
}

#[test]
fn an_edge_that_would_close_a_circle_is_not_restored() {
    let project = Project::new();
    let [a, b, y] = ["A", "B", "Y"].map(|title| project.make(title, &[]));
    project.ok(&["dep", "add", &a, &b]);
    project.ok(&["dep", "add", &y, &a]);
    project.ok(&["delete", &a, "--force"]);
    project.ok(&["dep", "add", &b, &y]);
    let said = project.run(&["restore", &a, "--json"]);
    assert!(
        said.err.contains(&format!("not back: {a} → {b}: ")),
        "{}",
        said.err
    );
    assert_eq!(targets(&project.shown(&y)), [a.as_str()]);
    assert!(targets(&project.shown(&a)).is_empty());
}

#[test]
fn rolled_back_changes_are_found_by_any_form_of_the_bead_id() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    let before = project.read(".beads/issues.jsonl");
    project.ok(&["update", &a, "--title", "Two"]);
    project.write(".beads/issues.jsonl", &before);
    let said = project.ok(&["restore", "--lost", &b]);
    assert!(said.contains(&format!("Nothing is lost of {b}")), "{said}");
    let said = project.fails(&["restore", "--lost", "bd-nope"]);
    assert!(said.contains("no issue found"), "{said}");
    let short = a.strip_prefix("bd-").unwrap();
    let said = project.ok(&["restore", "--lost", short]);
    assert!(said.contains(&format!("restored {a}")), "{said}");
}

#[test]
fn the_id_of_a_deleted_bead_never_resolves_to_another_bead() {
    let project = Project::new();
    project.ok(&["create", "A", "--id", "bd-1"]);
    project.ok(&["create", "B", "--id", "bd-q1z"]);
    project.ok(&["delete", "bd-1", "--force"]);
    let said = project.fails(&["close", "bd-1"]);
    assert!(said.contains("was deleted by"), "{said}");
    assert_eq!(project.shown("bd-q1z")["status"], "open");
}
