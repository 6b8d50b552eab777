//! Commands and flags of other versions of bd: batches, forms, templates, what needs a database,
//! the doctor's flags.

use std::io::Write;
use std::process::Stdio;

use super::recorded::check;
use super::{Project, Ran, ids, ran, recorded};

/// Runs a command that reads `input`.
fn fed(project: &Project, args: &[&str], input: &str) -> Ran {
    let mut command = project.command(&project.dir(), args);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    ran(child.wait_with_output().unwrap())
}

#[test]
fn a_batch_applies_all_changes_or_none() {
    let project = recorded::project();
    let script = "# a comment\n\ncreate bug 1 A new one\nupdate bd-a status=in_progress title=\"New title\"\nclose bd-b Not needed\ndep add bd-c bd-a\n";
    let done = fed(&project, &["batch", "--json"], script);
    assert_eq!(done.code, 0, "{}", done.err);
    let done: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(done["operations"], 4);
    assert_eq!(
        done["results"][2],
        serde_json::json!({"line": 5, "operation": "close", "id": "bd-b"})
    );
    check(
        &project,
        &[
            (
                "show bd-a",
                0,
                r#"[{"title":"New title","status":"in_progress"}]"#,
            ),
            (
                "show bd-b",
                0,
                r#"[{"status":"closed","close_reason":"Not needed"}]"#,
            ),
            ("show bd-c", 0, r#"[{"dependencies":[{"id":"bd-a"}]}]"#),
            ("count --title 'A new one'", 0, r#"{"count":1}"#),
        ],
    );
    let failed = fed(&project, &["batch"], "close bd-a\nclose bd-none\n");
    assert_eq!(failed.code, 1);
    assert!(
        failed.err.contains("line 2: close: no issue found"),
        "{}",
        failed.err
    );
    assert_eq!(project.shown("bd-a")["status"], "in_progress");
    let dry = fed(&project, &["batch", "--dry-run"], "dep remove bd-c bd-a\n");
    assert_eq!(dry.out, "Would make 1 change\n");
    assert_eq!(ids(&project.shown("bd-c")["dependencies"]), ["bd-a"]);
    for (script, reason) in [
        ("open bd-a", "line 1: unknown operation"),
        ("update bd-a", "use: update ID FIELD=VALUE"),
        ("update bd-a colour=red", "unknown field"),
        ("create bug 9 T", "invalid priority"),
        ("close \"bd-a", "a double quote is not closed"),
    ] {
        let failed = fed(&project, &["batch"], script);
        assert!(
            failed.code == 1 && failed.err.contains(reason),
            "{script}: {}",
            failed.err
        );
    }
}

#[test]
fn a_form_prompts_for_the_fields_of_a_bead() {
    let project = recorded::project();
    let made = fed(
        &project,
        &["create-form"],
        "From a form\nbug\n1\ndana\na,b\nbd-a\nWhy\n",
    );
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(made.err.contains("Priority [2]:"), "{}", made.err);
    let bead = &project.json(&["list", "--title", "From a form"])[0];
    assert_eq!(bead["issue_type"], "bug");
    assert_eq!(bead["labels"], serde_json::json!(["a", "b"]));
    assert_eq!(bead["dependencies"][0]["depends_on_id"], "bd-a");
    let made = fed(&project, &["create-form"], "Only a title\n");
    assert_eq!(made.code, 0, "{}", made.err);
    let refused = fed(&project, &["create-form"], "\n");
    assert!(
        refused.code == 1 && refused.err.contains("nothing was created"),
        "{}",
        refused.err
    );
}

#[test]
fn a_bead_can_be_created_from_another_bead() {
    let project = Project::new();
    project.ok(&[
        "create",
        "Model",
        "--id",
        "bd-m",
        "-d",
        "Steps",
        "-t",
        "bug",
        "-p",
        "1",
        "-l",
        "a",
        "--acceptance",
        "Works",
    ]);
    check(
        &project,
        &[
            (
                "create Copy --from-template bd-m",
                0,
                r#"{"title":"Copy","description":"Steps","issue_type":"bug","priority":1,"labels":["a"],"acceptance_criteria":"Works"}"#,
            ),
            (
                "create Own --from-template bd-m -t task -p 2 -d Own -l b",
                0,
                r#"{"description":"Own","issue_type":"task","priority":2,"labels":["a","b"]}"#,
            ),
            ("create Own --from-template bd-none", 1, "no issue found"),
        ],
    );
}

#[test]
fn commands_that_need_a_database_name_their_replacement() {
    check(
        &Project::new(),
        &[
            ("dolt status", 0, r#"{"status":"not_needed"}"#),
            (
                "dolt push",
                1,
                "beads need no Dolt server; `bd sync --full` shares them",
            ),
            ("backup", 1, "bd export"),
            ("preflight --check", 1, "bd lint"),
            ("dolt commit", 0, "bd sync --full"),
            ("dolt sql", 1, "bd dolt is not offered"),
            ("--no-daemon vc status", 0, "bd history"),
            ("vc merge other", 1, "git log"),
            ("branch", 0, "git branch"),
            ("branch new", 1, "git branch"),
            ("federation status", 0, "bd sync"),
            ("backend show", 0, "beads are files in git"),
            ("backend set dolt", 1, "there is no other backend"),
            ("sql 'SELECT 1'", 1, r#"{"code":"usage"}"#),
            ("jira sync --pull", 1, "bd import FILE"),
            ("jira status", 0, "bd import FILE"),
            ("daemon nonsense", 1, "unknown command"),
            ("migrate nonsense", 1, "unknown command"),
        ],
    );
}

#[test]
fn the_doctor_accepts_the_flags_of_other_versions() {
    let project = recorded::project();
    project.ok(&["create", "Test bead", "--id", "bd-t", "-d", "D"]);
    std::fs::write(project.path(".beads/old.db"), b"SQLite format 3\0rest").unwrap();
    check(
        &project,
        &[
            ("doctor --check pollution", 0, "bd-t: Test bead"),
            (
                "doctor --check edges",
                0,
                r#"{"checks":[{"name":"Edges","status":"ok"}]}"#,
            ),
            (
                "doctor --check nonsense",
                1,
                "use validate, pollution, lines",
            ),
            (
                "doctor --check-health",
                0,
                "old.db is a database of another bd",
            ),
            (
                "doctor --check database",
                0,
                "takes over its beads, wisps, types",
            ),
            ("doctor --fix --dry-run", 0, r#"{"mended":[]}"#),
            (
                "doctor --deep --perf --server --gastown --force --fix-child-parent",
                0,
                "Lines",
            ),
            (
                "doctor --migration pre --source auto --gastown-duplicates-threshold 5",
                0,
                "Lines",
            ),
            ("doctor --output report.json", 0, "Lines"),
        ],
    );
    assert!(project.read("report.json").contains("\"overall_ok\": true"));
    let asked = fed(&project, &["doctor", "--fix", "--interactive"], "n\n");
    assert!(asked.err.contains("[y/N]"), "{}", asked.err);
}
