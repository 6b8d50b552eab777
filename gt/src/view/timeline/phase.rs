//! Folds the events of a bead into the phases of its way to the target.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;

use crate::town::event::{Event, EventLine};
use crate::view::feed::describe_event;
use crate::view::request_times::seconds_between;

/// A phase of a bead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimelinePhase {
    /// Given to no one.
    NotSlung,
    /// Other beads must be closed first.
    Blocked,
    /// Slung, but no session works on it.
    WaitingForWorker,
    Working,
    /// A question or a stop that only a user can end.
    WaitingForUser,
    /// Submitted, and the queue has not begun.
    InQueue,
    /// The queue has begun: preparation, push and check of the push, other requests of a batch.
    Merging,
    Gate,
    /// The submitted work failed, and someone repairs it.
    Rework,
}

impl TimelinePhase {
    pub const ALL: [Self; 9] = [
        Self::NotSlung,
        Self::Blocked,
        Self::WaitingForWorker,
        Self::Working,
        Self::WaitingForUser,
        Self::InQueue,
        Self::Merging,
        Self::Gate,
        Self::Rework,
    ];

    /// Returns true for a run of a session or a gate, which counts also if it took no time.
    fn is_run(self) -> bool {
        matches!(self, Self::Working | Self::Gate | Self::Rework)
    }

    /// Returns the name for users.
    pub fn label(self) -> &'static str {
        match self {
            Self::NotSlung => "not slung",
            Self::Blocked => "waiting for other beads",
            Self::WaitingForWorker => "waiting for a worker",
            Self::Working => "at work",
            Self::WaitingForUser => "waiting for you",
            Self::InQueue => "in the queue",
            Self::Merging => "preparing and pushing",
            Self::Gate => "gates",
            Self::Rework => "rework",
        }
    }
}

/// A part of a lane in one phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineSpan {
    pub phase: TimelinePhase,
    pub from: Timestamp,
    /// The end, or the present.
    pub to: Timestamp,
    pub seconds: f64,
    /// The gate, the task that repairs the work, the reason of a wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The address of the agent that has the bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The time of the event that names the phase. None for a phase without an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_at: Option<Timestamp>,
}

impl TimelineSpan {
    /// Returns the part of the span in a range of time. None if there is none.
    pub fn clip(&self, from: Timestamp, to: Timestamp) -> Option<Self> {
        let from = self.from.max(from);
        let to = self.to.min(to);
        (from < to || (from == to && self.phase.is_run())).then(|| Self {
            from,
            to,
            seconds: seconds_between(from, to),
            ..self.clone()
        })
    }
}

/// The kind of an instant that a lane marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimelineMarkKind {
    /// A worker began with the bead.
    Attempt,
    /// A fresh session went on with the work of an earlier one.
    Handoff,
    /// A session was started again.
    Restart,
    /// The worker lost the bead.
    AttemptEnded,
    Question,
    GateFailed,
    MergeFailed,
    Merged,
    Closed,
}

impl TimelineMarkKind {
    pub fn symbol(self) -> char {
        match self {
            Self::Attempt => '▶',
            Self::Handoff => '↻',
            Self::Restart => '↺',
            Self::AttemptEnded => '■',
            Self::Question => '?',
            Self::GateFailed | Self::MergeFailed => '✗',
            Self::Merged => '✓',
            Self::Closed => '●',
        }
    }
}

/// An instant that a lane marks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineMark {
    pub kind: TimelineMarkKind,
    /// The time in the event.
    pub at: Timestamp,
    /// The event in one sentence, escaped for a terminal.
    pub text: String,
}

/// The phases and marks of a bead.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeadPhases {
    pub spans: Vec<TimelineSpan>,
    pub marks: Vec<TimelineMark>,
}

/// The facts about a bead that events do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseFacts {
    pub created: Timestamp,
    pub closed: Option<Timestamp>,
    /// The time at which the last bead was closed that this one waited for: the present or later
    /// if one is open. None for a bead that waits for no other.
    pub blocked_until: Option<Timestamp>,
    pub now: Timestamp,
}

impl BeadPhases {
    /// Folds the events about a bead. An event that is older than the one before it counts at the
    /// time of that one, because clocks are set back.
    pub fn from_events(events: &[EventLine], facts: &PhaseFacts) -> Self {
        let mut fold = PhaseFold {
            phases: Self::default(),
            current: Some(CurrentPhase {
                phase: TimelinePhase::NotSlung,
                from: facts.created,
                detail: None,
                worker: None,
                event_at: None,
            }),
            before_question: None,
            open_questions: BTreeSet::new(),
            worker: None,
            has_failed: false,
            event_at: None,
        };
        for line in events {
            let Ok(at) = line.ts.parse::<Timestamp>() else {
                continue;
            };
            fold.event_at = Some(at);
            fold.apply(line, at.max(fold.time()));
        }
        fold.end(facts);
        fold.phases
    }
}

