//! `bd sync --full` where beads may be: fresh clones, copies, worktrees, folders, and files that
//! went back.

use crate::sync_full::{Clones, actors};

#[test]
fn a_detached_head_and_a_worktree_sync_normally() {
    let clones = Clones::two();
    clones.git("a", &["checkout", "-q", "--detach"]);
    clones.bead("a", "Detached");
    clones.sync("a").ok();
    let tree = clones.dir("a-tree");
    clones.git(
        "a",
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "work",
            tree.to_str().unwrap(),
        ],
    );
    clones.bead("a-tree", "From a worktree");
    clones.sync("a-tree").ok();
    clones.agree(&["a"]);
    assert!(clones.shared_issues().contains("From a worktree"));
    assert_eq!(
        clones
            .git("a", &["status", "--porcelain", "--branch"])
            .lines()
            .next(),
        Some("## HEAD (no branch)")
    );
    assert!(!tree.join(".beads").exists());
}

#[test]
fn a_store_in_a_subfolder_keeps_its_path_and_leaves_others_alone() {
    let clones = Clones::two();
    clones.bead("a", "At the root");
    for clone in ["a", "b"] {
        std::fs::create_dir_all(clones.dir(clone).join("part")).unwrap();
    }
    clones.bd("a/part", &["init", "--prefix", "part"]).ok();
    clones.bead("a/part", "In a part");
    clones.sync("a/part").ok();
    let part = clones.origin.file("beads-sync", "part/.beads/issues.jsonl");
    assert!(part.contains("In a part"), "{part}");
    clones.bead("b", "Meanwhile");
    clones.sync("b").ok();
    clones.bead("a/part", "More");
    clones.sync("a/part").ok();
    // Syncing one store does not undo others' changes to the other store.
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.agree(&["a", "b"]);
    let root = clones.shared_issues();
    assert!(root.contains("At the root") && root.contains("Meanwhile"));
    // The other clone has the part's beads on the branch only.
    let there = clones.bd("b/part", &["init"]).ok();
    assert!(
        there.out.contains("2 beads read from the branch"),
        "{}",
        there.out
    );
    assert_eq!(clones.bead("b/part", "Next")[..5], *"part-");
}

#[test]
fn a_fresh_clone_reads_its_beads_from_the_branch() {
    let clones = Clones::new();
    let id = clones.bead("a", "A bead");
    clones.bd("a", &["update", &id, "--priority", "1"]).ok();
    clones.sync("a").ok();
    clones.clone("b");
    let said = clones.bd("b", &["list"]).ok();
    assert!(said.out.contains("A bead"), "{}", said.out);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    assert!(said.err.contains("1 bead read from the branch beads-sync"));
    let said = clones.bd("b", &["list"]).ok();
    assert_eq!(said.err, "");
    assert_eq!(clones.git("b", &["status", "--porcelain"]), "");
    let history = clones.bd("b", &["history", &id, "--json"]).ok();
    assert_eq!(history.json().as_array().unwrap().len(), 2);
    assert_eq!(clones.bead("b", "Next")[..2], *"p-");
    // From a folder inside, and with init.
    clones.clone("c");
    let inside = clones.dir("c").join("deep/inside");
    std::fs::create_dir_all(inside).unwrap();
    assert!(
        clones
            .bd("c/deep/inside", &["list"])
            .ok()
            .out
            .contains("A bead")
    );
    clones.clone("d");
    let said = clones.bd("d", &["init"]).ok();
    assert!(
        said.out.contains("1 bead read") && said.out.contains("Issue prefix: p"),
        "{}",
        said.out
    );
    assert_eq!(clones.show("d", &id)["priority"], 1);
    let said = clones.bd("c", &["--readonly", "list"]).ok();
    assert!(said.out.contains("A bead"));
}

