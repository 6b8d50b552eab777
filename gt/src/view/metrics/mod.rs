//! Reads the numbers of the town, and formats them in the text format of Prometheus, version 0.0.4,
//! and for OpenTelemetry (`otlp`).
//!
//! The numbers are those of `gt status`, `gt ready`, `gt mq stats` and `gt costs`. Numbers of today
//! begin at midnight in the local time zone, so that a reading takes no longer in an old town.
//! Counters begin at 0 then, too, which Prometheus takes for a restart of the counter.

mod otlp;

use std::collections::BTreeMap;
use std::fmt;

use bd::store::TimeField;
use jiff::Timestamp;
use kit::sys::env::local_time_zone;
use serde::Serialize;

use super::costs::{self, CostGroup, CostReport};
use super::merge_stats::{CountedRequests, MergeStats, read_merge_stats};
use super::need::{UserNeedKind, list_needs};
use super::ready::read_ready_work;
use super::status::{self, TownStatus};
use crate::flow::agent::seance::usage::RequestCache;
use crate::host::LiveTown;
use crate::record::budget::BudgetKind;
use crate::record::polecat::PolecatState;
use crate::record::town_view::TownView;
use crate::town::Town;
use crate::town::event::{Event, NewestEvents};

/// The content type of the text.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The value of the label `rig` for agents and beads of the town itself.
const TOWN_LABEL: &str = "town";

/// The numbers of the town. The text form is that of Prometheus.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct TownMetrics {
    families: Vec<MetricFamily>,
    /// The name of the town.
    #[serde(skip)]
    town: String,
    /// The last midnight, since which counters count.
    #[serde(skip)]
    since: Timestamp,
    #[serde(skip)]
    at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum MetricKind {
    Gauge,
    Counter,
}

/// The numbers of one name.
#[derive(Debug, Serialize)]
struct MetricFamily {
    name: &'static str,
    kind: MetricKind,
    help: &'static str,
    samples: Vec<MetricSample>,
}

#[derive(Debug, Serialize)]
struct MetricSample {
    labels: BTreeMap<&'static str, String>,
    value: f64,
}

impl MetricSample {
    fn new<const N: usize>(labels: [(&'static str, &str); N], value: f64) -> Self {
        let labels = labels.map(|(name, value)| (name, value.to_owned()));
        Self {
            labels: labels.into_iter().collect(),
            value,
        }
    }
}

/// A number whose value may fall.
fn gauge(
    name: &'static str,
    help: &'static str,
    samples: impl IntoIterator<Item = MetricSample>,
) -> MetricFamily {
    MetricFamily {
        name,
        kind: MetricKind::Gauge,
        help,
        samples: samples.into_iter().collect(),
    }
}

/// A number that only grows, until it begins again.
fn counter(
    name: &'static str,
    help: &'static str,
    samples: impl IntoIterator<Item = MetricSample>,
) -> MetricFamily {
    MetricFamily {
        kind: MetricKind::Counter,
        ..gauge(name, help, samples)
    }
}

/// Converts a count to a value.
fn number(count: impl TryInto<u64>) -> f64 {
    let count = count.try_into().unwrap_or(u64::MAX);
    #[expect(
        clippy::cast_precision_loss,
        reason = "only counts beyond 2^53 lose digits"
    )]
    let value = count as f64;
    value
}

/// Returns the last midnight in the local time zone.
fn start_of_today(town: &Town) -> anyhow::Result<Timestamp> {
    let now = town.clock.now().to_zoned(local_time_zone());
    Ok(now.start_of_day()?.timestamp())
}

/// Reads today's costs, which [`read_metrics`] needs. Transcripts are long, so a caller that
/// prints often keeps the report for a while.
pub fn read_costs_by_rig(town: &LiveTown, cache: &mut RequestCache) -> anyhow::Result<CostReport> {
    let midnight = start_of_today(town)?;
    let zone = local_time_zone();
    costs::read_costs(town, Some(midnight), CostGroup::Rig, &zone, cache)
}

