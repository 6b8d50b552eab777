//! The seed vault: what patterns a repository has, one file a domain in `keeper/seeds/`.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::code::Kind;
use crate::sys;
use crate::word::{nearly, within, words};
use crate::yaml::{self, Value};

/// A pattern that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// Its name.
    pub name: String,
    /// What it is; the word as it stands in the file.
    pub kind: String,
    /// The domain whose file it is in.
    pub domain: String,
    /// The whole entry, with everything that people wrote there.
    pub entry: Value,
}

/// All seeds.
#[derive(Debug, Clone, Default)]
pub struct Vault {
    /// In the order of files and entries.
    pub seeds: Vec<Seed>,
    /// The domains that have a file.
    pub domains: Vec<String>,
}

/// How a name stands to the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match<'a> {
    /// It is there.
    Known(&'a Seed),
    /// Something near it is there.
    Near(&'a Seed),
    /// Nothing like it is there.
    New,
}

/// The folder of the seed files.
pub fn folder(root: &Path) -> PathBuf {
    root.join("keeper/seeds")
}

impl Vault {
    /// Reads the vault; none is an empty one.
    pub fn load(root: &Path) -> anyhow::Result<Self> {
        let mut vault = Self::default();
        for path in sys::files(&folder(root), "yaml")? {
            let domain = path.file_stem().unwrap_or_default().to_string_lossy();
            let text =
                sys::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let root = yaml::read(&text.unwrap_or_default())
                .with_context(|| format!("{} is not valid", path.display()))?;
            for entry in root.get("seeds").map(Value::items).unwrap_or_default() {
                let name = match entry {
                    Value::Text(name) => name.clone(),
                    entry => entry.field("name").to_owned(),
                };
                anyhow::ensure!(!name.is_empty(), "a seed in {} has no name", path.display());
                vault.seeds.push(Seed {
                    name,
                    kind: entry.field("kind").to_owned(),
                    domain: domain.clone().into_owned(),
                    entry: entry.clone(),
                });
            }
            vault.domains.push(domain.into_owned());
        }
        Ok(vault)
    }

    /// The seeds of a domain.
    pub fn of(&self, domain: &str) -> impl Iterator<Item = &Seed> {
        let domain = domain.to_owned();
        self.seeds.iter().filter(move |seed| seed.domain == domain)
    }

    /// How a name stands to the seeds of its domain: known when a seed has all of its words, near when the words share
    /// their last one, the seed's words are all in it, or it is nearly spelled so.
    pub fn look(&self, domain: &str, name: &str) -> Match<'_> {
        if name.starts_with('/') {
            return self.look_route(name);
        }
        let own = words(name);
        let seeds: Vec<(Vec<String>, &Seed)> = self
            .of(domain)
            .map(|seed| (words(&seed.name), seed))
            .collect();
        let found = |fits: &dyn Fn(&[String], &Seed) -> bool| {
            let found = seeds.iter().find(|(theirs, seed)| fits(theirs, seed));
            found.map(|(_, seed)| *seed)
        };
        // "the user_status enum" is user_status.
        let bare = match own.split_last() {
            Some((last, rest)) if Kind::of_word(last).is_some() => rest,
            _ => &own,
        };
        let exact = found(&|theirs, _| theirs == own.as_slice() || theirs == bare);
        let exact = exact.or_else(|| found(&|theirs, _| within(&own, theirs)));
        if let Some(seed) = exact {
            return Match::Known(seed);
        }
        let head = own.last();
        let near = found(&|theirs, _| within(theirs, &own))
            .or_else(|| found(&|theirs, _| theirs.last() == head))
            .or_else(|| found(&|theirs, _| head.is_some_and(|head| theirs.contains(head))))
            .or_else(|| found(&|_, seed| nearly(&seed.name, name)));
        near.map_or(Match::New, Match::Near)
    }

    /// A route is known by its path, near by the resource that it begins with.
    fn look_route(&self, path: &str) -> Match<'_> {
        let own = segments(path);
        let routes = || {
            self.seeds
                .iter()
                .filter(|seed| seed.kind == Kind::Route.word())
        };
        if let Some(seed) = routes().find(|seed| segments(&seed.name) == own) {
            return Match::Known(seed);
        }
        let resource = |parts: &[String]| {
            let plain = parts.iter().filter(|part| *part != "*" && *part != "api");
            let mut plain = plain.filter(|part| !is_version(part));
            plain.next().cloned()
        };
        let wanted = resource(&own);
        let near =
            routes().find(|seed| wanted.is_some() && resource(&segments(&seed.name)) == wanted);
        near.map_or(Match::New, Match::Near)
    }
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
}

/// The segments of a path; parameters are `*`.
pub fn segments(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts
        .map(|part| match part.chars().next() {
            Some(':' | '{' | '<' | '*' | '[' | '$') => "*".to_owned(),
            _ => part.to_lowercase(),
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A vault of a small product.
    pub(crate) fn vault() -> Vault {
        let seed = |domain: &str, kind: &str, name: &str| Seed {
            name: name.to_owned(),
            kind: kind.to_owned(),
            domain: domain.to_owned(),
            entry: Value::text(name),
        };
        Vault {
            seeds: vec![
                seed("auth", "service", "AuthService.logout"),
                seed("backend", "service", "UserService.getProfile"),
                seed("backend", "route", "/api/users/:id"),
                seed("data", "enum", "user_status"),
                seed("frontend", "component", "Modal"),
                seed("frontend", "component", "Button.primary"),
            ],
            domains: ["auth", "backend", "data", "frontend"]
                .map(str::to_owned)
                .to_vec(),
        }
    }

    #[test]
    fn names_are_known_near_or_new() {
        let vault = vault();
        let of = |domain: &str, name: &str| match vault.look(domain, name) {
            Match::Known(seed) => format!("known {}", seed.name),
            Match::Near(seed) => format!("near {}", seed.name),
            Match::New => "new".to_owned(),
        };
        assert_eq!(of("frontend", "modal"), "known Modal");
        assert_eq!(of("auth", "logout"), "known AuthService.logout");
        assert_eq!(of("frontend", "user profile modal"), "near Modal");
        assert_eq!(of("frontend", "logout button"), "near Button.primary");
        assert_eq!(of("frontend", "sidebar"), "new");
        assert_eq!(of("data", "user_status enum"), "known user_status");
        assert_eq!(of("data", "user_statsu"), "near user_status");
        assert_eq!(of("backend", "/api/users/{user}"), "known /api/users/:id");
        assert_eq!(
            of("backend", "/api/users/{id}/avatar"),
            "near /api/users/:id"
        );
        assert_eq!(of("backend", "/api/invoices"), "new");
    }
}
