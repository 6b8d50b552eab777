//! The `pre-merge` hook: holds what a change adds against the decision of its convoy, and names rule, file and line.
//!
//! What counts as new is what a file defines after the change and no changed file defined before it, so moving code
//! breaks no rule. What the decision allows, what the bead's front matter overrides, and what a waiver covers is let
//! by; a waiver is said aloud each time.

mod change;
mod enums;

use std::path::Path;

pub use change::{Changed, changed};

use crate::code::{Definition, Kind, is_auth};
use crate::constraint::{self, Meaning};
use crate::decision::Decision;
use crate::rule::Rule;
use crate::vault::segments;
use crate::waiver::Waiver;
use crate::word::words;
use crate::yaml;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's words, or a constraint's code.
    pub rule: String,
    /// Where.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What was found there.
    pub what: String,
    /// Why it is let by, where a waiver covers it.
    pub waived: Option<String>,
}

/// What a check comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Broken rules.
    pub findings: Vec<Finding>,
    /// Rules that only people can check, and constraint codes that nobody knows.
    pub notes: Vec<String>,
}

impl Outcome {
    /// Whether the change may pass.
    pub fn passes(&self) -> bool {
        self.findings.iter().all(|one| one.waived.is_some())
    }
}

/// What a bead's front matter lets by: the entries of `override: {allow: [...]}`.
pub fn overrides(front_matter: &str) -> Vec<String> {
    let value = yaml::read(front_matter).ok();
    let allow = value
        .as_ref()
        .and_then(|value| value.get("override"))
        .and_then(|value| value.get("allow"));
    allow.map(yaml::Value::as_texts).unwrap_or_default()
}

/// Checks a change.
pub fn check(
    decision: &Decision,
    allowed: &[String],
    waivers: &[Waiver],
    files: &[Changed],
) -> Outcome {
    let mut outcome = Outcome::default();
    let own = decision.texts("allow");
    let allowed: Vec<&String> = own.iter().chain(allowed).collect();
    let new = new_definitions(files, &allowed);
    for rule in decision.forbidden() {
        if allowed.iter().any(|word| words(word) == words(&rule.words)) {
            continue;
        }
        if !rule.can_be_checked() {
            outcome
                .notes
                .push(format!("only people can check: {}", rule.words));
        }
        broken(&rule, &new, files, &mut outcome.findings);
    }
    for code in decision.texts("constraints") {
        let let_by = allowed.iter().any(|word| **word == code);
        match constraint::meaning(&code) {
            Meaning::Known(_) if let_by => {}
            Meaning::Known(known) => against(known.code, &new, files, &mut outcome.findings),
            Meaning::Prose => outcome.notes.push(format!("only people can check: {code}")),
            Meaning::Unknown => outcome
                .notes
                .push(format!("no constraint is called {code}")),
        }
    }
    let adr = decision.field("id");
    for finding in &mut outcome.findings {
        let covers = |waiver: &&Waiver| waiver.covers(adr, &finding.rule, &finding.file);
        finding.waived = waivers
            .iter()
            .find(covers)
            .map(|waiver| format!("{} ({})", waiver.reason, waiver.by));
    }
    outcome
        .findings
        .sort_by(|a, b| (&a.file, a.line, &a.rule).cmp(&(&b.file, b.line, &b.rule)));
    outcome
}

/// A definition that was not there before, and its file.
type New<'a> = (&'a str, Definition);

/// What the change defines that nothing defined before, but for what is allowed.
fn new_definitions<'a>(files: &'a [Changed], allowed: &[&String]) -> Vec<New<'a>> {
    let old: Vec<Definition> = files
        .iter()
        .flat_map(|file| crate::code::definitions(&file.path, &file.old))
        .collect();
    let known = |new: &Definition| {
        old.iter()
            .any(|old| old.kind == new.kind && old.name == new.name)
    };
    let is_allowed = |new: &Definition| {
        let own = words(&new.name);
        allowed.iter().any(|word| {
            let theirs = words(word);
            theirs == own || Rule::of_words(word).speaks_of(new) || same_thing(&theirs, &own)
        })
    };
    let mut found = Vec::new();
    for file in files {
        for new in crate::code::definitions(&file.path, &file.new) {
            if !known(&new) && !is_allowed(&new) {
                found.push((file.path.as_str(), new));
            }
        }
    }
    found
}