#[test]
fn a_tracked_folder_without_issues_is_fresh_and_one_in_use_is_not() {
    let clones = Clones::new();
    let id = clones.bead("a", "A bead");
    clones.git(
        "a",
        &[
            "add",
            ".beads/config.yaml",
            ".beads/metadata.json",
            ".beads/.gitignore",
        ],
    );
    clones.git("a", &["commit", "-q", "-m", "Settings"]);
    clones.git("a", &["push", "-q", "origin", "main"]);
    clones.sync("a").ok();
    clones.clone("b");
    assert!(clones.bd("b", &["list"]).ok().out.contains("A bead"));
    let status = clones.git("b", &["status", "--porcelain"]);
    assert!(!status.contains("issues.jsonl"), "{status}");
    std::fs::remove_file(clones.dir("b").join(".beads/issues.jsonl")).unwrap();
    assert!(!clones.bd("b", &["list"]).ok().out.contains("A bead"));
    let said = clones.sync("b").run();
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("was rolled back") && said.err.contains(&id),
        "{}",
        said.err
    );
    clones.bd("b", &["restore", "--lost"]).ok();
    clones.sync("b").ok();
    assert_eq!(clones.show("b", &id)["title"], "A bead");
    clones.agree(&["a", "b"]);
}

#[test]
fn a_rolled_back_issues_file_is_not_synced() {
    let clones = Clones::two();
    let id = clones.bead("a", "First");
    clones.sync("a").ok();
    let old = clones.issues("a");
    clones.bd("a", &["update", &id, "--title", "Second"]).ok();
    let other = clones.bead("a", "Another");
    clones.sync("a").ok();
    std::fs::write(clones.dir("a").join(".beads/issues.jsonl"), old).unwrap();
    let said = clones.sync("a").run();
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains(&id) && said.err.contains(&other),
        "{}",
        said.err
    );
    assert!(clones.shared_issues().contains("Second"));
    let lost = clones.bd("a", &["restore", "--lost", "--dry-run"]).ok();
    assert!(lost.out.contains(&id), "{}", lost.out);
    clones.bd("a", &["restore", "--lost"]).ok();
    clones.sync("a").ok();
    clones.agree(&["a"]);
    assert_eq!(clones.show("a", &id)["title"], "Second");
}

#[test]
fn a_copied_folder_syncs_as_a_separate_clone() {
    let clones = Clones::two();
    clones.bead("a", "A bead");
    clones.sync("a").ok();
    clones.copy("a", "copy");
    let copied = clones.bead("copy", "Made in the copy");
    let own = clones.bead("a", "Made in the first");
    clones.sync("copy").ok();
    clones.sync("a").ok();
    clones.sync("copy").ok();
    assert_ne!(clones.clone_id("a"), clones.clone_id("copy"));
    clones.agree(&["a", "copy"]);
    for clone in ["a", "copy"] {
        for (id, actor) in [(&copied, "tests/copy"), (&own, "tests/a")] {
            let history = clones.bd(clone, &["history", id, "--json"]).ok();
            assert_eq!(actors(&history), [actor]);
        }
    }
}

#[test]
fn beads_also_tracked_on_main_still_sync() {
    let clones = Clones::new();
    let id = clones.bead("a", "On main");
    clones.git("a", &["add", "-A"]);
    clones.git("a", &["commit", "-q", "-m", "Beads"]);
    clones.git("a", &["push", "-q", "origin", "main"]);
    clones.clone("b");
    clones.bd("a", &["update", &id, "--title", "By a"]).ok();
    clones.sync("a").ok();
    clones.bd("b", &["update", &id, "--priority", "0"]).ok();
    clones.sync("b").ok();
    clones.sync("a").ok();
    clones.agree(&["a", "b"]);
    let bead = clones.show("b", &id);
    assert_eq!(
        (&bead["title"], &bead["priority"]),
        (&"By a".into(), &0.into())
    );
    // Only the issues differ from main: history is nobody's leftover.
    assert_eq!(
        clones.git("b", &["status", "--porcelain"]),
        "M .beads/issues.jsonl"
    );
}

