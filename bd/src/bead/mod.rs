//! The bead: one unit of work, one line of JSON in `issues.jsonl`.
//!
//! Owns the record and its value types. What must always hold: keys are written in the order of the
//! table below; keys we do not know keep their bytes; a value that is absent is not written. The table
//! is the only list of fields: the struct, the reader ([`record`]) and the writer are made from it.

pub mod attempt;
pub mod blocked;
pub mod comment;
pub mod dep;
pub mod fields;
mod fields_table;
pub mod hash;
pub mod id;
pub mod kind;
pub mod lines;
pub mod record;
pub mod stamp;
pub mod status;
pub mod validate;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub use comment::Comment;
pub use dep::{Dep, DepKind};
pub use kind::Kind;
use record::RecordFields;
pub use stamp::Stamp;
pub use status::Status;

/// A JSON value kept as the text it was read from.
pub type RawJson = Box<RawValue>;

/// Hands the table of fields to the macro `$user`: name, type, JSON key, whether it is always written.
macro_rules! with_fields {
    ($user:ident) => {
        $user! {
            /// The id, such as `bd-k3f` or `bd-k3f.1`.
            id: String = "id", always;
            /// One line that says what this is.
            title: String = "title", always;
            /// The long text.
            description: String = "description", omit;
            /// How it is to be done.
            design: String = "design", omit;
            /// When it is done.
            acceptance_criteria: String = "acceptance_criteria", omit;
            /// Working notes.
            notes: String = "notes", omit;
            /// A link to a specification.
            spec_id: String = "spec_id", omit;
            /// Where it stands.
            status: Status = "status", omit;
            /// 0 (most urgent) to 4.
            priority: i64 = "priority", always;
            /// What kind of thing it is.
            issue_type: Kind = "issue_type", omit;
            /// Who works on it.
            assignee: String = "assignee", omit;
            /// The e-mail address of the person behind it.
            owner: String = "owner", omit;
            /// Estimated minutes of work.
            estimated_minutes: Option<i64> = "estimated_minutes", omit;
            /// When it was made.
            created_at: Stamp = "created_at", always;
            /// Who made it.
            created_by: String = "created_by", omit;
            /// When one of its fields last changed.
            updated_at: Stamp = "updated_at", always;
            /// When it was closed.
            closed_at: Option<Stamp> = "closed_at", omit;
            /// Why it was closed.
            close_reason: String = "close_reason", omit;
            /// The agent session that closed it.
            closed_by_session: String = "closed_by_session", omit;
            /// When it is due.
            due_at: Option<Stamp> = "due_at", omit;
            /// Not ready before this instant.
            defer_until: Option<Stamp> = "defer_until", omit;
            /// Its id in another tracker.
            external_ref: Option<String> = "external_ref", omit;
            /// The system it was imported from.
            source_system: String = "source_system", omit;
            /// Any JSON of the users' own.
            metadata: Option<RawJson> = "metadata", omit;
            /// How far its text was compacted.
            compaction_level: i64 = "compaction_level", omit;
            /// When it was compacted.
            compacted_at: Option<Stamp> = "compacted_at", omit;
            /// The commit that still has the full text.
            compacted_at_commit: Option<String> = "compacted_at_commit", omit;
            /// Bytes of text before compaction.
            original_size: i64 = "original_size", omit;
            /// Labels, sorted.
            labels: Vec<String> = "labels", omit;
            /// Edges from this bead to others.
            dependencies: Vec<Dep> = "dependencies", omit;
            /// Comments, oldest first.
            comments: Vec<Comment> = "comments", omit;
            /// When it was deleted.
            deleted_at: Option<Stamp> = "deleted_at", omit;
            /// Who deleted it.
            deleted_by: String = "deleted_by", omit;
            /// Why it was deleted.
            delete_reason: String = "delete_reason", omit;
            /// Its kind before it was deleted.
            original_type: String = "original_type", omit;
            /// Who sent it, for a message.
            sender: String = "sender", omit;
            /// Whether it is a wisp: local, never in git.
            ephemeral: bool = "ephemeral", omit;
            /// What kind of wisp it is.
            wisp_type: String = "wisp_type", omit;
            /// Whether it is context rather than work.
            pinned: bool = "pinned", omit;
            /// Whether it is a template to pour from.
            is_template: bool = "is_template", omit;
            /// The protos it was bonded from.
            bonded_from: Option<RawJson> = "bonded_from", omit;
            /// The entity that created it.
            creator: Option<RawJson> = "creator", omit;
            /// Verdicts of validators.
            validations: Option<RawJson> = "validations", omit;
            /// A quality score from 0 to 1.
            quality_score: Option<RawJson> = "quality_score", omit;
            /// Whether its value lasts.
            crystallizes: bool = "crystallizes", omit;
            /// What a gate waits for.
            await_type: String = "await_type", omit;
            /// Which one of those.
            await_id: String = "await_id", omit;
            /// How long a gate waits, in nanoseconds.
            timeout: i64 = "timeout", omit;
            /// Who is told when a gate opens.
            waiters: Vec<String> = "waiters", omit;
            /// Who holds a merge slot.
            holder: String = "holder", omit;
            /// The formula it was cooked from.
            source_formula: String = "source_formula", omit;
            /// The place in that formula.
            source_location: String = "source_location", omit;
            /// What hangs on an agent's hook.
            hook_bead: String = "hook_bead", omit;
            /// An agent's role definition.
            role_bead: String = "role_bead", omit;
            /// An agent's own word for its state.
            agent_state: String = "agent_state", omit;
            /// When an agent last did something.
            last_activity: Option<Stamp> = "last_activity", omit;
            /// An agent's role.
            role_type: String = "role_type", omit;
            /// An agent's rig.
            rig: String = "rig", omit;
            /// What kind of molecule it is.
            mol_type: String = "mol_type", omit;
            /// How workers share it.
            work_type: String = "work_type", omit;
            /// The kind of an event.
            event_kind: String = "event_kind", omit;
            /// Who caused an event.
            actor: String = "actor", omit;
            /// What an event is about.
            target: String = "target", omit;
            /// An event's data: JSON in a string.
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
            /// Keys we do not know, in the order they were read, with the bytes of their values.
            pub extra: Vec<(String, RawJson)>,
        }

        impl Bead {
            /// A bead in which every field is absent.
            pub(crate) fn blank() -> Self {
                Self {
                    $($name: Default::default(),)*
                    extra: Vec::new(),
                }
            }
        }
    };
}
with_fields!(bead_struct);

