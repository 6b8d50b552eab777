//! The review of a convoy, the `pre-convoy` hook:
//!
//! 1. What does the text propose (`spec`)?
//! 2. Each thing is held against the vault: known, it is reused; near something, that is extended; new, the mode
//!    decides: seeding allows it, growth leaves it to a person, conservation rejects it.
//! 3. Unless it is rejected, a numbered decision is written (`decision`), and the hook's result names it.
//!
//! | | known | near | new |
//! | --- | --- | --- | --- |
//! | seeding | reuse | extend | allow |
//! | growth | reuse | extend | gate: deferred |
//! | conservation | reuse | extend | gate: rejected |
//!
//! An empty vault has no patterns to keep: then every mode is seeding.

use std::path::Path;

use anyhow::Context;

use crate::code::{AUTH, Kind};
use crate::decision::{self, Decision};
use crate::spec::{Element, propose};
use crate::sys;
use crate::vault::{Match, Vault};
use crate::word::words;
use crate::yaml::{self, Value};

/// How strict the keeper is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Patterns are still being made.
    Seeding,
    /// New patterns need a person.
    Growth,
    /// No new patterns.
    Conservation,
}

/// How many characters of a specification a record holds.
const SPEC: usize = 4000;

/// How many names a list of a decision holds.
const MOST: usize = 8;

impl Mode {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Seeding => "seeding",
            Self::Growth => "growth",
            Self::Conservation => "conservation",
        }
    }

    /// The mode of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Seeding, Self::Growth, Self::Conservation]
            .into_iter()
            .find(|mode| mode.word() == word)
    }

    /// The mode that counts: of the caller, else of `keeper/keeper.yaml`, else growth.
    pub fn choose(root: &Path, said: &str) -> anyhow::Result<Self> {
        let path = root.join("keeper/keeper.yaml");
        let written = sys::read(&path)?.unwrap_or_default();
        let settings =
            yaml::read(&written).with_context(|| format!("{} is not valid", path.display()))?;
        let word = match said.trim() {
            "" => settings.field("mode").trim().to_owned(),
            said => said.to_owned(),
        };
        if word.is_empty() {
            return Ok(Self::Growth);
        }
        Self::of_word(&word)
            .with_context(|| format!("`{word}` is no mode: seeding, growth or conservation"))
    }
}

/// What a review comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The convoy may go on.
    Approved,
    /// A person is to decide.
    Deferred,
    /// It may not go on.
    Rejected,
}

impl Status {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Deferred => "deferred",
            Self::Rejected => "rejected",
        }
    }
}

/// A review.
#[derive(Debug, Clone)]
pub struct Review {
    /// What it comes to.
    pub status: Status,
    /// What is to be recorded.
    pub decision: Decision,
    /// The new things that the mode does not allow.
    pub gated: Vec<String>,
}

/// What the elements of a text come to.
#[derive(Default)]
struct Matrix {
    reuse: Vec<(String, String)>,
    extend: Vec<(String, String)>,
    allow: Vec<String>,
    gated: Vec<String>,
    /// The domains that are touched, and the last words of components that are there.
    domains: Vec<String>,
    heads: Vec<String>,
}

