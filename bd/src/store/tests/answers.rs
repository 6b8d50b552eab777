//! The index with the journal as overlay answers every query like a parse of all lines.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use proptest::prelude::*;

use super::{StoreFixture, property_cases, test_author};
use crate::bead::blocked::is_failure;
use crate::bead::lines;
use crate::bead::{Bead, Dep, DepKind, Kind, Stamp, Status};
use crate::graph::explain;
use crate::graph::ready::{self, ReadyOrder, ReadyQuery};
use crate::query::BeadFilter;
use crate::store::{BeadMark, Snapshot, Store};
use kit::sys::file;

const NOW: &str = "2026-03-10T00:00:00Z";
const KINDS: [DepKind; 6] = [
    DepKind::Blocks,
    DepKind::ParentChild,
    DepKind::ConditionalBlocks,
    DepKind::WaitsFor,
    DepKind::Related,
    DepKind::Blocks,
];
const STATUSES: [&str; 9] = [
    "open",
    "open",
    "open",
    "in_progress",
    "blocked",
    "deferred",
    "closed",
    "hooked",
    "odd",
];
const TARGETS: [&str; 3] = ["external:other:thing", "bd-none", "gt-elsewhere"];

/// The numbers that determine a bead.
type BeadSeed = (u8, u8, u8, u8, Vec<(u8, u8)>, u8);

fn any_seed() -> impl Strategy<Value = BeadSeed> {
    let edges = proptest::collection::vec((0u8..15, 0u8..8), 0..3);
    (
        0u8..12,
        any::<u8>(),
        0u8..9,
        any::<u8>(),
        edges,
        any::<u8>(),
    )
}

fn bead_from_seed((number, bits, status, look, edges, time): &BeadSeed) -> Bead {
    let id = match number {
        9 => "bd-x01.1".to_owned(),
        _ => format!("bd-x{number:02}"),
    };
    let at = |minute: u8| {
        Stamp::parse(&format!(
            "2026-03-{:02}T{:02}:10:00Z",
            1 + minute % 20,
            minute % 24
        ))
    };
    let status = Status::from(STATUSES[usize::from(*status)]);
    let is_closed = status == Status::Closed;
    let mut bead = Bead {
        title: format!("Bead {number} of {look}"),
        description: if bits & 1 == 0 {
            "Some words <b>".into()
        } else {
            String::new()
        },
        priority: i64::from(look % 5),
        issue_type: Kind::from(
            ["task", "bug", "epic", "gate", "event", "thing"][usize::from(look % 6)],
        ),
        assignee: ["", "dana", "rig/polecats/toast"][usize::from(bits % 3)].into(),
        created_at: at(*time),
        updated_at: at(time.wrapping_add(1)),
        closed_at: is_closed.then(|| at(time.wrapping_add(3))),
        close_reason: if is_closed && bits & 2 == 0 {
            "failed".into()
        } else {
            String::new()
        },
        defer_until: (bits & 0x0c == 0x0c).then(|| at(time.wrapping_mul(7))),
        due_at: (bits & 0x30 == 0x30).then(|| at(time.wrapping_mul(5))),
        pinned: bits & 0xc0 == 0xc0,
        is_template: bits & 0xc3 == 0x03,
        ephemeral: *number >= 10,
        labels: ["a", "b", "provides:x"]
            .iter()
            .take(usize::from(look % 4))
            .map(|label| (*label).into())
            .collect(),
        status,
        id,
        ..Bead::default()
    };
    add_edges(&mut bead, edges);
    bead.sort_parts();
    bead
}

