//! Beads as reports serialize them.

use std::borrow::Borrow;
use std::ops::Deref;

use serde::{Serialize, Serializer};

use bd::bead::{Bead, DepKind, hash, record};
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::{Page, escape};

/// A bead that is serialized without its edges and comments.
#[derive(Debug)]
pub(crate) struct PlainBead<B = Bead>(pub(crate) B);

impl Deref for PlainBead {
    type Target = Bead;

    fn deref(&self) -> &Bead {
        &self.0
    }
}

impl<B: Borrow<Bead>> Serialize for PlainBead<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        record::serialize_for_json(self.0.borrow(), &["dependencies", "comments"], serializer)
    }
}

/// A bead at the other end of an edge, serialized with the kind of the edge.
#[derive(Debug, Serialize)]
pub(crate) struct LinkedBead {
    #[serde(flatten)]
    pub(crate) bead: PlainBead,
    #[serde(rename = "dependency_type")]
    pub(crate) kind: DepKind,
}

impl LinkedBead {
    pub(crate) fn new(bead: Bead, kind: &DepKind) -> Self {
        Self {
            bead: PlainBead(bead),
            kind: kind.clone(),
        }
    }
}

/// Pairs of keys and values, serialized as an object in their order.
#[derive(Debug)]
pub(crate) struct Entries<K, V>(pub(crate) Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Entries<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A bead after a change, serialized with its version.
#[derive(Serialize)]
struct ChangedBead {
    #[serde(flatten)]
    bead: PlainBead,
    version: String,
}

/// Reports beads that a command changed, with a line for each.
pub(crate) fn report_changes(
    beads: Vec<Bead>,
    format_line: impl Fn(&Bead) -> String + 'static,
) -> CommandResult {
    build_report(collect_changed(beads), write_changed(format_line))
}

/// Confirms the changes of beads, with a line for each.
pub(crate) fn confirm_changes(
    beads: Vec<Bead>,
    format_line: impl Fn(&Bead) -> String + 'static,
) -> CommandResult {
    build_confirmation(collect_changed(beads), write_changed(format_line))
}

fn collect_changed(beads: Vec<Bead>) -> Vec<ChangedBead> {
    beads
        .into_iter()
        .map(|bead| ChangedBead {
            version: hash::compute_version(&bead),
            bead: PlainBead(bead),
        })
        .collect()
}

fn write_changed(format_line: impl Fn(&Bead) -> String) -> impl Fn(&Vec<ChangedBead>, &mut Page) {
    move |changed, page| {
        for ChangedBead { bead, .. } in changed {
            page.line(escape::escape_line(&format_line(bead)));
        }
    }
}
