//! Text and files that come with a repository reach no file, program or setting of the user.

use std::fs;

use serde_json::json;
use town_tests::{Town, Worker};

#[test]
fn a_rig_with_a_link_in_its_beads_folder_is_not_added() {
    for name in ["issues.jsonl", "index.bin", "config.yaml"] {
        let town = Town::new();
        let origin = town.origin("web");
        let private = town.path("private");
        fs::write(&private, "mine\n").unwrap();
        origin.commit(".beads/metadata.json", "{}\n", "Beads");
        origin.commit_link(&format!(".beads/{name}"), &private);
        let refused = town
            .gt(["rig", "add", "web", origin.url(), "--prefix", "web"])
            .fails("it is a symbolic link, not a regular file");
        assert!(refused.err.contains(name), "{}", refused.err);
        assert_eq!(fs::read_to_string(&private).unwrap(), "mine\n");
    }
}

#[test]
fn a_label_of_the_rig_bead_runs_no_command_and_skips_no_review() {
    let worker = Worker::new();
    let town = &worker.town;
    let mark = town.path("owned");
    let command = format!("merge_queue.test_command:touch {}", mark.display());
    for label in [command.as_str(), "merge_queue.require_review:false"] {
        town.bd("web", ["label", "add", "web-rig-web", label]).ok();
    }
    town.gt([
        "config",
        "set",
        "merge_queue.require_review",
        "true",
        "--rig",
        "web",
    ])
    .ok();
    worker.commit_text("a.txt", "a\n");
    let request = worker.hand_in();
    // Nor does a review or a waiver that is written into the request.
    let mut metadata = town.show("web", &request)["metadata"].clone();
    metadata["queue"] = json!({ "reviewed_by": "mayor/", "passed": ["x"] });
    let update = ["update", &request, "--metadata", &metadata.to_string()];
    town.bd("web", update).ok();
    let merged = worker.merge();
    assert_eq!(merged["outcome"], "needs_person", "{merged}");
    town.gt(["mq", "retry", &request]).ok();
    assert_eq!(worker.merge()["outcome"], "merged");
    assert!(!mark.exists());
    let doctor = town.gt(["doctor"]).run();
    assert!(
        doctor
            .out
            .contains("\"merge_queue.require_review:false\" of the rig's bead has no effect"),
        "{}",
        doctor.out
    );
}

