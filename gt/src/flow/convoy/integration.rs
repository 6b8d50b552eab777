//! A convoy's own branches: one in each rig in which it has work. Its beads are merged to them, and the convoy
//! lands from there as one commit a rig (`crate::flow::landing`).
//!
//! What must always hold: a branch is written down in the convoy before it is made, so that one that is found
//! without that is nobody's of ours and is left alone.

use std::collections::BTreeMap;
use std::time::Duration;

use bd::bead::Bead;
use bd::git::{Git, GitError, PushError, PushLease};
use bd::store::Snapshot;
use serde::{Deserialize, Serialize};

use crate::flow::sandbox;
use crate::flow::sandbox::SandboxError;
use crate::host::LiveTown;
use crate::record;
use crate::town::RigLayout;
use crate::town::config::{self, RigSettings};
use crate::town::event::event;
use crate::town::lock::Lock;

/// The key of a convoy's metadata.
const KEY: &str = "integration";

/// How branches are named where no setting says it.
const TEMPLATE: &str = "integration/{epic}";

/// What a convoy with branches of its own keeps about them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Integration {
    /// The branches, by rig.
    pub rigs: BTreeMap<String, ConvoyBranch>,
    /// Every rig has landed; what is left is to take the branches away and to close the convoy.
    pub closing: bool,
    /// The tips of branches of the landing before, by rig: one that is still there is only in the way.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub landed: BTreeMap<String, String>,
}

/// A convoy's branch in one rig.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConvoyBranch {
    /// Its name.
    pub branch: String,
    /// The branch that it will land on.
    pub target: String,
    /// The commit of the target that it was made at.
    pub base: String,
    /// How far its landing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing: Option<LandingStep>,
    /// Why it has not landed although that was tried.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// The task made of that.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task: String,
}

/// How far the landing in one rig is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LandingStep {
    /// The tip of the convoy's branch that was prepared.
    pub tip: String,
    /// Where the target stood then.
    pub onto: String,
    /// The one commit that is to land; the target itself where there is nothing to land.
    pub candidate: String,
    /// Whether the fetched target was found to hold it.
    pub landed: bool,
    /// What of the branch landed before this was prepared, for work that came later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<LandedPart>,
}

/// A part of a convoy's branch that has landed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LandedPart {
    /// The tip of the branch up to which it landed.
    pub tip: String,
    /// Where the target stood.
    pub onto: String,
    /// The commit that it landed as.
    pub candidate: String,
}

impl LandingStep {
    /// What of the branch has landed so far.
    pub fn landed_part(&self) -> Option<LandedPart> {
        let own = || LandedPart {
            tip: self.tip.clone(),
            onto: self.onto.clone(),
            candidate: self.candidate.clone(),
        };
        if self.landed {
            Some(own())
        } else {
            self.part.clone()
        }
    }
}

impl Integration {
    /// In how many rigs it has landed, or a part of it, and of how many.
    pub fn count_landed_rigs(&self) -> (usize, usize) {
        let landed = |branch: &&ConvoyBranch| {
            let step = branch.landing.as_ref();
            step.is_some_and(|step| step.landed_part().is_some())
        };
        (self.rigs.values().filter(landed).count(), self.rigs.len())
    }

    /// The branches that have not landed, with their rigs.
    pub(super) fn unlanded_branches(&self) -> Vec<String> {
        let landed =
            |branch: &ConvoyBranch| branch.landing.as_ref().is_some_and(|step| step.landed);
        let rigs = self.rigs.iter().filter(|(_, branch)| !landed(branch));
        rigs.map(|(rig, branch)| format!("{} of {rig}", branch.branch))
            .collect()
    }

    /// Whether a landing has begun: something landed, or something stands in its way.
    pub fn has_begun_landing(&self) -> bool {
        let begun = |branch: &ConvoyBranch| branch.landing.is_some() || !branch.trouble.is_empty();
        self.closing || self.rigs.values().any(begun)
    }

