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
pub enum FindingLevel {
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
    pub level: FindingLevel,
    /// What was found, and where.
    pub text: String,
    /// The way out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The findings of one check, being written.
struct CheckFindings<'a> {
    check: &'static str,
    all: &'a mut Vec<Finding>,
}

impl CheckFindings<'_> {
    fn add(&mut self, level: FindingLevel, text: impl Into<String>, hint: Option<&str>) {
        self.all.push(Finding {
            check: self.check,
            level,
            text: text.into(),
            hint: hint.map(str::to_owned),
        });
    }

    fn ok(&mut self, text: impl Into<String>) {
        self.add(FindingLevel::Ok, text, None);
    }

    fn note(&mut self, text: impl Into<String>, hint: &str) {
        self.add(FindingLevel::Note, text, Some(hint));
    }

    fn warn(&mut self, text: impl Into<String>, hint: &str) {
        self.add(FindingLevel::Warning, text, Some(hint));
    }

    fn error(&mut self, text: impl Into<String>, hint: &str) {
        self.add(FindingLevel::Error, text, Some(hint));
    }

    /// Says that all is well, unless something was found since `before` findings.
    fn ok_unless(&mut self, before: usize, text: impl Into<String>) {
        if self.all.len() == before {
            self.ok(text);
        }
    }
}

/// One check.
type DoctorCheck = (&'static str, fn(&LiveTown, &mut CheckFindings));

/// All checks, in the order in which they run.
const CHECKS: &[DoctorCheck] = &[
    ("tools", tools::check_tools),
    ("town", town_files::check_town_files),
    ("rigs", rigs::check_rigs),
    ("routes", routes::check_routes),
    ("beads", stores::check_stores),
    ("sandboxes", sandboxes::check_sandboxes),
    ("agents", agents::check_agents),
    ("sessions", sessions::check_sessions),
    ("daemon", daemon::check_daemon),
    ("escalations", escalations::check_escalations),
];

/// The names of the checks.
pub fn check_names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|(name, _)| *name)
}

/// Runs the checks, or only those that are named.
pub fn run_checks(town: &LiveTown, only: &[String]) -> Vec<Finding> {
    let mut all = Vec::new();
    for (name, check) in CHECKS {
        if only.is_empty() || only.iter().any(|wanted| wanted == name) {
            let mut page = CheckFindings {
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
