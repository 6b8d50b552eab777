//! `bd init`, `bd create`, `bd q`.

use super::{Project, ids};

#[test]
fn a_text_that_begins_with_a_dash_is_taken_or_gets_the_line_that_works() {
    let project = Project::new();
    let id = project.make("T", &["--notes", "- a"]);
    assert_eq!(project.shown(&id)["notes"], "- a");
    let error = project.fails(&["create", "-x is broken", "--type", "bug"]);
    assert!(
        error.contains("\n  bd create --type bug -- '-x is broken'"),
        "{error}"
    );
    project.ok(&["create", "--type", "bug", "--", "-x is broken"]);
    let error = project.fails(&["comments", "add", &id, "- item"]);
    let line = format!("\n  bd comments add {id} -- '- item'");
    assert!(error.contains(&line), "{error}");
    project.ok(&["comments", "add", &id, "--", "- item"]);
    assert!(project.ok(&["comments", "list", &id]).contains("- item"));
    project.ok(&["close", &id, "--reason", "- done"]);
}

#[test]
fn init_creates_a_project_only_once() {
    let project = Project::empty();
    assert!(
        project
            .ok(&["init", "--prefix", "api-"])
            .contains("initialized successfully")
    );
    assert!(
        project
            .read(".beads/config.yaml")
            .contains("issue-prefix: \"api\"")
    );
    assert!(project.read(".beads/.gitignore").contains("journal.jsonl"));
    assert!(!project.read(".beads/.gitignore").contains('!'));
    assert!(project.read(".beads/beads.db").contains("issues.jsonl"));
    let id = project.make("One", &[]);
    assert!(id.starts_with("api-"));
    let before = project.read(".beads/issues.jsonl");
    assert!(
        project
            .fails(&["init", "--prefix", "x"])
            .contains("already initialized")
    );
    project.ok(&[
        "init",
        "--prefix",
        "api",
        "--force",
        "--quiet",
        "--skip-hooks",
    ]);
    assert_eq!(project.read(".beads/issues.jsonl"), before);
}

#[test]
fn the_default_prefix_is_derived_from_the_folder_name() {
    let project = Project::empty();
    let odd = project.path("My Räre Project!");
    std::fs::create_dir(&odd).unwrap();
    assert_eq!(project.run_in(&odd, &["init"]).code, 0);
    let made = project.run_in(&odd, &["q", "One"]);
    assert!(made.out.starts_with("myrreproject-"), "{}", made.out);
    let bad = project.run(&["init", "--prefix", "a b"]);
    assert!(bad.code != 0 && bad.err.contains("invalid prefix"));
}

#[test]
fn init_is_refused_inside_beads_and_in_a_linked_worktree() {
    let project = Project::new();
    let inside = project.run_in(&project.path(".beads"), &["init"]);
    assert!(inside.err.contains(".beads directory"), "{}", inside.err);
    let main = Project::empty();
    let git = |dir: &std::path::Path, args: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@e"])
            .args(args)
            .current_dir(dir)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&main.dir(), &["init", "-q", "."]);
    git(&main.dir(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&main.dir(), &["worktree", "add", "-q", "../tree"]);
    let tree = main.dir().join("../tree");
    let refused = main.run_in(&tree, &["init"]);
    assert!(
        refused.code != 0 && refused.err.contains("git worktree"),
        "{}",
        refused.err
    );
    main.ok(&["init", "--prefix", "m"]);
    let made = main.run_in(&tree, &["q", "From the worktree"]);
    assert!(main.read(".beads/issues.jsonl").contains(made.out.trim()));
}

