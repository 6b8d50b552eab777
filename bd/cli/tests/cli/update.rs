//! `bd update`, `bd close`, `bd reopen`, `bd defer`, `bd label`, `bd comment`.

use super::{Project, ids};

#[test]
fn only_the_given_field_changes_and_empty_text_clears_it() {
    let project = Project::new();
    let id = project.make("T", &["-d", "text", "-a", "dana", "--due", "2026-05-01"]);
    project.ok(&["update", &id, "--title", "New", "-p", "0"]);
    let bead = project.shown(&id);
    assert_eq!(
        (bead["title"].as_str(), bead["description"].as_str()),
        (Some("New"), Some("text"))
    );
    project.ok(&[
        "update",
        &id,
        "--description",
        "",
        "--assignee",
        "",
        "--due",
        "",
    ]);
    let bead = project.shown(&id);
    for key in ["description", "assignee", "due_at"] {
        assert!(bead.get(key).is_none(), "{key}");
    }
    project.ok(&["update", &id, "--append-notes", "one"]);
    project.ok(&["update", &id, "--append-notes", "two"]);
    assert_eq!(project.shown(&id)["notes"], "one\ntwo");
}

#[test]
fn invalid_values_are_refused_before_anything_changes() {
    let project = Project::new();
    let id = project.make("T", &[]);
    let before = project.read(".beads/issues.jsonl");
    for (args, words) in [
        (&["--estimate", "-5"][..], "estimate must be a non-negative"),
        (&["--due", "not-a-date"], "invalid --due format"),
        (&["--metadata", "{bad"], "must be valid JSON"),
        (
            &["--notes", "a", "--append-notes", "b"],
            "cannot specify both",
        ),
        (&["--status", "tombstone"], "use 'bd delete'"),
        (&["--status", "odd"], "invalid status: odd"),
        (
            &["--type", "bogus"],
            "Valid types: bug, feature, task, epic, chore",
        ),
        (&["--priority", "7"], "invalid priority"),
        (&["--parent", "bd-none"], "bd-none not found"),
        (&["--title", ""], "title must be 1-500"),
    ] {
        let error = project.fails(&[&["update", &id], args].concat());
        assert!(error.contains(words), "{args:?}: {error}");
    }
    assert_eq!(project.read(".beads/issues.jsonl"), before);
    assert_eq!(
        project.ok(&["update", &id, "--json"]),
        "No updates specified\n"
    );
}

/// Runs `bd` on a terminal of its own.
fn run_on_terminal(project: &Project, env: &[(&str, &str)], command: &str) -> (i32, String) {
    let bd = project.command(&project.dir(), &[]);
    let mut terminal = std::process::Command::new("script");
    terminal.args([
        "-qec",
        &format!("{} {command}", bd.get_program().display()),
        "/dev/null",
    ]);
    terminal.current_dir(project.dir()).env_clear();
    for (name, value) in bd.get_envs() {
        terminal.env(name, value.unwrap_or_default());
    }
    let ran = terminal.envs(env.iter().copied()).output().unwrap();
    let out = String::from_utf8_lossy(&ran.stdout).into_owned();
    (ran.status.code().unwrap(), out)
}

#[test]
fn an_id_can_be_left_out_only_on_a_terminal_by_who_changed_the_bead() {
    let project = Project::new();
    let id = project.make("T", &[]);
    for args in [&["update", "-p", "1"][..], &["close"]] {
        let error = project.fails(args);
        assert!(error.contains("only on a terminal"), "{error}");
    }
    let on_terminal = |env: &[(&str, &str)], command: &str| run_on_terminal(&project, env, command);
    let other_session = [("CLAUDE_SESSION_ID", "other")];
    let other_actor = [("BEADS_ACTOR", "other")];
    for env in [&other_session[..], &other_actor[..]] {
        // Showing a bead is no reason to change it.
        on_terminal(env, &format!("show {id}"));
        let (code, out) = on_terminal(env, "close");
        assert_eq!(code, 1, "{out}");
        assert!(out.contains("you changed no bead here"), "{out}");
    }
    let (code, out) = on_terminal(&[], "update -p 1");
    assert_eq!(code, 0, "{out}");
    assert_eq!(project.shown(&id)["priority"], 1);
    project.write("mayor/town.json", "{}");
    let (code, out) = on_terminal(&[], "close");
    assert!(code == 1 && out.contains("in a town"), "{out}");
    assert_eq!(project.shown(&id)["status"], "open");
}

#[test]
fn several_beads_are_changed_together_or_not_at_all() {
    let project = Project::new();
    let (first, blocked) = (project.make("First", &[]), project.make("Blocked", &[]));
    project.ok(&["dep", "add", &blocked, &project.make("Blocker", &[])]);
    for args in [
        &["close", &first, &blocked][..],
        &["close", &first, "bd-none"],
        &["update", &first, "bd-none", "-p", "0"],
        &["pin", &first, "bd-none"],
        &["label", "add", &first, "bd-none", "x"],
    ] {
        let before = project.read(".beads/issues.jsonl");
        let ran = project.run(args);
        assert_eq!(ran.code, 1, "{args:?}: {}", ran.err);
        assert_eq!(project.read(".beads/issues.jsonl"), before, "{args:?}");
    }
    let shown = project.run(&["show", &first, "bd-none"]);
    assert_eq!(shown.code, 1);
    assert!(shown.out.contains("First") && shown.err.contains("bd-none"));
}