struct CurrentPhase {
    phase: TimelinePhase,
    from: Timestamp,
    detail: Option<String>,
    worker: Option<String>,
    event_at: Option<Timestamp>,
}

struct PhaseFold {
    phases: BeadPhases,
    /// None after the end of the work.
    current: Option<CurrentPhase>,
    /// The phase that an open question interrupted.
    before_question: Option<TimelinePhase>,
    /// The ids of the open questions.
    open_questions: BTreeSet<String>,
    worker: Option<String>,
    /// True after submitted work failed: later work on the bead is rework.
    has_failed: bool,
    /// The time in the event that is applied.
    event_at: Option<Timestamp>,
}

impl PhaseFold {
    /// Returns the time of the last change.
    fn time(&self) -> Timestamp {
        let ended = self.phases.spans.last().map(|span| span.to);
        let begun = self.current.as_ref().map(|current| current.from);
        begun.or(ended).unwrap_or(Timestamp::MIN)
    }

    fn phase(&self) -> Option<TimelinePhase> {
        self.current.as_ref().map(|current| current.phase)
    }

    fn apply(&mut self, line: &EventLine, at: Timestamp) {
        use TimelineMarkKind as Mark;
        use TimelinePhase as Phase;
        match line.to_event() {
            Event::Sling { target, .. } => {
                self.worker = Some(target);
                self.enter(Phase::WaitingForWorker, at, None);
            }
            Event::SlingWaits { waits_for, .. } => {
                let detail = (!waits_for.is_empty()).then(|| waits_for.join(", "));
                self.enter(Phase::WaitingForWorker, at, detail);
            }
            Event::Spawn { rig, polecat, .. } => {
                self.start_session(&rig, &polecat, Mark::Attempt, line, at);
            }
            Event::Respawn {
                rig,
                polecat,
                handed_over,
                ..
            } => {
                let mark = if handed_over {
                    Mark::Handoff
                } else {
                    Mark::Restart
                };
                self.start_session(&rig, &polecat, mark, line, at);
            }
            Event::SessionEnded { because, .. } => {
                if matches!(self.phase(), Some(Phase::Working | Phase::Rework)) {
                    let reason = (!because.is_empty()).then_some(because);
                    let reason = reason.unwrap_or_else(|| "the session ended".to_owned());
                    self.enter(Phase::WaitingForWorker, at, Some(reason));
                }
            }
            Event::Unhook { .. } | Event::Release { .. } | Event::AttemptFailed { .. } => {
                self.mark(Mark::AttemptEnded, line, at);
                self.worker = None;
                self.enter(Phase::NotSlung, at, None);
            }
            Event::NeedsPerson { subject, .. } => self.ask(subject, line, at),
            Event::EscalationSent(sent) => {
                self.open_questions.insert(sent.rig);
                self.ask(sent.reason, line, at);
            }
            Event::EscalationClosed(closed) => {
                self.open_questions.remove(&closed.escalation_id);
                if self.open_questions.is_empty()
                    && self.phase() == Some(Phase::WaitingForUser)
                    && let Some(phase) = self.before_question.take()
                {
                    self.enter(phase, at, None);
                }
            }
            Event::Done {
                request: Some(_), ..
            } => {
                // The worker is free.
                self.worker = None;
                self.enter(Phase::InQueue, at, None);
            }
            Event::Done { .. } => self.finish(Mark::Closed, line, at),
            Event::MergeStarted(_) => self.enter(Phase::Merging, at, None),
            Event::Gate {
                gate,
                passed,
                seconds,
                ..
            } => self.run_gate(gate, passed, seconds, line, at),
            Event::PullRequest { .. } => {
                self.enter(Phase::InQueue, at, Some("the pull request".to_owned()));
            }
            Event::MergeSkipped(result) => {
                let reason = read_text(result.outcome.get("reason"));
                let needs_user = result.outcome.get("outcome").and_then(Value::as_str)
                    == Some("gate_cannot_run");
                let phase = if needs_user {
                    Phase::WaitingForUser
                } else {
                    Phase::InQueue
                };
                self.enter(phase, at, reason);
            }
            Event::MergeFailed(result) => self.fail_merge(&result.outcome, line, at),
            Event::MergeRejected { .. } | Event::MergeWithdrawn { .. } => {
                self.mark(Mark::MergeFailed, line, at);
                self.has_failed = true;
                self.worker = None;
                self.enter(Phase::NotSlung, at, None);
            }
            Event::Merged(_) | Event::MergeAlreadyThere(_) | Event::MergedAlong(_) => {
                self.finish(Mark::Merged, line, at);
            }
            _ => {}
        }
    }

