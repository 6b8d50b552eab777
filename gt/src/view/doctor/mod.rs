//! Looks whether a town is sound. Every check only looks: what it finds comes with the way out, and
//! nothing is changed.
//!
//! One file a check. A check that cannot look says that as a finding of its own; it never hides the others.

mod agents;
mod daemon;
mod escalations;
mod rigs;
mod routes;
mod sandboxes;
mod sessions;
mod stores;
mod tools;
mod town_files;

use serde::Serialize;

use crate::host::LiveTown;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// All is well.
    Ok,
    /// Worth knowing.
    Note,
    /// Something will not work as it should.
    Warning,
    /// Something does not work.
    Error,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check.
    pub check: &'static str,
    /// How grave it is.
    pub level: Level,
    /// What was found, and where.
    pub text: String,
    /// The way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The findings of one check, being written.
struct Page<'a> {
    check: &'static str,
    all: &'a mut Vec<Finding>,
}

impl Page<'_> {
    fn add(&mut self, level: Level, text: impl Into<String>, hint: Option<&str>) {
        self.all.push(Finding {
            check: self.check,
            level,
            text: text.into(),
            hint: hint.map(str::to_owned),
        });
    }

    fn ok(&mut self, text: impl Into<String>) {
        self.add(Level::Ok, text, None);
    }

    fn note(&mut self, text: impl Into<String>, hint: &str) {
        self.add(Level::Note, text, Some(hint));
    }

    fn warn(&mut self, text: impl Into<String>, hint: &str) {
        self.add(Level::Warning, text, Some(hint));
    }

    fn error(&mut self, text: impl Into<String>, hint: &str) {
        self.add(Level::Error, text, Some(hint));
    }

    /// Says that all is well, unless something was found since `before` findings.
    fn ok_unless(&mut self, before: usize, text: impl Into<String>) {
        if self.all.len() == before {
            self.ok(text);
        }
    }
}

/// One check.
type Check = (&'static str, fn(&LiveTown, &mut Page));

/// All checks, in the order in which they run.
const CHECKS: &[Check] = &[
    ("tools", tools::check),
    ("town", town_files::check),
    ("rigs", rigs::check),
    ("routes", routes::check),
    ("beads", stores::check),
    ("sandboxes", sandboxes::check),
    ("agents", agents::check),
    ("sessions", sessions::check),
    ("daemon", daemon::check),
    ("escalations", escalations::check),
];

/// The names of the checks.
pub fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(name, _)| *name)
}

/// Runs the checks, or only those that are named.
pub fn run(town: &LiveTown, only: &[String]) -> Vec<Finding> {
    let mut all = Vec::new();
    for (name, check) in CHECKS {
        if only.is_empty() || only.iter().any(|wanted| wanted == name) {
            let mut page = Page {
                check: name,
                all: &mut all,
            };
            check(town, &mut page);
        }
    }
    all
}

#[cfg(test)]
mod tests;
