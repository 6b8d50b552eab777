//! The rule for each field of a record.

use std::collections::BTreeSet;

use super::record::{Fields, Key, Report, Shape, Sides, Three, instant};
use super::{set, standing};

impl Sides {
    /// Merges all fields.
    pub(super) fn merge(&self, report: Report<'_>) -> Fields {
        let mut merged = Fields::default();
        let keys: BTreeSet<&Key> = [&self.base, &self.left, &self.right]
            .into_iter()
            .flat_map(|side| side.0.keys())
            .collect();
        for key in keys {
            if standing::owns(&key.name) {
                continue;
            }
            if let Some(value) = self.field(key, report) {
                merged.0.insert(key.clone(), value);
            }
        }
        standing::merge(self, &mut merged, report);
        merged
    }

    fn field(&self, key: &Key, report: Report<'_>) -> Option<String> {
        let [base, left, right] =
            [&self.base, &self.left, &self.right].map(|side| side.0.get(key).map(String::as_str));
        let three = Three { base, left, right };
        if key.name == "updated_at" {
            return later(left, right);
        }
        let parts = match key.shape() {
            Shape::Words => set::merge_words(three, key.name == "labels"),
            Shape::Edges => set::edges(three, self.newer, report),
            Shape::Comments => set::comments(three, self.newer, report),
            Shape::Plain if key.name == "metadata" => set::metadata(three, self.newer, report),
            Shape::Plain | Shape::Time => None,
        };
        if let Some(text) = parts {
            return (text != "[]" && text != "{}").then_some(text);
        }
        let (won, lost) = three.pick(key.shape() == Shape::Time, self.newer);
        if let Some(lost) = lost {
            report(key.name.clone(), lost.map(str::to_owned));
        }
        won.map(str::to_owned)
    }
}

/// The later of two times.
fn later(left: Option<&str>, right: Option<&str>) -> Option<String> {
    let place = |text: Option<&str>| (text.and_then(instant), text.map(str::to_owned));
    place(left).max(place(right)).1
}
