//! Commands that move beads in and out: `export`, `import`, `info`, `init` over beads, `BEADS_DB`.

use super::{Project, ids};

const OTHER: &str = concat!(
    r#"{"id":"bd-a1b","title":"One","status":"open","priority":1,"issue_type":"bug","created_at":"2026-01-01T08:00:00Z","updated_at":"2026-01-02T08:00:00Z","zz":1.50,"labels":["x"]}"#,
    "\n",
    r#"{"id":"bd-c3d","title":"Two","status":"closed","priority":2,"issue_type":"task","created_at":"2026-01-01T08:00:00Z","updated_at":"2026-01-02T08:00:00Z","closed_at":"2026-01-02T08:00:00Z","dependencies":[{"issue_id":"bd-c3d","depends_on_id":"bd-none","type":"blocks","created_at":"2026-01-01T08:00:00Z"}]}"#,
    "\n",
);

#[test]
fn an_export_can_be_imported_and_a_second_import_changes_nothing() {
    let project = Project::new();
    project.write("in.jsonl", OTHER);
    let ran = project.run(&["import", "in.jsonl"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(
        ran.err
            .contains("Import complete: 2 created, 0 updated, 0 unchanged, 0 skipped"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("bd-c3d depends on bd-none"), "{}", ran.err);
    let again = project.json(&["import", "-i", "in.jsonl"]);
    assert_eq!(
        (&again["created"], &again["unchanged"]),
        (&0.into(), &2.into())
    );
    let out = project.ok(&["export"]);
    assert!(out.contains(r#""zz":1.50"#), "{out}");
    assert_eq!(out, project.read(".beads/issues.jsonl"));
    assert_eq!(
        project
            .ok(&["export", "--status", "closed"])
            .lines()
            .count(),
        1
    );
    let said = project.json(&["export", "-o", "out.jsonl"]);
    assert_eq!(said["exported"], 2);
    assert_eq!(project.read("out.jsonl"), out);
    project.write("more.jsonl", &out.replace("bd-a1b", "bd-z9z"));
    let error = project.fails(&["export", "-o", "more.jsonl"]);
    assert!(
        error.contains("refusing to export stale database that would lose issues"),
        "{error}"
    );
    project.ok(&["export", "-o", "more.jsonl", "--force"]);
    assert_eq!(project.read("more.jsonl"), out);
}

#[test]
fn a_newer_record_is_imported_and_an_older_one_is_not() {
    let project = Project::new();
    project.write("in.jsonl", OTHER);
    project.ok(&["import", "in.jsonl"]);
    let newer = OTHER.replace("\"One\"", "\"New\"");
    project.write("in.jsonl", &newer);
    project.ok(&["import", "in.jsonl"]);
    assert_eq!(project.shown("bd-a1b")["title"], "One");
    let newer = newer.replace("2026-01-02T08", "2026-01-03T08");
    project.write("in.jsonl", &newer);
    assert_eq!(
        project.json(&["import", "in.jsonl", "--dry-run"])["updated"],
        1
    );
    assert_eq!(project.shown("bd-a1b")["title"], "One");
    project.ok(&["import", "in.jsonl", "--skip-existing"]);
    assert_eq!(project.shown("bd-a1b")["title"], "One");
    project.ok(&["import", "in.jsonl"]);
    assert_eq!(project.shown("bd-a1b")["title"], "New");
    // A deleted bead stays deleted.
    project.ok(&["delete", "bd-a1b", "--force"]);
    project.write("in.jsonl", &newer.replace("2026-01-03T08", "2030-01-03T08"));
    assert_eq!(project.json(&["import", "in.jsonl"])["skipped"], 1);
    assert!(
        project
            .fails(&["import", "none.jsonl"])
            .contains("none.jsonl")
    );
}

#[test]
fn beads_of_another_prefix_are_refused_renamed_or_kept() {
    let project = Project::new();
    project.write("in.jsonl", &OTHER.replace("bd-", "web-"));
    let error = project.fails(&["import", "in.jsonl"]);
    assert!(
        error.contains(
            "prefix mismatch detected: database uses 'bd-' but found 2 issues with prefixes: web-"
        ),
        "{error}"
    );
    project.ok(&["import", "in.jsonl", "--rename-on-import"]);
    assert_eq!(ids(&project.json(&["list", "--all"])), ["bd-a1b", "bd-c3d"]);
    project.ok(&["import", "in.jsonl", "--force"]);
    assert_eq!(
        project.json(&["list", "--all"]).as_array().unwrap().len(),
        4
    );
}

#[test]
fn info_describes_the_project() {
    let project = Project::new();
    project.make("One", &[]);
    let info = project.json(&["info", "--schema"]);
    assert_eq!(
        (&info["issue_count"], &info["mode"]),
        (&1.into(), &"direct".into())
    );
    assert_eq!(info["schema"]["detected_prefix"], "bd");
    assert!(project.ok(&["info"]).contains("Count:  1 issue\n"));
    assert_eq!(Project::empty().run(&["info"]).code, 1);
}

#[test]
fn init_uses_the_beads_of_a_clone_and_a_second_init_is_refused() {
    let project = Project::empty();
    project.write(".beads/issues.jsonl", &OTHER.replace("bd-", "web-"));
    let said = project.ok(&["init"]);
    assert!(said.contains("2 issues found here and used"), "{said}");
    assert!(project.make("New", &[]).starts_with("web-"));
    let error = project.fails(&["init"]);
    assert!(error.contains("already initialized"), "{error}");
    assert_eq!(
        project.json(&["list", "--all"]).as_array().unwrap().len(),
        3
    );
}

#[test]
fn each_file_that_beads_db_names_has_its_own_beads() {
    let project = Project::empty();
    std::fs::create_dir(project.path("data")).unwrap();
    project.write("data/notes.txt", "mine");
    for name in ["one", "two"] {
        let file = project
            .path(&format!("data/{name}.db"))
            .display()
            .to_string();
        let env = [("BEADS_DB", file.as_str())];
        assert_eq!(project.run_with(&env, &["init", "--prefix", name]).code, 0);
        let made = project.run_with(&env, &["q", "T"]);
        assert!(
            made.out.starts_with(&format!("{name}-")),
            "{}{}",
            made.out,
            made.err
        );
        let list = project.run_with(&env, &["list", "--json"]);
        assert_eq!(list.out.matches("\"id\"").count(), 1, "{}", list.out);
    }
    let names = std::fs::read_dir(project.path("data")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["notes.txt", "one.db.beads", "two.db.beads"]);
}

#[test]
fn switches_accept_the_boolean_values_that_clients_write() {
    let project = Project::new();
    let id = project.make("One", &[]);
    for (args, is_json) in [
        (&["list", "--json=true"][..], true),
        (&["--json=1", "list"], true),
        (&["list", "--json=false"], false),
        (&["list", "--json", "--json=false"], false),
        (&["list", "--no-daemon=true", "--all=T", "--json=t"], true),
        (&["dep", "list", &id, "--json=TRUE"], true),
    ] {
        let out = project.ok(args);
        let parsed = serde_json::from_str::<serde_json::Value>(&out);
        assert_eq!(parsed.is_ok(), is_json, "{args:?}: {out}");
    }
    project.ok(&["create", "--title", "--json=true", "--silent=true"]);
    assert!(project.ok(&["list"]).contains("--json=true"));
    project.ok(&["create", "--", "--json=false"]);
    assert!(project.ok(&["list"]).contains("--json=false"));
    assert_eq!(project.run(&["list", "--nosuch=true"]).code, 1);
    assert_eq!(project.run(&["list", "--json=maybe"]).code, 1);
}
