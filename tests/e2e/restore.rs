//! `bd restore` after git and syncs: what they left out, and what they deleted.

use super::merge::Project;
use super::sync_full::Clones;

#[test]
fn a_deletion_that_conflicts_with_an_edit_is_reported_and_can_be_reverted() {
    for deleted_in in ["a", "b"] {
        let project = Project::new();
        let id = project.bead("a", "Deleted and edited");
        project.commit("a", "A bead");
        project.clone("b");
        let edited_in = if deleted_in == "a" { "b" } else { "a" };
        project.bd(deleted_in, &["delete", &id, "--force"]).ok();
        project.commit(deleted_in, "Deleted");
        project
            .bd(edited_in, &["update", &id, "--title", "Still needed"])
            .ok();
        project
            .bd(edited_in, &["close", &id, "--reason", "done"])
            .ok();
        project.commit(edited_in, "Edited");
        let theirs = project.dir("b");
        let pull = ["pull", "-q", "--no-rebase", "--no-edit"];
        let said = project
            .git(
                "a",
                &[&pull[..], &[theirs.to_str().unwrap(), "main"]].concat(),
            )
            .ok();
        let told = format!("{id}: deleted on one side and changed on the other; it stays deleted");
        assert!(said.err.contains(&told), "{}", said.err);
        let history = project.bd("a", &["history", &id]).ok().out;
        assert!(history.contains("status closed"), "{history}");
        let said = project.bd("a", &["restore", "--lost"]).ok();
        assert!(said.out.contains("Nothing is lost"), "{}", said.out);
        let told = format!("deleted by tests/{deleted_in}");
        project.bd("a", &["show", &id]).fails(&told);
        let said = project.bd("a", &["restore", &id]).ok().out;
        assert!(said.contains("(closed): Still needed"), "{said}");
        let bead = project.show("a", &id);
        assert_eq!(bead["close_reason"], "done");
        // And the other clone gets it back.
        project.commit("a", "Restored");
        let ours = project.dir("a");
        project
            .git(
                "b",
                &[&pull[..], &[ours.to_str().unwrap(), "main"]].concat(),
            )
            .ok();
        assert_eq!(project.show("b", &id)["status"], "closed");
    }
}

#[test]
fn changes_dropped_by_cherry_pick_or_revert_are_not_listed_as_present() {
    for how in ["pick", "revert", "drop"] {
        let project = Project::new();
        let id = project.bead("a", "A bead");
        project.commit("a", "A bead");
        if how == "pick" {
            project.git("a", &["switch", "-q", "-c", "side"]).ok();
        }
        project
            .bd("a", &["update", &id, "--title", "Left out"])
            .ok();
        project.commit("a", "Title");
        project.bd("a", &["update", &id, "--notes", "Kept"]).ok();
        project.commit("a", "Notes");
        match how {
            "pick" => {
                project.git("a", &["switch", "-q", "main"]).ok();
                project.bd("a", &["update", &id, "--priority", "0"]).ok();
                project.commit("a", "Priority");
                project.git("a", &["cherry-pick", "side"]).ok();
            }
            "revert" => drop(project.git("a", &["revert", "--no-edit", "HEAD~1"]).ok()),
            _ => drop(
                project
                    .git("a", &["rebase", "-q", "--onto", "HEAD~2", "HEAD~1"])
                    .ok(),
            ),
        }
        let bead = project.show("a", &id);
        assert_eq!(
            (&bead["title"], &bead["notes"]),
            (&"A bead".into(), &"Kept".into()),
            "{how}"
        );
        let said = project
            .bd("a", &["restore", "--lost", "--dry-run"])
            .ok()
            .out;
        assert!(!said.contains("Nothing is lost: "), "{how}: {said}");
        assert!(said.contains(&id), "{how}: {said}");
        project.bd("a", &["restore", "--lost", &id]).ok();
        let bead = project.show("a", &id);
        assert_eq!(
            (&bead["title"], &bead["notes"]),
            (&"Left out".into(), &"Kept".into()),
            "{how}"
        );
    }
}

#[test]
fn a_change_lost_to_a_reset_before_sync_is_not_listed_as_present() {
    let clones = Clones::new();
    let id = clones.bead("a", "A bead");
    clones.sync("a").ok();
    clones.clone("b");
    clones.bd("b", &["update", &id, "--title", "By b"]).ok();
    clones.sync("b").ok();
    let path = clones.dir("a").join(".beads/issues.jsonl");
    let before = std::fs::read_to_string(&path).unwrap();
    clones.bd("a", &["update", &id, "--priority", "0"]).ok();
    clones.bd("a", &["sync"]).ok();
    std::fs::write(&path, before).unwrap();
    let said = clones.bd("a", &["list"]).ok();
    assert!(said.err.contains("was rolled back"), "{}", said.err);
    clones.sync("a").fails("was rolled back");
    let said = clones.bd("a", &["restore", "--lost"]).ok().out;
    assert!(said.contains(&format!("restored {id}")), "{said}");
    clones.sync("a").ok();
    let bead = clones.show("a", &id);
    assert_eq!(
        (&bead["title"], &bead["priority"]),
        (&"By b".into(), &0.into())
    );
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.agree(&["a", "b"]);
}

#[test]
fn edges_removed_by_two_deletions_are_both_restored() {
    let clones = Clones::new();
    let [id, x, y] = ["Deleted twice", "X", "Y"].map(|title| clones.bead("a", title));
    clones.sync("a").ok();
    clones.clone("b");
    clones.bd("b", &["list"]).ok();
    for (clone, holder) in [("a", &x), ("b", &y)] {
        clones.bd(clone, &["dep", "add", holder, &id]).ok();
        clones.bd(clone, &["delete", &id, "--force"]).ok();
    }
    for clone in ["a", "b", "a"] {
        clones.sync(clone).ok();
    }
    clones.bd("a", &["restore", &id]).ok();
    for holder in [&x, &y] {
        let edges = clones.show("a", holder)["dependencies"].clone();
        assert_eq!(edges[0]["id"], id.as_str(), "{edges}");
    }
}
