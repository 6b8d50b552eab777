//! Beads that are on main and on their branch: reverts, merges and first syncs.

use super::sync_full::Clones;
use super::went_back::{commit, on_main};

fn push(clones: &Clones, clone: &str) {
    clones.git(clone, &["push", "-q", "origin", "HEAD:main"]);
}

fn pull(clones: &Clones, clone: &str) {
    let pull = ["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"];
    clones.git(clone, &pull);
}

fn restored_and_synced(clones: &Clones, clone: &str) {
    for _ in 0..2 {
        clones.bd(clone, &["restore", "--lost"]).ok();
        clones.sync(clone).ok();
    }
    let doctor = clones.bd(clone, &["doctor"]).run();
    assert!(!doctor.out.contains("rolled back"), "{}", doctor.out);
}

#[test]
fn the_hint_resolves_a_revert_on_main_that_sync_refuses() {
    let (clones, ids) = on_main();
    clones
        .bd("b", &["update", &ids[0], "--title", "Wrong"])
        .ok();
    commit(&clones, "b");
    push(&clones, "b");
    pull(&clones, "a");
    clones.sync("a").ok();
    clones.git("b", &["revert", "--no-edit", "HEAD"]);
    push(&clones, "b");
    pull(&clones, "a");
    clones.sync("a").fails("bd restore --lost");
    restored_and_synced(&clones, "a");
}

#[test]
fn changes_of_an_unfinished_merge_are_not_reported_as_lost() {
    let (clones, ids) = on_main();
    clones.bd("b", &["merge", "--install"]).ok();
    let write = |clone: &str| {
        std::fs::write(clones.dir(clone).join("code"), clone).unwrap();
        clones.git(clone, &["add", "code"]);
    };
    clones
        .bd("b", &["delete", "--hard", "--force", &ids[1]])
        .ok();
    write("b");
    commit(&clones, "b");
    push(&clones, "b");
    write("a");
    commit(&clones, "a");
    let pull = ["pull", "-q", "--no-rebase", "origin", "main"];
    let conflict = clones.town.git_at(&clones.dir("a"), pull).run();
    assert_ne!(conflict.code, 0);
    let fixed = clones.bd("a", &["doctor", "--fix"]).run();
    assert!(!fixed.out.contains("in HEAD"), "{}", fixed.out);
    let said = clones.bd("a", &["restore", "--lost"]).ok();
    assert!(!said.out.contains("in HEAD"), "{}", said.out);
}

#[test]
fn a_first_sync_does_not_revive_permanently_removed_beads() {
    let (clones, ids) = on_main();
    clones.clone("c");
    clones
        .bd("c", &["delete", "--hard", "--force", &ids[0]])
        .ok();
    commit(&clones, "c");
    clones.sync("c").ok();
    clones.bd("c", &["show", &ids[0]]).fails("no issue found");
}