#[test]
fn a_new_bead_has_the_given_fields() {
    let project = Project::new();
    let bead = project.json(&[
        "create",
        "Fix login",
        "-p",
        "P1",
        "-t",
        "bug",
        "-d",
        "text",
        "--design",
        "d",
        "--acceptance",
        "a",
        "--notes",
        "quote \" and\nline é",
        "-a",
        "dana",
        "-l",
        "b,a",
        "--labels",
        "c",
        "--external-ref",
        "gh-1",
        "-e",
        "90",
        "--due",
        "2026-05-01",
        "--metadata",
        r#"{"k":1}"#,
        "--spec-id",
        "s.md",
    ]);
    let shown = project.shown(bead["id"].as_str().unwrap());
    for (key, wanted) in [
        ("title", "Fix login"),
        ("description", "text"),
        ("design", "d"),
        ("acceptance_criteria", "a"),
        ("notes", "quote \" and\nline é"),
        ("issue_type", "bug"),
        ("assignee", "dana"),
        ("external_ref", "gh-1"),
        ("created_by", "tester"),
        ("owner", "tester@example.com"),
        ("status", "open"),
    ] {
        assert_eq!(shown[key], wanted, "{key}");
    }
    assert_eq!(shown["priority"], 1);
    assert_eq!(shown["estimated_minutes"], 90);
    assert_eq!(shown["labels"], serde_json::json!(["a", "b", "c"]));
    assert_eq!(shown["metadata"], serde_json::json!({"k": 1}));
    let text = project.ok(&["create", "Plain", "-d", "x"]);
    assert!(
        text.contains("Created issue: bd-") && text.contains("Priority: P2"),
        "{text}"
    );
}

#[test]
fn invalid_values_are_refused_and_nothing_is_written() {
    let project = Project::new();
    for (args, words) in [
        (&["create", ""][..], "title is required"),
        (&["create"], "title required"),
        (&["create", "T", "-t", "bogus"], "invalid issue type"),
        (&["create", "T", "-t", "BUG"], "invalid issue type"),
        (&["create", "T", "--priority", "99"], "invalid priority"),
        (&["create", "T", "--priority", "soon"], "invalid priority"),
        (
            &["create", "T", "--estimate", "-5"],
            "estimate must be a non-negative",
        ),
        (
            &["create", "T", "--due", "not-a-date"],
            "invalid --due format",
        ),
        (&["create", "T", "--metadata", "{bad"], "must be valid JSON"),
        (
            &["create", "T", "--title", "U"],
            "cannot specify different titles",
        ),
        (&["create", "T", "--id", "nohyphen"], "invalid ID format"),
        (&["create", "T", "--id", "zz-abc"], "prefix mismatch"),
        (
            &["create", "T", "--parent", "bd-none"],
            "parent issue bd-none not found",
        ),
        (
            &["create", "T", "--agent-rig", "x"],
            "requires --type=agent",
        ),
        (&["create", "T", "--rig", "x"], "not found in routes.jsonl"),
    ] {
        let error = project.fails(args);
        assert!(error.contains(words), "{args:?}: {error}");
    }
    let long = "語".repeat(300);
    assert!(
        project
            .fails(&["create", &long])
            .contains("500 characters or less")
    );
    assert_eq!(project.read(".beads/issues.jsonl"), "");
    assert_eq!(project.make("Same", &["--title", "Same"]).len(), 6);
}

#[test]
fn titles_that_look_like_flags_are_accepted() {
    let project = Project::new();
    let made = project.json(&["create", "--body", "b", "--title=--help"]);
    assert_eq!(made["title"], "--help");
    let ran = project.run(&["create", "--json", "--", "--json"]);
    assert!(ran.out.contains("\"title\": \"--json\""), "{}", ran.out);
}

#[test]
fn kinds_come_from_the_settings_and_have_aliases() {
    let project = Project::new();
    project.ok(&["config", "set", "types.custom", "agent,convoy"]);
    assert_eq!(
        project.json(&["create", "A", "-t", "agent"])["issue_type"],
        "agent"
    );
    assert_eq!(
        project.json(&["create", "F", "-t", "FEAT"])["issue_type"],
        "feature"
    );
    assert_eq!(project.json(&["types"])["custom_types"][0], "agent");
}

