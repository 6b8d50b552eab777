//! The waves in which the beads of a convoy can be done, and an estimate of the end.
//!
//! A bead is in the first wave if no bead of the convoy blocks it, otherwise in the one after its last
//! blocker. The estimate is the median time from sling to close of the town's
//! last closed beads, once for each remaining wave. It assumes a free worker for each bead of a
//! wave.

use bd::bead::Status;
use jiff::{SignedDuration, Timestamp};
use kit::ui::counted;
use kit::ui::time::format_seconds;
use serde::Serialize;

use crate::flow::convoy::{BeadStanding, ConvoyProgress, TrackedBead};
use crate::record::attempt;
use crate::record::convoy;
use crate::record::town_view::TownView;

/// The number of last closed beads that the pace is derived from.
const SAMPLE: usize = 20;
/// The minimum number of closed beads for an estimate.
const ENOUGH: usize = 3;

/// The usual time from sling to close of a town's beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BeadPace {
    pub median: SignedDuration,
    /// The number of beads that it was derived from.
    pub beads: usize,
}

/// The expected end of a convoy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ConvoyEstimate {
    /// The waves that are not done.
    pub waves: usize,
    pub pace: BeadPace,
}

impl BeadPace {
    /// Derives the pace from the last closed tracked beads of the town's rigs. None if there are
    /// too few.
    pub fn from_view(view: &TownView) -> Option<Self> {
        let convoys = convoy::list_newest(&view.stores.town, SAMPLE);
        let tracked = convoys
            .iter()
            .flat_map(|convoy| convoy::tracked_ids(convoy));
        let mut closed: Vec<(Timestamp, SignedDuration)> = tracked
            .filter_map(|id| view.stores.get(id))
            .filter(|bead| bead.status == Status::Closed)
            .filter_map(|bead| {
                let begun = attempt::given_at(bead)?;
                let ended = bead.closed_at.as_ref()?.instant();
                (ended > begun).then(|| (ended, ended.duration_since(begun)))
            })
            .collect();
        closed.sort();
        let mut last: Vec<SignedDuration> = closed
            .into_iter()
            .rev()
            .take(SAMPLE)
            .map(|(_, duration)| duration)
            .collect();
        last.sort();
        (last.len() >= ENOUGH).then(|| Self {
            median: last[last.len() / 2],
            beads: last.len(),
        })
    }
}

impl ConvoyEstimate {
    /// Estimates the end of a convoy. None if nothing is left to do, or a bead of it cannot go on.
    pub fn build(progress: &ConvoyProgress, pace: Option<BeadPace>) -> Option<Self> {
        let cannot_go_on = |bead: &TrackedBead| {
            matches!(
                bead.standing,
                BeadStanding::NeedsStep | BeadStanding::Failed | BeadStanding::Unknown
            )
        };
        if !progress.blocked_by.is_empty() || progress.tracked.iter().any(cannot_go_on) {
            return None;
        }
        let tracked = progress.tracked.iter();
        let waves = list_waves(tracked.filter(|bead| bead.standing != BeadStanding::Done)).len();
        let pace = pace.filter(|_| waves > 0)?;
        Some(Self { waves, pace })
    }

    /// Returns the expected time until all beads are done.
    pub fn seconds(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a convoy has few waves")]
        let waves = self.waves as f64;
        waves * self.pace.median.as_secs_f64()
    }

    /// Describes the estimate with its reason.
    pub fn describe(&self) -> String {
        format!(
            "done in about {} ({}, {} per bead: the median of the last {})",
            format_seconds(self.seconds()),
            counted(self.waves, "wave"),
            format_seconds(self.pace.median.as_secs_f64()),
            self.pace.beads
        )
    }
}

/// Arranges beads of a convoy in waves. Beads that wait for each other in a circle come last.
pub fn list_waves<'a>(
    tracked: impl IntoIterator<Item = &'a TrackedBead>,
) -> Vec<Vec<&'a TrackedBead>> {
    let mut left: Vec<&TrackedBead> = tracked.into_iter().collect();
    let mut waves = Vec::new();
    while !left.is_empty() {
        let is_free = |bead: &&TrackedBead| {
            bead.waits_for.iter().chain(&bead.blockers).all(|id| {
                !left
                    .iter()
                    .any(|other| other.id == *id && other.id != bead.id)
            })
        };
        let (mut free, waiting): (Vec<_>, Vec<_>) = left.iter().copied().partition(is_free);
        let is_circle = free.is_empty();
        if is_circle {
            free.clone_from(&left);
        }
        waves.push(free);
        if is_circle {
            break;
        }
        left = waiting;
    }
    waves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracked(id: &str, blockers: &[&str], standing: BeadStanding) -> TrackedBead {
        let waits = standing == BeadStanding::Blocked;
        let blockers: Vec<String> = blockers.iter().map(|&id| id.to_owned()).collect();
        TrackedBead {
            id: id.to_owned(),
            title: String::new(),
            status: String::new(),
            dependency_type: "tracks",
            issue_type: String::new(),
            assignee: String::new(),
            standing,
            waits_for: blockers.iter().filter(|_| waits).cloned().collect(),
            blockers,
            why: String::new(),
            next_steps: Vec::new(),
        }
    }

    fn ids<'a>(beads: impl IntoIterator<Item = &'a TrackedBead>) -> Vec<Vec<&'a str>> {
        let waves = list_waves(beads).into_iter();
        waves
            .map(|wave| wave.into_iter().map(|bead| bead.id.as_str()).collect())
            .collect()
    }

    #[test]
    fn beads_stay_in_their_waves_as_their_blockers_are_closed() {
        let (done, open) = (BeadStanding::Done, BeadStanding::Open);
        let beads = [
            tracked("a", &[], done),
            tracked("b", &["a", "of-another-convoy"], done),
            tracked("c", &["b"], open),
            tracked("d", &["c"], BeadStanding::Blocked),
            tracked("e", &[], open),
        ];
        assert_eq!(
            ids(&beads),
            [vec!["a", "e"], vec!["b"], vec!["c"], vec!["d"]]
        );
        // Those that are left can be done in two waves.
        let left = beads.iter().filter(|bead| bead.standing != done);
        assert_eq!(ids(left), [vec!["c", "e"], vec!["d"]]);
    }

    #[test]
    fn beads_that_block_each_other_come_last() {
        let blocked = BeadStanding::Blocked;
        let beads = [
            tracked("a", &["b"], blocked),
            tracked("b", &["a"], blocked),
            tracked("c", &[], BeadStanding::Open),
        ];
        assert_eq!(ids(&beads), [vec!["c"], vec!["a", "b"]]);
    }
}