fn add_edges(bead: &mut Bead, edges: &[(u8, u8)]) {
    for (target, kind) in edges {
        let target = match target {
            12.. => TARGETS[usize::from(target - 12)].to_owned(),
            number => format!("bd-x{number:02}"),
        };
        if bead
            .dependencies
            .iter()
            .any(|edge| edge.depends_on_id == target)
            || target == bead.id
        {
            continue;
        }
        let metadata = match kind {
            6 => "{\"gate\":\"any-children\"}",
            7 => "{\"spawner_id\":\"bd-x03\"}",
            _ => "",
        };
        let kind = if *kind > 5 {
            DepKind::WaitsFor
        } else {
            KINDS[usize::from(*kind)].clone()
        };
        bead.dependencies.push(Dep {
            issue_id: bead.id.clone(),
            depends_on_id: target,
            kind,
            created_at: bead.created_at.clone(),
            metadata: metadata.into(),
            ..Dep::default()
        });
    }
}

/// Returns all beads, parsed from every line.
fn read_all_lines(store: &Store) -> BTreeMap<String, Bead> {
    let mut all = BTreeMap::new();
    for name in ["wisps.jsonl", "issues.jsonl"] {
        let text = file::read_file_if_exists(&store.dir().join(name))
            .unwrap()
            .unwrap_or_default();
        for (_, _, mut bead) in lines::parse_lines(text).beads {
            bead.ephemeral |= name == "wisps.jsonl";
            all.insert(bead.id.clone(), *bead);
        }
    }
    all
}

fn test_now() -> Timestamp {
    NOW.parse().unwrap()
}

/// The blocking rules, implemented again in the simplest way.
struct NaiveStore<'a>(&'a BTreeMap<String, Bead>);

impl NaiveStore<'_> {
    fn live(&self) -> impl Iterator<Item = &Bead> {
        self.0.values().filter(|bead| !bead.is_tombstone())
    }

    fn children(&self, id: &str) -> Vec<&Bead> {
        let is_child = |bead: &&Bead| {
            bead.edges(&DepKind::ParentChild)
                .any(|edge| edge.depends_on_id == id)
        };
        self.0.values().filter(is_child).collect()
    }

    fn is_blocking(&self, edge: &Dep) -> bool {
        let target = self
            .0
            .get(&edge.depends_on_id)
            .filter(|bead| !bead.is_tombstone());
        match (&edge.kind, target) {
            (DepKind::Blocks, Some(target)) => target.status.is_blocking(),
            (DepKind::ConditionalBlocks, Some(target)) => match target.status {
                Status::Open | Status::InProgress | Status::Blocked | Status::Deferred => true,
                Status::Closed => !is_failure(&target.close_reason),
                _ => false,
            },
            (DepKind::WaitsFor, _) => {
                let metadata: serde_json::Value =
                    serde_json::from_str(&edge.metadata).unwrap_or(serde_json::Value::Null);
                let spawner = metadata["spawner_id"]
                    .as_str()
                    .unwrap_or(&edge.depends_on_id);
                if !self.0.contains_key(spawner) {
                    return metadata["gate"] == "any-children";
                }
                let children = self.children(spawner);
                if metadata["gate"] == "any-children" {
                    !children.iter().any(|child| !child.is_open())
                } else {
                    children.iter().any(|child| child.is_open())
                }
            }
            _ => false,
        }
    }

    fn find_blocked(&self) -> HashSet<&str> {
        let waits = |bead: &&Bead| bead.dependencies.iter().any(|edge| self.is_blocking(edge));
        let mut front: Vec<&Bead> = self.live().filter(waits).collect();
        let mut blocked = HashSet::new();
        while let Some(bead) = front.pop() {
            if blocked.insert(bead.id.as_str()) {
                front.extend(self.children(&bead.id));
            }
        }
        blocked
    }

    fn has_open_blocker(&self, bead: &Bead) -> bool {
        let mut edges = bead.edges(&DepKind::Blocks);
        edges.any(|edge| self.is_blocking(edge))
    }
}

fn collect_ids<'a>(beads: impl IntoIterator<Item = &'a Bead>) -> Vec<String> {
    beads.into_iter().map(|bead| bead.id.clone()).collect()
}

