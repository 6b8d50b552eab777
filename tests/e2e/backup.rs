//! `gt backup` and `gt restore`: a whole town goes to a repository, and comes back elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use town_tests::{Run, Town, Worker, read_text};

/// Runs gt in a restored town.
fn gt_in<'a>(town: &Town, root: &Path, args: impl IntoIterator<Item = &'a str>) -> Run {
    town.gt_at(root, args)
}

fn git_in(town: &Town, folder: &Path, args: &[&str]) -> String {
    town.git_at(folder, args.iter().copied()).ok().out
}

/// All refs of a repository with their commits, without those taken over from sandboxes.
fn refs(town: &Town, folder: &Path) -> String {
    let format = "--format=%(refname) %(objectname)";
    let all = git_in(town, folder, &["for-each-ref", format]);
    let kept = all
        .lines()
        .filter(|line| !line.starts_with("refs/gt/sandbox/"));
    kept.collect::<Vec<_>>().join("\n")
}

/// A worker with a commit, staged, changed and new files, in a town with mail and crew.
fn busy_town() -> Worker {
    let worker = Worker::new();
    let town = &worker.town;
    town.gt(["crew", "add", "dana", "--rig", "web"]).ok();
    let crew = town.root().join("web/crew/dana");
    for words in ["put away", "put away too"] {
        fs::write(crew.join("README.md"), words).unwrap();
        git_in(town, &crew, &["stash", "push", "-q", "-m", words]);
    }
    fs::write(crew.join("draft.txt"), "draft\n").unwrap();
    fs::write(crew.join(OsStr::from_bytes(b"caf\xe9.txt")), "bytes\n").unwrap();
    town.gt(["mail", "send", "mayor/", "-s", "Hello", "-m", "A message"])
        .ok();
    town.gt(["mq", "pause", "web", "--reason", "Wait"]).ok();
    worker.commit("one.txt");
    // A tag of the rig's repository, where a sandbox gets its tags from.
    let tip = worker.git(["rev-parse", "HEAD^"]);
    let repository = town.root().join("web/.repo.git");
    let tag = ["tag", "-a", "v1", "-m", "One", tip.trim()];
    git_in(town, &repository, &tag);
    fs::write(worker.sandbox.join("one.txt"), "changed\n").unwrap();
    fs::write(worker.sandbox.join("new.txt"), "new\n").unwrap();
    fs::write(town.root().join("settings/notes.txt"), "x".repeat(5 << 20)).unwrap();
    worker
}

fn check_restored(worker: &Worker, root: &Path) {
    let (town, old) = (&worker.town, worker.town.root());
    let bead = gt_in(town, root, ["bd", "show", &worker.bead, "--json"])
        .ok()
        .json();
    assert_eq!(bead[0]["status"], "hooked", "{bead}");
    let mail = gt_in(town, root, ["mail", "inbox", "mayor/", "--json"])
        .ok()
        .json();
    assert_eq!(mail[0]["subject"], "Hello", "{mail}");
    for repository in ["web/.repo.git", "web/mayor/rig", "web/crew/dana"] {
        let (before, after) = (
            refs(town, &old.join(repository)),
            refs(town, &root.join(repository)),
        );
        assert_eq!(before, after, "{repository}");
    }
    let sandbox = root.join(worker.sandbox.strip_prefix(&old).unwrap());
    let status = ["status", "--porcelain", "--branch"];
    assert_eq!(git_in(town, &sandbox, &status), worker.git(status));
    assert_eq!(
        fs::read_to_string(sandbox.join("new.txt")).unwrap(),
        "new\n"
    );
    assert_eq!(
        fs::read_to_string(sandbox.join("one.txt")).unwrap(),
        "changed\n"
    );
    let stashes = ["web/crew/dana", "stash", "list", "--format=%gs %H"];
    let listed = [old.as_path(), root]
        .map(|town_root| git_in(town, &town_root.join(stashes[0]), &stashes[1..]));
    assert_eq!(listed[0], listed[1]);
    assert!(listed[0].contains("put away too"), "{}", listed[0]);
    let tag = git_in(town, &sandbox, &["cat-file", "-t", "v1"]);
    assert_eq!(tag, "tag\n");
    let crew = root.join("web/crew/dana");
    assert_eq!(
        fs::read_to_string(crew.join("draft.txt")).unwrap(),
        "draft\n"
    );
    let bytes = crew.join(OsStr::from_bytes(b"caf\xe9.txt"));
    assert_eq!(fs::read_to_string(bytes).unwrap(), "bytes\n");
    for kept in ["settings/notes.txt", "web/.runtime/queue-pause.json"] {
        let [before, after] = [&old, root].map(|town_root| fs::read(town_root.join(kept)).unwrap());
        assert!(before == after, "{kept}");
    }
    // The sandbox reads the beads of the new town.
    let redirect = fs::read_to_string(sandbox.join(".beads/redirect")).unwrap();
    assert!(redirect.starts_with(root.to_str().unwrap()), "{redirect}");
    git_in(
        town,
        &root.join("web/.repo.git"),
        &["fsck", "--connectivity-only"],
    );
    let alternates = root.join("web/.repo.git/objects/info/alternates");
    assert!(!alternates.exists());
    assert!(!root.join(".runtime/backup.git").exists());
}

