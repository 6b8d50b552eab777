//! The rules of ready work.

use crate::bead::{Bead, Dep, DepKind, Kind, Stamp, Status};
use crate::graph::explain;
use crate::store::{Author, Snapshot, Store};
use kit::sys::Clock;

use super::*;

const NOW: &str = "2026-03-10T00:00:00Z";

fn open_bead(id: &str) -> Bead {
    Bead {
        id: id.into(),
        title: id.into(),
        created_at: Stamp::parse("2026-03-09T00:00:00Z"),
        ..Bead::default()
    }
}

fn build_edge(from: &str, to: &str, kind: DepKind) -> Dep {
    Dep {
        issue_id: from.into(),
        depends_on_id: to.into(),
        kind,
        ..Dep::default()
    }
}

fn linked_bead(id: &str, to: &str, kind: DepKind) -> Bead {
    let mut bead = open_bead(id);
    bead.dependencies.push(build_edge(id, to, kind));
    bead
}

fn closed_bead(id: &str, reason: &str) -> Bead {
    Bead {
        status: Status::Closed,
        closed_at: Some(Stamp::parse(NOW)),
        close_reason: reason.into(),
        ..open_bead(id)
    }
}

fn build_snapshot(beads: impl IntoIterator<Item = Bead>) -> Snapshot {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join(".beads"), "bd").unwrap();
    let put = |tx: &mut crate::store::Tx<'_>| -> anyhow::Result<()> {
        for bead in beads {
            tx.put(bead)?;
        }
        Ok(())
    };
    store
        .transact(&Author::default(), &Clock::System, put)
        .unwrap();
    store.snapshot().unwrap()
}

fn test_now() -> Timestamp {
    NOW.parse().unwrap()
}

fn ready_ids(snapshot: &Snapshot, query: &ReadyQuery) -> Vec<String> {
    find_ready(snapshot, query, test_now())
        .0
        .iter()
        .map(|bead| bead.id.clone())
        .collect()
}

fn all_ready_ids(beads: impl IntoIterator<Item = Bead>) -> Vec<String> {
    ready_ids(&build_snapshot(beads), &ReadyQuery::default())
}

#[test]
fn only_open_work_is_ready() {
    let with = |id: &str, change: fn(&mut Bead)| {
        let mut bead = open_bead(id);
        change(&mut bead);
        bead
    };
    let found = all_ready_ids(vec![
        open_bead("bd-open"),
        with("bd-busy", |b| b.status = Status::InProgress),
        with("bd-hooked", |b| b.status = Status::Hooked),
        with("bd-later", |b| {
            b.defer_until = Some(Stamp::parse("2026-04-01T00:00:00Z"));
        }),
        with("bd-past", |b| {
            b.defer_until = Some(Stamp::parse("2026-01-01T00:00:00Z"));
        }),
        with("bd-pinned", |b| b.pinned = true),
        with("bd-wisp", |b| b.ephemeral = true),
        with("bd-agent", |b| b.issue_type = Kind::Agent),
        with("bd-convoy", |b| b.issue_type = Kind::Convoy),
        open_bead("bd-mol-x"),
        closed_bead("bd-done", ""),
    ]);
    assert_eq!(found, ["bd-open", "bd-past"]);
}

#[test]
fn a_requested_kind_is_shown() {
    let mut step = open_bead("bd-mol-x");
    step.issue_type = Kind::Gate;
    let query = ReadyQuery {
        filter: BeadFilter {
            kinds: vec![Kind::Gate],
            ..BeadFilter::default()
        },
        ..ReadyQuery::default()
    };
    assert_eq!(ready_ids(&build_snapshot([step]), &query), ["bd-mol-x"]);
}

#[test]
fn a_blocked_parent_blocks_all_its_descendants() {
    let tree = |blocker: Bead| {
        let mut parent = linked_bead("bd-p", "bd-b", DepKind::Blocks);
        parent.issue_type = Kind::Epic;
        all_ready_ids([
            blocker,
            parent,
            linked_bead("bd-p.1", "bd-p", DepKind::ParentChild),
            linked_bead("bd-p.1.1", "bd-p.1", DepKind::ParentChild),
        ])
    };
    assert_eq!(tree(open_bead("bd-b")), ["bd-b"]);
    assert_eq!(
        tree(closed_bead("bd-b", "")),
        ["bd-p", "bd-p.1", "bd-p.1.1"]
    );
}

#[test]
fn a_bead_that_waits_for_a_failure_is_ready_only_after_one() {
    let found = |target: Bead| {
        all_ready_ids([
            target,
            linked_bead("bd-x", "bd-a", DepKind::ConditionalBlocks),
        ])
    };
    assert!(!found(open_bead("bd-a")).contains(&"bd-x".to_owned()));
    assert!(!found(closed_bead("bd-a", "all good")).contains(&"bd-x".to_owned()));
    for reason in [
        "Build FAILED twice",
        "won't fix",
        "timeout",
        "was Cancelled",
    ] {
        assert_eq!(found(closed_bead("bd-a", reason)), ["bd-x"], "{reason}");
    }
}

