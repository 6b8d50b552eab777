//! The numbered records of decisions: `keeper/decisions/NNN-<name>.yaml`.
//!
//! No two records have the same number, even if convoys are created at the same time. A record
//! preserves everything that users wrote into it.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::rule::Rule;
use crate::sys;
use crate::word::split_name;
use crate::yaml::{self, YamlValue};

/// A record: the tree under `keeper_decision`, including the fields that users added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    fields: Vec<(String, YamlValue)>,
}

pub fn decisions_folder(root: &Path) -> PathBuf {
    root.join("keeper/decisions")
}

impl Decision {
    pub fn new(fields: Vec<(&str, YamlValue)>) -> Self {
        Self {
            fields: fields
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        }
    }

    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let root = yaml::parse_yaml(text)?;
        match root.get("keeper_decision") {
            Some(YamlValue::Map(fields)) => Ok(Self {
                fields: fields.clone(),
            }),
            _ => bail!("it holds no `keeper_decision`"),
        }
    }

    /// Formats the record as YAML.
    pub fn to_yaml(&self) -> String {
        let inside = YamlValue::Map(self.fields.clone());
        yaml::format_yaml(&YamlValue::Map(vec![(
            "keeper_decision".to_owned(),
            inside,
        )]))
    }

    pub fn get(&self, key: &str) -> Option<&YamlValue> {
        let found = self.fields.iter().find(|(field, _)| field == key);
        found.map(|(_, value)| value)
    }

    /// The value of a field. An absent field has the empty text.
    pub fn value_of(&self, key: &str) -> &YamlValue {
        self.get(key).unwrap_or(&yaml::EMPTY_TEXT)
    }

    /// The text of a field. A list, a mapping and an absent field have the empty text.
    pub fn field(&self, key: &str) -> &str {
        self.value_of(key).as_text().unwrap_or("")
    }

    pub fn texts(&self, key: &str) -> Vec<String> {
        self.value_of(key).as_texts()
    }

    /// The lists of a field by domain, such as those of `reuse`.
    pub fn by_domain(&self, key: &str) -> Vec<(String, Vec<String>)> {
        self.value_of(key)
            .entries()
            .iter()
            .map(|(domain, list)| (domain.clone(), list.as_texts()))
            .collect()
    }

    /// The rules of the field `forbidden`.
    pub fn forbidden(&self) -> Vec<Rule> {
        self.value_of("forbidden")
            .items()
            .iter()
            .map(Rule::from_value)
            .collect()
    }

    /// Sets a field in place, or appends it.
    pub fn set(&mut self, key: &str, value: YamlValue) {
        match self.fields.iter_mut().find(|(field, _)| field == key) {
            Some((_, old)) => *old = value,
            None => self.fields.push((key.to_owned(), value)),
        }
    }

    pub fn remove(&mut self, key: &str) {
        self.fields.retain(|(field, _)| field != key);
    }
}

/// Gives the record the next number and writes it. Returns its id and its path relative to the
/// root.
pub fn file_decision(
    root: &Path,
    title: &str,
    decision: &mut Decision,
) -> anyhow::Result<(String, String)> {
    let folder = decisions_folder(root);
    let _alone = sys::lock_file(&folder.join(".lock")).context("cannot lock the decisions")?;
    let number = find_next_number(&folder)?;
    let id = format!("ADR-{number:03}");
    decision.set("id", YamlValue::text(&id));
    let name = format!("{number:03}-{}.yaml", build_slug(title));
    sys::replace_file(&folder.join(&name), &decision.to_yaml(), 0o644)
        .with_context(|| format!("cannot write {name} in {}", folder.display()))?;
    Ok((id, format!("keeper/decisions/{name}")))
}

/// Returns the number after the highest number of the files in a folder.
pub(crate) fn find_next_number(folder: &Path) -> io::Result<u32> {
    let taken = sys::list_files(folder, "yaml")?;
    let last = taken.iter().filter_map(|path| parse_number(path)).max();
    Ok(last.map_or(1, |last| last + 1))
}

/// Returns the number at the beginning of a record's file name.
fn parse_number(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let digits = name.split('-').next()?;
    digits.parse().ok()
}

