//! Files that git rolled back: what left is reported, waits, and comes back or is discarded;
//! nothing else is reported.

use super::merge::Project;
use super::sync_full::Clones;

/// One bead in git and, since then, one changed and one made; the ids of both.
fn changed(is_committed: bool) -> (Project, [String; 2]) {
    let project = Project::new();
    let id = project.bead("a", "Old");
    project.commit("a", "A bead");
    project.git("a", &["branch", "-q", "side"]).ok();
    project.bd("a", &["update", &id, "--title", "New"]).ok();
    let made = project.bead("a", "Made");
    if is_committed {
        project.commit("a", "New and made");
    }
    (project, [id, made])
}

const FILE: &str = ".beads/issues.jsonl";

/// What takes the file back, and whether the changes are committed before.
const WAYS: [(&[&str], bool); 6] = [
    (&["reset", "-q", "--hard"], false),
    (&["checkout", "-q", "--", FILE], false),
    (&["stash", "-q"], false),
    (&["reset", "-q", "--hard", "HEAD~1"], true),
    (&["checkout", "-q", "side"], true),
    (&["revert", "--no-edit", "HEAD"], true),
];

#[test]
fn every_rollback_is_reported_once_and_restored_byte_for_byte() {
    for (way, is_committed) in WAYS {
        let (project, ids) = changed(is_committed);
        let whole = project.issues("a");
        project.git("a", way).ok();
        let old = project.issues("a");
        assert_ne!(old, whole, "{way:?}");
        let said = project.bd("a", &["list"]).ok();
        // The two commands are on lines of their own.
        assert_eq!(said.err.lines().count(), 3, "{way:?}: {}", said.err);
        for words in ["was rolled back", "bd restore --lost", &ids[0], &ids[1]] {
            assert!(said.err.contains(words), "{way:?}: {}", said.err);
        }
        assert_eq!(project.bd("a", &["list"]).ok().err, "", "{way:?}");
        assert_eq!(project.issues("a"), old, "nothing is revived silently");
        let doctor = project.bd("a", &["doctor"]).run();
        assert!(doctor.out.contains("bd restore --lost"), "{}", doctor.out);
        let dry = ["restore", "--lost", "--dry-run"];
        let said = project.bd("a", &dry).ok().out;
        assert!(ids.iter().all(|id| said.contains(id)), "{way:?}: {said}");
        assert_eq!(project.issues("a"), old, "{way:?}");
        project.bd("a", &["restore", "--lost"]).ok();
        assert_eq!(project.issues("a"), whole, "{way:?}");
        let said = project.bd("a", &["restore", "--lost"]).ok().out;
        assert!(said.contains("Nothing is lost: "), "{way:?}: {said}");
    }
}

#[test]
fn a_discarded_rollback_is_not_reported_again() {
    for (way, is_committed) in WAYS {
        let (project, ids) = changed(is_committed);
        project.git("a", way).ok();
        let old = project.issues("a");
        let said = project.bd("a", &["restore", "--discard", "--json"]).ok();
        let said = said.json();
        assert_eq!(said.as_array().unwrap().len(), 2, "{said}");
        project.bd("a", &["update", &ids[0], "-p", "0"]).ok();
        for command in [&["list"][..], &["sync"], &["restore", "--lost"]] {
            let said = project.bd("a", command).ok();
            assert!(!said.err.contains("rolled back"), "{way:?}: {}", said.err);
        }
        assert_eq!(project.show("a", &ids[0])["title"], "Old", "{way:?}");
        project.bd("a", &["show", &ids[1]]).fails("no issue found");
        assert_eq!(old.lines().count(), project.issues("a").lines().count());
    }
}

