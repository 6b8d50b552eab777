//! The numbered records of what was decided: `keeper/decisions/NNN-<name>.yaml`.
//!
//! What must always hold: no record is given the number of another that is there, also by convoys that are made at the same time; a record keeps
//! everything that people wrote into it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::rule::Rule;
use crate::sys;
use crate::word::words;
use crate::yaml::{self, Value};

/// A record: the tree under `keeper_decision`, with whatever else people wrote there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    fields: Vec<(String, Value)>,
}

/// The folder of the records.
pub fn folder(root: &Path) -> PathBuf {
    root.join("keeper/decisions")
}

impl Decision {
    /// A record of these fields.
    pub fn new(fields: Vec<(&str, Value)>) -> Self {
        let fields = fields.into_iter();
        Self {
            fields: fields.map(|(key, value)| (key.to_owned(), value)).collect(),
        }
    }

    /// Reads a record.
    pub fn read(text: &str) -> anyhow::Result<Self> {
        let root = yaml::read(text)?;
        match root.get("keeper_decision") {
            Some(Value::Map(fields)) => Ok(Self {
                fields: fields.clone(),
            }),
            _ => bail!("it holds no `keeper_decision`"),
        }
    }

    /// Writes it.
    pub fn write(&self) -> String {
        let inside = Value::Map(self.fields.clone());
        yaml::write(&Value::Map(vec![("keeper_decision".to_owned(), inside)]))
    }

    /// A field.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let found = self.fields.iter().find(|(own, _)| own == key);
        found.map(|(_, value)| value)
    }

    /// The text of a field; empty where there is none.
    pub fn field(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_text).unwrap_or_default()
    }

    /// The texts of a field.
    pub fn texts(&self, key: &str) -> Vec<String> {
        self.get(key).map(Value::as_texts).unwrap_or_default()
    }

    /// The lists of a field by domain, such as those of `reuse`.
    pub fn by_domain(&self, key: &str) -> Vec<(String, Vec<String>)> {
        let entries = self.get(key).map(Value::entries).unwrap_or_default();
        let lists = entries.iter();
        lists
            .map(|(domain, list)| (domain.clone(), list.as_texts()))
            .collect()
    }

    /// What must not be done.
    pub fn forbidden(&self) -> Vec<Rule> {
        let items = self.get("forbidden").map(Value::items).unwrap_or_default();
        items.iter().map(Rule::of).collect()
    }

    /// Sets a field where it stands, or at the end.
    pub fn set(&mut self, key: &str, value: Value) {
        match self.fields.iter_mut().find(|(own, _)| own == key) {
            Some((_, old)) => *old = value,
            None => self.fields.push((key.to_owned(), value)),
        }
    }

    /// Removes a field.
    pub fn remove(&mut self, key: &str) {
        self.fields.retain(|(own, _)| own != key);
    }
}

/// Gives the record the next number and keeps it; returns its id and its path relative to the root.
pub fn file(root: &Path, title: &str, decision: &mut Decision) -> anyhow::Result<(String, String)> {
    let folder = folder(root);
    let _alone = sys::lock(&folder.join(".lock")).context("cannot lock the decisions")?;
    let taken = sys::files(&folder, "yaml")?;
    let last = taken.iter().filter_map(|path| number(path)).max();
    let number = last.unwrap_or_default() + 1;
    let id = format!("ADR-{number:03}");
    decision.set("id", Value::text(&id));
    let name = format!("{number:03}-{}.yaml", slug(title));
    sys::write(&folder.join(&name), &decision.write(), 0o644)
        .with_context(|| format!("cannot write {name} in {}", folder.display()))?;
    Ok((id, format!("keeper/decisions/{name}")))
}

/// The number at the beginning of a record's name.
pub(crate) fn number(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let digits = name.split('-').next()?;
    digits.parse().ok()
}

/// A title as part of a file's name.
fn slug(title: &str) -> String {
    let ascii = words(title).into_iter();
    let ascii = ascii.filter(|word| word.is_ascii());
    let mut slug = String::new();
    for word in ascii {
        if slug.len() + word.len() > 40 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    if slug.is_empty() {
        slug.push_str("convoy");
    }
    slug
}

/// The file of a record, by its id (`ADR-017`, `17`).
pub fn find(root: &Path, id: &str) -> anyhow::Result<PathBuf> {
    let digits = id.trim_start_matches("ADR-").trim_start_matches("adr-");
    let wanted: u32 = digits
        .parse()
        .with_context(|| format!("`{id}` is no id of a decision such as ADR-017"))?;
    let found = sys::files(&folder(root), "yaml")?;
    let found = found.into_iter().find(|path| number(path) == Some(wanted));
    found.with_context(|| format!("there is no decision {id} in {}", folder(root).display()))
}

/// Reads the record in a file.
pub fn load(path: &Path) -> anyhow::Result<Decision> {
    let text = sys::read(path)
        .with_context(|| format!("cannot read {}", path.display()))?
        .with_context(|| format!("there is no decision {}", path.display()))?;
    Decision::read(&text).with_context(|| format!("{} is not valid", path.display()))
}

/// A record below the root by its relative path; what leads out is refused.
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
    load(&real)
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
    fn a_record_keeps_all_that_was_written_there() {
        let first = Decision::read(WRITTEN).unwrap();
        let again = Decision::read(&first.write()).unwrap();
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
    fn numbers_are_given_once_to_however_many_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(super::folder(root)).unwrap();
        std::fs::write(super::folder(root).join("016-old.yaml"), WRITTEN).unwrap();
        let mut ids: Vec<String> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| {
                        let mut decision = Decision::read(WRITTEN).unwrap();
                        file(root, "User profile", &mut decision).unwrap().0
                    })
                })
                .collect();
            workers.into_iter().map(|one| one.join().unwrap()).collect()
        });
        ids.sort();
        ids.dedup();
        assert_eq!((ids.len(), ids[0].as_str()), (16, "ADR-017"));
        let path = find(root, "ADR-020").unwrap();
        assert!(path.ends_with("keeper/decisions/020-user-profile.yaml"));
        assert_eq!(load(&path).unwrap().field("id"), "ADR-020");
        assert!(load_below(root, "../../etc/passwd").is_err());
    }
}
