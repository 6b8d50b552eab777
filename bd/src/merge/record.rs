//! A record as its fields, and a value as it is on three sides.
//!
//! A record is taken apart into keys and the JSON text of their values, in the way in which it would be
//! written: so no field can be forgotten, whether we know it or not, and a value of the wrong type under a
//! known key is merged like any other. What kind of value a known key has is said by its type in the table
//! of fields; a type without a [`Shape`] does not compile.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::bead::{Bead, Comment, Dep, Kind, RawJson, Stamp, Status, record, with_fields};

/// How values of a field are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldShape {
    /// As a whole.
    Plain,
    /// As a whole; another text of the same instant is no change.
    Time,
    /// A set of words.
    Words,
    /// Edges.
    Edges,
    /// Comments.
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

/// The name of a field with its place in the line: known ones in the order of the table, others by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FieldKey {
    rank: usize,
    pub name: String,
    /// A key may stand twice in a line.
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
    /// Takes a record apart.
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

    /// Puts a record together again.
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

    /// Whether anything is not as it was in `base`, but for when it was last changed.
    pub(super) fn is_edit_of(&self, base: &Self) -> bool {
        let own = |fields: &Self| {
            let mut fields = fields.clone();
            fields.set("updated_at", None);
            fields
        };
        own(self) != own(base)
    }

    /// The value of a known key.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(&FieldKey::for_known_key(name))
            .map(String::as_str)
    }

    /// Sets or removes the value of a known key.
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

/// Takes what a conflict took away: the field and its value.
pub(super) type ReportLoss<'a> = &'a mut dyn FnMut(String, Option<String>);

/// One bead on three sides.
#[derive(Debug)]
pub(super) struct BeadSides {
    /// Without a base: empty.
    pub base: MergeFields,
    pub left: MergeFields,
    pub right: MergeFields,
    /// Whether the left record is older, as old or newer than the right one.
    pub newer: Ordering,
}

/// A JSON text; `None` where the field is absent.
pub(super) type FieldText<'a> = Option<&'a str>;

/// One value on three sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueSides<'a> {
    pub base: Option<&'a str>,
    pub left: Option<&'a str>,
    pub right: Option<&'a str>,
}

impl<'a> ValueSides<'a> {
    /// The value that stays, and after it, in a true conflict, the one that does not.
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

    /// The side that is to be taken as it is since the other one changed nothing.
    pub(super) fn one_sided_change(self) -> Option<FieldText<'a>> {
        if self.left == self.base || self.left == self.right {
            return Some(self.right);
        }
        (self.right == self.base).then_some(self.left)
    }
}

/// The instant of a JSON string; `None` where it is no time.
pub(super) fn parse_instant(text: &str) -> Option<Timestamp> {
    let text: String = serde_json::from_str(text).ok()?;
    let instant = Stamp::parse(&text).instant();
    // Text that is no time reads as the epoch.
    (instant != Timestamp::UNIX_EPOCH).then_some(instant)
}

fn is_same_instant(a: Option<&str>, b: Option<&str>) -> bool {
    let a = a.and_then(parse_instant);
    a.is_some() && a == b.and_then(parse_instant)
}
