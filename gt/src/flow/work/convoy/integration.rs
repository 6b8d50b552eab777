//! Manages a convoy's own branches, one in each rig in which the convoy has work. Its beads are
//! merged to them, and the convoy lands from there as one commit per rig (`crate::flow::work::landing`).
//!
//! A branch is recorded in the convoy before it is created. A branch without a record therefore
//! belongs to someone else and is left alone.

use std::collections::BTreeMap;
use std::time::Duration;

use bd::bead::Bead;
use bd::git::{Git, GitError, PushError, PushLease};
use bd::store::Snapshot;
use serde::{Deserialize, Serialize};

use crate::flow::place::rig::check_remote;
use crate::flow::place::sandbox;
use crate::flow::place::sandbox::SandboxError;
use crate::flow::place::target_history;
use crate::record;
use crate::town::config::{self, RigSettings, SettingsError};
use crate::town::event::event;
use crate::town::lock::Lock;
use crate::town::{Rig, Town};

/// The metadata key of a convoy.
pub(crate) const KEY: &str = "integration";

/// The branch name pattern without a setting.
const DEFAULT_TEMPLATE: &str = "integration/{epic}";

/// The record of a convoy with branches of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Integration {
    pub rigs: BTreeMap<String, ConvoyBranch>,
    /// Every rig has landed. Only removing the branches and closing the convoy are left.
    pub closing: bool,
    /// The branch tips of the previous landing, by rig. A branch that is still at that tip can be
    /// removed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub landed: BTreeMap<String, String>,
}

/// A convoy's branch in one rig.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConvoyBranch {
    pub branch: String,
    /// The branch that it will land on.
    pub target: String,
    /// The target's commit at which the branch was created.
    pub base: String,
    /// The progress of the landing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing: Option<LandingStep>,
    /// The reason why a landing failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// The task that was created for the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

/// The progress of a landing in one rig.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LandingStep {
    /// The tip of the convoy's branch for which the landing was prepared.
    pub tip: String,
    /// The tip of the target at that time.
    pub onto: String,
    /// The single commit that is to land. Equal to the target if there is nothing to land.
    pub candidate: String,
    /// True if the fetched target contains the candidate.
    pub landed: bool,
    /// The part of the branch that landed before this step was prepared, for work that came later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<LandedPart>,
}

/// The part of a convoy's branch that has landed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LandedPart {
    /// The tip of the branch up to which it landed.
    pub tip: String,
    pub onto: String,
    /// The commit on the target that holds the part.
    pub candidate: String,
}

impl LandingStep {
    /// Returns the part of the branch that has landed so far.
    pub fn landed_part(&self) -> Option<LandedPart> {
        if !self.landed {
            return self.part.clone();
        }
        Some(LandedPart {
            tip: self.tip.clone(),
            onto: self.onto.clone(),
            candidate: self.candidate.clone(),
        })
    }
}

impl Integration {
    /// Returns the number of rigs in which the convoy or a part of it has landed, and the number of
    /// all rigs.
    pub fn count_landed_rigs(&self) -> (usize, usize) {
        (
            self.rigs
                .values()
                .filter(|branch| {
                    let step = branch.landing.as_ref();
                    step.is_some_and(|step| step.landed_part().is_some())
                })
                .count(),
            self.rigs.len(),
        )
    }

    /// Returns the branches that have not landed, with their rigs.
    pub(super) fn unlanded_branches(&self) -> Vec<String> {
        self.rigs
            .iter()
            .filter(|(_, branch)| branch.landing.as_ref().is_none_or(|step| !step.landed))
            .map(|(rig, branch)| format!("{} of {rig}", branch.branch))
            .collect()
    }

    /// Returns true if a landing has begun: something has landed or is blocked.
    pub fn has_begun_landing(&self) -> bool {
        self.closing
            || self
                .rigs
                .values()
                .any(|branch| branch.landing.is_some() || !branch.trouble.is_empty())
    }

