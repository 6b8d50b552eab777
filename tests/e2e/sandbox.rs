//! Sandboxes that are gone or moved while work is on the hook.

use std::fs;

use town_tests::{Town, eventually};

/// A worker that waits for a file `go` beside the town before it finishes its work, and its bead.
fn waiting_worker() -> (Town, town_tests::Repo, String, String) {
    let (town, origin) = Town::with_rig();
    let go = town.path("go");
    town.script(&format!(
        "[ -e first.txt ] || {{ echo 1 > first.txt; git add .; git commit -qm First; echo 2 > second.txt; }}\n\
         while [ ! -e {go} ]; do sleep 0.1; done",
        go = go.display()
    ));
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    let second = town.sandbox(&worker).join("second.txt");
    eventually("it has begun", || second.exists().then_some(()));
    (town, origin, bead, worker)
}

#[test]
fn a_removed_sandbox_is_added_again_with_its_commits_and_the_last_snapshot() {
    let (town, origin, bead, worker) = waiting_worker();
    // The end of a session saves a snapshot.
    town.kill_session(&town.sessions()[0]);
    town.patrol();
    let other = town.sling(&town.bead("web", "Other"));
    let began = town.sandbox(&other).join("second.txt");
    eventually("the other one has begun", || began.exists().then_some(()));
    for name in [&worker, &other] {
        fs::remove_dir_all(town.sandbox(name).parent().unwrap()).unwrap();
    }
    // The sessions run without their sandboxes: one need for both, and one message.
    for _ in 0..2 {
        town.patrol();
    }
    let status = town.gt(["status", "--json"]).ok().json();
    let needs = status["problems"].as_array().unwrap();
    assert_eq!(needs.len(), 1, "{needs:#?}");
    let retry = "gt polecat retry --all --rig web";
    assert_eq!(needs[0]["next"][0], retry, "{needs:#?}");
    assert_eq!(town.mail("overseer").len(), 1);
    let shown = town.gt(["status"]).ok().out;
    assert!(
        shown.contains("sandbox was removed while its session works on"),
        "{shown}"
    );
    let (_, bare) = worker.split_once('/').unwrap();
    let shown = town.gt(["polecat", "status", bare]).ok().out;
    assert!(
        shown.contains("zombie") && shown.contains("(not there)"),
        "{shown}"
    );
    town.gt(retry.split(' ').skip(1)).ok();
    let retried = town.events("polecat_retried");
    assert_eq!(retried.len(), 2, "{retried:?}");
    assert!(retried[0]["payload"]["session"].is_string(), "{retried:?}");
    fs::write(town.path("go"), "").unwrap();
    town.patrol_in(600);
    eventually("the work is merged", || {
        town.patrol_in(600);
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.file("main", "first.txt"), "1");
    assert_eq!(origin.file("main", "second.txt"), "2");
    let restored = town.events("sandbox_restored");
    assert_eq!(restored.len(), 2, "{restored:?}");
    let of_worker = restored
        .iter()
        .find(|event| event["payload"]["polecat"] == bare)
        .unwrap();
    let snapshot = of_worker["payload"]["snapshot"].as_str().unwrap();
    assert!(
        snapshot.starts_with("refs/gt/snap/web/polecats/"),
        "{snapshot}"
    );
}

#[test]
fn the_work_of_a_town_that_was_moved_goes_on_at_the_new_place() {
    let (town, origin, bead, _worker) = waiting_worker();
    town.kill_all_sessions();
    let moved = town.path("moved");
    fs::rename(town.root(), &moved).unwrap();
    fs::write(town.path("go"), "").unwrap();
    let patrol = || {
        let gtd = town.path("bin/gtd");
        let run = town.other_program(&gtd, &moved).args(["run", "--once"]);
        run.run()
    };
    let shown = || {
        let args = ["why", &bead, "--json"];
        town.gt_at(&moved, args).ok().out
    };
    eventually("the work is merged", || {
        let said = patrol();
        assert!(!said.err.contains("not a git repository"), "{}", said.err);
        shown().contains("is closed").then_some(())
    });
    assert_eq!(origin.file("main", "second.txt"), "2");
    fs::rename(&moved, town.root()).unwrap();
}

#[test]
fn a_sandbox_that_cannot_be_restored_makes_its_worker_stuck_and_the_named_command_works() {
    let (town, origin, bead, worker) = waiting_worker();
    town.kill_all_sessions();
    // A file is in the place of the worker's folder.
    let home = town.sandbox(&worker).parent().unwrap().to_owned();
    fs::remove_dir_all(&home).unwrap();
    fs::write(&home, "").unwrap();
    fs::write(town.path("go"), "").unwrap();
    for _ in 0..3 {
        town.patrol_in(600);
    }
    let mail = town.mail("overseer");
    let stuck: Vec<_> = mail
        .iter()
        .filter(|mail| mail["subject"].as_str().unwrap().contains("STUCK"))
        .collect();
    assert_eq!(stuck.len(), 1, "{mail:?}");
    let body = stuck[0]["body"].as_str().unwrap();
    assert!(body.contains("its sandbox cannot be restored"), "{body}");
    let command = format!("gt sling {bead} web --force");
    assert!(body.contains(&command), "{body}");
    town.gt(["sling", &bead, "web", "--force"]).ok();
    eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    assert_eq!(origin.file("main", "first.txt"), "1");
}

#[test]
fn work_in_a_sandbox_with_a_broken_repository_can_be_taken_off_its_worker() {
    let (town, _origin, bead, worker) = waiting_worker();
    town.kill_all_sessions();
    let git = town.sandbox(&worker).join(".git");
    fs::remove_dir_all(&git).unwrap();
    fs::write(&git, "gitdir: /nowhere/.repo.git/worktrees/rig\n").unwrap();
    town.gt(["unsling", &bead]).ok();
    assert_eq!(town.status_of("web", &bead), "open");
}

#[test]
fn a_merge_in_a_moved_town_keeps_the_records_of_its_sandboxes() {
    let (town, _origin) = Town::with_rig();
    town.gate("web", "true");
    town.script("echo work > \"$GT_BEAD.txt\"");
    let bead = town.bead("web", "Work");
    let worker = town.sling(&bead);
    eventually("it is handed in", || {
        (town.events("done").len() == 1).then_some(())
    });
    eventually("its session has ended", || {
        town.sessions().is_empty().then_some(())
    });
    let inside = town.sandbox(&worker);
    let inside = inside.strip_prefix(town.root()).unwrap().to_owned();
    let moved = town.path("moved");
    fs::rename(town.root(), &moved).unwrap();
    eventually("the work is merged", || {
        let gtd = town.path("bin/gtd");
        let run = town.other_program(&gtd, &moved).args(["run", "--once"]);
        run.run();
        let shown = town.gt_at(&moved, ["why", &bead, "--json"]).ok().out;
        shown.contains("is closed").then_some(())
    });
    let sandbox = moved.join(inside).display().to_string();
    let git = town.program_on_path("git");
    git.args(["-C", &sandbox, "status"]).ok();
    fs::rename(&moved, town.root()).unwrap();
}