#[test]
fn a_rollback_undone_by_git_is_no_longer_pending() {
    for (there, back) in [
        (&["stash", "-q"][..], &["stash", "pop", "-q"][..]),
        (&["checkout", "-q", "side"], &["checkout", "-q", "main"]),
        (
            &["reset", "-q", "--hard", "HEAD~1"],
            &["reset", "-q", "--hard", "ORIG_HEAD"],
        ),
    ] {
        let (project, _) = changed(there[0] != "stash");
        let whole = project.issues("a");
        project.git("a", there).ok();
        assert!(
            project
                .bd("a", &["list"])
                .ok()
                .err
                .contains("was rolled back")
        );
        project.git("a", back).ok();
        assert_eq!(project.issues("a"), whole);
        assert_eq!(project.bd("a", &["list"]).ok().err, "", "{there:?}");
        let said = project.bd("a", &["restore", "--lost"]).ok().out;
        assert!(said.contains("Nothing is lost: "), "{there:?}: {said}");
    }
}

#[test]
fn a_rolled_back_label_is_detected_without_a_timestamp() {
    let project = Project::new();
    let id = project.bead("a", "A bead");
    project.commit("a", "A bead");
    project.bd("a", &["label", "add", &id, "mine"]).ok();
    let whole = project.issues("a");
    for way in [
        &["stash", "-q"][..],
        &["stash", "pop", "-q"],
        &["reset", "-q", "--hard"],
    ] {
        project.git("a", way).ok();
        let said = project.bd("a", &["list"]).ok().err;
        let is_back = way.contains(&"pop");
        assert_eq!(
            said.contains("was rolled back"),
            !is_back,
            "{way:?}: {said}"
        );
    }
    project.bd("a", &["restore", "--lost"]).ok();
    assert_eq!(project.issues("a"), whole);
}

/// Changes that give a bead no other time, and what takes them back.
const TIMELESS: [&[&str]; 3] = [
    &["label", "add", "ID", "mine"],
    &["dep", "add", "ID", "OTHER"],
    &["comments", "add", "ID", "Words"],
];

fn timeless(project: &Project, change: &[&str], ids: &[String; 2]) {
    let args: Vec<&str> = change
        .iter()
        .map(|arg| match *arg {
            "ID" => ids[0].as_str(),
            "OTHER" => ids[1].as_str(),
            arg => arg,
        })
        .collect();
    project.bd("a", &args).ok();
}

fn two_beads() -> (Project, [String; 2]) {
    let project = Project::new();
    let ids = ["One", "Two"].map(|title| project.bead("a", title));
    project.commit("a", "Two beads");
    (project, ids)
}

/// What is missing is reported, comes back, and sync does not spread its absence.
fn comes_back(project: &Project, id: &str, whole: &str, what: &str) {
    let old = project.issues("a");
    assert_ne!(old, whole, "{what}");
    let said = project.bd("a", &["list"]).ok().err;
    assert!(
        said.contains("was rolled back") && said.contains(id),
        "{what}: {said}"
    );
    let refused = project.bd("a", &["sync", "--full"]).run();
    assert!(
        refused.err.contains("was rolled back"),
        "{what}: {}",
        refused.err
    );
    project.bd("a", &["restore", "--lost"]).ok();
    assert_eq!(project.issues("a"), whole, "{what}");
}

#[test]
fn every_rollback_of_a_change_without_a_timestamp_is_detected() {
    let ways: [&[&str]; 4] = [
        &["checkout", "-q", "HEAD~1", "--", FILE],
        &["revert", "-n", "HEAD"],
        &["revert", "--no-edit", "HEAD"],
        &["reset", "-q", "--hard", "HEAD~1"],
    ];
    for change in TIMELESS {
        for way in ways {
            let (project, ids) = two_beads();
            timeless(&project, change, &ids);
            project.commit("a", "A change");
            let whole = project.issues("a");
            project.git("a", way).ok();
            comes_back(&project, &ids[0], &whole, &format!("{change:?} {way:?}"));
        }
    }
}

