//! What a decision forbids, and what a bead's override allows: words such as "new modal components", which are held
//! against new definitions; or a text that must not be added; or paths that must not be touched.

use crate::code::{Definition, Kind};
use crate::word::{alike, words};
use crate::yaml::Value;

/// A rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// Its words, by which it is named.
    pub words: String,
    /// A text that no added line may hold.
    pub text: String,
    /// Paths that must not be touched; `*` stands for anything.
    pub path: String,
}

/// What a rule's words mean for definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shape {
    kind: Option<Kind>,
    names: Vec<String>,
}

impl Rule {
    /// From a decision's entry: words, or a mapping with `rule`, `text`, `path`.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Text(words) => Self::of_words(words),
            value => Self {
                words: value.field("rule").to_owned(),
                text: value.field("text").to_owned(),
                path: value.field("path").to_owned(),
            },
        }
    }

    /// From words alone.
    pub fn of_words(words: &str) -> Self {
        Self {
            words: words.to_owned(),
            ..Self::default()
        }
    }

    /// Whether a machine can tell when it is broken.
    pub fn can_be_checked(&self) -> bool {
        !self.text.is_empty() || !self.path.is_empty() || self.shape().is_some()
    }

    /// What its words mean: "new", then what kind of thing, or words of its name, or both.
    fn shape(&self) -> Option<Shape> {
        const NEW: [&str; 6] = ["new", "custom", "another", "additional", "own", "second"];
        const GENERIC: [&str; 8] = [
            "implementation",
            "pattern",
            "code",
            "file",
            "thing",
            "element",
            "seed",
            "definition",
        ];
        let all = words(&self.words);
        let (first, rest) = all.split_first()?;
        let begins = NEW.contains(&first.as_str());
        if !begins {
            return None;
        }
        let mut shape = Shape {
            kind: None,
            names: Vec::new(),
        };
        for word in rest {
            match Kind::of_word(word) {
                Some(kind) if shape.kind.is_none() => shape.kind = Some(kind),
                _ if NEW.contains(&word.as_str()) || GENERIC.contains(&word.as_str()) => {}
                _ => shape.names.push(word.clone()),
            }
        }
        Some(shape)
    }

    /// Whether a definition that was not there before is what it speaks of.
    pub fn speaks_of(&self, new: &Definition) -> bool {
        let Some(shape) = self.shape() else {
            return false;
        };
        let kind = match shape.kind {
            None => true,
            // People call any class that does something a service.
            Some(Kind::Service) => matches!(new.kind, Kind::Service | Kind::Type),
            Some(kind) => new.kind == kind,
        };
        let own = words(&new.name);
        kind && shape
            .names
            .iter()
            .all(|name| own.iter().any(|word| alike(word, name)))
    }

    /// Whether a path is one that must not be touched.
    pub fn covers(&self, path: &str) -> bool {
        !self.path.is_empty() && fits(&self.path, path)
    }
}

/// Whether a path fits a pattern in which `*` and `**` stand for anything.
fn fits(pattern: &str, path: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').filter(|part| !part.is_empty()).collect();
    let mut rest = path;
    for (at, part) in parts.iter().enumerate() {
        let first = at == 0 && !pattern.starts_with('*');
        match rest.find(part) {
            Some(found) if !first || found == 0 => rest = &rest[found + part.len()..],
            _ => return false,
        }
    }
    let last = parts.last().copied().unwrap_or_default();
    rest.is_empty() || pattern.ends_with('*') || path.ends_with(last) && pattern.contains('*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaks(rule: &str, kind: Kind, name: &str) -> bool {
        let name = name.to_owned();
        Rule::of_words(rule).speaks_of(&Definition {
            name,
            kind,
            line: 1,
        })
    }

    #[test]
    fn words_are_held_against_kind_and_name() {
        assert!(speaks(
            "new modal components",
            Kind::Component,
            "ProfileModal"
        ));
        assert!(!speaks(
            "new modal components",
            Kind::Component,
            "ProfileCard"
        ));
        assert!(!speaks("new modal components", Kind::Enum, "ModalState"));
        assert!(speaks(
            "custom button implementations",
            Kind::Component,
            "LogoutButton"
        ));
        assert!(speaks(
            "new authentication services",
            Kind::Service,
            "AuthProvider"
        ));
        assert!(speaks("new-auth-services", Kind::Type, "OauthAuth"));
        assert!(speaks("new-enum", Kind::Enum, "Tier"));
        assert!(speaks(
            "no-new-things".trim_start_matches("no-"),
            Kind::Type,
            "X"
        ));
        assert!(!speaks("direct database access", Kind::Service, "Database"));
        assert!(!Rule::of_words("direct database access").can_be_checked());
    }

    #[test]
    fn paths_fit_patterns() {
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
            assert_eq!(rule.covers(path), expected, "{pattern} {path}");
        }
    }
}