/// Reads the numbers of the town.
pub fn read_metrics(town: &LiveTown, costs: &CostReport) -> anyhow::Result<TownMetrics> {
    let midnight = start_of_today(town)?;
    let view = TownView::read(town)?;
    let mut status = status::build_status(town, &view)?;
    let stats: Vec<(String, Option<MergeStats>)> = status
        .rigs
        .iter()
        .map(|rig| {
            let read = read_merge_stats(&town.rig(&rig.name), midnight, CountedRequests::Kept);
            let is_readable = view.stores.rigs.contains_key(&rig.name);
            (rig.name.clone(), read.ok().filter(|_| is_readable))
        })
        .collect();
    let mut families = list_town_families(&status, &stats);
    // A rig with unreadable beads or settings has no other numbers than 0 in gastown_rig_up: others
    // would end alerts.
    status.rigs.retain(|rig| {
        stats
            .iter()
            .filter(|(_, stats)| stats.is_some())
            .any(|(name, _)| *name == rig.name)
    });
    families.extend(list_bead_families(town, &view, &status, midnight)?);
    families.extend(list_agent_families(&view, &status));
    families.extend(list_queue_families(&status, &stats));
    families.extend(list_event_families(town, midnight)?);
    families.extend(list_need_families(&view, &status));
    families.extend(list_cost_families(costs, &stats));
    Ok(TownMetrics {
        families,
        town: status.name,
        since: midnight,
        at: town.clock.now(),
    })
}

fn list_town_families(
    status: &TownStatus,
    stats: &[(String, Option<MergeStats>)],
) -> Vec<MetricFamily> {
    vec![
        gauge(
            "gastown_info",
            "The version of Gas Town.",
            [MetricSample::new(
                [("version", env!("CARGO_PKG_VERSION"))],
                1.0,
            )],
        ),
        gauge(
            "gastown_daemon_up",
            "1 if the daemon runs and can do everything.",
            [MetricSample::new(
                [],
                f64::from(status.daemon.running && status.daemon.degraded.is_none()),
            )],
        ),
        gauge(
            "gastown_rig_up",
            "1 if beads and settings of the rig can be read.",
            stats
                .iter()
                .map(|(rig, read)| MetricSample::new([("rig", rig)], f64::from(read.is_some()))),
        ),
        gauge(
            "gastown_rig_held",
            "1 if nothing is started in the rig: it is parked, docked, or the town is stopped.",
            status
                .rigs
                .iter()
                .map(|rig| MetricSample::new([("rig", &*rig.name)], f64::from(rig.held.is_some()))),
        ),
        gauge(
            "gastown_convoys_open",
            "Open convoys.",
            [MetricSample::new([], number(status.convoys.len()))],
        ),
    ]
}

fn list_bead_families(
    town: &Town,
    view: &TownView,
    status: &TownStatus,
    midnight: Timestamp,
) -> anyhow::Result<Vec<MetricFamily>> {
    let mut open = Vec::new();
    let mut closed = Vec::new();
    for (rig, beads) in &view.stores.rigs {
        let mut open_count = 0_usize;
        let mut closed_count = 0_usize;
        for bead in beads.bead_refs() {
            if bead.is_internal() || bead.is_ephemeral() || bead.is_tombstone() {
                continue;
            }
            if bead.is_open() {
                open_count += 1;
            } else if bead
                .time(TimeField::Closed)
                .is_some_and(|at| at >= midnight)
            {
                closed_count += 1;
            }
        }
        open.push(MetricSample::new([("rig", rig)], number(open_count)));
        closed.push(MetricSample::new([("rig", rig)], number(closed_count)));
    }
    let ready = read_ready_work(town, None)?;
    Ok(vec![
        gauge("gastown_beads_open", "Open work beads, by rig.", open),
        gauge(
            "gastown_beads_ready",
            "Open beads that nothing blocks, by rig; the town's own have rig=\"town\".",
            ready
                .sources
                .iter()
                .filter(|source| source.error.is_none())
                .map(|source| {
                    MetricSample::new([("rig", &source.name)], number(source.beads.len()))
                }),
        ),
        gauge(
            "gastown_beads_queued",
            "Beads that wait for a worker, by rig.",
            status
                .rigs
                .iter()
                .map(|rig| MetricSample::new([("rig", &rig.name)], number(rig.queued.len()))),
        ),
        gauge(
            "gastown_beads_closed_today",
            "Work beads that were closed since midnight, by rig.",
            closed,
        ),
    ])
}

