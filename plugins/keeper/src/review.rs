//! The review of a convoy, the `pre-convoy` hook.
//!
//! Steps:
//! 1. Find the elements that the text proposes (`spec`).
//! 2. Match each element against the vault. A known element is reused, and a near one is extended.
//!    For a new one the mode decides: seeding allows it, growth leaves it to the user, conservation
//!    rejects it.
//! 3. Unless the convoy is rejected, write a numbered decision (`decision`) and name it in the
//!    hook's result.
//!
//! | | known | near | new |
//! | --- | --- | --- | --- |
//! | seeding | reuse | extend | allow |
//! | growth | reuse | extend | gate: deferred |
//! | conservation | reuse | extend | gate: rejected |
//!
//! In a vault without seeds nothing is known, and a seed file with an unknown key may not say what
//! its author meant. Unless the mode is seeding, a user decides then.

use std::path::Path;

use anyhow::Context;

use crate::code::{AUTH, DefinitionKind};
use crate::decision::{self, Decision};
use crate::spec::{ProposedElement, find_proposed_elements};
use crate::sys;
use crate::vault::{SeedMatch, Vault};
use crate::word::split_name;
use crate::yaml::{self, YamlValue};

/// The strictness of the keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeeperMode {
    /// Patterns are still being established.
    Seeding,
    /// New patterns need the user's consent.
    Growth,
    Conservation,
}

/// The maximum number of characters of a specification in a record.
const MAX_SPEC: usize = 4000;

/// The maximum number of names in a list of a decision.
const MAX_NAMES: usize = 8;

impl KeeperMode {
    /// The word for the mode.
    pub fn word(self) -> &'static str {
        match self {
            Self::Seeding => "seeding",
            Self::Growth => "growth",
            Self::Conservation => "conservation",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Seeding, Self::Growth, Self::Conservation]
            .into_iter()
            .find(|mode| mode.word() == word)
    }

    /// Chooses the mode: from the caller, from `keeper/keeper.yaml`, or growth.
    pub fn choose(root: &Path, requested: &str) -> anyhow::Result<Self> {
        let settings = yaml::load_yaml(&root.join("keeper/keeper.yaml"))?;
        let word = match requested.trim() {
            "" => settings.field("mode").trim(),
            requested => requested,
        };
        if word.is_empty() {
            return Ok(Self::Growth);
        }
        Self::from_word(word)
            .with_context(|| format!("`{word}` is no mode: seeding, growth or conservation"))
    }
}

/// The result of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewStatus {
    /// The convoy may start.
    Approved,
    /// The user must decide.
    Deferred,
    /// The convoy must not start.
    Rejected,
}

impl ReviewStatus {
    /// The word for the status.
    pub fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Deferred => "deferred",
            Self::Rejected => "rejected",
        }
    }
}

/// The status and the decision of a review.
#[derive(Debug, Clone)]
pub struct Review {
    pub status: ReviewStatus,
    /// The decision to record.
    pub decision: Decision,
    /// The new elements that the mode does not allow.
    pub gated: Vec<String>,
}

/// The elements of a text, grouped by the result of their match.
#[derive(Default)]
struct ReviewMatrix {
    reuse: Vec<(String, String)>,
    extend: Vec<(String, String)>,
    allow: Vec<String>,
    gated: Vec<String>,
    /// The domains that the text touches, and the last words of existing components.
    domains: Vec<String>,
    heads: Vec<String>,
}

