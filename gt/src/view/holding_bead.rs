//! Finds the bead that holds up a convoy: the one that someone must look at, or the one that the
//! longest chain of open beads waits for.

use std::collections::BTreeSet;

use bd::graph::picture::find_critical_path;
use serde::Serialize;

use super::convoy_graph::list_picture_beads;
use crate::flow::work::convoy::{BeadStanding, ConvoyProgress, TrackedBead};

/// The open bead of a convoy that the others wait for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HoldingBead {
    pub id: String,
    pub title: String,
    pub standing: BeadStanding,
    /// The reason why the bead is not done, in a few words.
    pub why: String,
}

/// Finds the bead that holds up a convoy. `needs` are the beads that need the user. Prefers a bead
/// that does not advance without the user over one that does, and of each the first of the critical
/// path. None if no bead is left.
pub fn find_holding_bead(convoy: &ConvoyProgress, needs: &BTreeSet<&str>) -> Option<HoldingBead> {
    let critical = find_critical_path(&list_picture_beads(convoy));
    let path = critical.iter().map(|at| &convoy.tracked[*at]);
    let left: Vec<&TrackedBead> = path
        .chain(&convoy.tracked)
        .filter(|bead| bead.standing != BeadStanding::Done)
        .collect();
    let needs_user = |bead: &&&TrackedBead| needs.contains(&*bead.id) || is_stopped(bead);
    let bead = left
        .iter()
        .find(needs_user)
        .or_else(|| left.iter().find(|bead| has_no_worker(bead)))
        .or_else(|| left.first())?;
    Some(HoldingBead {
        id: bead.id.clone(),
        title: bead.title.clone(),
        standing: bead.standing,
        why: describe_wait(bead, needs.contains(&*bead.id)),
    })
}

/// Returns true if a bead does not advance without the user.
fn is_stopped(bead: &TrackedBead) -> bool {
    match bead.standing {
        BeadStanding::NeedsStep | BeadStanding::Failed | BeadStanding::Unknown => true,
        BeadStanding::Working => !bead.why.is_empty(),
        BeadStanding::Open | BeadStanding::Blocked | BeadStanding::Merging | BeadStanding::Done => {
            false
        }
    }
}

/// Returns true for an open bead that is neither queued nor with a worker.
fn has_no_worker(bead: &TrackedBead) -> bool {
    bead.standing == BeadStanding::Open && bead.why.is_empty()
}

fn describe_wait(bead: &TrackedBead, needs_user: bool) -> String {
    let waits_for = || format!("waits for {}", bead.waits_for.join(", "));
    match bead.standing {
        BeadStanding::Open | BeadStanding::Blocked if !bead.waits_for.is_empty() => waits_for(),
        _ if !bead.why.is_empty() => bead.why.clone(),
        _ if needs_user => "waits for you".to_owned(),
        _ if !bead.waits_for.is_empty() => waits_for(),
        BeadStanding::Open => "no one works on it".to_owned(),
        BeadStanding::Working if !bead.assignee.is_empty() => {
            format!("{} works on it", bead.assignee)
        }
        BeadStanding::Merging => "in the merge queue".to_owned(),
        standing => standing.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::work::convoy::BeadCounts;
    use bd::bead::Status;

    fn tracked(id: &str, blockers: &[&str], standing: BeadStanding) -> TrackedBead {
        let blockers: Vec<String> = blockers.iter().map(|&id| id.to_owned()).collect();
        let waits = standing == BeadStanding::Blocked;
        TrackedBead {
            id: id.to_owned(),
            title: format!("Title of {id}"),
            status: Status::Open,
            dependency_type: "tracks",
            issue_type: String::new(),
            assignee: String::new(),
            standing,
            is_repair: false,
            waits_for: blockers.iter().filter(|_| waits).cloned().collect(),
            blockers,
            why: String::new(),
            next_steps: Vec::new(),
        }
    }

    fn find(tracked: &[TrackedBead], needs: &[&str]) -> Option<(String, String)> {
        let convoy = ConvoyProgress {
            id: "hq-cv-1".to_owned(),
            title: String::new(),
            status: Status::Open,
            created_at: String::new(),
            tracked: tracked.to_vec(),
            counts: BeadCounts::default(),
            landings: 0,
            blocked_by: Vec::new(),
            integration: None,
        };
        let needs = needs.iter().copied().collect();
        let found = find_holding_bead(&convoy, &needs)?;
        Some((found.id, found.why))
    }

    fn answer(id: &str, why: &str) -> (String, String) {
        (id.to_owned(), why.to_owned())
    }

    #[test]
    fn the_start_of_the_longest_chain_holds_up_a_convoy_whose_beads_all_advance() {
        let (working, blocked) = (BeadStanding::Working, BeadStanding::Blocked);
        let mut beads = vec![
            tracked("short", &[], working),
            tracked("long", &[], working),
            tracked("middle", &["long"], blocked),
            tracked("end", &["middle"], blocked),
            tracked("done", &[], BeadStanding::Done),
        ];
        beads[1].assignee = "web/polecats/amber".to_owned();
        assert_eq!(
            find(&beads, &[]),
            Some(answer("long", "web/polecats/amber works on it"))
        );
        // One that no one has comes before it.
        beads[0].standing = BeadStanding::Open;
        assert_eq!(
            find(&beads, &[]),
            Some(answer("short", "no one works on it"))
        );
        beads[0].why = "queued since 3m ago".to_owned();
        assert_eq!(
            find(&beads, &[]),
            Some(answer("long", "web/polecats/amber works on it"))
        );
        // One that needs the user comes before all.
        assert_eq!(
            find(&beads, &["short"]),
            Some(answer("short", "queued since 3m ago"))
        );
        beads[4].standing = BeadStanding::Failed;
        assert_eq!(find(&beads, &[]), Some(answer("done", "failed")));
    }

    #[test]
    fn a_convoy_without_open_beads_is_held_up_by_none() {
        assert_eq!(find(&[tracked("a", &[], BeadStanding::Done)], &[]), None);
        let outside = tracked("b", &["of-another-convoy"], BeadStanding::Blocked);
        assert_eq!(
            find(&[outside], &[]),
            Some(answer("b", "waits for of-another-convoy"))
        );
    }
}
