//! Daily git commands on a store with changes that are in no commit yet, or not
//! even in the file: nothing acknowledged is lost without a line that says how to get it back.

use serde_json::Value;
use town_tests::Said;

use crate::merge::Project;

/// Enough beads that changes are folded late: the file is larger than a megabyte.
const GROWN: usize = 1200;

/// A project whose changes stay in the journal, with a clone `b`.
fn grown() -> Project {
    let project = Project::new();
    let words = "All work and no play makes a long description. ".repeat(20);
    let lines: Vec<String> = (0..GROWN)
        .map(|number| {
            format!(
                r#"{{"id":"p-g{number:04}","title":"Grown {number}","description":"{words}","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}}"#
            )
        })
        .collect();
    let path = project.dir("a").join(".beads/issues.jsonl");
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
    project.commit("a", "Grown");
    project.clone("b");
    project
}

fn title(project: &Project, clone: &str, id: &str) -> String {
    project.show(clone, id)["title"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn priority(project: &Project, clone: &str, id: &str) -> Value {
    project.show(clone, id)["priority"].clone()
}

/// The file does not have it, so it is in the journal.
fn is_unfolded(project: &Project, clone: &str, words: &str) {
    assert!(!project.issues(clone).contains(words));
}

fn list(project: &Project, clone: &str) -> Said {
    project.bd(clone, &["list"]).ok()
}

#[test]
fn a_pull_merges_with_pending_changes() {
    let project = grown();
    project
        .bd("a", &["update", "p-g0007", "--title", "From a"])
        .ok();
    project.bd("a", &["sync"]).ok();
    project.commit("a", "Title");
    project.bd("b", &["update", "p-g0007", "-p", "0"]).ok();
    project.bd("b", &["label", "add", "p-g0008", "mine"]).ok();
    let own = project.bead("b", "Made in b");
    is_unfolded(&project, "b", "Made in b");
    project.git("b", &["pull", "-q"]).ok();
    assert_eq!(title(&project, "b", "p-g0007"), "From a");
    assert_eq!(priority(&project, "b", "p-g0007"), 0);
    assert_eq!(title(&project, "b", &own), "Made in b");
    project.bd("b", &["sync"]).ok();
    let text = project.issues("b");
    assert!(text.contains("From a") && text.contains("Made in b") && text.contains("mine"));
    assert_eq!(text.lines().count(), GROWN + 1);
}

#[test]
fn a_value_overruled_by_a_pull_stays_in_the_history() {
    let project = grown();
    project
        .bd("b", &["update", "p-g0007", "--title", "Earlier, from b"])
        .ok();
    project
        .bd("a", &["update", "p-g0007", "--title", "Later, from a"])
        .ok();
    project.bd("a", &["sync"]).ok();
    project.commit("a", "Title");
    project.git("b", &["pull", "-q"]).ok();
    assert_eq!(title(&project, "b", "p-g0007"), "Later, from a");
    project.bd("b", &["sync"]).ok();
    let history = project.bd("b", &["history", "p-g0007", "--json"]).ok();
    assert!(history.out.contains("Earlier, from b"), "{}", history.out);
    assert!(
        history.json().as_array().unwrap().iter().any(|step| {
            step["verb"] == "merge" && step["lost"][0]["value"] == "Earlier, from b"
        }),
        "{}",
        history.out
    );
}

#[test]
fn a_rebase_keeps_committed_and_pending_changes() {
    let project = grown();
    project
        .bd("a", &["update", "p-g0001", "--title", "Upstream"])
        .ok();
    project.bd("a", &["sync"]).ok();
    project.commit("a", "Upstream");
    project.bd("b", &["update", "p-g0001", "-p", "1"]).ok();
    project.bd("b", &["sync"]).ok();
    project.commit("b", "Committed in b");
    let own = project.bead("b", "Only in the journal");
    project.git("b", &["pull", "-q", "--rebase"]).ok();
    assert_eq!(title(&project, "b", "p-g0001"), "Upstream");
    assert_eq!(priority(&project, "b", "p-g0001"), 1);
    assert_eq!(title(&project, "b", &own), "Only in the journal");
}

#[test]
fn pending_changes_follow_to_another_branch() {
    let project = grown();
    project.git("b", &["branch", "other"]).ok();
    let own = project.bead("b", "Journaled");
    project.git("b", &["checkout", "-q", "other"]).ok();
    assert_eq!(title(&project, "b", &own), "Journaled");
    project.git("b", &["checkout", "-q", "main"]).ok();
    project.bd("b", &["sync"]).ok();
    project.commit("b", "With it");
    let told = project.git("b", &["checkout", "-q", "other"]).run();
    drop(told);
    // The bead is committed on main, so it is missing here. The warning names the command that
    // restores it.
    let said = list(&project, "b");
    assert!(said.err.contains("bd restore --lost"), "{}", said.err);
    project.bd("b", &["show", &own]).fails("no issue found");
    project.git("b", &["checkout", "-q", "main"]).ok();
    assert_eq!(title(&project, "b", &own), "Journaled");
    let lost = project.bd("b", &["restore", "--lost"]).ok();
    assert!(lost.out.contains("Nothing is lost"), "{}", lost.out);
}

#[test]
fn a_stash_takes_changes_reports_that_and_restores_them() {
    let project = Project::new();
    project.bead("a", "Committed");
    project.commit("a", "A bead");
    let own = project.bead("a", "In the working tree");
    project.git("a", &["stash", "-q"]).ok();
    let said = list(&project, "a");
    assert!(
        said.err.contains(&own) && said.err.contains("bd restore --lost"),
        "{}",
        said.err
    );
    assert!(!said.out.contains("In the working tree"));
    let again = list(&project, "a");
    assert!(!again.err.contains("restore"), "told once: {}", again.err);
    project.git("a", &["stash", "pop", "-q"]).ok();
    assert_eq!(title(&project, "a", &own), "In the working tree");
}

#[test]
fn a_hard_reset_is_reported_and_undone_by_restore() {
    let project = Project::new();
    let old = project.bead("a", "Old");
    project.commit("a", "A bead");
    project.bd("a", &["update", &old, "--title", "New"]).ok();
    let own = project.bead("a", "Made since");
    project.git("a", &["reset", "-q", "--hard"]).ok();
    // Whichever command notices it says so, one that fails too.
    let said = project.bd("a", &["show", "p-none"]).fails("no issue found");
    assert!(said.err.contains("bd restore --lost"), "{}", said.err);
    assert_eq!(title(&project, "a", &old), "Old");
    let plan = project.bd("a", &["restore", "--lost", "--dry-run"]).ok();
    assert!(
        plan.out.contains(&old) && plan.out.contains(&own),
        "{}",
        plan.out
    );
    project.bd("a", &["restore", "--lost"]).ok();
    assert_eq!(title(&project, "a", &old), "New");
    assert_eq!(title(&project, "a", &own), "Made since");
    let done = project.bd("a", &["restore", "--lost"]).ok();
    assert!(done.out.contains("Nothing is lost"), "{}", done.out);
}

#[test]
fn changes_lost_to_a_reset_can_be_restored_after_a_later_edit() {
    let project = Project::new();
    let id = project.bead("a", "Old");
    project.commit("a", "A bead");
    project
        .bd(
            "a",
            &["update", &id, "--title", "Lost", "--notes", "lost too"],
        )
        .ok();
    project.git("a", &["reset", "-q", "--hard"]).ok();
    let said = list(&project, "a");
    assert!(said.err.contains("bd restore --lost"), "{}", said.err);
    project.bd("a", &["update", &id, "--title", "Later"]).ok();
    let doctor = project.bd("a", &["doctor"]).run();
    assert!(doctor.out.contains("bd restore --lost"), "{}", doctor.out);
    let done = project.bd("a", &["restore", "--lost"]).ok();
    assert!(
        done.out.contains(&id) && done.out.contains("edited since, and left so: title"),
        "{}",
        done.out
    );
    assert_eq!(title(&project, "a", &id), "Later");
    assert_eq!(project.show("a", &id)["notes"], "lost too");
    // Neither told nor done again, also not after another change from outside.
    project.commit("a", "Restored");
    project
        .bd("a", &["update", &id, "--title", "Later still"])
        .ok();
    project.commit("a", "Later still");
    project.git("a", &["checkout", "-q", "HEAD~1"]).ok();
    project.git("a", &["checkout", "-q", "main"]).ok();
    let said = list(&project, "a");
    assert!(!said.err.contains("restore"), "{}", said.err);
    let done = project.bd("a", &["restore", "--lost", "--json"]).ok();
    assert_eq!(done.json(), serde_json::json!([]), "{}", done.out);
}

#[test]
fn a_reset_to_an_older_commit_keeps_pending_changes() {
    let project = grown();
    project
        .bd("b", &["update", "p-g0002", "--title", "Committed"])
        .ok();
    project.bd("b", &["sync"]).ok();
    project.commit("b", "Title");
    let own = project.bead("b", "Journaled");
    project.git("b", &["reset", "-q", "--hard", "HEAD~1"]).ok();
    let said = list(&project, "b");
    assert!(said.err.contains("p-g0002"), "{}", said.err);
    assert_eq!(title(&project, "b", &own), "Journaled");
    project.bd("b", &["restore", "--lost"]).ok();
    assert_eq!(title(&project, "b", "p-g0002"), "Committed");
    assert_eq!(title(&project, "b", &own), "Journaled");
}

#[test]
fn git_clean_removes_nothing_of_the_store() {
    let project = grown();
    let own = project.bead("b", "Journaled");
    project.bd("b", &["create", "A wisp", "--ephemeral"]).ok();
    project.git("b", &["clean", "-qfd"]).ok();
    assert_eq!(title(&project, "b", &own), "Journaled");
    assert!(
        project
            .bd("b", &["list", "--all", "--json"])
            .ok()
            .out
            .contains("A wisp")
    );
}

#[test]
fn a_store_never_added_to_git_is_restored_after_a_clean() {
    let project = Project::new();
    let root = project.dir("c");
    std::fs::create_dir_all(&root).unwrap();
    project.git("c", &["init", "-q"]).ok();
    project.bd("c", &["init", "--prefix", "c"]).ok();
    let own = project.bead("c", "Never added");
    project.git("c", &["clean", "-qfd"]).ok();
    assert!(!root.join(".beads/issues.jsonl").exists());
    let said = list(&project, "c");
    assert!(said.err.contains("bd restore --lost"), "{}", said.err);
    project.bd("c", &["restore", "--lost"]).ok();
    assert_eq!(title(&project, "c", &own), "Never added");
}

#[test]
fn a_manual_edit_is_kept_beneath_pending_changes() {
    let project = grown();
    project.bd("b", &["update", "p-g0003", "-p", "0"]).ok();
    let path = project.dir("b").join(".beads/issues.jsonl");
    let text = project.issues("b");
    let edited = text
        .replace("\"Grown 3\"", "\"By hand\"")
        .replace("\"Grown 4\"", "\"By hand too\"");
    std::fs::write(&path, edited).unwrap();
    assert_eq!(title(&project, "b", "p-g0003"), "By hand");
    assert_eq!(priority(&project, "b", "p-g0003"), 0);
    assert_eq!(title(&project, "b", "p-g0004"), "By hand too");
    project.bd("b", &["sync"]).ok();
    assert_eq!(priority(&project, "b", "p-g0003"), 0);
    assert!(project.issues("b").contains("By hand too"));
}

#[test]
fn a_damaged_line_is_restored_from_git_history() {
    let project = Project::new();
    let (whole, torn) = (project.bead("a", "Whole"), project.bead("a", "Torn"));
    project.commit("a", "Two beads");
    let path = project.dir("a").join(".beads/issues.jsonl");
    let text: String = project
        .issues("a")
        .lines()
        .map(|line| {
            if line.contains(&torn) {
                format!("{}\n", &line[..line.len() / 2])
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    std::fs::write(&path, text).unwrap();
    let said = project.bd("a", &["doctor"]).run();
    assert!(said.out.contains("bd doctor --fix"), "{}", said.out);
    let mended = project.bd("a", &["doctor", "--fix"]).ok();
    assert!(
        mended.out.contains(&format!("{torn} is back")),
        "{}",
        mended.out
    );
    assert_eq!(title(&project, "a", &torn), "Torn");
    assert_eq!(title(&project, "a", &whole), "Whole");
}
