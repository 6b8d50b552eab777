//! Splits the time of a merge request by its events: waiting, each gate, the rest.

use bd::bead::Bead;
use jiff::{SignedDuration, Timestamp};
use kit::ui::escape;
use kit::ui::time::format_seconds;
use serde::Serialize;

use crate::town::event::{Event, EventLine};

/// The shortest wait that is worth a line, in seconds.
const MIN_REPORTED_WAIT: f64 = 60.0;

/// The time of a request, by step.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RequestTimes {
    /// From the submission to the first start of its checks. Without a start, until now.
    pub waiting_seconds: f64,
    /// The gates that ran for it, in the order of their first runs. The run of a batch counts for
    /// its last request.
    pub gates: Vec<GateTime>,
    /// From the first start to the end or until now, without the gates: other requests of a batch,
    /// preparation, push and check of the push.
    pub other_seconds: f64,
}

/// The runs of one gate for a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateTime {
    pub gate: String,
    pub seconds: f64,
    pub runs: usize,
}

impl RequestTimes {
    /// Computes the times of a request from its events, oldest first.
    pub fn from_events(request: &Bead, events: &[EventLine], now: Timestamp) -> Self {
        let submitted = request.created_at.instant();
        let closed = request.closed_at.as_ref().map(bd::bead::Stamp::instant);
        let end = closed.unwrap_or(now);
        let own = || {
            let lines = events.iter();
            lines.filter(|line| line.payload.get("mr").is_some_and(|mr| *mr == *request.id))
        };
        let started = own()
            .find(|line| line.kind == "merge_started")
            .and_then(|line| line.ts.parse().ok());
        let mut times = Self {
            waiting_seconds: seconds_between(submitted, started.unwrap_or(end)),
            ..Self::default()
        };
        for line in own().filter(|line| line.kind == "gate") {
            let Event::Gate { gate, seconds, .. } = line.to_event() else {
                continue;
            };
            match times.gates.iter_mut().find(|known| known.gate == gate) {
                Some(known) => {
                    known.seconds += seconds;
                    known.runs += 1;
                }
                None => times.gates.push(GateTime {
                    gate,
                    seconds,
                    runs: 1,
                }),
            }
        }
        if let Some(started) = started {
            let in_gates: f64 = times.gates.iter().map(|gate| gate.seconds).sum();
            times.other_seconds = (seconds_between(started, end) - in_gates).max(0.0);
        }
        times
    }

    /// Describes the times in one line that is safe for a terminal. None for a request that has just
    /// been submitted.
    pub fn describe(&self) -> Option<String> {
        if self.waiting_seconds < MIN_REPORTED_WAIT && self.gates.is_empty() {
            return None;
        }
        let waited = format!("waited {}", format_seconds(self.waiting_seconds));
        let gates = self.gates.iter().map(|gate| {
            let name = escape::escape_line(&gate.gate);
            let runs = if gate.runs > 1 {
                format!(" ({} runs)", gate.runs)
            } else {
                String::new()
            };
            format!("{name} {}{runs}", format_seconds(gate.seconds))
        });
        let other = (self.other_seconds >= 1.0)
            .then(|| format!("other steps {}", format_seconds(self.other_seconds)));
        let parts: Vec<String> = std::iter::once(waited).chain(gates).chain(other).collect();
        Some(parts.join(", "))
    }
}

pub(super) fn seconds_between(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from)
        .max(SignedDuration::ZERO)
        .as_secs_f64()
}

#[cfg(test)]
mod tests {
    use bd::bead::Stamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_time_of_a_request_is_split_into_waiting_gates_and_the_rest() {
        let line = |minute: i64, kind: &str, payload: serde_json::Value| EventLine {
            ts: (Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute)).to_string(),
            payload: payload.as_object().cloned().unwrap_or_default(),
            ..serde_json::from_value(json!({ "ts": "", "type": kind })).unwrap()
        };
        let gate = |name: &str, seconds: f64| {
            json!({ "gate": name, "passed": true, "commit": "", "seconds": seconds,
                    "mr": "web-mr-1", "rig": "web", "bead": "", "worker": "", "branch": "" })
        };
        let events = [
            line(5, "merge_started", json!({ "mr": "web-mr-1" })),
            line(7, "gate", gate("setup", 120.0)),
            line(8, "gate", gate("test", 30.0)),
            line(9, "gate", gate("test", 40.0)),
        ];
        let request = Bead {
            id: "web-mr-1".to_owned(),
            created_at: Stamp::from(Timestamp::UNIX_EPOCH),
            ..Bead::default()
        };
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_mins(10);
        let times = RequestTimes::from_events(&request, &events, now);
        let expected = "waited 5m, setup 2m, test 1m (2 runs), other steps 1m";
        assert_eq!(times.describe().as_deref(), Some(expected));
        let describe_at = |seconds| {
            let now = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
            RequestTimes::from_events(&request, &[], now).describe()
        };
        assert_eq!(describe_at(600).as_deref(), Some("waited 10m"));
        assert_eq!(describe_at(3), None);
    }
}