    fn start_session(
        &mut self,
        rig: &str,
        polecat: &str,
        mark: TimelineMarkKind,
        line: &EventLine,
        at: Timestamp,
    ) {
        self.worker = Some(format!("{rig}/polecats/{polecat}"));
        self.mark(mark, line, at);
        let phase = if self.has_failed {
            TimelinePhase::Rework
        } else {
            TimelinePhase::Working
        };
        self.enter(phase, at, None);
    }

    fn ask(&mut self, subject: String, line: &EventLine, at: Timestamp) {
        self.mark(TimelineMarkKind::Question, line, at);
        // Rework may be that of a repair, while the worker of the bead is gone.
        let has_session = self.worker.is_some()
            && matches!(
                self.phase(),
                Some(TimelinePhase::Working | TimelinePhase::Rework)
            );
        // A report of the patrol does not stop a worker; its own question does.
        if has_session && self.worker.as_ref() != Some(&line.actor) {
            return;
        }
        if self.phase() != Some(TimelinePhase::WaitingForUser) {
            self.before_question = self.phase();
        }
        self.enter(TimelinePhase::WaitingForUser, at, Some(subject));
    }

    /// The event of a gate is recorded at its end.
    fn run_gate(
        &mut self,
        gate: String,
        passed: bool,
        seconds: f64,
        line: &EventLine,
        at: Timestamp,
    ) {
        let length = SignedDuration::try_from_secs_f64(seconds)
            .unwrap_or(SignedDuration::ZERO)
            .max(SignedDuration::ZERO);
        let begun = at.saturating_sub(length).unwrap_or(at).max(self.time());
        self.enter(TimelinePhase::Gate, begun, Some(gate));
        if !passed {
            self.mark(TimelineMarkKind::GateFailed, line, at);
        }
        self.enter(TimelinePhase::Merging, at, None);
    }

    fn fail_merge(
        &mut self,
        outcome: &serde_json::Map<String, Value>,
        line: &EventLine,
        at: Timestamp,
    ) {
        self.mark(TimelineMarkKind::MergeFailed, line, at);
        match outcome.get("outcome").and_then(Value::as_str) {
            Some("needs_person") => {
                let reason = read_text(outcome.get("reason"));
                self.enter(TimelinePhase::WaitingForUser, at, reason);
            }
            // The work is not to blame.
            Some("target_broken") => {
                let task = read_text(outcome.get("task"));
                self.enter(TimelinePhase::InQueue, at, task);
            }
            _ => {
                self.has_failed = true;
                let task = read_text(outcome.get("task"));
                self.enter(TimelinePhase::Rework, at, task);
            }
        }
    }

    fn mark(&mut self, kind: TimelineMarkKind, line: &EventLine, at: Timestamp) {
        let text = describe_event(line);
        let at = self.event_at.unwrap_or(at);
        self.phases.marks.push(TimelineMark { kind, at, text });
    }

    /// Ends the current phase and begins another one.
    fn enter(&mut self, phase: TimelinePhase, at: Timestamp, detail: Option<String>) {
        self.leave(at);
        self.current = Some(CurrentPhase {
            phase,
            from: at,
            detail,
            worker: self.worker.clone(),
            event_at: self.event_at,
        });
    }

    fn leave(&mut self, at: Timestamp) {
        let Some(current) = self.current.take() else {
            return;
        };
        if current.from == at && !current.phase.is_run() {
            return;
        }
        self.phases.spans.push(TimelineSpan {
            phase: current.phase,
            from: current.from,
            to: at,
            seconds: seconds_between(current.from, at),
            detail: current.detail,
            worker: current.worker,
            event_at: current.event_at,
        });
    }

    fn finish(&mut self, kind: TimelineMarkKind, line: &EventLine, at: Timestamp) {
        self.mark(kind, line, at);
        self.leave(at);
    }

    fn end(&mut self, facts: &PhaseFacts) {
        let end = facts.closed.unwrap_or(facts.now).max(self.time());
        if self.current.is_some()
            && let Some(at) = facts.closed
        {
            let at = at.max(self.time());
            self.phases.marks.push(TimelineMark {
                kind: TimelineMarkKind::Closed,
                at,
                text: "closed".to_owned(),
            });
        }
        self.leave(end);
        if let Some(until) = facts.blocked_until {
            self.split_blocked(until);
        }
    }

