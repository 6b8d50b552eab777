//! `bd merge`, by hand and as git's merge driver.

use std::path::PathBuf;

use serde_json::Value;
use town_tests::{Run, Said, Town};

/// A project in git, with `bd` on the path, and clones of it.
pub(crate) struct Project {
    pub(crate) town: Town,
}

impl Project {
    pub(crate) fn new() -> Self {
        let project = Self {
            town: Town::place(),
        };
        let root = project.dir("a");
        std::fs::create_dir_all(&root).unwrap();
        project.git("a", &["init", "-q"]).ok();
        project
            .bd("a", &["init", "--prefix", "p", "--skip-hooks"])
            .ok();
        project.commit("a", "Begin");
        project
    }

    pub(crate) fn dir(&self, clone: &str) -> PathBuf {
        self.town.root().join(clone)
    }

    /// A clone that has `a` as its origin and knows how beads are merged.
    pub(crate) fn clone(&self, name: &str) {
        let (from, to) = (self.dir("a"), self.dir(name));
        let args = ["clone", "-q", from.to_str().unwrap(), to.to_str().unwrap()];
        self.git("a", &args).ok();
        self.bd(name, &["merge", "--install"]).ok();
    }

    pub(crate) fn bd(&self, clone: &str, args: &[&str]) -> Run {
        let actor = format!("tests/{clone}");
        self.town.bd(clone, args.to_vec()).env("BEADS_ACTOR", actor)
    }

    pub(crate) fn git(&self, clone: &str, args: &[&str]) -> Run {
        self.town.git_at(&self.dir(clone), args.to_vec())
    }

    pub(crate) fn commit(&self, clone: &str, subject: &str) {
        // Right after git wrote the file, a change waits in the journal.
        self.bd(clone, &["sync"]).ok();
        self.git(clone, &["add", "-A"]).ok();
        self.git(clone, &["commit", "-q", "-m", subject]).ok();
    }

    pub(crate) fn bead(&self, clone: &str, title: &str) -> String {
        self.bd(clone, &["create", title, "--silent"])
            .ok()
            .text()
            .to_owned()
    }

    pub(crate) fn show(&self, clone: &str, id: &str) -> Value {
        self.bd(clone, &["show", id, "--json"]).ok().json()[0].clone()
    }

    pub(crate) fn issues(&self, clone: &str) -> String {
        std::fs::read_to_string(self.dir(clone).join(".beads/issues.jsonl")).unwrap()
    }

    /// One bead with its title changed on `side` and its priority on `main`; `main` is checked out.
    fn two_branches(&self) -> String {
        let id = self.bead("a", "Both change this");
        self.commit("a", "A bead");
        self.git("a", &["switch", "-q", "-c", "side"]).ok();
        self.bd("a", &["update", &id, "--title", "From the side"])
            .ok();
        self.commit("a", "Title");
        self.git("a", &["switch", "-q", "main"]).ok();
        self.bd("a", &["update", &id, "--priority", "0"]).ok();
        self.commit("a", "Priority");
        id
    }

    fn has_both(&self, id: &str) {
        let bead = self.show("a", id);
        assert_eq!(bead["title"], "From the side");
        assert_eq!(bead["priority"], 0);
        assert_eq!(self.issues("a").lines().count(), 1);
        let status = self.git("a", &["status", "--porcelain"]).ok();
        assert!(!status.out.contains('U'), "{}", status.out);
    }
}

#[test]
fn init_configures_git_and_reports_it_unless_disabled() {
    let project = Project::new();
    let driver = |clone: &str| {
        project
            .git(clone, &["config", "--get", "merge.beads.driver"])
            .run()
    };
    assert_eq!(driver("a").text(), "bd merge %A %O %A %B");
    let attribute = ["check-attr", "merge", "--", ".beads/issues.jsonl"];
    assert!(
        project
            .git("a", &attribute)
            .ok()
            .text()
            .ends_with(": beads")
    );
    let exclude = project.dir("a").join(".git/info/attributes");
    assert!(!exclude.exists(), "the tracked file of .beads says it");

    std::fs::create_dir_all(project.dir("b")).unwrap();
    project.git("b", &["init", "-q"]).ok();
    let said = project
        .bd("b", &["init", "--prefix", "b", "--no-merge-driver"])
        .ok();
    assert!(!said.out.contains("field by field"));
    assert_eq!(driver("b").code, 1);
    project.bd("b", &["merge", "--install"]).ok();
    project.bd("b", &["merge", "--install"]).ok();
    assert_eq!(driver("b").code, 0);
    assert!(
        project
            .git("b", &attribute)
            .ok()
            .text()
            .ends_with(": beads")
    );
    let local = std::fs::read_to_string(project.dir("b").join(".git/info/attributes")).unwrap();
    let wanted = "/.beads/issues.jsonl merge=beads\n/.beads/archive/*.jsonl merge=beads\n";
    assert_eq!(local, wanted);
}

