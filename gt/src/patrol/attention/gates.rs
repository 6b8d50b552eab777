//! Reports the gates of beads that do not open without a user. Gates whose forge does not answer
//! for one cause are one item.

use std::collections::BTreeMap;

use bd::bead::hash::compute_short_hash;
use bd::molecule::forge::ForgeFailure;
use jiff::Timestamp;
use kit::ui::{counted, escape};

use super::super::gates::{self, FailedGate, GateProblem, UserGate};
use super::item::{AttentionItem, AttentionKind};
use crate::record::gate_looks::UnansweredQueries;
use crate::record::town_view::TownView;
use crate::town::TownLayout;

/// The number of gates that an item names.
const MAX_NAMED_GATES: usize = 3;

/// Returns the gates that do not open without a user, those due now and those that become due if
/// nothing changes.
pub fn gate_items(layout: &TownLayout, view: &TownView) -> Vec<AttentionItem> {
    build_items(gates::find_failed_gates(layout, view))
}

/// Returns the gates that only the user opens.
pub(super) fn user_gate_items(view: &TownView) -> Vec<AttentionItem> {
    let gates = gates::find_user_gates(view).into_iter();
    gates.map(build_user_item).collect()
}

/// Returns the items about one gate, or about the gates that one bead waits for.
pub fn gate_items_about(layout: &TownLayout, view: &TownView, id: &str) -> Vec<AttentionItem> {
    let mut failed = gates::find_failed_gates(layout, view);
    let is_about = |gate: &str, beads: &[String]| gate == id || beads.iter().any(|bead| bead == id);
    failed.retain(|failed| is_about(&failed.gate, &failed.beads));
    let mut items = build_items(failed);
    let mut for_user = gates::find_user_gates(view);
    for_user.retain(|found| is_about(&found.gate, &found.beads));
    items.extend(for_user.into_iter().map(build_user_item));
    items
}

fn build_user_item(found: UserGate) -> AttentionItem {
    let UserGate { gate, title, beads } = found;
    let bead = first_of(&beads);
    AttentionItem {
        key: format!("bead-gate:{gate}:user"),
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        subject: format!("The gate {gate} of {} waits for you", beads.join(", ")),
        text: format!(
            "{}. Only you open it.",
            escape::escape_line(title.trim_end_matches('.'))
        ),
        next: list_next_steps(&gate, &bead),
        bead,
    }
}

/// A gate whose forge does not answer.
struct SilentGate {
    gate: String,
    beads: Vec<String>,
    queries: UnansweredQueries,
    due: Timestamp,
}

fn build_items(failed: Vec<FailedGate>) -> Vec<AttentionItem> {
    let mut items = Vec::new();
    let mut silent: BTreeMap<String, Vec<SilentGate>> = BTreeMap::new();
    for failed in failed {
        let FailedGate {
            gate,
            beads,
            problem,
            due,
        } = failed;
        match problem {
            GateProblem::Failed(reason) => items.push(build_failed_item(&gate, &beads, &reason)),
            GateProblem::Overdue { condition, end } => {
                items.push(build_overdue_item(&gate, &beads, &condition, end));
            }
            GateProblem::Unanswered { await_id, queries } => {
                let cause = name_cause(&queries.first, &await_id);
                silent.entry(cause).or_default().push(SilentGate {
                    gate,
                    beads,
                    queries,
                    due,
                });
            }
        }
    }
    items.extend(
        silent
            .into_iter()
            .filter_map(|(cause, gates)| build_silent_item(&cause, &gates)),
    );
    items
}

fn build_failed_item(gate: &str, beads: &[String], reason: &str) -> AttentionItem {
    let bead = first_of(beads);
    let waiting = beads.join(", ");
    AttentionItem {
        key: format!("bead-gate:{gate}:{}", compute_short_hash(reason, 3)),
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        subject: format!("The gate {gate} of {waiting} cannot open"),
        text: format!(
            "{}. {} for it.",
            escape::escape_line(reason.trim_end_matches('.')),
            describe_waiting(beads)
        ),
        next: list_next_steps(gate, &bead),
        bead,
    }
}

fn build_overdue_item(
    gate: &str,
    beads: &[String],
    condition: &str,
    end: Timestamp,
) -> AttentionItem {
    let bead = first_of(beads);
    let waiting = beads.join(", ");
    AttentionItem {
        key: format!("bead-gate:{gate}:overdue"),
        kind: AttentionKind::NeedsPerson,
        due: end,
        subject: format!("The gate {gate} of {waiting} waits longer than its time limit"),
        text: format!(
            "The time limit of the gate ({}) passed at {end:.0}. {} for it.",
            escape::escape_line(condition),
            describe_waiting(beads)
        ),
        next: list_next_steps(gate, &bead),
        bead,
    }
}

