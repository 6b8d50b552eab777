//! Files that went back to an older state, where only git's commits have what was in them.

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
    // Junk that was committed: an earlier commit has them, but whether somebody removed them nobody knows.
    let (kept, rest) = whole.split_once('\n').unwrap();
    std::fs::write(&path, format!("{kept}\n#!junk\n")).unwrap();
    project.git("b", &["commit", "-qam", "Junk"]).ok();
    let said = project.bd("b", &["doctor", "--fix"]).run();
    assert!(said.out.contains("perhaps gone by damage"), "{}", said.out);
    assert_eq!(project.issues("b"), format!("{kept}\n"));
    project.bd("b", &["restore", "--lost"]).ok();
    assert_eq!(project.issues("b"), format!("{kept}\n{rest}"));
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
    clones.copy("a", "copy");
    let whole = clones.issues("copy");
    // Before its first sync, and after that, under a name of its own.
    for _ in 0..2 {
        std::fs::remove_file(clones.dir("copy").join(".beads/sync-base")).unwrap();
        clones.git("copy", &["reset", "-q", "--hard"]);
        let said = clones.bd("copy", &["restore", "--lost", &id]).ok();
        assert!(said.out.contains("restored"), "{}", said.out);
        assert_eq!(clones.show("copy", &id)["priority"], 0);
        std::fs::write(clones.dir("copy").join(".beads/issues.jsonl"), &whole).unwrap();
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
    let hint = format!("bd restore --lost {}", ids[0]);
    project.bd("a", &["restore", &ids[0]]).fails(&hint);
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

/// Three beads on main and on the branch, in the clones `a`, which synced, and `b`, which did not yet.
pub(crate) fn on_main() -> (Clones, Vec<String>) {
    let (clones, ids) = on_main_only();
    clones.sync("a").ok();
    clones.clone("b");
    (clones, ids)
}

/// Three beads that `a` made and pushed, and did not sync.
pub(crate) fn on_main_only() -> (Clones, Vec<String>) {
    let clones = Clones::new();
    let ids = ["One", "Two", "Three"].map(|title| clones.bead("a", title));
    clones.bd("a", &["sync"]).ok();
    clones.git("a", &["add", "-f", ".beads/issues.jsonl"]);
    clones.git("a", &["commit", "-q", "-m", "Beads"]);
    clones.git("a", &["push", "-q", "origin", "main"]);
    (clones, ids.to_vec())
}

pub(crate) fn commit(clones: &Clones, clone: &str) {
    clones.bd(clone, &["sync"]).ok();
    clones.git(clone, &["commit", "-q", "-a", "-m", "Beads"]);
}

#[test]
fn the_first_sync_of_a_clone_keeps_what_was_committed_on_main() {
    let (clones, ids) = on_main();
    clones.bd("b", &["comments", "add", &ids[0], "From b"]).ok();
    clones.bd("b", &["label", "add", &ids[0], "of-b"]).ok();
    clones.bd("b", &["dep", "add", &ids[1], &ids[2]]).ok();
    commit(&clones, "b");
    clones.git("b", &["push", "-q", "origin", "main"]);
    // What c knows of that it has from git alone.
    clones.clone("c");
    for clone in ["c", "b", "a"] {
        clones.sync(clone).ok();
        let bead = clones.show(clone, &ids[0]);
        assert_eq!(bead["comments"][0]["text"], "From b", "{clone}: {bead}");
        assert_eq!(bead["labels"][0], "of-b", "{clone}: {bead}");
        let held = clones.show(clone, &ids[1]);
        assert_eq!(held["dependencies"][0]["id"], ids[2].as_str(), "{clone}");
    }
    for clone in ["b", "c"] {
        clones.sync(clone).ok();
    }
    clones.agree(&["a", "b", "c"]);
    // And where what the last sync left is gone.
    clones.bd("b", &["label", "add", &ids[0], "later"]).ok();
    commit(&clones, "b");
    clones.git("b", &["clean", "-q", "-fdx"]);
    clones.sync("b").ok();
    let labels = serde_json::json!(["later", "of-b"]);
    assert_eq!(clones.show("b", &ids[0])["labels"], labels);
}

#[test]
fn the_first_sync_of_a_clone_takes_nothing_back_that_others_did_to_other_fields() {
    let (clones, ids) = on_main();
    clones.clone("c");
    clones.sync("c").ok();
    clones.bd("c", &["update", &ids[0], "-p", "0"]).ok();
    clones.bd("c", &["close", &ids[1]]).ok();
    clones.sync("c").ok();
    for id in &ids[..2] {
        clones.bd("b", &["update", id, "--notes", "By b"]).ok();
    }
    commit(&clones, "b");
    let said = clones.sync("b").ok();
    assert_eq!(said.err, "");
    clones.sync("c").ok();
    for clone in ["b", "c"] {
        let (one, two) = (clones.show(clone, &ids[0]), clones.show(clone, &ids[1]));
        assert_eq!(
            (&one["priority"], &one["notes"]),
            (&0.into(), &"By b".into())
        );
        assert_eq!(
            (&two["status"], &two["notes"]),
            (&"closed".into(), &"By b".into())
        );
    }
}

#[test]
fn what_was_committed_apart_from_others_is_merged_with_what_they_did() {
    // By a restore of everything, and by one after the branch alone was taken.
    for by_branch in [true, false] {
        let (clones, ids) = on_main();
        clones.sync("b").ok();
        clones.bd("a", &["close", &ids[0]]).ok();
        clones.sync("a").ok();
        clones.sync("b").ok();
        clones.git("b", &["reset", "-q", "--hard"]);
        clones.bd("b", &["update", &ids[0], "-d", "By b"]).ok();
        commit(&clones, "b");
        clones.sync("b").fails("went back");
        if by_branch {
            clones.bd("b", &["sync", "--full", "--bring-back"]).ok();
        }
        clones.bd("b", &["restore", "--lost"]).ok();
        let bead = clones.show("b", &ids[0]);
        assert_eq!(
            (&bead["status"], &bead["description"]),
            (&"closed".into(), &"By b".into())
        );
        let said = clones.bd("b", &["restore", "--lost"]).ok();
        assert!(said.out.contains("Nothing is lost: "), "{}", said.out);
        let doctor = clones.bd("b", &["doctor"]).run();
        assert!(!doctor.out.contains("HEAD"), "{}", doctor.out);
        clones.sync("b").ok();
        clones.sync("a").ok();
        clones.agree(&["a", "b"]);
    }
}

#[test]
fn a_change_that_is_only_in_head_comes_beside_what_a_sync_brought() {
    let (clones, ids) = on_main();
    clones.bd("b", &["update", &ids[0], "--title", "By b"]).ok();
    clones.sync("b").ok();
    clones.bd("a", &["update", &ids[0], "-p", "0"]).ok();
    commit(&clones, "a");
    let file = ".beads/issues.jsonl";
    clones.git("a", &["checkout", "-q", "HEAD~1", "--", file]);
    clones.sync("a").ok();
    clones.bd("a", &["restore", "--lost"]).ok();
    let bead = clones.show("a", &ids[0]);
    assert_eq!(
        (&bead["title"], &bead["priority"]),
        (&"By b".into(), &0.into())
    );
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.agree(&["a", "b"]);
}

#[test]
fn without_shared_histories_git_says_what_a_file_lacks() {
    let (project, ids) = cloned();
    project
        .bd("b", &["update", &ids[0], "--title", "By b"])
        .ok();
    project.bd("b", &["comments", "add", &ids[1], "By b"]).ok();
    project.commit("b", "Title and comment");
    project.bd("a", &["update", &ids[0], "-p", "0"]).ok();
    project.bd("a", &["sync"]).ok();
    let (a, b) = (project.issues("a"), project.dir("b"));
    project
        .git("a", &["fetch", "-q", b.to_str().unwrap(), "main"])
        .ok();
    // HEAD moves under the file, which has a change of its own: nothing of either is taken away.
    project.git("a", &["reset", "-q", "FETCH_HEAD"]).ok();
    assert_eq!(project.issues("a"), a);
    let doctor = project.bd("a", &["doctor"]).run();
    let lines = [
        format!("{}: without what is in HEAD", ids[0]),
        format!("{}: older than in HEAD", ids[1]),
    ];
    for line in lines {
        assert!(doctor.out.contains(&line), "{}", doctor.out);
    }
    project.bd("a", &["restore", "--lost"]).ok();
    let bead = project.show("a", &ids[0]);
    assert_eq!(
        (&bead["title"], &bead["priority"]),
        (&"By b".into(), &0.into())
    );
    assert_eq!(project.show("a", &ids[1])["comments"][0]["text"], "By b");
    let doctor = project.bd("a", &["doctor"]).ok();
    assert!(!doctor.out.contains("in HEAD"), "{}", doctor.out);
}

#[test]
fn a_bead_that_was_removed_beside_committed_junk_does_not_live_again_by_itself() {
    let (project, ids) = cloned();
    project
        .bd("a", &["delete", &ids[0], "--hard", "--force"])
        .ok();
    project.bd("a", &["sync"]).ok();
    let path = project.dir("a").join(".beads/issues.jsonl");
    let text = format!("{}junk\n", project.issues("a"));
    std::fs::write(&path, text).unwrap();
    project.git("a", &["commit", "-q", "-a", "-m", "Junk"]).ok();
    let a = project.dir("a");
    project
        .git("b", &["pull", "-q", a.to_str().unwrap(), "main"])
        .ok();
    project.bd("b", &["doctor", "--fix"]).run();
    project.bd("b", &["show", &ids[0]]).fails("no issue found");
}

#[test]
fn local_files_stay_where_they_are_on_a_branch_from_before_there_were_beads() {
    let project = Project::new();
    project.git("a", &["switch", "-q", "--orphan", "old"]).ok();
    project
        .git("a", &["commit", "-q", "--allow-empty", "-m", "Old"])
        .ok();
    project.git("a", &["switch", "-q", "main"]).ok();
    let id = project.bead("a", "A bead");
    project.bd("a", &["create", "Local", "--ephemeral"]).ok();
    project.commit("a", "A bead");
    project.bd("a", &["comments", "add", &id, "Later"]).ok();
    project.bd("a", &["sync"]).ok();
    project.git("a", &["stash", "-q"]).ok();
    project.git("a", &["switch", "-q", "old"]).ok();
    project.git("a", &["add", "-A"]).ok();
    let status = project.git("a", &["status", "--porcelain"]).ok();
    assert_eq!(status.out, "");
    project.git("a", &["clean", "-q", "-fd"]).ok();
    project.git("a", &["switch", "-q", "main"]).ok();
    project.git("a", &["stash", "pop", "-q"]).ok();
    assert_eq!(project.show("a", &id)["comments"][0]["text"], "Later");
    let history = project.bd("a", &["history", &id]).ok();
    assert!(history.out.contains("create"), "{}", history.out);
    assert!(project.dir("a").join(".beads/wisps.jsonl").exists());
}