    /// What is kept of it once the convoy has landed.
    pub(super) fn after_landing(&self) -> Self {
        let tip = |branch: &ConvoyBranch| branch.landing.as_ref().map(|step| step.tip.clone());
        let tips = self
            .rigs
            .iter()
            .filter_map(|(rig, branch)| Some((rig.clone(), tip(branch)?)));
        Self {
            landed: tips.collect(),
            ..Self::default()
        }
    }
}

/// Why a convoy's branch cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum IntegrationError {
    /// The setting makes no name for a branch.
    #[error(
        "`{name}` is no name for a branch (setting merge_queue.integration_branch_template of rig `{rig}`)"
    )]
    BadName {
        /// The name.
        name: String,
        /// The rig.
        rig: String,
    },
    /// Someone else's branch has the name.
    #[error(
        "rig `{rig}` has a branch {name} already, which is not this convoy's: rename it, or set \
         merge_queue.integration_branch_template"
    )]
    Taken {
        /// The branch.
        name: String,
        /// The rig.
        rig: String,
    },
    /// The convoy is being closed.
    #[error("{convoy} is landing just now: try again in a moment")]
    Closing {
        /// The convoy.
        convoy: String,
    },
    /// The remote did not take it.
    #[error("origin does not take the branch {name}")]
    Push {
        /// The branch.
        name: String,
        /// What it said.
        #[source]
        source: PushError,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The target is not there.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// What a convoy keeps about its branches; `None` for one that lands bead by bead.
pub fn read_integration(convoy: &Bead) -> Option<Integration> {
    let stored = convoy.metadata_object().remove(KEY)?;
    serde_json::from_value(stored).ok()
}

/// Writes it.
pub fn set_integration(convoy: &mut Bead, integration: &Integration) -> serde_json::Result<()> {
    convoy.set_metadata(KEY, integration)
}

/// The open convoy with branches of its own that tracks a bead.
pub fn integration_convoy_of(town: &Snapshot, bead: &str) -> Option<String> {
    let mut tracking = record::convoy::convoys_tracking(town, bead).into_iter();
    tracking.find(|id| {
        town.get(id)
            .is_some_and(|convoy| read_integration(convoy).is_some())
    })
}

/// The open convoy whose branch in a rig has this name.
pub fn convoy_of_branch(town: &Snapshot, rig: &str, branch: &str) -> Option<String> {
    let is_its = |convoy: &&&Bead| {
        read_integration(convoy)
            .is_some_and(|own| own.rigs.get(rig).is_some_and(|own| own.branch == branch))
    };
    let open = record::convoy::list_convoys(town, false);
    open.iter().find(is_its).map(|convoy| convoy.id.clone())
}

/// The branch that work on a bead is to be merged into: its convoy's own, or the rig's target.
pub fn merge_target_of(town: &LiveTown, rig: &RigLayout, bead: &str) -> anyhow::Result<String> {
    let convoys = town.open_town_store()?.snapshot()?;
    let own = integration_convoy_of(&convoys, bead)
        .and_then(|id| Some((read_integration(convoys.get(&id)?)?, id)));
    let Some((integration, id)) = own else {
        return Ok(config::target_branch_of(town, rig));
    };
    match integration.rigs.get(rig.name()) {
        Some(branch) => Ok(branch.branch.clone()),
        None => Ok(build_branch_name(town, rig, &id)?),
    }
}

/// The name of a convoy's branch in a rig: its setting with `{epic}`, `{prefix}` and `{user}` filled in.
fn build_branch_name(
    town: &LiveTown,
    rig: &RigLayout,
    convoy: &str,
) -> Result<String, IntegrationError> {
    let settings = RigSettings::load(town, rig).unwrap_or_default();
    let template = settings.merge_queue.integration_branch_template;
    let user = town.env.get("USER").unwrap_or("gastown");
    let name = template
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| TEMPLATE.to_owned())
        .replace("{epic}", convoy)
        .replace("{prefix}", &town.prefix_of_rig(rig.name()))
        .replace("{user}", user);
    if is_branch_name(&name) && name != config::target_branch_of(town, rig) {
        return Ok(name);
    }
    let rig = rig.name().to_owned();
    Err(IntegrationError::BadName { name, rig })
}