    /// Returns the record to keep once the convoy has landed.
    pub(super) fn after_landing(&self) -> Self {
        Self {
            landed: self
                .rigs
                .iter()
                .filter_map(|(rig, branch)| {
                    Some((rig.clone(), branch.landing.as_ref()?.tip.clone()))
                })
                .collect(),
            ..Self::default()
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum IntegrationError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The setting does not give a valid branch name.
    #[error(
        "`{name}` is no name for a branch (setting merge_queue.integration_branch_template of rig `{rig}`)"
    )]
    BadName { name: String, rig: String },
    /// Another branch has the name.
    #[error(
        "rig `{rig}` has a branch {name} already, which is not this convoy's: rename it, or set \
         merge_queue.integration_branch_template"
    )]
    Taken { name: String, rig: String },
    #[error("{convoy} is landing just now: try again in a moment")]
    Closing { convoy: String },
    /// The remote refused the push.
    #[error("origin does not take the branch {name}")]
    Push {
        name: String,
        #[source]
        source: PushError,
    },
    #[error(transparent)]
    Git(#[from] GitError),
    /// The target branch is missing.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// Returns the record of a convoy's branches. `None` for a convoy that lands bead by bead.
pub fn read_integration(convoy: &Bead) -> Option<Integration> {
    convoy.metadata_value(KEY)
}

/// Writes the record of a convoy's branches into the convoy.
pub fn set_integration(convoy: &mut Bead, integration: &Integration) -> serde_json::Result<()> {
    convoy.set_metadata(KEY, integration)
}

/// Returns the open convoy with branches of its own that tracks a bead.
pub fn integration_convoy_of(town: &Snapshot, bead: &str) -> Option<String> {
    record::convoy::convoys_tracking(town, bead)
        .into_iter()
        .find(|id| {
            town.get(id)
                .is_some_and(|convoy| read_integration(convoy).is_some())
        })
}

/// Returns the open convoy that has a branch of this name in a rig.
pub fn convoy_of_branch(town: &Snapshot, rig: &str, branch: &str) -> Option<String> {
    let open = record::convoy::list_convoys_with_key(town, KEY);
    open.iter()
        .find(|convoy| {
            read_integration(convoy).is_some_and(|integration| {
                integration
                    .rigs
                    .get(rig)
                    .is_some_and(|own| own.branch == branch)
            })
        })
        .map(|convoy| convoy.id.clone())
}

/// Returns the branch that work on a bead is merged to: the branch of the bead's convoy, or the
/// rig's target.
pub fn merge_target_of(rig: &Rig, bead: &str) -> anyhow::Result<String> {
    let convoys = rig.town().open_town_store()?.snapshot()?;
    let tracking_convoy = integration_convoy_of(&convoys, bead)
        .and_then(|id| Some((read_integration(convoys.get(&id)?)?, id)));
    let Some((integration, id)) = tracking_convoy else {
        return Ok(config::target_branch_of(rig)?);
    };
    match integration.rigs.get(rig.name()) {
        Some(branch) => Ok(branch.branch.clone()),
        None => Ok(build_branch_name(rig, &id)?),
    }
}

/// Builds the name of a convoy's branch in a rig: the setting with `{epic}`, `{prefix}` and
/// `{user}` replaced.
fn build_branch_name(rig: &Rig, convoy: &str) -> Result<String, IntegrationError> {
    let template = RigSettings::load(rig)?
        .merge_queue
        .integration_branch_template;
    let user = rig.town().env.get("USER").unwrap_or("gastown");
    let name = template
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| DEFAULT_TEMPLATE.to_owned())
        .replace("{epic}", convoy)
        .replace("{prefix}", &rig.prefix())
        .replace("{user}", user);
    if is_branch_name(&name) && name != config::target_branch_of(rig)? {
        return Ok(name);
    }
    let rig = rig.name().to_owned();
    Err(IntegrationError::BadName { name, rig })
}

/// Returns true if git accepts the name for a branch.
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

/// Creates the branch `target` of a bead's convoy if it is missing. Does nothing for a bead whose
/// work goes to the rig's own target.
///
/// 1. Take the lock of the rig's convoy branches and read the convoy's record.
/// 2. Without a record, the branch must not exist. Record its name and its first commit.
/// 3. Push the branch if the remote lacks it, and fetch it.
pub fn ensure_branch(rig: &Rig, bead: &str, target: &str) -> anyhow::Result<()> {
    let convoys = rig.town().open_town_store()?.snapshot()?;
    let Some(id) = integration_convoy_of(&convoys, bead) else {
        return Ok(());
    };
    let _held = Lock::take(&rig.branches_lock(), Duration::from_secs(120))?;
    let git = rig.git();
    let remote = check_remote(rig)?;
    let convoys = rig.town().open_town_store()?.snapshot()?;
    let known = convoys
        .get(&id)
        .and_then(read_integration)
        .unwrap_or_default();
    anyhow::ensure!(!known.closing, IntegrationError::Closing { convoy: id });
    let branch = match known.rigs.get(rig.name()) {
        Some(branch) => branch.clone(),
        None => record_branch(rig, &id, &git, remote, known.landed.get(rig.name()))?,
    };
    if branch.branch != target {
        return Ok(());
    }
    Ok(create_branch(&git, remote, &branch)?)
}

fn record_branch(
    rig: &Rig,
    convoy: &str,
    git: &Git,
    remote: bool,
    left: Option<&String>,
) -> anyhow::Result<ConvoyBranch> {
    let name = build_branch_name(rig, convoy)?;
    let there = read_branch_tip(git, remote, &name)?;
    match there {
        // The previous landing could not remove the branch.
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
    let target = config::target_branch_of(rig)?;
    let branch = ConvoyBranch {
        branch: name,
        base: sandbox::find_start_commit(rig, &target)?,
        target,
        ..ConvoyBranch::default()
    };
    change_integration(rig.town(), convoy, |integration| {
        integration
            .rigs
            .insert(rig.name().to_owned(), branch.clone());
    })?;
    rig.town().record_event(&event!(IntegrationBranch,
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

/// Returns the tip of a branch, read from the remote if there is one.
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

/// Removes a branch from the remote and locally, if it is still at `tip`.
pub(crate) fn remove_branch(
    git: &Git,
    remote: bool,
    branch: &str,
    tip: &str,
) -> Result<(), IntegrationError> {
    target_history::forget_target(git, branch)?;
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

/// Changes the record of a convoy's branches in one transaction.
pub(crate) fn change_integration(
    town: &Town,
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
    fn integration_branch_names_are_valid_in_git() {
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
    fn a_landed_part_is_recognized_while_more_work_waits() {
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
    fn the_recorded_integration_is_read_back_and_other_metadata_stays() {
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