/// Whether what was allowed in words is what stands in code: `subscription tier enum` allows `SubscriptionTier`.
fn same_thing(words: &[String], name: &[String]) -> bool {
    words.len() > 1
        && words
            .split_last()
            .is_some_and(|(last, rest)| Kind::of_word(last).is_some() && rest == name)
}

/// Findings of a decision's own rule.
fn broken(rule: &Rule, new: &[New], files: &[Changed], findings: &mut Vec<Finding>) {
    for (file, definition) in new.iter().filter(|(_, new)| rule.speaks_of(new)) {
        findings.push(found(&rule.words, file, definition));
    }
    for file in files {
        let name = if rule.words.is_empty() {
            &rule.path
        } else {
            &rule.words
        };
        if rule.covers(&file.path) {
            findings.push(finding(name, &file.path, 1, "is changed".to_owned()));
        }
        if rule.text.is_empty() {
            continue;
        }
        let name = if rule.words.is_empty() {
            &rule.text
        } else {
            &rule.words
        };
        for (line, text) in file.added() {
            if text.contains(&rule.text) {
                findings.push(finding(
                    name,
                    &file.path,
                    line,
                    format!("adds `{}`", rule.text),
                ));
            }
        }
    }
}

/// Findings of a constraint.
fn against(code: &str, new: &[New], files: &[Changed], findings: &mut Vec<Finding>) {
    if code == "data-append" {
        findings.extend(enums::not_appended(files));
        return;
    }
    for (file, definition) in new {
        let breaks = match code {
            "auth-reuse" => {
                matches!(definition.kind, Kind::Service | Kind::Type) && is_auth(&definition.name)
            }
            "ui-extend" => definition.kind == Kind::Component,
            "no-new-seeds" => definition.kind != Kind::Type,
            "rest-shape" => definition.kind == Kind::Route && !is_rest(&definition.name),
            _ => false,
        };
        if breaks {
            findings.push(found(code, file, definition));
        }
    }
}

/// Whether a path follows REST: small letters, no verbs.
fn is_rest(path: &str) -> bool {
    const VERBS: [&str; 14] = [
        "get", "create", "update", "delete", "remove", "add", "list", "fetch", "set", "make", "do",
        "save", "edit", "post",
    ];
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._~".contains(c);
    let raw = path.split('/').filter(|part| !part.is_empty());
    raw.zip(segments(path)).all(|(raw, part)| {
        let verb = words(raw)
            .first()
            .is_some_and(|first| VERBS.contains(&first.as_str()));
        part == "*" || (raw.chars().all(plain) && !verb)
    })
}

fn found(rule: &str, file: &str, new: &Definition) -> Finding {
    let what = format!("defines {} {}", new.kind.word(), new.name);
    finding(rule, file, new.line, what)
}

fn finding(rule: &str, file: &str, line: usize, what: String) -> Finding {
    Finding {
        rule: rule.to_owned(),
        file: file.to_owned(),
        line,
        what,
        waived: None,
    }
}

/// The decision of a change: by the path that the hook is given, else by the id in the front matter; `None` where no
/// decision was made for it.
pub fn decision_of(
    root: &Path,
    relative: &str,
    front_matter: &str,
) -> anyhow::Result<Option<Decision>> {
    if !relative.is_empty() {
        return crate::decision::load_below(root, relative).map(Some);
    }
    let front = yaml::read(front_matter).ok();
    let id = front.as_ref().map(|front| front.field("keeper").to_owned());
    match id.unwrap_or_default().as_str() {
        "" => Ok(None),
        id => crate::decision::load(&crate::decision::find(root, id)?).map(Some),
    }
}

#[cfg(test)]
mod tests;
