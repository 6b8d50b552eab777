//! Several beads at once: those that were named, and the families of epics and convoys among them.

use super::{SlingRequest, Slung, family, sling, sling_member};
use crate::host::LiveTown;

/// Beads to be slung alike.
#[derive(Debug, Clone, Default)]
pub struct SlingBatch {
    /// The beads.
    pub beads: Vec<String>,
    /// The target; empty for whoever asks.
    pub target: String,
    /// The agent runtime; none for the configured one.
    pub agent: Option<String>,
    /// Whether they are taken from whoever has them, and slung even if they are blocked.
    pub force: bool,
    /// Whether they get no convoy.
    pub no_convoy: bool,
    /// Instructions beside their own text.
    pub args: String,
}

/// Slings them one after the other. A member of a family that fails does not keep the others from their work: `warn` gets
/// the reason. If all of them fail, the last one's error is returned.
pub fn sling_batch(
    town: &LiveTown,
    batch: &SlingBatch,
    mut warn: impl FnMut(&str),
) -> anyhow::Result<Vec<Slung>> {
    let request = |bead: &str| SlingRequest {
        bead: bead.to_owned(),
        target: batch.target.clone(),
        agent: batch.agent.clone(),
        force: batch.force,
        no_convoy: batch.no_convoy,
        args: batch.args.clone(),
    };
    let mut slung = Vec::new();
    for bead in &batch.beads {
        let Some(members) = family(town, bead)? else {
            slung.push(sling(town, &request(bead))?);
            continue;
        };
        anyhow::ensure!(
            !members.is_empty(),
            "{bead} has no open bead that nobody has: nothing to sling"
        );
        let mut failures = 0;
        for member in &members {
            match sling_member(town, &request(member)) {
                Ok(one) => slung.push(one),
                Err(error) if failures + 1 < members.len() => {
                    failures += 1;
                    warn(&format!("{member}: {error:#}"));
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(slung)
}
