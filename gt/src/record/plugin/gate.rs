//! Gates: when a plugin runs automatically. All decisions are pure functions of the gate and of
//! what happened so far.

use cronexpr::{Crontab, FallbackTimezoneOption, ParseOptions};
use jiff::{SignedDuration, Timestamp};

use super::GateSpec;
use crate::town::event;

/// The duration of a cooldown without one.
const DEFAULT_COOLDOWN: SignedDuration = SignedDuration::from_hours(1);

/// The time between two evaluations of a condition that names none.
const CONDITION_INTERVAL: SignedDuration = SignedDuration::from_mins(10);

/// The minimum time between two automatic runs or evaluations.
pub const SHORTEST: SignedDuration = SignedDuration::from_secs(30);

/// The event of a start of gtd, which is in no file of events.
pub const STARTUP: &str = "startup";

/// A gate with checked values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginGate {
    /// Runs only by hand.
    Manual,
    /// Opens when there was no run for so long.
    Cooldown(SignedDuration),
    /// Opens at the times of a crontab line, in the local time zone.
    Cron(String),
    /// Opens when a command line exits with 0.
    Condition {
        check: String,
        /// The time between two evaluations.
        interval: SignedDuration,
    },
    /// Opens at events of these kinds.
    Event(Vec<String>),
    /// Never opens automatically, for this reason.
    Closed(String),
}

/// What happened to a plugin so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateHistory {
    /// The last run with any result, running ones included.
    pub last: Option<Timestamp>,
    /// The time from which on a plugin without a run counts.
    pub since: Timestamp,
    /// The last evaluation of the condition.
    pub checked: Option<Timestamp>,
    /// The kinds of the events that the plugin has not handled yet.
    pub events: Vec<String>,
}

impl PluginGate {
    /// Checks the gate of a file.
    pub fn from_spec(spec: &GateSpec) -> Self {
        let parse_or = |text: &str, default| match text {
            "" => Some(default),
            text => parse_duration(text),
        };
        match spec.kind.as_str() {
            "" | "manual" => Self::Manual,
            "cooldown" => match parse_or(&spec.duration, DEFAULT_COOLDOWN) {
                Some(length) => Self::Cooldown(length),
                None => Self::Closed(format!("`{}` is no duration", spec.duration)),
            },
            "cron" => match next_after(&spec.schedule, Timestamp::UNIX_EPOCH) {
                Ok(_) => Self::Cron(spec.schedule.clone()),
                Err(reason) => {
                    Self::Closed(format!("`{}` is no schedule: {reason}", spec.schedule))
                }
            },
            "condition" => match parse_or(&spec.interval, CONDITION_INTERVAL) {
                _ if spec.check.trim().is_empty() => {
                    Self::Closed("its condition has no `check`".to_owned())
                }
                Some(interval) => Self::Condition {
                    check: spec.check.clone(),
                    interval: interval.max(SHORTEST),
                },
                None => Self::Closed(format!("`{}` is no duration", spec.interval)),
            },
            "event" => match spec.on.names().as_slice() {
                [] => Self::Closed("it names no event in `on`".to_owned()),
                names => Self::Event(names.iter().map(|name| name.replace('-', "_")).collect()),
            },
            other => Self::Closed(format!("`{other}` is no gate that this gt knows")),
        }
    }

    /// Returns the time from which on the gate is open, or a condition is to be evaluated. None if
    /// it stays closed until something happens.
    pub fn opens_at(&self, history: &GateHistory) -> Option<Timestamp> {
        let add_wait = |at: Option<Timestamp>, wait: SignedDuration| {
            at.map_or(Some(history.since), |at| at.checked_add(wait).ok())
        };
        match self {
            Self::Manual | Self::Closed(_) => None,
            Self::Cooldown(length) => add_wait(history.last, (*length).max(SHORTEST)),
            Self::Cron(schedule) => {
                next_after(schedule, history.last.unwrap_or(history.since)).ok()
            }
            Self::Condition { interval, .. } => {
                let evaluated = add_wait(history.checked, *interval)?;
                Some(evaluated.max(add_wait(history.last, SHORTEST)?))
            }
            Self::Event(_) if history.events.is_empty() => None,
            Self::Event(_) => add_wait(history.last, SHORTEST),
        }
    }