#[test]
fn changes_without_a_time_are_reported_after_a_later_write_of_another_bead() {
    let ways: [&[&str]; 2] = [
        &["revert", "--no-edit", "HEAD~1"],
        &["checkout", "-q", "HEAD~2", "--", FILE],
    ];
    for way in ways {
        let (project, ids) = two_beads();
        timeless(&project, TIMELESS[0], &ids);
        project.commit("a", "A label");
        project.bd("a", &["update", &ids[1], "-p", "1"]).ok();
        project.commit("a", "Priority");
        project.bd("a", &["list"]).ok();
        let whole = project.issues("a");
        project.git("a", way).ok();
        comes_back(&project, &ids[0], &whole, &format!("{way:?}"));
    }
}

#[test]
fn a_rolled_back_removal_is_detected() {
    // Before and after a commit of it, and in a repository without a reflog.
    let ways: [(&[&str], bool, bool); 4] = [
        (&["checkout", "-q", "--", FILE], false, false),
        (&["restore", "."], false, false),
        (&["reset", "-q", "--hard", "HEAD~1"], true, false),
        (&["reset", "-q", "--hard", "HEAD~1"], true, true),
    ];
    for (way, is_committed, is_without_reflog) in ways {
        let (project, ids) = two_beads();
        if is_without_reflog {
            let config = ["config", "core.logAllRefUpdates", "false"];
            project.git("a", &config).ok();
        }
        timeless(&project, TIMELESS[0], &ids);
        project.commit("a", "A label");
        project.bd("a", &["label", "remove", &ids[0], "mine"]).ok();
        if is_committed {
            project.commit("a", "No label");
        }
        let whole = project.issues("a");
        project.git("a", way).ok();
        comes_back(&project, &ids[0], &whole, &format!("{way:?}"));
    }
}

#[test]
fn the_return_of_a_deleted_or_archived_bead_is_reported() {
    for change in [
        &["delete", "ID", "--hard", "--force"][..],
        &["compact", "--older-than", "0d"],
    ] {
        let (project, ids) = two_beads();
        project.bd("a", &["close", &ids[0]]).ok();
        project.commit("a", "Closed");
        timeless(&project, change, &ids);
        let whole = project.issues("a");
        assert!(!whole.contains("One"), "{change:?}");
        project.git("a", &["checkout", "-q", "--", FILE]).ok();
        comes_back(&project, &ids[0], &whole, &format!("{change:?}"));
        project.git("a", &["checkout", "-q", "--", FILE]).ok();
        project.bd("a", &["restore", "--discard"]).ok();
        let said = project.bd("a", &["list", "--all"]).ok();
        assert!(
            said.err.is_empty() && said.out.contains("One"),
            "{}{}",
            said.err,
            said.out
        );
    }
}

#[test]
fn values_that_others_set_back_are_reported_and_can_be_accepted() {
    let (project, ids) = two_beads();
    timeless(&project, TIMELESS[0], &ids);
    project.bd("a", &["close", &ids[1]]).ok();
    project.commit("a", "A label and a close");
    project.clone("b");
    project.bd("b", &["label", "remove", &ids[0], "mine"]).ok();
    project.bd("b", &["reopen", &ids[1]]).ok();
    project.commit("b", "Neither");
    project.bd("a", &["create", "Another"]).ok();
    project.commit("a", "Another");
    let theirs = project.dir("b");
    let from = [
        "pull",
        "-q",
        "--no-rebase",
        "--no-edit",
        theirs.to_str().unwrap(),
        "main",
    ];
    project.git("a", &from).ok();
    // Without b's history, this is how a rollback looks. Nothing changes before the decision.
    let found = project.issues("a");
    let said = project.bd("a", &["list"]).ok().err;
    assert_eq!(said.lines().count(), 3, "{said}");
    for id in &ids {
        assert!(said.contains(id.as_str()), "{said}");
    }
    assert_eq!(project.issues("a"), found);
    project.bd("a", &["restore", "--discard"]).ok();
    assert_eq!(project.issues("a"), found);
    project.bd("a", &["update", &ids[1], "-p", "0"]).ok();
    for command in ["list", "sync"] {
        assert_eq!(project.bd("a", &[command]).ok().err, "", "{command}");
    }
    assert_eq!(project.show("a", &ids[1])["status"], "open");
    assert!(!project.issues("a").contains("mine"));
}