/// Reviews a text; `spec` is what the record holds of it.
pub fn review(vault: &Vault, mode: Mode, spec: &str, text: &str, date: &str) -> Review {
    let effective = if vault.seeds.is_empty() {
        Mode::Seeding
    } else {
        mode
    };
    let elements = propose(text);
    let mut matrix = hold_against(vault, effective, &elements);
    if !elements.is_empty() {
        add_related(vault, text, &mut matrix);
    }
    let status = match (matrix.gated.is_empty(), effective) {
        (true, _) | (_, Mode::Seeding) => Status::Approved,
        (false, Mode::Growth) => Status::Deferred,
        (false, Mode::Conservation) => Status::Rejected,
    };
    let mut fields = vec![
        ("id", Value::text("")),
        ("date", Value::text(date)),
        ("spec", Value::text(specification(spec))),
        ("mode", Value::text(mode.word())),
        ("status", Value::text(status.word())),
    ];
    let reuse = by_domain(&matrix.reuse);
    let extend = matrix.extend.iter().take(MOST).map(|(target, change)| {
        Value::Map(vec![
            ("target".to_owned(), Value::text(target)),
            ("change".to_owned(), Value::text(change)),
        ])
    });
    let seeds = matrix
        .domains
        .iter()
        .filter(|domain| vault.of(domain).next().is_some());
    let seeds = seeds.map(|domain| {
        let path = format!("keeper/seeds/{domain}.yaml");
        (domain.clone(), Value::text(path))
    });
    fields.extend([
        ("reuse", Value::Map(reuse)),
        ("extend", Value::List(extend.collect())),
    ]);
    for (key, list) in [("allow", &matrix.allow), ("proposed", &matrix.gated)] {
        if !list.is_empty() {
            fields.push((key, Value::texts(&list[..list.len().min(MOST)])));
        }
    }
    fields.extend([
        ("forbidden", Value::texts(&forbidden(vault, &matrix))),
        (
            "constraints",
            Value::texts(&constraints(effective, &matrix, &elements)),
        ),
        ("seed_refs", Value::Map(seeds.collect())),
    ]);
    Review {
        status,
        decision: Decision::new(fields),
        gated: matrix.gated,
    }
}

fn hold_against(vault: &Vault, mode: Mode, elements: &[Element]) -> Matrix {
    let mut matrix = Matrix::default();
    for element in elements {
        let Element { name, kind, domain } = element;
        let found = vault.look(domain, name);
        // "session", "password" alone name a matter, and no thing that is to be made.
        if found == Match::New && AUTH.contains(&name.as_str()) {
            continue;
        }
        matrix.touch(domain);
        let target = match found {
            Match::Known(seed) => {
                matrix.touch(&seed.domain);
                let known = (seed.domain.clone(), seed.name.clone());
                if !matrix.reuse.contains(&known) {
                    matrix.reuse.push(known);
                }
                Some(seed)
            }
            Match::Near(seed) => {
                let change = match kind {
                    Kind::Component => format!("add a variant: {name}"),
                    Kind::Enum => format!("append: {name}"),
                    _ => format!("add: {name}"),
                };
                matrix.extend.push((seed.name.clone(), change));
                Some(seed)
            }
            Match::New if mode == Mode::Seeding => {
                matrix.allow.push(name.clone());
                None
            }
            Match::New => {
                matrix.gated.push(name.clone());
                None
            }
        };
        if let Some(seed) = target.filter(|_| *kind == Kind::Component) {
            let head = words(name)
                .pop()
                .filter(|head| words(&seed.name).contains(head));
            matrix.heads.extend(head);
        }
    }
    matrix.heads.sort();
    matrix.heads.dedup();
    matrix.domains.sort_unstable();
    matrix
}

/// Adds what the text is about and does not name: "user profile" is what `UserService.getProfile` is for.
fn add_related(vault: &Vault, text: &str, matrix: &mut Matrix) {
    for seed in vault.about(text).into_iter().take(MOST) {
        let related = (seed.domain.clone(), seed.name.clone());
        let is_extended = matrix.extend.iter().any(|(target, _)| *target == seed.name);
        if !is_extended && !matrix.reuse.contains(&related) {
            matrix.touch(&seed.domain);
            matrix.reuse.push(related);
        }
    }
    matrix.domains.sort_unstable();
}

impl Matrix {
    fn touch(&mut self, domain: &str) {
        if !self.domains.iter().any(|known| known == domain) {
            self.domains.push(domain.to_owned());
        }
    }

    fn touches(&self, domain: &str) -> bool {
        self.domains.iter().any(|known| known == domain)
    }
}