fn check_answers(snapshot: &Snapshot, all: &BTreeMap<String, Bead>) {
    let naive = NaiveStore(all);
    let blocked = naive.find_blocked();
    for bead in all.values() {
        let bead_ref = snapshot.bead_ref(&bead.id).unwrap();
        assert_eq!(bead_ref.bead().unwrap(), bead);
        assert_eq!(
            (bead_ref.status(), bead_ref.kind()),
            (bead.status.clone(), bead.issue_type.clone())
        );
        assert_eq!(bead_ref.labels(), bead.labels);
        let is_blocked = ready::is_blocked(snapshot, &bead.id);
        assert_eq!(
            is_blocked,
            blocked.contains(bead.id.as_str()) && !bead.is_tombstone(),
            "{}",
            bead.id
        );
        let mut holders: Vec<&str> = naive
            .live()
            .filter(|other| {
                other
                    .dependencies
                    .iter()
                    .any(|edge| edge.depends_on_id == bead.id)
            })
            .map(|other| other.id.as_str())
            .collect();
        holders.dedup();
        assert_eq!(snapshot.dependent_count(&bead.id), holders.len());
    }
    assert_eq!(snapshot.all().count(), all.len());
    check_counts(snapshot, &naive);
    check_filters(snapshot, &naive);
    check_marks(snapshot, &naive);
    check_ready(snapshot, &naive, &blocked);
    let explained: Vec<String> = explain::explain_unready(snapshot, test_now(), |_| Vec::new())
        .iter()
        .map(|item| item.bead.id.clone())
        .collect();
    let unique: HashSet<&String> = explained.iter().collect();
    assert_eq!(unique.len(), explained.len());
}

/// Checks the beads with certain marks, for each single mark and for several.
fn check_marks(snapshot: &Snapshot, naive: &NaiveStore<'_>) {
    let kinds = [Kind::Task, Kind::Gate, Kind::Convoy];
    let statuses = [Status::Open, Status::Hooked, Status::Closed];
    let labels = ["a", "provides:x", "none"];
    for ((kind, status), label) in kinds.iter().zip(&statuses).zip(labels) {
        let marks = [
            BeadMark::Kind(kind),
            BeadMark::Status(status),
            BeadMark::Label(label),
        ];
        let is = |bead: &Bead, mark: &BeadMark<'_>| match mark {
            BeadMark::Kind(kind) => bead.issue_type == **kind,
            BeadMark::Status(status) => bead.status == **status,
            BeadMark::Label(label) => bead.has_label(label),
        };
        for some in [&marks[..], &marks[..1], &marks[1..2], &marks[2..]] {
            let wanted = |bead: &&Bead| some.iter().any(|mark| is(bead, mark));
            let found = snapshot.select_marked(some, |_| true);
            assert_eq!(
                collect_ids(found),
                collect_ids(naive.live().filter(wanted)),
                "{some:?}"
            );
            let is_open = |bead: &&Bead| bead.is_open() && wanted(bead);
            assert_eq!(
                collect_ids(snapshot.select_open(some)),
                collect_ids(naive.live().filter(is_open)),
                "{some:?}"
            );
        }
    }
}

fn check_counts(snapshot: &Snapshot, naive: &NaiveStore<'_>) {
    let counts = snapshot.counts();
    let of = |wanted: &dyn Fn(&Bead) -> bool| {
        naive.0.values().filter(|bead| wanted(bead)).count() as u64
    };
    assert_eq!(
        counts.blocked,
        of(&|bead| bead.is_open() && naive.has_open_blocker(bead))
    );
    assert_eq!(
        counts.ready,
        of(&|bead| bead.status == Status::Open && !naive.has_open_blocker(bead))
    );
    assert_eq!(counts.pinned, of(&|bead| bead.pinned));
    let is_done_epic = |bead: &Bead| {
        let mut children = naive.children(&bead.id);
        children.retain(|child| !child.is_tombstone());
        let none_open = !children.iter().any(|child| child.is_open());
        bead.issue_type == Kind::Epic && bead.is_open() && !children.is_empty() && none_open
    };
    assert_eq!(counts.epics_done, of(&is_done_epic));
    for status in STATUSES {
        let status = Status::from(status);
        let slot = usize::from(status.code()).min(15);
        assert_eq!(counts.by_status[slot], of(&|bead| bead.status == status));
    }
    assert_eq!(snapshot.live_count(), naive.live().count());
    for prefix in ["bd", "b", "bd-x01", "bd-x01.1"] {
        let start = format!("{prefix}-");
        let ids = naive.0.keys().filter_map(|id| id.strip_prefix(&start));
        let top = ids.filter(|rest| !rest.contains('.')).count();
        assert_eq!(snapshot.count_top_level(prefix), top, "{prefix}");
    }
}

