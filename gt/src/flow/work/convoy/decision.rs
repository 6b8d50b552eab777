//! Stores the decisions of hooks about a convoy in its bead: one record per rig, in the metadata
//! field `decisions`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bd::bead::{Bead, fields};
use bd::config::yaml::YamlNode;
use serde::{Deserialize, Serialize};

use crate::flow::place::town_hook::{FrontMatter, TownHookAnswer};
use crate::town::Town;
use crate::town::beads::BeadsHome;

const DECISIONS_KEY: &str = "decisions";

/// The decisions of hooks for the beads of one rig.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookDecision {
    /// The rig. Empty for the town's own beads.
    pub rig: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adr: Option<String>,
    /// The path of the decision's file, relative to the rig's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adr_path: Option<String>,
    /// The front matter that goes before the beads' descriptions.
    #[serde(skip_serializing_if = "FrontMatter::is_empty")]
    pub front: FrontMatter,
    /// The front matter of single beads that differs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, FrontMatter>,
}

impl HookDecision {
    /// Returns the variables with which a hook learns the decision.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        [
            ("GT_CONVOY_ADR", &self.adr),
            ("GT_CONVOY_ADR_PATH", &self.adr_path),
        ]
        .map(|(name, value)| (name, value.as_deref().unwrap_or("").to_owned()))
    }
    /// Creates an empty record for the beads of one rig.
    pub(super) fn for_home(home: &BeadsHome) -> Self {
        let rig = match home {
            BeadsHome::Town => String::new(),
            BeadsHome::Rig(rig) => rig.clone(),
        };
        Self {
            rig,
            ..Self::default()
        }
    }

    /// Adds the answer of one hook. If two hooks set the same key, the later one wins.
    pub(super) fn add(&mut self, answer: &TownHookAnswer) -> anyhow::Result<()> {
        if answer.adr.is_some() {
            self.adr.clone_from(&answer.adr);
            self.adr_path.clone_from(&answer.adr_path);
        }
        self.front.extend(answer.front.clone());
        for front in self.own.values_mut() {
            front.extend(answer.front.clone());
        }
        for (id, value) in &answer.overrides {
            self.set_override(id, value)?;
        }
        Ok(())
    }

    /// Records the keys that only the bead's own front matter has now. Later edits of the bead are
    /// ignored.
    pub(super) fn keep_bead_keys(&mut self, bead: &Bead) {
        let (block, _) = fields::split_front_matter(&bead.description);
        if block.is_empty() || self.front.is_empty() {
            return;
        }
        // A block that is not valid front matter is ignored.
        let Ok(written) = FrontMatter::parse(block) else {
            return;
        };
        let mut front = self.front_matter_of(&bead.id).clone();
        front.fill_missing(written);
        if front != self.front {
            self.own.insert(bead.id.clone(), front);
        }
    }

    fn set_override(&mut self, id: &str, value: &YamlNode) -> anyhow::Result<()> {
        let front = self.own.remove(id).unwrap_or_else(|| self.front.clone());
        self.own
            .insert(id.to_owned(), front.with("override", value)?);
        Ok(())
    }

    /// Returns the front matter of one bead.
    pub fn front_matter_of(&self, id: &str) -> &FrontMatter {
        self.own.get(id).unwrap_or(&self.front)
    }

    /// Returns true if any bead gets front matter.
    pub(super) fn has_front_matter(&self) -> bool {
        !self.front.is_empty() || self.own.values().any(|front| !front.is_empty())
    }

    /// Returns the decision's file, if it exists inside the rig.
    pub fn file(&self, town: &Town) -> Option<PathBuf> {
        let root = match self.rig.as_str() {
            "" => town.layout.root().to_owned(),
            rig => town.rig(rig).root().to_owned(),
        };
        let path = root.join(self.adr_path.as_ref()?);
        let real = path.canonicalize().ok()?;
        let inside = real.starts_with(root.canonicalize().ok()?) && real.is_file();
        inside.then_some(path)
    }
}

/// Returns the recorded decisions about a convoy.
pub fn read_decisions(convoy: &Bead) -> Vec<HookDecision> {
    convoy.metadata_value(DECISIONS_KEY).unwrap_or_default()
}

pub fn decision_for(convoy: &Bead, rig: &str) -> Option<HookDecision> {
    read_decisions(convoy)
        .into_iter()
        .find(|decision| decision.rig == rig)
}

/// Adds decisions to a convoy and replaces those of the same rigs.
pub(super) fn record_decisions(
    convoy: &mut Bead,
    fresh: &[HookDecision],
) -> serde_json::Result<()> {
    if fresh.is_empty() {
        return Ok(());
    }
    let mut all = read_decisions(convoy);
    all.retain(|old| !fresh.iter().any(|new| new.rig == old.rig));
    all.extend_from_slice(fresh);
    convoy.set_metadata(DECISIONS_KEY, all)
}