    /// Returns the time between two openings if nothing else happens, for gates that open again by
    /// themselves.
    pub fn period(&self) -> Option<SignedDuration> {
        match self {
            Self::Cooldown(length) => Some((*length).max(SHORTEST)),
            Self::Condition { interval, .. } => Some(*interval),
            _ => None,
        }
    }

    /// Returns the gate in a few words: `cooldown 6h`.
    pub fn describe(&self) -> String {
        match self {
            Self::Manual => "manual".to_owned(),
            Self::Cooldown(length) => format!("cooldown {length:#}"),
            Self::Cron(schedule) => format!("cron {schedule}"),
            Self::Condition { .. } => "condition".to_owned(),
            Self::Event(names) => format!("event {}", names.join(", ")),
            Self::Closed(_) => "closed".to_owned(),
        }
    }

    /// Returns the events of the gate that no program records, each with similar ones.
    pub fn unknown_events(&self) -> Vec<String> {
        let Self::Event(names) = self else {
            return Vec::new();
        };
        names
            .iter()
            .filter(|name| *name != STARTUP && !event::is_known_kind(name))
            .map(|name| {
                let mut near = event::find_near_kinds(name);
                if near.is_empty() && strsim::damerau_levenshtein(name, STARTUP) <= 2 {
                    near.push(STARTUP);
                }
                match near.as_slice() {
                    [] => format!("no event is called `{name}`"),
                    near => format!(
                        "no event is called `{name}` (did you mean {}?)",
                        near.join(", ")
                    ),
                }
            })
            .collect()
    }

    /// Returns true if a plugin waits for events of this kind. A convoy is closed also when it
    /// lands.
    pub fn waits_for(&self, kind: &str) -> bool {
        let Self::Event(names) = self else {
            return false;
        };
        names
            .iter()
            .any(|name| name == kind || (name == "convoy_closed" && kind == "convoy_landed"))
    }
}

/// Parses a duration, such as `30m`, `1h30m` or `2d`. None for invalid and negative ones.
pub fn parse_duration(text: &str) -> Option<SignedDuration> {
    let nanos = bd::query::when::parse_duration(text)?;
    let length = SignedDuration::from_nanos(nanos);
    length.is_positive().then_some(length)
}

/// Returns the first time of a crontab line after an instant. A line without a time zone is in the
/// local one.
pub fn next_after(schedule: &str, after: Timestamp) -> Result<Timestamp, String> {
    let next = parse_schedule(schedule)?.find_next(after);
    next.map(|at| at.timestamp())
        .map_err(|error| error.to_string())
}