/// Reviews a text. `spec` is the version of the text for the record.
pub fn review_text(vault: &Vault, mode: KeeperMode, spec: &str, text: &str, date: &str) -> Review {
    let effective = if vault.seeds.is_empty() {
        KeeperMode::Seeding
    } else {
        mode
    };
    let elements = find_proposed_elements(text);
    let mut matrix = match_elements(vault, effective, &elements);
    if !elements.is_empty() {
        add_related(vault, text, &mut matrix);
    }
    let status = match (matrix.gated.is_empty(), effective) {
        _ if mode != KeeperMode::Seeding && !find_vault_problems(vault).is_empty() => {
            ReviewStatus::Deferred
        }
        (true, _) | (_, KeeperMode::Seeding) => ReviewStatus::Approved,
        (false, KeeperMode::Growth) => ReviewStatus::Deferred,
        (false, KeeperMode::Conservation) => ReviewStatus::Rejected,
    };
    let mut fields = vec![
        ("id", YamlValue::text("")),
        ("date", YamlValue::text(date)),
        ("spec", YamlValue::text(shorten_specification(spec))),
        ("mode", YamlValue::text(mode.word())),
        ("status", YamlValue::text(status.word())),
    ];
    let reuse = group_by_domain(&matrix.reuse);
    let extend = matrix
        .extend
        .iter()
        .take(MAX_NAMES)
        .map(|(target, change)| {
            YamlValue::Map(vec![
                ("target".to_owned(), YamlValue::text(target)),
                ("change".to_owned(), YamlValue::text(change)),
            ])
        })
        .collect();
    let seeds = matrix
        .domains
        .iter()
        .filter(|domain| vault.seeds_of_domain(domain).next().is_some())
        .map(|domain| {
            let path = format!("keeper/seeds/{domain}.yaml");
            (domain.clone(), YamlValue::text(path))
        })
        .collect();
    fields.extend([
        ("reuse", YamlValue::Map(reuse)),
        ("extend", YamlValue::List(extend)),
    ]);
    for (key, list) in [("allow", &matrix.allow), ("proposed", &matrix.gated)] {
        if !list.is_empty() {
            fields.push((key, YamlValue::texts(&list[..list.len().min(MAX_NAMES)])));
        }
    }
    fields.extend([
        (
            "forbidden",
            YamlValue::texts(&build_forbidden_rules(vault, &matrix, &elements)),
        ),
        (
            "constraints",
            YamlValue::texts(&choose_constraints(effective, &matrix, &elements)),
        ),
        ("seed_refs", YamlValue::Map(seeds)),
    ]);
    Review {
        status,
        decision: Decision::new(fields),
        gated: matrix.gated,
    }
}

/// Describes why the vault says nothing, or maybe not what was meant.
pub fn find_vault_problems(vault: &Vault) -> Vec<String> {
    let mut problems = Vec::new();
    if vault.seeds.is_empty() {
        problems.push(
            "the vault has no seeds (`gt keeper plant` fills it, KEEPER_MODE=seeding allows everything)"
                .to_owned(),
        );
    }
    if !vault.unknown_keys.is_empty() {
        problems.push(format!(
            "unknown keys: {} (known are domain, seeds, synonyms and note)",
            vault.unknown_keys.join(", ")
        ));
    }
    problems
}

fn match_elements(vault: &Vault, mode: KeeperMode, elements: &[ProposedElement]) -> ReviewMatrix {
    let mut matrix = ReviewMatrix::default();
    for element in elements {
        let ProposedElement { name, kind, domain } = element;
        let found = vault.match_name(domain, name);
        // A single word such as "session" or "password" names a topic and not a thing to create.
        if found == SeedMatch::New && AUTH.contains(&name.as_str()) {
            continue;
        }
        matrix.add_domain(domain);
        let target = match found {
            SeedMatch::Known(seed) => {
                matrix.add_domain(&seed.domain);
                let known = (seed.domain.clone(), seed.name.clone());
                if !matrix.reuse.contains(&known) {
                    matrix.reuse.push(known);
                }
                Some(seed)
            }
            SeedMatch::Near(seed) => {
                let change = match kind {
                    DefinitionKind::Component => format!("add a variant: {name}"),
                    DefinitionKind::Enum => format!("append: {name}"),
                    _ => format!("add: {name}"),
                };
                matrix.extend.push((seed.name.clone(), change));
                Some(seed)
            }
            SeedMatch::New if mode == KeeperMode::Seeding => {
                matrix.allow.push(name.clone());
                None
            }
            SeedMatch::New => {
                matrix.gated.push(name.clone());
                None
            }
        };
        if let Some(seed) = target.filter(|_| *kind == DefinitionKind::Component) {
            matrix.heads.extend(
                split_name(name)
                    .pop()
                    .filter(|noun| split_name(&seed.name).contains(noun)),
            );
        }
    }
    matrix.heads.sort();
    matrix.heads.dedup();
    matrix.domains.sort_unstable();
    matrix
}

/// Adds seeds that the text is about without naming them: "user profile" refers to
/// `UserService.getProfile`.
fn add_related(vault: &Vault, text: &str, matrix: &mut ReviewMatrix) {
    for seed in vault.seeds_mentioned_in(text).into_iter().take(MAX_NAMES) {
        let related = (seed.domain.clone(), seed.name.clone());
        let is_extended = matrix.extend.iter().any(|(target, _)| *target == seed.name);
        if !is_extended && !matrix.reuse.contains(&related) {
            matrix.add_domain(&seed.domain);
            matrix.reuse.push(related);
        }
    }
    matrix.domains.sort_unstable();
}

