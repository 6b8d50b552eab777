//! Commits of unfinished work go to the remote.

use town_tests::Worker;

/// More than `patrol.push.interval`.
const LATER: i64 = 6 * 60;

/// The worker's branch, and its tip on origin.
fn branch(worker: &Worker) -> (String, Option<String>) {
    let branch = worker.git(["branch", "--show-current"]).trim().to_owned();
    let listed = worker.git(["ls-remote", "origin", &format!("refs/heads/{branch}")]);
    let tip = listed.split_whitespace().next().map(str::to_owned);
    (branch, tip)
}

fn tip(worker: &Worker) -> String {
    worker.git(["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn commits_are_pushed_after_a_while_and_rewritten_ones_replace_them() {
    let worker = Worker::new();
    worker.town.patrol_in(LATER);
    assert_eq!(branch(&worker).1, None, "there is nothing of its own");
    worker.commit("one.txt");
    worker.town.patrol();
    assert_eq!(branch(&worker).1, None, "it may be done in a moment");
    worker.town.patrol_in(2 * LATER);
    assert_eq!(branch(&worker).1, Some(tip(&worker)));
    worker.git(["commit", "--quiet", "--amend", "-m", "Better words"]);
    worker.town.patrol_in(3 * LATER);
    assert_eq!(branch(&worker).1, Some(tip(&worker)));
    assert!(worker.town.events("push_refused").is_empty());
    // `gt done` pushes to the same branch, and the merge removes it.
    worker.done([]).ok();
    worker.town.gt(["mq", "run", "web"]).ok();
    assert_eq!(worker.town.status_of("web", &worker.bead), "closed");
    assert_eq!(branch(&worker).1, None);
}

#[test]
fn work_of_an_ended_session_is_pushed_immediately() {
    let worker = Worker::new();
    worker.commit("one.txt");
    let name = worker.name.strip_prefix("web/").unwrap();
    worker
        .town
        .gt(["config", "set", "patrol.rules.P6-respawn-stalled", "false"])
        .ok();
    worker.town.kill_session(&format!("gt-web-{name}"));
    // A pass may come before the end of the session is known.
    town_tests::eventually("the work is pushed", || {
        worker.town.patrol();
        (branch(&worker).1 == Some(tip(&worker))).then_some(())
    });
    // The end of the session comes first.
    let why = worker.town.gt(["why", &worker.bead]).ok().out;
    let first = format!(
        "{} is stalled: {} is on its hook and no session runs",
        worker.name, worker.bead
    );
    assert!(why.starts_with(&first), "{why}");
}

#[test]
fn a_refused_push_is_recorded_once_and_foreign_commits_stay() {
    let worker = Worker::new();
    worker.commit("one.txt");
    let (branch_name, _) = branch(&worker);
    worker
        .origin
        .commit("other.txt", "other\n", "Of someone else");
    let foreign = worker.origin.git(["rev-parse", "main"]).trim().to_owned();
    worker.origin.git(["branch", &branch_name, &foreign]);
    for passes in 1..4 {
        worker.town.patrol_in(passes * 20 * LATER);
    }
    assert_eq!(branch(&worker).1, Some(foreign));
    let refused = worker.town.events("push_refused");
    assert_eq!(refused.len(), 1, "{refused:?}");
    let reason = refused[0]["payload"]["reason"].as_str().unwrap();
    assert!(reason.contains("this worker did not push"), "{reason}");
    let mail = worker.town.mail("overseer");
    let about = |mail: &&serde_json::Value| mail.to_string().contains("on this machine only");
    assert_eq!(mail.iter().filter(about).count(), 1, "{mail:?}");
    // When the way is free it is pushed.
    worker
        .origin
        .git(["update-ref", "-d", &format!("refs/heads/{branch_name}")]);
    worker.town.patrol_in(100 * LATER);
    assert_eq!(branch(&worker).1, Some(tip(&worker)));
}

#[test]
fn backup_pushes_obey_their_setting_and_need_a_remote() {
    let worker = Worker::new();
    worker.commit("one.txt");
    let off = ["config", "set", "patrol.rules.K1-push-unfinished", "false"];
    worker.town.gt(off).ok();
    worker.town.patrol_in(LATER);
    assert_eq!(branch(&worker).1, None);
    let on = ["config", "set", "patrol.rules.K1-push-unfinished", "true"];
    worker.town.gt(on).ok();
    // The registry says if a rig has a remote.
    let registry = worker.town.root().join("mayor/rigs.json");
    let text = std::fs::read_to_string(&registry).unwrap();
    std::fs::write(&registry, text.replace(worker.origin.url(), "")).unwrap();
    worker.town.patrol_in(LATER);
    let acted = worker.town.events("patrol");
    let pushed = acted
        .iter()
        .filter(|event| event["payload"]["rule"] == "K1-push-unfinished");
    assert_eq!(pushed.count(), 0, "{acted:?}");
}