#[test]
fn an_explicit_id_needs_the_prefix_or_force() {
    let project = Project::new();
    project.ok(&["config", "set", "allowed_prefixes", "hq,hq-cv-"]);
    assert_eq!(project.make("A", &["--id", "hq-cv-test"]), "hq-cv-test");
    assert_eq!(
        project.make("B", &["--id", "gt-rig-polecat-nux", "--force"]),
        "gt-rig-polecat-nux"
    );
    assert!(
        project
            .fails(&["create", "A", "--id", "hq-cv-test"])
            .contains("already exists")
    );
    project.ok(&["delete", "hq-cv-test", "--force"]);
    assert_eq!(project.make("Again", &["--id", "hq-cv-test"]), "hq-cv-test");
    assert_eq!(project.shown("hq-cv-test")["title"], "Again");
}

#[test]
fn failed_edges_are_warnings_and_the_bead_is_still_created() {
    let project = Project::new();
    let a = project.make("A", &[]);
    let ran = project.run(&[
        "create",
        "B",
        "--deps",
        &format!("{a},blocks:bd-none"),
        "--silent",
    ]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("bd-none"), "{}", ran.err);
    let b = project.shown(ran.out.trim());
    assert_eq!(ids(&b["dependencies"]), [a.as_str()]);
    let child = project.make("C", &["--parent", &a]);
    assert_eq!(child, format!("{a}.1"));
    assert_eq!(project.shown(&child)["parent"], a.as_str());
}

#[test]
fn bd_q_prints_only_the_id() {
    let project = Project::new();
    let out = project.ok(&["q", "Fix", "the", "thing", "-p", "0", "--json"]);
    assert_eq!(out.lines().count(), 1);
    let bead = project.shown(out.trim());
    assert_eq!(
        (bead["title"].as_str(), bead["priority"].as_i64()),
        (Some("Fix the thing"), Some(0))
    );
}

#[test]
fn a_dry_run_creates_nothing() {
    let project = Project::new();
    assert_eq!(project.json(&["create", "T", "--dry-run"])["id"], "");
    assert_eq!(project.read(".beads/issues.jsonl"), "");
}

#[test]
fn a_create_without_a_required_description_is_refused() {
    let project = Project::new();
    project.ok(&["config", "set", "create.require-description", "true"]);
    assert!(
        project
            .fails(&["create", "T"])
            .contains("description is required")
    );
    project.ok(&["create", "T", "-d", "why"]);
}

#[test]
fn a_markdown_file_creates_its_beads_in_one_transaction() {
    let project = Project::new();
    project.write(
        "plan.md",
        "## First\nWhat it is about\n### Priority\n0\n## Second\n### Type\nbug\n### Labels\nx, y\n",
    );
    let made = project.json(&["create", "--file", "plan.md"]);
    assert_eq!(made[0]["title"], "First");
    assert_eq!(
        (&made[1]["issue_type"], &made[1]["labels"][1]),
        (&"bug".into(), &"y".into())
    );
    let activity = project.json(&["activity"]);
    assert_eq!(activity[0]["event"], activity[1]["event"]);
    assert!(
        project
            .fails(&["create", "--file", "../x.md"])
            .contains("no Markdown file")
    );
    project.write("bad.md", "## Bad\n### Priority\nurgent\n");
    let bad = project.run(&["create", "--file", "bad.md"]);
    assert_eq!((bad.code, bad.out.as_str()), (1, ""), "{}", bad.err);
}

#[test]
fn labels_are_trimmed() {
    let project = Project::new();
    let id = project.make("T", &["-l", "a, b ,a"]);
    project.ok(&["label", "add", &id, " c "]);
    assert_eq!(
        project.shown(&id)["labels"],
        serde_json::json!(["a", "b", "c"])
    );
    let found = project.json(&["ready", "-l", "a, b"]);
    assert_eq!(found[0]["id"], id.as_str());
}