#[test]
fn a_claim_succeeds_once() {
    let project = Project::new();
    let id = project.make("T", &[]);
    let claimed = project.json(&["--actor", "nux", "update", &id, "--claim"]);
    assert_eq!(
        (
            claimed[0]["assignee"].as_str(),
            claimed[0]["status"].as_str()
        ),
        (Some("nux"), Some("in_progress"))
    );
    let error = project.fails(&["--actor", "slit", "update", &id, "--claim", "-p", "0"]);
    assert!(error.contains("already claimed by nux"), "{error}");
    assert_eq!(project.shown(&id)["priority"], 2);
    let other = project.make("U", &[]);
    project.fails(&["update", &other, "--claim", "--status", "odd"]);
    assert!(project.shown(&other).get("assignee").is_none());
}

#[test]
fn the_words_for_no_one_clear_the_assignee_in_every_command() {
    let project = Project::new();
    let id = project.make("T", &["--assignee", "nobody"]);
    assert!(project.shown(&id).get("assignee").is_none());
    for word in ["none", "None", "nobody", "-", ""] {
        for line in [&["assign", &id, word][..], &["update", &id, "-a", word]] {
            project.ok(&["assign", &id, "dana"]);
            project.ok(line);
            assert!(project.shown(&id).get("assignee").is_none(), "{line:?}");
        }
    }
    let listed = project.json(&["list", "--assignee", "none"]);
    assert_eq!(listed[0]["id"], id.as_str());
}

#[test]
fn labels_are_set_added_removed_and_cleared() {
    let project = Project::new();
    let id = project.make("T", &["-l", "x"]);
    project.ok(&[
        "update",
        &id,
        "--set-labels",
        "a,b",
        "--add-label",
        "c",
        "--remove-label",
        "a",
    ]);
    assert_eq!(
        project.json(&["label", "list", &id]),
        serde_json::json!(["b", "c"])
    );
    project.ok(&["update", &id, "--set-labels="]);
    assert_eq!(project.json(&["label", "list", &id]), serde_json::json!([]));
    let other = project.make("U", &[]);
    let added = project.json(&["label", "add", &id, &other, "new"]);
    assert_eq!(
        (added[1]["status"].as_str(), added[1]["label"].as_str()),
        (Some("added"), Some("new"))
    );
    project.ok(&["label", "add", &id, "new"]);
    project.ok(&["label", "remove", &id, "absent"]);
    assert_eq!(
        project.json(&["label", "list-all"]),
        serde_json::json!([{"label": "new", "count": 2}])
    );
    assert!(
        project
            .fails(&["label", "add", &id, "provides:x"])
            .contains("provides:")
    );
}

#[test]
fn metadata_is_set_key_by_key() {
    let project = Project::new();
    let id = project.make("T", &[]);
    project.write("m.json", r#"{"a": 1e5}"#);
    project.ok(&["update", &id, "--metadata", "@m.json"]);
    project.ok(&[
        "update",
        &id,
        "--set-metadata",
        "b=x=y",
        "--set-metadata",
        "c=1",
        "--unset-metadata",
        "c",
    ]);
    assert_eq!(project.shown(&id)["metadata"]["b"], "x=y");
    assert!(project.shown(&id)["metadata"].get("c").is_none());
    project.ok(&["update", &id, "--metadata", "{}"]);
    assert!(project.shown(&id).get("metadata").is_none());
}

#[test]
fn a_status_change_sets_or_clears_the_closing_time() {
    let project = Project::new();
    let id = project.make("T", &[]);
    project.ok(&["update", &id, "--status", "closed"]);
    let bead = project.shown(&id);
    assert!(bead.get("closed_at").is_some() && bead.get("close_reason").is_none());
    project.ok(&["update", &id, "--status", "in_progress"]);
    assert!(project.shown(&id).get("closed_at").is_none());
    project.ok(&[
        "update",
        &id,
        "--status",
        "hooked",
        "--assignee",
        "rig/polecats/nux",
    ]);
    assert_eq!(project.shown(&id)["status"], "hooked");
}

#[test]
fn closing_records_the_reason_and_checks_every_id_first() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    assert!(
        project
            .fails(&["close", &a, "bd-none"])
            .contains("no issue found")
    );
    assert_eq!(project.shown(&a)["status"], "open");
    assert!(
        project
            .ok(&["close", &a, &b, "--reason", "done well"])
            .contains(&format!("Closed {a}: done well"))
    );
    let again = project.json(&["close", &a]);
    assert_eq!(again[0]["close_reason"], "Closed");
    let session = project.json(&["close", &a, "--session", "s-1"]);
    assert_eq!(session[0]["closed_by_session"], "s-1");
}

