//! Defines one part of a context: its text, its source, its limit.

mod answers;
mod before;
mod checkpoint;
mod convoy;
mod decision;
mod desk;
mod discovery;
mod foreign;
mod handoff;
mod molecule;
mod role;
mod work;

use serde::Serialize;

pub(super) use answers::answers_part;
pub(super) use before::{attempts_part, earlier_requests_part, followup_part};
pub(super) use checkpoint::{checkpoint_part, session_remains_part};
pub(super) use convoy::prior_work_part;
pub(super) use decision::{decision_file_part, decision_part};
pub(super) use desk::desk_part;
pub(super) use discovery::{documents_part, write_down_part};
pub(super) use handoff::handoff_part;
pub(super) use molecule::molecule_part;
pub(super) use role::{
    identity_part, limits_text_part, persona_part, read_directives, resumed_part, role_parts,
    unreadable_limits_part,
};
pub(super) use work::{facts_to_keep_part, no_work_part, original_task_text, work_part};

/// One part of a context.
#[derive(Debug, Clone, Serialize)]
pub struct ContextPart {
    pub name: &'static str,
    pub source: String,
    /// The part's size in the text, in bytes.
    pub bytes: usize,
    /// The estimated number of tokens: a quarter of the bytes.
    pub tokens: usize,
    /// The number of bytes that were cut.
    pub cut: usize,
    pub fate: PartFate,
    /// The reason why the part was cut or dropped. Empty otherwise.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The original size in bytes.
    #[serde(skip)]
    pub(super) whole: usize,
    #[serde(skip)]
    pub(super) text: String,
    /// The rules for cutting the part. `None` for a fixed part.
    #[serde(skip)]
    pub(super) room: Option<PartRoom>,
    /// The items of a list, newest last.
    #[serde(skip)]
    pub(super) items: Option<PartItems>,
}

/// The positions of a list's items, newest last. The oldest are cut first.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartItems {
    /// The position of the first item.
    pub first: usize,
    /// The separator before each other item. Its line ends belong to the previous item.
    pub between: &'static str,
}

/// The treatment of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartFate {
    Kept,
    /// The end is cut, with a mark in the text.
    Cut,
    /// The part is left out, with a note in the text.
    Dropped,
}

/// The limits of a part, and its order when parts are cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartRoom {
    /// The maximum size in bytes, even if the budget has room.
    pub most: usize,
    /// The minimum useful size in bytes. A part that would get smaller is dropped.
    pub least: usize,
    /// The part with the highest rank is cut first.
    pub rank: u8,
    /// The place that shows the whole part.
    pub pointer: PartPointer,
}

/// The place that shows the text that was cut from a part.
#[derive(Debug, Clone, Copy)]
pub(super) enum PartPointer {
    /// The file that is the part's source.
    Source,
    /// The message that the part quotes.
    HandoffNote,
    /// A command. `{}` stands for the bead's id.
    Command(&'static str),
}

impl ContextPart {
    /// Creates a part that is never cut.
    pub(super) fn fixed(name: &'static str, source: impl Into<String>, text: String) -> Self {
        let mut part = Self {
            name,
            source: source.into(),
            bytes: 0,
            tokens: 0,
            cut: 0,
            fate: PartFate::Kept,
            why: String::new(),
            whole: text.len(),
            text: String::new(),
            room: None,
            items: None,
        };
        part.set_text(text);
        part
    }

    /// Makes the part one that may be cut.
    pub(super) fn with_room(mut self, room: PartRoom) -> Self {
        self.room = Some(room);
        self
    }

    /// Makes the part a list below the heading that ends with the first `heading_end`. Each further
    /// item follows `between`.
    pub(super) fn with_items(mut self, heading_end: &str, between: &'static str) -> Self {
        let first = self.text.find(heading_end).map(|at| at + heading_end.len());
        self.items = first.map(|first| PartItems { first, between });
        self
    }

    /// Returns the id of the handoff note that the part quotes.
    pub(super) fn handoff_note(&self) -> Option<&str> {
        let id = self.source.strip_prefix("message ")?;
        (self.name == "handoff").then_some(id)
    }

    pub(super) fn set_text(&mut self, text: String) {
        self.bytes = text.len();
        self.tokens = text.len().div_ceil(4);
        self.text = text;
    }
}
