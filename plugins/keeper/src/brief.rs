//! Builds the text about a decision for the `convoy-briefing` hook. Each session gets it once.

use std::path::Path;

use crate::code::{DefinitionKind, choose_domain};
use crate::constraint::{self, ConstraintMeaning};
use crate::decision::Decision;
use crate::spec::find_proposed_elements;
use crate::vault::{SeedMatch, Vault};
use crate::word::{is_alike, split_name};
use crate::yaml::YamlValue;

/// The maximum size of the text in bytes: about 600 tokens.
const MAX_TEXT: usize = 2200;

/// The area of a bead. The session of a later bead of the convoy gets only the clauses that touch
/// its area.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BeadArea {
    domains: Vec<String>,
    words: Vec<String>,
}

impl BeadArea {
    /// Determines the area from a bead's text; `None` if the text names no area.
    pub fn from_text(vault: &Vault, text: &str) -> Option<Self> {
        let mut area = Self {
            domains: Vec::new(),
            words: split_name(text),
        };
        for element in find_proposed_elements(text) {
            area.domains.push(element.domain.to_owned());
            if let SeedMatch::Known(seed) | SeedMatch::Near(seed) =
                vault.match_name(element.domain, &element.name)
            {
                area.domains.push(seed.domain.clone());
            }
        }
        for seed in vault.seeds_mentioned_in(text) {
            area.domains.push(seed.domain.clone());
        }
        // Phrases such as "the data layer" and "frontend only".
        let named: Vec<String> = vault
            .domains
            .iter()
            .filter(|domain| area.words.contains(domain))
            .cloned()
            .collect();
        area.domains.extend(named);
        area.domains.sort();
        area.domains.dedup();
        (!area.domains.is_empty()).then_some(area)
    }

    fn has_domain(&self, domain: &str) -> bool {
        self.domains.iter().any(|known| known == domain)
    }

    /// Returns true if a clause in words touches the area: it names a domain of the area, names a
    /// kind of thing in such a domain, or shares a word with the area.
    fn is_touched_by(&self, clause: &str) -> bool {
        if let Some(domain) = constraint_domain(clause) {
            return self.has_domain(domain);
        }
        let clause_words = split_name(clause);
        let mut named: Vec<&str> = clause_words
            .iter()
            .filter_map(|word| DefinitionKind::from_word(word))
            .map(|kind| choose_domain(kind, clause))
            .collect();
        named.extend(
            find_proposed_elements(clause)
                .iter()
                .map(|element| element.domain),
        );
        if !named.is_empty() {
            return named.into_iter().any(|domain| self.has_domain(domain));
        }
        clause_words.iter().any(|word| self.has_domain(word))
            || clause_words.iter().any(|word| {
                word.len() > 3
                    && self
                        .words
                        .iter()
                        .any(|known_word| is_alike(known_word, word))
            })
    }
}

/// Returns the domain that a constraint code is about, if there is one.
fn constraint_domain(code: &str) -> Option<&'static str> {
    Some(match code {
        "auth-reuse" => "auth",
        "data-append" => "data",
        "rest-shape" => "backend",
        "ui-extend" => "frontend",
        _ => return None,
    })
}

/// The clauses of a decision, as lists of lines.
struct DecisionClauses {
    reuse: Vec<String>,
    extend: Vec<String>,
    allow: Vec<String>,
    forbidden: Vec<String>,
    constraints: Vec<String>,
}