#[test]
fn settings_are_not_readable_by_other_users() {
    use std::os::unix::fs::PermissionsExt;
    let (town, _) = Town::with_rig();
    let mode = |name: &str| {
        let found = fs::metadata(town.root().join(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    for name in ["settings/config.json", "web/settings/config.json"] {
        fs::remove_file(town.root().join(name)).ok();
        let scope = if name.starts_with("web") {
            "--rig=web"
        } else {
            "--town"
        };
        town.gt(["config", "set", "max_polecats", "3", scope]).ok();
        assert_eq!(mode(name), 0o600, "{name}");
        fs::set_permissions(town.root().join(name), fs::Permissions::from_mode(0o644)).unwrap();
        town.gt(["config", "set", "max_polecats", "4", scope]).ok();
        assert_eq!(mode(name), 0o640, "{name}");
    }
}

#[test]
fn a_description_longer_than_an_argument_reaches_the_agent() {
    let (town, origin) = Town::with_rig();
    town.script(r#"wc -c < "$GT_BEAD_DESCRIPTION_FILE" > size.txt"#);
    let description = "x".repeat(300_000);
    let file = town.path("description");
    fs::write(&file, &description).unwrap();
    let file = format!("--body-file={}", file.display());
    let bead = town.bd("web", ["create", "Long", "--silent", &file]).ok();
    town.up();
    town.sling(bead.text());
    town.closed("web", bead.text());
    assert_eq!(origin.file("main", "size.txt").trim(), "300000");
}

/// Each change of the shared configuration that a worker can make in its sandbox.
const REMOTE_CHANGES: [&[&str]; 5] = [
    &["remote", "set-url", "origin", "FORK"],
    &["remote", "rename", "origin", "upstream"],
    &["remote", "remove", "origin"],
    &["config", "remote.origin.pushurl", "FORK"],
    &["config", "url.FORK.insteadOf", "ORIGIN"],
];

#[test]
fn a_remote_that_was_changed_counts_only_in_the_rigs_repository_and_is_restored_there() {
    let mut worker = Worker::new();
    let fork = worker.town.origin("fork");
    for (number, change) in REMOTE_CHANGES.iter().enumerate() {
        if number > 0 {
            worker.take_another();
        }
        let town = &worker.town;
        let file = format!("{number}.txt");
        worker.commit_text(&file, "a\n");
        let args = change.iter().map(|word| {
            word.replace("FORK", fork.url())
                .replace("ORIGIN", worker.origin.url())
        });
        let args: Vec<String> = args.collect();
        worker.git(args.iter().map(String::as_str));
        let before = fork.git(["for-each-ref"]);
        town.patrol();
        assert_eq!(town.events("remote_restored").len(), number, "{change:?}");
        let repository = town.root().join("web/.repo.git");
        town.git_at(&repository, args.iter().map(String::as_str))
            .ok();
        worker.hand_in();
        assert_eq!(worker.merge()["outcome"], "merged", "{change:?}");
        assert_eq!(worker.origin.file("main", &file), "a", "{change:?}");
        assert_eq!(fork.git(["for-each-ref"]), before, "{change:?}");
        let mail = town.mail("overseer");
        let about = mail.iter().filter(|mail| {
            let subject = mail["subject"].as_str().unwrap();
            subject.contains("The remote of web differed")
        });
        // A renamed and a removed remote are the same finding, which is reported once.
        let findings = number + 1 - usize::from(number >= 2);
        assert_eq!(about.count(), findings, "{change:?}: {mail:?}");
        assert_eq!(town.events("remote_restored").len(), number + 1);
    }
}

#[test]
fn a_hook_may_decline_a_push_in_any_words() {
    let worker = Worker::new();
    worker.commit_text("a.txt", "a\n");
    worker
        .origin
        .hook("pre-receive", "echo 'found TODO but expected none'; exit 1");
    let refused = worker.done(["--summary", "done"]).run();
    assert_ne!(refused.code, 0);
    assert!(
        refused.err.contains("found TODO but expected none"),
        "{}",
        refused.err
    );
}

#[test]
fn a_folder_with_a_repository_of_its_own_is_not_handed_in_as_a_link() {
    let worker = Worker::new();
    let inner = worker.sandbox.join("scaffold");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("a.txt"), "a\n").unwrap();
    for args in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["commit", "-qm", "Scaffold"],
    ] {
        worker.town.git_at(&inner, args.to_vec()).ok();
    }
    worker.commit("b.txt");
    worker
        .done(["--summary", "done"])
        .fails("scaffold is a git repository of its own");
    fs::rename(inner.join(".git"), worker.town.path("inner.git")).unwrap();
    worker.git(["rm", "-q", "--cached", "scaffold"]);
    worker.git(["add", "scaffold"]);
    worker.git(["commit", "-qm", "Add the files"]);
    worker.hand_in();
    assert_eq!(worker.merge()["outcome"], "merged");
    assert_eq!(worker.origin.file("main", "scaffold/a.txt"), "a");
}

#[test]
fn the_files_of_an_inner_repository_survive_nuke_and_the_next_sling() {
    for is_nuked in [true, false] {
        let worker = Worker::new();
        let town = &worker.town;
        let inner = worker.sandbox.join("tool");
        fs::create_dir(&inner).unwrap();
        town.git_at(&inner, ["init", "-q"]).ok();
        fs::write(inner.join("main.rs"), "fn main() {}\n").unwrap();
        town.gt(["unsling", &worker.bead]).ok();
        if is_nuked {
            town.gt(["polecat", "nuke", &worker.name])
                .fails("tool is a git repository of its own");
            town.gt(["polecat", "nuke", &worker.name, "--force"]).ok();
        } else {
            town.sling(&town.bead("web", "Next"));
            assert!(!inner.exists(), "the next worker does not find it");
        }
        let moved = &town.events("inner_repositories_moved")[0]["payload"];
        assert_eq!(moved["folders"][0], "tool");
        let aside = std::path::Path::new(moved["moved_to"].as_str().unwrap());
        assert!(aside.join("tool/.git").is_dir());
        let saved = town.gt(["rescue", "list", "--json"]).ok().json();
        let reference = saved[0]["ref"].as_str().unwrap();
        let into = town.path("restored");
        let url = worker.origin.url();
        town.git_at(&town.root(), ["clone", "-q", url, into.to_str().unwrap()])
            .ok();
        let restore = ["rescue", "restore", reference, "--into"];
        town.gt(restore).args([into.to_str().unwrap()]).ok();
        let restored = fs::read_to_string(into.join("tool/main.rs")).unwrap();
        assert_eq!(restored, "fn main() {}\n");
    }
}

#[test]
fn changes_that_git_hides_are_not_reported_as_done() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let worker = Worker::new();
        worker.commit("work.txt");
        worker.git(["update-index", flag, "shared.txt"]);
        fs::write(worker.sandbox.join("shared.txt"), "hidden\n").unwrap();
        let hides = "git hides changes of shared.txt";
        worker.done(["--summary", "s"]).fails(hides);
        worker.done(["--no-change", "nothing"]).fails(hides);
        for unmark in ["--no-assume-unchanged", "--no-skip-worktree"] {
            worker.git(["update-index", unmark, "--", "shared.txt"]);
        }
        worker.git(["commit", "-qam", "Hidden no more"]);
        worker.hand_in();
        assert_eq!(worker.merge()["outcome"], "merged");
        assert_eq!(worker.origin.file("main", "shared.txt"), "hidden");
    }
}

#[test]
fn commits_that_a_worker_left_on_no_branch_are_kept() {
    for with_change in [true, false] {
        let worker = Worker::new();
        let branch = worker.git(["branch", "--show-current"]);
        worker.git(["switch", "-q", "--detach"]);
        worker.commit_text("tried.txt", "tried\n");
        let tip = worker.git(["rev-parse", "HEAD"]);
        worker.git(["switch", "-q", branch.trim()]);
        let report = if with_change {
            worker.commit("work.txt");
            worker.done(["--summary", "s", "--json"]).ok().json()
        } else {
            worker
                .done(["--no-change", "nothing", "--json"])
                .ok()
                .json()
        };
        let reference = report["kept_commits"][0].as_str().unwrap();
        let shown = worker.town.gt(["rescue", "show", reference]).ok();
        assert!(shown.out.contains("tried.txt"), "{}", shown.out);
        let kept = worker.town.gt(["rescue", "list", "--json"]).ok().json();
        assert_eq!(kept[0]["commit"].as_str(), Some(tip.trim()));
        assert_eq!(kept.as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_target_that_begins_to_use_lfs_gives_no_worker_half_its_files_without_git_lfs() {
    let (town, origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    origin.commit(".gitattributes", "*.png filter=lfs\n", "Begin to use it");
    town.without_lfs();
    let refused = town
        .gt(["sling", &bead, "web"])
        .fails("main uses git-lfs, which is not installed");
    assert!(refused.err.contains("get all files"), "{}", refused.err);
    town.gt(["rig", "add", "api", origin.url(), "--prefix", "api"])
        .fails("uses git-lfs, which is not installed: nothing was added");
}
