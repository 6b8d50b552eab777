//! Stores the changes of a rig's targets that need a user, `.runtime/target-losses.json`: a target
//! was moved back or deleted, and work that was closed as merged is on no target any more; or a
//! worker pushed to a target past the merge queue.
//!
//! A loss needs a user until the commits are on the target again, the work is merged again, or a
//! user accepts it. Commits that were pushed past the queue do until they are gone or accepted.

use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use kit::ui::escape;
use serde::{Deserialize, Serialize};

use crate::town::RigLayout;

/// The time for which an ended loss is kept. `gt status --health` looks at merges as old as this.
const ENDED_LOSS_LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 30);

/// A request that was merged, and whose commit a target has lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostMerge {
    pub request: String,
    pub bead: String,
    /// The commit with the work.
    pub commit: String,
}

/// A commit that a worker brought to a target past the merge queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushedCommit {
    pub commit: String,
    pub worker: String,
    #[serde(default)]
    pub subject: String,
}

/// The ending of a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossEnding {
    /// Someone brought the commits back, or took away those that were pushed past the queue.
    Returned,
    /// The work was given to the merge queue again.
    Requeued,
    /// A user accepted the loss.
    Accepted,
}

/// The number of commits that the record of one target names.
const MAX_PUSHED: usize = 20;

/// One target that has lost merges, or that got commits past the merge queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetLoss {
    pub target: String,
    /// The last known tip with the merges. A ref below `refs/gt/dropped/` keeps it.
    pub old_tip: String,
    /// The tip without them. None if the target was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_tip: Option<String>,
    pub noticed_at: Timestamp,
    pub merges: Vec<LostMerge>,
    /// The first commits that workers pushed past the queue, oldest first. A record with these has no
    /// merges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pushed: Vec<PushedCommit>,
    /// The repository in which those commits were noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<PathBuf>,
    /// The reason why a restore could not bring back all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_restored: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<LossEnding>,
}