impl DecisionClauses {
    fn select(decision: &Decision, area: Option<&BeadArea>) -> Self {
        let is_in_area = |clause: &String| area.is_none_or(|area| area.is_touched_by(clause));
        Self {
            reuse: decision
                .by_domain("reuse")
                .into_iter()
                .filter(|(domain, _)| area.is_none_or(|area| area.has_domain(domain)))
                .map(|(domain, names)| format!("{domain}: {}", names.join(", ")))
                .collect(),
            extend: decision
                .value_of("extend")
                .items()
                .iter()
                .map(describe_extension)
                .filter(is_in_area)
                .collect(),
            allow: decision
                .texts("allow")
                .into_iter()
                .filter(is_in_area)
                .collect(),
            forbidden: decision
                .forbidden()
                .into_iter()
                .map(|rule| rule.words)
                .filter(is_in_area)
                .collect(),
            // Constraints that apply everywhere are in every brief.
            constraints: decision
                .texts("constraints")
                .into_iter()
                .filter(|clause| clause == "no-new-seeds" || is_in_area(clause))
                .collect(),
        }
    }

    fn count(&self) -> usize {
        let all = [
            &self.reuse,
            &self.extend,
            &self.allow,
            &self.forbidden,
            &self.constraints,
        ];
        all.iter().map(|list| list.len()).sum()
    }
}

fn describe_extension(extension: &YamlValue) -> String {
    match extension {
        YamlValue::Text(text) => text.clone(),
        _ => format!(
            "{}: {}",
            extension.field("target"),
            extension.field("change")
        ),
    }
}

/// Builds the text: the whole decision, or the clauses that touch an area.
pub fn build_brief(root: &Path, decision: &Decision, area: Option<&BeadArea>) -> String {
    let id = decision.field("id");
    let mode = decision.field("mode");
    let mut text = cut_to_line(&format!("{id} ({mode}): {}", decision.field("spec")), 240);
    text.push('\n');
    if decision.field("status") != "approved" {
        text.push_str(&format!("Status: {}\n", decision.field("status")));
    }
    let clauses = DecisionClauses::select(decision, area);
    write_line(&mut text, "Use", &clauses.reuse, "; ");
    write_line(&mut text, "Extend", &clauses.extend, "; ");
    write_line(&mut text, "New and allowed", &clauses.allow, ", ");
    write_line(&mut text, "Forbidden", &clauses.forbidden, "; ");
    write_line(&mut text, "Constraints", &clauses.constraints, "; ");
    if clauses.constraints.iter().any(|clause| {
        matches!(
            constraint::parse_constraint(clause),
            ConstraintMeaning::Known(_)
        )
    }) {
        text.push_str("(`gt keeper explain CODE` explains a code)\n");
    }
    let rest = DecisionClauses::select(decision, None).count() - clauses.count();
    if rest > 0 {
        text.push_str(&format!(
            "({rest} clauses about other areas are not shown: `gt keeper show {id}`)\n"
        ));
    }
    write_seed_paths(&mut text, root, decision, area);
    text
}

/// Writes the paths of the seed files. They are not included; a worker reads a domain when needed.
fn write_seed_paths(text: &mut String, root: &Path, decision: &Decision, area: Option<&BeadArea>) {
    let paths: Vec<&str> = decision
        .value_of("seed_refs")
        .entries()
        .iter()
        .filter(|(domain, _)| area.is_none_or(|area| area.has_domain(domain)))
        .filter_map(|(_, path)| path.as_text())
        .collect();
    if !paths.is_empty() {
        let line = format!(
            "Seeds, each to be read only when you work in its domain, in {}: {}",
            root.display(),
            paths.join(" ")
        );
        text.push_str(&cut_to_line(&line, 400));
        text.push('\n');
    }
}

/// Writes a line with as many items of a list as fit.
fn write_line(text: &mut String, name: &str, items: &[String], between: &str) {
    if items.is_empty() {
        return;
    }
    let room = MAX_TEXT.saturating_sub(text.len() + 500);
    let line = format!("{name}: {}", items.join(between));
    text.push_str(&cut_to_line(&line, room.max(40)));
    text.push('\n');
}

