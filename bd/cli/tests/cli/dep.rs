//! `bd dep`.

use super::{Project, ids};

#[test]
fn a_custom_kind_is_accepted_with_a_note_that_it_blocks_nothing() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    let said = project.run(&["dep", "add", &a, &b, "--type", "blokcs"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let remark = "`blokcs` is a kind of edge of your own: it holds nothing up";
    assert!(said.err.contains(remark), "{}", said.err);
    let edge = format!("blokcs:{b}");
    let made = project.run(&["create", "C", "-d", "x", "--deps", &edge]);
    assert!(made.err.contains(remark), "{}", made.err);
    let usual = project.run(&["dep", "add", &b, "external:other:thing"]);
    assert_eq!(usual.err, "");
}

#[test]
fn edges_are_added_listed_and_removed() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    let added = project.json(&["dep", "add", &a, &b, "--type", "tracks"]);
    assert_eq!(
        added,
        serde_json::json!({"status": "added", "issue_id": a, "depends_on_id": b, "type": "tracks"})
    );
    let down = project.json(&["dep", "list", &a]);
    assert_eq!(
        (down[0]["id"].as_str(), down[0]["dependency_type"].as_str()),
        (Some(b.as_str()), Some("tracks"))
    );
    assert_eq!(
        ids(&project.json(&["dep", "list", &b, "--direction=up", "-t", "tracks"])),
        [a.as_str()]
    );
    assert_eq!(project.json(&["dep", "list", &b]), serde_json::json!([]));
    let removed = project.json(&["dep", "remove", &a, &b]);
    assert_eq!(removed["status"], "removed");
    assert!(
        project
            .fails(&["dep", "remove", &a, &b])
            .contains("does not exist")
    );
}

#[test]
fn the_short_form_names_the_blocker_and_the_blocked_bead() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    let added = project.json(&["dep", &a, "--blocks", &b]);
    assert_eq!(
        (added["blocker_id"].as_str(), added["blocked_id"].as_str()),
        (Some(a.as_str()), Some(b.as_str()))
    );
    assert_eq!(
        project.json(&["blocked"])[0]["blocked_by"],
        serde_json::json!([a])
    );
}

#[test]
fn impossible_edges_are_refused() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    let child = project.make("C", &["--parent", &a]);
    let epic = project.make("E", &["-t", "epic"]);
    project.ok(&["dep", "add", &a, &b]);
    for (args, words) in [
        (["add", &a, &a], "cannot depend on itself"),
        (["add", &b, &a], "would create a cycle"),
        (["add", &child, &a], "deadlock"),
        (
            ["add", &a, "bd-none"],
            "no issue found matching \"bd-none\"",
        ),
        (["add", "bd-none", &a], "no issue found"),
        (["add", &a, "external:x"], "external:<project>:<capability>"),
    ] {
        let words: &str = words;
        let error = project.fails(&[&["dep"], &args[..]].concat());
        if args[1] == child {
            assert!(error.contains("already"), "{error}");
        } else {
            assert!(error.contains(words), "{args:?}: {error}");
        }
    }
    let error = project.fails(&["dep", "add", &epic, &a, "-t", "parent-child"]);
    assert!(
        error.contains(&format!("bd dep add {a} {epic} --type parent-child")),
        "{error}"
    );
    assert_eq!(project.json(&["dep", "cycles"]), serde_json::json!([]));
}

#[test]
fn external_targets_need_not_exist_and_can_be_removed() {
    let project = Project::new();
    let a = project.make("A", &[]);
    project.ok(&["dep", "add", &a, "external:other:thing"]);
    // A project that cannot be read may not have delivered.
    assert!(ids(&project.json(&["ready"])).is_empty());
    assert_eq!(
        project.json(&["blocked"])[0]["blocked_by"][0],
        "external:other:thing"
    );
    project.ok(&["dep", "remove", &a, "external:other:thing"]);
    assert_eq!(ids(&project.json(&["ready"])), [a.as_str()]);
}

#[test]
fn a_capability_of_a_configured_project_blocks_until_it_is_shipped() {
    let (project, other) = (Project::new(), Project::new());
    let a = project.make("A", &[]);
    let thing = other.make("Thing", &["-l", "provides:thing"]);
    project.ok(&["dep", "add", &a, "external:other:thing"]);
    project.ok(&[
        "config",
        "set",
        "external_projects.other",
        other.dir().to_str().unwrap(),
    ]);
    assert_eq!(project.json(&["ready"]), serde_json::json!([]));
    assert!(
        project
            .ok(&["ready", "--explain"])
            .contains("external:other:thing")
    );
    other.ok(&["close", &thing]);
    assert_eq!(ids(&project.json(&["ready"])), [a.as_str()]);
    assert_eq!(project.json(&["blocked"]), serde_json::json!([]));
}

#[test]
fn the_tree_shows_each_bead_once() {
    let project = Project::new();
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|title| project.make(title, &[]));
    for (from, to) in [(&a, &b), (&a, &c), (&b, &d), (&c, &d)] {
        project.ok(&["dep", "add", from, to]);
    }
    let tree = project.json(&["dep", "tree", &a]);
    assert_eq!(tree.as_array().unwrap().len(), 4);
    assert_eq!(
        (tree[0]["depth"].as_i64(), tree[0]["parent_id"].as_str()),
        (Some(0), Some(a.as_str()))
    );
    assert_eq!(tree[3]["id"], d.as_str());
    let text = project.ok(&["dep", "tree", &a]);
    assert!(text.contains("├── ") && text.contains("└── "), "{text}");
    assert!(project.ok(&["dep", "tree", &d, "--reverse"]).contains(&a));
    assert_eq!(
        project
            .json(&["dep", "tree", &a, "-d", "1"])
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let both = project.json(&["dep", "tree", &b, "--direction", "both"]);
    assert_eq!(ids(&both), [b.as_str(), &d, &a]);
    project.ok(&["update", &d, "--status", "in_progress"]);
    let narrowed = project.json(&["dep", "tree", &a, "--status", "in_progress"]);
    assert_eq!(narrowed.as_array().unwrap().len(), 3);
    project.ok(&["update", &b, "--title", "say \"hi\""]);
    let diagram = project.ok(&["dep", "tree", &a, "--format", "mermaid"]);
    assert!(diagram.contains(&format!("{a} --> {b}")), "{diagram}");
    assert!(diagram.contains("say #quot;hi#quot;"), "{diagram}");
    assert!(
        project
            .fails(&["dep", "tree", "bd-none"])
            .contains("no issue found")
    );
}

#[test]
fn two_beads_can_be_linked_both_ways() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    assert_eq!(project.json(&["dep", "relate", &a, &b])["related"], true);
    assert_eq!(
        ids(&project.json(&["dep", "list", &b, "-t", "relates-to"])),
        [a.as_str()]
    );
    project.ok(&["dep", "unrelate", &b, &a]);
    assert_eq!(project.json(&["dep", "list", &a]), serde_json::json!([]));
}
