//! The rules that a decision forbids and that a bead's override allows: words such as "new modal
//! components", which are matched against new definitions; a text that must not be added; or paths
//! that must not change.

use crate::code::{Definition, DefinitionKind};
use crate::word::{is_alike, split_name};
use crate::yaml::YamlValue;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// The words of the rule, which serve as its name.
    pub words: String,
    /// A text that no added line may contain.
    pub text: String,
    /// Paths that must not change; `*` matches any text.
    pub path: String,
}

/// The meaning of a rule's words for definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RuleSubject {
    kind: Option<DefinitionKind>,
    names: Vec<String>,
}

impl Rule {
    /// Creates a rule from a decision's entry: words, or a mapping with `rule`, `text`, `path`.
    pub fn from_value(value: &YamlValue) -> Self {
        match value {
            YamlValue::Text(words) => Self::from_words(words),
            value => Self {
                words: value.field("rule").to_owned(),
                text: value.field("text").to_owned(),
                path: value.field("path").to_owned(),
            },
        }
    }

    /// Creates a rule from words alone.
    pub fn from_words(words: &str) -> Self {
        Self {
            words: words.to_owned(),
            ..Self::default()
        }
    }

    /// Returns true if the rule can be checked automatically.
    pub fn is_checkable(&self) -> bool {
        !self.text.is_empty() || !self.path.is_empty() || self.subject().is_some()
    }

    /// Parses the rule's words: "new", followed by a kind of thing, words of its name, or both.
    fn subject(&self) -> Option<RuleSubject> {
        const NEW_WORDS: [&str; 6] = ["new", "custom", "another", "additional", "own", "second"];
        const GENERIC_WORDS: [&str; 8] = [
            "implementation",
            "pattern",
            "code",
            "file",
            "thing",
            "element",
            "seed",
            "definition",
        ];
        let all = split_name(&self.words);
        let (first, rest) = all.split_first()?;
        let begins = NEW_WORDS.contains(&first.as_str());
        if !begins {
            return None;
        }
        let mut shape = RuleSubject {
            kind: None,
            names: Vec::new(),
        };
        for word in rest {
            match DefinitionKind::from_word(word) {
                Some(kind) if shape.kind.is_none() => shape.kind = Some(kind),
                _ if NEW_WORDS.contains(&word.as_str())
                    || GENERIC_WORDS.contains(&word.as_str()) => {}
                _ => shape.names.push(word.clone()),
            }
        }
        Some(shape)
    }

    /// Returns true if a new definition is the subject of the rule.
    pub fn is_about(&self, new: &Definition) -> bool {
        let Some(shape) = self.subject() else {
            return false;
        };
        let kind = match shape.kind {
            None => true,
            // Users call any active class a service.
            Some(DefinitionKind::Service) => {
                matches!(new.kind, DefinitionKind::Service | DefinitionKind::Type)
            }
            Some(kind) => new.kind == kind,
        };
        let name_words = split_name(&new.name);
        kind && shape
            .names
            .iter()
            .all(|name| name_words.iter().any(|word| is_alike(word, name)))
    }

    /// Returns true if a path must not change.
    pub fn is_path_forbidden(&self, path: &str) -> bool {
        !self.path.is_empty() && is_pattern_match(&self.path, path)
    }
}

/// Returns true if a path matches a pattern with the wildcards `*` and `**`.
fn is_pattern_match(pattern: &str, path: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').filter(|part| !part.is_empty()).collect();
    let mut rest = path;
    for (at, part) in parts.iter().enumerate() {
        let first = at == 0 && !pattern.starts_with('*');
        match rest.find(part) {
            Some(found) if !first || found == 0 => rest = &rest[found + part.len()..],
            _ => return false,
        }
    }
    rest.is_empty()
        || pattern.ends_with('*')
        || pattern.contains('*') && parts.last().is_none_or(|last| path.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaks(rule: &str, kind: DefinitionKind, name: &str) -> bool {
        let name = name.to_owned();
        Rule::from_words(rule).is_about(&Definition {
            name,
            kind,
            line: 1,
        })
    }

    #[test]
    fn rule_words_are_matched_against_kind_and_name() {
        assert!(speaks(
            "new modal components",
            DefinitionKind::Component,
            "ProfileModal"
        ));
        assert!(!speaks(
            "new modal components",
            DefinitionKind::Component,
            "ProfileCard"
        ));
        assert!(!speaks(
            "new modal components",
            DefinitionKind::Enum,
            "ModalState"
        ));
        assert!(speaks(
            "custom button implementations",
            DefinitionKind::Component,
            "LogoutButton"
        ));
        assert!(speaks(
            "new authentication services",
            DefinitionKind::Service,
            "AuthProvider"
        ));
        assert!(speaks(
            "new-auth-services",
            DefinitionKind::Type,
            "OauthAuth"
        ));
        assert!(speaks("new-enum", DefinitionKind::Enum, "Tier"));
        assert!(speaks(
            "no-new-things".trim_start_matches("no-"),
            DefinitionKind::Type,
            "X"
        ));
        assert!(!speaks(
            "direct database access",
            DefinitionKind::Service,
            "Database"
        ));
        assert!(!Rule::from_words("direct database access").is_checkable());
    }

    #[test]
    fn paths_match_patterns() {
        for (pattern, path, expected) in [
            ("legacy/**", "legacy/a/b.rs", true),
            ("legacy/**", "src/legacy/a.rs", false),
            ("*.sql", "db/001.sql", true),
            ("src/*/auth.ts", "src/x/auth.ts", true),
            ("src/auth.ts", "src/auth.ts", true),
            ("src/auth.ts", "src/auth.tsx", false),
        ] {
            let rule = Rule {
                path: pattern.to_owned(),
                ..Rule::default()
            };
            assert_eq!(rule.is_path_forbidden(path), expected, "{pattern} {path}");
        }
    }
}