#[test]
fn a_markdown_file_is_kept_whole_and_failed_beads_are_named() {
    let project = Project::new();
    let text = "## Kept\nIntro\n### Steps\n1. step\n```\n## no bead\n### Design\n```\n### Design\nplan\n\
                ## Bad\n### Priority\nurgent\n## Good\n";
    project.write("plan.md", text);
    let made = project.run(&["--json", "create", "--file", "plan.md"]);
    let beads: serde_json::Value = serde_json::from_str(&made.out).unwrap();
    let titles: Vec<_> = beads
        .as_array()
        .unwrap()
        .iter()
        .map(|bead| &bead["title"])
        .collect();
    assert_eq!(titles, ["Kept", "Good"]);
    let description = "Intro\n### Steps\n1. step\n```\n## no bead\n### Design\n```";
    assert_eq!(beads[0]["description"], description);
    assert_eq!(beads[0]["design"], "plan");
    let told = made.err.contains("creating \"Bad\"") && made.err.contains("invalid priority");
    assert!(told, "{}", made.err);
}

#[test]
fn a_plan_is_created_completely_or_not_at_all() {
    let project = Project::new();
    let plan = r#"{"nodes":[{"key":"e","title":"Epic","type":"epic"},{"key":"t","title":"Task","parent_key":"e"},{"key":"u","title":"Next"}],"edges":[{"from_key":"u","to_key":"t"}]}"#;
    project.write("plan.json", plan);
    let made = project.json(&["create", "--graph", "plan.json"]);
    let id = |key: &str| made["ids"][key].as_str().unwrap().to_owned();
    assert_eq!(id("t"), format!("{}.1", id("e")));
    let blocked = project.json(&["blocked"]);
    assert_eq!(blocked[0]["blocked_by"][0].as_str(), Some(id("t").as_str()));
    let before = project.read(".beads/issues.jsonl");
    project.write(
        "bad.json",
        &plan.replace("\"to_key\":\"t\"", "\"to_key\":\"q\""),
    );
    let said = project.fails(&["create", "--graph", "bad.json"]);
    assert!(said.contains("\"q\""), "{said}");
    assert_eq!(project.read(".beads/issues.jsonl"), before);
}

#[test]
fn the_nodes_of_a_plan_name_what_they_wait_for_and_unknown_keys_are_refused() {
    let project = Project::new();
    let there = project.make("There", &[]);
    let plan = format!(
        r#"{{"nodes":[{{"key":"a","title":"A","depends_on":["{there}"],"blocks":["b"]}},{{"key":"b","title":"B"}},{{"key":"c","title":"C","needs":["a"]}}]}}"#
    );
    project.write("plan.json", &plan);
    let made = project.json(&["create", "--graph", "plan.json"]);
    let id = |key: &str| made["ids"][key].as_str().unwrap().to_owned();
    let blocked = project.json(&["blocked"]);
    let blockers = |id: &str| {
        let beads = blocked.as_array().unwrap().iter();
        let mut found = beads.filter(|bead| bead["id"] == id);
        found.next().unwrap()["blocked_by"].clone()
    };
    assert_eq!(blockers(&id("a")), serde_json::json!([there]));
    assert_eq!(blockers(&id("b")), serde_json::json!([id("a")]));
    assert_eq!(blockers(&id("c")), serde_json::json!([id("a")]));
    let before = project.read(".beads/issues.jsonl");
    project.write("bad.json", &plan.replace("needs", "depnds_on"));
    let said = project.fails(&["create", "--graph", "bad.json"]);
    let is_named = said.contains("unknown field `depnds_on`") && said.contains("`depends_on`");
    assert!(is_named && said.contains("line 1"), "{said}");
    assert_eq!(project.read(".beads/issues.jsonl"), before);
}
