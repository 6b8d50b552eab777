//! Waivers: permissions to break a rule, with author and reason. One file each in
//! `keeper/waivers/`, so that none is silent.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::decision;
use crate::sys;
use crate::word::split_name;
use crate::yaml::{self, YamlValue};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiver {
    /// The decision that contains the rule.
    pub adr: String,
    /// The rule's words, or a constraint's code.
    pub rule: String,
    /// The file that the waiver applies to; empty for any file.
    pub file: String,
    pub reason: String,
    pub by: String,
}

fn waivers_folder(root: &Path) -> PathBuf {
    root.join("keeper/waivers")
}

impl Waiver {
    /// Returns true if the waiver covers a rule of a decision in a file.
    pub fn is_covering(&self, adr: &str, rule: &str, file: &str) -> bool {
        self.adr == adr
            && split_name(&self.rule) == split_name(rule)
            && (self.file.is_empty() || self.file == file)
    }

    /// Writes the waiver and returns its path relative to the root.
    pub fn save(&self, root: &Path) -> anyhow::Result<String> {
        anyhow::ensure!(!self.reason.trim().is_empty(), "a waiver needs a reason");
        let folder = waivers_folder(root);
        let _alone = sys::lock_file(&folder.join(".lock"))?;
        let number = decision::find_next_number(&folder)?;
        let pairs = [
            ("adr", &self.adr),
            ("rule", &self.rule),
            ("file", &self.file),
            ("reason", &self.reason),
            ("by", &self.by),
            ("date", &sys::format_today()),
        ];
        let text = yaml::format_yaml(&YamlValue::Map(
            pairs
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(key, value)| (key.to_owned(), YamlValue::text(value)))
                .collect(),
        ));
        let name = format!("{number:03}-{}.yaml", self.adr);
        sys::replace_file(&folder.join(&name), &text, 0o644)
            .with_context(|| format!("cannot write {name} in {}", folder.display()))?;
        Ok(format!("keeper/waivers/{name}"))
    }
}

pub fn load_waivers(root: &Path) -> anyhow::Result<Vec<Waiver>> {
    let mut found = Vec::new();
    for path in sys::list_files(&waivers_folder(root), "yaml")? {
        let value = yaml::load_yaml(&path)?;
        found.push(Waiver {
            adr: value.field("adr").to_owned(),
            rule: value.field("rule").to_owned(),
            file: value.field("file").to_owned(),
            reason: value.field("reason").to_owned(),
            by: value.field("by").to_owned(),
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_never_replaces_another() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let waiver = |rule: &str| Waiver {
            adr: "ADR-001".to_owned(),
            rule: rule.to_owned(),
            file: String::new(),
            reason: "why".to_owned(),
            by: "dana".to_owned(),
        };
        let kept = ["a", "b", "c"].map(|rule| waiver(rule).save(root).unwrap());
        std::fs::remove_file(root.join(&kept[0])).unwrap();
        waiver("d").save(root).unwrap();
        let rules: Vec<String> = load_waivers(root)
            .unwrap()
            .into_iter()
            .map(|one| one.rule)
            .collect();
        assert_eq!(rules, ["b", "c", "d"]);
    }
}
