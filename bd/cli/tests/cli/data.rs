//! Commands that move beads in and out: `export`, `import`, `info`, `init` over beads, `BEADS_DB`.

use serde_json::json;

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
    assert!(error.contains("refusing to overwrite"), "{error}");
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
            "prefix mismatch: this project uses 'bd-' but found 2 beads with prefixes: web-"
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
    assert!(project.ok(&["info"]).contains("Count:  1 bead\n"));
    assert_eq!(Project::empty().run(&["info"]).code, 1);
}

#[test]
fn init_uses_the_beads_of_a_clone_and_a_second_init_is_refused() {
    let project = Project::empty();
    project.write(".beads/issues.jsonl", &OTHER.replace("bd-", "web-"));
    let said = project.ok(&["init"]);
    assert!(said.contains("2 beads found here and used"), "{said}");
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

/// A bead of another tracker: comments with text ids, an edge whose metadata is an object, elements
/// of other types.
const FOREIGN_LISTS: &str = concat!(
    r#"{"id":"bd-a","title":"A","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","#,
    r#""labels":["one",7],"#,
    r#""dependencies":[{"issue_id":"bd-a","depends_on_id":"bd-b","type":"blocks","created_at":"2026-01-01T00:00:00Z","metadata":{"why":"x"}},[1.50]],"#,
    r#""comments":[{"id":"0b8f-11","issue_id":"bd-a","author":"dana","text":"First","created_at":"2026-01-02T00:00:00Z"},{"text":5}]}"#,
);

#[test]
fn list_elements_of_other_programs_hide_no_others_and_survive_changes() {
    let project = Project::new();
    project.ok(&["create", "B", "--id", "bd-b", "--force"]);
    let issues = project.read(".beads/issues.jsonl");
    project.write(".beads/issues.jsonl", &format!("{FOREIGN_LISTS}\n{issues}"));
    // All that is understood is shown: the bead is blocked.
    let ready = project.json(&["ready"]);
    assert_eq!(super::ids(&ready), ["bd-b"]);
    assert!(project.ok(&["comments", "bd-a"]).contains("First"));
    project.ok(&["comments", "add", "bd-a", "Second"]);
    project.ok(&["create", "C", "--id", "bd-c", "--force"]);
    project.ok(&["dep", "add", "bd-a", "bd-c"]);
    project.ok(&["label", "add", "bd-a", "two"]);
    let bead = project.shown("bd-a");
    assert_eq!(bead["labels"], json!(["one", 7, "two"]));
    let text = project.read(".beads/issues.jsonl");
    for kept in [
        r#""id":"0b8f-11""#,
        r#""metadata":{"why":"x"}"#,
        "[1.50]",
        r#"{"text":5}"#,
        r#""text":"Second""#,
    ] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
    project.ok(&["undo"]);
    assert_eq!(project.shown("bd-a")["labels"], json!(["one", 7]));
    let text = project.read(".beads/issues.jsonl");
    assert!(
        text.contains(r#""metadata":{"why":"x"}"#) && text.contains("[1.50]"),
        "{text}"
    );
    let doctor = project.run(&["doctor"]).out;
    assert!(
        doctor.contains("3 values of the wrong type, which count as absent"),
        "{doctor}"
    );
    assert!(doctor.contains("bd-a: 7 in labels"), "{doctor}");
}

#[test]
fn a_merge_keeps_list_elements_of_other_programs() {
    let project = Project::empty();
    let ours = FOREIGN_LISTS
        .replace(r#"["one",7]"#, r#"["one",7,8]"#)
        .replace(r#","text":"First""#, r#","text":"Edited""#);
    let theirs = FOREIGN_LISTS
        .replace(r#",{"text":5}]"#, r#",{"id":"0b8f-22","author":"kim","text":"Theirs","created_at":"2026-01-03T00:00:00Z"}]"#)
        .replace("[1.50]", "[1.50],null")
        .replace(r#"["one",7]"#, r#"["one",7,"two"]"#);
    for (name, text) in [
        ("base", FOREIGN_LISTS),
        ("ours", &ours),
        ("theirs", &theirs),
    ] {
        project.write(name, &format!("{text}\n"));
    }
    project.ok(&["merge", "out", "base", "ours", "theirs"]);
    let out = project.read("out");
    let merged: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(merged["labels"], json!(["one", "two", 7, 8]));
    assert_eq!(merged["dependencies"].as_array().unwrap().len(), 3);
    let comments: Vec<&str> = merged["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|comment| comment["id"].as_str().unwrap())
        .collect();
    assert_eq!(comments, ["0b8f-11", "0b8f-22"]);
    assert_eq!(merged["comments"][0]["text"], "Edited");
    assert!(out.contains("[1.50]"), "{out}");
}

#[test]
fn a_merge_keeps_equal_list_elements_of_other_programs_apart() {
    let project = Project::empty();
    for (name, labels) in [
        ("base", r#""one",7,7"#),
        ("ours", r#""one","a",7,7"#),
        ("theirs", r#""b","one",7,7,7"#),
    ] {
        let line = format!("{{\"id\":\"x-1\",\"title\":\"T\",\"labels\":[{labels}]}}\n");
        project.write(name, &line);
    }
    project.ok(&["merge", "out", "base", "ours", "theirs"]);
    let merged: serde_json::Value = serde_json::from_str(&project.read("out")).unwrap();
    assert_eq!(merged["labels"], json!(["a", "b", "one", 7, 7, 7]));
}

#[test]
fn a_rewritten_creation_time_does_not_split_a_bead() {
    let line = |created: &str, title: &str| {
        format!(
            r#"{{"id":"x-1","title":"{title}","status":"open","priority":2,"issue_type":"task","created_at":"{created}","updated_at":"{created}"}}"#
        ) + "\n"
    };
    let project = Project::empty();
    project.write("base", &line("2025-10-12T00:43:03Z", "T"));
    project.write("ours", &line("2025-10-14T14:43:06Z", "Ours"));
    project.write(
        "theirs",
        &line("2025-10-12T00:43:03Z", "T").replace(r#""priority":2"#, r#""priority":1"#),
    );
    project.write("none", "");
    project.write("exact", &line("2025-10-12T00:43:03.25Z", "T"));
    for sides in [
        ["base", "ours", "theirs"],
        ["base", "theirs", "ours"],
        ["none", "base", "exact"],
        ["none", "exact", "base"],
    ] {
        let mut args = vec!["merge", "out"];
        args.extend(sides);
        project.ok(&args);
        let out = project.read("out");
        assert_eq!(out.lines().count(), 1, "{sides:?}: {out}");
        let merged: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(merged["id"], "x-1");
        if sides[0] == "base" {
            assert_eq!(
                (&merged["title"], &merged["priority"]),
                (&json!("Ours"), &json!(1))
            );
        }
    }
}

/// Two beads whose ids differ only by their prefix, and a third that depends on the second.
fn beads_of_two_prefixes() -> String {
    let line = |id: &str, title: &str, more: &str| {
        format!(
            r#"{{"id":"{id}","title":"{title}","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T08:00:00Z","updated_at":"2026-01-01T08:00:00Z","created_by":"{title}"{more}}}"#
        ) + "\n"
    };
    let edge = r#","dependencies":[{"issue_id":"b-x2y","depends_on_id":"b-a1b","type":"blocks","created_at":"2026-01-01T08:00:00Z"}]"#;
    line("a-a1b", "First", "")
        + &line("b-a1b", "Second", "")
        + &line("b-a1b.1", "Child", "")
        + &line("b-x2y", "Third", edge)
}

fn check_no_bead_was_lost(project: &Project) {
    let found = project.json(&["list", "--all", "-n", "0"]);
    let mut titles: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|bead| bead["title"].as_str().unwrap())
        .collect();
    titles.sort_unstable();
    assert_eq!(titles, ["Child", "First", "Second", "Third"]);
    let by_title = |title: &str| {
        let beads = found.as_array().unwrap();
        let bead = beads.iter().find(|bead| bead["title"] == title).unwrap();
        bead["id"].as_str().unwrap().to_owned()
    };
    let (second, child) = (by_title("Second"), by_title("Child"));
    assert_eq!(by_title("First"), "bd-a1b");
    assert!(second.starts_with("bd-"), "{second}");
    assert_eq!(child, format!("{second}.1"));
    let third = project.shown(&by_title("Third"));
    assert_eq!(third["dependencies"][0]["id"], second.as_str(), "{third}");
}

#[test]
fn an_import_that_renames_keeps_beads_that_differ_only_by_prefix() {
    let project = Project::new();
    project.write("in.jsonl", &beads_of_two_prefixes());
    project.ok(&["import", "in.jsonl", "--rename-on-import"]);
    check_no_bead_was_lost(&project);
    let again = project.json(&["import", "in.jsonl", "--rename-on-import"]);
    assert_eq!(again["created"], 0, "{again}");
}

#[test]
fn a_new_prefix_keeps_types_of_other_trackers() {
    let project = Project::empty();
    project.ok(&["init", "-p", "old"]);
    project.write(
        "in.jsonl",
        "{\"id\":\"old-a1\",\"title\":\"S\",\"issue_type\":\"story\",\"priority\":2,\"created_at\":\"2026-01-01T00:00:00Z\"}\n",
    );
    project.ok(&["import", "in.jsonl"]);
    project.ok(&["rename-prefix", "my-big-proj"]);
    assert_eq!(project.shown("my-big-proj-a1")["issue_type"], "story");
}

#[test]
fn a_new_prefix_keeps_beads_that_differ_only_by_prefix() {
    let project = Project::empty();
    project.ok(&["init", "-p", "a"]);
    project.write("in.jsonl", &beads_of_two_prefixes());
    project.ok(&["import", "in.jsonl", "--force"]);
    project.ok(&["rename-prefix", "bd", "--repair"]);
    check_no_bead_was_lost(&project);
}

#[test]
fn a_rename_that_was_killed_before_it_set_the_prefix_can_be_repeated() {
    let project = Project::empty();
    project.ok(&["init", "-p", "old"]);
    let id = project.make("T", &[]);
    project.ok(&["rename-prefix", "new"]);
    project.ok(&["config", "set", "issue-prefix", "old"]);
    let other = project.make("U", &[]);
    project.ok(&["rename-prefix", "new"]);
    let mut expected = [id, other].map(|id| id.replace("old-", "new-"));
    expected.sort();
    let found = project.json(&["list"]);
    let mut found = ids(&found);
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn two_beads_made_under_the_id_of_a_deleted_bead_both_survive() {
    let line = |title: &str, by: &str, more: &str| {
        format!(
            r#"{{"id":"x-t","title":"{title}","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-0{by}T00:00:00Z","updated_at":"2026-01-0{by}T00:00:00Z","created_by":"{by}"{more}}}"#
        ) + "\n"
    };
    let project = Project::empty();
    let gone = line("Gone", "1", r#","deleted_at":"2026-01-02T00:00:00Z""#);
    project.write(
        "base",
        &gone.replace(r#""status":"open""#, r#""status":"tombstone""#),
    );
    project.write("ours", &line("Left", "3", ""));
    project.write("theirs", &line("Right", "4", ""));
    project.ok(&["merge", "out", "base", "ours", "theirs"]);
    let out = project.read("out");
    assert!(out.contains("Left") && out.contains("Right"), "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
}

#[test]
fn a_prefix_can_become_a_part_of_the_old_one_and_grow_again() {
    let project = Project::empty();
    project.ok(&["init", "-p", "my-app"]);
    let hash = project.make("T", &[]).replace("my-app-", "");
    project.ok(&["create", "U", "--id", "my-app-word", "--force"]);
    for prefix in ["my", "my-app"] {
        project.ok(&["rename-prefix", prefix]);
        let found = project.json(&["list"]);
        let mut found = ids(&found);
        found.sort_unstable();
        let mut expected = [format!("{prefix}-{hash}"), format!("{prefix}-word")];
        expected.sort();
        assert_eq!(found, expected);
    }
}

#[test]
fn an_import_does_not_take_a_bead_of_another_project_for_its_own() {
    let line = |id: &str, title: &str, updated: &str| {
        format!(
            r#"{{"id":"{id}","title":"{title}","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T08:00:00Z","updated_at":"{updated}"}}"#
        ) + "\n"
    };
    let project = Project::new();
    project.write("x.jsonl", &line("x-1", "X one", "2026-01-01T08:00:00Z"));
    project.write("y.jsonl", &line("y-1", "Y one", "2026-01-02T08:00:00Z"));
    for file in ["x.jsonl", "y.jsonl", "y.jsonl"] {
        project.ok(&["import", file, "--rename-on-import"]);
    }
    let found = project.json(&["list"]);
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
}

#[test]
fn a_new_prefix_spares_the_ids_of_archived_beads() {
    let project = Project::empty();
    project.ok(&["init", "-p", "old"]);
    let long_ago = [("BD_NOW", "2020-01-01T00:00:00Z")];
    for args in [
        &["create", "Archived", "--id", "old-a1b"][..],
        &["close", "old-a1b"],
    ] {
        assert_eq!(project.run_with(&long_ago, args).code, 0);
    }
    project.ok(&["compact"]);
    project.ok(&["rename-prefix", "new"]);
    project.ok(&["create", "Live", "--id", "new-a1b"]);
    project.ok(&["rename-prefix", "old"]);
    let found = project.json(&["list"]);
    let found = ids(&found);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("old-") && found[0] != "old-a1b",
        "{found:?}"
    );
}

#[test]
fn a_prefix_changes_beside_other_writers_without_leaving_the_old_one() {
    let project = Project::new();
    project.make("First", &[]);
    let writers = std::thread::scope(|scope| {
        let write = |writer: usize| {
            let project = &project;
            move || {
                for number in 0..12 {
                    project.make(&format!("{writer} {number}"), &[]);
                }
            }
        };
        let threads: Vec<_> = (0..3).map(|writer| scope.spawn(write(writer))).collect();
        project.ok(&["rename-prefix", "new"]);
        threads
            .into_iter()
            .map(|thread| thread.join().is_ok())
            .collect::<Vec<_>>()
    });
    assert_eq!(writers, [true; 3]);
    let issues = project.read(".beads/issues.jsonl");
    let ids = issues.lines().map(|line| line.split('"').nth(3).unwrap());
    let others: Vec<&str> = ids.filter(|id| !id.starts_with("new-")).collect();
    assert!(others.is_empty(), "{others:?}");
    assert_eq!(issues.lines().count(), 37);
}

#[test]
fn metadata_that_is_no_object_keeps_its_content_when_a_key_is_set() {
    let project = Project::new();
    let id = project.make("Text", &["--metadata", "\"text\""]);
    project.ok(&["update", &id, "--set-metadata", "k=v"]);
    let metadata = &project.shown(&id)["metadata"];
    assert_eq!(metadata, &serde_json::json!({"value": "text", "k": "v"}));
}