/// Restores the first of two backups, in which the worker's commit is `tip`.
fn check_restored_by_choice(worker: &Worker, source: &str, backups: [&str; 2], tip: &str) {
    let town = &worker.town;
    let home = town.path("home");
    let listed = town.gt_at(&home, ["restore", source, "--list", "--json"]);
    let listed = listed.ok().json();
    let commits: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|backup| backup["commit"].as_str().unwrap())
        .collect();
    assert_eq!(commits, backups);
    let old = town.path("old");
    let folder = old.to_str().unwrap();
    let restore = |at: &str| town.gt_at(&home, ["restore", source, folder, "--at", at]);
    restore("2020-01-01").fails("there is no backup of");
    assert!(!old.exists(), "a failure leaves no folder");
    restore("sometime").fails("is no time and no commit");
    restore(&backups[1][..12]).ok();
    let sandbox = old.join(worker.sandbox.strip_prefix(town.root()).unwrap());
    assert_eq!(git_in(town, &sandbox, &["rev-parse", "HEAD"]).trim(), tip);
    fs::remove_dir_all(&old).unwrap();
    let today = restore("today").ok().out;
    assert!(today.contains("are in"), "{today}");
    let head = git_in(town, &sandbox, &["rev-parse", "HEAD"]);
    assert_ne!(head.trim(), tip, "the last backup of the day");
    fs::remove_dir_all(&old).unwrap();
}

/// All files below a folder.
fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        found.push(entry.path());
        if entry.path().is_dir() {
            found.extend(files_below(&entry.path()));
        }
    }
    found
}