impl ReviewMatrix {
    fn add_domain(&mut self, domain: &str) {
        if !self.domains.iter().any(|known| known == domain) {
            self.domains.push(domain.to_owned());
        }
    }

    fn has_domain(&self, domain: &str) -> bool {
        self.domains.iter().any(|known| known == domain)
    }
}

/// Lists only the forbidden things, because that list is shorter than the allowed ones.
fn build_forbidden_rules(
    vault: &Vault,
    matrix: &ReviewMatrix,
    elements: &[ProposedElement],
) -> Vec<String> {
    let mut rules: Vec<String> = matrix
        .heads
        .iter()
        .take(MAX_NAMES)
        .map(|noun| format!("new {noun} components"))
        .collect();
    let proposes_auth = elements.iter().any(|element| element.domain == "auth");
    if vault.seeds_of_domain("auth").next().is_some() && !proposes_auth {
        rules.push("new authentication services".to_owned());
    }
    rules
}

fn choose_constraints(
    mode: KeeperMode,
    matrix: &ReviewMatrix,
    elements: &[ProposedElement],
) -> Vec<&'static str> {
    let new = !matrix.allow.is_empty() || !matrix.gated.is_empty();
    let mut codes = Vec::new();
    if matrix.has_domain("auth") && mode != KeeperMode::Seeding {
        codes.push("auth-reuse");
    }
    if matrix.has_domain("data") {
        codes.push("data-append");
    }
    if mode == KeeperMode::Conservation {
        codes.push("no-new-seeds");
    }
    if elements
        .iter()
        .any(|element| element.kind == DefinitionKind::Route)
    {
        codes.push("rest-shape");
    }
    if matrix.has_domain("frontend") && !new {
        codes.push("ui-extend");
    }
    codes
}

fn group_by_domain(reuse: &[(String, String)]) -> Vec<(String, YamlValue)> {
    let mut lists: Vec<(String, Vec<&String>)> = Vec::new();
    for (domain, name) in reuse {
        match lists
            .iter_mut()
            .find(|(listed_domain, _)| listed_domain == domain)
        {
            Some((_, names)) if names.len() < MAX_NAMES => names.push(name),
            Some(_) => {}
            None => lists.push((domain.clone(), vec![name])),
        }
    }
    lists
        .into_iter()
        .map(|(domain, names)| (domain, YamlValue::texts(&names)))
        .collect()
}

/// Shortens the specification for the record to a readable number of lines.
fn shorten_specification(text: &str) -> String {
    let kept: String = text
        .trim()
        .chars()
        .filter(|c| !c.is_control() || *c == '\n')
        .take(MAX_SPEC)
        .collect();
    kept.trim().to_owned()
}

/// The input of the hook.
#[derive(Debug, Default)]
pub struct ReviewRequest {
    pub title: String,
    /// The goal of the convoy.
    pub spec: String,
    /// The mode, if the caller sets one; otherwise empty.
    pub mode: String,
}

/// The hook's output: standard output, standard error, and the exit code.
#[derive(Debug)]
pub struct HookReply {
    pub result: String,
    pub words: String,
    pub exit: u8,
}

/// Runs the hook.
pub fn run_hook(root: &Path, question: &ReviewRequest) -> anyhow::Result<HookReply> {
    let vault = Vault::load(root)?;
    let mode = KeeperMode::choose(root, &question.mode)?;
    let text = format!("{}.\n{}", question.title, question.spec);
    let spec = match question.spec.trim() {
        "" => question.title.as_str(),
        spec => spec,
    };
    let mut review = review_text(&vault, mode, spec, &text, &sys::format_today());
    let gated = review.gated.join(", ");
    if review.status == ReviewStatus::Rejected {
        let words = format!(
            "{} mode: no pattern of the vault fits {gated} (`gt keeper plant` fills the vault, KEEPER_MODE=growth asks the user)",
            mode.word()
        );
        return Ok(HookReply {
            result: format_result(review.status, None),
            words,
            exit: 1,
        });
    }
    let filed = decision::file_decision(root, &question.title, &mut review.decision)?;
    let (words, exit) = match review.status {
        ReviewStatus::Deferred => {
            let mut reasons = find_vault_problems(&vault);
            if !gated.is_empty() {
                reasons.push(format!("new patterns to be decided: {gated}"));
            }
            (format!("{}: {}", filed.0, reasons.join("; ")), 3)
        }
        _ => (String::new(), 0),
    };
    Ok(HookReply {
        result: format_result(review.status, Some(&filed)),
        words,
        exit,
    })
}