#[test]
fn closing_a_blocked_bead_needs_force_and_suggests_the_next_one() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    project.ok(&["dep", "add", &b, &a]);
    let error = project.fails(&["close", &b]);
    assert!(
        error.contains(&format!("blocked by open issues [{a}]")),
        "{error}"
    );
    let closed = project.json(&["close", &a, "--suggest-next"]);
    assert_eq!(ids(&closed["unblocked"]), [b.as_str()]);
    assert!(
        project
            .fails(&["close", &a, &b, "--suggest-next"])
            .contains("single issue")
    );
    project.ok(&["close", &b]);
}

#[test]
fn reopening_keeps_the_reason_in_history() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    project.ok(&["close", &a]);
    assert!(
        project
            .ok(&["reopen", &a, &b, "--reason", "not yet"])
            .contains(&format!("Reopened {a}"))
    );
    let bead = project.shown(&a);
    assert_eq!(bead["status"], "open");
    assert!(bead.get("closed_at").is_none() && bead.get("close_reason").is_none());
    assert!(project.ok(&["history", &a]).contains("reopen: not yet"));
    assert!(bead.get("comments").is_none());
    project.fails(&["reopen", "bd-none"]);
}

#[test]
fn a_deferred_bead_is_hidden_until_it_is_undeferred() {
    let project = Project::new();
    let id = project.make("T", &[]);
    project.ok(&["defer", &id, "--until", "+2d"]);
    assert_eq!(project.json(&["ready"]), serde_json::json!([]));
    assert!(project.shown(&id).get("defer_until").is_some());
    project.ok(&["undefer", &id]);
    assert_eq!(ids(&project.json(&["ready"])), [id.as_str()]);
}

#[test]
fn comments_can_be_added_and_shown() {
    let project = Project::new();
    let id = project.make("T", &[]);
    assert!(project.ok(&["comments", &id]).contains("No comments on"));
    assert_eq!(project.json(&["comments", &id]), serde_json::json!([]));
    let made = project.json(&["comments", "add", &id, "first words", "--author", "lee"]);
    assert_eq!(
        (made["id"].as_i64(), made["author"].as_str()),
        (Some(1), Some("lee"))
    );
    assert!(
        project
            .ok(&["comment", &id, "more", "words"])
            .contains("Comment added to")
    );
    project.write("text.md", "from a file");
    project.ok(&["comments", "add", &id, "-f", "text.md"]);
    let all = project.json(&["comments", &id]);
    assert_eq!(all[1]["text"], "more words");
    assert_eq!(all[2]["text"], "from a file");
    assert!(
        project
            .fails(&["comments", "bd-none"])
            .contains("no issue found")
    );
    assert!(
        project
            .fails(&["comment", "bd-none", "x"])
            .contains("no issue found")
    );
}

#[test]
fn comment_times_are_shown_in_the_local_time_zone() {
    let project = Project::new();
    let comment = r#"{"id":1,"issue_id":"bd-1","author":"eve","text":"why","created_at":"2026-03-01T20:30:00Z"}"#;
    let line = format!(
        r#"{{"id":"bd-1","title":"T","status":"open","priority":2,"issue_type":"task","created_at":"2026-03-01T20:00:00Z","updated_at":"2026-03-01T20:30:00Z","comments":[{comment}]}}"#
    );
    project.write(".beads/issues.jsonl", &format!("{line}\n"));
    for (zone, told) in [("JST-9", "2026-03-02 05:30"), ("UTC0", "2026-03-01 20:30")] {
        for args in [&["show", "bd-1"][..], &["comments", "bd-1"]] {
            let said = project.run_with(&[("TZ", zone)], args).out;
            assert!(said.contains(told), "{said}");
        }
    }
}

#[test]
fn a_wisp_can_be_made_durable() {
    let project = Project::new();
    let id = project.make("W", &["--ephemeral"]);
    assert!(!project.read(".beads/issues.jsonl").contains(&id));
    assert_eq!(ids(&project.json(&["list"])), [id.as_str()]);
    assert_eq!(project.json(&["ready"]), serde_json::json!([]));
    project.ok(&["update", &id, "--persistent"]);
    assert!(project.read(".beads/issues.jsonl").contains(&id));
}

#[test]
fn todo_is_a_shortcut_for_tasks() {
    let project = Project::new();
    let id = project.json(&["todo", "add", "Buy milk"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(ids(&project.json(&["todo"])), [id.as_str()]);
    assert_eq!(
        project.json(&["todo", "done", &id])["closed"][0],
        id.as_str()
    );
    assert_eq!(project.json(&["todo", "list"]), serde_json::json!([]));
    assert_eq!(
        ids(&project.json(&["todo", "list", "--all"])),
        [id.as_str()]
    );
}
