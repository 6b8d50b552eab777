//! Recorded cases of upkeep: repair, conflicts, worktrees, mail, cleanup, and commands that need no
//! database any more.

use super::recorded::{check, project};
use super::recorded_work::commit;

#[test]
fn closed_beads_are_cleaned_up() {
    let project = project();
    project.ok(&["dep", "add", "bd-b", "bd-a"]);
    project.ok(&["close", "bd-a", "bd-c"]);
    project.ok(&["create", "W", "--ephemeral", "--id", "bd-w"]);
    project.ok(&["close", "bd-w"]);
    check(
        &project,
        &[
            (
                "admin cleanup",
                1,
                "would delete 2 closed beads; delete with --force",
            ),
            (
                "admin cleanup --dry-run",
                0,
                r#"{"deleted_count":0,"candidates":["bd-c","bd-w"]}"#,
            ),
            (
                "admin cleanup --older-than 3 --force",
                0,
                r#"{"deleted_count":0,"filter":"older than 3 days"}"#,
            ),
            (
                "admin cleanup --ephemeral --force",
                0,
                r#"{"deleted_count":1,"message":"Deleted 1 closed bead","ephemeral":true}"#,
            ),
            ("cleanup --force", 0, "✓ Deleted 1 closed bead\n"),
            ("show bd-c", 1, "no issue found"),
            (
                "admin cleanup --cascade --force",
                0,
                r#"{"deleted_count":1}"#,
            ),
            ("admin cleanup", 0, "Would delete 0 closed beads"),
            ("admin compact --dry-run", 0, ""),
            ("admin reset", 0, r#"{"reset":false}"#),
            ("admin reset --force", 1, ""),
        ],
    );
    assert!(project.path(".beads").exists());
}

#[test]
fn a_file_with_conflict_markers_is_merged() {
    let project = project();
    let line = |title: &str, priority: u8, minute: u8| {
        format!(
            "{{\"id\":\"bd-x\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":{priority},\"issue_type\":\"task\",\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":\"2024-01-01T00:0{minute}:00Z\"}}\n"
        )
    };
    let (base, left, right) = (line("T", 2, 0), line("Ours", 2, 1), line("T", 0, 2));
    let text = format!("<<<<<<< HEAD\n{left}||||||| base\n{base}=======\n{right}>>>>>>> theirs\n");
    project.write("marked.jsonl", &text);
    project.write("bad.jsonl", &format!("=======\n{left}"));
    check(
        &project,
        &[
            (
                "resolve-conflicts marked.jsonl --dry-run",
                0,
                r#"{"dry_run":true,"mode":"mechanical","conflicts_found":1,"conflicts_resolved":0,"conflicts":[{"line_range":"1-7","left_label":"HEAD","right_label":"theirs","issue_id":"bd-x"}]}"#,
            ),
            (
                "resolve-conflicts marked.jsonl",
                0,
                r#"{"conflicts_found":1,"conflicts_resolved":1,"status":"resolved"}"#,
            ),
            (
                "resolve-conflicts marked.jsonl",
                0,
                "has no conflict markers",
            ),
            (
                "resolve-conflicts",
                0,
                r#"{"status":"clean","conflicts_found":0}"#,
            ),
            (
                "resolve-conflicts bad.jsonl",
                1,
                "line 1 has a conflict marker out of order",
            ),
            ("resolve-conflicts none.jsonl", 1, "cannot read "),
        ],
    );
    let merged: serde_json::Value = serde_json::from_str(&project.read("marked.jsonl")).unwrap();
    assert_eq!(
        (&merged["title"], &merged["priority"]),
        (&"Ours".into(), &0.into())
    );
}

#[test]
fn values_overruled_in_a_resolved_conflict_stay_in_history() {
    let project = project();
    let line = |title: &str, minute: u8| {
        format!(
            "{{\"id\":\"bd-x\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":\"2024-01-01T00:0{minute}:00Z\"}}\n"
        )
    };
    let (ours, theirs) = (line("Earlier", 1), line("Later", 2));
    project.write(
        ".beads/issues.jsonl",
        &format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> theirs\n"),
    );
    check(
        &project,
        &[
            ("resolve-conflicts", 0, "✓ Resolved 1 conflict in "),
            ("show bd-x", 0, r#"[{"title":"Later"}]"#),
            ("history bd-x", 0, "Earlier"),
        ],
    );
}

#[test]
fn worktrees_share_the_beads_of_the_main_one() {
    let project = project();
    check(&project, &[("worktree list", 1, "git")]);
    commit(&project, "one");
    check(
        &project,
        &[
            ("worktree create side", 0, r#"{"branch":"side"}"#),
            ("worktree create side", 1, "exists already"),
            (
                "worktree list",
                0,
                r#"[{"name":"work","is_main":true,"beads_state":"shared"},{"name":"side","branch":"side","is_main":false,"beads_state":"redirect"}]"#,
            ),
            (
                "worktree info",
                0,
                r#"{"is_worktree":false,"beads_redirected":false}"#,
            ),
            (
                "worktree info -C side",
                0,
                r#"{"is_worktree":true,"name":"side","branch":"side","beads_redirected":true}"#,
            ),
            ("close bd-a -C side", 0, "Closed bd-a"),
            ("show bd-a", 0, r#"[{"status":"closed"}]"#),
            ("worktree remove work", 1, "cannot remove the main worktree"),
            ("worktree remove nosuch", 1, "worktree \"nosuch\" not found"),
        ],
    );
    project.write("side/new.txt", "unsaved");
    check(
        &project,
        &[
            ("worktree remove side", 1, "side"),
            ("worktree remove side --force", 0, "✓ Removed worktree "),
            (
                "worktree create other --branch topic",
                0,
                " on branch topic\n",
            ),
        ],
    );
    assert!(!project.path("side").exists());
    assert!(project.read(".git/info/exclude").contains("/side/"));
}

#[test]
fn mail_is_passed_to_the_mail_command_of_the_project() {
    let project = project();
    project.write("mail.sh", "printf '%s|' \"$@\"\nexit 7\n");
    check(
        &project,
        &[(
            "mail inbox",
            1,
            "no mail command is set; set one: bd config set mail.delegate",
        )],
    );
    project.write_user_settings("mail.delegate: sh ./mail.sh first\n");
    check(
        &project,
        &[(
            "mail send --help -s '$(true) x' --json",
            7,
            "first|send|--help|-s|$(true) x|--json|",
        )],
    );
    let ran = project.run_with(
        &[("BEADS_MAIL_DELEGATE", "no-such-mail")],
        &["mail", "inbox"],
    );
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("no-such-mail is not installed"),
        "{}",
        ran.err
    );
}

#[test]
fn commands_that_needed_a_database_still_answer() {
    let project = project();
    check(
        &project,
        &[
            ("repair --dry-run", 0, r#"{"overall_ok":true}"#),
            ("repair", 0, "✓ "),
            ("repo list", 0, r#"{"primary":".","additional":{}}"#),
            ("repo sync", 0, r#"{"synced":true}"#),
            (
                "repo add ../x",
                1,
                "bd config set external_projects.NAME ../x",
            ),
            ("daemons list", 0, "bd needs no daemon"),
            ("daemons killall", 0, r#"{"running":false}"#),
        ],
    );
}
