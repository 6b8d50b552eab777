//! Chooses the agent runtime for a bead by the records of polecats (`gt sling --best`).

use bd::bead::Bead;
use bd::store::Snapshot;

use crate::host::runtime::resolve_runtime;
use crate::record::polecat::{RecordSummary, WorkCompletion, read_all_records, summarize_records};
use crate::town::Rig;
use crate::town::identity::Address;

/// The number of finished beads that a runtime needs to be compared with others.
const MIN_FINISHED_BEADS: usize = 3;

/// An agent runtime that did better than others, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestAgent {
    pub agent: String,
    pub reason: String,
}

/// Chooses the runtime with the largest part of beads that were merged as submitted, and among
/// equals the fastest. Only beads of the same type count, unless no runtime has enough of them.
/// None if no runtime that can be started has enough records.
pub fn choose_best_agent(rig: &Rig, bead: &Bead) -> anyhow::Result<Option<BestAgent>> {
    let beads = rig.store()?.snapshot()?;
    let records = read_all_records(&beads);
    Ok(choose_from(rig, &beads, &records, bead))
}

fn choose_from(
    rig: &Rig,
    beads: &Snapshot,
    records: &[WorkCompletion],
    bead: &Bead,
) -> Option<BestAgent> {
    let of_type = rank_agents(
        rig,
        records.iter().filter(|entry| {
            let done = beads.get(&entry.bead);
            done.is_some_and(|done| done.issue_type == bead.issue_type)
        }),
    );
    let (ranked, work) = if of_type.is_empty() {
        (rank_agents(rig, records), "beads of all types".to_owned())
    } else {
        (of_type, format!("beads of type {}", bead.issue_type))
    };
    let compared: Vec<String> = ranked
        .iter()
        .map(|(agent, summary)| {
            format!(
                "{agent} {} of {}",
                summary.first_time_green, summary.finished
            )
        })
        .collect();
    let (agent, _) = ranked.into_iter().next()?;
    let reason = format!("{work} merged as submitted: {}", compared.join(", "));
    Some(BestAgent { agent, reason })
}

/// Returns the runtimes that can be started and have enough records, the best first.
fn rank_agents<'a>(
    rig: &Rig,
    records: impl IntoIterator<Item = &'a WorkCompletion>,
) -> Vec<(String, RecordSummary)> {
    let worker = Address::Polecat(rig.name().to_owned(), String::new());
    let mut ranked: Vec<(String, RecordSummary)> = summarize_records(records, |one| &one.agent)
        .into_iter()
        .filter(|(agent, summary)| {
            summary.finished >= MIN_FINISHED_BEADS
                && !agent.is_empty()
                && resolve_runtime(rig.town(), Some(rig), &worker, Some(agent)).is_ok()
        })
        .collect();
    ranked.sort_by(|(_, one), (_, other)| {
        // Fractions are compared by multiplying across.
        (other.first_time_green * one.finished)
            .cmp(&(one.first_time_green * other.finished))
            .then(one.median_seconds.cmp(&other.median_seconds))
    });
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::polecat::{MergeResult, WorkOutcome};
    use crate::testing::TestTown;

    #[test]
    fn the_best_runtime_has_most_merged_as_submitted_and_then_is_the_fastest() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        std::fs::create_dir_all(place.town.layout.settings().parent().unwrap()).unwrap();
        let agents = r#"{"agents":{"a":{"command":"sh"},"b":{"command":"sh"}}}"#;
        std::fs::write(place.town.layout.settings(), agents).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let beads = rig.store().unwrap().snapshot().unwrap();
        let entry = |agent: &str, result, seconds| WorkCompletion {
            bead: "web-1".to_owned(),
            outcome: WorkOutcome::Submitted,
            at: "2026-01-01T00:00:00Z".to_owned(),
            seconds,
            sessions: 1,
            agent: agent.to_owned(),
            kind: String::new(),
            labels: Vec::new(),
            stalls: 0,
            model: None,
            request: None,
            result: Some(result),
            gate_failures: 0,
            merged_after: None,
        };
        let three = |agent: &str, seconds| vec![entry(agent, MergeResult::Merged, seconds); 3];
        let best =
            |records: &[WorkCompletion]| choose_from(&rig, &beads, records, &Bead::default());
        assert_eq!(best(&three("a", 9)[..2]), None, "two are too few");
        let both = [three("a", 9), three("b", 5)].concat();
        let chosen = best(&both).unwrap();
        assert_eq!(chosen.agent, "b");
        let reason = "beads of all types merged as submitted: b 3 of 3, a 3 of 3";
        assert_eq!(chosen.reason, reason);
        let worse = [both.clone(), vec![entry("b", MergeResult::Reworked, 1)]].concat();
        assert_eq!(best(&worse).unwrap().agent, "a");
        // A runtime that cannot be started is not chosen.
        assert_eq!(best(&[both, three("gone", 1)].concat()).unwrap().agent, "b");
    }
}
