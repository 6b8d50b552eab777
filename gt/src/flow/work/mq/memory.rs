//! Remembers the results of gates by target and tree during one run of the queue, so that no
//! candidate is checked twice.

use std::collections::HashMap;
use std::time::Instant;

use super::gate::{self, GateFailure, GateRun};
use super::job::MergeJob;
use crate::record::gate_history::GateHistory;

#[derive(Debug, Default)]
pub(super) struct GateMemory {
    /// The first failed gate by target and checked tree, or `None` if all passed.
    results: HashMap<TreeKey, Option<GateFailure>>,
}

/// A target and a tree.
type TreeKey = (String, String);

impl GateMemory {
    /// Returns the first gate that fails on a commit. Runs the gates unless its tree is known.
    pub(super) fn check(
        &mut self,
        job: &MergeJob,
        commit: &str,
    ) -> anyhow::Result<Option<GateFailure>> {
        let mut results = self.check_side_by_side(&[(job, commit)])?;
        Ok(results.pop().flatten())
    }

    /// Returns the first gate that fails on each commit. Runs the gates of all unknown trees at the
    /// same time. A gate that cannot run is no result about a tree.
    pub(super) fn check_side_by_side(
        &mut self,
        commits: &[(&MergeJob, &str)],
    ) -> anyhow::Result<Vec<Option<GateFailure>>> {
        let mut keys = Vec::new();
        let mut unknown: Vec<usize> = Vec::new();
        for (index, (job, commit)) in commits.iter().enumerate() {
            let key = (job.receipt.target.clone(), job.queue.git.tree_of(commit)?);
            if !self.results.contains_key(&key) && !keys.contains(&key) {
                unknown.push(index);
            }
            keys.push(key);
        }
        let runs: Vec<_> = unknown
            .iter()
            .map(|index| (GateRun::for_request(commits[*index].0), commits[*index].1))
            .collect();
        let begun = Instant::now();
        let fresh = gate::run_gates_side_by_side(&runs)?;
        if let Some((run, _)) = runs.first() {
            GateHistory::record_round(run.queue.rig, begun.elapsed().as_secs_f64());
        }
        let fresh: HashMap<&TreeKey, Option<GateFailure>> = unknown
            .iter()
            .map(|index| &keys[*index])
            .zip(fresh)
            .collect();
        let results = keys
            .iter()
            .map(|key| fresh.get(key).or_else(|| self.results.get(key)))
            .map(|known| known.cloned().flatten())
            .collect();
        for (key, result) in fresh {
            let is_result = result
                .as_ref()
                .is_none_or(|failure| failure.describe_cannot_run().is_none());
            if is_result {
                self.results.insert(key.clone(), result);
            }
        }
        Ok(results)
    }
}