/// Whether git takes a name as that of a branch.
fn is_branch_name(name: &str) -> bool {
    let bad = [
        " ", "~", "^", ":", "\\", "..", "@{", "//", "?", "*", "[", "/.",
    ];
    !name.is_empty()
        && !name.starts_with(['/', '.', '-'])
        && !name.ends_with(['/', '.'])
        && !format!("{name}/").contains(".lock/")
        && !bad.iter().any(|bad| name.contains(bad))
        && !name.chars().any(char::is_control)
}

/// Makes the branch `slot_target` of a bead's convoy where it is not there yet. Nothing to do where the bead's
/// work goes to the rig's own target.
///
/// 1. Under the lock of the rig's convoy branches: what does the convoy say?
/// 2. Nothing: the branch must not be there; its name and its first commit are written down.
/// 3. The branch is pushed where the remote does not have it, and fetched.
pub fn ensure_branch(
    town: &LiveTown,
    rig: &RigLayout,
    bead: &str,
    target: &str,
) -> anyhow::Result<()> {
    let convoys = town.open_town_store()?.snapshot()?;
    let Some(id) = integration_convoy_of(&convoys, bead) else {
        return Ok(());
    };
    let _held = Lock::take(&rig.branches_lock(), Duration::from_secs(120))?;
    let git = Git::at(rig.repo());
    let remote = git.remote_url("origin")?.is_some();
    let convoys = town.open_town_store()?.snapshot()?;
    let known = convoys
        .get(&id)
        .and_then(read_integration)
        .unwrap_or_default();
    anyhow::ensure!(!known.closing, IntegrationError::Closing { convoy: id });
    let branch = match known.rigs.get(rig.name()) {
        Some(branch) => branch.clone(),
        None => record_branch(town, rig, &id, (&git, remote, known.landed.get(rig.name())))?,
    };
    if branch.branch != target {
        return Ok(());
    }
    Ok(create_branch(&git, remote, &branch)?)
}

fn record_branch(
    town: &LiveTown,
    rig: &RigLayout,
    convoy: &str,
    (git, remote, left): (&Git, bool, Option<&String>),
) -> anyhow::Result<ConvoyBranch> {
    let name = build_branch_name(town, rig, convoy)?;
    let there = read_branch_tip(git, remote, &name)?;
    match there {
        // The landing before could not take it away.
        Some(tip) if Some(&tip) == left => remove_branch(git, remote, &name, &tip)?,
        Some(_) => {
            let rig = rig.name().to_owned();
            return Err(IntegrationError::Taken { name, rig }.into());
        }
        None => {}
    }
    if remote {
        git.fetch("origin")?;
    }
    let target = config::target_branch_of(town, rig);
    let branch = ConvoyBranch {
        branch: name,
        base: sandbox::find_start_commit(rig, &target)?,
        target,
        ..ConvoyBranch::default()
    };
    change_integration(town, convoy, |own| {
        own.rigs.insert(rig.name().to_owned(), branch.clone());
    })?;
    town.record_event(&event!(IntegrationBranch,
        convoy: convoy, rig: rig.name(), branch: branch.branch, base: branch.base,
    ));
    Ok(branch)
}

fn create_branch(git: &Git, remote: bool, branch: &ConvoyBranch) -> Result<(), IntegrationError> {
    let name = &branch.branch;
    if read_branch_tip(git, remote, name)?.is_none() {
        if remote {
            let pushed = git.push("origin", &branch.base, name, PushLease::Absent, false);
            pushed.map_err(|source| IntegrationError::Push {
                name: name.clone(),
                source,
            })?;
        } else {
            git.update_ref(&format!("refs/heads/{name}"), &branch.base, None)?;
        }
    }
    if remote
        && git
            .resolve(&format!("refs/remotes/origin/{name}"))?
            .is_none()
    {
        git.fetch("origin")?;
    }
    Ok(())
}