fn list_agent_families(view: &TownView, status: &TownStatus) -> Vec<MetricFamily> {
    let mut running: BTreeMap<&str, u64> = BTreeMap::new();
    for agent in status.all_agents() {
        *running.entry(agent.role).or_default() += u64::from(agent.running == Some(true));
    }
    let mut workers = Vec::new();
    let mut stuck = Vec::new();
    for rig in &status.rigs {
        for (state, name) in [
            (PolecatState::Working, "working"),
            (PolecatState::Idle, "idle"),
            (PolecatState::Stalled, "stalled"),
            (PolecatState::Zombie, "zombie"),
        ] {
            // Workers on this machine have no label of a host.
            let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::from([(None, 0)]);
            for agent in &rig.agents {
                if agent.state == Some(state) {
                    *counts.entry(agent.host.as_deref()).or_default() += 1;
                }
            }
            for (host, count) in counts {
                let labels = [("rig", rig.name.as_str()), ("state", name)];
                let mut sample = MetricSample::new(labels, number(count));
                let host = host.map(|host| ("host", host.to_owned()));
                sample.labels.extend(host);
                workers.push(sample);
            }
        }
        let stuck_count = view
            .polecats_of(&rig.name)
            .iter()
            .filter(|polecat| polecat.slot.state.stuck_reason().is_some())
            .count();
        stuck.push(MetricSample::new([("rig", &rig.name)], number(stuck_count)));
    }
    vec![
        gauge(
            "gastown_sessions_running",
            "Sessions of agents that run, by role.",
            running
                .iter()
                .map(|(role, count)| MetricSample::new([("role", role)], number(*count))),
        ),
        gauge(
            "gastown_workers",
            "Polecats, by rig, state (working, idle, stalled, zombie) and other machine.",
            workers,
        ),
        gauge(
            "gastown_workers_stuck",
            "Polecats that the daemon does not restart any more, by rig.",
            stuck,
        ),
    ]
}

fn list_queue_families(
    status: &TownStatus,
    stats: &[(String, Option<MergeStats>)],
) -> Vec<MetricFamily> {
    let mut requests = Vec::new();
    for rig in &status.rigs {
        for (state, count) in [
            ("ready", rig.mq.pending),
            ("blocked", rig.mq.blocked),
            ("needs_person", rig.mq.needs_person),
        ] {
            let labels = [("rig", rig.name.as_str()), ("state", state)];
            requests.push(MetricSample::new(labels, number(count)));
        }
    }
    let mut oldest = Vec::new();
    let mut merged = Vec::new();
    let mut withdrawn = Vec::new();
    let mut waits = Vec::new();
    let mut gates = Vec::new();
    for (rig, stats) in stats {
        let Some(stats) = stats else {
            continue;
        };
        let oldest_seconds = stats
            .waiting
            .iter()
            .map(|waiting| waiting.oldest_seconds)
            .fold(0.0, f64::max);
        oldest.push(MetricSample::new([("rig", rig)], oldest_seconds));
        merged.push(MetricSample::new([("rig", rig)], number(stats.merged)));
        withdrawn.push(MetricSample::new([("rig", rig)], number(stats.withdrawn)));
        if let Some(wait) = stats.wait_seconds {
            for (percentile, value) in [("50", wait.p50), ("95", wait.p95)] {
                let labels = [("rig", rig.as_str()), ("percentile", percentile)];
                waits.push(MetricSample::new(labels, value));
            }
        }
        for gate in &stats.gates {
            for (outcome, count) in [("passed", gate.runs - gate.failed), ("failed", gate.failed)] {
                let labels = [
                    ("rig", rig.as_str()),
                    ("gate", &*gate.gate),
                    ("outcome", outcome),
                ];
                gates.push(MetricSample::new(labels, number(count)));
            }
        }
    }
    vec![
        gauge(
            "gastown_merge_queue_requests",
            "Open merge requests, by rig and state: ready, blocked by a task, needs_person.",
            requests,
        ),
        gauge(
            "gastown_merge_queue_oldest_seconds",
            "The age of the oldest open merge request, by rig; 0 without one.",
            oldest,
        ),
        gauge(
            "gastown_merges_today",
            "Requests that were merged since midnight, by rig.",
            merged,
        ),
        gauge(
            "gastown_merges_withdrawn_today",
            "Requests that were closed without a merge since midnight, by rig.",
            withdrawn,
        ),
        gauge(
            "gastown_merge_wait_seconds",
            "The time from submission to merge of the requests merged since midnight, by rig and percentile.",
            waits,
        ),
        counter(
            "gastown_gate_runs_total",
            "Runs of gates since midnight, by rig, gate and outcome: passed, failed.",
            gates,
        ),
    ]
}

