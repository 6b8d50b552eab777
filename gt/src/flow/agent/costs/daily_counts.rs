//! Counts the merges, waits, red gates and restarts of each day in the events of the town.
//!
//! A merge counts if its request has the commit by which it was merged, because every process of the
//! user can append a line to the file of events. The first start and the first merge of a request
//! count, also if the queue begins with the request again on a later day.

use std::collections::{BTreeMap, BTreeSet};

use bd::bead::Bead;
use bd::store::Snapshot;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::daily_file::DailyCounts;
use super::day_spans::DaySpans;
use crate::record::{merge_request, polecat};
use crate::town::event::{Event, NewestEvents, read_events_with};
use crate::town::{Town, TownLayout};

/// The model of work whose model is unknown.
const UNKNOWN_MODEL: &str = "unknown";
/// The kinds of events that count.
const COUNTED_EVENTS: [&str; 5] = ["merged", "merged_along", "merge_started", "gate", "respawn"];

/// Counts the events since a time, by day, rig and model. `models` has the last model of each bead
/// that is known from transcripts.
pub(super) fn count_events(
    town: &Town,
    since: Timestamp,
    spans: &DaySpans,
    models: &BTreeMap<String, String>,
) -> anyhow::Result<BTreeMap<Date, Vec<DailyCounts>>> {
    let mut counter = EventCounter {
        layout: &town.layout,
        spans,
        models,
        beads: town.read_stores()?.rigs,
        counts: BTreeMap::new(),
    };
    let mut steps = FirstSteps::default();
    let events = NewestEvents::new(&town.layout)?
        .since(Some(since))
        .of_kinds(&COUNTED_EVENTS);
    for line in events {
        let line = line?;
        let Ok(at) = line.ts.parse::<Timestamp>() else {
            continue;
        };
        match line.to_event() {
            event @ (Event::MergeStarted(_) | Event::Merged(_) | Event::MergedAlong(_)) => {
                steps.add(event, at);
            }
            _ if at < since => {}
            Event::Gate {
                passed: false,
                request,
                ..
            } if !request.is_search() => {
                let model = counter.model_of_request(&request.rig, &request.mr, &request.bead);
                if let Some(counts) = counter.counts_at(at, &request.rig, &model) {
                    counts.red_gates += 1;
                }
            }
            Event::Respawn { rig, bead, .. } => {
                let model = counter.model_of_bead(&bead);
                if let Some(counts) = counter.counts_at(at, &rig, &model) {
                    counts.restarts += 1;
                }
            }
            _ => {}
        }
    }
    steps.add_earlier(&counter, since)?;
    for ((rig, request), at) in steps.started {
        if at >= since {
            counter.add_wait(at, &rig, &request);
        }
    }
    for ((rig, request), at) in steps.merged {
        if at >= since {
            counter.add_merge(at, &rig, &request);
        }
    }
    let mut days: BTreeMap<Date, Vec<DailyCounts>> = BTreeMap::new();
    for ((day, ..), counts) in counter.counts {
        days.entry(day).or_default().push(counts);
    }
    Ok(days)
}

/// The times of the first start and the first merge of requests, by rig and request.
#[derive(Default)]
struct FirstSteps {
    started: BTreeMap<(String, String), Timestamp>,
    merged: BTreeMap<(String, String), Timestamp>,
}

impl FirstSteps {
    fn add(&mut self, event: Event, at: Timestamp) {
        let (times, rig, request) = match event {
            Event::MergeStarted(request) => (&mut self.started, request.rig, request.mr),
            Event::Merged(result) => (&mut self.merged, result.request.rig, result.request.mr),
            // A repair brought the work to the target.
            Event::MergedAlong(along) => (&mut self.merged, along.rig, along.mr),
            _ => return,
        };
        let first = times.entry((rig, request)).or_insert(at);
        *first = at.min(*first);
    }

    /// Adds the earlier steps of the requests that were submitted before a time. The queue may
    /// begin with a request again on a later day.
    fn add_earlier(&mut self, counter: &EventCounter, since: Timestamp) -> anyhow::Result<()> {
        let requests: BTreeSet<(String, String)> = self
            .started
            .keys()
            .chain(self.merged.keys())
            .cloned()
            .collect();
        let ids: BTreeSet<&str> = requests
            .iter()
            .filter(|(rig, id)| {
                let request = counter.find_request(rig, id);
                request.is_some_and(|request| request.created_at.instant() < since)
            })
            .map(|(_, id)| id.as_str())
            .collect();
        if ids.is_empty() {
            return Ok(());
        }
        for line in read_events_with(counter.layout, "mr", &ids)? {
            if let Ok(at) = line.ts.parse() {
                self.add(line.to_event(), at);
            }
        }
        Ok(())
    }
}

