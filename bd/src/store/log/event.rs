//! Events: who changed which beads, and how.
//!
//! A line of the journal is an event with the whole new record of each bead. In history it has of each durable bead only
//! the fields that changed, as they were and as they became, so that files in git stay small. A bead that was made, or
//! removed without a trace, stands there whole.

use serde::{Deserialize, Serialize};

use crate::bead::record::{self, RecordFields};
use crate::bead::{Bead, RawJson, Status};
use crate::store::log::sealed;

/// Which file a bead lives in.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum BeadFile {
    /// The durable beads.
    #[default]
    Issues,
    /// The wisps.
    Wisps,
}

/// One transaction.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Event {
    /// Its id.
    #[serde(alias = "tx")]
    pub id: String,
    /// When it was made.
    pub at: String,
    /// Who made it.
    pub actor: String,
    /// In which agent session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// What it is, where its fields do not say it: an undo, a merge.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verb: String,
    /// The event that it takes back.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub undoes: String,
    /// Whether it also changed wisps, which history does not have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wisps: bool,
    /// What changed.
    pub changes: Vec<BeadChange>,
}

/// How one bead changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BeadChange {
    /// Where it lives; history has durable beads only, and does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<BeadFile>,
    /// The bead.
    pub id: String,
    /// The hash of its line before; `None` where it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The hash of its line after; `None` where it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The fields that changed, as they were, null where absent; `None` where the bead was not there.
    pub old: Option<RecordFields>,
    /// In the journal its new record; `None` where it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<RawJson>,
    /// In history the same fields as they became; `None` where it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<RecordFields>,
    /// The same of a bead that was made, on its way to the file: its record, not taken apart.
    #[serde(rename = "new", skip_deserializing)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<RawJson>,
    /// Values that lost against others in a merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<RecordFields>,
}

impl Event {
    /// The event of a line of history; `None` where its checksum is not right.
    pub fn parse(line: &[u8]) -> Option<Self> {
        sealed::open_sealed(line)
    }

    /// An event of the journal as history has it, to be read; `None` where only wisps changed.
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

    /// The same to be written.
    pub(in crate::store) fn into_written(mut self) -> Option<Self> {
        let count = self.changes.len();
        self.changes
            .retain(|change| change.home() == BeadFile::Issues);
        self.wisps = self.changes.len() < count;
        for change in &mut self.changes {
            change.store = None;
            let line = change.line.take();
            // Both sides whole where one is not there.
            match &change.old {
                Some(old) => {
                    let line = line.map(|line| RecordFields::parse(line.get()));
                    change.new = line.map(|line| line.project_onto(old));
                }
                None => change.made = line,
            }
        }
        (!self.changes.is_empty()).then_some(self)
    }

    /// The same event as far as it is about one bead.
    #[must_use]
    pub fn limited_to(&self, id: &str) -> Self {
        let mut event = self.clone();
        event.changes.retain(|change| change.id == id);
        event
    }
}

impl BeadChange {
    /// Where it lives.
    pub(in crate::store) fn home(&self) -> BeadFile {
        self.store.unwrap_or_default()
    }

    /// What this says of where a bead stood before it became this tombstone: what the deletion found, what it was set
    /// to before, or what gave way to the deletion in a merge. `None` where it does not say.
    pub fn status_before_deletion(&self, tombstone: &Bead) -> Option<&RecordFields> {
        let status = |side: &Option<RecordFields>| side.as_ref()?.text("status");
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
        side.filter(|side| side.text("status").is_some())
    }
}

/// What kind a change is, for people and filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// The bead was made.
    Create,
    /// It was deleted.
    Delete,
    /// It got a comment.
    Comment,
    /// Its status changed.
    Status,
    /// Anything else.
    Update,
}

impl EventKind {
    /// Its name in `--json` and for `--type`.
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
    /// What kind of change it is.
    pub fn kind(&self) -> EventKind {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return if self.new.is_some() {
                EventKind::Create
            } else {
                EventKind::Delete
            };
        };
        let becomes = |key: &str| new.get(key).is_some();
        if becomes("deleted_at") {
            EventKind::Delete
        } else if new.get("status") != old.get("status") {
            EventKind::Status
        } else if becomes("comments") {
            EventKind::Comment
        } else {
            EventKind::Update
        }
    }

    /// The fields that changed, without the time of the change: name, old and new value as JSON.
    pub fn fields(&self) -> Vec<(&str, Option<&str>, Option<&str>)> {
        let (old, new) = (self.old.as_ref(), self.new.as_ref());
        let keys = new.or(old).map(|side| side.keys().collect::<Vec<_>>());
        keys.unwrap_or_default()
            .into_iter()
            .filter(|key| *key != "updated_at")
            .map(|key| {
                (
                    key,
                    old.and_then(|side| side.get(key)),
                    new.and_then(|side| side.get(key)),
                )
            })
            .collect()
    }
}
