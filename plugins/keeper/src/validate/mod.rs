//! The `pre-merge` hook: checks the additions of a change against the decision of its convoy, and
//! reports rule, file and line.
//!
//! A definition is new if a file defines it after the change and no changed file defined it before,
//! so moving code breaks no rule. Exceptions are the things that the decision allows, that the
//! bead's front matter overrides, and that a waiver covers. Every use of a waiver is reported.

mod change;
mod enums;

use std::path::Path;

use anyhow::Context as _;

pub use change::{ChangedFile, list_changed_files};

use crate::code::{Definition, DefinitionKind, is_auth};
use crate::constraint::{self, ConstraintMeaning};
use crate::decision::Decision;
use crate::rule::Rule;
use crate::vault::split_segments;
use crate::waiver::Waiver;
use crate::word::split_name;
use crate::yaml;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's words, or a constraint's code.
    pub rule: String,
    pub file: String,
    pub line: usize,
    pub what: String,
    /// The reason of the waiver that covers the finding; `None` without a waiver.
    pub waived: Option<String>,
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationOutcome {
    pub findings: Vec<Finding>,
    /// Rules that cannot be checked automatically, and unknown constraint codes.
    pub notes: Vec<String>,
}

impl ValidationOutcome {
    /// Returns true if the change may be merged.
    pub fn is_passed(&self) -> bool {
        self.findings.iter().all(|finding| finding.waived.is_some())
    }
}

/// Parses the overrides in a bead's front matter: the entries of `override: {allow: [...]}`.
pub fn parse_overrides(front_matter: &str) -> Vec<String> {
    yaml::parse_yaml(front_matter).map_or(Vec::new(), |front| {
        front.value_of("override").value_of("allow").as_texts()
    })
}

pub fn check_change(
    decision: &Decision,
    allowed: &[String],
    waivers: &[Waiver],
    files: &[ChangedFile],
) -> ValidationOutcome {
    let mut outcome = ValidationOutcome::default();
    let decision_allows = decision.texts("allow");
    let allowed: Vec<&String> = decision_allows.iter().chain(allowed).collect();
    let new = new_definitions(files, &allowed);
    for rule in decision.forbidden() {
        if allowed
            .iter()
            .any(|word| split_name(word) == split_name(&rule.words))
        {
            continue;
        }
        if !rule.is_checkable() {
            outcome
                .notes
                .push(format!("only a user can check: {}", rule.words));
        }
        check_rule(&rule, &new, files, &mut outcome.findings);
    }
    for code in decision.texts("constraints") {
        let let_by = allowed.iter().any(|word| **word == code);
        match constraint::parse_constraint(&code) {
            ConstraintMeaning::Known(_) if let_by => {}
            ConstraintMeaning::Known(known) => {
                check_constraint(known.code, &new, files, &mut outcome.findings);
            }
            ConstraintMeaning::Prose => {
                outcome.notes.push(format!("only a user can check: {code}"));
            }
            ConstraintMeaning::Unknown => outcome
                .notes
                .push(format!("no constraint is called {code}")),
        }
    }
    let adr = decision.field("id");
    for finding in &mut outcome.findings {
        finding.waived = waivers
            .iter()
            .find(|waiver| waiver.is_covering(adr, &finding.rule, &finding.file))
            .map(|waiver| format!("{} ({})", waiver.reason, waiver.by));
    }
    outcome
        .findings
        .sort_by(|a, b| (&a.file, a.line, &a.rule).cmp(&(&b.file, b.line, &b.rule)));
    outcome
}

/// A new definition, with its file.
type NewDefinition<'a> = (&'a str, Definition);

/// Returns the definitions that are new and not allowed.
fn new_definitions<'a>(files: &'a [ChangedFile], allowed: &[&String]) -> Vec<NewDefinition<'a>> {
    let old: Vec<Definition> = files
        .iter()
        .flat_map(|file| crate::code::find_definitions(&file.path, &file.old))
        .collect();
    let mut found = Vec::new();
    for file in files {
        for new in crate::code::find_definitions(&file.path, &file.new) {
            let is_known = old
                .iter()
                .any(|old| old.kind == new.kind && old.name == new.name);
            if !is_known && !is_allowed(&new, allowed) {
                found.push((file.path.as_str(), new));
            }
        }
    }
    found
}

