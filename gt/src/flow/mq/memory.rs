//! Remembers the results of gates by target and tree during one run of the queue, so that no
//! candidate is checked twice.

use std::collections::HashMap;

use super::gate::{self, GateFailure};
use super::job::MergeJob;

#[derive(Debug, Default)]
pub(super) struct GateMemory {
    /// The first failed gate by target and checked tree, or `None` if all passed.
    results: HashMap<(String, String), Option<GateFailure>>,
}

impl GateMemory {
    /// Returns the first gate that fails on a commit. Runs the gates unless its tree is known. A
    /// gate that cannot run is no result about the tree.
    pub(super) fn check(
        &mut self,
        job: &MergeJob,
        commit: &str,
    ) -> anyhow::Result<Option<GateFailure>> {
        let key = (job.receipt.target.clone(), job.git.tree_of(commit)?);
        if let Some(known) = self.results.get(&key) {
            return Ok(known.clone());
        }
        let result = gate::run_gates(job, commit)?;
        let is_result = result
            .as_ref()
            .is_none_or(|failure| failure.describe_cannot_run().is_none());
        if is_result {
            self.results.insert(key, result.clone());
        }
        Ok(result)
    }
}