#[test]
fn edits_of_different_fields_survive_every_kind_of_git_merge() {
    let ways: [&[&[&str]]; 4] = [
        &[&["merge", "-q", "side"]],
        &[&["switch", "-q", "side"], &["rebase", "-q", "main"]],
        &[&["cherry-pick", "side"]],
        &[
            &["merge", "-q", "--no-commit", "side"],
            &["commit", "-q", "-m", "By hand"],
        ],
    ];
    for way in ways {
        let project = Project::new();
        let id = project.two_branches();
        for step in way {
            project.git("a", step).ok();
        }
        project.has_both(&id);
    }
}

#[test]
fn a_stash_of_bead_changes_pops_over_a_pull() {
    let project = Project::new();
    let id = project.bead("a", "Both change this");
    project.commit("a", "A bead");
    project.clone("b");
    project
        .bd("b", &["update", &id, "--title", "From the side"])
        .ok();
    project.commit("b", "Title");
    project
        .git("b", &["push", "-q", "origin", "HEAD:side"])
        .ok();
    project.bd("a", &["update", &id, "--priority", "0"]).ok();
    project.bd("a", &["sync"]).ok();
    project.git("a", &["stash", "-q"]).ok();
    project.git("a", &["merge", "-q", "side"]).ok();
    project.git("a", &["stash", "pop", "-q"]).ok();
    project.has_both(&id);
}

#[test]
fn a_real_conflict_is_reported_and_the_later_change_wins() {
    let project = Project::new();
    let id = project.bead("a", "Once");
    project.commit("a", "A bead");
    project.git("a", &["switch", "-q", "-c", "side"]).ok();
    project.bd("a", &["update", &id, "--title", "Earlier"]).ok();
    project.bd("a", &["label", "add", &id, "x"]).ok();
    project.commit("a", "Title");
    project.git("a", &["switch", "-q", "main"]).ok();
    project.bd("a", &["update", &id, "--title", "Later"]).ok();
    project.bd("a", &["label", "add", &id, "y"]).ok();
    project.commit("a", "Another title");
    let said = project.git("a", &["merge", "side"]).ok();
    assert!(
        said.err.contains("title \"Earlier\" gave way"),
        "{}",
        said.err
    );
    let bead = project.show("a", &id);
    assert_eq!(bead["title"], "Later");
    assert_eq!(bead["labels"], serde_json::json!(["x", "y"]));
    let history = project.bd("a", &["history", &id, "--json"]).ok().json();
    let last = history.as_array().unwrap().last().unwrap();
    assert_eq!(last["verb"], "merge");
    assert_eq!(last["lost"][0]["value"], "Earlier");
    let activity = project.bd("a", &["activity"]).ok();
    let told = format!("{id} merged · title gave way");
    assert!(activity.out.contains(&told), "{}", activity.out);
}

#[test]
fn an_overruled_change_is_not_reported_again_as_rolled_back() {
    for merged_into in ["main", "side"] {
        let project = Project::new();
        let id = project.bead("a", "Both change this");
        project.commit("a", "A bead");
        for branch in ["side", "main"] {
            if branch == "side" {
                project.git("a", &["switch", "-q", "-c", "side"]).ok();
            } else {
                project.git("a", &["switch", "-q", "main"]).ok();
            }
            let title = format!("From {branch}");
            project.bd("a", &["update", &id, "--title", &title]).ok();
            project.commit("a", "Title");
        }
        project.git("a", &["switch", "-q", merged_into]).ok();
        let other = if merged_into == "main" {
            "side"
        } else {
            "main"
        };
        let said = project.git("a", &["merge", "-q", "--no-edit", other]).ok();
        assert!(
            said.err.contains("gave way to the other side's"),
            "{}{}",
            said.out,
            said.err
        );
        assert_eq!(project.show("a", &id)["title"], "From main");
        let said = project.bd("a", &["restore", "--lost"]).ok();
        assert!(
            said.out.contains("Nothing is lost"),
            "{}{}",
            said.out,
            said.err
        );
        let before = project.issues("a");
        project.bd("a", &["doctor"]).ok();
        assert_eq!(project.issues("a"), before);
        let told = project.bd("a", &["history", &id]).ok().out;
        assert!(told.contains("From side"), "{told}");
        // And what a later reset takes away still is.
        project.bd("a", &["update", &id, "--priority", "0"]).ok();
        project.commit("a", "More");
        project.git("a", &["reset", "-q", "--hard", "HEAD~1"]).ok();
        let said = project.bd("a", &["restore", "--lost"]).ok();
        assert!(said.out.contains("restored"), "{}{}", said.out, said.err);
        assert_eq!(project.show("a", &id)["priority"], 0);
    }
}