/// Only what is off-limits is said: that is shorter than what is allowed.
fn forbidden(vault: &Vault, matrix: &Matrix) -> Vec<String> {
    let mut rules: Vec<String> = matrix
        .heads
        .iter()
        .take(MOST)
        .map(|head| format!("new {head} components"))
        .collect();
    if vault.of("auth").next().is_some() && !matrix.touches("auth") {
        rules.push("new authentication services".to_owned());
    }
    rules
}

fn constraints(mode: Mode, matrix: &Matrix, elements: &[Element]) -> Vec<&'static str> {
    let touches = |domain: &str| matrix.touches(domain);
    let has = |kind: Kind| elements.iter().any(|element| element.kind == kind);
    let new = !matrix.allow.is_empty() || !matrix.gated.is_empty();
    let mut codes = Vec::new();
    if touches("auth") && mode != Mode::Seeding {
        codes.push("auth-reuse");
    }
    if touches("data") {
        codes.push("data-append");
    }
    if mode == Mode::Conservation {
        codes.push("no-new-seeds");
    }
    if has(Kind::Route) {
        codes.push("rest-shape");
    }
    if touches("frontend") && !new {
        codes.push("ui-extend");
    }
    codes
}

fn by_domain(reuse: &[(String, String)]) -> Vec<(String, Value)> {
    let mut lists: Vec<(String, Vec<&String>)> = Vec::new();
    for (domain, name) in reuse {
        match lists.iter_mut().find(|(own, _)| own == domain) {
            Some((_, names)) if names.len() < MOST => names.push(name),
            Some(_) => {}
            None => lists.push((domain.clone(), vec![name])),
        }
    }
    lists
        .into_iter()
        .map(|(domain, names)| (domain, Value::texts(&names)))
        .collect()
}

/// The specification for the record: its lines, as many as a person reads there.
fn specification(text: &str) -> String {
    let keeps = |c: &char| !c.is_control() || *c == '\n';
    let kept: String = text.trim().chars().filter(keeps).take(SPEC).collect();
    kept.trim().to_owned()
}

/// What the hook is asked.
#[derive(Debug, Default)]
pub struct Question {
    /// The convoy's name.
    pub title: String,
    /// What it is to achieve.
    pub spec: String,
    /// The mode, where the caller says one.
    pub mode: String,
}

/// The hook's answer: what goes to standard output, to standard error, and the exit code.
#[derive(Debug)]
pub struct Reply {
    /// The result.
    pub result: String,
    /// Why, in words.
    pub words: String,
    /// 0, 1 or 3.
    pub exit: u8,
}

/// Runs the hook.
pub fn hook(root: &Path, question: &Question) -> anyhow::Result<Reply> {
    let vault = Vault::load(root)?;
    let mode = Mode::choose(root, &question.mode)?;
    let text = format!("{}.\n{}", question.title, question.spec);
    let spec = match question.spec.trim() {
        "" => question.title.as_str(),
        spec => spec,
    };
    let mut review = review(&vault, mode, spec, &text, &sys::today());
    let gated = review.gated.join(", ");
    if review.status == Status::Rejected {
        let words = format!(
            "{} mode: no pattern of the vault fits {gated} (`gt keeper plant` fills the vault, KEEPER_MODE=growth asks a \
             person)",
            mode.word()
        );
        return Ok(Reply {
            result: result(review.status, None),
            words,
            exit: 1,
        });
    }
    let filed = decision::file(root, &question.title, &mut review.decision)?;
    let (words, exit) = match review.status {
        Status::Deferred => (
            format!("{}: new patterns to be decided: {gated}", filed.0),
            3,
        ),
        _ => (String::new(), 0),
    };
    Ok(Reply {
        result: result(review.status, Some(&filed)),
        words,
        exit,
    })
}

