//! Reads the careers of workers, models and agent programs: a card for each, and comparisons of
//! each kind of work.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use kit::sys::env::local_time_zone;
use serde::Serialize;

use crate::flow::agent::seance::usage::RequestCache;
use crate::host::LiveTown;
use crate::record::career::{
    CAREER_DAYS, CareerCounts, CareerGroup, CareerTrend, KindComparison, compare_by_kind,
};
use crate::record::polecat::{WorkCompletion, WorkerCompletion, read_completions_since};
use crate::record::rating::{Rating, RatingSummary, read_ratings_since};
use crate::record::{convoy, escalation};
use crate::town::beads::TownStores;
use crate::view::costs::{self, CostGroup, CostSum};

/// The maximum number of labels of a card.
const MAX_LABELS: usize = 8;
/// The number of last pieces of work of a card.
const MAX_LAST: usize = 10;

/// The selected work.
#[derive(Debug, Clone)]
pub struct CareerQuery {
    pub by: CareerGroup,
    /// The time of the oldest finished work.
    pub since: Timestamp,
    /// Only this kind of work.
    pub kind: Option<String>,
    /// Only this rig.
    pub rig: Option<String>,
    /// Only this worker, model or program.
    pub key: Option<String>,
}

impl CareerQuery {
    /// Selects all work of the usual time.
    pub fn new(by: CareerGroup, now: Timestamp) -> Self {
        Self {
            by,
            since: now - SignedDuration::from_hours(24 * CAREER_DAYS),
            kind: None,
            rig: None,
            key: None,
        }
    }
}

/// The careers of all groups.
#[derive(Debug, Clone, Serialize)]
pub struct CareerReport {
    pub by: CareerGroup,
    /// RFC 3339.
    pub since: String,
    /// The comparisons: bugs first, then the most frequent kind of work.
    pub kinds: Vec<ComparedKind>,
    /// The card with the most finished work first.
    pub cards: Vec<CareerCard>,
}

/// A comparison with its result as a sentence.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedKind {
    #[serde(flatten)]
    pub comparison: KindComparison,
    pub text: String,
}

/// The career of one worker, model or program.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CareerCard {
    pub key: String,
    #[serde(flatten)]
    pub counts: CareerCounts,
    /// Escalations about the work.
    pub escalations: usize,
    /// Convoys that tracked the work.
    pub convoys: usize,
    /// The median time from the claim to the submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_seconds: Option<i64>,
    /// The number of pieces of work of each kind.
    pub kinds: BTreeMap<String, usize>,
    /// The most frequent labels.
    pub labels: Vec<LabelCount>,
    /// The tokens and costs of its sessions, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostSum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_per_merge_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trend: Option<CareerTrend>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingSummary>,
    /// The last pieces of work, newest first.
    pub last: Vec<LastWork>,
}

/// A label and the number of pieces of work that had it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelCount {
    pub label: String,
    pub count: usize,
}

/// A piece of work with its ratings.
#[derive(Debug, Clone, Serialize)]
pub struct LastWork {
    #[serde(flatten)]
    pub done: WorkCompletion,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<Rating>,
}

/// The finished work of the town and what belongs to it.
struct CareerBook {
    entries: Vec<WorkerCompletion>,
    /// By merge request.
    ratings: BTreeMap<String, Vec<Rating>>,
    /// The convoys of each tracked bead.
    convoys: BTreeMap<String, BTreeSet<String>>,
    /// The escalations about each bead, with the mailboxes of those who asked.
    escalations: BTreeMap<String, Vec<BTreeSet<String>>>,
}

/// Reads the careers of a town. `cache` has earlier readings of transcripts.
pub fn read_careers(
    town: &LiveTown,
    query: &CareerQuery,
    cache: &mut RequestCache,
) -> anyhow::Result<CareerReport> {
    let book = CareerBook::read(&town.read_stores()?, query)?;
    let group = match query.by {
        CareerGroup::Model => CostGroup::Model,
        CareerGroup::Program => CostGroup::Runtime,
        CareerGroup::Worker => CostGroup::Agent,
    };
    let costs = costs::read_costs(town, Some(query.since), group, &local_time_zone(), cache)?;
    let costs = costs.rows.into_iter().map(|row| (row.key, row.sum));
    Ok(book.build_report(query, costs.collect()))
}

