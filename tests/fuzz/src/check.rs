//! What must hold for any bytes that are read as beads.

use bd::bead::record;
use bd::merge::{self, Merge};
use bd::store::lines;

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

fn merged(base: &[u8], left: &[u8], right: &[u8]) -> Option<Merge> {
    merge::files(base, left, right, &|_| None).ok()
}

/// The merge of any three texts: left and right can be swapped, a result merges into itself, no line that is
/// no bead is dropped, no bead that both sides have is.
pub fn merge_driver(data: &[u8]) {
    let [base, left, right] = parts(data);
    let merge = merged(base, left, right);
    assert!(
        merge == merged(base, right, left),
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
        [base, left, right, text].map(|text| lines::read(text.to_vec()));
    let damage = |read: &lines::Lines| -> Vec<Vec<u8>> {
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
    for (_, _, bead) in &left.beads {
        let has = |read: &lines::Lines| read.beads.iter().any(|(_, _, own)| own.id == bead.id);
        assert!(!has(&right) || has(&result), "{} went", bead.id);
    }
}

/// The reader of lines: every line is accounted for; a bead that was read and written reads the same.
pub fn line_reader(data: &[u8]) {
    let read = lines::read(data.to_vec());
    let start = if data.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let found = read.beads.len() + read.foreign.len() + read.damaged.len();
    assert_eq!(found, lines::spans(data, start).count());
    for (span, _, bead) in &read.beads {
        assert!(!bead.id.is_empty());
        let line = record::line(bead);
        let again = record::parse(&line);
        assert!(
            again.is_ok_and(|again| record::line(&again) == line),
            "{}",
            String::from_utf8_lossy(&data[span.clone()])
        );
        assert!(!line.contains(&b'\n'));
        assert!(record::value(bead).is_object());
    }
}
