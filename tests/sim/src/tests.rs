use clap::ValueEnum;

use super::*;

fn sim_request(seed: u64, chaos: Vec<ChaosKind>) -> SimRequest {
    SimRequest {
        seed,
        rigs: 2,
        polecats: 3,
        beads: 12,
        chaos,
    }
}

/// Returns the number of seeds: `GASTOWN_SIM=10000` in the nightly run.
fn seed_count() -> u64 {
    let env = kit::sys::Env::from_process();
    let wanted = env.get("GASTOWN_SIM").and_then(|text| text.parse().ok());
    wanted.unwrap_or(500)
}

/// Returns all kinds of trouble, or a single one, because another kind may hide that a rule does
/// not handle it.
fn draw_troubles(seed: u64) -> Vec<ChaosKind> {
    let kinds = ChaosKind::value_variants();
    let number = usize::try_from(seed).unwrap() % (2 * kinds.len());
    kinds.get(number).map_or_else(Vec::new, |kind| vec![*kind])
}

#[test]
fn every_bead_lands_under_every_kind_of_trouble() {
    for seed in 0..seed_count() {
        let result = simulate_town(&sim_request(seed, draw_troubles(seed)));
        let log = result.log.join("\n");
        assert_eq!(result.faults, Vec::<String>::new(), "seed {seed}:\n{log}");
        assert_eq!(result.landed, 12, "seed {seed}:\n{log}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let (first, second) = (
        simulate_town(&sim_request(7, Vec::new())),
        simulate_town(&sim_request(7, Vec::new())),
    );
    assert_eq!(first.log, second.log);
    assert_ne!(first.log, simulate_town(&sim_request(8, Vec::new())).log);
}

#[test]
fn without_trouble_each_bead_takes_one_session_and_no_questions() {
    // This kind of trouble has no effect here, and it excludes all others.
    let result = simulate_town(&sim_request(1, vec![ChaosKind::Daemon]));
    assert_eq!(result.faults, Vec::<String>::new());
    assert_eq!(
        (result.landed, result.sessions, result.messages),
        (12, 12, 0)
    );
}

#[test]
fn an_outage_costs_few_retries_and_one_message() {
    for seed in 0..50 {
        let result = simulate_town(&SimRequest {
            rigs: 3,
            polecats: 10,
            beads: 60,
            ..sim_request(seed, vec![ChaosKind::Outage])
        });
        assert_eq!(result.faults, Vec::<String>::new(), "seed {seed}");
        let stuck = result.log.iter().filter(|line| line.contains("P6-breaker"));
        assert_eq!(
            stuck.count(),
            0,
            "seed {seed}: no breaker opens for an outage"
        );
    }
}