#[test]
fn a_rolled_back_return_to_an_earlier_value_is_detected_after_a_pull() {
    let (project, ids) = two_beads();
    project.bd("a", &["close", &ids[0]]).ok();
    project.commit("a", "Closed");
    project.clone("b");
    project.bd("b", &["update", &ids[0], "-p", "0"]).ok();
    project.commit("b", "Priority");
    project.bd("a", &["reopen", &ids[0]]).ok();
    project.git("a", &["stash", "-q"]).ok();
    let theirs = project.dir("b");
    let pull = ["pull", "-q", theirs.to_str().unwrap(), "main"];
    project.git("a", &pull).ok();
    let said = project.bd("a", &["list"]).ok().err;
    assert!(said.contains("was rolled back"), "{said}");
    project.bd("a", &["restore", "--lost"]).ok();
    let bead = project.show("a", &ids[0]);
    assert_eq!(
        (&bead["status"], &bead["priority"]),
        (&"open".into(), &0.into())
    );
}

#[test]
fn the_rollback_of_an_archived_bead_with_later_changes_is_detected() {
    let (project, ids) = two_beads();
    project.bd("a", &["close", &ids[0]]).ok();
    project.commit("a", "Closed");
    project.git("a", &["checkout", "-q", "-b", "archived"]).ok();
    project.bd("a", &["compact", "--older-than", "0d"]).ok();
    project.git("a", &["add", "-f", ".beads/archive"]).ok();
    project.commit("a", "Archived");
    project.git("a", &["checkout", "-q", "main"]).ok();
    project.bd("a", &["restore", "--discard"]).ok();
    project.bd("a", &["reopen", &ids[0]]).ok();
    project
        .bd("a", &["update", &ids[0], "--title", "Again"])
        .ok();
    project.commit("a", "Reopened");
    project.git("a", &["checkout", "-q", "archived"]).ok();
    let said = project.bd("a", &["list"]).ok().err;
    assert!(
        said.contains("was rolled back") && said.contains(&ids[0]),
        "{said}"
    );
}

#[test]
fn completion_leaves_the_rollback_report_to_a_command() {
    let (project, ids) = changed(false);
    project.git("a", &["checkout", "-q", "--", FILE]).ok();
    let complete = project
        .bd("a", &["--", "bd", "show", ""])
        .env("COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "2")
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "false");
    let said = complete.ok();
    assert!(said.out.contains(&ids[0]), "{}", said.out);
    let said = project.bd("a", &["list"]).ok().err;
    assert!(said.contains("was rolled back"), "{said}");
}

#[test]
fn nothing_is_written_while_a_rollback_cannot_be_recorded() {
    let (project, ids) = changed(false);
    project.git("a", &["checkout", "-q", "--", FILE]).ok();
    let record = project.dir("a").join(".beads/rollback.jsonl");
    std::fs::create_dir(&record).unwrap();
    let said = project.bd("a", &["list"]).ok().err;
    assert!(said.contains("rollback.jsonl"), "{said}");
    project
        .bd("a", &["update", &ids[0], "-p", "0"])
        .fails("rollback.jsonl");
    std::fs::remove_dir(&record).unwrap();
    project.bd("a", &["restore", "--lost"]).ok();
    assert_eq!(project.show("a", &ids[0])["title"], "New");
    assert_eq!(project.show("a", &ids[1])["title"], "Made");
}

#[test]
fn a_damaged_rollback_record_is_kept_and_stops_sync() {
    let (project, ids) = changed(false);
    project.git("a", &["checkout", "-q", "--", FILE]).ok();
    project.bd("a", &["list"]).ok();
    let record = project.dir("a").join(".beads/rollback.jsonl");
    let sound = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, sound.replacen('{', "{{", 1)).unwrap();
    for command in [&["sync", "--full"][..], &["restore", "--lost"]] {
        project.bd("a", command).fails("rollback.jsonl:1");
    }
    project.bd("a", &["update", &ids[0], "-p", "0"]).ok();
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.contains("{{"), "{text}");
}