fn result(status: Status, filed: Option<&(String, String)>) -> String {
    let mut fields = vec![("status".to_owned(), Value::text(status.word()))];
    if let Some((id, path)) = filed {
        let front = Value::Map(vec![("keeper".to_owned(), Value::text(id))]);
        fields.extend([
            ("adr".to_owned(), Value::text(id)),
            ("adr_path".to_owned(), Value::text(path)),
            ("bead_frontmatter".to_owned(), front),
        ]);
    }
    let inside = Value::Map(fields);
    yaml::write(&Value::Map(vec![("keeper_result".to_owned(), inside)]))
}

/// A person has answered: what was proposed is allowed, or the record says that it is not.
pub fn answered(root: &Path, relative: &str, answer: &str) -> anyhow::Result<()> {
    let path = root.join(relative);
    let mut decision = decision::load_below(root, relative)?;
    decision.set("status", Value::text(answer));
    if answer == "approved" {
        let mut allow = decision.texts("allow");
        allow.extend(decision.texts("proposed"));
        decision.remove("proposed");
        if !allow.is_empty() {
            decision.set("allow", Value::texts(&allow));
        }
    }
    sys::write(&path, &decision.write(), 0o644)
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::tests::vault;

    const SPEC: &str =
        "Add user profile modal with logout button, a sidebar and the user_status enum";

    fn outcome(vault: &Vault, mode: Mode) -> Review {
        review(vault, mode, "User profile", SPEC, "2026-01-13")
    }

    #[test]
    fn known_is_reused_near_extended_and_new_decided_by_the_mode() {
        for (mode, status, allowed, gated) in [
            (Mode::Seeding, Status::Approved, vec!["sidebar"], vec![]),
            (Mode::Growth, Status::Deferred, vec![], vec!["sidebar"]),
            (
                Mode::Conservation,
                Status::Rejected,
                vec![],
                vec!["sidebar"],
            ),
        ] {
            let review = outcome(&vault(), mode);
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
    fn what_is_off_limits_is_said_in_few_words() {
        let review = outcome(&vault(), Mode::Growth);
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
        assert_eq!(review.decision.texts("constraints"), ["data-append"]);
        assert_eq!(
            review.decision.get("seed_refs").unwrap().field("frontend"),
            "keeper/seeds/frontend.yaml"
        );
    }

    #[test]
    fn the_example_of_a_profile_modal_is_approved_by_reuse_in_every_mode() {
        for mode in [Mode::Seeding, Mode::Growth, Mode::Conservation] {
            let text = "User profile modal with logout";
            let review = review(&vault(), mode, text, text, "2026-01-13");
            assert_eq!(review.status, Status::Approved, "{mode:?}");
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
    fn a_word_that_names_no_element_is_none() {
        let mut vault = vault();
        vault.seeds.retain(|seed| seed.domain != "auth");
        let text = "Mail people whose password is old";
        let review = review(&vault, Mode::Conservation, text, text, "2026-01-13");
        assert_eq!(review.status, Status::Approved);
    }

    #[test]
    fn an_empty_vault_allows_and_a_text_that_proposes_nothing_is_approved() {
        let empty = outcome(&Vault::default(), Mode::Conservation);
        assert_eq!(empty.status, Status::Approved);
        let nothing = review(
            &vault(),
            Mode::Conservation,
            "Typo",
            "Fix a typo",
            "2026-01-13",
        );
        assert_eq!(nothing.status, Status::Approved);
        assert_eq!(nothing.decision.texts("constraints"), ["no-new-seeds"]);
    }

    #[test]
    fn the_hook_files_a_decision_and_a_persons_answer_settles_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let seeds = "seeds:\n  - {name: Modal, kind: component}\n";
        sys::write(&root.join("keeper/seeds/frontend.yaml"), seeds, 0o644).unwrap();
        let ask = |spec: &str, mode: &str| {
            let question = Question {
                title: "User profile".to_owned(),
                spec: spec.to_owned(),
                mode: mode.to_owned(),
            };
            hook(root, &question)
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
        answered(root, path, "approved").unwrap();
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
            decision::find(root, "ADR-003").is_err(),
            "what is rejected takes no number"
        );
        assert!(ask("x", "strict").is_err());
    }
}