impl Default for Bead {
    /// An open task of priority 2 without id, title or times.
    fn default() -> Self {
        Self {
            priority: 2,
            ..Self::blank()
        }
    }
}

impl PartialEq for Bead {
    /// Whether their lines are the same. What changes most is looked at first, for to write both takes a while.
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
    /// The users' own JSON as an object; empty where there is none, or something else.
    pub fn metadata_object(&self) -> Map<String, Value> {
        let raw = self.metadata.as_ref();
        raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default()
    }

    /// Sets one key of the users' own JSON; all others stay, and something that is no object is kept
    /// under the key `value`.
    pub fn set_metadata(&mut self, key: &str, value: impl Serialize) -> serde_json::Result<()> {
        let mut object = RecordFields::default();
        if let Some(raw) = &self.metadata {
            match record::parse_pairs(raw.get()) {
                Some(pairs) => object = RecordFields(pairs),
                None if raw.get() == "null" => {}
                None => object.set("value", raw),
            }
        }
        object.set(key, &serde_json::value::to_raw_value(&value)?);
        self.metadata = object.to_raw_json();
        Ok(())
    }

    /// Whether it carries this label.
    pub fn has_label(&self, label: &str) -> bool {
        self.labels.iter().any(|own| own == label)
    }

    /// Whether it is neither closed nor deleted.
    pub fn is_open(&self) -> bool {
        !matches!(self.status, Status::Closed | Status::Tombstone)
    }

    /// Whether it was deleted.
    pub fn is_tombstone(&self) -> bool {
        self.status == Status::Tombstone
    }

    /// The bead it is a child of, by its first parent-child edge.
    pub fn parent(&self) -> Option<&str> {
        self.edges(&DepKind::ParentChild)
            .next()
            .map(|edge| edge.depends_on_id.as_str())
    }

    /// Its edges of one kind.
    pub fn edges<'a>(&'a self, kind: &'a DepKind) -> impl Iterator<Item = &'a Dep> {
        self.dependencies
            .iter()
            .filter(move |edge| edge.kind == *kind)
    }

    /// Puts labels and edges into the order in which they are written.
    pub fn sort_parts(&mut self) {
        self.labels.sort();
        self.labels.dedup();
        self.dependencies
            .sort_by(|a, b| a.created_at.cmp(&b.created_at));
        self.comments
            .sort_by(|a, b| a.created_at.cmp(&b.created_at));
    }
}
