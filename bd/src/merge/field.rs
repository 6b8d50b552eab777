//! The merge rule for each field of a record.

use std::collections::BTreeSet;

use super::record::{
    BeadSides, FieldKey, FieldShape, MergeFields, ReportLoss, ValueSides, parse_instant,
};
use super::{set, status_group};

impl BeadSides {
    pub(super) fn merge(&self, report: ReportLoss<'_>) -> MergeFields {
        let mut merged = MergeFields::default();
        let keys: BTreeSet<&FieldKey> = [&self.base, &self.left, &self.right]
            .into_iter()
            .flat_map(|side| side.0.keys())
            .collect();
        for key in keys {
            if status_group::is_status_field(&key.name) {
                continue;
            }
            if let Some(value) = self.field(key, report) {
                merged.0.insert(key.clone(), value);
            }
        }
        status_group::merge_status_fields(self, &mut merged, report);
        merged
    }

    fn field(&self, key: &FieldKey, report: ReportLoss<'_>) -> Option<String> {
        let [base, left, right] =
            [&self.base, &self.left, &self.right].map(|side| side.0.get(key).map(String::as_str));
        let three = ValueSides { base, left, right };
        if key.name == "updated_at" {
            return later_time(left, right);
        }
        let parts = match key.shape() {
            FieldShape::Words => set::merge_words(three, key.name == "labels"),
            FieldShape::Edges => set::merge_edges(three, self.newer, report),
            FieldShape::Comments => set::merge_comments(three, self.newer, report),
            FieldShape::Plain if key.name == "metadata" => {
                set::merge_metadata(three, self.newer, report)
            }
            FieldShape::Plain | FieldShape::Time => None,
        };
        if let Some(text) = parts {
            return (text != "[]" && text != "{}").then_some(text);
        }
        let (won, lost) = three.pick(key.shape() == FieldShape::Time, self.newer);
        if let Some(lost) = lost {
            report(key.name.clone(), lost.map(str::to_owned));
        }
        won.map(str::to_owned)
    }
}

fn later_time(left: Option<&str>, right: Option<&str>) -> Option<String> {
    let place = |text: Option<&str>| (text.and_then(parse_instant), text.map(str::to_owned));
    place(left).max(place(right)).1
}