/// Counts what only events record.
fn list_event_families(town: &Town, midnight: Timestamp) -> anyhow::Result<Vec<MetricFamily>> {
    let mut restarts: BTreeMap<(String, &str), u64> = BTreeMap::new();
    let mut raised: BTreeMap<String, u64> = BTreeMap::new();
    for rig in town.list_rigs()? {
        for cause in ["ended", "handoff"] {
            restarts.insert((rig.name().to_owned(), cause), 0);
        }
    }
    for line in NewestEvents::new(&town.layout)?.since(Some(midnight)) {
        let line = line?;
        let at: Option<Timestamp> = line.ts.parse().ok();
        if !matches!(line.kind.as_str(), "respawn" | "escalation_sent")
            || at.is_none_or(|at| at < midnight)
        {
            continue;
        }
        match line.to_event() {
            Event::Respawn {
                rig, handed_over, ..
            } => {
                let cause = if handed_over { "handoff" } else { "ended" };
                *restarts.entry((rig, cause)).or_default() += 1;
            }
            // An escalation that is repeated or raised is no new one.
            Event::EscalationSent(sent)
                if sent.reescalated != Some(true) && sent.occurrences.is_none_or(|n| n < 2) =>
            {
                *raised.entry(sent.severity).or_default() += 1;
            }
            _ => {}
        }
    }
    Ok(vec![
        counter(
            "gastown_restarts_total",
            "Restarted sessions of workers since midnight, by rig and cause: ended, handoff.",
            restarts.iter().map(|((rig, cause), count)| {
                MetricSample::new([("rig", rig.as_str()), ("cause", cause)], number(*count))
            }),
        ),
        counter(
            "gastown_escalations_raised_total",
            "Escalations that were sent since midnight, by severity.",
            raised.iter().map(|(severity, count)| {
                MetricSample::new([("severity", severity.as_str())], number(*count))
            }),
        ),
    ])
}

fn list_need_families(view: &TownView, status: &TownStatus) -> Vec<MetricFamily> {
    let mut open: BTreeMap<&str, u64> = BTreeMap::new();
    for escalation in &status.escalations {
        *open.entry(escalation.severity.name()).or_default() += 1;
    }
    let needs = list_needs(view, &status.items);
    let kinds = [
        (UserNeedKind::Question, "question"),
        (UserNeedKind::Stuck, "stuck"),
        (UserNeedKind::GaveUp, "gave_up"),
        (UserNeedKind::Failing, "failing"),
        (UserNeedKind::NeedsPerson, "needs_person"),
    ];
    vec![
        gauge(
            "gastown_escalations_open",
            "Open escalations, by severity.",
            open.iter().map(|(severity, count)| {
                MetricSample::new([("severity", severity)], number(*count))
            }),
        ),
        gauge(
            "gastown_needs_user",
            "Matters that only the user can resolve, by kind: question, stuck, gave_up, failing, needs_person.",
            kinds.map(|(kind, name)| {
                let count = needs.iter().filter(|need| need.kind == kind).count();
                MetricSample::new([("kind", name)], number(count))
            }),
        ),
        gauge(
            "gastown_problems",
            "Problems at the top of gt status.",
            [MetricSample::new([], number(status.problems.len()))],
        ),
    ]
}

