//! The bead: one unit of work, one line of JSON in `issues.jsonl`.
//!
//! This module owns the record and its value types. Keys are always written in the order of the
//! table below, unknown keys keep their bytes, and an absent value is not written. The table is the
//! only list of fields: the struct, the reader ([`record`]) and the writer are generated from it.

pub mod attempt;
pub mod blocked;
pub mod comment;
pub mod dep;
pub mod fields;
mod fields_table;
pub mod hash;
pub mod id;
pub mod internal;
pub mod kind;
pub mod lines;
pub mod record;
pub mod stamp;
pub mod status;
pub mod validate;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub use comment::Comment;
pub use dep::{Dep, DepKind};
pub use fields_table::ForeignElement;
use fields_table::HasForeignElements;
pub use kind::Kind;
use record::RecordFields;
pub use stamp::Stamp;
pub use status::Status;

/// A JSON value kept as its source text.
pub type RawJson = Box<RawValue>;

/// Passes the table of fields to the macro `$user`: name, type, JSON key, and `always` or `omit`
/// for blank values.
macro_rules! with_fields {
    ($user:ident) => {
        $user! {
            /// The id, such as `bd-k3f` or `bd-k3f.1`.
            id: String = "id", always;
            /// One line that summarizes the bead.
            title: String = "title", always;
            description: String = "description", omit;
            /// The design notes.
            design: String = "design", omit;
            acceptance_criteria: String = "acceptance_criteria", omit;
            notes: String = "notes", omit;
            /// A link to a specification.
            spec_id: String = "spec_id", omit;
            status: Status = "status", omit;
            /// 0 (most urgent) to 4.
            priority: i64 = "priority", always;
            /// The kind of bead.
            issue_type: Kind = "issue_type", omit;
            assignee: String = "assignee", omit;
            /// The e-mail address of the responsible user.
            owner: String = "owner", omit;
            estimated_minutes: Option<i64> = "estimated_minutes", omit;
            created_at: Stamp = "created_at", always;
            created_by: String = "created_by", omit;
            /// The last change of a field.
            updated_at: Stamp = "updated_at", always;
            closed_at: Option<Stamp> = "closed_at", omit;
            close_reason: String = "close_reason", omit;
            /// The agent session that closed it.
            closed_by_session: String = "closed_by_session", omit;
            due_at: Option<Stamp> = "due_at", omit;
            /// The bead is not ready before this instant.
            defer_until: Option<Stamp> = "defer_until", omit;
            /// The id in another tracker.
            external_ref: Option<String> = "external_ref", omit;
            /// The system that the bead was imported from.
            source_system: String = "source_system", omit;
            /// User-defined JSON.
            metadata: Option<RawJson> = "metadata", omit;
            /// The number of compactions of the text.
            compaction_level: i64 = "compaction_level", omit;
            compacted_at: Option<Stamp> = "compacted_at", omit;
            /// The commit that still has the full text.
            compacted_at_commit: Option<String> = "compacted_at_commit", omit;
            /// The size of the text before compaction, in bytes.
            original_size: i64 = "original_size", omit;
            labels: Vec<String> = "labels", omit;
            /// Edges from this bead to others.
            dependencies: Vec<Dep> = "dependencies", omit;
            comments: Vec<Comment> = "comments", omit;
            deleted_at: Option<Stamp> = "deleted_at", omit;
            deleted_by: String = "deleted_by", omit;
            delete_reason: String = "delete_reason", omit;
            /// The kind before the deletion.
            original_type: String = "original_type", omit;
            /// The sender of a message.
            sender: String = "sender", omit;
            /// True for a wisp, which is local and never in git.
            ephemeral: bool = "ephemeral", omit;
            /// The kind of wisp.
            wisp_type: String = "wisp_type", omit;
            /// True for a bead that is context rather than work.
            pinned: bool = "pinned", omit;
            /// True for a template that molecules are poured from.
            is_template: bool = "is_template", omit;
            /// The protos that this bead was bonded from.
            bonded_from: Option<RawJson> = "bonded_from", omit;
            /// The entity that created the bead.
            creator: Option<RawJson> = "creator", omit;
            validations: Option<RawJson> = "validations", omit;
            /// A quality score from 0 to 1.
            quality_score: Option<RawJson> = "quality_score", omit;
            crystallizes: bool = "crystallizes", omit;
            /// The condition type of a gate.
            await_type: String = "await_type", omit;
            await_id: String = "await_id", omit;
            /// The time limit of a gate, in nanoseconds.
            timeout: i64 = "timeout", omit;
            /// The addresses that are notified when a gate opens.
            waiters: Vec<String> = "waiters", omit;
            /// The holder of a merge slot.
            holder: String = "holder", omit;
            /// The formula that the bead was cooked from.
            source_formula: String = "source_formula", omit;
            /// The location in that formula.
            source_location: String = "source_location", omit;
            /// The bead on an agent's hook.
            hook_bead: String = "hook_bead", omit;
            role_bead: String = "role_bead", omit;
            /// The state that an agent reports about itself.
            agent_state: String = "agent_state", omit;
            /// The last activity of an agent.
            last_activity: Option<Stamp> = "last_activity", omit;
            role_type: String = "role_type", omit;
            rig: String = "rig", omit;
            /// The kind of molecule.
            mol_type: String = "mol_type", omit;
            work_type: String = "work_type", omit;
            /// The kind of an event.
            event_kind: String = "event_kind", omit;
            actor: String = "actor", omit;
            /// The subject of an event.
            target: String = "target", omit;
            /// The data of an event: JSON in a string.
            payload: String = "payload", omit;
        }
    };
}
pub(crate) use with_fields;

