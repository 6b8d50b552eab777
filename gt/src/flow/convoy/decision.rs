//! What hooks decided about a convoy, as its bead keeps it: one record a rig, in the metadata field `decisions`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bd::bead::{Bead, fields};
use bd::config::yaml::YamlNode;
use serde::{Deserialize, Serialize};

use crate::flow::town_hook::{FrontMatter, TownHookAnswer};
use crate::host::LiveTown;
use crate::town::beads::BeadsHome;

const FIELD: &str = "decisions";

/// What the hooks decided for the beads of one rig.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookDecision {
    /// The rig; empty for the town's own beads.
    pub rig: String,
    /// The decision's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adr: Option<String>,
    /// Its file, relative to the rig's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adr_path: Option<String>,
    /// What goes before the beads' descriptions.
    #[serde(skip_serializing_if = "FrontMatter::is_empty")]
    pub front: FrontMatter,
    /// The front matter of single beads that have one of their own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, FrontMatter>,
}

impl HookDecision {
    /// The record of a rig's beads before any hook has said something.
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

    /// Adds what one hook answered; of two hooks that say the same thing the later counts.
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

    /// Records what a bead's own front matter says besides, as it is now: what is written there later counts for
    /// nobody.
    pub(super) fn keep_bead_keys(&mut self, bead: &Bead) {
        let (block, _) = fields::split_front_matter(&bead.description);
        if block.is_empty() || self.front.is_empty() {
            return;
        }
        // A block that is no front matter says nothing.
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

    /// The front matter of one bead.
    pub fn front_matter_of(&self, id: &str) -> &FrontMatter {
        self.own.get(id).unwrap_or(&self.front)
    }

    /// Whether any bead gets a front matter.
    pub(super) fn has_front_matter(&self) -> bool {
        !self.front.is_empty() || self.own.values().any(|front| !front.is_empty())
    }

    /// The decision's file, where it is there and inside the rig.
    pub fn file(&self, town: &LiveTown) -> Option<PathBuf> {
        let root = match self.rig.as_str() {
            "" => town.layout.root().to_owned(),
            rig => town.layout.rig(rig).root().to_owned(),
        };
        let path = root.join(self.adr_path.as_ref()?);
        let real = path.canonicalize().ok()?;
        let inside = real.starts_with(root.canonicalize().ok()?) && real.is_file();
        inside.then_some(path)
    }
}

/// What was decided about a convoy.
pub fn read_decisions(convoy: &Bead) -> Vec<HookDecision> {
    let stored = convoy.metadata_object().remove(FIELD);
    stored
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}

/// What was decided for the beads of a rig.
pub fn decision_for(convoy: &Bead, rig: &str) -> Option<HookDecision> {
    read_decisions(convoy)
        .into_iter()
        .find(|own| own.rig == rig)
}

/// Adds records to a convoy; those of the same rigs are replaced.
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
    convoy.set_metadata(FIELD, all)
}