fn list_cost_families(
    costs: &CostReport,
    stats: &[(String, Option<MergeStats>)],
) -> Vec<MetricFamily> {
    let mut dollars = Vec::new();
    let mut tokens = Vec::new();
    let mut unpriced = Vec::new();
    for row in &costs.rows {
        let rig = match row.key.as_str() {
            "" => TOWN_LABEL,
            rig => rig,
        };
        dollars.push(MetricSample::new([("rig", rig)], row.sum.cost_usd));
        unpriced.push(MetricSample::new(
            [("rig", rig)],
            number(row.sum.unpriced_tokens),
        ));
        let counts = &row.sum.tokens;
        for (kind, count) in [
            ("input", counts.input),
            ("cache_read", counts.cache_read),
            ("cache_write", counts.cache_write + counts.cache_write_1h),
            ("output", counts.output),
        ] {
            let labels = [("rig", rig), ("kind", kind)];
            tokens.push(MetricSample::new(labels, number(count)));
        }
    }
    let merged: usize = stats
        .iter()
        .filter_map(|(_, stats)| stats.as_ref())
        .map(|stats| stats.merged)
        .sum();
    let per_merge = (merged > 0).then(|| costs.total_usd / number(merged));
    vec![
        gauge(
            "gastown_cost_today_dollars",
            "The costs of the requests to models since midnight, by rig, as far as the models have a price.",
            dollars,
        ),
        gauge(
            "gastown_cost_last_hour_dollars",
            "The costs of the requests to models of the last hour.",
            [MetricSample::new([], costs.last_hour_usd)],
        ),
        gauge(
            "gastown_cost_per_merged_bead_dollars",
            "Today's costs, divided by the requests merged today; missing before the first merge.",
            per_merge.map(|value| MetricSample::new([], value)),
        ),
        gauge(
            "gastown_tokens_today",
            "Tokens since midnight, by rig and kind: input, cache_read, cache_write, output.",
            tokens,
        ),
        gauge(
            "gastown_tokens_unpriced_today",
            "Tokens since midnight of models without a price, by rig.",
            unpriced,
        ),
        gauge(
            "gastown_budget_used_ratio",
            "The used part of each budget: 1 if it is spent.",
            costs.budgets.iter().map(|budget| {
                let mut subject = budget.describe_subject();
                if budget.kind == BudgetKind::ConvoyBand {
                    subject.push_str(" band");
                }
                MetricSample::new([("budget", &*subject)], budget.spent_usd / budget.limit_usd)
            }),
        ),
    ]
}

impl fmt::Display for TownMetrics {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.families.iter().try_for_each(|family| family.fmt(f))
    }
}

impl fmt::Display for MetricFamily {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { name, help, .. } = self;
        let kind = match self.kind {
            MetricKind::Gauge => "gauge",
            MetricKind::Counter => "counter",
        };
        write!(f, "# HELP {name} {help}\n# TYPE {name} {kind}\n")?;
        for sample in &self.samples {
            let labels: Vec<String> = sample
                .labels
                .iter()
                .map(|(label, value)| format!("{label}=\"{}\"", escape_label(value)))
                .collect();
            let labels = match labels.as_slice() {
                [] => String::new(),
                labels => format!("{{{}}}", labels.join(",")),
            };
            writeln!(f, "{name}{labels} {}", sample.value)?;
        }
        Ok(())
    }
}

/// Escapes the value of a label.
fn escape_label(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_labels_are_escaped() {
        let family = counter(
            "gastown_gate_runs_total",
            "Runs.",
            [
                MetricSample::new([("gate", "a\"b\\c\nd"), ("outcome", "failed")], 2.0),
                MetricSample::new([], 0.25),
            ],
        );
        let expected = "\
# HELP gastown_gate_runs_total Runs.
# TYPE gastown_gate_runs_total counter
gastown_gate_runs_total{gate=\"a\\\"b\\\\c\\nd\",outcome=\"failed\"} 2
gastown_gate_runs_total 0.25
";
        assert_eq!(family.to_string(), expected);
    }
}