fn usual_key(bead: &Bead) -> (i64, Reverse<Timestamp>, String) {
    let created = bead.created_at.instant();
    (bead.priority, Reverse(created), bead.id.clone())
}

/// Filters by status.
fn some_filters() -> Vec<BeadFilter> {
    let not_closed = BeadFilter {
        not_statuses: vec![Status::Closed],
        ..BeadFilter::default()
    };
    vec![
        BeadFilter::default(),
        not_closed.clone(),
        BeadFilter {
            no_templates: true,
            not_kinds: vec![Kind::Gate, Kind::from("thing")],
            ..not_closed.clone()
        },
        BeadFilter {
            priorities: vec![1],
            ..not_closed.clone()
        },
        BeadFilter {
            statuses: vec![Status::from("odd"), Status::Open],
            ..BeadFilter::default()
        },
        BeadFilter {
            statuses: vec![Status::Tombstone],
            ..BeadFilter::default()
        },
        BeadFilter {
            assignee: Some("dana".into()),
            ..not_closed.clone()
        },
    ]
}

/// All other filters.
fn more_filters() -> Vec<BeadFilter> {
    let not_closed = BeadFilter {
        not_statuses: vec![Status::Closed],
        ..BeadFilter::default()
    };
    vec![
        BeadFilter {
            labels: vec!["a".into()],
            labels_any: vec!["b".into(), "c".into()],
            ..BeadFilter::default()
        },
        BeadFilter {
            labels: vec!["a".into()],
            not_labels: vec!["b".into()],
            priority_max: Some(2),
            ..not_closed.clone()
        },
        BeadFilter {
            parent: Some("bd-x01".into()),
            ..not_closed.clone()
        },
        BeadFilter {
            pinned: Some(true),
            ..not_closed.clone()
        },
        BeadFilter {
            no_assignee: true,
            priority_min: Some(2),
            ..not_closed.clone()
        },
        BeadFilter {
            overdue_at: Some(test_now()),
            ..BeadFilter::default()
        },
        BeadFilter {
            created: crate::query::filter::TimeRange {
                after: Some(test_now()),
                before: None,
            },
            ..BeadFilter::default()
        },
        BeadFilter {
            deferred: true,
            ..not_closed
        },
    ]
}

fn check_filters(snapshot: &Snapshot, naive: &NaiveStore<'_>) {
    for filter in some_filters().into_iter().chain(more_filters()) {
        let tombstones = filter.statuses.contains(&Status::Tombstone);
        let mut wanted: Vec<&Bead> = naive
            .0
            .values()
            .filter(|bead| tombstones || !bead.is_tombstone())
            .filter(|bead| filter.matches(bead))
            .collect();
        assert_eq!(
            collect_ids(filter.apply(snapshot)),
            collect_ids(wanted.clone()),
            "{filter:?}"
        );
        wanted.sort_by_key(|bead| usual_key(bead));
        let (found, total) = filter.first(snapshot, 3);
        assert_eq!(
            (collect_ids(found), total),
            (collect_ids(wanted.iter().copied().take(3)), wanted.len()),
            "{filter:?}"
        );
        assert_eq!(filter.count(snapshot), wanted.len(), "{filter:?}");
    }
    for text in ["bead 3", "WORDS <B", "of 1", "x0", "nothing like it"] {
        let filter = BeadFilter {
            text: Some(text.into()),
            ..BeadFilter::default()
        };
        let wanted = naive.live().filter(|bead| filter.matches(bead));
        let mut wanted: Vec<&Bead> = wanted.collect();
        wanted.sort_by_key(|bead| usual_key(bead));
        for limit in [1, 3, usize::MAX] {
            let found = filter.search_first(snapshot, limit).unwrap();
            let wanted = wanted.iter().copied().take(limit);
            assert_eq!(collect_ids(found), collect_ids(wanted), "{text}");
        }
    }
}

