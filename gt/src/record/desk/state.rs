//! The desk of one work tree, as it was last prepared: `.runtime/desk/<tree>.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use kit::sys::file;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::failure::{DeskFailure, DeskStep};
use crate::record::state_file;
use crate::town::RigLayout;
use crate::town::lock::Lock;

/// The identity of a work tree's folder. Another folder at the same path has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeId {
    device: u64,
    inode: u64,
    /// The time of birth in nanoseconds, because file systems reuse inodes. None if the file system
    /// does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born: Option<u128>,
}

impl TreeId {
    pub fn read(tree: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(tree)?;
        let born = metadata.created().ok();
        let born = born.and_then(|born| born.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            born: born.map(|born| born.as_nanos()),
        })
    }
}

/// A command of a desk that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningStep {
    pub step: DeskStep,
    pub since: Timestamp,
}

/// The desk of a work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeskState {
    /// The folder that was prepared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeId>,
    /// The hash of the setup command and its lock files for which the setup has finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// Files and folders that the setup made and git does not ignore. Without them the setup runs
    /// again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<String>,
    /// The hash of each carried file as it was last written, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub carried: BTreeMap<String, String>,
    /// The command that was started last, if it has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<RunningStep>,
    /// The failure of the last preparation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<DeskFailure>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl DeskState {
    /// Reads the state. Without a readable one, everything is prepared again.
    pub fn load(rig: &RigLayout, tree: &Path) -> Self {
        state_file::read_expendable_state(&rig.desk_state(tree))
    }

    /// Returns the state for the folder that is in place now. What is known about another one does
    /// not hold for it.
    #[must_use]
    pub fn for_tree(self, tree: TreeId) -> Self {
        if self.tree == Some(tree) {
            return self;
        }
        Self {
            tree: Some(tree),
            ..Self::default()
        }
    }

    pub fn save(&self, rig: &RigLayout, tree: &Path) -> anyhow::Result<()> {
        state_file::write_state(&rig.desk_state(tree), self)
    }

    /// Removes the state of a work tree that is removed. Its last log stays.
    pub fn remove(rig: &RigLayout, tree: &Path) -> anyhow::Result<()> {
        Ok(file::remove_file(&rig.desk_state(tree))?)
    }
}

/// A desk that is being prepared, or could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum DeskProgress {
    Running {
        step: DeskStep,
        since: Timestamp,
        log: PathBuf,
    },
    Failed {
        step: DeskStep,
        end: String,
        log: PathBuf,
    },
}

impl DeskProgress {
    /// Reads the progress of a work tree. None if its desk is ready, or needs nothing.
    pub fn read(rig: &RigLayout, tree: &Path) -> Option<Self> {
        let state = DeskState::load(rig, tree);
        let log = rig.desk_log(tree);
        if let Some(RunningStep { step, since }) = state.running
            && !Lock::is_free(&rig.desk_lock(tree))
        {
            return Some(Self::Running { step, since, log });
        }
        let DeskFailure { step, end, log, .. } = state.failed?;
        Some(Self::Failed { step, end, log })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::TownLayout;

    #[test]
    fn a_step_runs_only_while_its_lock_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let rig = TownLayout::new(folder.path()).rig("web");
        let tree = rig.root().join("polecats/nux/web");
        assert_eq!(DeskProgress::read(&rig, &tree), None);
        let state = DeskState {
            running: Some(RunningStep {
                step: DeskStep::Setup,
                since: Timestamp::UNIX_EPOCH,
            }),
            ..DeskState::default()
        };
        state.save(&rig, &tree).unwrap();
        assert_eq!(DeskState::load(&rig, &tree), state);
        assert_eq!(DeskProgress::read(&rig, &tree), None, "its process died");
        let _lock = Lock::try_take(&rig.desk_lock(&tree)).unwrap();
        let progress = DeskProgress::read(&rig, &tree);
        assert!(matches!(progress, Some(DeskProgress::Running { .. })));
        fs::write(rig.desk_state(&tree), "{").unwrap();
        assert_eq!(DeskState::load(&rig, &tree), DeskState::default());
    }
}
