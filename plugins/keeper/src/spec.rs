//! Finds the elements that a specification proposes: components, routes, data and auth, by the
//! words that name such things.

use crate::code::{AUTH, DefinitionKind, choose_domain, is_auth};
use crate::word::{split_name, to_singular};

/// An element that a text proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedElement {
    pub name: String,
    pub kind: DefinitionKind,
    /// The domain whose seeds it is matched against.
    pub domain: &'static str,
}

/// Words that name a kind of thing, with the kind.
const KIND_NOUNS: &[(&str, DefinitionKind)] = &[
    ("avatar", DefinitionKind::Component),
    ("badge", DefinitionKind::Component),
    ("button", DefinitionKind::Component),
    ("card", DefinitionKind::Component),
    ("chart", DefinitionKind::Component),
    ("column", DefinitionKind::Table),
    ("component", DefinitionKind::Component),
    ("controller", DefinitionKind::Service),
    ("dashboard", DefinitionKind::Component),
    ("dialog", DefinitionKind::Component),
    ("dropdown", DefinitionKind::Component),
    ("endpoint", DefinitionKind::Route),
    ("enum", DefinitionKind::Enum),
    ("form", DefinitionKind::Component),
    ("layout", DefinitionKind::Component),
    ("menu", DefinitionKind::Component),
    ("migration", DefinitionKind::Table),
    ("modal", DefinitionKind::Component),
    ("model", DefinitionKind::Table),
    ("navbar", DefinitionKind::Component),
    ("page", DefinitionKind::Component),
    ("panel", DefinitionKind::Component),
    ("route", DefinitionKind::Route),
    ("screen", DefinitionKind::Component),
    ("service", DefinitionKind::Service),
    ("sidebar", DefinitionKind::Component),
    ("spinner", DefinitionKind::Component),
    ("table", DefinitionKind::Table),
    ("toast", DefinitionKind::Component),
    ("tooltip", DefinitionKind::Component),
    ("webhook", DefinitionKind::Route),
    ("widget", DefinitionKind::Component),
    ("wizard", DefinitionKind::Component),
];

/// Words that do not describe a thing.
const FILLER_WORDS: &[&str] = &[
    "a",
    "about",
    "add",
    "after",
    "all",
    "allow",
    "also",
    "an",
    "and",
    "another",
    "any",
    "are",
    "as",
    "at",
    "be",
    "before",
    "behind",
    "build",
    "by",
    "can",
    "change",
    "create",
    "current",
    "custom",
    "delete",
    "do",
    "does",
    "each",
    "every",
    "existing",
    "extend",
    "fix",
    "for",
    "from",
    "get",
    "give",
    "has",
    "have",
    "if",
    "implement",
    "in",
    "include",
    "into",
    "introduce",
    "is",
    "it",
    "its",
    "let",
    "like",
    "make",
    "more",
    "must",
    "new",
    "no",
    "not",
    "of",
    "on",
    "one",
    "only",
    "open",
    "or",
    "our",
    "own",
    "put",
    "remove",
    "reuse",
    "same",
    "separate",
    "set",
    "should",
    "show",
    "simple",
    "small",
    "some",
    "support",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "this",
    "to",
    "two",
    "up",
    "update",
    "use",
    "user's",
    "using",
    "via",
    "we",
    "when",
    "where",
    "which",
    "whose",
    "will",
    "with",
    "without",
    "write",
    "display",
    "displays",
    "includes",
    "through",
    "shared",
    "old",
];

/// The maximum number of elements of a text that are matched against the vault.
const MAX_ELEMENTS: usize = 60;

/// Returns the elements that a text proposes, in order and without duplicates.
pub fn find_proposed_elements(text: &str) -> Vec<ProposedElement> {
    let mut found: Vec<ProposedElement> = Vec::new();
    for sentence in text.split(['.', '!', '?', '\n', ';']).map(str::trim) {
        // A full stop inside a name does not end a sentence: such names are searched in the whole
        // text below.
        find_phrases(sentence, &mut found);
    }
    for token in text.split_whitespace() {
        find_named_element(token, &mut found);
    }
    found
}

fn add_element(found: &mut Vec<ProposedElement>, name: String, kind: DefinitionKind) {
    // This is more than any decision can hold, and it limits the time for long texts.
    if found.len() >= MAX_ELEMENTS {
        return;
    }
    let name_words = split_name(&name);
    if !name_words.is_empty()
        && !found.iter().any(|old: &ProposedElement| {
            let theirs = split_name(&old.name);
            theirs == name_words
                || (old.kind == kind && name_words.len() == 1 && theirs.contains(&name_words[0]))
        })
    {
        let domain = choose_domain(kind, &name);
        found.push(ProposedElement { name, kind, domain });
    }
}

