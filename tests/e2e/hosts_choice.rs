//! The choice of the machine for a worker: `sling.hosts` and its like.

use town_tests::{FarMachine, Town};

/// The number of workers with work on the host `big`, and that of all workers.
fn count_workers(town: &Town) -> [usize; 2] {
    let hosts = town.gt(["host", "list", "--json"]).ok().json();
    let workers = town.gt(["polecat", "list", "web", "--json"]).ok().json();
    let on_big = hosts[0]["workers"].as_u64().unwrap();
    [
        usize::try_from(on_big).unwrap(),
        workers.as_array().unwrap().len(),
    ]
}

#[test]
fn settings_choose_the_host_of_a_worker_and_say_why() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    town.script("while :; do sleep 1; done");
    town.gt(["config", "set", "sling.hosts", "big,local"])
        .fails("there is no host `big`");
    far.add_with(&["--limit", "1"]).ok();
    town.gt(["config", "set", "sling.hosts", "big,local"]).ok();
    let beads = [town.bead("web", "One"), town.bead("web", "Two")];
    for bead in &beads {
        town.gt(["sling", bead, "web"]).ok();
    }
    let chosen = town.events("host_chosen");
    assert_eq!(chosen.len(), 1, "{chosen:?}");
    assert_eq!(chosen[0]["payload"]["bead"], beads[0]);
    assert_eq!(count_workers(&town), [1, 2]);
    // Without this machine in the list, a bead waits for a place.
    town.gt(["config", "set", "sling.hosts_by_label.gpu", "big", "--town"])
        .ok();
    let third = town.bead("web", "Three");
    town.bd("web", ["label", "add", &third, "gpu"]).ok();
    let waits = town.gt(["sling", &third, "web"]).ok().out;
    assert!(
        waits.contains("host big has 1 of 1 workers (setting sling.hosts_by_label.gpu)"),
        "{waits}"
    );
    town.patrol();
    let why = town.gt(["why", &third]).ok().out;
    assert!(why.contains("host big has 1 of 1 workers"), "{why}");
    assert_eq!(town.status_of("web", &third), "open");
    town.gt(["unsling", &beads[0]]).ok();
    town.patrol();
    assert_eq!(town.status_of("web", &third), "hooked");
    town.gt(["unsling", &third]).ok();
    town.gt(["host", "remove", "big"])
        .fails("names host big: change it first");
}

#[test]
fn a_host_that_cannot_be_reached_is_passed_over_and_tried_again() {
    let (town, _origin) = Town::with_rig();
    let far = FarMachine::new(&town);
    town.script("while :; do sleep 1; done");
    far.add().ok();
    town.gt(["config", "set", "sling.hosts", "big"]).ok();
    far.cut();
    let bead = town.bead("web", "Work");
    let waits = town.gt(["sling", &bead, "web"]).ok().out;
    assert!(waits.contains("host big is not reachable: "), "{waits}");
    assert_eq!(count_workers(&town), [0, 0]);
    town.gt(["config", "set", "sling.hosts", "big,local"]).ok();
    let other = town.bead("web", "Other work");
    town.gt(["sling", &other, "web"]).ok();
    assert_eq!(count_workers(&town), [0, 1]);
    town.gt(["config", "set", "sling.hosts", "big"]).ok();
    far.mend();
    town.gt(["host", "check", "big"]).ok();
    town.patrol();
    assert_eq!(town.status_of("web", &bead), "hooked");
}
