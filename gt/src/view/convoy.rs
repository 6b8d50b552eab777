//! The waves in which the beads of a convoy can be done, and an estimate of the end.
//!
//! A bead is in the first wave if no bead of the convoy blocks it, otherwise in the one after its
//! last blocker. The estimate is the median time from sling to close of the town's last closed
//! beads, once for each wave that is left, without the time that the first one has been at work. It
//! assumes a free worker for each bead of a wave.

use std::collections::{BTreeMap, BTreeSet};

use bd::bead::Status;
use jiff::{SignedDuration, Timestamp};
use kit::ui::counted;
use kit::ui::time::{format_estimate, format_seconds};
use serde::Serialize;

use crate::flow::work::convoy::{BeadStanding, ConvoyProgress, TrackedBead};
use crate::record::attempt;
use crate::record::convoy;
use crate::record::queued_sling;
use crate::record::town_view::TownView;

/// The number of last closed beads that the pace is derived from.
const PACE_SAMPLE: usize = 20;
/// The minimum number of closed beads for an estimate.
const MIN_SAMPLE: usize = 3;

/// The usual time from sling to close of a town's beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BeadPace {
    pub median: SignedDuration,
    /// The number of beads that it was derived from.
    pub beads: usize,
}

/// What is known about the end of an open convoy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConvoyEnd {
    /// The expected time until all beads are done. Missing if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The end or the obstacle in a few words.
    pub short: String,
    /// The same with all reasons.
    pub text: String,
}

impl BeadPace {
    /// Derives the pace from the last closed tracked beads of the town's rigs. None if there are
    /// too few.
    pub fn from_view(view: &TownView) -> Option<Self> {
        let convoys = convoy::list_newest(&view.stores.town, PACE_SAMPLE);
        let mut closed: Vec<(Timestamp, SignedDuration)> = convoys
            .iter()
            .flat_map(|convoy| convoy::tracked_ids(convoy))
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
            .take(PACE_SAMPLE)
            .map(|(_, duration)| duration)
            .collect();
        last.sort();
        (last.len() >= MIN_SAMPLE).then(|| Self {
            median: last[last.len() / 2],
            beads: last.len(),
        })
    }
}

impl ConvoyEnd {
    /// Estimates the end of a convoy whose beads are all at work or queued for a worker. `needs` are
    /// the beads that need the user. None if no bead is left, an escalation blocks the convoy, or
    /// there is no pace.
    pub fn estimate(
        progress: &ConvoyProgress,
        view: &TownView,
        pace: Option<BeadPace>,
        needs: &BTreeSet<&str>,
    ) -> Option<Self> {
        let left: Vec<&TrackedBead> = progress
            .tracked
            .iter()
            .filter(|bead| bead.standing != BeadStanding::Done)
            .collect();
        if !progress.blocked_by.is_empty() || left.is_empty() {
            return None;
        }
        let queued = list_queued_ids(view);
        Self::describe_obstacle("waits for you", &left, |bead| needs.contains(&*bead.id))
            .or_else(|| Self::describe_obstacle("stopped", &left, is_stopped))
            .or_else(|| {
                Self::describe_obstacle("no one has", &left, |bead| {
                    !is_at_work(bead) && !queued.contains(&bead.id)
                })
            })
            .or_else(|| {
                let ages = left
                    .iter()
                    .filter(|bead| is_at_work(bead))
                    .filter_map(|bead| {
                        let begun = attempt::given_at(view.stores.get(&bead.id)?)?;
                        Some((&*bead.id, view.now.duration_since(begun)))
                    })
                    .collect();
                Some(pace?.estimate(&list_waves(left.iter().copied()), &ages))
            })
    }

    fn describe_obstacle(
        words: &str,
        beads: &[&TrackedBead],
        is_stopping: impl Fn(&TrackedBead) -> bool,
    ) -> Option<Self> {
        let ids: Vec<&str> = beads
            .iter()
            .filter(|bead| is_stopping(bead))
            .map(|bead| bead.id.as_str())
            .collect();
        let short = match ids.as_slice() {
            [] => return None,
            [id] => format!("{words}: {id}"),
            ids => format!("{words}: {} beads", ids.len()),
        };
        Some(Self {
            seconds: None,
            short,
            text: format!("{words}: {}", ids.join(", ")),
        })
    }
}

