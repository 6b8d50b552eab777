//! The facts about a bead that the index stores.

use zerocopy::FromZeros;

use super::layout::{IndexRow, NEVER, NONE, flag};
use crate::bead::blocked::{ChildGate, is_failure};
use crate::bead::record::{self, RecordError};
use crate::bead::{Bead, Dep, DepKind, Stamp};
use kit::sys::clock::to_nanoseconds;

#[derive(Debug)]
pub(crate) struct BeadFacts {
    pub id: String,
    pub row: IndexRow,
    pub assignee: String,
    pub labels: Vec<String>,
    pub edges: Vec<EdgeFacts>,
}

#[derive(Debug)]
pub(crate) struct EdgeFacts {
    pub target: String,
    pub kind: u8,
    /// For `waits-for`: the bead whose children are awaited, if it is not the target.
    pub spawner: Option<String>,
    /// For `waits-for`: true if one finished child is enough.
    pub any_child: bool,
}

impl EdgeFacts {
    pub(crate) fn from_dep(edge: &Dep) -> Self {
        let gate = if edge.kind == DepKind::WaitsFor {
            ChildGate::from_metadata(&edge.metadata)
        } else {
            ChildGate::default()
        };
        let target = edge.depends_on_id.clone();
        Self {
            spawner: gate.spawner.filter(|spawner| *spawner != target),
            target,
            kind: edge.kind.code(),
            any_child: gate.any_child,
        }
    }
}

impl BeadFacts {
    /// Parses a line.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, RecordError> {
        let bead = record::parse_bead(line)?;
        Ok(Self {
            row: row_in(&bead, line),
            edges: bead.dependencies.iter().map(EdgeFacts::from_dep).collect(),
            id: bead.id,
            assignee: bead.assignee,
            labels: bead.labels,
        })
    }

    /// Collects the facts of a bead that has this line.
    pub(crate) fn from_bead(bead: &Bead, line: &[u8]) -> Self {
        Self {
            row: row_in(bead, line),
            edges: bead.dependencies.iter().map(EdgeFacts::from_dep).collect(),
            id: bead.id.clone(),
            assignee: bead.assignee.clone(),
            labels: bead.labels.clone(),
        }
    }
}

/// Builds the row of a bead that has this line.
fn row_in(bead: &Bead, line: &[u8]) -> IndexRow {
    let mut row = build_row(bead);
    if has_escaped_letters(line) {
        row.flags |= flag::ESCAPES;
    }
    row
}

/// Builds the row of a bead, without the place of its line. The assignee's number is 0, or [`NONE`]
/// without an assignee.
pub(crate) fn build_row(bead: &Bead) -> IndexRow {
    let time = |stamp: &Stamp| to_nanoseconds(stamp.instant());
    let perhaps = |stamp: &Option<Stamp>| stamp.as_ref().map_or(NEVER, time);
    let deferred = perhaps(&bead.defer_until);
    let mut hyphens = memchr::memchr_iter(b'-', bead.id.as_bytes());
    let facts = [
        (bead.pinned, flag::PINNED),
        (bead.is_template, flag::TEMPLATE),
        (bead.ephemeral, flag::EPHEMERAL),
        (is_failure(&bead.close_reason), flag::FAILED),
        (
            bead.dependencies
                .iter()
                .any(|edge| edge.kind == DepKind::Blocks && edge.is_external()),
            flag::EXTERNAL,
        ),
        (deferred != NEVER, flag::DEFERRED),
        (hyphens.nth(1).is_some(), flag::HYPHENS),
        (bead.is_internal(), flag::INTERNAL),
    ];
    let holding = facts.into_iter().filter(|(holds, _)| *holds);
    IndexRow {
        created: time(&bead.created_at),
        updated: time(&bead.updated_at),
        closed: perhaps(&bead.closed_at),
        due: perhaps(&bead.due_at),
        deferred,
        assignee: if bead.assignee.is_empty() { NONE } else { 0 },
        status: bead.status.code(),
        kind: bead.issue_type.code(),
        priority: clamp_priority(bead.priority),
        flags: holding.fold(0, |flags, (_, bit)| flags | bit),
        ..IndexRow::new_zeroed()
    }
}

/// Clamps a priority to the range of the index.
fn clamp_priority(priority: i64) -> i8 {
    i8::try_from(priority).unwrap_or(if priority < 0 { i8::MIN } else { i8::MAX })
}

/// Returns true if a letter, digit or blank is written as `\u00..`, which existing clients never
/// do.
fn has_escaped_letters(line: &[u8]) -> bool {
    memchr::memmem::find_iter(line, b"\\u00").any(|at| {
        let code = line.get(at + 4..at + 6);
        code.is_none_or(|code| !matches!(code, b"3c" | b"3e" | b"26" | b"3C" | b"3E"))
            && code.is_none_or(|code| code[0] >= b'2')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_a_bead_is_refused() {
        for line in ["{}", "[1]", "{\"id\":\"\"}", "{\"id\":\"a-1\"", "nonsense"] {
            assert!(BeadFacts::parse(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn only_escaped_letters_are_flagged() {
        assert!(has_escaped_letters(br#"{"id":"\u0061"}"#));
        assert!(!has_escaped_letters(br#"{"id":"a\u003cb\u0026 \u0001"}"#));
    }
}