#[test]
fn an_unrecorded_line_that_was_accepted_is_not_reported_again_after_a_merge() {
    // On the side a colleague set the priority back, in a clone of his own.
    let project = Project::new();
    let id = project.bead("a", "Both change this");
    project.commit("a", "A bead");
    project.git("a", &["switch", "-q", "-c", "side"]).ok();
    project.bd("a", &["update", &id, "--priority", "0"]).ok();
    project.commit("a", "Urgent");
    project.clone("b");
    project.git("b", &["switch", "-q", "side"]).ok();
    project.bd("b", &["update", &id, "--priority", "2"]).ok();
    project.commit("b", "Not urgent");
    let theirs = project.dir("b");
    let pull = ["pull", "-q", theirs.to_str().unwrap(), "side"];
    project.git("a", &pull).ok();
    let said = project.bd("a", &["restore", "--discard"]).ok();
    assert!(said.err.contains(&id), "{}", said.err);
    for branch in ["side", "main"] {
        project.git("a", &["switch", "-q", branch]).ok();
        let title = format!("From {branch}");
        project.bd("a", &["update", &id, "--title", &title]).ok();
        project.commit("a", "Title");
    }
    project.git("a", &["merge", "-q", "--no-edit", "side"]).ok();
    let said = project.bd("a", &["restore", "--lost"]).ok();
    assert!(said.out.contains("Nothing is lost"), "{}", said.out);
    let bead = project.show("a", &id);
    assert_eq!(
        (&bead["priority"], &bead["title"]),
        (&2.into(), &"From main".into())
    );
}

#[test]
fn a_merge_result_does_not_overwrite_beads_of_neither_side() {
    let project = Project::new();
    let id = project.bead("a", "Only here");
    project.commit("a", "A bead");
    let before = project.issues("a");
    let file = ".beads/issues.jsonl";
    let inputs = ["/dev/null", "/dev/null", "/dev/null"];
    let refused = project
        .bd("a", &[&["merge", file], &inputs[..]].concat())
        .fails("has beads that neither side has");
    assert!(refused.err.contains(&id), "{}", refused.err);
    assert_eq!(project.issues("a"), before);
}

#[test]
fn conflict_markers_are_resolved_only_by_the_command_in_the_hint() {
    let project = Project::new();
    project
        .git("a", &["config", "--remove-section", "merge.beads"])
        .ok();
    let id = project.two_branches();
    let failed = project.git("a", &["merge", "side"]).fails("");
    assert!(failed.out.contains("CONFLICT"), "{}", failed.out);
    let hint = "'bd merge --unmerged' merges both sides by field";
    project.bd("a", &["create", "More"]).fails(hint);
    let doctor = project.bd("a", &["doctor"]).run();
    assert!(
        doctor
            .out
            .contains("a merge of issues.jsonl is not finished"),
        "{}",
        doctor.out
    );
    let merge = || project.bd("a", &["merge", "--unmerged"]);
    let path = project.dir("a").join(".beads/issues.jsonl");
    // A file that was resolved by hand is left unchanged.
    let marked = project.issues("a");
    std::fs::write(&path, "{\"id\":\"p-hand\",\"title\":\"By hand\"}\n").unwrap();
    merge().fails("was edited since");
    std::fs::write(&path, marked).unwrap();
    let merged = merge().ok();
    assert!(merged.err.contains("git add"), "{}", merged.err);
    project.git("a", &["add", "-A"]).ok();
    project.has_both(&id);
    // Once it is committed git has no sides any more: then it does nothing.
    let marked = format!("<<<<<<< ours\n{}", project.issues("a"));
    std::fs::write(&path, &marked).unwrap();
    project.git("a", &["add", "-A"]).ok();
    project
        .git("a", &["commit", "-q", "-m", "With markers"])
        .ok();
    merge().fails("two sides");
    assert_eq!(project.issues("a"), marked);
}