/// Returns the ids of the beads that are queued for a worker.
fn list_queued_ids(view: &TownView) -> BTreeSet<String> {
    let rigs = view.stores.rigs.values();
    rigs.flat_map(queued_sling::list_queued_slings)
        .map(|queued| queued.work_bead_id)
        .collect()
}

fn is_stopped(bead: &TrackedBead) -> bool {
    matches!(
        bead.standing,
        BeadStanding::NeedsStep | BeadStanding::Failed | BeadStanding::Unknown
    )
}

fn is_at_work(bead: &TrackedBead) -> bool {
    matches!(bead.standing, BeadStanding::Working | BeadStanding::Merging)
}

impl BeadPace {
    /// Estimates the end of waves. `ages` are the times since which beads have been at work.
    fn estimate(
        self,
        waves: &[Vec<&TrackedBead>],
        ages: &BTreeMap<&str, SignedDuration>,
    ) -> ConvoyEnd {
        // A bead that no one works on has no age yet.
        let first: Vec<(&str, SignedDuration)> = waves
            .first()
            .into_iter()
            .flatten()
            .map(|bead| {
                (
                    &*bead.id,
                    ages.get(&*bead.id).copied().unwrap_or(SignedDuration::ZERO),
                )
            })
            .collect();
        let youngest = first.iter().map(|(_, age)| *age).min();
        let left = self
            .median
            .saturating_sub(youngest.unwrap_or(SignedDuration::ZERO));
        let median = format_seconds(self.median.as_secs_f64());
        let pace = format!("{median} per bead: the median of the last {}", self.beads);
        if !left.is_positive() {
            let oldest = first.iter().max_by_key(|(_, age)| *age);
            let longest = oldest.map_or_else(String::new, |(id, age)| {
                format!("{id} for {}, ", format_seconds(age.as_secs_f64()))
            });
            return ConvoyEnd {
                seconds: None,
                short: "longer than usual".to_owned(),
                text: format!("longer than usual ({longest}{pace})"),
            };
        }
        #[expect(clippy::cast_precision_loss, reason = "a convoy has few waves")]
        let later = waves.len().saturating_sub(1) as f64;
        let seconds = left.as_secs_f64() + later * self.median.as_secs_f64();
        let short = format!("done in {}", format_estimate(seconds));
        ConvoyEnd {
            seconds: Some(seconds),
            text: format!("{short} ({}, {pace})", counted(waves.len(), "wave")),
            short,
        }
    }
}

/// Arranges beads of a convoy in waves. Beads that wait for each other in a circle come last.
pub fn list_waves<'a>(
    tracked: impl IntoIterator<Item = &'a TrackedBead>,
) -> Vec<Vec<&'a TrackedBead>> {
    let mut left: Vec<&TrackedBead> = tracked.into_iter().collect();
    let mut waves = Vec::new();
    while !left.is_empty() {
        let (mut free, waiting): (Vec<_>, Vec<_>) = left.iter().copied().partition(|bead| {
            bead.waits_for.iter().chain(&bead.blockers).all(|id| {
                !left
                    .iter()
                    .any(|other| other.id == *id && other.id != bead.id)
            })
        });
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
    fn an_estimate_takes_off_the_time_at_work_and_says_when_it_is_over() {
        let pace = BeadPace {
            median: SignedDuration::from_mins(10),
            beads: 5,
        };
        let beads = [
            tracked("a", &[], BeadStanding::Working),
            tracked("b", &["a"], BeadStanding::Blocked),
        ];
        let waves = list_waves(&beads);
        let after = |minutes| {
            let ages = BTreeMap::from([("a", SignedDuration::from_mins(minutes))]);
            pace.estimate(&waves, &ages).text
        };
        let reason = "10m per bead: the median of the last 5)";
        assert_eq!(after(4), format!("done in about 16m (2 waves, {reason}"));
        assert_eq!(after(11), format!("longer than usual (a for 11m, {reason}"));
        let quick = BeadPace {
            median: SignedDuration::from_secs(2),
            ..pace
        };
        let end = quick.estimate(&waves, &BTreeMap::new());
        assert_eq!(end.short, "done in less than a minute");
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