/// Builds the item of all gates that wait for one cause.
fn build_silent_item(cause: &str, gates: &[SilentGate]) -> Option<AttentionItem> {
    let oldest = gates.iter().min_by_key(|silent| silent.queries.since)?;
    let since = oldest.queries.since;
    let bead = first_of(&oldest.beads);
    let error = escape::escape_line(&oldest.queries.last.to_string());
    let subject = match gates {
        [only] => format!(
            "The gate {} of {} cannot be checked",
            only.gate,
            only.beads.join(", ")
        ),
        gates => format!(
            "{} cannot be checked, among them {} of {bead}",
            counted(gates.len(), "gate"),
            oldest.gate
        ),
    };
    let mut next = list_next_steps(&oldest.gate, &bead);
    if error.starts_with("gh:") {
        next.push("gh auth status".to_owned());
    }
    let advice = match &oldest.queries.last {
        ForgeFailure::MissingProgram { program } => format!(
            "Install {}, or open the gates yourself.",
            escape::escape_line(program)
        ),
        ForgeFailure::Query(_) => "It is tried again each minute.".to_owned(),
    };
    Some(AttentionItem {
        key: format!("bead-gate:forge:{}", compute_short_hash(cause, 4)),
        kind: AttentionKind::NeedsPerson,
        due: gates.iter().map(|silent| silent.due).min()?,
        subject,
        text: format!(
            "The forge has not answered since {since:.0}: {}. {advice} Waiting: {}.",
            error.trim_end_matches('.'),
            name_gates(gates)
        ),
        next,
        bead,
    })
}

/// Returns the error without the words that differ between gates: addresses and ids.
fn name_cause(failure: &ForgeFailure, await_id: &str) -> String {
    let text = failure.to_string();
    text.split_whitespace()
        .filter(|word| !word.contains("://"))
        .filter(|word| await_id.is_empty() || !word.contains(await_id))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Names the first gates of a list with the beads that wait for them.
fn name_gates(gates: &[SilentGate]) -> String {
    let mut names: Vec<String> = gates
        .iter()
        .take(MAX_NAMED_GATES)
        .map(|silent| format!("{} (gate {})", silent.beads.join(", "), silent.gate))
        .collect();
    let others = gates.len().saturating_sub(MAX_NAMED_GATES);
    if others > 0 {
        names.push(format!("and {}", counted(others, "other gate")));
    }
    names.join(", ")
}

fn describe_waiting(beads: &[String]) -> String {
    let verb = if beads.len() == 1 { "waits" } else { "wait" };
    format!("{} {verb}", beads.join(", "))
}

fn first_of(beads: &[String]) -> String {
    beads.first().cloned().unwrap_or_default()
}

fn list_next_steps(gate: &str, bead: &str) -> Vec<String> {
    vec![
        format!("bd gate resolve {gate} --reason \"<why {bead} may go on>\""),
        format!("bd close {bead} --reason \"<why it is not needed>\""),
        format!("gt why {bead}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unanswered_gate(number: usize, error: &str) -> FailedGate {
        let at = |minutes: i64| Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_mins(minutes);
        let failure = ForgeFailure::Query(error.to_owned());
        FailedGate {
            gate: format!("web-g{number}"),
            beads: vec![format!("web-{number}")],
            problem: GateProblem::Unanswered {
                await_id: number.to_string(),
                queries: UnansweredQueries {
                    since: at(i64::try_from(number).unwrap()),
                    first: failure.clone(),
                    last: failure,
                },
            },
            due: at(i64::try_from(number).unwrap() + 10),
        }
    }

    #[test]
    fn gates_with_one_cause_are_one_item_whatever_their_ids_and_addresses_are() {
        let error = |number: usize| {
            format!("gh: cannot get https://api.example.org/runs/{number} of {number}: no network")
        };
        let gates = (1..=20).map(|number| unanswered_gate(number, &error(number)));
        let items = build_items(gates.collect());
        assert_eq!(items.len(), 1, "{items:?}");
        assert_eq!(
            items[0].subject,
            "20 gates cannot be checked, among them web-g1 of web-1"
        );
        assert!(items[0].text.ends_with(
            "Waiting: web-1 (gate web-g1), web-2 (gate web-g2), web-3 (gate web-g3), and 17 other gates."
        ));
        let oldest = unanswered_gate(1, "");
        assert_eq!(items[0].due, oldest.due);
        let other = unanswered_gate(3, "gh: not logged in");
        let both = vec![unanswered_gate(1, &error(1)), other];
        assert_eq!(build_items(both).len(), 2);
    }
}
