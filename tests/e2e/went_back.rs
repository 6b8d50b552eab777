//! Files that went back to an older state, where only git's commits have what was in them.

use std::path::Path;

use town_tests::Run;

use super::merge::Project;
use super::sync_full::Clones;

/// Two clones whose main has the bead that comes first; `b` did more to it and made another, and `a` has both.
fn shared() -> (Clones, String, String) {
    let clones = Clones::new();
    let id = clones.bead("a", "First");
    clones.git("a", &["add", "-f", ".beads/issues.jsonl"]);
    clones.git("a", &["commit", "-q", "-m", "Beads"]);
    clones.git("a", &["push", "-q", "origin", "main"]);
    clones.sync("a").ok();
    clones.clone("b");
    clones.bd("b", &["update", &id, "--title", "By b"]).ok();
    let other = clones.bead("b", "Made in b");
    clones.sync("b").ok();
    clones.sync("a").ok();
    (clones, id, other)
}

#[test]
fn what_others_did_comes_back_before_own_changes_are_done_again() {
    let (clones, id, other) = shared();
    clones.bd("a", &["update", &id, "--priority", "0"]).ok();
    clones.git("a", &["reset", "-q", "--hard"]);
    let told = clones.bd("a", &["list"]).ok();
    for name in [&id, &other] {
        assert!(told.err.contains(name.as_str()), "{}", told.err);
    }
    assert!(told.err.contains("bd restore --lost"), "{}", told.err);
    let doctor = clones.bd("a", &["doctor"]).run();
    let line = format!("{other}: gone, and in beads-sync");
    assert!(doctor.out.contains(&line), "{}", doctor.out);
    let before = clones.issues("a");
    let dry = clones
        .bd("a", &["restore", "--lost", "--dry-run", "--json"])
        .ok()
        .json();
    assert_eq!(clones.issues("a"), before);
    let said = clones.bd("a", &["restore", "--lost", "--json"]).ok().json();
    let by_id = |said: &serde_json::Value, id: &str| {
        let mut all = said.as_array().unwrap().iter();
        let one = all.find(|one| one["id"] == id).unwrap();
        let events = one["events"].as_array().unwrap().len();
        (one["from"].as_str().map(str::to_owned), events)
    };
    for said in [&dry, &said] {
        let branch = Some("beads-sync".to_owned());
        assert_eq!(by_id(said, &id), (branch.clone(), 1), "{said}");
        assert_eq!(by_id(said, &other), (branch, 0), "{said}");
    }
    let again = clones.bd("a", &["restore", "--lost"]).ok();
    assert!(again.out.contains("Nothing is lost: "), "{}", again.out);
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.agree(&["a", "b"]);
    for clone in ["a", "b"] {
        let bead = clones.show(clone, &id);
        assert_eq!(
            (&bead["title"], &bead["priority"]),
            (&"By b".into(), &0.into())
        );
        assert_eq!(clones.show(clone, &other)["title"], "Made in b");
    }
}

#[test]
fn a_bead_that_was_edited_after_it_went_back_takes_nothing_of_others_away() {
    for by_sync in [true, false] {
        let (clones, id, other) = shared();
        clones.git("a", &["reset", "-q", "--hard"]);
        clones.bd("a", &["update", &id, "--priority", "0"]).ok();
        let refused = clones.sync("a").fails("went back");
        assert!(refused.err.contains(&id), "{}", refused.err);
        assert!(clones.shared_issues().contains("By b"));
        if by_sync {
            let back = ["sync", "--full", "--bring-back"];
            let said = clones.bd("a", &back).ok();
            let told = said.err.contains("bd restore --lost") && said.err.contains(&id);
            assert!(told, "{}", said.err);
        }
        clones.bd("a", &["restore", "--lost"]).ok();
        clones.sync("a").ok();
        clones.sync("b").ok();
        clones.agree(&["a", "b"]);
        let bead = clones.show("b", &id);
        assert_eq!(
            (&bead["title"], &bead["priority"]),
            (&"By b".into(), &0.into()),
            "{by_sync}"
        );
        assert_eq!(clones.show("b", &other)["title"], "Made in b");
    }
}

#[test]
fn a_deletion_that_went_back_is_not_taken_from_everyone() {
    let (clones, id, other) = shared();
    clones.bd("a", &["delete", &id, &other, "--force"]).ok();
    clones.sync("a").ok();
    // On main the first lives, and the second never was.
    clones.git("a", &["reset", "-q", "--hard"]);
    let refused = clones.sync("a").fails("went back");
    for name in [&id, &other] {
        assert!(refused.err.contains(name.as_str()), "{}", refused.err);
    }
    clones.bd("b", &["update", &id, "--title", "Edited"]).ok();
    clones.sync("b").ok();
    clones.bd("a", &["restore", "--lost"]).ok();
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.agree(&["a", "b"]);
    for clone in ["a", "b"] {
        for name in [&id, &other] {
            clones.bd(clone, &["show", name]).fails("deleted");
        }
    }
}

/// Three beads that somebody else made, committed and cloned.
fn cloned() -> (Project, Vec<String>) {
    let project = Project::new();
    let ids = ["One", "Two", "Three"].map(|title| project.bead("a", title));
    project.commit("a", "Beads");
    project.clone("b");
    (project, ids.to_vec())
}