macro_rules! bead_struct {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $key:literal, $when:ident;)*) => {
        /// One unit of work.
        #[derive(Debug, Clone)]
        pub struct Bead {
            $($(#[$doc])* pub $name: $kind,)*
            /// Unknown keys, in the order of the source line, with the bytes of their values.
            pub extra: Vec<(String, RawJson)>,
            /// The elements of lists that are not understood.
            pub foreign: Vec<ForeignElement>,
        }

        impl HasForeignElements for Bead {
            fn foreign_elements(&self) -> &[ForeignElement] {
                &self.foreign
            }
        }

        impl Bead {
            /// Returns a bead in which every field is absent.
            pub(crate) fn blank() -> Self {
                Self {
                    $($name: Default::default(),)*
                    extra: Vec::new(),
                    foreign: Vec::new(),
                }
            }
        }
    };
}
with_fields!(bead_struct);

impl Default for Bead {
    /// Returns an open task of priority 2 without id, title or times.
    fn default() -> Self {
        Self {
            priority: 2,
            ..Self::blank()
        }
    }
}

impl PartialEq for Bead {
    /// Compares the serialized lines. Compares the fields that change most first, because
    /// serializing both is slow.
    fn eq(&self, other: &Self) -> bool {
        self.priority == other.priority
            && self.status.as_str() == other.status.as_str()
            && self.assignee == other.assignee
            && self.title == other.title
            && self.description == other.description
            && self.notes == other.notes
            && self.updated_at == other.updated_at
            && record::serialize_bead(self) == record::serialize_bead(other)
    }
}

impl Bead {
    /// The closing time, or the time of the last change if the bead has none.
    pub fn closing_time(&self) -> &Stamp {
        self.closed_at.as_ref().unwrap_or(&self.updated_at)
    }

    /// Returns the user-defined JSON as an object. A value that is absent or not an object counts as
    /// an object without keys.
    pub fn metadata_object(&self) -> Map<String, Value> {
        self.metadata
            .as_ref()
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default()
    }

    /// Reads one key of the user-defined JSON, and parses nothing else of it. `None` if the key is
    /// absent or its value is of another type.
    pub fn metadata_value<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let raw = self.metadata.as_ref()?.get();
        if !record::may_have_key(raw.as_bytes(), key) {
            return None;
        }
        let pairs = record::parse_pairs(raw)?;
        let (_, value) = pairs.iter().rev().find(|(name, _)| name == key)?;
        // A key that occurs twice has its last value, as in the other fields.
        let value: Value = serde_json::from_str(value.get()).ok()?;
        serde_json::from_value(value).ok()
    }

    /// Sets one key of the user-defined JSON and preserves all others. A value that is not an
    /// object is kept under the key `value`.
    pub fn set_metadata(&mut self, key: &str, value: impl Serialize) -> serde_json::Result<()> {
        let mut object = self.metadata_fields();
        object.set(key, &serde_json::value::to_raw_value(&value)?);
        self.metadata = object.to_raw_json();
        Ok(())
    }

    /// Returns the user-defined JSON as an object. A value that is not an object is under the key
    /// `value`.
    pub fn metadata_fields(&self) -> RecordFields {
        let mut object = RecordFields::default();
        if let Some(raw) = &self.metadata {
            match record::parse_pairs(raw.get()) {
                Some(pairs) => object = RecordFields(pairs),
                None if raw.get() == "null" => {}
                None => object.set("value", raw),
            }
        }
        object
    }

    /// Removes one key of the user-defined JSON and preserves all others.
    pub fn remove_metadata(&mut self, key: &str) {
        let raw = self.metadata.as_ref();
        let Some(mut pairs) = raw.and_then(|raw| record::parse_pairs(raw.get())) else {
            return;
        };
        pairs.retain(|(name, _)| name != key);
        self.metadata = (!pairs.is_empty())
            .then(|| RecordFields(pairs).to_raw_json())
            .flatten();
    }

    pub fn has_label(&self, label: &str) -> bool {
        self.labels.iter().any(|existing| existing == label)
    }

    /// Returns true if the bead is neither closed nor deleted.
    pub fn is_open(&self) -> bool {
        !matches!(self.status, Status::Closed | Status::Tombstone)
    }

    /// Returns true if the bead was deleted.
    pub fn is_tombstone(&self) -> bool {
        self.status == Status::Tombstone
    }

    /// Returns the parent, by the first parent-child edge.
    pub fn parent(&self) -> Option<&str> {
        self.edges(&DepKind::ParentChild)
            .next()
            .map(|edge| edge.depends_on_id.as_str())
    }

    pub fn edges<'a>(&'a self, kind: &'a DepKind) -> impl Iterator<Item = &'a Dep> {
        self.dependencies
            .iter()
            .filter(move |edge| edge.kind == *kind)
    }

    /// Sorts labels and edges into the order in which they are written.
    pub fn sort_parts(&mut self) {
        self.labels.sort();
        self.labels.dedup();
        self.dependencies
            .sort_by(|a, b| a.created_at.cmp(&b.created_at));
        self.comments
            .sort_by(|a, b| a.created_at.cmp(&b.created_at));
    }
}
