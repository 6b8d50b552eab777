//! What must hold for any bytes that are read as beads.

use std::path::PathBuf;
use std::sync::OnceLock;

use bd::bead::lines;
use bd::bead::record;
use bd::graph::ready::{self, ReadyQuery};
use bd::merge::{self, FileMerge};
use bd::query::BeadFilter;
use bd::store::{self, Store};

/// What separates base, left and right in one input.
const SEPARATOR: &[u8] = b"\n%%\n";

fn parts(data: &[u8]) -> [&[u8]; 3] {
    let mut rest = data;
    let mut next = || {
        let at = rest
            .windows(SEPARATOR.len())
            .position(|window| window == SEPARATOR);
        let (part, behind) = match at {
            Some(at) => (&rest[..at], &rest[at + SEPARATOR.len()..]),
            None => (rest, &b""[..]),
        };
        rest = behind;
        part
    };
    [next(), next(), next()]
}

fn merged(base: &[u8], left: &[u8], right: &[u8]) -> Option<FileMerge> {
    merge::merge_files(base, left, right, &|_| None).ok()
}

/// The merge of any three texts: left and right can be swapped, a result merges into itself, no
/// line that is no bead is dropped, no bead that both sides have is.
pub fn merge_driver(data: &[u8]) {
    let [base, left, right] = parts(data);
    let merge = merged(base, left, right);
    let swapped = merged(base, right, left);
    let symmetric =
        |merge: &FileMerge| (merge.text.clone(), merge.lost.clone(), merge.notes.clone());
    assert!(
        merge.as_ref().map(symmetric) == swapped.as_ref().map(symmetric),
        "left and right can be swapped"
    );
    let Some(merge) = merge else {
        return;
    };
    let text = &merge.text;
    for again in [base, text] {
        let twice = merged(again, text, text);
        assert!(
            twice.is_some_and(|twice| twice.text == *text && twice.lost.is_empty()),
            "a result merges into itself"
        );
    }
    let [base, left, right, result] =
        [base, left, right, text].map(|text| lines::parse_lines(text.to_vec()));
    let damage = |read: &lines::ParsedLines| -> Vec<Vec<u8>> {
        let damaged = read.damaged.iter().map(|damage| &damage.span);
        let spans = damaged.chain(&read.foreign);
        spans.map(|span| read.text[span.clone()].to_vec()).collect()
    };
    let (known, kept) = (damage(&base), damage(&result));
    for line in damage(&left).into_iter().chain(damage(&right)) {
        assert!(
            known.contains(&line) || kept.contains(&line),
            "a line that is no bead went"
        );
    }
    let count = |read: &lines::ParsedLines, id: &str| {
        let same = read.beads.iter().filter(|(_, _, own)| own.id == id);
        same.count()
    };
    for (_, _, bead) in &left.beads {
        // Of several beads of one id all but one leave it.
        let counts = [&base, &left, &right].map(|read| count(read, &bead.id));
        if counts[0] < 2 && counts[1..] == [1, 1] {
            assert_eq!(count(&result, &bead.id), 1, "{} went", bead.id);
        }
    }
}

/// The reader of lines: every line is accounted for; a bead that was read and written reads the
/// same.
pub fn line_reader(data: &[u8]) {
    let read = lines::parse_lines(data.to_vec());
    let start = if data.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let found = read.beads.len() + read.foreign.len() + read.damaged.len();
    assert_eq!(found, lines::iter_line_spans(data, start).count());
    for (span, _, bead) in &read.beads {
        assert!(!bead.id.is_empty());
        let line = record::serialize_bead(bead);
        let again = record::parse_bead(&line);
        assert!(
            again.is_ok_and(|again| record::serialize_bead(&again) == line),
            "{}",
            String::from_utf8_lossy(&data[span.clone()])
        );
        assert!(!line.contains(&b'\n'));
        assert!(record::bead_to_json_value(bead).is_object());
    }
}

/// Beads with edges, labels and a closed one, for an index that is damaged.
const BEADS: &str = concat!(
    r#"{"id":"a-1","title":"One","status":"open","priority":1,"labels":["x","y"],"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#,
    "\n",
    r#"{"id":"a-1.1","title":"Child","status":"open","priority":0,"assignee":"dana","created_at":"2026-01-02T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","dependencies":[{"issue_id":"a-1.1","depends_on_id":"a-1","type":"parent-child"},{"issue_id":"a-1.1","depends_on_id":"a-2","type":"blocks"}]}"#,
    "\n",
    r#"{"id":"a-2","title":"Two","status":"closed","priority":2,"closed_at":"2026-02-01T00:00:00Z","close_reason":"failed","created_at":"2026-01-03T00:00:00Z","updated_at":"2026-01-03T00:00:00Z","dependencies":[{"issue_id":"a-2","depends_on_id":"gone-1","type":"waits-for","metadata":"{\"spawner_id\":\"a-1\"}"}]}"#,
    "\n{broken\n",
);

/// A store whose index is there, and the bytes of that index.
fn indexed() -> &'static (PathBuf, Vec<u8>) {
    static PLACE: OnceLock<(PathBuf, Vec<u8>)> = OnceLock::new();
    PLACE.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("bd-fuzz-{}", std::process::id()));
        let dir = folder.join(".beads");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("issues.jsonl"), BEADS).unwrap();
        let store = Store::open(&dir).unwrap();
        store.snapshot().unwrap();
        let index = std::fs::read(dir.join("index.bin")).unwrap();
        (dir, index)
    })
}

/// An index with any bytes changed: no answer panics, and a bead that is given is one of the file.
/// `data` is patches of four bytes of place and one of value.
pub fn index_reader(data: &[u8]) {
    let (dir, sound) = indexed();
    let mut bytes = sound.clone();
    for patch in data.chunks_exact(5) {
        let place = u32::from_le_bytes([patch[0], patch[1], patch[2], patch[3]]) as usize;
        let at = place % bytes.len();
        bytes[at] = patch[4];
    }
    store::seal_index(&mut bytes);
    let path = dir.join("index.bin");
    // As the store does it: a mapped file is never changed in place.
    let beside = dir.join("index.new");
    std::fs::write(&beside, &bytes).unwrap();
    std::fs::rename(&beside, &path).unwrap();
    let store = Store::open(dir).unwrap();
    let snapshot = store.snapshot().unwrap();
    let now = "2026-03-01T00:00:00Z".parse().unwrap();
    for bead in snapshot.all() {
        assert!(["a-1", "a-1.1", "a-2"].contains(&bead.id.as_str()));
    }
    snapshot.live_count();
    ready::find_ready(&snapshot, &ReadyQuery::default(), now);
    for id in ["a-1", "a-1.1", "a-2", "gone-1", ""] {
        snapshot.dependents_of(id);
        snapshot.children_of(id);
        snapshot.last_child_number(id);
        ready::is_blocked(&snapshot, id);
        ready::collect_descendants(&snapshot, id);
    }
    snapshot.resolve("1.1").ok();
    snapshot.find_text_candidates("child").unwrap();
    for limit in [0, 2] {
        BeadFilter::default().first(&snapshot, limit);
        BeadFilter {
            not_statuses: vec![bd::bead::Status::Closed],
            ..BeadFilter::default()
        }
        .first(&snapshot, limit);
    }
}