#[test]
fn the_next_sync_recovers_from_a_kill_after_any_step() {
    let clones = Clones::two();
    let id = clones.bead("a", "Both change this");
    clones.sync("a").ok();
    clones.sync("b").ok();
    let (base, reference) = (
        clones.dir("a").join(".beads/sync-base"),
        "refs/heads/beads-sync",
    );
    for round in 0..3 {
        let (base_before, tip_before) = (
            std::fs::read(&base).unwrap(),
            clones.git("a", &["rev-parse", reference]),
        );
        let (title, label) = (format!("Title {round}"), format!("label-{round}"));
        clones.bd("a", &["update", &id, "--title", &title]).ok();
        clones.bd("b", &["label", "add", &id, &label]).ok();
        let made = clones.bead("b", &format!("Made in b, {round}"));
        clones.sync("b").ok();
        clones.bd("a", &["sync", "--full", "--no-push"]).ok();
        match round {
            // Before the commit: the store has all, the branch and what is remembered are as they
            // were.
            0 => {
                clones.git("a", &["update-ref", reference, &tip_before]);
                std::fs::write(&base, base_before).unwrap();
            }
            // After the commit, before that was remembered.
            1 => std::fs::write(&base, base_before).unwrap(),
            // After all but the push.
            _ => {}
        }
        // And someone goes on working before the next one.
        clones
            .bd("a", &["update", &id, "--description", &title])
            .ok();
        clones.sync("a").ok();
        clones.sync("b").ok();
        clones.agree(&["a", "b"]);
        let bead = clones.show("b", &id);
        assert_eq!(
            (bead["title"].as_str(), bead["description"].as_str()),
            (Some(&*title), Some(&*title))
        );
        assert_eq!(
            bead["labels"].as_array().unwrap().len(),
            round + 1,
            "{bead}"
        );
        assert_eq!(clones.show("a", &made)["id"], made);
        let history = |clone: &str| {
            let said = clones.bd(clone, &["history", &id, "--json"]).ok();
            said.json().as_array().unwrap().len()
        };
        assert_eq!(history("a"), history("b"));
    }
}

#[test]
fn changes_written_during_a_sync_are_neither_lost_nor_duplicated() {
    let clones = Clones::two();
    std::thread::scope(|scope| {
        for clone in ["a", "b"] {
            let clones = &clones;
            scope.spawn(move || {
                for number in 0..12 {
                    clones.bead(clone, &format!("{clone} {number}"));
                }
            });
            scope.spawn(move || {
                for _ in 0..4 {
                    let said = clones.sync(clone).run();
                    let moved = said.err.contains("moved on origin");
                    assert!(said.code == 0 || moved, "{}{}", said.out, said.err);
                }
            });
        }
    });
    for clone in ["a", "b", "a"] {
        clones.sync(clone).ok();
    }
    clones.agree(&["a", "b"]);
    assert_eq!(clones.issues("a").lines().count(), 25);
    let events = |clone: &str| {
        let said = clones
            .bd(clone, &["activity", "--json", "--limit", "1000"])
            .ok();
        let events = said.json();
        let made = events.as_array().unwrap().iter();
        made.filter(|event| event["type"] == "create").count()
    };
    assert_eq!((events("a"), events("b")), (25, 25));
}

#[test]
fn a_missing_archive_is_restored_from_the_branch() {
    let clones = Clones::two();
    let id = clones.bead("a", "Old");
    clones.bd("a", &["close", &id]).ok();
    let later = "2030-01-01T00:00:00Z";
    let compact = ["compact", "--older-than", "1d"];
    clones.bd("a", &compact).env("BD_NOW", later).ok();
    clones.sync("a").ok();
    let archive = clones.dir("a").join(".beads/archive");
    std::fs::remove_dir_all(&archive).unwrap();
    clones.sync("a").ok();
    let found = clones.bd("a", &["search", "Old", "--archived"]).ok();
    assert!(found.out.contains(&id), "{}", found.out);
}

#[test]
fn changes_removed_by_other_clones_are_not_reported_as_lost() {
    let clones = Clones::two();
    let (old, undone) = (clones.bead("a", "Old"), clones.bead("a", "Undone"));
    clones.bd("a", &["close", &old]).ok();
    clones.sync("a").ok();
    clones.bd("a", &["update", &undone, "--priority", "0"]).ok();
    clones.sync("a").ok();
    clones.sync("b").ok();
    let history = clones.bd("b", &["history", &undone, "--json"]).ok().json();
    let newest = history.as_array().unwrap().last().unwrap();
    let newest = newest["event"].as_str().or(newest["id"].as_str());
    clones.bd("b", &["undo", newest.unwrap()]).ok();
    let compact = ["compact", "--older-than", "1d"];
    let later = "2030-01-01T00:00:00Z";
    clones.bd("b", &compact).env("BD_NOW", later).ok();
    clones.sync("b").ok();
    clones.sync("a").ok();
    clones.agree(&["a", "b"]);
    for clone in ["a", "b"] {
        let lost = clones.bd(clone, &["restore", "--lost", "--dry-run"]).ok();
        assert!(!lost.out.contains(&old), "{clone}: {}", lost.out);
        assert!(!lost.out.contains(&undone), "{clone}: {}", lost.out);
    }
}
