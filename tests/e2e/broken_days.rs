//! Faults around a town are on `gt status`, with their cause and the next step. Daemon, tmux,
//! targets, questions and sandboxes have such tests beside their other ones.

use town_tests::{SmallDisk, Town, Worker};

/// Fails unless the first screen has all these texts.
fn assert_on_status(status: &str, texts: &[&str]) {
    for text in texts {
        assert!(status.contains(text), "`{text}` is missing in\n{status}");
    }
}

#[test]
fn a_full_disk_is_on_the_first_screen() {
    let town = Town::place();
    let Some(disk) = SmallDisk::below(&town, "24m") else {
        return;
    };
    town.install();
    town.add_rig("web", "web");
    town.script("true");
    let bead = town.bead("web", "Work");
    disk.fill();
    let root = town.root();
    let status = town.gt(["status"]).ok().out;
    let cause = "no worker starts: 0 MiB of disk space are free";
    assert_on_status(&status, &[cause, &format!("  df -h {}\n", root.display())]);
    let said = town.gt(["sling", &bead, "web"]).fails("No space left");
    assert!(said.err.contains("make room"), "{}", said.err);
    let setting = ["config", "set", "scheduler.min_free_disk_mb", "0"];
    disk.free();
    town.gt(setting).ok();
    assert!(!town.gt(["status"]).ok().out.contains(cause));
}

#[test]
fn a_worker_that_never_ends_is_on_the_first_screen() {
    let (town, _origin) = Town::with_rig();
    town.script("sleep 3600");
    let bead = town.bead("web", "Endless");
    let name = town.sling(&bead);
    town.patrol();
    town.patrol_in(31 * 60);
    let status = town.gt_in(31, ["status"]).ok().out;
    let causes = [
        "because it made no progress",
        "Working on",
        &format!("  gt polecat retry {name}\n"),
    ];
    assert_on_status(&status, &causes);
    let row = status
        .lines()
        .find(|line| line.contains("stalled"))
        .unwrap();
    assert!(
        row.ends_with(&format!("Next step: gt polecat retry {name}")),
        "the last words stand before the next step: {row}"
    );
}

#[test]
fn an_unreachable_remote_is_on_the_first_screen() {
    let worker = Worker::new();
    let town = &worker.town;
    let away = worker.origin.path().with_extension("away");
    worker.commit("work.txt");
    std::fs::rename(worker.origin.path(), &away).unwrap();
    worker
        .done(["--summary", "done"])
        .fails("does not appear to be");
    let need = "The remote of rig web cannot be reached";
    let status = town.gt(["status"]).ok().out;
    assert_eq!(status.matches(need).count(), 1, "{status}");
    for words in ["⇡ hands in", "waits for the step", "ls-remote origin HEAD"] {
        assert!(status.contains(words), "{words}: {status}");
    }
    assert!(!status.contains("zombie"), "{status}");
    std::fs::rename(&away, worker.origin.path()).unwrap();
    // The wait for the next try ends at once.
    town.gt(["polecat", "retry", &worker.name]).ok();
    assert_eq!(worker.requests().len(), 1);
    std::fs::rename(worker.origin.path(), &away).unwrap();
    town.patrol();
    let causes = [
        "! each try fails",
        "does not appear to be",
        "→ gt mq list web",
    ];
    assert_on_status(&town.gt(["status"]).ok().out, &causes);
    let status = town.gt(["status", "--json"]).ok().json();
    assert!(status["rigs"][0]["mq_failing"].is_string(), "{status}");
    let problems = status["problems"].to_string();
    assert_eq!(problems.matches(need).count(), 1, "{problems}");
    std::fs::rename(&away, worker.origin.path()).unwrap();
    worker.merge();
    let status = town.gt(["status"]).ok().out;
    assert!(
        !status.contains("each try fails") && !status.contains(need),
        "{status}"
    );
}
