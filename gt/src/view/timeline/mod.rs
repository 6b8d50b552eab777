//! The timeline of a bead, a convoy, an agent, a rig or the town: one lane per bead or worker, each
//! with its phases, and the phase that took the most time.

mod phase;

use std::collections::{BTreeMap, BTreeSet};

use bd::bead::{Bead, Stamp};
use bd::graph::layers;
use jiff::Timestamp;
use kit::ui::escape;
use serde::Serialize;

use crate::record::convoy;
use crate::town::Town;
use crate::town::beads::{TownStores, strip_external};
use crate::town::event::{self, EventLine, NewestEvents};
use crate::town::identity::Address;
use crate::view::target_strip::{TargetStrip, read_target_strips};

pub use phase::{
    BeadPhases, PhaseFacts, TimelineMark, TimelineMarkKind, TimelinePhase, TimelineSpan,
};

/// The maximum number of beads of a timeline: the beads of the newest events.
const MAX_BEADS: usize = 200;

/// The subject of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineSubject {
    Bead(String),
    /// A convoy's id.
    Convoy(String),
    Agent(Address),
    Rig(String),
    Town,
}

/// The kind of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    Bead,
    /// The sessions of a worker, whichever beads they are for.
    Worker,
    /// The work of a merge queue.
    Queue,
}

/// A line of a timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineLane {
    pub kind: LaneKind,
    /// The bead's id, the worker's address or the rig's name.
    pub id: String,
    pub title: String,
    /// Spans without overlap, oldest first.
    pub spans: Vec<LaneSpan>,
    /// Oldest first.
    pub marks: Vec<TimelineMark>,
}

/// A span of a lane with its bead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaneSpan {
    pub bead: String,
    #[serde(flatten)]
    pub span: TimelineSpan,
}

/// The time of all lanes of beads in a phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseTotal {
    pub phase: TimelinePhase,
    pub label: &'static str,
    pub seconds: f64,
}

/// The phase that took the most time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LongestPhase {
    pub phase: TimelinePhase,
    pub label: &'static str,
    pub seconds: f64,
    /// The part of the time of all phases.
    pub percent: u8,
    /// The bead with the most time in this phase.
    pub bead: String,
    pub bead_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    /// The id, address or name; `town` for the town.
    pub subject: String,
    pub title: String,
    pub from: Timestamp,
    pub to: Timestamp,
    pub lanes: Vec<TimelineLane>,
    /// The number of beads that are not shown because they are too many.
    pub hidden_beads: usize,
    /// The phases that occur, in the order of a bead's way.
    pub totals: Vec<PhaseTotal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<LongestPhase>,
    /// The last commits of the targets of a rig or of the town.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetStrip>,
}

/// Finds the bead, convoy, agent or rig with a name.
pub fn find_subject(town: &Town, name: &str) -> anyhow::Result<TimelineSubject> {
    let stores = town.read_stores()?;
    if let Some(bead) = stores.get(name).filter(|bead| !bead.is_tombstone()) {
        let id = bead.id.clone();
        return Ok(if convoy::is_convoy(bead) {
            TimelineSubject::Convoy(id)
        } else {
            TimelineSubject::Bead(id)
        });
    }
    if town.list_rigs()?.iter().any(|rig| rig.name() == name) {
        return Ok(TimelineSubject::Rig(name.to_owned()));
    }
    if town.has_agent(name) {
        return Ok(TimelineSubject::Agent(town.parse_agent(name)?));
    }
    if let Some(found) = convoy::find_by_title(&stores.town, name) {
        return Ok(TimelineSubject::Convoy(found.id.clone()));
    }
    // The error of a bead names similar ids.
    let found = town.find_bead(name)?;
    Ok(TimelineSubject::Bead(found.bead.id))
}