fn is_allowed(new: &Definition, allowed: &[&String]) -> bool {
    let name_words = split_name(&new.name);
    allowed.iter().any(|word| {
        let allowed_words = split_name(word);
        allowed_words == name_words
            || Rule::from_words(word).is_about(new)
            || is_same_thing(&allowed_words, &name_words)
    })
}

/// Returns true if an allowance in words means a name in code: `subscription tier enum` allows
/// `SubscriptionTier`.
fn is_same_thing(words: &[String], name: &[String]) -> bool {
    words.len() > 1
        && words
            .split_last()
            .is_some_and(|(last, rest)| DefinitionKind::from_word(last).is_some() && rest == name)
}

/// Adds the findings of a rule of the decision.
fn check_rule(
    rule: &Rule,
    new: &[NewDefinition],
    files: &[ChangedFile],
    findings: &mut Vec<Finding>,
) {
    for (file, definition) in new.iter().filter(|(_, new)| rule.is_about(new)) {
        findings.push(build_definition_finding(&rule.words, file, definition));
    }
    for file in files {
        let name = if rule.words.is_empty() {
            &rule.path
        } else {
            &rule.words
        };
        if rule.is_path_forbidden(&file.path) {
            findings.push(build_finding(name, &file.path, 1, "is changed".to_owned()));
        }
        if rule.text.is_empty() {
            continue;
        }
        let name = if rule.words.is_empty() {
            &rule.text
        } else {
            &rule.words
        };
        for (line, text) in file.added_lines() {
            if text.contains(&rule.text) {
                findings.push(build_finding(
                    name,
                    &file.path,
                    line,
                    format!("adds `{}`", rule.text),
                ));
            }
        }
    }
}

/// Adds the findings of a constraint.
fn check_constraint(
    code: &str,
    new: &[NewDefinition],
    files: &[ChangedFile],
    findings: &mut Vec<Finding>,
) {
    if code == "data-append" {
        findings.extend(enums::find_changed_enums(files));
        return;
    }
    for (file, definition) in new {
        let breaks = match code {
            "auth-reuse" => {
                matches!(
                    definition.kind,
                    DefinitionKind::Service | DefinitionKind::Type
                ) && is_auth(&definition.name)
            }
            "ui-extend" => definition.kind == DefinitionKind::Component,
            "no-new-seeds" => definition.kind != DefinitionKind::Type,
            "rest-shape" => definition.kind == DefinitionKind::Route && !is_rest(&definition.name),
            _ => false,
        };
        if breaks {
            findings.push(build_definition_finding(code, file, definition));
        }
    }
}

/// Returns true if a path follows REST: lower case, without verbs.
fn is_rest(path: &str) -> bool {
    const VERBS: [&str; 14] = [
        "get", "create", "update", "delete", "remove", "add", "list", "fetch", "set", "make", "do",
        "save", "edit", "post",
    ];
    path.split('/')
        .filter(|part| !part.is_empty())
        .zip(split_segments(path))
        .all(|(raw, part)| {
            let verb = split_name(raw)
                .first()
                .is_some_and(|first| VERBS.contains(&first.as_str()));
            part == "*"
                || (raw
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._~".contains(c))
                    && !verb)
        })
}

fn build_definition_finding(rule: &str, file: &str, new: &Definition) -> Finding {
    let what = format!("defines {} {}", new.kind.word(), new.name);
    build_finding(rule, file, new.line, what)
}

fn build_finding(rule: &str, file: &str, line: usize, what: String) -> Finding {
    Finding {
        rule: rule.to_owned(),
        file: file.to_owned(),
        line,
        what,
        waived: None,
    }
}

/// Loads the decision of a change: by the path in the hook's input, or by the id in the front
/// matter; `None` if there is no decision for the change. Front matter that is not valid is an error
/// only if it names a decision.
pub fn load_decision_of_change(
    root: &Path,
    relative: &str,
    front_matter: &str,
) -> anyhow::Result<Option<Decision>> {
    if !relative.is_empty() {
        return crate::decision::load_below(root, relative).map(Some);
    }
    if !front_matter.lines().any(|line| line.starts_with("keeper:")) {
        return Ok(None);
    }
    let front = yaml::parse_yaml(front_matter).context("the bead's front matter is not valid")?;
    match front.field("keeper") {
        "" => Ok(None),
        id => crate::decision::load_decision(&crate::decision::find_decision(root, id)?).map(Some),
    }
}

#[cfg(test)]
mod tests;
