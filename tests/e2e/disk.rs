//! Files that cannot be written: a full disk, and something else in a lock file's place.

use town_tests::{SmallDisk, Town, eventually};

#[test]
fn the_daemon_survives_a_full_disk_and_continues_once_there_is_room() {
    let town = Town::place();
    let Some(disk) = SmallDisk::below(&town, "24m") else {
        return;
    };
    town.install();
    // The disk is smaller than the built-in limit.
    town.gt(["config", "set", "scheduler.min_free_disk_mb", "0"])
        .ok();
    let origin = town.add_rig("web", "web");
    town.script("echo x > work.txt");
    let bead = town.bead("web", "Work");
    town.up();
    disk.fill();
    let status = || town.gt(["daemon", "status", "--json"]).ok().json();
    let (pid, before) = (
        status()["pid"].to_string(),
        status()["heartbeat_count"].as_u64(),
    );
    for pass in 1..=3 {
        let kill = town.program_on_path("kill");
        kill.args(["-HUP", &pid]).ok();
        eventually("the daemon has made a pass", || {
            let now = status();
            assert_eq!(now["running"], true, "it has ended on a full disk");
            (now["heartbeat_count"].as_u64() >= before.map(|count| count + pass)).then_some(())
        });
    }
    // Commands that write nothing still work.
    town.gt(["status"]).ok();
    let said = town.gt(["sling", &bead, "web"]).run();
    assert_ne!(said.code, 0, "{}", said.out);
    disk.free();
    assert_eq!(status()["pid"].to_string(), pid);
    town.gt(["sling", &bead, "web"]).ok();
    town.closed("web", &bead);
    assert_eq!(origin.file("main", "work.txt"), "x");
}

#[test]
fn a_sling_with_an_unusable_lock_file_fails_at_once_and_names_it() {
    let (town, _origin) = Town::with_rig();
    town.script("true");
    let locks = town.root().join("web/.runtime/locks");
    std::fs::remove_dir_all(&locks).ok();
    std::fs::write(&locks, "").unwrap();
    let bead = town.bead("web", "Work");
    let said = town
        .gt(["sling", &bead, "web"])
        .fails("cannot use the lock file");
    assert!(said.err.contains("web/.runtime/locks/"), "{}", said.err);
    assert!(said.err.contains("move it away"), "{}", said.err);
    assert_eq!(town.status_of("web", &bead), "open");
    std::fs::remove_file(&locks).unwrap();
    town.gt(["sling", &bead, "web"]).ok();
}

#[test]
fn gt_down_works_with_an_unusable_daemon_lock_and_gt_up_names_it() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    town.sling(&bead);
    let lock = town.root().join("daemon/daemon.lock");
    std::fs::create_dir_all(&lock).unwrap();
    town.gt(["up"]).fails("daemon.lock; a folder has its name");
    let down = town.gt(["down", "--json"]).ok().json();
    assert_eq!(down["sessions"].as_array().unwrap().len(), 1, "{down}");
    std::fs::remove_dir(&lock).unwrap();
    town.up();
    // One that runs is ended, too.
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    let shutdown = ["shutdown", "--force", "--force", "--json"];
    let down = town.gt(shutdown).ok().json();
    assert_eq!(down["daemon"], true, "{down}");
}