impl TargetLoss {
    /// Reads the losses of a rig, oldest first. None for a rig without any.
    pub fn load(rig: &RigLayout) -> anyhow::Result<Vec<Self>> {
        let path = rig.target_losses();
        match file::read_file_if_exists(&path)? {
            None => Ok(Vec::new()),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let path = path.display();
                anyhow::anyhow!("{path} is damaged: correct it or remove it ({error})")
            }),
        }
    }

    /// Writes the losses of a rig, without those that ended long ago.
    pub(crate) fn save(
        rig: &RigLayout,
        mut losses: Vec<Self>,
        now: Timestamp,
    ) -> anyhow::Result<()> {
        losses.retain(|loss| {
            loss.is_open() || now.duration_since(loss.noticed_at) < ENDED_LOSS_LIFETIME
        });
        file::create_folder(&rig.runtime(), 0o755)?;
        let text = serde_json::to_vec_pretty(&losses)?;
        file::replace_file(&rig.target_losses(), &text, 0o600)?;
        Ok(())
    }

    /// Returns true if the loss needs a user.
    pub fn is_open(&self) -> bool {
        self.ending.is_none()
    }

    /// Adds commits that workers pushed past the queue in the meantime. Returns false if the record
    /// has reached this tip before.
    pub(crate) fn add_pushed(&mut self, pushed: &[PushedCommit], tip: &str) -> bool {
        if self.new_tip.as_deref() == Some(tip) {
            return false;
        }
        self.new_tip = Some(tip.to_owned());
        let room = MAX_PUSHED.saturating_sub(self.pushed.len());
        self.pushed.extend(pushed.iter().take(room).cloned());
        true
    }

    /// Returns the workers that pushed past the queue, comma-separated.
    pub fn list_pushers(&self) -> String {
        let workers: BTreeSet<&str> = self.pushed.iter().map(|one| one.worker.as_str()).collect();
        workers.into_iter().collect::<Vec<_>>().join(", ")
    }

    /// Returns true if the merge of a bead or a request is lost.
    pub fn is_about(&self, id: &str) -> bool {
        self.merges
            .iter()
            .any(|merge| merge.bead == id || merge.request == id)
    }

    /// Ends the loss of the merges whose work was brought back. The others stay an open loss, with
    /// the reason.
    pub(crate) fn split_restored(self, skipped: &[LostMerge], reason: &str) -> Vec<Self> {
        let (open, restored): (Vec<_>, Vec<_>) = self
            .merges
            .iter()
            .cloned()
            .partition(|merge| skipped.contains(merge));
        let restored = Self {
            merges: restored,
            not_restored: None,
            ending: Some(LossEnding::Requeued),
            ..self.clone()
        };
        let open = Self {
            merges: open,
            not_restored: Some(reason.to_owned()),
            ..self
        };
        let mut losses = vec![restored, open];
        losses.retain(|loss| !loss.merges.is_empty());
        losses
    }

    /// Returns the beads of the lost merges, comma-separated.
    pub fn list_beads(&self) -> String {
        let beads: Vec<&str> = self
            .merges
            .iter()
            .map(|merge| merge.bead.as_str())
            .collect();
        beads.join(", ")
    }

    /// Describes the loss in one sentence.
    pub fn describe(&self) -> String {
        if !self.pushed.is_empty() {
            return self.describe_pushed();
        }
        let commits: Vec<String> = self
            .merges
            .iter()
            .map(|merge| format!("{} ({:.12})", merge.bead, merge.commit))
            .collect();
        let commits = commits.join(", ");
        let target = &self.target;
        let restored = self
            .not_restored
            .as_ref()
            .map_or_else(String::new, |reason| {
                format!("; it cannot be restored: {reason}")
            });
        match &self.new_tip {
            Some(new_tip) => format!(
                "{target} was moved from {:.12} to {new_tip:.12}, and merged work is no longer on it: {commits}{restored}",
                self.old_tip
            ),
            None => format!(
                "{target} was deleted at {:.12}, and work that was merged to it is on no other target: {commits}{restored}",
                self.old_tip
            ),
        }
    }

    fn describe_pushed(&self) -> String {
        let commits: Vec<String> = self
            .pushed
            .iter()
            .map(|one| {
                let subject = escape::escape_line(&one.subject);
                let worker = escape::escape_line(&one.worker);
                format!("{:.12} \"{subject}\" ({worker})", one.commit)
            })
            .collect();
        format!(
            "{} has commits of workers that no merge request brought, so no gate has checked them: {}",
            self.target,
            commits.join(", ")
        )
    }

    /// Returns the commands, each of which ends the loss. A restore that failed is not offered
    /// again. Commits that were pushed past the queue are shown first.
    pub fn next_steps(&self, rig: &str) -> Vec<String> {
        if let (Some(repository), Some(tip)) = (&self.repository, &self.new_tip)
            && !self.pushed.is_empty()
        {
            let repository = escape::quote_for_shell(&repository.to_string_lossy());
            return vec![
                format!("git -C {repository} log -p {:.12}..{tip:.12}", self.old_tip),
                format!("gt mq lost {rig} --accept"),
            ];
        }
        let restore = self
            .not_restored
            .is_none()
            .then(|| format!("gt mq lost {rig} --restore"));
        restore
            .into_iter()
            .chain([format!("gt mq lost {rig} --accept")])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_merges_that_a_restore_skipped_stay_lost() {
        let merges = ["1", "2", "3"].map(|number| LostMerge {
            request: format!("web-mr{number}"),
            bead: format!("web-{number}"),
            commit: number.repeat(40),
        });
        let loss = TargetLoss {
            target: "main".to_owned(),
            old_tip: "a".repeat(40),
            new_tip: Some("b".repeat(40)),
            noticed_at: Timestamp::UNIX_EPOCH,
            merges: merges.to_vec(),
            pushed: Vec::new(),
            repository: None,
            not_restored: None,
            ending: None,
        };
        let [restored, open] = &loss.clone().split_restored(&merges[1..2], "it is open")[..] else {
            panic!("a loss of each kind");
        };
        assert_eq!(restored.list_beads(), "web-1, web-3");
        assert_eq!(restored.ending, Some(LossEnding::Requeued));
        assert_eq!(open.list_beads(), "web-2");
        assert_eq!(open.not_restored.as_deref(), Some("it is open"));
        assert!(open.is_open());

        let all = loss.clone().split_restored(&[], "");
        assert!(
            all.iter()
                .all(|loss| !loss.is_open() && loss.merges == merges)
        );
        assert_eq!(loss.split_restored(&merges, "all are open").len(), 1);
    }
}