fn parse_schedule(schedule: &str) -> Result<Crontab, String> {
    let line = match schedule.trim() {
        "@hourly" => "0 * * * *",
        "@daily" | "@midnight" => "0 0 * * *",
        "@weekly" => "0 0 * * 0",
        "@monthly" => "0 0 1 * *",
        "@yearly" | "@annually" => "0 0 1 1 *",
        line => line,
    };
    let mut options = ParseOptions::default();
    options.fallback_timezone_option = FallbackTimezoneOption::System;
    // The first line of the error has the reason. The others draw where it is.
    cronexpr::parse_crontab_with(line, options)
        .map_err(|error| error.to_string().lines().next().unwrap_or("").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::plugin::file::EventNames;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn history(last: Option<&str>) -> GateHistory {
        GateHistory {
            last: last.map(at),
            since: at("2026-01-01T00:00:00Z"),
            ..GateHistory::default()
        }
    }

    fn spec(kind: &str) -> GateSpec {
        GateSpec {
            kind: kind.to_owned(),
            ..GateSpec::default()
        }
    }

    #[test]
    fn a_cooldown_opens_at_once_and_then_after_its_duration() {
        let gate = PluginGate::from_spec(&GateSpec {
            duration: "1d6h".to_owned(),
            ..spec("cooldown")
        });
        assert_eq!(
            gate.opens_at(&history(None)),
            Some(at("2026-01-01T00:00:00Z"))
        );
        let after_run = gate.opens_at(&history(Some("2026-03-01T10:00:00Z")));
        assert_eq!(after_run, Some(at("2026-03-02T16:00:00Z")));
        // A gate that is always open would start one run after the other.
        let short = PluginGate::Cooldown(SignedDuration::from_secs(1));
        let after_run = short.opens_at(&history(Some("2026-03-01T10:00:00Z")));
        assert_eq!(after_run, Some(at("2026-03-01T10:00:30Z")));
        for duration in ["soon", "-1h", "0s"] {
            let gate = PluginGate::from_spec(&GateSpec {
                duration: duration.to_owned(),
                ..spec("cooldown")
            });
            assert_eq!(gate.opens_at(&history(None)), None, "{duration}");
        }
    }

    #[test]
    fn a_missed_time_of_a_schedule_opens_the_gate_once() {
        let gate = |schedule: &str| {
            PluginGate::from_spec(&GateSpec {
                schedule: schedule.to_owned(),
                ..spec("cron")
            })
        };
        let daily = gate("30 2 * * * Etc/UTC");
        let opens = |last: &str| daily.opens_at(&history(Some(last)));
        // The machine slept for three days.
        assert_eq!(
            opens("2026-03-01T02:30:05Z"),
            Some(at("2026-03-02T02:30:00Z"))
        );
        assert_eq!(
            opens("2026-03-05T09:00:00Z"),
            Some(at("2026-03-06T02:30:00Z"))
        );
        // Sunday is 0 and 7. In New York the clock goes forward on 2026-03-08.
        let sunday = gate("0 12 * * 7 America/New_York");
        let opens = |last: &str| sunday.opens_at(&history(Some(last)));
        assert_eq!(
            opens("2026-03-01T20:00:00Z"),
            Some(at("2026-03-08T16:00:00Z"))
        );
        assert!(matches!(gate("@daily"), PluginGate::Cron(_)));
        for bad in ["", "61 * * * *", "* * *", "0 0 30 2 *", "@reboot"] {
            assert!(matches!(gate(bad), PluginGate::Closed(_)), "{bad}");
        }
    }

    #[test]
    fn a_condition_is_evaluated_once_per_interval() {
        let gate = PluginGate::from_spec(&GateSpec {
            check: "test -f x".to_owned(),
            ..spec("condition")
        });
        let mut history = history(None);
        assert_eq!(gate.opens_at(&history), Some(history.since));
        history.checked = Some(at("2026-03-01T10:00:00Z"));
        assert_eq!(gate.opens_at(&history), Some(at("2026-03-01T10:10:00Z")));
        let without = PluginGate::from_spec(&spec("condition"));
        assert_eq!(without.opens_at(&history), None);
    }

    #[test]
    fn events_open_a_gate_and_are_named_with_hyphens_too() {
        let gate = PluginGate::from_spec(&GateSpec {
            on: EventNames::Several(vec!["convoy-closed".to_owned(), "startup".to_owned()]),
            ..spec("event")
        });
        assert!(gate.waits_for("convoy_closed") && gate.waits_for("convoy_landed"));
        assert!(gate.waits_for(STARTUP) && !gate.waits_for("merged"));
        let mut history = history(Some("2026-03-01T10:00:00Z"));
        assert_eq!(gate.opens_at(&history), None);
        history.events.push(STARTUP.to_owned());
        assert_eq!(gate.opens_at(&history), Some(at("2026-03-01T10:00:30Z")));
        history.last = None;
        assert_eq!(gate.opens_at(&history), Some(history.since));
        assert_eq!(PluginGate::Manual.opens_at(&history), None);
        assert!(gate.unknown_events().is_empty());
        let slips = ["mergd", "merged", "full-moon"].map(str::to_owned);
        let gate = PluginGate::from_spec(&GateSpec {
            on: EventNames::Several(slips.to_vec()),
            ..spec("event")
        });
        let unknown = gate.unknown_events();
        assert!(unknown[0].starts_with("no event is called `mergd` (did you mean merged"));
        assert_eq!(unknown[1..], ["no event is called `full_moon`"]);
    }
}
