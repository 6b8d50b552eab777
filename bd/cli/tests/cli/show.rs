//! `bd show`.

use super::{Project, ids};

#[test]
fn times_in_text_are_local_and_name_their_zone() {
    let project = Project::new();
    let tokyo = [("TZ", "Asia/Tokyo")];
    let create = ["create", "T", "--due", "2026-12-05", "--silent"];
    let id = project.run_with(&tokyo, &create).out.trim().to_owned();
    project.ok(&["comment", &id, "seen"]);
    let shown = project.run_with(&tokyo, &["show", &id]).out;
    assert!(shown.contains("Due: 2026-12-05"), "{shown}");
    for command in [
        &["show", &id][..],
        &["comments", &id],
        &["history", &id],
        &["activity"],
    ] {
        let text = project.run_with(&tokyo, command).out;
        assert!(text.contains(" JST"), "{command:?}: {text}");
    }
    let due = project.shown(&id)["due_at"].as_str().unwrap().to_owned();
    assert!(due.starts_with("2026-12-04T15:00:00"), "{due}");
}

#[test]
fn show_prints_everything_about_a_bead() {
    let project = Project::new();
    let (a, b) = (
        project.make("Alpha", &["-d", "long text"]),
        project.make("Beta", &[]),
    );
    let child = project.make("Child", &["--parent", &a]);
    project.ok(&["dep", "add", &a, &b]);
    project.ok(&["comment", &a, "seen on staging"]);
    let bead = project.shown(&a);
    assert_eq!(bead["dependencies"][0]["dependency_type"], "blocks");
    assert_eq!(bead["dependencies"][0]["title"], "Beta");
    assert_eq!(
        (
            bead["dependents"][0]["id"].as_str(),
            bead["dependents"][0]["dependency_type"].as_str()
        ),
        (Some(child.as_str()), Some("parent-child"))
    );
    assert_eq!(bead["comments"][0]["text"], "seen on staging");
    assert_eq!(project.shown(&child)["parent"], a.as_str());
    let text = project.ok(&["show", &a]);
    for words in [
        "Alpha",
        "DESCRIPTION",
        "long text",
        "DEPENDS ON",
        "CHILDREN",
        "COMMENTS",
        "Owner: tester",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(
        ids(&project.json(&["show", &a, "--children"])[&a]),
        [child.as_str()]
    );
    assert_eq!(
        project.json(&["show", &b, "--children"])[&b],
        serde_json::json!([])
    );
    assert_eq!(
        ids(&project.json(&["show", &b, "--refs"])[&b]),
        [a.as_str()]
    );
    assert_eq!(project.ok(&["show", &a, "--short"]).lines().count(), 1);
}

#[test]
fn partial_ids_are_resolved_and_ambiguous_ones_are_reported() {
    let project = Project::new();
    project.write(
        ".beads/issues.jsonl",
        "{\"id\":\"bd-a3f8\",\"title\":\"Parent\",\"priority\":1}\n{\"id\":\"bd-a3f8.1\",\"title\":\"Child\",\"priority\":1}\n{\"id\":\"other-9xa3\",\"title\":\"Other\",\"priority\":1}\n",
    );
    assert_eq!(project.shown("a3f8")["title"], "Parent");
    assert_eq!(project.shown("bd-a3f8")["title"], "Parent");
    assert_eq!(project.shown("9x")["title"], "Other");
    // With the prefix only from the beginning on.
    project.ok(&["config", "set", "issue-prefix", "bd"]);
    assert_eq!(project.shown("bd-a3f8.")["title"], "Child");
    let error = project.fails(&["show", "bd-3f8"]);
    assert!(error.contains("no issue found"), "{error}");
    let error = project.fails(&["show", "a3"]);
    assert!(
        error.contains("ambiguous ID \"a3\" matches 3 issues"),
        "{error}"
    );
}

#[test]
fn unknown_ids_are_reported_and_known_ones_are_still_shown() {
    let project = Project::new();
    let id = project.make("T", &[]);
    assert!(project.fails(&["show"]).contains("issue ID is required"));
    let none = project.run(&["show", "bd-none"]);
    assert!(
        none.code == 1
            && none.out.is_empty()
            && none.err.contains("no issue found matching \"bd-none\""),
        "{}",
        none.err
    );
    let some = project.run(&["show", "bd-none", &id, "--json"]);
    assert_eq!(some.code, 1);
    assert!(some.err.contains("no issue found"));
    assert_eq!(
        ids(&serde_json::from_str(&some.out).unwrap()),
        [id.as_str()]
    );
    let flag_like = project.run(&["show", "--id", &id, "--short"]);
    assert_eq!(flag_like.code, 0);
}

#[test]
fn an_error_with_json_is_an_object_on_both_streams() {
    let project = Project::new();
    let ran = project.run(&["show", "bd-none", "--json"]);
    for text in [&ran.out, &ran.err] {
        let object: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(object["code"], "not_found");
        assert!(object["error"].as_str().unwrap().contains("no issue found"));
    }
}