/// Where a branch stands, asked at the remote where there is one.
pub(crate) fn read_branch_tip(
    git: &Git,
    remote: bool,
    branch: &str,
) -> Result<Option<String>, GitError> {
    if remote {
        return git.ls_remote("origin", branch);
    }
    git.resolve(&format!("refs/heads/{branch}"))
}

/// Takes a branch away, at the remote and here, if it is still what was seen.
pub(crate) fn remove_branch(
    git: &Git,
    remote: bool,
    branch: &str,
    tip: &str,
) -> Result<(), IntegrationError> {
    if remote {
        let gone = git.delete_remote_branch("origin", branch, tip);
        gone.map_err(|source| IntegrationError::Push {
            name: branch.to_owned(),
            source,
        })?;
    }
    if git.resolve(&format!("refs/heads/{branch}"))?.as_deref() == Some(tip) {
        git.delete_branch(branch, tip)?;
    }
    Ok(())
}

/// Changes what a convoy keeps about its branches, in one transaction.
pub(crate) fn change_integration(
    town: &LiveTown,
    convoy: &str,
    change: impl FnOnce(&mut Integration),
) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let mut bead = super::error::find_convoy(tx, convoy)?;
        let before = read_integration(&bead).unwrap_or_default();
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            set_integration(&mut bead, &after)?;
            bead.updated_at = tx.now();
            tx.put(bead)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_branches_are_those_that_git_takes() {
        for good in ["integration/hq-cv-a1", "a", "x/y.z", "feature-1"] {
            assert!(is_branch_name(good), "{good}");
        }
        for bad in [
            "", "/a", "a/", ".a", "a.", "a b", "a~1", "a^", "a:b", "a\\b", "a..b", "a@{1}", "a//b",
            "a.lock", "x.lock/y", "-a", "a\tb", "a/.b", "a?",
        ] {
            assert!(!is_branch_name(bad), "{bad}");
        }
    }

    #[test]
    fn a_part_that_has_landed_is_known_while_more_waits_and_counts() {
        let first = LandingStep {
            tip: "t1".to_owned(),
            candidate: "c1".to_owned(),
            landed: true,
            ..LandingStep::default()
        };
        let mut second = LandingStep {
            tip: "t2".to_owned(),
            candidate: "c2".to_owned(),
            part: first.landed_part(),
            ..LandingStep::default()
        };
        // Prepared once more, it is still known.
        let third = second.landed_part().unwrap();
        assert_eq!((&*third.tip, &*third.candidate), ("t1", "c1"));
        let mut own = Integration::default();
        let branch = |step: &LandingStep| ConvoyBranch {
            landing: Some(step.clone()),
            ..ConvoyBranch::default()
        };
        own.rigs.insert("api".to_owned(), branch(&second));
        own.rigs
            .insert("web".to_owned(), branch(&LandingStep::default()));
        assert_eq!(own.count_landed_rigs(), (1, 2));
        assert_eq!(own.unlanded_branches().len(), 2, "but not all of it");
        second.landed = true;
        assert_eq!(second.landed_part().unwrap().tip, "t2");
    }

    #[test]
    fn what_is_kept_is_read_back_and_other_metadata_stays() {
        let mut convoy = Bead::default();
        convoy.set_metadata("landings", 2).unwrap();
        assert_eq!(read_integration(&convoy), None);
        let mut integration = Integration::default();
        let branch = ConvoyBranch {
            branch: "integration/x".to_owned(),
            landing: Some(LandingStep::default()),
            ..ConvoyBranch::default()
        };
        integration.rigs.insert("web".to_owned(), branch);
        set_integration(&mut convoy, &integration).unwrap();
        assert_eq!(read_integration(&convoy), Some(integration));
        assert_eq!(convoy.metadata_object()["landings"], 2);
    }
}