/// Reads the timeline of a subject. The one of a bead or a convoy covers its life, unless `since` is
/// given; the others begin at `since`.
pub fn read_timeline(
    town: &Town,
    subject: &TimelineSubject,
    since: Option<Timestamp>,
) -> anyhow::Result<Timeline> {
    let stores = town.read_stores()?;
    let now = town.clock.now();
    let BeadLanes {
        from,
        mut lanes,
        hidden_beads,
    } = read_lanes_of_beads(town, &stores, subject, since)?;
    let totals = sum_phases(&lanes);
    let longest = find_longest(&lanes, &totals);
    let lanes = match subject {
        TimelineSubject::Bead(_) | TimelineSubject::Convoy(_) => lanes,
        TimelineSubject::Agent(agent) => {
            let own = build_worker_lane(&agent.to_string(), &lanes);
            lanes.retain(|lane| lane.has_worker(&agent.to_string()));
            own.into_iter().chain(lanes).collect()
        }
        TimelineSubject::Rig(_) | TimelineSubject::Town => group_lanes(&stores, &lanes),
    };
    let targets = match subject {
        TimelineSubject::Rig(rig) => read_target_strips(&town.find_rig(rig)?)?,
        TimelineSubject::Town => {
            let mut targets = Vec::new();
            for rig in town.list_rigs()? {
                // A rig that cannot be read hides no other one; `gt status` reports it.
                targets.extend(read_target_strips(&rig).into_iter().flatten());
            }
            targets
        }
        _ => Vec::new(),
    };
    let (name, title) = describe_subject(subject, &stores);
    let to = match subject {
        TimelineSubject::Bead(_) | TimelineSubject::Convoy(_) => find_end(&lanes, now),
        TimelineSubject::Agent(_) | TimelineSubject::Rig(_) | TimelineSubject::Town => now,
    };
    Ok(Timeline {
        subject: name,
        title,
        from,
        to,
        lanes,
        hidden_beads,
        totals,
        longest,
        targets,
    })
}

/// The lanes of the beads of a timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct BeadLanes {
    pub from: Timestamp,
    pub lanes: Vec<TimelineLane>,
    /// The number of beads that are left out because they are too many.
    pub hidden_beads: usize,
}

/// Reads the lanes of the beads that a subject has or worked on.
pub fn read_lanes_of_beads(
    town: &Town,
    stores: &TownStores,
    subject: &TimelineSubject,
    since: Option<Timestamp>,
) -> anyhow::Result<BeadLanes> {
    let now = town.clock.now();
    let begin = since.unwrap_or(Timestamp::MIN);
    let (ids, hidden_beads) = match subject {
        TimelineSubject::Bead(id) => (vec![id.clone()], 0),
        TimelineSubject::Convoy(id) => (list_convoy_beads(stores, id), 0),
        TimelineSubject::Agent(_) | TimelineSubject::Rig(_) | TimelineSubject::Town => {
            cut_beads(list_active_beads(town, subject, begin)?)
        }
    };
    let mut lanes = read_bead_lanes(town, stores, &ids, now)?;
    let from = find_begin(&lanes, subject, stores, since, now);
    for lane in &mut lanes {
        lane.clip(from, now);
    }
    lanes.retain(|lane| !lane.spans.is_empty() || !lane.marks.is_empty());
    Ok(BeadLanes {
        from,
        lanes,
        hidden_beads,
    })
}

fn list_convoy_beads(stores: &TownStores, id: &str) -> Vec<String> {
    let Some(convoy) = stores.town.get(id) else {
        return Vec::new();
    };
    convoy::tracked_ids(convoy)
        .map(|id| strip_external(id).to_owned())
        .collect()
}

/// Lists the beads with an event since a time, the newest event first.
fn list_active_beads(
    town: &Town,
    subject: &TimelineSubject,
    since: Timestamp,
) -> anyhow::Result<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for line in NewestEvents::new(&town.layout)?.since(Some(since)) {
        let line = line?;
        let is_recent = line.ts.parse().is_ok_and(|at: Timestamp| at >= since);
        let Some(bead) = line.payload.get("bead").and_then(|bead| bead.as_str()) else {
            continue;
        };
        if is_recent && is_subject_named(subject, &line) && seen.insert(bead.to_owned()) {
            found.push(bead.to_owned());
        }
    }
    Ok(found)
}

