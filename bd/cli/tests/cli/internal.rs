//! Lists for people leave out the beads that a town writes for itself.

use super::Project;

/// A project with two beads of a user and one of each kind of internal bead, which are blocked, old
/// and full of the searched word alike.
fn project_of_a_town() -> Project {
    let project = Project::new();
    let line = |id: &str, rest: &str| {
        let blocker = match id {
            "second" => "first",
            "slot" => "agent",
            _ => "slot",
        };
        format!(
            r#"{{"id":"bd-{id}","title":"Parser {id}","status":"open","priority":2,"created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-01T00:00:00Z","dependencies":[{{"issue_id":"bd-{id}","depends_on_id":"bd-{blocker}","type":"blocks","created_at":"2024-01-01T00:00:00Z"}}],{rest}}}"#
        )
    };
    let first = r#"{"id":"bd-first","title":"Parser first","status":"open","priority":2,"issue_type":"task","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-01T00:00:00Z"}"#;
    let mut lines = vec![
        first.to_owned(),
        line("second", r#""issue_type":"task","labels":["gt:merge-task"]"#),
        line("label", r#""issue_type":"task","labels":["gt:escalation"]"#),
        r#"{"id":"bd-digest","title":"Digest: parser","status":"closed","priority":2,"issue_type":"task","labels":["digest"],"created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-01T00:00:00Z","closed_at":"2024-01-01T00:00:00Z","close_reason":"Squashed from 5 wisps"}"#.to_owned(),
    ];
    for kind in [
        "agent",
        "convoy",
        "event",
        "merge-request",
        "message",
        "queue",
        "rig",
        "role",
        "slot",
    ] {
        lines.push(line(kind, &format!(r#""issue_type":"{kind}""#)));
    }
    project.write(".beads/issues.jsonl", &(lines.join("\n") + "\n"));
    project
}

#[test]
fn lists_counts_and_searches_leave_out_internal_beads() {
    let project = project_of_a_town();
    for (args, own) in [
        (&["list"][..], &["bd-first", "bd-second"][..]),
        (&["list", "--all"], &["bd-first", "bd-second"]),
        (&["search", "parser"], &["bd-first", "bd-second"]),
        (&["query", "priority<=4"], &["bd-first", "bd-second"]),
        (&["stale"], &["bd-first", "bd-second"]),
        (&["blocked"], &["bd-second"]),
        (&["ready"], &["bd-first"]),
        (&["graph", "--all"], &["bd-first", "bd-second"]),
    ] {
        let shown = project.ok(args);
        for id in own {
            assert!(shown.contains(id), "{args:?}: {id}\n{shown}");
        }
        let lines = shown.matches("bd-").count();
        let most = shown.matches("bd-first").count() + shown.matches("bd-second").count();
        assert_eq!(lines, most, "{args:?}\n{shown}");
    }
    assert_eq!(project.ok(&["count"]).trim(), "2");
    let status = project.ok(&["status"]);
    for row in [
        "Total Issues:           2",
        "Blocked:                1",
        "Internal (--internal):  11",
    ] {
        assert!(status.contains(row), "{row}\n{status}");
    }
}

#[test]
fn internal_beads_are_shown_on_request_and_to_programs() {
    let project = project_of_a_town();
    for args in [
        &["list", "--internal"][..],
        &["list", "--type", "slot"],
        &["list", "--id", "bd-slot"],
        &["search", "parser", "--internal"],
        &["search", "slot", "--type", "slot"],
        &["query", "type=slot"],
        &["stale", "--internal"],
        &["blocked", "--internal"],
        &["show", "bd-slot"],
        &["list", "--json"],
        &["search", "parser", "--json"],
        &["blocked", "--json"],
    ] {
        let shown = project.ok(args);
        assert!(shown.contains("bd-slot"), "{args:?}\n{shown}");
    }
    project.ok(&["close", "bd-slot", "--force"]);
    assert!(!project.ok(&["ready"]).contains("bd-label"));
    let asked = project.ok(&["ready", "--label", "gt:escalation"]);
    assert!(asked.contains("bd-label"), "{asked}");
    assert_eq!(project.ok(&["count", "--internal"]).trim(), "13");
    assert!(
        project
            .ok(&["status", "--internal"])
            .contains("Total Issues:           13")
    );
}
