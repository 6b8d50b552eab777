//! `bd compact`, and what is in the archive.

use super::Project;

fn line(id: &str, closed: &str, more: &str) -> String {
    let status = if closed.is_empty() {
        r#""status":"open""#.to_owned()
    } else {
        format!(r#""status":"closed","closed_at":"{closed}""#)
    };
    format!(
        r#"{{"id":"{id}","title":"Title of {id}","description":"words <x>",{status},"priority":2,"issue_type":"task","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-06-01T00:00:00Z","zz": {{"b":1.0}}{more}}}"#
    )
}

fn edge(from: &str, to: &str, kind: &str) -> String {
    format!(
        r#","dependencies":[{{"issue_id":"{from}","depends_on_id":"{to}","type":"{kind}","created_at":"2024-01-01T00:00:00Z"}}]"#
    )
}

/// Old and young beads, closed and open.
fn project() -> Project {
    let project = Project::new();
    let lines = [
        line("bd-old", "2024-03-01T00:00:00Z", ""),
        line(
            "bd-older",
            "2023-03-01T00:00:00Z",
            &edge("bd-older", "bd-old", "related"),
        ),
        line("bd-needed", "2024-03-01T00:00:00Z", ""),
        line(
            "bd-open",
            "",
            &edge("bd-open", "bd-needed", "conditional-blocks"),
        ),
        line("bd-epic", "", ""),
        line(
            "bd-epic.4",
            "2024-03-01T00:00:00Z",
            &edge("bd-epic.4", "bd-epic", "parent-child"),
        ),
        line("bd-done", "2024-03-01T00:00:00Z", ""),
        line(
            "bd-done.1",
            "2024-02-01T00:00:00Z",
            &edge("bd-done.1", "bd-done", "parent-child"),
        ),
        line("bd-new", "2999-01-01T00:00:00Z", ""),
    ];
    project.write(".beads/issues.jsonl", &(lines.join("\n") + "\n"));
    project
}

#[test]
fn old_unreferenced_beads_are_archived_and_still_found() {
    let project = project();
    let plan = project.json(&["compact", "--older-than", "1y", "--dry-run"]);
    let wanted = serde_json::json!(["bd-done", "bd-done.1", "bd-old", "bd-older"]);
    assert_eq!(plan["archived"], wanted);
    let before = project.read(".beads/issues.jsonl");
    assert_eq!(
        project.json(&["compact", "--older-than", "1y"])["archived"],
        wanted
    );
    let after = project.read(".beads/issues.jsonl");
    assert!(!after.contains("Title of bd-old") && after.contains("bd-needed"));
    let archived =
        project.read(".beads/archive/2024.jsonl") + &project.read(".beads/archive/2023.jsonl");
    for line in before.lines() {
        assert!(after.contains(line) != archived.contains(line), "{line}");
    }
    assert_eq!(project.shown("bd-old")["title"], "Title of bd-old");
    assert_eq!(
        project.json(&["search", "words"]).as_array().unwrap().len(),
        5
    );
    let all = project.json(&["search", "words", "--archived"]);
    assert_eq!(all.as_array().unwrap().len(), 9);
    assert_eq!(
        project.json(&["compact", "--older-than", "1y"])["archived"],
        serde_json::json!([])
    );
}

#[test]
fn an_archived_bead_is_restored_unchanged() {
    let project = project();
    let before = project.read(".beads/issues.jsonl");
    project.ok(&["compact", "--older-than", "1y"]);
    project.ok(&["restore", "bd-done", "bd-done.1", "bd-old", "bd-older"]);
    let after = project.read(".beads/issues.jsonl");
    let mut lines: Vec<&str> = before.lines().collect();
    lines.sort_unstable();
    for (old, new) in lines.iter().zip(after.lines()) {
        let value = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
        assert_eq!(value(old), value(new));
    }
    assert_eq!(project.read(".beads/archive/2024.jsonl"), "");
    let said = project.fails(&["restore", "bd-old"]);
    assert!(
        said.contains("neither in the archive nor deleted"),
        "{said}"
    );
}

#[test]
fn archived_ids_are_not_reused() {
    let project = project();
    project.ok(&["compact", "--older-than", "1y"]);
    let said = project.fails(&["create", "Again", "--id", "bd-old"]);
    assert!(said.contains("already exists"), "{said}");
}

#[test]
fn a_refused_child_does_not_restore_its_archived_parent() {
    let project = project();
    project.ok(&["compact", "--older-than", "1y"]);
    let said = project.fails(&["create", "Child", "--parent", "bd-old", "-t", "bogus"]);
    assert!(said.contains("invalid issue type: bogus"), "{said}");
    assert!(!project.read(".beads/issues.jsonl").contains("\"bd-old\""));
}
