//! `bd delete`.

use super::Project;

#[test]
fn delete_without_force_only_previews() {
    let project = Project::new();
    let id = project.make("T", &[]);
    let out = project.ok(&["delete", &id]);
    assert!(
        out.contains("DELETE PREVIEW") && out.contains(&format!("bd delete {id} --force")),
        "{out}"
    );
    assert_eq!(project.shown(&id)["status"], "open");
    project.ok(&["delete", &id, "--force", "--dry-run"]);
    assert_eq!(project.shown(&id)["status"], "open");
}

#[test]
fn a_deleted_bead_is_gone_but_leaves_a_tombstone() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &["-d", "x"]));
    project.ok(&["update", &a, "--notes", &format!("see {b}")]);
    project.ok(&["dep", "add", &a, &b]);
    let done = project.json(&["delete", &b, "--force", "--reason", "dup"]);
    assert_eq!(done["deleted"], b.as_str());
    assert_eq!(
        (
            done["dependencies_removed"].as_i64(),
            done["references_updated"].as_i64()
        ),
        (Some(1), Some(1))
    );
    assert!(project.fails(&["show", &b]).contains("no issue found"));
    assert_eq!(project.shown(&a)["notes"], format!("see [deleted:{b}]"));
    let tombstones = project.json(&["list", "--status", "tombstone"]);
    assert_eq!(
        (
            tombstones[0]["id"].as_str(),
            tombstones[0]["delete_reason"].as_str()
        ),
        (Some(b.as_str()), Some("dup"))
    );
    assert!(!project.ok(&["search", "B"]).contains(&b));
}

#[test]
fn delete_takes_exact_ids_once_each_and_all_must_exist() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    assert!(project.fails(&["delete"]).contains("no issue IDs provided"));
    assert!(
        project
            .fails(&["delete", "bd-none", "--force"])
            .contains("issue bd-none not found")
    );
    assert!(
        project
            .fails(&["delete", &a, "bd-none", "--force"])
            .contains("issues not found: bd-none")
            || !project.ok(&["list"]).is_empty()
    );
    assert_eq!(project.shown(&a)["status"], "open");
    project.write("ids", &format!("# old\n\n{a}\n{b}\n{a}\n"));
    let done = project.json(&["delete", "--from-file", "ids", "--force"]);
    assert_eq!(done["deleted_count"], 2);
}

#[test]
fn a_hard_delete_leaves_nothing_and_a_cascade_deletes_dependents() {
    let project = Project::new();
    let (a, b) = (project.make("A", &[]), project.make("B", &[]));
    project.ok(&["dep", "add", &b, &a]);
    project.ok(&["delete", &a, "--cascade", "--force", "--hard"]);
    assert_eq!(project.read(".beads/issues.jsonl"), "");
    // Its id means no other bead that begins so, and what takes it back is named.
    let longer = format!("{a}x");
    project.ok(&["create", "Longer", "--id", &longer]);
    assert!(project.fails(&["close", &a]).contains("no issue found"));
    let error = project.fails(&["restore", &a]);
    let hint = error.lines().find_map(|line| line.split_once("bd undo "));
    let (_, event) = hint.unwrap_or_else(|| panic!("{error}"));
    let event = event.split_whitespace().next().unwrap();
    project.ok(&["undo", event]);
    assert_eq!(project.shown(&a)["title"], "A");
    assert_eq!(project.shown(&b)["dependencies"][0]["id"], a.as_str());
}

#[test]
fn new_beads_get_the_prefix_of_deleted_ones_if_none_are_left() {
    let project = Project::empty();
    project.write(
        ".beads/issues.jsonl",
        "{\"id\":\"own-a1b\",\"title\":\"T\",\"status\":\"tombstone\"}\n",
    );
    let id = project.make("T", &[]);
    assert!(id.starts_with("own-"), "{id}");
}
