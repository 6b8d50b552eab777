//! Recorded cases of small commands: the line, its exit code and what it prints. An expectation
//! that is JSON is compared with what `--json` prints: its keys have to be there; one that is
//! `null` must not. Any other is a part of what is printed; for a failing command, of what it says
//! on standard error.

use serde_json::Value;

use super::{Project, Ran};

/// The words of a line; single quotes hold a word together.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// Whether all of `wanted` is in `found`.
fn holds(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| match found.get(key) {
                Some(own) => holds(own, value),
                None => value.is_null(),
            })
        }
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| holds(a, b))
        }
        _ => found == wanted,
    }
}

/// Runs each line and compares what it prints.
pub(super) fn check(project: &Project, cases: &[(&str, i32, &str)]) {
    for (line, code, wanted) in cases {
        let mut words = words(line);
        let json = serde_json::from_str::<Value>(wanted).ok();
        let json = json.filter(|wanted| wanted.is_object() || wanted.is_array());
        if json.is_some() {
            words.insert(0, "--json".to_owned());
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Ran {
            code: ended,
            out,
            err,
        } = project.run(&words);
        assert_eq!(ended, *code, "bd {line}: {out}{err}");
        if let Some(wanted) = json {
            let found: Value =
                serde_json::from_str(&out).unwrap_or_else(|_| panic!("bd {line}: {out}"));
            assert!(holds(&found, &wanted), "bd {line}: {out}");
        } else {
            let said = if *code == 0 || err.is_empty() {
                &out
            } else {
                &err
            };
            assert!(said.contains(wanted), "bd {line}: {out}{err}");
        }
    }
}

/// A project with some beads of known ids.
pub(super) fn project() -> Project {
    let project = Project::new();
    for (id, title) in [
        ("bd-a", "Login form fails"),
        ("bd-b", "Login form FAILS"),
        ("bd-c", "Other"),
    ] {
        project.ok(&["create", title, "--id", id]);
    }
    project
}

#[test]
fn untouched_beads_are_stale() {
    let project = Project::new();
    let line = |id: &str, status: &str, month: u8| {
        format!(
            "{{\"id\":\"bd-{id}\",\"title\":\"T {id}\",\"status\":\"{status}\",\"created_at\":\"2024-01-01T00:00:00Z\",\"updated_at\":\"2024-0{month}-01T00:00:00Z\"}}\n"
        )
    };
    project.write(
        ".beads/issues.jsonl",
        &(line("a", "open", 3) + &line("b", "in_progress", 2) + &line("c", "closed", 1)),
    );
    project.ok(&["create", "New"]);
    check(
        &project,
        &[
            ("stale", 0, r#"[{"id":"bd-b"},{"id":"bd-a"}]"#),
            ("stale", 0, "⏰ Stale issues (2 not updated for 30 days):"),
            ("stale -s open -n 1", 0, r#"[{"id":"bd-a"}]"#),
            ("stale --days 99999", 0, "✨ No stale issues"),
            ("stale --days 99999", 0, "[]"),
            ("stale --days x", 1, "invalid value"),
        ],
    );
}

#[test]
fn a_bead_is_closed_as_a_duplicate_or_as_superseded() {
    let project = project();
    check(
        &project,
        &[
            (
                "duplicate bd-a --of bd-b",
                0,
                r#"{"duplicate":"bd-a","canonical":"bd-b","status":"closed"}"#,
            ),
            (
                "show bd-a",
                0,
                r#"[{"status":"closed","close_reason":"Duplicate of bd-b","dependencies":[{"id":"bd-b","dependency_type":"duplicates"}]}]"#,
            ),
            (
                "supersede bd-b --with bd-c",
                0,
                "✓ Marked bd-b as superseded by bd-c (closed)",
            ),
            (
                "show bd-b",
                0,
                r#"[{"status":"closed","dependencies":[{"id":"bd-c","dependency_type":"supersedes"}]}]"#,
            ),
            ("duplicate bd-c --of bd-c", 1, "itself"),
            (
                "duplicate bd-c --of bd-none",
                1,
                "no issue found matching \"bd-none\"",
            ),
            ("duplicate bd-c", 1, "--of"),
        ],
    );
}

#[test]
fn beads_with_the_same_text_are_found_and_merged() {
    let project = project();
    project.ok(&["create", "Other", "--id", "bd-d"]);
    project.ok(&["dep", "add", "bd-b", "bd-d"]);
    check(
        &project,
        &[
            (
                "duplicates",
                0,
                r#"{"duplicate_groups":1,"groups":[{"title":"Other","suggested_target":"bd-d","suggested_sources":["bd-c"],"issues":[{"id":"bd-c","weight":0,"is_merge_target":false},{"id":"bd-d","dependents":1,"is_merge_target":true}]}]}"#,
            ),
            (
                "duplicates --auto-merge --dry-run",
                0,
                r#"{"merge_commands":["bd duplicate bd-c --of bd-d"]}"#,
            ),
            (
                "duplicates --auto-merge",
                0,
                "✓ done: bd duplicate bd-c --of bd-d",
            ),
            (
                "show bd-c",
                0,
                r#"[{"status":"closed","close_reason":"Duplicate of bd-d"}]"#,
            ),
            ("duplicates", 0, "No duplicates found"),
            (
                "find-duplicates",
                0,
                r#"{"count":1,"method":"mechanical","pairs":[{"issue_a_id":"bd-a","issue_b_id":"bd-b","similarity":1.0}]}"#,
            ),
            ("find-dups --threshold 0.9", 0, "100% alike:"),
            ("find-duplicates -s closed", 0, "No similar issues found"),
            ("find-duplicates --method ai", 1, "not offered"),
            ("find-duplicates --threshold 2", 1, "between 0.0 and 1.0"),
        ],
    );
}

#[test]
fn states_are_labels_with_a_record_of_each_change() {
    let project = project();
    check(
        &project,
        &[
            ("state bd-a health", 0, "(no health state set)"),
            (
                "state bd-a health",
                0,
                r#"{"issue_id":"bd-a","dimension":"health","value":null}"#,
            ),
            (
                "set-state bd-a health=failing --reason 'it burns'",
                0,
                r#"{"issue_id":"bd-a","dimension":"health","old_value":null,"new_value":"failing","event_id":"bd-a.1","changed":true}"#,
            ),
            (
                "set-state bd-a health=failing",
                0,
                r#"{"value":"failing","changed":false}"#,
            ),
            (
                "set-state bd-a health=healthy",
                0,
                "✓ Set health = healthy on bd-a (was failing)",
            ),
            ("state bd-a health", 0, "healthy\n"),
            (
                "state list bd-a",
                0,
                r#"{"issue_id":"bd-a","states":{"health":"healthy"}}"#,
            ),
            ("state list bd-b", 0, "No states set on bd-b"),
            (
                "show bd-a.1",
                0,
                r#"[{"title":"State change: health → failing","issue_type":"event","status":"closed","priority":4}]"#,
            ),
            ("set-state bd-a health", 1, "DIMENSION=VALUE"),
            ("state bd-none health", 1, "no issue found"),
        ],
    );
}

#[test]
fn a_command_named_after_a_field_changes_that_field() {
    let project = project();
    check(
        &project,
        &[
            ("assign bd-a dana", 0, "✓ Assigned bd-a to dana"),
            ("assign bd-a ''", 0, "✓ Unassigned bd-a"),
            ("assign bd-none dana", 1, "no issue found"),
            ("priority bd-a P0", 0, r#"[{"id":"bd-a","priority":0}]"#),
            ("priority bd-a soon", 1, "invalid priority \"soon\""),
            ("note bd-a first line", 0, "✓ Note added to bd-a"),
            ("note bd-a second", 0, r#"[{"notes":"first line\nsecond"}]"#),
            ("note bd-a", 1, "note text required"),
            (
                "tag bd-a urgent",
                0,
                r#"[{"status":"added","issue_id":"bd-a","label":"urgent"}]"#,
            ),
            ("tag bd-a provides:x", 1, "not added by hand"),
            (
                "link bd-a bd-c",
                0,
                r#"{"status":"added","issue_id":"bd-a","depends_on_id":"bd-c","type":"blocks"}"#,
            ),
            (
                "link bd-a bd-b -t related",
                0,
                "✓ Linked bd-a → bd-b (related)",
            ),
            ("link bd-a bd-none", 1, "no issue found"),
        ],
    );
}

#[test]
fn renaming_one_or_all_beads_updates_their_references() {
    let project = project();
    project.ok(&["update", "bd-b", "--notes", "see bd-a, not bd-ab"]);
    project.ok(&["dep", "add", "bd-c", "bd-a"]);
    check(
        &project,
        &[
            (
                "rename bd-a bd-new",
                0,
                "Renamed bd-a -> bd-new (2 references updated)",
            ),
            ("show bd-b", 0, r#"[{"notes":"see bd-new, not bd-ab"}]"#),
            ("show bd-c", 0, r#"[{"dependencies":[{"id":"bd-new"}]}]"#),
            ("rename bd-b bd-c", 1, "already exists"),
            ("rename bd-b 'b d'", 1, "invalid"),
            (
                "rename-prefix web --dry-run",
                0,
                r#"{"old_prefix":"bd","new_prefix":"web","issues_count":3,"dry_run":true}"#,
            ),
            (
                "rename-prefix web-",
                0,
                "✓ Renamed 3 beads from bd- to web-",
            ),
            (
                "show web-b",
                0,
                r#"[{"id":"web-b","notes":"see web-new, not bd-ab"}]"#,
            ),
            ("rename-prefix web", 1, "already"),
            ("rename-prefix '/'", 1, "invalid prefix"),
        ],
    );
    assert!(project.make("Next", &[]).starts_with("web-"));
    project.ok(&["create", "Foreign", "--id", "zz-1", "--force"]);
    check(
        &project,
        &[
            ("rename-prefix own", 1, "multiple prefixes found: zz-1"),
            (
                "rename-prefix own --repair",
                0,
                "✓ Renamed 5 beads from web- to own-",
            ),
            ("show own-1", 0, r#"[{"title":"Foreign"}]"#),
        ],
    );
}

#[test]
fn values_and_notes_are_stored_by_name() {
    let project = Project::new();
    check(
        &project,
        &[
            ("kv list", 0, "No key-value pairs set"),
            (
                "kv set color 'dark red'",
                0,
                r#"{"key":"color","value":"dark red"}"#,
            ),
            (
                "kv get color",
                0,
                r#"{"key":"color","value":"dark red","found":true}"#,
            ),
            ("kv get color", 0, "dark red\n"),
            (
                "kv get none",
                1,
                r#"{"key":"none","value":"","found":false}"#,
            ),
            ("kv set sync.x 1", 1, "key cannot begin with 'sync.'"),
            (
                "remember always run the tests",
                0,
                r#"{"key":"always-run-the-tests","action":"remembered"}"#,
            ),
            (
                "remember 'use tabs' --key Style",
                0,
                "Remembered [style]: use tabs",
            ),
            (
                "remember 'use spaces' --key style",
                0,
                r#"{"key":"style","action":"updated"}"#,
            ),
            ("recall style", 0, "use spaces\n"),
            (
                "memories",
                0,
                r#"{"always-run-the-tests":"always run the tests","style":"use spaces"}"#,
            ),
            ("memories SPACES", 0, "[style] use spaces"),
            ("kv list", 0, r#"{"color":"dark red"}"#),
            ("forget style", 0, r#"{"key":"style","deleted":"true"}"#),
            ("forget style", 1, "No memory with key \"style\""),
            ("recall style", 1, "No memory with key \"style\""),
            ("kv clear color", 0, r#"{"key":"color","deleted":"true"}"#),
            ("kv list", 0, "{}"),
        ],
    );
}

#[test]
fn an_agent_reports_its_state_and_has_slots() {
    let project = project();
    check(
        &project,
        &[
            (
                "agent state bd-dana working",
                0,
                r#"{"agent":"bd-dana","agent_state":"working"}"#,
            ),
            (
                "show bd-dana",
                0,
                r#"[{"issue_type":"agent","labels":["gt:agent"],"title":"Agent: bd-dana"}]"#,
            ),
            (
                "agent state bd-dana asleep",
                1,
                "invalid agent state \"asleep\"",
            ),
            ("agent heartbeat bd-dana", 0, "✓ bd-dana heartbeat"),
            (
                "agent heartbeat bd-a",
                1,
                "bd-a is not an agent bead (missing gt:agent label)",
            ),
            (
                "slot set bd-dana hook bd-a",
                0,
                r#"{"agent":"bd-dana","slot":"hook","bead":"bd-a"}"#,
            ),
            (
                "slot set bd-dana hook bd-b",
                1,
                "hook slot already occupied by bd-a; use 'bd slot clear bd-dana hook' first",
            ),
            (
                "slot set bd-dana role bd-c",
                0,
                "✓ Set role of bd-dana to bd-c",
            ),
            (
                "agent show bd-dana",
                0,
                r#"{"id":"bd-dana","agent_state":"working","hook_bead":"bd-a","role_bead":"bd-c","rig":null}"#,
            ),
            (
                "slot clear bd-dana hook",
                0,
                r#"{"agent":"bd-dana","slot":"hook","bead":null}"#,
            ),
            (
                "slot show bd-dana",
                0,
                r#"{"agent":"bd-dana","slots":{"hook":null,"role":"bd-c"}}"#,
            ),
            ("slot set bd-dana nosuch bd-a", 1, "invalid value 'nosuch'"),
            ("slot set bd-a hook bd-b", 1, "not an agent bead"),
            ("agent show bd-a", 1, "not an agent bead"),
        ],
    );
}

#[test]
fn the_merge_slot_has_one_holder_at_a_time() {
    let project = Project::new();
    check(
        &project,
        &[
            (
                "merge-slot check",
                0,
                r#"{"id":"bd-merge-slot","available":false,"error":"not found"}"#,
            ),
            ("merge-slot acquire", 1, "no issue found"),
            (
                "merge-slot create",
                0,
                r#"{"id":"bd-merge-slot","status":"open"}"#,
            ),
            ("merge-slot create", 0, "✓ Merge slot: bd-merge-slot"),
            (
                "merge-slot check",
                0,
                r#"{"available":true,"status":"open","holder":null,"waiters":[]}"#,
            ),
            (
                "merge-slot acquire --holder ann",
                0,
                r#"{"id":"bd-merge-slot","acquired":true,"holder":"ann"}"#,
            ),
            ("merge-slot acquire --holder bob", 1, "is held by ann"),
            (
                "merge-slot acquire --holder bob --wait",
                0,
                r#"{"acquired":false,"holder":"ann","waiting":true,"position":1}"#,
            ),
            (
                "merge-slot check",
                0,
                r#"{"available":false,"status":"in_progress","holder":"ann","waiters":["bob"]}"#,
            ),
            (
                "merge-slot release --holder bob",
                1,
                "slot held by ann, not bob",
            ),
            (
                "merge-slot release",
                0,
                r#"{"released":true,"previous_holder":"ann","waiters":1}"#,
            ),
            ("merge-slot release", 1, "is not held"),
            (
                "merge-slot acquire --holder bob",
                0,
                "✓ bd-merge-slot is held by bob",
            ),
            ("merge-slot check", 0, r#"{"holder":"bob","waiters":[]}"#),
        ],
    );
}