#[test]
fn a_backup_in_a_folder_is_private_and_restores_the_whole_town() {
    let worker = busy_town();
    let town = &worker.town;
    let (backup, new) = (town.path("backup"), town.path("new"));
    let to = backup.to_str().unwrap();
    town.gt(["rig", "add", "local", "--prefix", "loc"]).ok();
    let saved = town.gt(["backup", to, "--json"]).ok().json();
    assert_eq!(saved["left_out"], serde_json::json!([]), "{saved}");
    let sandbox = worker.sandbox.strip_prefix(town.root()).unwrap();
    let unsaved = saved["unsaved"].to_string();
    assert!(unsaved.contains(sandbox.to_str().unwrap()), "{unsaved}");
    assert!(unsaved.contains("web/crew/dana"), "{unsaved}");
    for path in files_below(&backup).iter().chain([&backup]) {
        let mode = fs::symlink_metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
    assert!(!refs(town, &town.root().join("web/.repo.git")).contains("refs/gt/backup"));
    let restored = town.gt_at(
        &town.path("home"),
        ["restore", to, new.to_str().unwrap(), "--json"],
    );
    let restored = restored.ok().json();
    assert_eq!(
        restored["not_restored"],
        serde_json::json!([]),
        "{restored}"
    );
    check_restored(&worker, &new);
    let origin = git_in(
        town,
        &new.join("local/mayor/rig"),
        &["remote", "get-url", "origin"],
    );
    assert_eq!(origin.trim(), new.join("local/.repo.git").to_str().unwrap());
    gt_in(
        town,
        &new,
        ["doctor", "sandboxes", "rigs", "beads", "paths"],
    )
    .ok();
    // It does not start beside its original.
    town.gt(["daemon", "start"]).ok();
    gt_in(town, &new, ["daemon", "start"]).fails("which runs: both would work on the same beads");
    town.gt(["daemon", "stop"]).ok();
    gt_in(town, &new, ["daemon", "start"]).ok();
    gt_in(town, &new, ["daemon", "stop"]).ok();
    // A restored town can be backed up to the same place.
    gt_in(town, &new, ["backup", to]).ok();
    town.gt_at(&town.path("home"), ["restore", to, new.to_str().unwrap()])
        .fails("is not empty");
}

#[test]
fn later_backups_add_little_and_keep_the_work_of_earlier_ones() {
    let worker = busy_town();
    let town = &worker.town;
    let remote = town.path("origins/backups.git");
    git_in(
        town,
        &town.path("home"),
        &["init", "-q", "--bare", remote.to_str().unwrap()],
    );
    let to = remote.to_str().unwrap();
    let first = town.gt(["backup", to, "--json"]).ok().json();
    let tip = worker.git(["rev-parse", "HEAD"]);
    worker.git(["commit", "-q", "--amend", "-m", "Other words"]);
    let second = town.gt(["backup", to, "--json"]).ok().json();
    let log = git_in(
        town,
        &remote,
        &["log", "--format=%H", "--first-parent", "gastown-backup"],
    );
    let both = [&second["commit"], &first["commit"]].map(|id| id.as_str().unwrap());
    assert_eq!(log.lines().take(2).collect::<Vec<_>>(), both);
    let new_objects = ["rev-list", "--objects", "--count", both[0]];
    let before = format!("^{}", both[1]);
    let count = git_in(town, &remote, &[&new_objects[..], &[&before]].concat());
    assert!(count.trim().parse::<usize>().unwrap() < 60, "{count}");
    git_in(
        town,
        &remote,
        &["merge-base", "--is-ancestor", tip.trim(), both[0]],
    );
    let new = town.path("new");
    let restore = ["restore", to, new.to_str().unwrap()];
    town.gt_at(&town.path("home"), restore).ok();
    check_restored(&worker, &new);
    check_restored_by_choice(&worker, to, both, tip.trim());
    // Another town does not mix its backups into these.
    let other = town.path("other");
    town.gt_at(&town.path("home"), ["install", other.to_str().unwrap()])
        .ok();
    gt_in(town, &other, ["backup", to]).fails("has backups of another town");
    let origin = worker.origin.url().to_owned();
    town.gt(["backup", &origin])
        .fails("is the repository of rig web");
    town.gt(["backup", &format!("{origin}/")])
        .fails("is the repository of rig web");
    let project = town.path("origins/project.git");
    git_in(
        town,
        &town.path("home"),
        &["clone", "-q", "--bare", &origin, project.to_str().unwrap()],
    );
    town.gt(["backup", project.to_str().unwrap()])
        .fails("holds something else, such as refs/heads/main");
    assert!(!refs(town, &project).contains("gastown-backup"));
    town.gt(["backup", "inside"]).fails("is in the town itself");
}

#[test]
fn a_backup_that_is_killed_leaves_the_last_one_whole() {
    let worker = busy_town();
    let town = &worker.town;
    let backup = town.path("backup");
    let to = backup.to_str().unwrap();
    let first = town.gt(["backup", to, "--json"]).ok().json();
    worker.commit("two.txt");
    for words in ["for-each-ref", "hash-object", "push"] {
        town.crash_after_git(words, "");
        town.gt(["backup", to]).run();
        let broken = town.path("bin/git");
        fs::remove_file(&broken).unwrap();
        fs::remove_file(town.path("scripts/crashed")).unwrap();
        let tip = git_in(town, &backup, &["rev-parse", "gastown-backup"]);
        if words != "push" {
            assert_eq!(tip.trim(), first["commit"], "{words}");
        }
        let new = town.path(&format!("new-{words}"));
        let restore = ["restore", to, new.to_str().unwrap()];
        town.gt_at(&town.path("home"), restore).ok();
    }
    // The work of the killed runs is in the next backup.
    town.gt(["backup", to]).ok();
    let new = town.path("new");
    town.gt_at(&town.path("home"), ["restore", to, new.to_str().unwrap()])
        .ok();
    check_restored(&worker, &new);
    assert!(!refs(town, &new.join("web/.repo.git")).contains("refs/gt/backup"));
}

#[test]
fn a_broken_clone_is_left_out_of_a_backup_by_name() {
    let worker = busy_town();
    let town = &worker.town;
    fs::write(town.root().join("web/crew/dana/.git/index"), "broken").unwrap();
    fs::write(town.root().join("web/mayor/rig/.git/HEAD"), "broken").unwrap();
    let (backup, new) = (town.path("backup"), town.path("new"));
    let to = backup.to_str().unwrap();
    let saved = town.gt(["backup", to, "--json"]).ok().json();
    let left_out = saved["left_out"].to_string();
    for words in [
        "web/crew/dana: its uncommitted work cannot be saved",
        "web/mayor/rig: the repository cannot be read",
    ] {
        assert!(left_out.contains(words), "{words}: {left_out}");
    }
    let restore = ["restore", to, new.to_str().unwrap(), "--json"];
    let restored = town.gt_at(&town.path("home"), restore).ok().json();
    let not_restored = restored["not_restored"].to_string();
    assert!(not_restored.contains("web/mayor/rig"), "{not_restored}");
    let sandbox = new.join(worker.sandbox.strip_prefix(town.root()).unwrap());
    assert_eq!(
        fs::read_to_string(sandbox.join("new.txt")).unwrap(),
        "new\n"
    );
}

#[test]
fn a_backup_names_the_shallow_repository_that_its_place_refuses() {
    let worker = busy_town();
    let town = &worker.town;
    let remote = town.path("origins/backups.git");
    let to = remote.to_str().unwrap();
    git_in(town, &town.path("home"), &["init", "-q", "--bare", to]);
    let shallow = town.root().join("web/.repo.git/shallow");
    fs::write(&shallow, worker.git(["rev-parse", "HEAD"])).unwrap();
    let refused = town.gt(["backup", to]);
    let refused = refused.fails("run `git fetch --unshallow` in").err;
    assert!(refused.contains("web/.repo.git"), "{refused}");
    town.gt(["backup", town.path("backup").to_str().unwrap()])
        .ok();
    fs::remove_file(shallow).unwrap();
    town.gt(["backup", to]).ok();
}

#[test]
fn a_backup_goes_to_a_relative_path_outside_of_the_town() {
    let town = Town::new();
    let report = gt_in(&town, &town.root(), ["backup", "../beside", "--json"]);
    let place = report.ok().json()["destination"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        Path::new(&place),
        town.path("beside").canonicalize().unwrap()
    );
    gt_in(&town, &town.root(), ["backup", "inside"]).fails("is in the town itself");
}

#[test]
fn a_backup_through_a_link_into_the_town_is_refused() {
    let town = Town::new();
    let link = town.path("link");
    std::os::unix::fs::symlink(town.root().join("settings"), &link).unwrap();
    let place = link.join("new/backup");
    let place = place.to_str().unwrap();
    for place in [place.to_owned(), format!("file://{place}")] {
        town.gt(["backup", &place]).fails("is in the town itself");
    }
    assert!(!town.root().join("settings/new").exists());
}

#[test]
fn a_hostile_backup_brings_no_file_of_the_machine_and_no_special_bits() {
    let town = Town::new();
    for file in ["linked.txt", "special.txt", "plain.txt", "gone.txt"] {
        fs::write(town.root().join("settings").join(file), "text\n").unwrap();
    }
    let (backup, new) = (town.path("backup"), town.path("new"));
    let to = backup.to_str().unwrap();
    town.gt(["backup", to]).ok();
    let secret = town.path("secret.txt");
    fs::write(&secret, "of the machine\n").unwrap();
    let git = |args: &[&str]| town.git_at(&backup, args.iter().copied());
    let write_blob = |text: &str| {
        let written = git(&["hash-object", "-w", "--stdin"]).input(text);
        written.ok().text().to_owned()
    };
    let branch = "refs/heads/gastown-backup";
    let manifest = git(&["show", &format!("{branch}:manifest.json")])
        .ok()
        .json();
    let mut manifest: serde_json::Value = manifest;
    for file in manifest["files"].as_array_mut().unwrap() {
        match file["path"].as_str().unwrap() {
            "settings/special.txt" => file["mode"] = 0o4755.into(),
            "settings/gone.txt" => file["path"] = "settings".into(),
            _ => {}
        }
    }
    let manifest = write_blob(&manifest.to_string());
    let link = write_blob(secret.to_str().unwrap());
    git(&["read-tree", branch]).ok();
    for (mode, id, path) in [
        ("100644", manifest, "manifest.json"),
        ("120000", link, "files/settings/linked.txt"),
    ] {
        let entry = format!("{mode},{id},{path}");
        git(&["update-index", "--add", "--cacheinfo", &entry]).ok();
    }
    let tree = git(&["write-tree"]).ok().text().to_owned();
    let subject = git(&["log", "-1", "--format=%s", branch]).ok();
    let commit = ["commit-tree", &tree, "-p", branch, "-m", subject.text()];
    let commit = git(&commit).ok().text().to_owned();
    git(&["update-ref", branch, &commit]).ok();
    let restore = ["restore", to, new.to_str().unwrap(), "--json"];
    let restored = town.gt_at(&town.path("home"), restore).ok().json();
    let not_restored = restored["not_restored"].to_string();
    assert!(not_restored.contains("settings: "), "{not_restored}");
    let file = |name: &str| new.join("settings").join(name);
    let linked = read_text(file("linked.txt"));
    assert!(!linked.contains("of the machine"), "{linked}");
    let mode = fs::metadata(file("special.txt"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o755);
    assert_eq!(fs::read_to_string(file("plain.txt")).unwrap(), "text\n");
}