    /// Changes the waits for a worker until a time to waits for other beads.
    fn split_blocked(&mut self, until: Timestamp) {
        let spans = std::mem::take(&mut self.phases.spans);
        for span in spans {
            let is_wait = matches!(
                span.phase,
                TimelinePhase::NotSlung | TimelinePhase::WaitingForWorker
            );
            if !is_wait || span.from >= until {
                self.phases.spans.push(span);
                continue;
            }
            let blocked = span.clip(span.from, until);
            self.phases.spans.extend(blocked.map(|part| TimelineSpan {
                phase: TimelinePhase::Blocked,
                ..part
            }));
            self.phases.spans.extend(span.clip(until, span.to));
        }
    }
}

fn read_text(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn line(second: i64, kind: &str, payload: &Value) -> EventLine {
        let ts = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second);
        serde_json::from_value(json!({ "ts": ts, "type": kind, "payload": payload })).unwrap()
    }

    fn facts(now: i64) -> PhaseFacts {
        PhaseFacts {
            created: Timestamp::UNIX_EPOCH,
            closed: None,
            blocked_until: None,
            now: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(now),
        }
    }

    fn merge(outcome: &str) -> Value {
        json!({ "mr": "web-mr-1", "rig": "web", "bead": "web-1", "worker": "", "branch": "",
                "outcome": outcome, "task": "web-9", "reason": "no route" })
    }

    fn gate(passed: bool, seconds: f64) -> Value {
        json!({ "gate": "tests", "passed": passed, "commit": "c", "seconds": seconds,
                "mr": "web-mr-1", "rig": "web", "bead": "web-1", "worker": "", "branch": "" })
    }

    fn session(handed_over: bool) -> Value {
        json!({ "rig": "web", "polecat": "amber", "bead": "web-1", "lease": 2,
                "handed_over": handed_over, "snapshot": null })
    }

    fn ended(because: &str) -> Value {
        json!({ "rig": "web", "polecat": "amber", "bead": "web-1", "lease": 1, "exit": 1,
                "signal": null, "because": because, "screen": [] })
    }

    /// A question of the worker.
    fn ask(second: i64, id: &str, question: &str) -> EventLine {
        let payload = json!({ "bead": "web-1", "rig": id, "reason": question });
        EventLine {
            actor: "web/polecats/amber".to_owned(),
            ..line(second, "escalation_sent", &payload)
        }
    }

    fn answer(second: i64, id: &str) -> EventLine {
        let payload = json!({ "bead": "web-1", "escalation_id": id });
        line(second, "escalation_closed", &payload)
    }

    fn done() -> Value {
        json!({ "bead": "web-1", "branch": "b", "request": "web-mr-1", "tip": "t", "commits": 1,
                "no_change": null })
    }

    fn describe(phases: &BeadPhases) -> String {
        let spans = phases.spans.iter().map(|span| {
            let detail = span.detail.as_deref().unwrap_or("");
            format!("{:>4} {} {detail}", span.seconds, span.phase.label())
                .trim_end()
                .to_owned()
        });
        let marks = phases
            .marks
            .iter()
            .map(|mark| format!("{} {:?}", mark.at.as_second(), mark.kind));
        spans.chain(marks).collect::<Vec<String>>().join("\n")
    }

    #[test]
    fn a_bead_with_a_crash_a_question_and_a_repair_has_each_phase() {
        let events = [
            line(
                100,
                "sling_waits",
                &json!({ "bead": "web-1", "target": "web", "waits_for": ["room"] }),
            ),
            line(
                130,
                "sling",
                &json!({ "bead": "web-1", "target": "web/polecats/amber" }),
            ),
            line(
                140,
                "spawn",
                &json!({ "rig": "web", "polecat": "amber", "bead": "web-1" }),
            ),
            line(200, "session_ended", &ended("out of memory")),
            line(230, "respawn", &session(false)),
            // The patrol reports a worker that goes on.
            line(
                240,
                "needs_person",
                &json!({ "bead": "web-1", "subject": "budget", "reason": "nearly spent" }),
            ),
            ask(260, "hq-1", "Which port?"),
            ask(300, "hq-2", "Which host?"),
            answer(350, "hq-2"),
            answer(360, "hq-1"),
            line(400, "respawn", &session(true)),
            line(500, "done", &done()),
            line(530, "merge_started", &merge("")),
            line(600, "gate", &gate(false, 50.0)),
            line(601, "merge_failed", &merge("gate_failed")),
            line(700, "merge_started", &merge("")),
            line(760, "gate", &gate(true, 50.0)),
            line(765, "merged", &merge("merged")),
        ];
        let phases = BeadPhases::from_events(&events, &facts(9000));
        let expected = " 100 not slung
  30 waiting for a worker room
  10 waiting for a worker
  60 at work
  30 waiting for a worker out of memory
  30 at work
  40 waiting for you Which port?
  60 waiting for you Which host?
  40 at work
 100 at work
  30 in the queue
  20 preparing and pushing
  50 gates tests
   1 preparing and pushing
  99 rework web-9
  10 preparing and pushing
  50 gates tests
   5 preparing and pushing
140 Attempt
230 Restart
240 Question
260 Question
300 Question
400 Handoff
600 GateFailed
601 MergeFailed
765 Merged";
        assert_eq!(describe(&phases), expected);
        let workers: Vec<Option<&str>> = phases
            .spans
            .iter()
            .map(|span| span.worker.as_deref())
            .collect();
        assert_eq!(workers[3], Some("web/polecats/amber"));
        assert_eq!(workers.last(), Some(&None), "the queue works for no one");
    }

    #[test]
    fn a_bead_that_waits_for_another_is_blocked_until_that_one_is_closed() {
        let events = [line(
            300,
            "spawn",
            &json!({ "rig": "web", "polecat": "amber", "bead": "web-1" }),
        )];
        let known = PhaseFacts {
            blocked_until: Some(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(250)),
            ..facts(400)
        };
        let phases = BeadPhases::from_events(&events, &known);
        let expected = " 250 waiting for other beads\n  50 not slung\n 100 at work\n300 Attempt";
        assert_eq!(describe(&phases), expected);
    }

    #[test]
    fn failures_that_only_a_user_ends_wait_for_the_user() {
        let outcomes = [
            ("merge_failed", "needs_person"),
            ("merge_skipped", "gate_cannot_run"),
            ("merge_skipped", "later"),
            ("merge_failed", "target_broken"),
            ("merge_failed", "conflict"),
        ];
        let phases = outcomes.map(|(kind, outcome)| {
            let events = [line(10, "done", &done()), line(20, kind, &merge(outcome))];
            let found = BeadPhases::from_events(&events, &facts(60));
            found.spans.last().map(|span| span.phase)
        });
        let expected = [
            TimelinePhase::WaitingForUser,
            TimelinePhase::WaitingForUser,
            TimelinePhase::InQueue,
            TimelinePhase::InQueue,
            TimelinePhase::Rework,
        ];
        assert_eq!(phases, expected.map(Some));
    }

    fn any_event() -> impl Strategy<Value = EventLine> {
        let kinds = prop::sample::select(vec![
            ("sling", json!({ "bead": "web-1", "target": "web" })),
            (
                "spawn",
                json!({ "rig": "web", "polecat": "amber", "bead": "web-1" }),
            ),
            ("respawn", session(true)),
            ("session_ended", ended("")),
            ("unhook", json!({ "bead": "web-1", "target": "web" })),
            (
                "escalation_sent",
                json!({ "bead": "web-1", "reason": "why" }),
            ),
            ("escalation_closed", json!({ "bead": "web-1" })),
            ("done", done()),
            ("merge_started", merge("")),
            ("gate", gate(true, 40.0)),
            ("gate", gate(false, 1e300)),
            ("gate", gate(true, -5.0)),
            ("merge_failed", merge("conflict")),
            ("merged", merge("merged")),
            ("unknown", json!({ "bead": "web-1" })),
        ]);
        (0_i64..1000, kinds).prop_map(|(second, (kind, payload))| line(second, kind, &payload))
    }

    proptest! {
        /// Also if clocks were set back, and if a gate claims more time than there was.
        #[test]
        fn spans_never_overlap_and_cover_no_more_than_the_life_of_the_bead(
            events in prop::collection::vec(any_event(), 0..40),
            blocked_until in prop::option::of(0_i64..1200),
        ) {
            let known = PhaseFacts {
                blocked_until: blocked_until.map(|second| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)),
                ..facts(1000)
            };
            let phases = BeadPhases::from_events(&events, &known);
            for pair in phases.spans.windows(2) {
                prop_assert!(pair[0].to <= pair[1].from, "{pair:?}");
            }
            let whole: f64 = phases.spans.iter().map(|span| span.seconds).sum();
            prop_assert!(whole <= 1000.0 + 1e-6, "{whole}");
            for span in &phases.spans {
                prop_assert!(span.from <= span.to);
                prop_assert!((span.seconds - seconds_between(span.from, span.to)).abs() < 1e-9);
            }
        }
    }
}
