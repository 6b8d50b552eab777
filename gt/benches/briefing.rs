//! The briefing of a convoy of 500 beads: from the files of the store to the text.
//!
//! `cargo bench -p gt --bench briefing`.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first thing that is wrong"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use bd::bead::{Bead, Dep, DepKind, Kind, Stamp, Status};
use bd::store::{Author, Store, StoreReports, upkeep};
use criterion::{Criterion, criterion_group, criterion_main};
use gt::flow::work::convoy::briefing;
use gt::town::beads::{TownStores, external_ref};
use kit::sys::{Clock, clock};

const BEADS: usize = 500;

/// A closed bead with a summary as long as one may be.
fn finished(number: usize) -> Bead {
    let time = Stamp::parse(&format!(
        "2026-03-{:02}T10:{:02}:00Z",
        1 + number % 28,
        number % 60
    ));
    let mut bead = Bead {
        id: format!("web-{number:03}"),
        title: format!("Part {number} of the import"),
        description: "What has to be done, in a few sentences. ".repeat(12),
        status: Status::Closed,
        assignee: format!("web/polecats/worker{}", number % 10),
        created_at: time.clone(),
        updated_at: time.clone(),
        closed_at: Some(time),
        close_reason: "Merged in 0123456789ab (web-mr-1)".to_owned(),
        ..Bead::default()
    };
    let summary = "Read the parser, moved the table, and found a trap. ".repeat(12);
    bead.set_metadata("summary", summary).unwrap();
    bead
}

fn convoy() -> Bead {
    Bead {
        id: "hq-cv-bench".to_owned(),
        title: "The import".to_owned(),
        issue_type: Kind::Convoy,
        dependencies: (0..BEADS)
            .map(|number| Dep {
                issue_id: "hq-cv-bench".to_owned(),
                depends_on_id: external_ref(&format!("web-{number:03}")),
                kind: DepKind::Tracks,
                ..Dep::default()
            })
            .collect(),
        ..Bead::default()
    }
}

fn store(folder: &Path, prefix: &str, reports: &StoreReports, beads: Vec<Bead>) -> Store {
    let store = Store::create(folder, prefix).unwrap().reporting_to(reports);
    let author = Author {
        agent: None,
        actor: "bench".to_owned(),
        session: String::new(),
        owner: String::new(),
    };
    let clock = Clock::choose(Some("2026-04-01T00:00:00Z"));
    store
        .transact(&author, &clock, |tx| {
            for bead in beads {
                tx.put(bead)?;
            }
            Ok(())
        })
        .unwrap();
    store
}

fn briefings(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let reports = StoreReports::default();
    let rig = store(
        &folder.path().join("web/.beads"),
        "web",
        &reports,
        (0..BEADS).map(finished).collect(),
    );
    let town = store(
        &folder.path().join(".beads"),
        "hq",
        &reports,
        vec![convoy()],
    );
    let read = || TownStores {
        town: town.snapshot().unwrap(),
        rigs: BTreeMap::from([("web".to_owned(), rig.snapshot().unwrap())]),
        unreadable: BTreeMap::new(),
        rollbacks: Vec::new(),
        holds: BTreeMap::new(),
        queue_pauses: BTreeMap::new(),
        target_losses: std::collections::BTreeMap::new(),
        stopped: None,
    };
    let text = |stores: &TownStores| {
        let convoy = stores.town.get("hq-cv-bench").unwrap();
        let entries = briefing::collect_items(stores, convoy);
        assert_eq!(entries.len(), BEADS);
        briefing::format_briefing(&convoy.title, &entries, "web-000").unwrap()
    };
    // An index made in the moment in which its file changed is in doubt: let both grow older, as
    // they do in a town.
    for store in [&rig, &town] {
        clock::wait_for(Duration::from_millis(100), || None::<()>);
        store.snapshot().unwrap();
        upkeep::run_upkeep(&reports, &Clock::System);
    }
    let mut group = criterion.benchmark_group("briefing of 500 beads");
    group.bench_function("stores read and text made", |bencher| {
        bencher.iter(|| black_box(text(&read())));
    });
    let stores = read();
    group.bench_function("text made", |bencher| {
        bencher.iter(|| black_box(text(&stores)));
    });
    group.finish();
}

criterion_group!(benches, briefings);
criterion_main!(benches);