fn is_subject_named(subject: &TimelineSubject, line: &EventLine) -> bool {
    let text_of = |key: &str| line.payload.get(key).and_then(|value| value.as_str());
    match subject {
        TimelineSubject::Agent(agent) => {
            let address = agent.to_string();
            let is_own_polecat = agent.rig() == text_of("rig")
                && agent.name().is_some()
                && agent.name() == text_of("polecat");
            is_own_polecat
                || line.actor == address
                || [text_of("worker"), text_of("target")].contains(&Some(&address))
        }
        TimelineSubject::Rig(rig) => {
            let is_in_rig = |text: &str| {
                text.strip_prefix(rig.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            [text_of("rig"), text_of("target"), Some(&line.actor)]
                .into_iter()
                .flatten()
                .any(is_in_rig)
        }
        TimelineSubject::Bead(_) | TimelineSubject::Convoy(_) | TimelineSubject::Town => true,
    }
}

/// Returns the first beads, and the number of the others.
fn cut_beads(mut beads: Vec<String>) -> (Vec<String>, usize) {
    let hidden = beads.len().saturating_sub(MAX_BEADS);
    beads.truncate(MAX_BEADS);
    (beads, hidden)
}

fn read_bead_lanes(
    town: &Town,
    stores: &TownStores,
    ids: &[String],
    now: Timestamp,
) -> anyhow::Result<Vec<TimelineLane>> {
    let wanted: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let mut events: BTreeMap<String, Vec<EventLine>> = BTreeMap::new();
    for line in event::read_events_with(&town.layout, "bead", &wanted)? {
        let bead = line.payload.get("bead").and_then(|bead| bead.as_str());
        if let Some(bead) = bead.map(str::to_owned) {
            events.entry(bead).or_default().push(line);
        }
    }
    let lanes = ids.iter().filter_map(|id| {
        let bead = stores.get(id)?;
        let own = events
            .remove(id)
            .into_iter()
            .flatten()
            .collect::<Vec<EventLine>>();
        let phases = BeadPhases::from_events(&own, &read_facts(stores, bead, now));
        Some(TimelineLane {
            kind: LaneKind::Bead,
            id: id.clone(),
            title: bead.title.clone(),
            spans: phases
                .spans
                .into_iter()
                .map(|span| LaneSpan {
                    bead: id.clone(),
                    span,
                })
                .collect(),
            marks: phases.marks,
        })
    });
    Ok(lanes.collect())
}

fn read_facts(stores: &TownStores, bead: &Bead, now: Timestamp) -> PhaseFacts {
    let blocked_until = layers::find_needs(bead, |_| true)
        .into_iter()
        .filter_map(|need| stores.get(strip_external(need)))
        .filter(|need| !need.is_internal())
        .map(|need| match &need.closed_at {
            Some(closed) if !need.is_open() => closed.instant(),
            _ if need.is_open() => now,
            _ => Timestamp::MIN,
        })
        .max();
    PhaseFacts {
        created: bead.created_at.instant(),
        closed: bead.closed_at.as_ref().map(Stamp::instant),
        blocked_until,
        now,
    }
}

impl TimelineLane {
    /// Removes all that is outside a range of time.
    fn clip(&mut self, from: Timestamp, to: Timestamp) {
        self.spans = self
            .spans
            .iter()
            .filter_map(|lane_span| {
                Some(LaneSpan {
                    bead: lane_span.bead.clone(),
                    span: lane_span.span.clip(from, to)?,
                })
            })
            .collect();
        // The times of events have whole seconds.
        let seconds = from.as_second()..=to.as_second();
        self.marks
            .retain(|mark| seconds.contains(&mark.at.as_second()));
    }

    fn has_worker(&self, address: &str) -> bool {
        let mut workers = self
            .spans
            .iter()
            .filter_map(|part| part.span.worker.as_deref());
        workers.any(|worker| worker == address)
    }

    /// Returns the time in a phase.
    fn seconds_in(&self, phase: TimelinePhase) -> f64 {
        let spans = self.spans.iter().filter(|part| part.span.phase == phase);
        spans.map(|part| part.span.seconds).sum()
    }
}

/// Returns the begin of a timeline: a convoy's creation, or else the begin of the first work, because
/// a bead may have waited long before it was slung. Nothing before the given time is shown.
fn find_begin(
    lanes: &[TimelineLane],
    subject: &TimelineSubject,
    stores: &TownStores,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Timestamp {
    let since = since.unwrap_or(Timestamp::MIN);
    if let TimelineSubject::Convoy(id) = subject
        && let Some(convoy) = stores.town.get(id)
    {
        return convoy.created_at.instant().max(since).min(now);
    }
    let spans = lanes
        .iter()
        .flat_map(|lane| &lane.spans)
        .filter(|part| part.span.to >= since);
    // The first phase has no event: no one had slung the bead.
    let slung = spans
        .clone()
        .filter(|part| part.span.event_at.is_some())
        .map(|part| part.span.from)
        .min();
    slung
        .or_else(|| spans.map(|part| part.span.from).min())
        .map_or(now, |begin| begin.max(since).min(now))
}

/// Returns the end of the last lane.
fn find_end(lanes: &[TimelineLane], now: Timestamp) -> Timestamp {
    let spans = lanes.iter().flat_map(|lane| &lane.spans);
    let marks = lanes.iter().flat_map(|lane| &lane.marks);
    spans
        .map(|part| part.span.to)
        .chain(marks.map(|mark| mark.at))
        .max()
        .unwrap_or(now)
}

/// Sums the time of each phase that occurs.
pub fn sum_phases(lanes: &[TimelineLane]) -> Vec<PhaseTotal> {
    TimelinePhase::ALL
        .into_iter()
        .map(|phase| PhaseTotal {
            phase,
            label: phase.label(),
            seconds: lanes.iter().map(|lane| lane.seconds_in(phase)).sum(),
        })
        .filter(|total| total.seconds > 0.0)
        .collect()
}

/// Returns the phase that took the most time. Several beads always wait for each other or for their
/// turn, so that these waits count for a single bead only.
fn find_longest(lanes: &[TimelineLane], totals: &[PhaseTotal]) -> Option<LongestPhase> {
    let is_counted = |total: &&PhaseTotal| match total.phase {
        TimelinePhase::NotSlung => false,
        TimelinePhase::Blocked => lanes.len() == 1,
        _ => true,
    };
    let whole: f64 = totals
        .iter()
        .filter(is_counted)
        .map(|total| total.seconds)
        .sum();
    let longest = totals
        .iter()
        .filter(is_counted)
        .max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let lane = lanes.iter().max_by(|a, b| {
        a.seconds_in(longest.phase)
            .total_cmp(&b.seconds_in(longest.phase))
    })?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a part of a whole is between 0 and 100 percent"
    )]
    let percent = (100.0 * longest.seconds / whole).round() as u8;
    Some(LongestPhase {
        phase: longest.phase,
        label: longest.label,
        seconds: longest.seconds,
        percent,
        bead: lane.id.clone(),
        bead_seconds: lane.seconds_in(longest.phase),
    })
}

/// Builds the lane of a worker from the lanes of beads. None if it had no session.
fn build_worker_lane(address: &str, beads: &[TimelineLane]) -> Option<TimelineLane> {
    let name = address.rsplit('/').next().unwrap_or(address).to_owned();
    build_joined_lane(LaneKind::Worker, address, name, beads, |part| {
        let is_session = matches!(
            part.span.phase,
            TimelinePhase::Working | TimelinePhase::Rework | TimelinePhase::WaitingForUser
        );
        is_session && part.span.worker.as_deref() == Some(address)
    })
}

/// Joins the selected spans of beads in one lane. Spans that overlap are cut, the later one wins.
fn build_joined_lane(
    kind: LaneKind,
    id: &str,
    title: String,
    beads: &[TimelineLane],
    is_selected: impl Fn(&LaneSpan) -> bool,
) -> Option<TimelineLane> {
    let mut spans: Vec<LaneSpan> = beads
        .iter()
        .flat_map(|lane| &lane.spans)
        .filter(|part| is_selected(part))
        .cloned()
        .collect();
    spans.sort_by_key(|part| part.span.from);
    let starts: Vec<Timestamp> = spans.iter().skip(1).map(|part| part.span.from).collect();
    for (part, next) in spans.iter_mut().zip(starts) {
        if let Some(cut) = part.span.clip(part.span.from, next) {
            part.span = cut;
        }
    }
    let mut marks: Vec<TimelineMark> = beads
        .iter()
        .filter(|lane| lane.spans.iter().any(&is_selected))
        .flat_map(|lane| &lane.marks)
        .filter(|mark| {
            let at = mark.at.as_second();
            spans
                .iter()
                .any(|part| (part.span.from.as_second()..=part.span.to.as_second()).contains(&at))
        })
        .cloned()
        .collect();
    marks.sort_by_key(|mark| mark.at);
    marks.dedup();
    (!spans.is_empty()).then(|| TimelineLane {
        kind,
        id: id.to_owned(),
        title,
        spans,
        marks,
    })
}

/// Groups the lanes of beads by worker, and adds the lane of each merge queue.
fn group_lanes(stores: &TownStores, beads: &[TimelineLane]) -> Vec<TimelineLane> {
    let workers: BTreeSet<&str> = beads
        .iter()
        .flat_map(|lane| &lane.spans)
        .filter_map(|part| part.span.worker.as_deref())
        .collect();
    let queues: BTreeSet<&str> = beads
        .iter()
        .filter_map(|lane| stores.rig_of(&lane.id))
        .collect();
    let workers = workers
        .into_iter()
        .filter_map(|address| build_worker_lane(address, beads));
    let queues = queues.into_iter().filter_map(|rig| {
        let title = format!("merge queue of {rig}");
        build_joined_lane(LaneKind::Queue, rig, title, beads, |part| {
            let is_merging = matches!(
                part.span.phase,
                TimelinePhase::Gate | TimelinePhase::Merging
            );
            is_merging && stores.rig_of(&part.bead) == Some(rig)
        })
    });
    workers.chain(queues).collect()
}

fn describe_subject(subject: &TimelineSubject, stores: &TownStores) -> (String, String) {
    match subject {
        TimelineSubject::Bead(id) | TimelineSubject::Convoy(id) => {
            let title = stores.get(id).map_or("", |bead| &bead.title);
            (id.clone(), escape::escape_line(title))
        }
        TimelineSubject::Agent(agent) => (agent.to_string(), String::new()),
        TimelineSubject::Rig(rig) => (rig.clone(), String::new()),
        TimelineSubject::Town => ("town".to_owned(), String::new()),
    }
}
