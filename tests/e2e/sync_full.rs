//! `bd sync --full`: beads on a branch of their own, between clones.

use std::path::{Path, PathBuf};

use serde_json::Value;
use town_tests::{Repo, Run, Said, Town};

/// Clones of one bare repository.
pub(crate) struct Clones {
    pub(crate) town: Town,
    pub(crate) origin: Repo,
}

impl Clones {
    /// A repository with the clone `a`, which has an empty beads project that is not on `main`.
    pub(crate) fn new() -> Self {
        let town = Town::place();
        std::fs::create_dir_all(town.root()).unwrap();
        let origin = town.origin("beads");
        let clones = Self { town, origin };
        clones.clone("a");
        clones.bd("a", &["init", "--prefix", "p", "--quiet"]).ok();
        clones
    }

    /// The same with a second clone, which began on its own; the branch is there.
    pub(crate) fn two() -> Self {
        let clones = Self::new();
        clones.clone("b");
        clones.bd("b", &["init", "--prefix", "p", "--quiet"]).ok();
        clones.bead("a", "Begin");
        clones.sync("a").ok();
        clones.sync("b").ok();
        clones
    }

    pub(crate) fn dir(&self, clone: &str) -> PathBuf {
        self.town.root().join(clone)
    }

    pub(crate) fn clone(&self, name: &str) {
        let to = self.dir(name);
        let args = ["clone", "-q", self.origin.url(), to.to_str().unwrap()];
        self.town.git_at(&self.town.root(), args).ok();
    }

    pub(crate) fn bd(&self, clone: &str, args: &[&str]) -> Run {
        let actor = format!("tests/{}", clone.split('/').next().unwrap());
        self.town.bd(clone, args.to_vec()).env("BEADS_ACTOR", actor)
    }

    pub(crate) fn git(&self, clone: &str, args: &[&str]) -> String {
        let said = self.town.git_at(&self.dir(clone), args.to_vec()).ok();
        said.text().to_owned()
    }

    pub(crate) fn sync(&self, clone: &str) -> Run {
        self.bd(clone, &["sync", "--full"])
    }

    pub(crate) fn synced(&self, clone: &str) -> Value {
        self.bd(clone, &["sync", "--full", "--json"]).ok().json()
    }

    pub(crate) fn bead(&self, clone: &str, title: &str) -> String {
        let said = self.bd(clone, &["create", title, "--silent"]).ok();
        said.text().to_owned()
    }

    pub(crate) fn show(&self, clone: &str, id: &str) -> Value {
        self.bd(clone, &["show", id, "--json"]).ok().json()[0].clone()
    }

    pub(crate) fn issues(&self, clone: &str) -> String {
        std::fs::read_to_string(self.dir(clone).join(".beads/issues.jsonl")).unwrap()
    }

    /// Copies the folder of a clone, with all that git does not have.
    pub(crate) fn copy(&self, from: &str, to: &str) {
        let (from, to) = (self.dir(from), self.dir(to));
        let script = "cp -r \"$0\" \"$1\"";
        let args = ["-c", script, from.to_str().unwrap(), to.to_str().unwrap()];
        let shell = Run::new(Path::new("/bin/sh"), &self.town.root());
        shell.args(args).ok();
    }

