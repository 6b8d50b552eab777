//! The report of a week: the landed work, its costs, the longest waits, the records of the workers,
//! and the matters that need a user. One file in Markdown or HTML, without a network.

mod document;

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;

use crate::flow::agent::seance::usage::RequestCache;
use crate::host::LiveTown;
use crate::patrol::attention::list_due_items;
use crate::record::career::CareerGroup;
use crate::record::merge_request;
use crate::record::town_view::TownView;
use crate::town::beads::TownStores;
use crate::town::event::{Event, NewestEvents};
use crate::town::read_town_name;
use crate::view::career::{CareerCard, CareerQuery, ComparedKind, read_careers};
use crate::view::daily::{DailyChoice, DailyGroup, DailyMetric, DailyNumbers, read_daily_numbers};
use crate::view::need::{UserNeed, list_needs};
use crate::view::timeline::{
    PhaseTotal, TimelineLane, TimelinePhase, TimelineSubject, read_lanes_of_beads, sum_phases,
};

pub use document::{format_html, format_markdown};

/// The number of waits that a report lists.
const MAX_WAITS: usize = 10;

#[derive(Debug, Serialize)]
pub struct WeeklyReport {
    pub town: String,
    pub from: Timestamp,
    pub to: Timestamp,
    /// The convoys that landed, the first one first.
    pub landed: Vec<LandedConvoy>,
    /// The merged beads of each rig, the first one first.
    pub merged: BTreeMap<String, Vec<MergedBead>>,
    /// The numbers of each day, with a group per model.
    pub numbers: DailyNumbers,
    /// The time of all beads in each phase.
    pub phases: Vec<PhaseTotal>,
    /// The longest waits, the longest first.
    pub waits: Vec<LongWait>,
    /// The comparisons of models, by kind of work.
    pub comparisons: Vec<ComparedKind>,
    pub workers: Vec<CareerCard>,
    /// The matters that need a user now.
    pub needs: Vec<UserNeed>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LandedConvoy {
    pub id: String,
    pub title: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedBead {
    pub id: String,
    pub title: String,
    /// The worker that submitted it.
    pub worker: String,
    pub at: Timestamp,
}

/// A bead that waited.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LongWait {
    pub bead: String,
    pub title: String,
    pub phase: TimelinePhase,
    pub label: &'static str,
    pub seconds: f64,
    /// The reason of the longest part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Reads the report of the last days, today among them, in the days of a zone. `cache` has earlier readings of transcripts.
pub fn read_weekly_report(
    town: &LiveTown,
    days: usize,
    zone: &TimeZone,
    cache: &mut RequestCache,
) -> anyhow::Result<WeeklyReport> {
    let view = TownView::read(town)?;
    let now = view.now;
    let today = now.to_zoned(zone.clone()).start_of_day()?;
    let days_before = i64::try_from(days)?.saturating_sub(1);
    let from = today.checked_sub(days_before.days())?.timestamp();
    let choice = DailyChoice {
        days,
        metric: DailyMetric::Cost,
        by: Some(DailyGroup::Model),
    };
    let found = read_lanes_of_beads(town, &view.stores, &TimelineSubject::Town, Some(from))?;
    let query = |by| CareerQuery {
        since: from,
        ..CareerQuery::new(by, now)
    };
    let Landings { convoys, merged } = read_landings(town, &view.stores, from)?;
    Ok(WeeklyReport {
        town: read_town_name(&town.layout),
        from,
        to: now,
        landed: convoys,
        merged,
        numbers: read_daily_numbers(town, choice, cache)?,
        phases: sum_phases(&found.lanes),
        waits: list_longest_waits(&found.lanes),
        comparisons: read_careers(town, &query(CareerGroup::Model), cache)?.kinds,
        workers: read_careers(town, &query(CareerGroup::Worker), cache)?.cards,
        needs: list_needs(&view, &list_due_items(town, &view)),
    })
}

struct Landings {
    convoys: Vec<LandedConvoy>,
    merged: BTreeMap<String, Vec<MergedBead>>,
}

/// Reads the landed convoys and the merged beads from the events.
fn read_landings(
    town: &LiveTown,
    stores: &TownStores,
    from: Timestamp,
) -> anyhow::Result<Landings> {
    let title_of = |id: &str| {
        stores
            .get(id)
            .map_or_else(String::new, |bead| bead.title.clone())
    };
    let mut convoys = Vec::new();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut merged: BTreeMap<String, Vec<MergedBead>> = BTreeMap::new();
    for line in NewestEvents::new(&town.layout)?.since(Some(from)) {
        let line = line?;
        let Some(at) = line.ts.parse().ok().filter(|at: &Timestamp| *at >= from) else {
            continue;
        };
        let (rig, request, bead) = match line.to_event() {
            Event::ConvoyLanded { convoy, .. } => {
                convoys.push(LandedConvoy {
                    title: title_of(&convoy),
                    id: convoy,
                    at,
                });
                continue;
            }
            Event::Merged(result) => (result.request.rig, result.request.mr, result.request.bead),
            // A repair brought the work to the target.
            Event::MergedAlong(along) => (along.rig, along.mr, along.bead),
            _ => continue,
        };
        if seen.insert((rig.clone(), request.clone())) {
            let receipt = stores.get(&request).map(merge_request::receipt_of);
            merged.entry(rig).or_default().push(MergedBead {
                title: title_of(&bead),
                id: bead,
                worker: receipt.map_or_else(String::new, |receipt| receipt.worker),
                at,
            });
        }
    }
    convoys.reverse();
    for beads in merged.values_mut() {
        beads.reverse();
    }
    Ok(Landings { convoys, merged })
}

/// Returns the longest waits: for each bead and each reason to wait the whole time.
fn list_longest_waits(lanes: &[TimelineLane]) -> Vec<LongWait> {
    let mut waits: Vec<LongWait> = lanes
        .iter()
        .flat_map(|lane| {
            let phases = [
                TimelinePhase::WaitingForWorker,
                TimelinePhase::WaitingForUser,
                TimelinePhase::InQueue,
                TimelinePhase::Rework,
            ];
            phases.into_iter().map(|phase| measure_wait(lane, phase))
        })
        .filter(|wait| wait.seconds >= 60.0)
        .collect();
    waits.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    waits.truncate(MAX_WAITS);
    waits
}

fn measure_wait(lane: &TimelineLane, phase: TimelinePhase) -> LongWait {
    let parts: Vec<_> = lane
        .spans
        .iter()
        .filter(|part| part.span.phase == phase)
        .collect();
    let longest = parts
        .iter()
        .max_by(|a, b| a.span.seconds.total_cmp(&b.span.seconds));
    LongWait {
        bead: lane.id.clone(),
        title: lane.title.clone(),
        phase,
        label: phase.label(),
        seconds: parts.iter().map(|part| part.span.seconds).sum(),
        reason: longest.and_then(|part| part.span.detail.clone()),
    }
}
