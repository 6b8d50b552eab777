//! Splits a record into fields, and holds a value of all three sides.
//!
//! A record is split into keys and the JSON texts of their values, as they would be written. So no
//! field can be forgotten, known or unknown, and a value of the wrong type under a known key is
//! merged like any other. The type of a known key in the table of fields determines how its values
//! merge; a type without a [`FieldShape`] does not compile.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::bead::{Bead, Comment, Dep, Kind, RawJson, Stamp, Status, record, with_fields};

/// The way in which the values of a field are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldShape {
    Plain,
    /// As a whole. Another text of the same instant is not a change.
    Time,
    Words,
    Edges,
    Comments,
}

trait HasFieldShape {
    const SHAPE: FieldShape;
}

macro_rules! shapes {
    ($($kind:ty: $shape:ident,)*) => {
        $(impl HasFieldShape for $kind {
            const SHAPE: FieldShape = FieldShape::$shape;
        })*
    };
}
shapes! {
    String: Plain,
    i64: Plain,
    bool: Plain,
    Status: Plain,
    Kind: Plain,
    Option<i64>: Plain,
    Option<String>: Plain,
    Option<RawJson>: Plain,
    Stamp: Time,
    Option<Stamp>: Time,
    Vec<String>: Words,
    Vec<Dep>: Edges,
    Vec<Comment>: Comments,
}

macro_rules! shape_table {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $key:literal, $when:ident;)*) => {
        /// The shapes of the known keys, in file order.
        const SHAPES: &[FieldShape] = &[$(<$kind as HasFieldShape>::SHAPE),*];
    };
}
with_fields!(shape_table);

/// The name of a field with its position in the line: known fields in the order of the table,
/// others by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FieldKey {
    rank: usize,
    pub name: String,
    /// The occurrence of the key, which may be repeated in a line.
    nth: usize,
}

impl FieldKey {
    fn for_known_key(name: &str) -> Self {
        Self {
            rank: rank_of_key(name),
            name: name.to_owned(),
            nth: 0,
        }
    }

    pub(super) fn shape(&self) -> FieldShape {
        SHAPES.get(self.rank).copied().unwrap_or(FieldShape::Plain)
    }
}

fn rank_of_key(name: &str) -> usize {
    record::KEYS
        .iter()
        .position(|key| *key == name)
        .unwrap_or(usize::MAX)
}

/// A record as keys and JSON texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MergeFields(pub(super) BTreeMap<FieldKey, String>);

impl MergeFields {
    /// Splits a record into fields.
    pub(super) fn from_bead(bead: &Bead) -> Self {
        let line = record::serialize_bead(bead);
        let text = record::decode_line(&line);
        let mut fields = BTreeMap::new();
        for (name, raw) in record::parse_pairs(&text).unwrap_or_default() {
            let mut key = FieldKey::for_known_key(&name);
            while fields.contains_key(&key) {
                key.nth += 1;
            }
            fields.insert(key, raw.get().to_owned());
        }
        Self(fields)
    }

    /// Builds a record from its fields.
    pub(super) fn to_bead(&self) -> Option<Bead> {
        let mut line = String::from("{");
        for (key, value) in &self.0 {
            if line.len() > 1 {
                line.push(',');
            }
            line.push_str(&serde_json::to_string(&key.name).ok()?);
            line.push(':');
            line.push_str(value);
        }
        line.push('}');
        record::parse_bead(line.as_bytes()).ok()
    }

    /// Returns true if any field except `updated_at` differs from `base`.
    pub(super) fn is_edit_of(&self, base: &Self) -> bool {
        let without_time = |fields: &Self| {
            let mut fields = fields.clone();
            fields.set("updated_at", None);
            fields
        };
        without_time(self) != without_time(base)
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(&FieldKey::for_known_key(name))
            .map(String::as_str)
    }

    pub(super) fn set(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => drop(
                self.0
                    .insert(FieldKey::for_known_key(name), value.to_owned()),
            ),
            None => drop(self.0.remove(&FieldKey::for_known_key(name))),
        }
    }
}

/// Reports a value that loses a conflict: the field and the value.
pub(super) type ReportLoss<'a> = &'a mut dyn FnMut(String, Option<String>);

/// One bead on three sides.
#[derive(Debug)]
pub(super) struct BeadSides {
    pub base: MergeFields,
    pub left: MergeFields,
    pub right: MergeFields,
    /// The order of the left record relative to the right one, by age.
    pub newer: Ordering,
}

/// A JSON text; `None` if the field is absent.
pub(super) type FieldText<'a> = Option<&'a str>;

/// One value on three sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSides<'a> {
    pub base: Option<&'a str>,
    pub left: Option<&'a str>,
    pub right: Option<&'a str>,
}

impl<'a> ValueSides<'a> {
    /// Returns the winning value and, in a true conflict, the losing value.
    pub(super) fn pick(
        self,
        time: bool,
        newer: Ordering,
    ) -> (FieldText<'a>, Option<FieldText<'a>>) {
        let Self { base, left, right } = self;
        let same = |a, b| a == b || time && is_same_instant(a, b);
        match (same(left, base), same(right, base)) {
            (true, true) if left == base => (right, None),
            (true, true) if right == base => (left, None),
            (true, false) => (right, None),
            (false, true) => (left, None),
            _ if same(left, right) => (left.max(right), None),
            _ => match newer.then(left.cmp(&right)) {
                Ordering::Less => (right, Some(left)),
                Ordering::Equal | Ordering::Greater => (left, Some(right)),
            },
        }
    }

    /// Returns the value of the side that changed it, if the other side did not.
    pub(super) fn one_sided_change(self) -> Option<FieldText<'a>> {
        if self.left == self.base || self.left == self.right {
            return Some(self.right);
        }
        (self.right == self.base).then_some(self.left)
    }
}

/// Parses the instant of a JSON string; `None` if the string is not a time.
pub(super) fn parse_instant(text: &str) -> Option<Timestamp> {
    let text: String = serde_json::from_str(text).ok()?;
    let instant = Stamp::parse(&text).instant();
    // Text that is not a time parses as the epoch.
    (instant != Timestamp::UNIX_EPOCH).then_some(instant)
}

fn is_same_instant(a: Option<&str>, b: Option<&str>) -> bool {
    let a = a.and_then(parse_instant);
    a.is_some() && a == b.and_then(parse_instant)
}