#[test]
fn changes_by_others_are_never_a_rollback() {
    for how in [
        &["--ff-only"][..],
        &["--no-rebase", "--no-edit"],
        &["--rebase"],
    ] {
        let (project, ids) = changed(true);
        project.clone("b");
        // Upon what was done here.
        project
            .bd("b", &["update", &ids[0], "--title", "By b"])
            .ok();
        project.bd("b", &["close", &ids[1]]).ok();
        project.bead("b", "Made in b");
        project.commit("b", "By b");
        if how != ["--ff-only"] {
            project.bd("a", &["update", &ids[0], "-p", "0"]).ok();
            project.commit("a", "Priority");
        }
        let theirs = project.dir("b");
        let from = [theirs.to_str().unwrap(), "main"];
        project
            .git("a", &[&["pull", "-q"], how, &from[..]].concat())
            .ok();
        let said = project.bd("a", &["list", "--all"]).ok();
        assert!(!said.err.contains("rolled back"), "{how:?}: {}", said.err);
        assert!(said.out.contains("Made in b"), "{how:?}: {}", said.out);
        let said = project.bd("a", &["restore", "--lost"]).ok().out;
        assert!(said.contains("Nothing is lost: "), "{how:?}: {said}");
    }
}

#[test]
fn a_rollback_before_a_pull_is_reported_and_merged_with_foreign_changes() {
    let project = Project::new();
    let id = project.bead("a", "Old");
    project.commit("a", "A bead");
    project.clone("b");
    project.bd("a", &["list"]).ok();
    project.bd("a", &["update", &id, "--title", "Mine"]).ok();
    project.bd("b", &["update", &id, "-p", "0"]).ok();
    project.commit("b", "By b");
    project.git("a", &["reset", "-q", "--hard"]).ok();
    let theirs = project.dir("b");
    let pull = ["pull", "-q", theirs.to_str().unwrap(), "main"];
    project.git("a", &pull).ok();
    let said = project.bd("a", &["list"]).ok().err;
    assert!(
        said.contains("was rolled back") && said.contains(&id),
        "{said}"
    );
    project.bd("a", &["restore", "--lost"]).ok();
    let bead = project.show("a", &id);
    assert_eq!(
        (&bead["title"], &bead["priority"]),
        (&"Mine".into(), &0.into())
    );
}

#[test]
fn a_missing_or_garbage_file_is_restored_with_foreign_changes() {
    for text in [None, Some(""), Some("#!junk\n\u{1}\n")] {
        let (project, ids) = changed(true);
        project.clone("b");
        project.bd("b", &["close", &ids[0]]).ok();
        let whole = project.issues("b");
        let path = project.dir("b").join(FILE);
        match text {
            None => std::fs::remove_file(&path).unwrap(),
            Some(text) => std::fs::write(&path, text).unwrap(),
        }
        let said = project.bd("b", &["list"]).run().err;
        assert!(ids.iter().all(|id| said.contains(id)), "{said}");
        // One alone, and then the others.
        project.bd("b", &["restore", "--lost", &ids[1]]).ok();
        project.bd("b", &["show", &ids[0]]).fails("no issue found");
        project.bd("b", &["restore", "--lost"]).ok();
        assert_eq!(project.issues("b"), whole);
    }
}