#[test]
fn beads_of_a_file_that_is_gone_or_empty_come_back_from_the_last_commit() {
    for is_gone in [true, false] {
        let (project, ids) = cloned();
        project.bd("b", &["close", &ids[0]]).ok();
        project.bd("b", &["sync"]).ok();
        let path = project.dir("b").join(".beads/issues.jsonl");
        if is_gone {
            std::fs::remove_file(&path).unwrap();
        } else {
            std::fs::write(&path, "").unwrap();
        }
        let doctor = project.bd("b", &["doctor"]).run();
        for id in &ids {
            let line = format!("{id}: gone, and in HEAD");
            assert!(doctor.out.contains(&line), "{}", doctor.out);
        }
        // One alone, and then the others.
        project.bd("b", &["restore", "--lost", &ids[1]]).ok();
        assert_eq!(project.issues("b").lines().count(), 1);
        project.bd("b", &["restore", "--lost"]).ok();
        assert_eq!(project.show("b", &ids[0])["status"], "closed");
        project.bd("b", &["reopen", &ids[0]]).ok();
        let of_others = |text: &str| {
            let others = text.lines().filter(|line| !line.contains(&ids[0]));
            others.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            of_others(&project.issues("b")),
            of_others(&project.issues("a"))
        );
        let doctor = project.bd("b", &["doctor"]).ok();
        assert!(!doctor.out.contains("HEAD"), "{}", doctor.out);
    }
}

#[test]
fn junk_in_place_of_lines_is_set_aside_and_the_beads_come_back_from_the_last_commit() {
    let (project, ids) = cloned();
    let whole = project.issues("b");
    let path = project.dir("b").join(".beads/issues.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    std::fs::write(&path, format!("{}\n#!junk\n\u{1}\u{2}\n", lines[0])).unwrap();
    let said = project.bd("b", &["doctor", "--fix"]).run();
    let mut back = ids.clone();
    back.retain(|id| !lines[0].contains(id));
    assert_eq!(back.len(), 2);
    for id in &back {
        let line = format!("{id} is back, as in HEAD");
        assert!(said.out.contains(&line), "{}", said.out);
    }
    assert_eq!(project.issues("b"), whole);
    project.bd("b", &["doctor"]).ok();
    // Junk that was committed: the newest commit without any has them.
    std::fs::write(&path, format!("{}\n#!junk\n", lines[0])).unwrap();
    project.git("b", &["commit", "-qam", "Junk"]).ok();
    project.bd("b", &["doctor", "--fix"]).run();
    assert_eq!(project.issues("b"), whole);
}

#[test]
fn what_was_removed_on_purpose_is_not_called_lost() {
    let (project, ids) = cloned();
    project
        .bd("b", &["delete", &ids[0], "--hard", "--force"])
        .ok();
    project.bd("b", &["close", &ids[1]]).ok();
    project.bd("b", &["undo"]).ok();
    project.bd("b", &["sync"]).ok();
    let said = project.bd("b", &["restore", "--lost"]).ok();
    assert!(said.out.contains("Nothing is lost: "), "{}", said.out);
    let doctor = project.bd("b", &["doctor"]).ok();
    assert!(!doctor.out.contains("HEAD"), "{}", doctor.out);
}

#[test]
fn a_copy_of_the_folder_has_the_history_of_what_it_was_copied_from() {
    let (clones, id, _) = shared();
    clones.bd("a", &["update", &id, "--priority", "0"]).ok();
    clones.sync("a").ok();
    let (from, to) = (clones.dir("a"), clones.dir("copy"));
    let args = [
        "-c",
        "cp -r \"$0\" \"$1\"",
        from.to_str().unwrap(),
        to.to_str().unwrap(),
    ];
    Run::new(Path::new("/bin/sh"), &clones.town.root())
        .args(args)
        .ok();
    let whole = clones.issues("copy");
    // Before its first sync, and after that, under a name of its own.
    for _ in 0..2 {
        std::fs::remove_file(clones.dir("copy").join(".beads/sync-base")).unwrap();
        clones.git("copy", &["reset", "-q", "--hard"]);
        let said = clones.bd("copy", &["restore", "--lost", &id]).ok();
        assert!(said.out.contains("restored"), "{}", said.out);
        assert_eq!(clones.show("copy", &id)["priority"], 0);
        std::fs::write(to.join(".beads/issues.jsonl"), &whole).unwrap();
        clones.sync("copy").ok();
    }
    assert_ne!(clones.clone_id("a"), clones.clone_id("copy"));
}

#[test]
fn an_archive_that_git_cleaned_away_comes_back_from_history() {
    let project = Project::new();
    let ids = ["One", "Two"].map(|title| project.bead("a", title));
    project.commit("a", "Beads");
    for id in &ids {
        project.bd("a", &["close", id]).ok();
    }
    project.bd("a", &["compact", "--older-than", "0d"]).ok();
    project.bd("a", &["restore", &ids[1]]).ok();
    let file = |name: &str| {
        let folder = project.dir("a").join(".beads").join(name);
        let mut all = std::fs::read_dir(folder).into_iter().flatten();
        all.next()
            .map(|file| std::fs::read(file.unwrap().path()).unwrap())
    };
    let archive = file("archive").unwrap();
    project.git("a", &["clean", "-q", "-fd"]).ok();
    assert_eq!(file("archive"), None);
    let gone = project.bd("a", &["show", &ids[0]]).fails("no issue found");
    assert!(gone.err.contains("bd restore --lost"), "{}", gone.err);
    let doctor = project.bd("a", &["doctor"]).run();
    let line = format!("{}: gone, and in ", ids[0]);
    assert!(doctor.out.contains(&line), "{}", doctor.out);
    project.bd("a", &["restore", "--lost"]).ok();
    assert_eq!(file("archive").unwrap(), archive);
    assert_eq!(project.show("a", &ids[0])["title"], "One");
    let said = project.bd("a", &["restore", "--lost"]).ok();
    assert!(said.out.contains("Nothing is lost: "), "{}", said.out);
}
