//! Reports that several commands share.

use serde_json::{Value, json};

use crate::bead::{Bead, hash, record};
use crate::ui::{Page, Report, escape};

/// What a command hands to the screen.
pub(crate) type Answer = anyhow::Result<Box<dyn Report>>;

/// A few lines for people and a value for programs.
#[derive(Debug, Default)]
pub(crate) struct Said {
    json: Value,
    lines: Vec<String>,
}

impl Said {
    /// Says one line.
    pub(crate) fn new(json: Value, line: impl Into<String>) -> Self {
        Self {
            json,
            lines: vec![line.into()],
        }
    }

    /// Says several lines.
    pub(crate) fn lines(json: Value, lines: Vec<String>) -> Self {
        Self { json, lines }
    }

    /// As an answer.
    pub(crate) fn answer(self) -> Answer {
        Ok(Box::new(self))
    }
}

impl Report for Said {
    fn json(&self) -> Value {
        self.json.clone()
    }

    fn is_confirmation(&self) -> bool {
        self.lines.first().is_some_and(|line| line.starts_with('✓'))
    }

    fn human(&self, page: &mut Page) {
        for line in &self.lines {
            page.line(line);
        }
    }
}

/// Nothing more to say.
#[derive(Debug)]
pub(crate) struct Nothing;

impl Report for Nothing {
    fn json(&self) -> Value {
        Value::Null
    }

    fn human(&self, _page: &mut Page) {}
}

/// Beads that a command changed, with a line for each.
#[derive(Debug)]
pub(crate) struct Changed {
    /// The beads as they are now.
    pub(crate) beads: Vec<Bead>,
    /// What is said of each.
    pub(crate) line: fn(&Bead) -> String,
}

impl Report for Changed {
    fn json(&self) -> Value {
        let one = |bead: &Bead| {
            let mut value = plain_json(bead);
            value["version"] = json!(hash::version(bead));
            value
        };
        self.beads.iter().map(one).collect()
    }

    fn is_confirmation(&self) -> bool {
        true
    }

    fn human(&self, page: &mut Page) {
        for bead in &self.beads {
            let line = (self.line)(bead);
            page.line(escape::line(&line));
        }
    }
}

/// A bead without its edges and comments.
pub(crate) fn plain_json(bead: &Bead) -> Value {
    let mut value = record::value(bead);
    if let Value::Object(object) = &mut value {
        object.shift_remove("dependencies");
        object.shift_remove("comments");
    }
    value
}

/// A bead on the other side of an edge: without its own edges, with the edge's kind.
pub(crate) fn linked_json(bead: &Bead, kind: &str) -> Value {
    let mut value = plain_json(bead);
    value["dependency_type"] = json!(kind);
    value
}

/// A report that ends with another exit code than 0.
#[derive(Debug)]
pub(crate) struct Exit {
    code: u8,
    said: Said,
}

impl Exit {
    /// A report that ends with this code.
    pub(crate) fn with(code: u8, said: Said) -> Answer {
        Ok(Box::new(Self { code, said }))
    }
}

impl Report for Exit {
    fn json(&self) -> Value {
        self.said.json()
    }

    fn human(&self, page: &mut Page) {
        self.said.human(page);
    }

    fn exit(&self) -> u8 {
        self.code
    }
}
