//! The seed vault: the patterns of a repository, one file per domain in `keeper/seeds/`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::code::{AUTH, DefinitionKind};
use crate::sys;
use crate::target::RigTarget;
use crate::word::{has_all_words, is_similar_spelling, split_name};
use crate::yaml::{self, YamlValue};

/// An existing pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    pub name: String,
    /// The kind, as written in the file.
    pub kind: String,
    /// The domain whose file contains the seed.
    pub domain: String,
    /// Additional words for the seed: `words` of its entry.
    pub words: Vec<String>,
    /// The whole entry, including the values that users added.
    pub entry: YamlValue,
}

/// Groups of synonyms, each headed by the word that stands for all, unless a seed file defines
/// others.
const SYNONYM_GROUPS: [&[&str]; 5] = [
    &["modal", "dialog", "popup", "overlay"],
    &["logout", "signout", "logoff"],
    &["login", "signin", "logon"],
    &["delete", "remove"],
    &["avatar", "portrait"],
];

/// Words in names that do not describe the subject.
const GENERIC_WORDS: [&str; 16] = [
    "get",
    "set",
    "find",
    "list",
    "create",
    "update",
    "load",
    "fetch",
    "by",
    "id",
    "service",
    "client",
    "controller",
    "handler",
    "repository",
    "api",
];

/// The keys at the top of a seed file. `domain` is written by `plant`, `note` is for users.
const TOP_KEYS: [&str; 4] = ["domain", "seeds", "synonyms", "note"];

/// All seeds.
#[derive(Debug, Clone, Default)]
pub struct Vault {
    /// The seeds in the order of files and entries.
    pub seeds: Vec<Seed>,
    /// The domains that have a file.
    pub domains: Vec<String>,
    /// Words with the word that stands for them: `synonyms` of any seed file.
    pub synonyms: Vec<(String, String)>,
    /// The keys of seed files that mean nothing, with their files.
    pub unknown_keys: Vec<String>,
}