struct EventCounter<'a> {
    layout: &'a TownLayout,
    spans: &'a DaySpans,
    models: &'a BTreeMap<String, String>,
    beads: BTreeMap<String, Snapshot>,
    counts: BTreeMap<(Date, String, String), DailyCounts>,
}

impl EventCounter<'_> {
    /// Returns the counts of the day of a time. None if the day is not read.
    fn counts_at(&mut self, at: Timestamp, rig: &str, model: &str) -> Option<&mut DailyCounts> {
        let day = self.spans.find_day(at)?;
        let key = (day, rig.to_owned(), model.to_owned());
        let counts = self.counts.entry(key).or_insert_with(|| DailyCounts {
            rig: rig.to_owned(),
            model: model.to_owned(),
            ..DailyCounts::default()
        });
        Some(counts)
    }

    fn add_merge(&mut self, at: Timestamp, rig: &str, id: &str) {
        let Some(request) = self.find_request(rig, id) else {
            return;
        };
        if merge_request::merge_commit_of(&request).is_some() {
            let bead = merge_request::source_bead_of(&request);
            let model = self.model_of_request(rig, id, &bead);
            if let Some(counts) = self.counts_at(at, rig, &model) {
                counts.merges += 1;
            }
        }
    }

    fn add_wait(&mut self, at: Timestamp, rig: &str, id: &str) {
        let Some(request) = self.find_request(rig, id) else {
            return;
        };
        let wait = at.duration_since(request.created_at.instant());
        let bead = merge_request::source_bead_of(&request);
        let model = self.model_of_request(rig, id, &bead);
        if let Some(counts) = self.counts_at(at, rig, &model) {
            counts.waits += 1;
            counts.wait_seconds += wait.max(SignedDuration::ZERO).as_secs_f64();
        }
    }

    /// Returns a merge request of a rig, also one in its archive.
    fn find_request(&self, rig: &str, id: &str) -> Option<Bead> {
        let beads = self.beads.get(rig)?;
        let request = match beads.get_live(id) {
            Some(request) => request.clone(),
            None => beads.archive().get(id)?,
        };
        merge_request::is_merge_request(&request).then_some(request)
    }

    /// Returns the model in the record of the worker that handed in a request.
    fn model_of_request(&self, rig: &str, id: &str, bead: &str) -> String {
        let recorded = self.beads.get(rig).and_then(|beads| {
            let request = self.find_request(rig, id)?;
            polecat::completion_of_request(beads, &request)?.model
        });
        recorded.unwrap_or_else(|| self.model_of_bead(bead))
    }

    fn model_of_bead(&self, bead: &str) -> String {
        let known = self.models.get(bead).map(String::as_str);
        known.unwrap_or(UNKNOWN_MODEL).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use bd::bead::{Kind, Stamp};
    use jiff::ToSpan;
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::testing::TestTown;
    use crate::town::event::{MergeRef, MergeResultEvent, MergedAlong, event};

    fn request(id: &str, bead: &str, commit: Option<&str>, created_at: Timestamp) -> Bead {
        let commit = commit.map_or(String::new(), |commit| format!("\nmerge_commit: {commit}"));
        Bead {
            id: id.to_owned(),
            title: "Merge".to_owned(),
            issue_type: Kind::Task,
            labels: vec!["gt:merge-request".to_owned()],
            description: format!("source_issue: {bead}{commit}"),
            created_at: Stamp::from(created_at),
            updated_at: Stamp::from(created_at),
            ..Bead::default()
        }
    }

    /// The days from some days ago up to tomorrow.
    fn recent_days(now: Timestamp, count: i64) -> DaySpans {
        let today = now.to_zoned(TimeZone::UTC).date();
        let days = today.saturating_sub(count.days())..=today.tomorrow().unwrap();
        DaySpans::new(BTreeMap::new(), &days, &TimeZone::UTC).unwrap()
    }

    #[test]
    fn proven_merges_waits_red_gates_and_restarts_are_counted() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let town = &place.town;
        let rig = town.rig("web");
        let now = town.clock.now();
        let submitted = now - SignedDuration::from_secs(90);
        let store = rig.store().unwrap();
        rig.transact(&store, |tx| -> anyhow::Result<()> {
            tx.put(request("web-mr-1", "web-a", Some("c0ffee"), submitted))?;
            tx.put(request("web-mr-2", "web-b", None, submitted))?;
            tx.put(request("web-mr-4", "web-d", Some("c0ffee"), submitted))?;
            Ok(())
        })
        .unwrap();
        let merge_ref = |mr: &str, bead: &str| MergeRef {
            mr: mr.to_owned(),
            rig: "web".to_owned(),
            bead: bead.to_owned(),
            ..MergeRef::default()
        };
        let merged = |mr: &str, bead: &str| {
            let outcome = json!({ "outcome": "merged" });
            Event::Merged(MergeResultEvent {
                request: merge_ref(mr, bead),
                outcome: crate::town::event::json_fields(&outcome),
            })
        };
        let gate = |mr: &str, passed: bool| {
            let gate = json!({ "gate": "test", "passed": passed, "commit": "c", "seconds": 1.0,
                "mr": mr, "rig": "web", "bead": "web-a", "worker": "", "branch": "" });
            let line = json!({ "ts": "", "type": "gate", "payload": gate });
            let line: crate::town::event::EventLine = serde_json::from_value(line).unwrap();
            line.to_event()
        };
        for event in [
            Event::MergeStarted(merge_ref("web-mr-1", "web-a")),
            gate("web-mr-1", false),
            // A search for the commit that broke the target.
            gate("bisect-0123456789ab", false),
            Event::MergeStarted(merge_ref("web-mr-1", "web-a")),
            gate("web-mr-1", true),
            merged("web-mr-1", "web-a"),
            // The same merge twice, one without a proof, and one of a request that does not exist.
            merged("web-mr-1", "web-a"),
            merged("web-mr-2", "web-b"),
            merged("web-mr-3", "web-c"),
            Event::MergedAlong(MergedAlong {
                mr: "web-mr-4".to_owned(),
                rig: "web".to_owned(),
                bead: "web-d".to_owned(),
                ..MergedAlong::default()
            }),
            event!(Respawn,
                rig: "web", polecat: "nux", bead: "web-b", lease: 2_u64, handed_over: false,
                snapshot: None,
            ),
        ] {
            town.record_event(&event);
        }
        let models = BTreeMap::from([("web-a".to_owned(), "model-a".to_owned())]);
        let spans = recent_days(now, 1);
        let since = now - SignedDuration::from_hours(1);
        let days = count_events(town, since, &spans, &models).unwrap();
        let mut counts = days.into_values().next().unwrap();
        // The clock of the town runs, and events have whole seconds.
        let waited = std::mem::take(&mut counts[0].wait_seconds);
        assert!((80.0..=120.0).contains(&waited), "{waited}");
        let of_a = DailyCounts {
            rig: "web".to_owned(),
            model: "model-a".to_owned(),
            merges: 1,
            waits: 1,
            wait_seconds: 0.0,
            red_gates: 1,
            restarts: 0,
        };
        let unknown = DailyCounts {
            rig: "web".to_owned(),
            model: UNKNOWN_MODEL.to_owned(),
            merges: 1,
            restarts: 1,
            ..DailyCounts::default()
        };
        assert_eq!(counts, [of_a, unknown]);
        let later = now + SignedDuration::from_hours(1);
        assert!(
            count_events(town, later, &spans, &models)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn a_request_that_begins_again_on_a_later_day_is_counted_once() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let town = &place.town;
        let rig = town.rig("web");
        let now = town.clock.now();
        let days_ago = |days: i64| now - SignedDuration::from_hours(24 * days);
        let store = rig.store().unwrap();
        rig.transact(&store, |tx| -> anyhow::Result<()> {
            for id in ["web-mr-1", "web-mr-2"] {
                tx.put(request(id, "web-a", Some("c0ffee"), days_ago(9)))?;
            }
            Ok(())
        })
        .unwrap();
        let line = |at: Timestamp, kind: &str, mr: &str| {
            json!({ "ts": at, "type": kind, "payload": {
                "mr": mr, "rig": "web", "bead": "web-a", "worker": "", "branch": "" } })
            .to_string()
        };
        let lines = [
            line(days_ago(8), "merge_started", "web-mr-1"),
            line(days_ago(8), "merged", "web-mr-1"),
            line(days_ago(2), "merge_started", "web-mr-1"),
            line(days_ago(2), "merged", "web-mr-1"),
            // The first start of a request that has waited for long.
            line(days_ago(2), "merge_started", "web-mr-2"),
        ];
        std::fs::create_dir_all(town.layout.events().parent().unwrap()).unwrap();
        std::fs::write(town.layout.events(), lines.join("\n") + "\n").unwrap();
        let count = |days: i64| {
            let spans = recent_days(now, days);
            let days = count_events(town, days_ago(days), &spans, &BTreeMap::new());
            let counts: Vec<DailyCounts> = days.unwrap().into_values().flatten().collect();
            let merges: u64 = counts.iter().map(|counts| counts.merges).sum();
            let waits: u64 = counts.iter().map(|counts| counts.waits).sum();
            [merges, waits]
        };
        assert_eq!(count(10), [1, 2]);
        assert_eq!(count(5), [0, 1]);
    }
}