#[test]
fn waiting_for_children_depends_on_the_gate() {
    let found = |gate: &str, children: Vec<Bead>| {
        let mut waiting = linked_bead("bd-w", "bd-s", DepKind::WaitsFor);
        waiting.dependencies[0].metadata = format!(r#"{{"gate":"{gate}"}}"#);
        let children = children.into_iter().map(|mut child| {
            let id = child.id.clone();
            child
                .dependencies
                .push(build_edge(&id, "bd-s", DepKind::ParentChild));
            child
        });
        all_ready_ids(
            [waiting, closed_bead("bd-s", "")]
                .into_iter()
                .chain(children),
        )
        .contains(&"bd-w".to_owned())
    };
    assert!(found("all-children", vec![]));
    assert!(!found("any-children", vec![]));
    let half = || vec![open_bead("bd-s.1"), closed_bead("bd-s.2", "")];
    assert!(!found("all-children", half()));
    assert!(found("any-children", half()));
    assert!(found("all-children", vec![closed_bead("bd-s.1", "")]));
}

#[test]
fn missing_targets_do_not_block() {
    let found = all_ready_ids([
        linked_bead("bd-a", "external:other:thing", DepKind::Blocks),
        linked_bead("bd-b", "bd-gone", DepKind::Blocks),
    ]);
    assert_eq!(found, ["bd-a", "bd-b"]);
}

#[test]
fn each_order_sorts_as_its_name_says() {
    let at = |id: &str, priority: i64, time: &str| Bead {
        priority,
        created_at: Stamp::parse(time),
        ..open_bead(id)
    };
    let snapshot = build_snapshot([
        at("bd-new2", 2, "2026-03-09T01:00:00Z"),
        at("bd-new1", 1, "2026-03-09T02:00:00Z"),
        at("bd-old0", 0, "2026-02-02T00:00:00Z"),
        at("bd-old4", 4, "2026-02-01T00:00:00Z"),
    ]);
    let by = |order: ReadyOrder| {
        ready_ids(
            &snapshot,
            &ReadyQuery {
                order,
                ..ReadyQuery::default()
            },
        )
        .join(" ")
    };
    assert_eq!(by(ReadyOrder::Hybrid), "bd-new1 bd-new2 bd-old4 bd-old0");
    assert_eq!(by(ReadyOrder::Priority), "bd-old0 bd-new1 bd-new2 bd-old4");
    assert_eq!(by(ReadyOrder::Oldest), "bd-old4 bd-old0 bd-new2 bd-new1");
}

#[test]
fn all_filters_must_match() {
    let mut mine = open_bead("bd-mine");
    mine.assignee = "me".into();
    mine.labels = vec!["x".into()];
    let snapshot = build_snapshot([
        mine,
        open_bead("bd-free"),
        linked_bead("bd-free.1", "bd-free", DepKind::ParentChild),
    ]);
    let query = |change: fn(&mut ReadyQuery)| {
        let mut query = ReadyQuery::default();
        change(&mut query);
        ready_ids(&snapshot, &query).join(" ")
    };
    assert_eq!(query(|q| q.filter.assignee = Some("me".into())), "bd-mine");
    assert_eq!(query(|q| q.filter.no_assignee = true), "bd-free bd-free.1");
    assert_eq!(query(|q| q.filter.labels = vec!["x".into()]), "bd-mine");
    assert_eq!(query(|q| q.ancestor = Some("bd-free".into())), "bd-free.1");
    assert_eq!(query(|q| q.limit = 1), "bd-free");
}

#[test]
fn values_missing_from_the_list_row_are_read_from_the_bead() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join(".beads");
    let store = Store::create(&dir, "bd").unwrap();
    let lines = [-200, -1, 0, 4, 63, 64, 127, 300].map(|priority| {
        let status = if priority == 63 { "own" } else { "open" };
        format!(
            r#"{{"id":"bd-p{priority}","title":"t","status":"{status}","priority":{priority},"created_at":"{NOW}"}}"#
        )
    });
    std::fs::write(dir.join("issues.jsonl"), lines.join("\n") + "\n").unwrap();
    let snapshot = store.snapshot().unwrap();
    for priority in [-200, -1, 0, 4, 64, 127, 300] {
        let mut query = ReadyQuery::default();
        query.filter.priorities = vec![priority];
        assert_eq!(ready_ids(&snapshot, &query), [format!("bd-p{priority}")]);
    }
    let mut custom_status = ReadyQuery::default();
    custom_status.filter.statuses = vec![Status::Other("own".into())];
    assert_eq!(ready_ids(&snapshot, &custom_status), ["bd-p63"]);
}

#[test]
fn each_reason_is_reported() {
    let mut deferred = open_bead("bd-d");
    deferred.defer_until = Some(Stamp::parse("2026-04-01T00:00:00Z"));
    let snapshot = build_snapshot([
        open_bead("bd-a"),
        linked_bead("bd-b", "bd-a", DepKind::Blocks),
        linked_bead("bd-b.1", "bd-b", DepKind::ParentChild),
        deferred,
    ]);
    let explanations: Vec<String> = explain::explain_unready(&snapshot, test_now(), |_| Vec::new())
        .iter()
        .map(|item| format!("{}: {}", item.bead.id, item.reasons[0]))
        .collect();
    assert_eq!(
        explanations,
        [
            "bd-b: waits for bd-a",
            "bd-b.1: its parent bd-b is blocked",
            "bd-d: deferred until 2026-04-01T00:00:00Z"
        ]
    );
}
