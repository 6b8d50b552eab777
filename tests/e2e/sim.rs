//! `town-sim` and `gtd run --once --dry-run`.

use town_tests::Town;

#[test]
fn a_simulation_runs_from_a_seed_and_touches_no_town() {
    let town = Town::new();
    let run = |more: &[&str]| {
        let args = ["--seed", "7", "--rigs", "1", "--beads", "4"];
        town.sim(args.into_iter().chain(more.iter().copied())).ok()
    };
    let said = run(&["--count", "2"]).out;
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(
        said.starts_with("seed 7: 4 of 4 beads landed in "),
        "{said}"
    );
    let json = run(&["--json"]).json();
    assert_eq!(
        (json["landed"].as_u64(), &json["faults"]),
        (Some(4), &serde_json::json!([]))
    );
    let log = run(&["--verbose"]).err;
    assert!(log.contains("W1-sling-unblocked on bead r0-"), "{log}");
    town.sim(["--chaos", "earthquake"]).fails("earthquake");
    town.sim(["--rigs", "0"]).fails("1..=1000");
    town.gtd(["sim", "--seed", "7"]).fails("town-sim");
}

#[test]
fn a_dry_run_lists_the_decisions_of_a_pass_and_changes_nothing() {
    let (town, _origin) = Town::with_rig();
    town.script("while :; do sleep 1; done");
    let bead = town.bead("web", "Work");
    town.sling(&bead);
    town.kill_session(&town.sessions()[0]);
    let plan = || town.gtd(["run", "--once", "--dry-run"]).ok().out;
    let said = town_tests::eventually("the end is seen", || {
        let said = plan();
        said.contains("P6-respawn-stalled  worker web/")
            .then_some(said)
    });
    assert!(
        said.contains(&format!("{bead} is on its hook and no session runs")),
        "{said}"
    );
    assert!(town.sessions().is_empty());
    assert!(town.events("respawn").is_empty());
    town.gtd(["run", "--dry-run"]).fails("--once");
}