/// The result of matching a name against the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeedMatch<'a> {
    Known(&'a Seed),
    /// A similar seed exists.
    Near(&'a Seed),
    /// No similar seed exists.
    New,
}

pub fn seeds_folder(root: &Path) -> PathBuf {
    root.join("keeper/seeds")
}

impl Vault {
    /// Reads the vault. If the rig has no seed files of its own, reads those of its repository's
    /// target. No file gives an empty vault.
    pub fn load(root: &Path) -> anyhow::Result<Self> {
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        for path in sys::list_files(&seeds_folder(root), "yaml")? {
            let text =
                sys::read_text(&path).with_context(|| format!("cannot read {}", path.display()))?;
            files.extend(text.map(|text| (path, text)));
        }
        if let Some(target) = RigTarget::find(root).filter(|_| files.is_empty()) {
            for path in target.list_paths("keeper/seeds")? {
                let path = PathBuf::from(path);
                if path
                    .extension()
                    .is_some_and(|extension| extension == "yaml")
                {
                    let text = target
                        .read_text(&path.to_string_lossy())
                        .with_context(|| format!("cannot read {}", path.display()))?;
                    files.push((path, text));
                }
            }
        }
        Self::from_files(&files)
    }

    fn from_files(files: &[(PathBuf, String)]) -> anyhow::Result<Self> {
        let mut vault = Self::default();
        for (path, text) in files {
            let Some(domain) = path.file_stem().map(OsStr::to_string_lossy) else {
                continue;
            };
            let root = yaml::parse_yaml(text)
                .with_context(|| format!("{} is not valid", path.display()))?;
            for (key, _) in root.entries() {
                if !TOP_KEYS.contains(&key.as_str()) {
                    vault
                        .unknown_keys
                        .push(format!("`{key}` in {}", path.display()));
                }
            }
            for (word, others) in root.value_of("synonyms").entries() {
                let pairs = others
                    .as_texts()
                    .into_iter()
                    .map(|other| (split_name(&other).concat(), split_name(word).concat()));
                vault.synonyms.extend(pairs);
            }
            let entries = root.value_of("seeds").items();
            for entry in entries {
                let seed = Seed::from_entry(&domain, entry);
                anyhow::ensure!(
                    !seed.name.is_empty(),
                    "a seed in {} has no name",
                    path.display()
                );
                vault.seeds.push(seed);
            }
            if !entries.is_empty() {
                vault.domains.push(domain.into_owned());
            }
        }
        vault.add_members();
        Ok(vault)
    }

    /// Adds the methods and variants of seeds as seeds: `AuthService.logout`, `Button.primary`.
    pub(crate) fn add_members(&mut self) {
        let mut members: Vec<Seed> = Vec::new();
        for seed in &self.seeds {
            for member in ["methods", "variants"]
                .iter()
                .filter_map(|key| seed.entry.get(key))
                .flat_map(YamlValue::as_texts)
            {
                let name = format!("{}.{member}", seed.name);
                if !self
                    .seeds
                    .iter()
                    .any(|other| other.domain == seed.domain && other.name == name)
                {
                    members.push(Seed {
                        name,
                        words: Vec::new(),
                        ..seed.clone()
                    });
                }
            }
        }
        self.seeds.extend(members);
    }

    /// Returns the words of a name, with synonyms replaced.
    fn words(&self, name: &str) -> Vec<String> {
        split_name(name)
            .into_iter()
            .map(|word| self.canonical_word(&word))
            .collect()
    }

    fn canonical_word(&self, word: &str) -> String {
        let synonym = self.synonyms.iter().find(|(other, _)| other == word);
        if let Some((_, stands)) = synonym {
            return stands.clone();
        }
        let built_in = SYNONYM_GROUPS.iter().find(|group| group.contains(&word));
        built_in.map_or(word, |group| group[0]).to_owned()
    }

    /// Returns the seeds with several words of their own that all occur in a text, and the members
    /// of authentication services whose words do ("logout button": `AuthService.logout`). The text
    /// is about them although it does not name them.
    pub fn seeds_mentioned_in(&self, text: &str) -> Vec<&Seed> {
        let text_words = self.words(text);
        self.seeds
            .iter()
            .filter(|seed| self.is_mentioned(seed, &text_words))
            .collect()
    }

    fn is_mentioned(&self, seed: &Seed, text_words: &[String]) -> bool {
        let is_auth_member = seed
            .name
            .split_once('.')
            .map(|(_, member)| self.words(member))
            .is_some_and(|words| {
                has_all_words(&words, text_words)
                    && words.iter().any(|word| AUTH.contains(&word.as_str()))
            });
        if is_auth_member {
            return true;
        }
        let mut seed_words = self.words(&seed.name);
        seed_words.retain(|word| !GENERIC_WORDS.contains(&word.as_str()));
        seed_words.dedup();
        seed_words.len() >= 2
            && seed.kind != DefinitionKind::Route.word()
            && has_all_words(&seed_words, text_words)
    }

    pub fn seeds_of_domain(&self, domain: &str) -> impl Iterator<Item = &Seed> {
        let domain = domain.to_owned();
        self.seeds.iter().filter(move |seed| seed.domain == domain)
    }

    /// Matches a name against the seeds. It is known if a seed of the domain has all its words, or
    /// a seed of another domain has. It is near if a seed of the domain shares the last word, has
    /// all its words in the name, or has a similar spelling.
    pub fn match_name(&self, domain: &str, name: &str) -> SeedMatch<'_> {
        if name.starts_with('/') {
            return self.match_route(name);
        }
        match self.match_among(name, &|seed| seed.domain == domain) {
            SeedMatch::Known(seed) => SeedMatch::Known(seed),
            other => match self.match_among(name, &|seed| seed.domain != domain) {
                SeedMatch::Known(seed) => SeedMatch::Known(seed),
                _ => other,
            },
        }
    }

    fn match_among(&self, name: &str, fits: &dyn Fn(&Seed) -> bool) -> SeedMatch<'_> {
        let name_words = self.words(name);
        let seeds: Vec<(Vec<String>, &Seed)> = self
            .seeds
            .iter()
            .filter(|seed| fits(seed))
            .map(|seed| (self.words(&seed.name), seed))
            .collect();
        let find_seed = |is_match: &dyn Fn(&[String], &Seed) -> bool| {
            let found = seeds.iter().find(|(theirs, seed)| is_match(theirs, seed));
            found.map(|(_, seed)| *seed)
        };
        // In "the user_status enum" the name is user_status.
        let bare = match name_words.split_last() {
            Some((last, rest)) if DefinitionKind::from_word(last).is_some() => rest,
            _ => &name_words,
        };
        let exact = find_seed(&|theirs, _| theirs == name_words.as_slice() || theirs == bare)
            .or_else(|| find_seed(&|theirs, _| has_all_words(&name_words, theirs)))
            .or_else(|| {
                find_seed(&|theirs, seed| {
                    let mut all_words = theirs.to_vec();
                    all_words.extend(seed.words.iter().flat_map(|word| self.words(word)));
                    !seed.words.is_empty() && has_all_words(&name_words, &all_words)
                })
            });
        if let Some(seed) = exact {
            return SeedMatch::Known(seed);
        }
        let last_word = name_words.last();
        let near = find_seed(&|theirs, _| has_all_words(theirs, &name_words))
            .or_else(|| find_seed(&|theirs, _| theirs.last() == last_word))
            .or_else(|| find_seed(&|theirs, _| last_word.is_some_and(|head| theirs.contains(head))))
            .or_else(|| find_seed(&|_, seed| is_similar_spelling(&seed.name, name)));
        near.map_or(SeedMatch::New, SeedMatch::Near)
    }

    /// Matches a route: known by its path, near by the resource that it begins with.
    fn match_route(&self, path: &str) -> SeedMatch<'_> {
        let path_segments = split_segments(path);
        let routes: Vec<(&Seed, Vec<String>)> = self
            .seeds
            .iter()
            .filter(|seed| seed.kind == DefinitionKind::Route.word())
            .map(|seed| (seed, split_segments(&seed.name)))
            .collect();
        if let Some((seed, _)) = routes.iter().find(|(_, route)| *route == path_segments) {
            return SeedMatch::Known(seed);
        }
        let wanted = find_resource(&path_segments);
        let near = routes
            .iter()
            .find(|(_, route)| wanted.is_some() && find_resource(route) == wanted);
        near.map_or(SeedMatch::New, |(seed, _)| SeedMatch::Near(seed))
    }
}