impl CareerBook {
    fn read(stores: &TownStores, query: &CareerQuery) -> anyhow::Result<Self> {
        let mut book = Self {
            entries: Vec::new(),
            ratings: BTreeMap::new(),
            convoys: BTreeMap::new(),
            escalations: BTreeMap::new(),
        };
        for (rig, beads) in &stores.rigs {
            if query.rig.as_ref().is_some_and(|wanted| wanted != rig) {
                continue;
            }
            book.entries
                .extend(read_completions_since(beads, query.since)?);
            book.ratings.extend(read_ratings_since(beads, query.since)?);
        }
        book.entries.retain(|entry| {
            let is_kind = query
                .kind
                .as_ref()
                .is_none_or(|kind| *kind == entry.done.kind);
            let is_key = query
                .key
                .as_ref()
                .is_none_or(|key| key == query.by.key_of(entry));
            is_kind && is_key
        });
        // Another rig's work may be as old.
        book.entries
            .sort_by_cached_key(|entry| entry.done.at.parse::<Timestamp>().ok());
        let beads: BTreeSet<&str> = book.entries.iter().map(|entry| &*entry.done.bead).collect();
        for convoy in stores.town.marked(&convoy::MARKS) {
            for tracked in convoy::tracked_refs(&convoy).filter(|id| beads.contains(id)) {
                let convoys = book.convoys.entry(tracked.to_owned()).or_default();
                convoys.insert(convoy.id().to_owned());
            }
        }
        for asked in escalation::list_changed_since(&stores.town, query.since) {
            if beads.contains(&*asked.related_bead) {
                let askers = asked.details.asked_by.into_iter();
                let all = askers.chain([asked.escalated_by]).collect();
                let about = book.escalations.entry(asked.related_bead).or_default();
                about.push(all);
            }
        }
        Ok(book)
    }

    fn build_report(
        &self,
        query: &CareerQuery,
        mut costs: BTreeMap<String, CostSum>,
    ) -> CareerReport {
        let mut by_key: BTreeMap<&str, Vec<&WorkerCompletion>> = BTreeMap::new();
        for entry in &self.entries {
            by_key
                .entry(query.by.key_of(entry))
                .or_default()
                .push(entry);
        }
        let mut cards: Vec<CareerCard> = by_key
            .into_iter()
            .map(|(key, entries)| {
                // The costs of one kind of work or of one rig are not known apart.
                let cost = costs
                    .remove(key)
                    .filter(|_| query.kind.is_none() && query.rig.is_none());
                self.build_card(key, &entries, cost)
            })
            .collect();
        cards.sort_by(|one, other| {
            let finished = |card: &CareerCard| card.counts.finished;
            finished(other)
                .cmp(&finished(one))
                .then(one.key.cmp(&other.key))
        });
        let compared = compare_by_kind(&self.entries, query.by).into_iter();
        CareerReport {
            by: query.by,
            since: query.since.to_string(),
            kinds: compared
                .map(|comparison| ComparedKind {
                    text: comparison.describe(query.by),
                    comparison,
                })
                .collect(),
            cards,
        }
    }

    fn build_card(
        &self,
        key: &str,
        entries: &[&WorkerCompletion],
        cost: Option<CostSum>,
    ) -> CareerCard {
        let works: Vec<&WorkCompletion> = entries.iter().map(|entry| &entry.done).collect();
        let counts = CareerCounts::count(works.iter().copied());
        let mut seconds: Vec<i64> = works.iter().map(|work| work.seconds).collect();
        seconds.sort_unstable();
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        for work in works.iter().filter(|work| work.is_finished()) {
            *kinds.entry(work.kind.clone()).or_default() += 1;
            for label in &work.labels {
                *labels.entry(label).or_default() += 1;
            }
        }
        let mut labels: Vec<LabelCount> = labels
            .into_iter()
            .map(|(label, count)| LabelCount {
                label: label.to_owned(),
                count,
            })
            .collect();
        labels.sort_by_key(|found| Reverse(found.count));
        labels.truncate(MAX_LABELS);
        let convoys: BTreeSet<&String> = works
            .iter()
            .filter_map(|work| self.convoys.get(&work.bead))
            .flatten()
            .collect();
        let merged = u32::try_from(counts.merged).unwrap_or(u32::MAX);
        CareerCard {
            key: key.to_owned(),
            escalations: self.count_escalations(entries),
            convoys: convoys.len(),
            median_seconds: seconds.get(seconds.len() / 2).copied(),
            kinds,
            labels,
            cost_per_merge_usd: cost
                .as_ref()
                .filter(|cost| merged > 0 && cost.unpriced_tokens == 0)
                .map(|cost| cost.cost_usd / f64::from(merged)),
            cost,
            trend: CareerTrend::new(&works),
            rating: RatingSummary::new(works.iter().flat_map(|work| self.ratings_of(work))),
            last: works
                .iter()
                .rev()
                .take(MAX_LAST)
                .map(|work| LastWork {
                    done: (*work).clone(),
                    ratings: self.ratings_of(work).to_vec(),
                })
                .collect(),
            counts,
        }
    }