/// Splits a sentence into lower-case words without punctuation.
fn split_words(sentence: &str) -> Vec<String> {
    sentence
        .split_whitespace()
        .map(|word| {
            let ends = word.ends_with([',', ':', ')']);
            let word = word
                .trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
                .to_lowercase();
            if ends { format!("{word},") } else { word }
        })
        .collect()
}

/// Finds phrases such as `user profile modal`, `logout button`, `subscription tier enum`: a noun
/// with up to two words before it.
fn find_phrases(sentence: &str, found: &mut Vec<ProposedElement>) {
    let words = split_words(sentence);
    for (at, word) in words.iter().enumerate() {
        let noun = to_singular(word.trim_end_matches(','));
        if let Some((_, kind)) = KIND_NOUNS.iter().find(|(known, _)| *known == noun) {
            let mut before: Vec<&str> = words[at.saturating_sub(2)..at]
                .iter()
                .rev()
                .map(String::as_str)
                .take_while(|word| {
                    !word.ends_with(',') && !FILLER_WORDS.contains(word) && !word.is_empty()
                })
                .filter(|word| !word.contains('/'))
                .collect();
            before.reverse();
            let bare = before.is_empty();
            let generic = matches!(
                noun.as_str(),
                "component"
                    | "controller"
                    | "endpoint"
                    | "migration"
                    | "page"
                    | "route"
                    | "screen"
                    | "service"
                    | "table"
                    | "widget"
                    | "model"
                    | "enum"
                    | "column"
                    | "layout"
                    | "form"
            );
            // The word "page" alone proposes nothing in particular.
            if !(bare && generic) {
                before.push(&noun);
                add_element(found, before.join(" "), *kind);
            }
        } else if AUTH.contains(&noun.as_str())
            && words.get(at + 1).is_none_or(|next| !is_noun(next))
        {
            add_element(found, noun, DefinitionKind::Service);
        }
    }
}

fn is_noun(word: &str) -> bool {
    let noun = to_singular(word.trim_end_matches(','));
    KIND_NOUNS.iter().any(|(known, _)| *known == noun)
}

/// Finds an element by its name in code: `/api/users`, `AuthService`, `Button.primary`,
/// `user_status`.
fn find_named_element(token: &str, found: &mut Vec<ProposedElement>) {
    let quoted = token.contains('`');
    let token = token
        .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '{' | '}' | '*'));
    if token.len() > 100 {
        return;
    }
    if let Some(path) = token.strip_prefix('/') {
        let file = path
            .rsplit('/')
            .next()
            .is_some_and(|last| last.contains('.'));
        let letters = path.chars().any(char::is_alphabetic);
        if letters && !file && !path.starts_with('/') {
            add_element(
                found,
                token.trim_end_matches('/').to_owned(),
                DefinitionKind::Route,
            );
        }
        return;
    }
    if !token
        .chars()
        .all(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.')
        || token.contains("..")
    {
        return;
    }
    let humps = token.chars().filter(char::is_ascii_uppercase).count();
    let small = token.chars().filter(char::is_ascii_lowercase).count();
    let camel = humps >= 2 && small >= 2 && token.starts_with(|c: char| c.is_ascii_uppercase());
    let capital = token.starts_with(|c: char| c.is_ascii_uppercase());
    if !camel && (!quoted || !capital) {
        return;
    }
    let type_name = token.split_once('.').map_or(token, |(name, _)| name);
    let last = split_name(type_name).pop();
    let kind = last.and_then(|last| {
        let noun = KIND_NOUNS.iter().find(|(known, _)| *known == last);
        noun.map(|(_, kind)| *kind)
            .or(DefinitionKind::from_word(&last))
    });
    // A name of an unknown kind counts only if it is about auth; otherwise nearly every name would
    // be new.
    if let Some(kind) = kind.or(is_auth(token).then_some(DefinitionKind::Service)) {
        add_element(found, token.to_owned(), kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> String {
        let all: Vec<String> = find_proposed_elements(text)
            .iter()
            .map(|one| format!("{}:{}", one.domain, one.name))
            .collect();
        all.join(", ")
    }

    #[test]
    fn elements_are_found_by_the_words_that_name_them() {
        assert_eq!(
            found("Add user profile modal with logout button."),
            "frontend:user profile modal, frontend:logout button"
        );
        assert_eq!(
            found("Add subscription tier enum and billing model; expose /api/billing/plans."),
            "data:subscription tier enum, data:billing model, backend:/api/billing/plans"
        );
        assert_eq!(
            found("Use AuthService for the login"),
            "auth:login, auth:AuthService"
        );
        assert_eq!(found("Write the page, see docs/x.md and src/a.rs"), "");
        assert_eq!(found("Fix a typo in the README"), "");
    }

    #[test]
    fn an_element_is_proposed_only_once() {
        assert_eq!(found("A modal. Another modal! `Modal`"), "frontend:modal");
    }
}
