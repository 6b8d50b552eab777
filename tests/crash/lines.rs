//! The store's file, line by line, and what differs between two of them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// The lines of a file of beads by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lines(pub(crate) BTreeMap<String, String>);

impl Lines {
    /// Reads a file: each line must be a whole record, sorted, no id twice.
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(
            text.is_empty() || text.ends_with('\n'),
            "the last line is cut"
        );
        let mut lines = BTreeMap::new();
        let mut last = String::new();
        for line in text.lines() {
            let id = id_of(line);
            assert!(*id > *last, "{id} stands behind {last}");
            last.clear();
            last.push_str(id);
            lines.insert(id.to_owned(), line.to_owned());
        }
        Self(lines)
    }

    /// A bead.
    pub(crate) fn bead(&self, id: &str) -> Value {
        let line = self.0.get(id);
        let line = line.unwrap_or_else(|| panic!("{id} is lost"));
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{id} is torn: {error}: {line}"))
    }

    /// What became other since `before`, in a form that does not hang on when it was: a sorted list
    /// of records, times struck out, ids of new beads too.
    pub(crate) fn changes_since(&self, before: &Self) -> Vec<String> {
        let mut changes: Vec<String> = Vec::new();
        for (id, line) in &self.0 {
            match before.0.get(id) {
                Some(old) if old == line => {}
                Some(_) => changes.push(timeless(line)),
                None => changes.push(timeless(line).replace(id.as_str(), "NEW")),
            }
        }
        let gone = before.0.keys().filter(|id| !self.0.contains_key(*id));
        changes.extend(gone.map(|id| format!("{id} is gone")));
        changes.sort();
        changes
    }
}

/// The id of a line, which every line begins with.
fn id_of(line: &str) -> &str {
    let whole = line.ends_with('}');
    let id = line.strip_prefix("{\"id\":\"").filter(|_| whole);
    let id = id.and_then(|rest| rest.split('"').next());
    id.unwrap_or_else(|| panic!("no whole record: {line}"))
}

/// A line without the times in it.
fn timeless(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("_at\":\"") {
        let (head, tail) = rest.split_at(at + 6);
        text.push_str(head);
        rest = &tail[tail.find('"').unwrap()..];
    }
    text + rest
}