/// Two clones whose main has the bead that comes first; `b` did more to it and made another, and
/// `a` has both.
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
fn foreign_changes_are_restored_before_pending_changes_are_reapplied() {
    let (clones, id, other) = shared();
    clones.bd("a", &["update", &id, "--priority", "0"]).ok();
    clones.git("a", &["reset", "-q", "--hard"]);
    let told = clones.bd("a", &["list"]).ok();
    for name in [&id, &other] {
        assert!(told.err.contains(name.as_str()), "{}", told.err);
    }
    assert!(told.err.contains("bd restore --lost"), "{}", told.err);
    let doctor = clones.bd("a", &["doctor"]).run();
    assert!(doctor.out.contains(&other), "{}", doctor.out);
    let before = clones.issues("a");
    assert_eq!(clones.issues("a"), before);
    let said = clones.bd("a", &["restore", "--lost", "--json"]).ok().json();
    assert_eq!(said.as_array().unwrap().len(), 2, "{said}");
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
fn editing_a_rolled_back_bead_discards_no_foreign_changes() {
    {
        let (clones, id, other) = shared();
        clones.git("a", &["reset", "-q", "--hard"]);
        clones.bd("a", &["update", &id, "--priority", "0"]).ok();
        let refused = clones.sync("a").fails("was rolled back");
        assert!(refused.err.contains(&id), "{}", refused.err);
        assert!(clones.shared_issues().contains("By b"));
        clones.bd("a", &["restore", "--lost"]).ok();
        clones.sync("a").ok();
        clones.sync("b").ok();
        clones.agree(&["a", "b"]);
        let bead = clones.show("b", &id);
        assert_eq!(
            (&bead["title"], &bead["priority"]),
            (&"By b".into(), &0.into())
        );
        assert_eq!(clones.show("b", &other)["title"], "Made in b");
    }
}

#[test]
fn a_rolled_back_deletion_is_not_synced_to_others() {
    let (clones, id, other) = shared();
    clones.bd("a", &["delete", &id, &other, "--force"]).ok();
    clones.sync("a").ok();
    // On main the first lives, and the second never was.
    clones.git("a", &["reset", "-q", "--hard"]);
    let refused = clones.sync("a").fails("was rolled back");
    assert!(refused.err.contains(&id), "{}", refused.err);
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

#[test]
fn an_archive_removed_by_git_clean_is_restored_from_history() {
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
    assert!(file("archive").is_some());
    project.git("a", &["clean", "-q", "-fd"]).ok();
    assert_eq!(file("archive"), None);
    let gone = project.bd("a", &["show", &ids[0]]).fails("no issue found");
    assert!(gone.err.contains("bd restore"), "{}", gone.err);
    project.bd("a", &["restore", &ids[0]]).ok();
    assert_eq!(project.show("a", &ids[0])["title"], "One");
}

/// Three beads on main and on the branch, in the clones `a`, which synced, and `b`, which did not
/// yet.
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
fn the_first_sync_of_a_clone_keeps_changes_committed_on_main() {
    let (clones, ids) = on_main();
    clones.bd("b", &["comments", "add", &ids[0], "From b"]).ok();
    clones.bd("b", &["label", "add", &ids[0], "of-b"]).ok();
    clones.bd("b", &["dep", "add", &ids[1], &ids[2]]).ok();
    commit(&clones, "b");
    clones.git("b", &["push", "-q", "origin", "main"]);
    // c has these changes only from git.
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
fn the_first_sync_of_a_clone_keeps_foreign_changes_to_other_fields() {
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
fn separately_committed_changes_are_merged_with_foreign_changes() {
    {
        let (clones, ids) = on_main();
        clones.sync("b").ok();
        clones.bd("a", &["close", &ids[0]]).ok();
        clones.sync("a").ok();
        clones.sync("b").ok();
        clones.git("b", &["reset", "-q", "--hard"]);
        clones.bd("b", &["update", &ids[0], "-d", "By b"]).ok();
        commit(&clones, "b");
        clones.sync("b").fails("was rolled back");
        clones.bd("b", &["restore", "--lost"]).ok();
        let bead = clones.show("b", &ids[0]);
        assert_eq!(
            (&bead["status"], &bead["description"]),
            (&"closed".into(), &"By b".into())
        );
        let said = clones.bd("b", &["restore", "--lost"]).ok();
        assert!(said.out.contains("Nothing is lost: "), "{}", said.out);
        clones.sync("b").ok();
        clones.sync("a").ok();
        clones.agree(&["a", "b"]);
    }
}

#[test]
fn a_removed_bead_beside_committed_garbage_is_not_revived() {
    let (project, ids) = changed(true);
    project.clone("b");
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
fn local_files_stay_in_place_on_a_branch_older_than_the_beads() {
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
