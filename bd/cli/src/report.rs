//! Reports that several commands share.

use serde_json::{Value, json};

use bd::bead::{Bead, hash, record};
use kit::ui::{Page, Report, escape};

/// Beads that a command changed, with a line for each.
#[derive(Debug)]
pub(crate) struct Changed {
    /// The beads after the change.
    pub(crate) beads: Vec<Bead>,
    /// Formats the line for one bead.
    pub(crate) line: fn(&Bead) -> String,
}

impl Report for Changed {
    fn json(&self) -> Value {
        let bead_json = |bead: &Bead| {
            let mut value = plain_json(bead);
            value["version"] = json!(hash::compute_version(bead));
            value
        };
        self.beads.iter().map(bead_json).collect()
    }

    fn is_confirmation(&self) -> bool {
        true
    }

    fn human(&self, page: &mut Page) {
        for bead in &self.beads {
            let line = (self.line)(bead);
            page.line(escape::escape_line(&line));
        }
    }
}

/// Converts a bead to JSON, without its edges and comments.
pub(crate) fn plain_json(bead: &Bead) -> Value {
    let mut value = record::bead_to_json_value(bead);
    if let Value::Object(object) = &mut value {
        object.shift_remove("dependencies");
        object.shift_remove("comments");
    }
    value
}

/// Converts a bead at the other end of an edge to JSON, without its own edges and with the kind of
/// the edge.
pub(crate) fn linked_json(bead: &Bead, kind: &str) -> Value {
    let mut value = plain_json(bead);
    value["dependency_type"] = json!(kind);
    value
}