    pub(crate) fn clone_id(&self, clone: &str) -> String {
        let text = std::fs::read_to_string(self.dir(clone).join(".beads/clone-id")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        value["id"].as_str().unwrap().to_owned()
    }

    /// The files of the branch at the remote.
    pub(crate) fn shared(&self) -> Vec<String> {
        let said = self
            .origin
            .git(["ls-tree", "-r", "--name-only", "beads-sync"]);
        said.lines().map(str::to_owned).collect()
    }

    pub(crate) fn shared_issues(&self) -> String {
        self.origin.file("beads-sync", ".beads/issues.jsonl") + "\n"
    }

    pub(crate) fn agree(&self, clones: &[&str]) {
        for clone in clones {
            assert_eq!(self.issues(clone), self.shared_issues(), "{clone}");
        }
    }
}

pub(crate) fn actors(history: &Said) -> Vec<String> {
    let events = history.json();
    let events = events.as_array().unwrap();
    let mut actors: Vec<String> = events
        .iter()
        .map(|event| event["actor"].as_str().unwrap().to_owned())
        .collect();
    actors.sort();
    actors.dedup();
    actors
}

#[test]
fn changes_of_two_clones_to_one_bead_merge_on_the_branch() {
    let clones = Clones::new();
    let id = clones.bead("a", "A bead");
    let first = clones.synced("a");
    assert_eq!(
        (&first["committed"], &first["pushed"]),
        (&true.into(), &true.into())
    );
    assert_eq!(first["sent"], 1);
    clones.clone("b");
    clones.bd("a", &["update", &id, "--title", "By a"]).ok();
    clones.bd("b", &["update", &id, "--priority", "0"]).ok();
    clones.bd("b", &["label", "add", &id, "urgent"]).ok();
    clones.sync("a").ok();
    let second = clones.synced("b");
    assert_eq!(
        (&second["received"], &second["pushed"]),
        (&1.into(), &true.into())
    );
    clones.sync("a").ok();
    for clone in ["a", "b"] {
        let bead = clones.show(clone, &id);
        assert_eq!(
            (&bead["title"], &bead["priority"]),
            (&"By a".into(), &0.into())
        );
        assert_eq!(bead["labels"][0], "urgent");
        let history = clones.bd(clone, &["history", &id, "--json"]).ok();
        assert_eq!(actors(&history), ["tests/a", "tests/b"]);
    }
    clones.agree(&["a", "b"]);
    let mut shared = clones.shared();
    shared.retain(|path| path.contains("/events/"));
    assert_eq!(shared.len(), 2, "one file of history a clone: {shared:?}");
    assert_ne!(clones.clone_id("a"), clones.clone_id("b"));
}

#[test]
fn history_distinguishes_a_sync_from_an_edit_outside_bd() {
    let clones = Clones::new();
    let id = clones.bead("a", "A bead");
    clones.sync("a").ok();
    clones.clone("b");
    clones.bd("b", &["list"]).ok();
    clones.bd("a", &["update", &id, "--title", "By a"]).ok();
    clones.bd("b", &["update", &id, "--priority", "0"]).ok();
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.sync("a").ok();
    clones.bd("a", &["update", &id, "-d", "Later"]).ok();
    clones.sync("a").ok();
    clones.sync("b").ok();
    for (clone, where_b) in [("a", "in another clone"), ("b", "in this clone")] {
        // A line that the other clone merged is known by its history.
        let said = clones.bd(clone, &["restore", "--lost"]).ok().out;
        assert!(said.starts_with("Nothing is lost: "), "{said}");
        let said = clones.bd(clone, &["history", &id]).ok().out;
        let beside = format!("(the next was made {where_b} without the one before it)");
        assert!(said.contains(&beside), "{said}");
        assert!(!said.contains("outside of bd"), "{said}");
        let said = clones.bd(clone, &["history", &id, "--json"]).ok().json();
        let last = said.as_array().unwrap().last().unwrap();
        assert_eq!(last["outside_before"], false, "{last}");
    }
    // Edits of the file by hand are kept.
    let path = clones.dir("a").join(".beads/issues.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let own = clones.bead("a", "Own");
    clones.bd("a", &["update", &own, "--title", "Own two"]).ok();
    clones.bd("a", &["sync"]).ok();
    let now = std::fs::read_to_string(&path).unwrap();
    assert_ne!(now, text);
    std::fs::write(&path, now.replace("Own two", "By hand")).unwrap();
    clones.bd("a", &["update", &own, "-d", "More"]).ok();
    let said = clones.bd("a", &["history", &own]).ok().out;
    assert!(said.contains("(edited or merged outside of bd)"), "{said}");
}

#[test]
fn an_overruled_value_is_reported_and_in_the_history_of_both_clones() {
    let clones = Clones::two();
    let id = clones.bead("a", "A bead");
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones
        .bd("a", &["update", &id, "--title", "First of two"])
        .ok();
    clones
        .bd("b", &["update", &id, "--title", "Second of two"])
        .ok();
    clones.sync("a").ok();
    let said = clones.sync("b").ok();
    assert!(said.err.contains("First of two"), "{}", said.err);
    clones.sync("a").ok();
    clones.agree(&["a", "b"]);
    for clone in ["a", "b"] {
        assert_eq!(clones.show(clone, &id)["title"], "Second of two");
        let history = clones.bd(clone, &["history", &id, "--json"]).ok();
        let merged = history.json();
        let merged = merged.as_array().unwrap().iter();
        let merged: Vec<&Value> = merged.filter(|event| event["verb"] == "merge").collect();
        assert_eq!(merged.len(), 1, "{}", history.out);
        assert!(merged[0].to_string().contains("First of two"));
    }
}

#[test]
fn a_sync_without_changes_makes_no_commit() {
    let clones = Clones::two();
    clones.bead("a", "A bead");
    clones.sync("a").ok();
    let tip = clones.origin.git(["rev-parse", "beads-sync"]);
    let again = clones.synced("a");
    assert_eq!(
        (&again["committed"], &again["pushed"]),
        (&false.into(), &true.into())
    );
    // The other one only follows.
    let other = clones.synced("b");
    assert_eq!(
        (&other["committed"], &other["received"]),
        (&false.into(), &1.into())
    );
    clones.synced("b");
    assert_eq!(clones.origin.git(["rev-parse", "beads-sync"]), tip);
    assert_eq!(clones.git("b", &["rev-parse", "beads-sync"]), tip);
}

#[test]
fn the_commit_has_the_given_message_and_author() {
    let clones = Clones::new();
    clones.bead("a", "A bead");
    clones
        .bd("a", &["sync", "--full", "-m", "Beads of today"])
        .ok();
    let log = |format: &str| clones.origin.git(["log", "-1", format, "beads-sync"]);
    assert_eq!(
        log("--format=%s|%an|%ae"),
        "Beads of today|Dana|dana@example.com"
    );
    clones.bead("a", "Another");
    clones
        .bd(
            "a",
            &["config", "set", "git.author", "Robot <r@example.com>"],
        )
        .ok();
    clones.sync("a").ok();
    assert!(log("--format=%s").starts_with("bd sync: 20"));
    assert_eq!(log("--format=%an|%ce"), "Robot|r@example.com");
    let own = format!(".beads/events/{}/20", clones.clone_id("a"));
    assert!(clones.shared()[0].starts_with(&own));
}

#[test]
fn two_beads_with_the_same_id_both_survive_in_both_clones() {
    let clones = Clones::two();
    for clone in ["a", "b"] {
        let title = format!("Made in {clone}");
        clones
            .bd(clone, &["create", &title, "--id", "p-same", "--silent"])
            .ok();
    }
    clones.sync("a").ok();
    let said = clones.sync("b").ok();
    assert!(
        said.err.contains("two beads were made under this id"),
        "{}",
        said.err
    );
    clones.sync("a").ok();
    clones.agree(&["a", "b"]);
    let issues = clones.issues("a");
    assert!(issues.contains("Made in a") && issues.contains("Made in b"));
    assert_eq!(issues.lines().count(), 3);
    clones.synced("b");
    clones.agree(&["a", "b"]);
}

#[test]
fn a_deletion_reaches_the_other_clone_despite_an_edit_there() {
    let clones = Clones::two();
    let (gone, kept) = (clones.bead("a", "Goes"), clones.bead("a", "Stays"));
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.bd("a", &["delete", &gone, "--force"]).ok();
    clones.bd("b", &["update", &gone, "--title", "Edited"]).ok();
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.sync("a").ok();
    clones.agree(&["a", "b"]);
    for clone in ["a", "b"] {
        assert_ne!(clones.bd(clone, &["show", &gone]).run().code, 0);
        assert_eq!(clones.show(clone, &kept)["title"], "Stays");
        assert!(clones.issues(clone).contains("tombstone"));
    }
}

#[test]
fn beads_that_vanish_from_the_branch_stay_and_are_reported_once() {
    let clones = Clones::two();
    let erased = clones.bead("a", "Erased for good");
    for title in ["One", "Two"] {
        clones.bead("a", title);
    }
    clones.sync("a").ok();
    clones.sync("b").ok();
    // One line of the file stays, and a bead is really deleted.
    clones
        .bd("b", &["delete", &erased, "--hard", "--force"])
        .ok();
    clones.sync("b").ok();
    let whole = clones.shared_issues();
    let first = whole.lines().next().unwrap();
    clones.git("b", &["fetch", "-q"]);
    clones.git(
        "b",
        &["worktree", "add", "-q", "../cut", "origin/beads-sync"],
    );
    std::fs::write(
        clones.dir("cut").join(".beads/issues.jsonl"),
        format!("{first}\n"),
    )
    .unwrap();
    clones.git("cut", &["commit", "-qam", "Oops", "--author", "Kim <k@x>"]);
    clones.git("cut", &["push", "-q", "origin", "HEAD:beads-sync"]);
    let said = clones.sync("a").ok();
    assert!(
        said.err.contains("2 beads removed by") && said.err.contains("by Kim"),
        "{}",
        said.err
    );
    assert_eq!(clones.issues("a"), whole);
    assert_eq!(clones.shared_issues(), whole);
    for clone in ["a", "b"] {
        let said = clones.sync(clone).ok();
        assert!(!said.err.contains("removed by"), "{}", said.err);
        assert_ne!(clones.bd(clone, &["show", &erased]).run().code, 0);
    }
    clones.agree(&["a", "b"]);
}

#[test]
fn the_archive_is_synced_in_both_directions() {
    let clones = Clones::two();
    let id = clones.bead("a", "Old");
    clones.bd("a", &["close", &id]).ok();
    clones.sync("a").ok();
    clones.sync("b").ok();
    let later = "2030-01-01T00:00:00Z";
    clones
        .bd("a", &["compact", "--older-than", "1d"])
        .env("BD_NOW", later)
        .ok();
    clones.sync("a").ok();
    clones.sync("b").ok();
    clones.agree(&["a", "b"]);
    assert!(!clones.issues("b").contains(&id));
    let found = clones.bd("b", &["search", "Old", "--archived"]).ok();
    assert!(found.out.contains(&id), "{}", found.out);
    clones.bd("b", &["restore", &id]).ok();
    clones.sync("b").ok();
    clones.sync("a").ok();
    clones.agree(&["a", "b"]);
    assert_eq!(clones.show("a", &id)["title"], "Old");
    assert!(!clones.shared().iter().any(|path| path.contains("archive")));
}

#[test]
fn a_remote_that_moves_during_the_push_is_fetched_again() {
    let clones = Clones::two();
    let id = clones.bead("b", "Of b");
    clones.bd("b", &["sync", "--full", "--no-push"]).ok();
    clones.git("b", &["push", "-q", "origin", "beads-sync:waiting"]);
    // Between what the first push saw and what it wants to set, the remote moves.
    let hook = clones.origin.path().join("hooks/pre-receive");
    let flag = clones.town.path("raced");
    let script = format!(
        "#!/bin/sh\n[ -e '{0}' ] && exit 0\ntouch '{0}'\nunset GIT_QUARANTINE_PATH\n\
         exec git update-ref refs/heads/beads-sync refs/heads/waiting\n",
        flag.display()
    );
    executable(&hook, &script);
    clones.bead("a", "Of a");
    let said = clones.synced("a");
    assert_eq!(
        (&said["pushed"], &said["received"]),
        (&true.into(), &1.into())
    );
    assert!(flag.exists());
    assert_eq!(clones.show("a", &id)["title"], "Of b");
    clones.sync("b").ok();
    clones.agree(&["a", "b"]);
}

pub(crate) fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_remote_that_refuses_every_push_is_reported_and_the_commit_stays() {
    let clones = Clones::two();
    let hook = clones.origin.path().join("hooks/pre-receive");
    executable(&hook, "#!/bin/sh\necho no beads here >&2\nexit 1\n");
    clones.bead("a", "A bead");
    let said = clones.sync("a").run();
    assert_eq!(said.code, 1);
    assert!(said.out.contains("no beads here"), "{}", said.out);
    std::fs::remove_file(hook).unwrap();
    let again = clones.synced("a");
    assert_eq!(
        (&again["committed"], &again["pushed"]),
        (&false.into(), &true.into())
    );
    clones.agree(&["a"]);
}

#[test]
fn an_unreachable_remote_is_reported_and_the_commit_stays() {
    let clones = Clones::two();
    clones.bead("a", "A bead");
    let (here, away) = (
        clones.origin.path().to_owned(),
        clones.town.path("away.git"),
    );
    std::fs::rename(&here, &away).unwrap();
    let said = clones.bd("a", &["sync", "--full", "--json"]).run();
    assert_eq!(said.code, 1);
    let said = said.json();
    assert_eq!(
        (&said["committed"], &said["status"]),
        (&true.into(), &"not_pushed".into())
    );
    assert!(
        said["error"]
            .as_str()
            .unwrap()
            .contains("cannot be reached")
    );
    clones.bd("a", &["sync", "--full", "--no-push"]).ok();
    std::fs::rename(&away, &here).unwrap();
    assert_eq!(clones.synced("a")["pushed"], true);
    clones.agree(&["a"]);
}

#[test]
fn beads_are_committed_locally_without_a_remote() {
    let town = Town::place();
    std::fs::create_dir_all(town.root().join("a")).unwrap();
    let dir = town.root().join("a");
    town.git_at(&dir, ["init", "-q"]).ok();
    town.bd("a", ["init", "--prefix", "p"]).ok();
    town.bd("a", ["create", "A bead"]).ok();
    let said = town.bd("a", ["sync", "--full"]).ok();
    assert!(said.out.contains("no remote"), "{}", said.out);
    let file = town
        .git_at(&dir, ["show", "beads-sync:.beads/issues.jsonl"])
        .ok();
    assert!(file.out.contains("A bead"));
    // Outside git there is nothing to commit to.
    std::fs::create_dir_all(town.root().join("plain")).unwrap();
    town.bd("plain", ["init", "--prefix", "q"]).ok();
    let said = town.bd("plain", ["sync", "--full"]).run();
    assert_eq!(said.code, 1);
    assert!(said.err.contains("not in a git repository"), "{}", said.err);
}

#[test]
fn sync_does_not_touch_index_work_tree_head_or_hooks() {
    let clones = Clones::new();
    let dir = clones.dir("a");
    let called = clones.town.path("called");
    let names = [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "pre-push",
        "reference-transaction",
        "post-merge",
    ];
    for name in names {
        let script = format!("#!/bin/sh\necho {name} >> '{}'\nexit 1\n", called.display());
        executable(&dir.join(".git/hooks").join(name), &script);
    }
    std::fs::write(dir.join("shared.txt"), "staged\n").unwrap();
    clones.town.git_at(&dir, ["add", "shared.txt"]).ok();
    std::fs::write(dir.join("shared.txt"), "and changed\n").unwrap();
    std::fs::write(dir.join("new.txt"), "untracked\n").unwrap();
    clones.bead("a", "A bead");
    let index = std::fs::read(dir.join(".git/index")).unwrap();
    let look = || {
        let status = clones.git("a", &["status", "--porcelain"]);
        (
            status,
            clones.git("a", &["rev-parse", "HEAD"]),
            clones.git("a", &["branch", "--show-current"]),
        )
    };
    let before = look();
    let index_before = std::fs::read(dir.join(".git/index")).unwrap();
    assert_eq!(index, index_before);
    clones.sync("a").ok();
    assert_eq!(std::fs::read(dir.join(".git/index")).unwrap(), index);
    assert_eq!(look(), before);
    assert!(!called.exists(), "{:?}", std::fs::read_to_string(&called));
    assert!(before.0.starts_with("MM shared.txt"), "{}", before.0);
}

#[test]
fn a_checked_out_sync_branch_is_left_alone() {
    let clones = Clones::two();
    clones.bead("a", "A bead");
    let tree = clones.town.path("tree");
    clones.git(
        "a",
        &[
            "worktree",
            "add",
            "-q",
            tree.to_str().unwrap(),
            "beads-sync",
        ],
    );
    let tip = clones.git("a", &["rev-parse", "beads-sync"]);
    let said = clones.sync("a").run();
    assert_eq!(said.code, 1);
    assert!(said.err.contains("checked out in"), "{}", said.err);
    assert_eq!(clones.git("a", &["rev-parse", "beads-sync"]), tip);
    for name in ["main", "-x", "a..b"] {
        let said = clones.sync("a").env("BEADS_SYNC_BRANCH", name).run();
        assert_eq!(said.code, 1, "{name}");
        assert!(
            said.err.contains("cannot be committed to the branch"),
            "{}",
            said.err
        );
    }
}

#[test]
fn an_empty_branch_name_turns_sync_off() {
    let clones = Clones::new();
    clones.bead("a", "A bead");
    clones.bd("a", &["config", "set", "sync-branch", ""]).ok();
    let said = clones.sync("a").run();
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("nothing is committed, merged or pushed"),
        "{}",
        said.err
    );
    assert_eq!(clones.git("a", &["branch", "--list", "beads-sync"]), "");
    clones
        .bd("a", &["config", "set", "sync-branch", "team/beads"])
        .ok();
    clones.sync("a").ok();
    assert_ne!(clones.origin.git(["rev-parse", "team/beads"]), "");
}

#[test]
fn a_dry_run_lists_unsynced_changes_and_changes_nothing() {
    let clones = Clones::two();
    clones.bead("a", "A bead");
    let tip = clones.git("a", &["rev-parse", "beads-sync"]);
    let said = clones.bd("a", &["sync", "--full", "--dry-run"]).ok();
    assert!(
        said.out
            .contains("Would commit 1 changed bead to beads-sync"),
        "{}",
        said.out
    );
    assert_eq!(clones.git("a", &["rev-parse", "beads-sync"]), tip);
    clones.sync("a").ok();
    let said = clones
        .bd("a", &["sync", "--full", "--dry-run", "--json"])
        .ok()
        .json();
    assert_eq!(said["sent"], 0);
}