/// Converts a title to a part of a file name.
fn build_slug(title: &str) -> String {
    let mut slug = String::new();
    for word in split_name(title).iter().filter(|word| word.is_ascii()) {
        if slug.len() + word.len() > 40 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() {
        slug.push_str("convoy");
    }
    slug
}

/// Finds the file of a record by its id (`ADR-017`, `17`).
pub fn find_decision(root: &Path, id: &str) -> anyhow::Result<PathBuf> {
    let digits = id.trim_start_matches("ADR-").trim_start_matches("adr-");
    let wanted: u32 = digits
        .parse()
        .with_context(|| format!("`{id}` is no id of a decision such as ADR-017"))?;
    let found = sys::list_files(&decisions_folder(root), "yaml")?
        .into_iter()
        .find(|path| parse_number(path) == Some(wanted));
    found.with_context(|| {
        format!(
            "there is no decision {id} in {}",
            decisions_folder(root).display()
        )
    })
}

/// Reads the record in a file.
pub fn load_decision(path: &Path) -> anyhow::Result<Decision> {
    let text = sys::read_text(path)
        .with_context(|| format!("cannot read {}", path.display()))?
        .with_context(|| format!("there is no decision {}", path.display()))?;
    Decision::parse(&text).with_context(|| format!("{} is not valid", path.display()))
}

/// Loads a record by its path relative to the root. Fails for a path that leads out of the root.
pub fn load_below(root: &Path, relative: &str) -> anyhow::Result<Decision> {
    let path = root.join(relative);
    let real = path
        .canonicalize()
        .with_context(|| format!("there is no decision {}", path.display()))?;
    anyhow::ensure!(
        real.starts_with(root.canonicalize()?),
        "{relative} leads out of {}",
        root.display()
    );
    load_decision(&real)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = r#"keeper_decision:
  id: ADR-017
  date: 2026-01-13
  spec: "User profile modal with logout"
  mode: growth
  status: approved
  # What polecats MUST use
  reuse:
    frontend: [Modal, Button.primary]
    data: [user_status enum]
  extend:
    - target: Modal
      change: "Add 'profile' variant with avatar header slot"
  forbidden:
    - new authentication services
    - rule: nothing in the old tree
      path: legacy/**
  constraints:
    - auth-reuse
    - "Logout redirects to /login"
  seed_refs:
    frontend: keeper/seeds/frontend.yaml
  reviewed_with: {who: [Dana], why: "1.10"}
"#;

    #[test]
    fn a_record_keeps_everything_written_in_it() {
        let first = Decision::parse(WRITTEN).unwrap();
        let again = Decision::parse(&first.to_yaml()).unwrap();
        assert_eq!(first, again);
        assert_eq!(again.field("date"), "2026-01-13");
        assert_eq!(
            again.by_domain("reuse")[0],
            (
                "frontend".to_owned(),
                vec!["Modal".to_owned(), "Button.primary".to_owned()]
            )
        );
        assert_eq!(again.forbidden().len(), 2);
        assert_eq!(again.get("reviewed_with").unwrap().field("why"), "1.10");
    }

    #[test]
    fn concurrent_decisions_get_unique_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(super::decisions_folder(root)).unwrap();
        std::fs::write(super::decisions_folder(root).join("016-old.yaml"), WRITTEN).unwrap();
        let mut ids: Vec<String> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| {
                        let mut decision = Decision::parse(WRITTEN).unwrap();
                        file_decision(root, "User profile", &mut decision)
                            .unwrap()
                            .0
                    })
                })
                .collect();
            workers.into_iter().map(|one| one.join().unwrap()).collect()
        });
        ids.sort();
        ids.dedup();
        assert_eq!((ids.len(), ids[0].as_str()), (16, "ADR-017"));
        let path = find_decision(root, "ADR-020").unwrap();
        assert!(path.ends_with("keeper/decisions/020-user-profile.yaml"));
        assert_eq!(load_decision(&path).unwrap().field("id"), "ADR-020");
        assert!(load_below(root, "../../etc/passwd").is_err());
    }
}