#[test]
fn clones_that_created_the_same_child_id_converge_with_both_beads() {
    let project = Project::new();
    let parent = project.bead("a", "Parent");
    project.commit("a", "A parent");
    project
        .git("a", &["config", "receive.denyCurrentBranch", "ignore"])
        .ok();
    project.clone("b");
    project.clone("c");
    let child = format!("{parent}.1");
    for clone in ["b", "c"] {
        let title = format!("Child of {clone}");
        let made = project
            .bd(clone, &["create", &title, "--parent", &parent, "--silent"])
            .ok();
        assert_eq!(made.text(), child);
        let after = project.bead(clone, &format!("After the child of {clone}"));
        project.bd(clone, &["dep", "add", &after, &child]).ok();
        project.commit(clone, "A child");
    }
    project.git("b", &["push", "-q"]).ok();
    let told = project
        .git("c", &["pull", "-q", "--no-rebase", "--no-edit"])
        .ok();
    assert!(
        told.err.contains("two beads were made under this id"),
        "{}",
        told.err
    );
    project.git("c", &["push", "-q"]).ok();
    project.git("b", &["pull", "-q"]).ok();
    assert_eq!(project.issues("b"), project.issues("c"));
    assert_eq!(project.show("b", &child)["title"], "Child of b");
    let shown = project.bd("b", &["show", &child]).ok();
    assert!(
        shown.out.contains("Child of c"),
        "the bead that had to move is named: {}",
        shown.out
    );
    let list = project
        .bd("b", &["list", "--json", "--limit", "0"])
        .ok()
        .json();
    let beads = list.as_array().unwrap();
    assert_eq!(beads.len(), 5);
    let by_title = |title: &str| beads.iter().find(|bead| bead["title"] == title).unwrap();
    let moved = by_title("Child of c")["id"].as_str().unwrap();
    let after = by_title("After the child of c")["id"].as_str().unwrap();
    let after = project.show("b", after);
    assert_eq!(after["dependencies"][0]["id"], moved);
    let bead = project.show("b", moved);
    assert_eq!(bead["metadata"]["former_id"], child.as_str());
    assert_eq!(bead["parent"], parent.as_str());
}

#[test]
fn beads_archived_by_two_clones_are_all_in_the_merged_archive() {
    let project = Project::new();
    let ids = ["One", "Two", "Three", "Four"].map(|title| project.bead("a", title));
    project.commit("a", "Beads");
    project.git("a", &["switch", "-q", "-c", "side"]).ok();
    for (branch, own) in [("side", &ids[..2]), ("main", &ids[1..3])] {
        project.git("a", &["switch", "-q", branch]).ok();
        for id in own {
            project.bd("a", &["close", id]).ok();
        }
        project.bd("a", &["compact", "--older-than", "0d"]).ok();
        project.commit("a", "Archive");
    }
    project.git("a", &["merge", "-q", "side"]).ok();
    let archive = project.dir("a").join(".beads/archive");
    let year = std::fs::read_dir(&archive)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let text = std::fs::read_to_string(year.path()).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(project.issues("a").lines().count(), 1);
    for id in &ids {
        project.show("a", id);
    }
}

#[test]
fn an_input_with_markers_is_refused_and_nothing_is_written() {
    let project = Project::new();
    project.bead("a", "A bead");
    let dir = project.dir("a");
    let issues = project.issues("a");
    std::fs::write(dir.join("bad"), format!("{issues}<<<<<<< ours\n")).unwrap();
    let file = ".beads/issues.jsonl";
    let refused = project
        .bd("a", &["merge", "out", file, file, "bad"])
        .fails("conflict marker");
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("line 2"), "{}", refused.err);
    assert!(!dir.join("out").exists());
    let said: Said = project
        .bd("a", &["merge", "out", "/dev/null", file, file, "--json"])
        .ok();
    assert_eq!(said.json()["lost"], serde_json::json!([]));
    assert_eq!(std::fs::read_to_string(dir.join("out")).unwrap(), issues);
}

#[test]
fn a_rig_whose_repository_tracks_beads_merges_them() {
    let project = Project::new();
    let town = Town::new();
    let url = project.dir("a");
    town.gt(["rig", "add", "web", url.to_str().unwrap(), "--no-remote"])
        .ok();
    town.gt(["crew", "add", "lee", "--rig", "web"]).ok();
    for place in ["web/.repo.git", "web/mayor/rig", "web/crew/lee"] {
        let said = project.git(
            "a",
            &[
                "-C",
                town.root().join(place).to_str().unwrap(),
                "config",
                "merge.beads.driver",
            ],
        );
        assert_eq!(said.ok().text(), "bd merge %A %O %A %B");
    }
}