fn format_result(status: ReviewStatus, filed: Option<&(String, String)>) -> String {
    let mut fields = vec![("status".to_owned(), YamlValue::text(status.word()))];
    if let Some((id, path)) = filed {
        let front = YamlValue::Map(vec![("keeper".to_owned(), YamlValue::text(id))]);
        fields.extend([
            ("adr".to_owned(), YamlValue::text(id)),
            ("adr_path".to_owned(), YamlValue::text(path)),
            ("bead_frontmatter".to_owned(), front),
        ]);
    }
    let inside = YamlValue::Map(fields);
    yaml::format_yaml(&YamlValue::Map(vec![("keeper_result".to_owned(), inside)]))
}

/// Records the user's answer: allows the proposed elements, or marks the record as rejected.
pub fn record_answer(root: &Path, relative: &str, answer: &str) -> anyhow::Result<()> {
    let path = root.join(relative);
    let mut decision = decision::load_below(root, relative)?;
    decision.set("status", YamlValue::text(answer));
    if answer == "approved" {
        let mut allow = decision.texts("allow");
        allow.extend(decision.texts("proposed"));
        decision.remove("proposed");
        if !allow.is_empty() {
            decision.set("allow", YamlValue::texts(&allow));
        }
    }
    sys::replace_file(&path, &decision.to_yaml(), 0o644)
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::tests::test_vault;

    const MAX_SPEC: &str =
        "Add user profile modal with logout button, a sidebar and the user_status enum";

    fn outcome(vault: &Vault, mode: KeeperMode) -> Review {
        review_text(vault, mode, "User profile", MAX_SPEC, "2026-01-13")
    }

    #[test]
    fn known_elements_are_reused_near_ones_extended_new_ones_decided_by_mode() {
        for (mode, status, allowed, gated) in [
            (
                KeeperMode::Seeding,
                ReviewStatus::Approved,
                vec!["sidebar"],
                vec![],
            ),
            (
                KeeperMode::Growth,
                ReviewStatus::Deferred,
                vec![],
                vec!["sidebar"],
            ),
            (
                KeeperMode::Conservation,
                ReviewStatus::Rejected,
                vec![],
                vec!["sidebar"],
            ),
        ] {
            let review = outcome(&test_vault(), mode);
            assert_eq!(review.status, status, "{mode:?}");
            assert_eq!(review.decision.texts("allow"), allowed, "{mode:?}");
            assert_eq!(review.gated, gated, "{mode:?}");
            let reuse = review.decision.by_domain("reuse");
            assert!(
                reuse.contains(&("data".to_owned(), vec!["user_status".to_owned()])),
                "{reuse:?}"
            );
            let extend = review.decision.get("extend").unwrap().items();
            let targets: Vec<&str> = extend.iter().map(|one| one.field("target")).collect();
            assert_eq!(targets, ["Modal", "Button.primary"], "{mode:?}");
        }
    }

    #[test]
    fn forbidden_elements_are_listed_briefly() {
        let review = outcome(&test_vault(), KeeperMode::Growth);
        let rules: Vec<String> = review
            .decision
            .forbidden()
            .into_iter()
            .map(|rule| rule.words)
            .collect();
        assert_eq!(
            rules,
            [
                "new button components",
                "new modal components",
                "new authentication services"
            ]
        );
        assert_eq!(
            review.decision.texts("constraints"),
            ["auth-reuse", "data-append"]
        );
        assert_eq!(
            review.decision.get("seed_refs").unwrap().field("frontend"),
            "keeper/seeds/frontend.yaml"
        );
    }

    #[test]
    fn the_profile_modal_example_is_approved_by_reuse_in_every_mode() {
        for mode in [
            KeeperMode::Seeding,
            KeeperMode::Growth,
            KeeperMode::Conservation,
        ] {
            let text = "User profile modal with logout";
            let review = review_text(&test_vault(), mode, text, text, "2026-01-13");
            assert_eq!(review.status, ReviewStatus::Approved, "{mode:?}");
            assert!(review.gated.is_empty() && review.decision.texts("allow").is_empty());
            assert_eq!(review.decision.field("spec"), text);
            let reuse = review.decision.by_domain("reuse");
            let has = |name: &str| {
                reuse
                    .iter()
                    .any(|(_, names)| names.contains(&name.to_owned()))
            };
            assert!(
                has("AuthService.logout") && has("UserService.getProfile"),
                "{reuse:?}"
            );
            let extend = review.decision.get("extend").unwrap().items();
            assert_eq!(extend[0].field("target"), "Modal", "{mode:?}");
        }
    }

    #[test]
    fn the_logout_button_reuses_the_logout_of_the_service() {
        let service = "seeds:\n  - {name: AuthService, kind: service, methods: [login, logout]}\n";
        let folder = tempfile::tempdir().unwrap();
        let file = crate::vault::seeds_folder(folder.path()).join("auth.yaml");
        sys::replace_file(&file, service, 0o644).unwrap();
        let vault = Vault::load(folder.path()).unwrap();
        let text = "Add user profile modal with logout button";
        let review = review_text(&vault, KeeperMode::Growth, text, text, "2026-01-13");
        let reuse = review.decision.by_domain("reuse");
        let auth = ("auth".to_owned(), vec!["AuthService.logout".to_owned()]);
        assert_eq!(reuse, [auth]);
    }

    #[test]
    fn a_word_that_names_no_element_is_ignored() {
        let mut vault = test_vault();
        vault.seeds.retain(|seed| seed.domain != "auth");
        let text = "Mail people whose password is old";
        let review = review_text(&vault, KeeperMode::Conservation, text, text, "2026-01-13");
        assert_eq!(review.status, ReviewStatus::Approved);
    }

    #[test]
    fn an_unclear_vault_defers_and_a_text_without_proposals_is_approved() {
        let empty = |mode| outcome(&Vault::default(), mode).status;
        assert_eq!(empty(KeeperMode::Seeding), ReviewStatus::Approved);
        assert_eq!(empty(KeeperMode::Growth), ReviewStatus::Deferred);
        assert_eq!(empty(KeeperMode::Conservation), ReviewStatus::Deferred);
        let mut odd = test_vault();
        odd.unknown_keys.push("`seed` in auth.yaml".to_owned());
        let odd = review_text(&odd, KeeperMode::Growth, "Typo", "Fix a typo", "2026-01-13");
        assert_eq!(odd.status, ReviewStatus::Deferred);
        let nothing = review_text(
            &test_vault(),
            KeeperMode::Conservation,
            "Typo",
            "Fix a typo",
            "2026-01-13",
        );
        assert_eq!(nothing.status, ReviewStatus::Approved);
        assert_eq!(nothing.decision.texts("constraints"), ["no-new-seeds"]);
    }

    #[test]
    fn the_hook_files_a_decision_and_the_users_answer_settles_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let seeds = "seeds:\n  - {name: Modal, kind: component}\n";
        sys::replace_file(&root.join("keeper/seeds/frontend.yaml"), seeds, 0o644).unwrap();
        let ask = |spec: &str, mode: &str| {
            let question = ReviewRequest {
                title: "User profile".to_owned(),
                spec: spec.to_owned(),
                mode: mode.to_owned(),
            };
            run_hook(root, &question)
        };
        let reply = ask("Add a profile modal", "").unwrap();
        assert_eq!((reply.exit, reply.words.as_str()), (0, ""));
        assert_eq!(
            reply.result,
            "keeper_result:\n  status: approved\n  adr: ADR-001\n  \
             adr_path: keeper/decisions/001-user-profile.yaml\n  bead_frontmatter:\n    keeper: ADR-001\n"
        );
        let reply = ask("Add a sidebar", "growth").unwrap();
        assert_eq!(reply.exit, 3);
        let path = "keeper/decisions/002-user-profile.yaml";
        assert_eq!(
            decision::load_below(root, path).unwrap().texts("proposed"),
            ["sidebar"]
        );
        record_answer(root, path, "approved").unwrap();
        let settled = decision::load_below(root, path).unwrap();
        assert_eq!(
            (settled.field("status"), settled.texts("allow")),
            ("approved", vec!["sidebar".to_owned()])
        );
        assert!(settled.get("proposed").is_none());
        let reply = ask("Add a sidebar", "conservation").unwrap();
        assert_eq!(reply.exit, 1);
        assert!(reply.words.contains("sidebar"), "{}", reply.words);
        assert!(
            decision::find_decision(root, "ADR-003").is_err(),
            "what is rejected takes no number"
        );
        assert!(ask("x", "strict").is_err());
    }
}
