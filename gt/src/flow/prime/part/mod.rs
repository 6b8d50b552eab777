//! One part of a context: what it says, where that comes from, how much room it may take.

mod answers;
mod before;
mod checkpoint;
mod convoy;
mod decision;
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
pub(super) use discovery::{documents_part, write_down_part};
pub(super) use handoff::handoff_part;
pub(super) use molecule::molecule_part;
pub(super) use role::{identity_part, limits_text_part, read_directives, resumed_part, role_parts};
pub(super) use work::{facts_to_keep_part, no_work_part, original_task_text, work_part};

/// One part of a context.
#[derive(Debug, Clone, Serialize)]
pub struct ContextPart {
    /// What it is.
    pub name: &'static str,
    /// Where it comes from.
    pub source: String,
    /// How many bytes of it stand in the text.
    pub bytes: usize,
    /// About how many tokens these are: a quarter as many.
    pub tokens: usize,
    /// How many bytes were cut from it.
    pub cut: usize,
    /// What became of it.
    pub fate: PartFate,
    /// Why it was cut or dropped; empty where it was not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// How long it was at first.
    #[serde(skip)]
    pub(super) whole: usize,
    /// The text.
    #[serde(skip)]
    pub(super) text: String,
    /// How it may be made smaller; `None` for what must be said.
    #[serde(skip)]
    pub(super) room: Option<PartRoom>,
    /// The items of which it is a list, the newest last.
    #[serde(skip)]
    pub(super) items: Option<PartItems>,
}

/// Where the items of a part begin, the newest last: cut, it loses its oldest first.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartItems {
    /// Where the first one begins.
    pub first: usize,
    /// What stands before each other one; its line ends belong to the one before.
    pub between: &'static str,
}

/// What became of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartFate {
    /// It stands whole.
    Kept,
    /// Its end is missing, and the text says so.
    Cut,
    /// It was left out, and the text says so.
    Dropped,
}

/// How much room a part may take, and how it gives way.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartRoom {
    /// At most so many bytes, however much room there is.
    pub most: usize,
    /// With less than this it is dropped rather than cut.
    pub least: usize,
    /// The part with the highest number gives way first.
    pub rank: u8,
    /// Where all of it can be read.
    pub pointer: PartPointer,
}

/// The command that shows what was cut from a part.
#[derive(Debug, Clone, Copy)]
pub(super) enum PartPointer {
    /// A file of its own, which is its source.
    Source,
    /// The message that it is made from.
    HandoffNote,
    /// A command; `{}` stands for the bead's id.
    Command(&'static str),
}

impl ContextPart {
    /// A part that must be said.
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

    /// The same, as one that may give way.
    pub(super) fn with_room(mut self, room: PartRoom) -> Self {
        self.room = Some(room);
        self
    }

    /// The same, as a list below the heading that ends with the first `heading_end`; each other item stands after
    /// `between`.
    pub(super) fn with_items(mut self, heading_end: &str, between: &'static str) -> Self {
        let first = self.text.find(heading_end).map(|at| at + heading_end.len());
        self.items = first.map(|first| PartItems { first, between });
        self
    }

    /// The message that it is made from, where it is one to a successor.
    pub(super) fn handoff_note(&self) -> Option<String> {
        let id = self.source.strip_prefix("message ")?;
        (self.name == "handoff").then(|| id.to_owned())
    }

    /// Sets its text.
    pub(super) fn set_text(&mut self, text: String) {
        self.bytes = text.len();
        self.tokens = text.len().div_ceil(4);
        self.text = text;
    }
}
