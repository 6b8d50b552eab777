//! What a session is told of a decision, once: the `convoy-briefing` hook.

use std::path::Path;

use crate::constraint::{self, Meaning};
use crate::decision::Decision;
use crate::yaml::Value;

/// How many bytes it has at most: about 600 tokens.
const MOST: usize = 2200;

/// The text.
pub fn brief(root: &Path, decision: &Decision) -> String {
    let (id, mode) = (decision.field("id"), decision.field("mode"));
    let mut text = cut(&format!("{id} ({mode}): {}", decision.field("spec")), 240);
    text.push('\n');
    if decision.field("status") != "approved" {
        text.push_str(&format!("Status: {}\n", decision.field("status")));
    }
    let reuse = decision.by_domain("reuse").into_iter();
    let reuse: Vec<String> = reuse
        .map(|(domain, names)| format!("{domain}: {}", names.join(", ")))
        .collect();
    line(&mut text, "Use", &reuse, "; ");
    let extend = decision.get("extend").map(Value::items).unwrap_or_default();
    let extend: Vec<String> = extend
        .iter()
        .map(|one| match one {
            Value::Text(text) => text.clone(),
            one => format!("{}: {}", one.field("target"), one.field("change")),
        })
        .collect();
    line(&mut text, "Extend", &extend, "; ");
    line(&mut text, "New and allowed", &decision.texts("allow"), ", ");
    let forbidden: Vec<String> = decision
        .forbidden()
        .into_iter()
        .map(|rule| rule.words)
        .collect();
    line(&mut text, "Forbidden", &forbidden, "; ");
    let constraints = decision.texts("constraints");
    line(&mut text, "Constraints", &constraints, "; ");
    if constraints
        .iter()
        .any(|one| matches!(constraint::meaning(one), Meaning::Known(_)))
    {
        text.push_str("(`gt keeper explain CODE` tells what a code means)\n");
    }
    seeds(&mut text, root, decision);
    text
}

/// Where the seeds are: they are not loaded, a worker reads a domain when it needs it.
fn seeds(text: &mut String, root: &Path, decision: &Decision) {
    let refs = decision
        .get("seed_refs")
        .map(Value::entries)
        .unwrap_or_default();
    let paths: Vec<&str> = refs.iter().filter_map(|(_, path)| path.as_text()).collect();
    if !paths.is_empty() {
        let line = format!(
            "Seeds, each to be read only when you work in its domain, in {}: {}",
            root.display(),
            paths.join(" ")
        );
        text.push_str(&cut(&line, 400));
        text.push('\n');
    }
}

/// A line of a list, as much of it as there is room.
fn line(text: &mut String, name: &str, items: &[String], between: &str) {
    if items.is_empty() {
        return;
    }
    let room = MOST.saturating_sub(text.len() + 500);
    let line = format!("{name}: {}", items.join(between));
    text.push_str(&cut(&line, room.max(40)));
    text.push('\n');
}

/// At most so many bytes of a text, on one line.
fn cut(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut line: String = text[..end].chars().map(plain).collect();
    if end < text.len() {
        line.push_str(" … (the rest is in the decision's file)");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{Mode, review};
    use crate::vault::tests::vault;
    use crate::vault::{Seed, Vault};

    /// Tokens as a real model counts them (cl100k).
    fn tokens(text: &str) -> usize {
        tiktoken_rs::cl100k_base()
            .unwrap()
            .encode_ordinary(text)
            .len()
    }

    #[test]
    fn a_decision_is_told_in_a_few_lines() {
        let spec = "Add user profile modal with logout button";
        let mut decision =
            review(&vault(), Mode::Growth, "User profile", spec, "2026-01-13").decision;
        decision.set("id", Value::text("ADR-017"));
        let text = brief(Path::new("/town/web"), &decision);
        assert_eq!(
            text,
            "ADR-017 (growth): User profile\n\
             Use: backend: UserService.getProfile\n\
             Extend: Modal: add a variant: user profile modal; Button.primary: add a variant: logout button\n\
             Forbidden: new button components; new modal components; new authentication services\n\
             Constraints: ui-extend\n\
             (`gt keeper explain CODE` tells what a code means)\n\
             Seeds, each to be read only when you work in its domain, in /town/web: \
             keeper/seeds/backend.yaml keeper/seeds/frontend.yaml\n"
        );
        assert!(tokens(&text) < 170, "{}", tokens(&text));
    }

    #[test]
    fn however_much_is_decided_it_stays_within_700_tokens_and_a_reference_within_45() {
        let mut seeds = Vec::new();
        let mut spec = String::new();
        for at in 0..200 {
            for (domain, kind, name) in [
                (
                    "frontend",
                    "component",
                    format!("VeryLongComponentName{at}Button"),
                ),
                ("data", "enum", format!("subscription_tier_{at}_enum")),
                ("backend", "service", format!("SomethingOrOther{at}Service")),
                ("auth", "service", format!("AuthProvider{at}Service")),
            ] {
                spec.push_str(&format!(
                    "Use {name} and a special{at} {kind}, a new{at}ish sidebar. "
                ));
                seeds.push(Seed {
                    entry: Value::text(&name),
                    name,
                    kind: kind.to_owned(),
                    domain: domain.to_owned(),
                    words: Vec::new(),
                });
            }
        }
        let vault = Vault {
            seeds,
            domains: Vec::new(),
            synonyms: Vec::new(),
        };
        for mode in [Mode::Seeding, Mode::Growth] {
            let title = "A title that goes on and on ".repeat(20);
            let mut decision = review(&vault, mode, &title, &spec, "2026-01-13").decision;
            decision.set("id", Value::text("ADR-999"));
            let root = format!("/home/someone/{}", "a-long-folder/".repeat(12));
            let text = brief(Path::new(&root), &decision);
            assert!(tokens(&text) <= 700, "{} tokens:\n{text}", tokens(&text));
            decision.set("constraints", Value::texts(&vec!["words ".repeat(300); 20]));
            decision.set(
                "forbidden",
                Value::texts(&vec!["новые компоненты ".repeat(30); 20]),
            );
            let text = brief(Path::new(&root), &decision);
            assert!(
                tokens(&text) <= 700,
                "by hand: {} tokens:\n{text}",
                tokens(&text)
            );
        }
        assert!(tokens("---\nkeeper: ADR-999\n---\n") <= 45);
        let with_override = "---\nkeeper: ADR-017\noverride:\n  allow: [new-enum]\n---\n";
        assert!(tokens(with_override) <= 45, "{}", tokens(with_override));
    }
}