    fn ratings_of(&self, work: &WorkCompletion) -> &[Rating] {
        let request = work.request.as_deref();
        let ratings = request.and_then(|request| self.ratings.get(request));
        ratings.map_or(&[], Vec::as_slice)
    }

    /// Counts the escalations of the workers about their work.
    fn count_escalations(&self, entries: &[&WorkerCompletion]) -> usize {
        let asked: BTreeSet<(&str, &str)> = entries
            .iter()
            .map(|entry| (&*entry.done.bead, &*entry.worker))
            .collect();
        asked
            .into_iter()
            .map(|(bead, worker)| {
                let about = self.escalations.get(bead).into_iter().flatten();
                about
                    .filter(|askers| askers.iter().any(|asker| is_same_agent(asker, worker)))
                    .count()
            })
            .sum()
    }
}

/// Returns true if two texts name the same agent, as an address or a mailbox.
fn is_same_agent(one: &str, other: &str) -> bool {
    one == other || one.replace("/polecats/", "/") == other.replace("/polecats/", "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::career::tests::completion;
    use crate::record::polecat::{MergeResult, WorkOutcome};

    #[test]
    fn a_card_counts_the_convoys_escalations_and_ratings_of_its_work() {
        let merged = |model: &str, bead: &str| {
            let result = Some(MergeResult::Merged);
            let mut entry = completion(model, "bug", WorkOutcome::Submitted, result);
            bead.clone_into(&mut entry.done.bead);
            entry.done.request = Some(format!("{bead}-mr"));
            entry.done.labels = vec!["ui".to_owned()];
            entry
        };
        let rating = Rating {
            bead: "we-1".to_owned(),
            request: "we-1-mr".to_owned(),
            rating: 4,
            why: "ok".to_owned(),
            by: "overseer".to_owned(),
            at: "2026-01-01T00:00:00Z".to_owned(),
        };
        let askers = |asker: &str| BTreeSet::from([asker.to_owned()]);
        let one_convoy = BTreeSet::from(["hq-cv-1".to_owned()]);
        let book = CareerBook {
            entries: vec![
                merged("a", "we-1"),
                merged("a", "we-2"),
                merged("b", "we-3"),
            ],
            ratings: BTreeMap::from([("we-1-mr".to_owned(), vec![rating])]),
            convoys: BTreeMap::from([
                ("we-1".to_owned(), one_convoy.clone()),
                ("we-2".to_owned(), one_convoy),
            ]),
            escalations: BTreeMap::from([(
                "we-2".to_owned(),
                vec![askers("web/a"), askers("web/other")],
            )]),
        };
        let now = "2026-01-02T00:00:00Z".parse().unwrap();
        let cost = CostSum {
            cost_usd: 3.0,
            ..CostSum::default()
        };
        let costs = BTreeMap::from([("a".to_owned(), cost)]);
        let query = CareerQuery::new(CareerGroup::Model, now);
        let report = book.build_report(&query, costs.clone());
        let card = &report.cards[0];
        assert_eq!((&*card.key, card.counts.merged), ("a", 2));
        assert_eq!((card.convoys, card.escalations), (1, 1));
        assert_eq!(
            card.rating.map(|found| (found.mean, found.count)),
            Some((4.0, 1))
        );
        assert_eq!(card.cost_per_merge_usd, Some(1.5));
        assert_eq!(card.labels[0].count, 2);
        assert_eq!(card.last[0].done.bead, "we-2");
        assert!(report.cards[1].cost.is_none());
        let bugs = CareerQuery {
            kind: Some("bug".to_owned()),
            ..query
        };
        assert!(book.build_report(&bugs, costs).cards[0].cost.is_none());
    }
}