impl Seed {
    /// Creates a seed from an entry: a name alone, or a mapping.
    fn from_entry(domain: &str, entry: &YamlValue) -> Self {
        let name = match entry {
            YamlValue::Text(name) => name.clone(),
            entry => entry.field("name").to_owned(),
        };
        Self {
            name,
            kind: entry.field("kind").to_owned(),
            domain: domain.to_owned(),
            words: entry.value_of("words").as_texts(),
            entry: entry.clone(),
        }
    }
}

/// Returns the first part of a route that names a thing.
fn find_resource(parts: &[String]) -> Option<&String> {
    parts
        .iter()
        .filter(|part| *part != "*" && *part != "api")
        .find(|part| !is_version(part))
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
}

/// Splits a path into segments. Parameters become `*`.
pub fn split_segments(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|part| !part.is_empty())
        .map(|part| match part.chars().next() {
            Some(':' | '{' | '<' | '*' | '[' | '$') => "*".to_owned(),
            _ => part.to_lowercase(),
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the vault of a small product.
    pub(crate) fn test_vault() -> Vault {
        let seed = |domain: &str, kind: &str, name: &str| Seed {
            name: name.to_owned(),
            kind: kind.to_owned(),
            domain: domain.to_owned(),
            words: Vec::new(),
            entry: YamlValue::text(name),
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
            synonyms: Vec::new(),
            unknown_keys: Vec::new(),
        }
    }

    #[test]
    fn names_are_classified_as_known_near_or_new() {
        let vault = test_vault();
        let of = |domain: &str, name: &str| match vault.match_name(domain, name) {
            SeedMatch::Known(seed) => format!("known {}", seed.name),
            SeedMatch::Near(seed) => format!("near {}", seed.name),
            SeedMatch::New => "new".to_owned(),
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
        // By another word, another form of it, or in another domain.
        assert_eq!(of("frontend", "settings dialog"), "near Modal");
        assert_eq!(of("backend", "logout"), "known AuthService.logout");
        assert_eq!(of("auth", "signout"), "known AuthService.logout");
    }

    #[test]
    fn synonyms_words_and_members_come_from_the_seed_files() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            sys::replace_file(&super::seeds_folder(folder.path()).join(name), text, 0o644).unwrap();
        };
        put(
            "frontend.yaml",
            "seeds:\n  - {name: Card, kind: component, variants: [compact], words: [tile]}\n",
        );
        put(
            "backend.yaml",
            "seeds:\n  - {name: BillingService, kind: service, methods: [charge, refund]}\n",
        );
        put("words.yaml", "synonyms:\n  refund: [chargeback]\n");
        let vault = Vault::load(folder.path()).unwrap();
        assert_eq!(vault.domains, ["backend", "frontend"]);
        let of = |domain: &str, name: &str| match vault.match_name(domain, name) {
            SeedMatch::Known(seed) => seed.name.clone(),
            _ => String::new(),
        };
        assert_eq!(of("frontend", "tile"), "Card");
        assert_eq!(of("frontend", "compact card"), "Card.compact");
        assert_eq!(of("backend", "chargeback"), "BillingService.refund");
        let about = vault.seeds_mentioned_in("Let users refund what billing took");
        assert_eq!(about.len(), 1);
        assert_eq!(about[0].name, "BillingService.refund");
    }
}
