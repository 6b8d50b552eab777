//! Events: the author of a transaction and its changes.
//!
//! A line of the journal is an event with the complete new record of each bead. In history an event
//! has only the changed fields of each durable bead, with old and new values, and of large values
//! only the changed parts, so that files in git stay small. A bead that was created, or removed
//! without a trace, is recorded completely.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::bead::record::{self, RecordFields};
use crate::bead::{Bead, RawJson, Status};
use crate::store::log::part::ChangedPart;
use crate::store::log::sealed;

/// The file that a bead is stored in.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum BeadFile {
    #[default]
    Issues,
    Wisps,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Event {
    #[serde(alias = "tx")]
    pub id: String,
    pub at: String,
    pub actor: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The operation, if the changed fields do not imply it: an undo, a merge.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verb: String,
    /// The event that this one undoes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub undoes: String,
    /// True if the transaction also changed wisps, which history does not contain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wisps: bool,
    pub changes: Vec<BeadChange>,
}

/// The change of one bead.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BeadChange {
    /// The file of the bead. Absent in history, which has only durable beads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<BeadFile>,
    pub id: String,
    /// The hash of the bead's line before; `None` if the bead did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The hash of the bead's line after; `None` if the bead no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The old values of the changed fields, with null for absent ones; `None` if the bead did not
    /// exist.
    pub old: Option<RecordFields>,
    /// In the journal, the new record; `None` if the bead no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<RawJson>,
    /// In history, the new values of the changed fields; `None` if the bead no longer exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<RecordFields>,
    /// The record of a created bead on the way to history, not split into fields.
    #[serde(rename = "new", skip_deserializing)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<RawJson>,
    /// In history, the changed parts of large values by field. Both sides have null for these
    /// fields until `fill_in_values`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, ChangedPart>,
    /// Values that lost a conflict in a merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<RecordFields>,
}

/// A field with its values before and after a change; `None` if the field was absent.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FieldChange<'a> {
    #[serde(rename = "field")]
    pub name: &'a str,
    pub old: Option<&'a RawValue>,
    pub new: Option<&'a RawValue>,
}

impl Event {
    /// Parses a line of history; `None` if its checksum is wrong.
    pub fn parse(line: &[u8]) -> Option<Self> {
        sealed::open_sealed(line)
    }

    /// Converts an event of the journal to its form in history, for readers; `None` if only wisps
    /// changed.
    pub(in crate::store) fn for_history(self) -> Option<Self> {
        let mut event = self.into_written()?;
        for change in &mut event.changes {
            let made = change
                .made
                .take()
                .map(|made| RecordFields::parse(made.get()));
            change.new = change.new.take().or(made);
        }
        Some(event)
    }

    /// Converts an event of the journal to its form in history, for writing.
    pub(in crate::store) fn into_written(mut self) -> Option<Self> {
        let count = self.changes.len();
        self.changes
            .retain(|change| change.home() == BeadFile::Issues);
        self.wisps = self.changes.len() < count;
        for change in &mut self.changes {
            change.store = None;
            let line = change.line.take();
            // If one side is missing, the other one is recorded completely.
            match &change.old {
                Some(old) => {
                    let line = line.map(|line| RecordFields::parse(line.get()));
                    change.new = line.map(|line| line.project_onto(old));
                }
                None => change.made = line,
            }
            change.shorten();
        }
        (!self.changes.is_empty()).then_some(self)
    }
}

impl BeadChange {
    /// The file of the bead.
    pub(in crate::store) fn home(&self) -> BeadFile {
        self.store.unwrap_or_default()
    }

    /// Replaces large values by their changed parts.
    fn shorten(&mut self) {
        let (Some(old), Some(new)) = (&mut self.old, &mut self.new) else {
            return;
        };
        for (name, value) in &mut old.0 {
            let part = new.raw_text(name);
            let part = part.and_then(|new| ChangedPart::between(value.get(), new));
            if let Some(part) = part {
                *value = RawValue::NULL.to_owned();
                new.set(name, RawValue::NULL);
                self.parts.insert(name.clone(), part);
            }
        }
    }

    /// Fills in the whole values of large fields. `after` has the fields of the bead after this
    /// change.
    pub(in crate::store) fn fill_in_values(&mut self, after: Option<&RecordFields>) {
        let (Some(old), Some(new)) = (&mut self.old, &mut self.new) else {
            return;
        };
        for (name, part) in std::mem::take(&mut self.parts) {
            let after = after.and_then(|after| after.raw_value(&name));
            part.show_in(&name, [old, new], after);
        }
    }

    /// Returns the fields of the bead before this change, from those after it; `None` if the bead
    /// did not exist.
    pub(in crate::store) fn revert(&self, after: Option<RecordFields>) -> Option<RecordFields> {
        let old = self.old.as_ref()?;
        let Some(after) = after.filter(|_| self.new.is_some()) else {
            return Some(old.clone());
        };
        let mut old = old.clone();
        for (name, part) in &self.parts {
            // A value that something else replaced in the meantime stays.
            if let Some(value) = after.raw_value(name) {
                let before = part.revert(value.get());
                old.set(name, before.as_deref().unwrap_or(value));
            }
        }
        Some(after.patched_with(&old))
    }

    /// Returns the status fields of a bead before it became this tombstone, as far as this change
    /// has them: the state that the deletion replaced, the last state set before, or the values
    /// that lost to the deletion in a merge.
    pub fn status_before_deletion(&self, tombstone: &Bead) -> Option<&RecordFields> {
        let status = |side: &Option<RecordFields>| side.as_ref()?.plain_text("status");
        let is_deletion = status(&self.new).as_deref() == Some(Status::Tombstone.as_str());
        let became = || {
            let line = sealed::line_hash(&record::serialize_bead(tombstone));
            self.after.as_deref() == Some(line.as_str())
        };
        let side = match &self.lost {
            lost if status(lost).is_some() => lost.as_ref().filter(|_| became()),
            _ if is_deletion => self.old.as_ref(),
            _ => self.new.as_ref(),
        };
        side.filter(|side| side.plain_text("status").is_some())
    }
}

/// The kind of a change, for output and filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    Create,
    Delete,
    Comment,
    Status,
    Update,
}

impl EventKind {
    /// The name in `--json` and for `--type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Comment => "comment",
            Self::Status => "status",
            Self::Update => "update",
        }
    }
}

impl BeadChange {
    pub fn kind(&self) -> EventKind {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return if self.new.is_some() {
                EventKind::Create
            } else {
                EventKind::Delete
            };
        };
        let becomes = |key: &str| new.raw_text(key).is_some() || self.parts.contains_key(key);
        if becomes("deleted_at") {
            EventKind::Delete
        } else if new.raw_text("status") != old.raw_text("status") {
            EventKind::Status
        } else if becomes("comments") {
            EventKind::Comment
        } else {
            EventKind::Update
        }
    }

    /// The changed fields except `updated_at`: name, old and new value as JSON.
    pub fn fields(&self) -> Vec<FieldChange<'_>> {
        let old = self.old.as_ref();
        let new = self.new.as_ref();
        new.or(old)
            .map(|side| side.keys().collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter(|key| *key != "updated_at")
            .map(|key| FieldChange {
                name: key,
                old: old.and_then(|side| side.raw_value(key)),
                new: new.and_then(|side| side.raw_value(key)),
            })
            .collect()
    }
}