/// Cuts a text to at most `most` bytes on one line.
fn cut_to_line(text: &str, most: usize) -> String {
    let start = &text[..text.floor_char_boundary(most)];
    let mut line: String = start
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if start.len() < text.len() {
        line.push_str(" … (the rest is in the decision's file)");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{KeeperMode, review_text};
    use crate::vault::Seed;
    use crate::vault::tests::test_vault;

    /// Tokens as a real model counts them (cl100k).
    fn tokens(text: &str) -> usize {
        tiktoken_rs::cl100k_base()
            .unwrap()
            .encode_ordinary(text)
            .len()
    }

    #[test]
    fn a_decision_is_summarized_in_a_few_lines() {
        let spec = "Add user profile modal with logout button";
        let mut decision = review_text(
            &test_vault(),
            KeeperMode::Growth,
            "User profile",
            spec,
            "2026-01-13",
        )
        .decision;
        decision.set("id", YamlValue::text("ADR-017"));
        let text = build_brief(Path::new("/town/web"), &decision, None);
        assert_eq!(
            text,
            "ADR-017 (growth): User profile\n\
             Use: auth: AuthService.logout; backend: UserService.getProfile\n\
             Extend: Modal: add a variant: user profile modal; Button.primary: add a variant: logout button\n\
             Forbidden: new button components; new modal components; new authentication services\n\
             Constraints: auth-reuse; ui-extend\n\
             (`gt keeper explain CODE` explains a code)\n\
             Seeds, each to be read only when you work in its domain, in /town/web: \
             keeper/seeds/auth.yaml keeper/seeds/backend.yaml keeper/seeds/frontend.yaml\n"
        );
        assert!(tokens(&text) < 170, "{}", tokens(&text));
    }

    #[test]
    fn a_later_session_gets_the_clauses_of_its_bead_and_a_count() {
        let spec = "Add user profile modal with logout, the user_status enum and /api/users/me";
        let mut decision =
            review_text(&test_vault(), KeeperMode::Growth, spec, spec, "2026-01-13").decision;
        decision.set("id", YamlValue::text("ADR-017"));
        let root = Path::new("/town/web");
        let whole = build_brief(root, &decision, None);
        let area = BeadArea::from_text(&test_vault(), "Append to the user_status enum").unwrap();
        let text = build_brief(root, &decision, Some(&area));
        assert!(text.contains("Use: data: user_status\n"), "{text}");
        assert!(text.contains("Constraints: data-append\n"), "{text}");
        assert!(
            !text.contains("modal components") && !text.contains("Modal:"),
            "{text}"
        );
        assert!(
            text.contains("clauses about other areas are not shown: `gt keeper show ADR-017`"),
            "{text}"
        );
        assert!(text.ends_with("keeper/seeds/data.yaml\n"), "{text}");
        assert!(tokens(&text) < tokens(&whole), "{text}");
        let area = BeadArea::from_text(&test_vault(), "Build the profile modal").unwrap();
        let text = build_brief(root, &decision, Some(&area));
        assert!(
            text.contains("Forbidden: new modal components") && !text.contains("data-append"),
            "{text}"
        );
        assert_eq!(BeadArea::from_text(&test_vault(), "Step 4"), None);
    }

    #[test]
    fn a_brief_stays_within_700_tokens_and_a_reference_within_45() {
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
                    entry: YamlValue::text(&name),
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
            unknown_keys: Vec::new(),
        };
        for mode in [KeeperMode::Seeding, KeeperMode::Growth] {
            let title = "A title that goes on and on ".repeat(20);
            let mut decision = review_text(&vault, mode, &title, &spec, "2026-01-13").decision;
            decision.set("id", YamlValue::text("ADR-999"));
            let root = format!("/home/someone/{}", "a-long-folder/".repeat(12));
            let text = build_brief(Path::new(&root), &decision, None);
            assert!(tokens(&text) <= 700, "{} tokens:\n{text}", tokens(&text));
            decision.set(
                "constraints",
                YamlValue::texts(&vec!["words ".repeat(300); 20]),
            );
            decision.set(
                "forbidden",
                YamlValue::texts(&vec!["новые компоненты ".repeat(30); 20]),
            );
            let text = build_brief(Path::new(&root), &decision, None);
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