fn check_ready(snapshot: &Snapshot, naive: &NaiveStore<'_>, blocked: &HashSet<&str>) {
    for (order, limit) in [
        (ReadyOrder::Priority, 0),
        (ReadyOrder::Oldest, 2),
        (ReadyOrder::Hybrid, 3),
    ] {
        let query = ReadyQuery {
            order,
            limit,
            ..ReadyQuery::default()
        };
        let mut wanted: Vec<&Bead> = naive
            .live()
            .filter(|bead| bead.status == Status::Open && !bead.pinned && !bead.ephemeral)
            .filter(|bead| {
                !bead.is_internal()
                    && ready::is_work_kind(&bead.issue_type)
                    && !ready::is_deferred(bead, test_now())
            })
            .filter(|bead| !blocked.contains(bead.id.as_str()))
            .collect();
        let since = test_now() - jiff::SignedDuration::from_hours(48);
        wanted.sort_by_key(|bead| {
            let fresh = bead.created_at.instant() >= since;
            let by_priority =
                order == ReadyOrder::Priority || (order == ReadyOrder::Hybrid && fresh);
            (
                order == ReadyOrder::Hybrid && !fresh,
                if by_priority { bead.priority } else { 0 },
                bead.created_at.instant(),
                bead.id.clone(),
            )
        });
        let total = wanted.len();
        if limit > 0 {
            wanted.truncate(limit);
        }
        let (found, count) = ready::find_ready(snapshot, &query, test_now());
        assert_eq!(
            (collect_ids(found), count),
            (collect_ids(wanted), total),
            "{order:?}"
        );
    }
}

fn put_seeds(place: &StoreFixture, seeds: &[BeadSeed]) {
    place
        .store
        .transact(&test_author(), &place.clock, |tx| {
            for seed in seeds {
                let wanted = bead_from_seed(seed);
                // Some beads are deleted, some removed without a trace, most written.
                match (tx.get_live(&wanted.id).is_some(), seed.3 % 11) {
                    (true, 0) => drop(crate::change::delete_bead(tx, &wanted.id, "", false)?),
                    (true, 1) => tx.erase(&wanted.id)?,
                    _ => {
                        // A bead that the rules refuse is skipped.
                        tx.attempt(|tx| tx.put(wanted)).ok();
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

proptest! {
    // The nightly run sets PROPTEST_CASES to more cases.
    #![proptest_config(property_cases(48))]

    #[test]
    fn every_answer_agrees_with_a_full_read_of_the_files(
        first in proptest::collection::vec(any_seed(), 0..16),
        steps in proptest::collection::vec((proptest::collection::vec(any_seed(), 1..5), 0u8..4), 0..6),
    ) {
        let place = StoreFixture::new();
        let deferred = place.with_deferred_folds();
        put_seeds(&place, &first);
        place.store.fold(&place.clock).unwrap();
        for (seeds, upkeep) in &steps {
            put_seeds(&deferred, seeds);
            match upkeep {
                0 => deferred.store.fold(&place.clock).unwrap(),
                2 => file::remove_file(&place.dir.join("index.bin")).unwrap(),
                _ => {}
            }
        }
        let snapshot = deferred.store.snapshot().unwrap();
        // The lines of the files after everything is folded.
        deferred.store.fold(&place.clock).unwrap();
        let all = read_all_lines(&place.store);
        check_answers(&snapshot, &all);
        check_answers(&deferred.store.snapshot().unwrap(), &all);
        file::remove_file(&place.dir.join("index.bin")).unwrap();
        check_answers(&deferred.store.snapshot().unwrap(), &all);
    }
}
