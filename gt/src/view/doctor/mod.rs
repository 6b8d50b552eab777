//! Checks the state of a town. A check only reads. Each finding comes with a hint for its repair.
//!
//! Each check has its own file. A check that fails is a finding of its own and never hides the
//! others.

mod agents;
mod daemon;
mod escalations;
mod forges;
mod gates;
mod hosts;
mod jail;
mod paths;
mod plugins;
mod rigs;
mod routes;
mod sandboxes;
mod sessions;
mod stores;
mod tools;
mod town_files;

use serde::Serialize;

use crate::host::LiveTown;
use crate::town::Rig;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingLevel {
    Ok,
    Note,
    /// Something will not work correctly.
    Warning,
    Error,
}

/// A finding of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub check: &'static str,
    pub level: FindingLevel,
    /// The problem and its place.
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Collects the findings of one check.
struct CheckFindings<'a> {
    check: &'static str,
    all: &'a mut Vec<Finding>,
}

/// Returns the rigs. None of them while the registry cannot be read, which is a finding of its own.
fn list_readable_rigs(town: &LiveTown) -> Vec<Rig<'_>> {
    town.list_rigs().unwrap_or_else(|_| Vec::new())
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

    /// Adds an ok finding, unless the check has added findings since there were `before`.
    fn ok_unless(&mut self, before: usize, text: impl Into<String>) {
        if self.all.len() == before {
            self.ok(text);
        }
    }
}

/// A check with its name.
type DoctorCheck = (&'static str, fn(&LiveTown, &mut CheckFindings));

/// All checks, in the order in which they run.
const ALL_CHECKS: &[DoctorCheck] = &[
    ("tools", tools::check_tools),
    ("town", town_files::check_town_files),
    ("rigs", rigs::check_rigs),
    ("gates", gates::check_gates),
    ("jail", jail::check_jail),
    ("forges", forges::check_forges),
    ("routes", routes::check_routes),
    ("beads", stores::check_stores),
    ("paths", paths::check_paths),
    ("sandboxes", sandboxes::check_sandboxes),
    ("agents", agents::check_agents),
    ("hosts", hosts::check_hosts),
    ("sessions", sessions::check_sessions),
    ("daemon", daemon::check_daemon),
    ("escalations", escalations::check_escalations),
    ("plugins", plugins::check_plugins),
];

/// Returns the names of the checks.
pub fn check_names() -> impl Iterator<Item = &'static str> {
    ALL_CHECKS.iter().map(|(name, _)| *name)
}

/// Runs the checks, or only the named ones.
pub fn run_checks(town: &LiveTown, only: &[String]) -> Vec<Finding> {
    let mut all = Vec::new();
    for (name, check) in ALL_CHECKS {
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
