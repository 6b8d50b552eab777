//! Code-level benchmarks: what the programs do most, without processes and disks around it.
//!
//! `cargo bench -p bd --bench code`. Whole processes are measured by `make bench`.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first thing that is wrong"
)]

use std::hint::black_box;

use bd::bead::record;
use bd::graph::ready::{ReadyQuery, find_ready};
use bd::merge;
use bd::query::BeadFilter;
use bd::store::Store;
use bd::store::event::{BeadChange, BeadFile, Event};
use bd::store::journal;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Lines as agents write them: about 1 KiB, some with edges, labels and comments. The same every
/// time.
fn corpus(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| line(number, "")).collect()
}

fn line(number: usize, suffix: &str) -> Vec<u8> {
    let sentence = "The <parser> drops a trailing comma when the list is empty & nobody notices. ";
    let description = sentence.repeat(1 + number * 7 % 20);
    let time = format!(
        "2026-03-{:02}T10:{:02}:00.123456789Z",
        1 + number % 28,
        number % 60
    );
    let mut bead = serde_json::json!({
        "id": format!("bd-{number:05}"),
        "title": format!("Parser drops the comma, case {number}{suffix}"),
        "description": description,
        "status": if number.is_multiple_of(3) { "open" } else { "closed" },
        "priority": number % 5,
        "issue_type": "bug",
        "created_at": time,
        "created_by": "dana",
        "updated_at": time,
    });
    if !number.is_multiple_of(3) {
        bead["closed_at"] = time.clone().into();
        bead["close_reason"] = "Fixed".into();
    }
    if number.is_multiple_of(4) {
        bead["labels"] = serde_json::json!(["parser", "urgent"]);
    }
    if number % 2 == 1 {
        let needed = format!("bd-{:05}", number - 1);
        bead["dependencies"] = serde_json::json!([{
            "issue_id": bead["id"], "depends_on_id": needed, "type": "blocks", "created_at": time, "created_by": "dana",
        }]);
    }
    if number.is_multiple_of(5) {
        bead["comments"] = serde_json::json!([{
            "id": number, "issue_id": bead["id"], "author": "dana", "text": sentence, "created_at": time,
        }]);
    }
    // The canonical form, as it stands in the file.
    let text = serde_json::to_vec(&bead).unwrap();
    record::serialize_bead(&record::parse_bead(&text).unwrap())
}

fn bytes(lines: &[Vec<u8>]) -> Throughput {
    Throughput::Bytes(lines.iter().map(|line| line.len() as u64).sum())
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(line.trim_ascii_end());
        text.push(b'\n');
    }
    text
}

fn records(criterion: &mut Criterion) {
    let lines = corpus(1_000);
    let beads: Vec<_> = lines
        .iter()
        .map(|line| record::parse_bead(line).unwrap())
        .collect();
    let mut group = criterion.benchmark_group("1000 records");
    group.throughput(bytes(&lines));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| {
            for line in &lines {
                black_box(record::parse_bead(line).unwrap());
            }
        });
    });
    group.bench_function("write", |bencher| {
        bencher.iter(|| {
            for bead in &beads {
                black_box(record::serialize_bead(bead));
            }
        });
    });
    group.finish();
}

fn merges(criterion: &mut Criterion) {
    let base = corpus(1_000);
    let mut left = base.clone();
    let mut right = base.clone();
    for number in (0..1_000).step_by(10) {
        left[number] = line(number, ", on the left");
        right[number / 2 * 2 + 1] = line(number / 2 * 2 + 1, ", on the right");
    }
    let base = joined(&base);
    let left = joined(&left);
    let right = joined(&right);
    let mut group = criterion.benchmark_group("merge");
    group.throughput(Throughput::Bytes(left.len() as u64));
    group.bench_function("1000 beads, 200 changed", |bencher| {
        bencher.iter(|| black_box(merge::merge_files(&base, &left, &right, &|_| None).unwrap()));
    });
    group.finish();
}

/// A store of a thousand beads with a journal of a hundred changes that are not folded.
fn stores(criterion: &mut Criterion) {
    let lines = corpus(1_000);
    let entries: Vec<Vec<u8>> = (0..100).map(|number| entry(&lines[number * 10])).collect();
    let journal = entries.concat();
    let mut group = criterion.benchmark_group("store");
    group.throughput(Throughput::Bytes(journal.len() as u64));
    group.bench_function("decode a journal of 100 entries", |bencher| {
        bencher.iter(|| black_box(journal::decode_journal(&journal)));
    });
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join(".beads");
    let store = Store::create(&dir, "bd").unwrap();
    std::fs::write(store.issues_file(), joined(&lines)).unwrap();
    group.throughput(Throughput::Elements(1));
    group.bench_function("open the index of 1000 beads", |bencher| {
        bencher.iter(|| black_box(store.snapshot().unwrap()));
    });
    group.bench_function("make the index of 1000 beads", |bencher| {
        bencher.iter(|| {
            std::fs::remove_file(dir.join("index.bin")).unwrap();
            black_box(store.snapshot().unwrap())
        });
    });
    let snapshot = store.snapshot().unwrap();
    group.bench_function("ready work, the first ten", |bencher| {
        let query = ReadyQuery {
            limit: 10,
            ..ReadyQuery::default()
        };
        let now = "2026-04-01T00:00:00Z".parse().unwrap();
        bencher.iter(|| black_box(find_ready(&snapshot, &query, now)));
    });
    group.bench_function("a search, the first ten", |bencher| {
        let filter = BeadFilter {
            text: Some("Comma".to_owned()),
            ..BeadFilter::default()
        };
        bencher.iter(|| black_box(filter.search_first(&snapshot, 10).unwrap()));
    });
    std::fs::write(dir.join("journal.jsonl"), &journal).unwrap();
    group.bench_function("open the index with the journal over it", |bencher| {
        bencher.iter(|| black_box(store.snapshot().unwrap()));
    });
    group.finish();
}

/// A change of a bead, as the journal has it.
fn entry(line: &[u8]) -> Vec<u8> {
    let bead = record::parse_bead(line).unwrap();
    let mut changed = bead.clone();
    changed.priority += 1;
    let line = record::serialize_bead(&changed);
    journal::encode_sealed(&Event {
        id: "t1".into(),
        at: "2026-04-01T00:00:00Z".into(),
        actor: "dana".into(),
        changes: vec![BeadChange {
            store: Some(BeadFile::Issues),
            id: bead.id.clone(),
            before: Some(journal::line_hash(&record::serialize_bead(&bead))),
            after: Some(journal::line_hash(&line)),
            line: serde_json::value::RawValue::from_string(String::from_utf8(line).unwrap()).ok(),
            ..BeadChange::default()
        }],
        ..Event::default()
    })
}

criterion_group!(benches, records, merges, stores);
criterion_main!(benches);
