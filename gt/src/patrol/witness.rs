//! Rules G1 and G2: handle workers with work and a session that make no progress, in two steps.
//!
//! - G1: no progress for `patrol.progress.nudge` at the program's known input line: a reminder is
//!   typed into it, once. While the screen shows work in progress, the reminder waits as long as a
//!   restart of others. Nothing is typed into a program that may wait for anything else.
//! - G2: no progress after a nudge, for `patrol.progress.restart` in total, or a dialog that has
//!   been open for as long: the session is ended, its last screen is kept, and it is restarted in
//!   its sandbox. While the screen shows work in progress, only after
//!   `patrol.progress.restart_busy`.
//!
//! A restart counts for the breaker of the worker (P6): a worker that repeatedly makes no progress
//! is stuck, and the user gets a message. No text is typed into a session with an attached user,
//! and no such session is restarted. Workers that wait for the API are left to rule A1. A worker at
//! its prompt that waits for the answer to its question is left alone until the answer.

use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision, WorkerVerb};
use super::polecats;
use super::rule;
use super::thresholds::Thresholds;
use crate::flow::agent::nudge;
use crate::flow::agent::session::start::{self, RestartCause};
use crate::host::runtime::{self, ScreenState};
use crate::host::{InputRules, LiveTown};
use crate::record::polecat::{NudgeCount, Polecat, PolecatIds, Slot};
use crate::record::progress::{ProgressSign, WorkerActivity, WorkerProgress};
use crate::record::town_view::TownView;
use crate::town::Rig;
use crate::town::config::SettingsLayers;
use crate::town::name::Worker;

const QUIET_MESSAGE: &str = include_str!("../../templates/message/quiet.txt");
const RESUME_MESSAGE: &str = include_str!("../../templates/message/resume.txt");

/// The facts about a worker that works in a session.
#[derive(Debug, Clone)]
pub struct WatchFacts {
    pub worker: Worker,
    pub progress: WorkerProgress,
    /// The nudges that the session got.
    pub nudges: NudgeCount,
    /// The restarts of the session for this bead.
    pub respawns: Vec<Timestamp>,
    /// True if a gt process holds its slot.
    pub busy: bool,
    /// True if it waits for the answer to a question about its bead.
    pub asks: bool,
}

/// Reads the facts about the workers of a rig.
pub(super) fn facts(view: &TownView, rig: &str) -> Vec<WatchFacts> {
    view.polecats_of(rig)
        .iter()
        .filter_map(|worker| watch_facts(worker, view.now))
        .collect()
}

fn watch_facts(polecat: &Polecat, now: Timestamp) -> Option<WatchFacts> {
    let mut progress = polecat.progress.clone()?;
    // No progress was possible before the answer.
    if let Some(answered) = polecat.slot.answered.filter(|at| *at <= now) {
        progress.at = progress.at.max(answered);
        progress.work = progress.work.max(answered);
    }
    Some(WatchFacts {
        worker: Worker::new(polecat.rig.as_str(), polecat.name.as_str()),
        progress,
        nudges: polecat.slot.nudges.until(now),
        respawns: polecats::parse_times(&polecat.slot.respawns),
        busy: polecat.busy,
        asks: polecat.asks.is_some(),
    })
}

/// Applies the rules to the workers of a rig.
pub(super) fn decide(
    facts: &[WatchFacts],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Vec<Decision> {
    facts
        .iter()
        .filter_map(|worker| {
            let mut step = find_next_step(worker, thresholds)?;
            if step.rule == rule::G2_RESTART_QUIET && worker.has_too_many_restarts(now, thresholds)
            {
                (step.rule, step.verb) = (rule::P6_BREAKER, WorkerVerb::OpenBreaker);
            }
            (step.at <= now).then(|| {
                let nudged = worker.valid_nudge().map_or_else(String::new, |at| {
                    format!("; nudged {}", kit::ui::time::format_ago(now, at))
                });
                Decision {
                    rule: step.rule,
                    saw: format!("{}{nudged}", worker.progress.describe(now)),
                    action: Action::Worker {
                        verb: step.verb,
                        worker: worker.worker.clone(),
                    },
                }
            })
        })
        .collect()
}

/// Returns the time until a rule applies to a worker without progress.
pub(super) fn due(
    facts: &[WatchFacts],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<SignedDuration> {
    facts
        .iter()
        .filter_map(|worker| find_next_step(worker, thresholds))
        .map(|step| step.at.duration_since(now))
        .filter(SignedDuration::is_positive)
        .min()
}

/// The next action on a worker without further progress, and its time.
struct QuietStep {
    at: Timestamp,
    rule: &'static rule::Rule,
    verb: WorkerVerb,
}

impl QuietStep {
    fn nudge(from: Timestamp, wait: SignedDuration) -> Option<Self> {
        Some(Self {
            at: from.checked_add(wait).ok()?,
            rule: rule::G1_NUDGE_QUIET,
            verb: WorkerVerb::NudgeQuiet,
        })
    }

    fn restart(from: Timestamp, wait: SignedDuration) -> Option<Self> {
        Some(Self {
            at: from.checked_add(wait).ok()?,
            rule: rule::G2_RESTART_QUIET,
            verb: WorkerVerb::RestartQuiet,
        })
    }
}

fn find_next_step(worker: &WatchFacts, thresholds: &Thresholds) -> Option<QuietStep> {
    let progress = &worker.progress;
    if worker.busy || progress.attached {
        return None;
    }
    // Output alone is progress for a while only: a program may print without end.
    let printed = match progress.sign {
        ProgressSign::Screen => progress.work.checked_add(thresholds.restart_busy).ok(),
        _ => None,
    };
    let last = printed.map_or(progress.at, |until| progress.at.min(until));
    // A nudge changes the screen. From then on the rest of the time counts.
    let rest = thresholds.restart - thresholds.nudge;
    match (&progress.doing, worker.valid_nudge()) {
        (WorkerActivity::AtPrompt | WorkerActivity::Unknown, _) if worker.asks => None,
        (WorkerActivity::Refused(_), _) => None,
        (WorkerActivity::Dialog { .. }, _) => QuietStep::restart(progress.at, thresholds.restart),
        (WorkerActivity::Busy, None) => QuietStep::nudge(last, thresholds.restart),
        (WorkerActivity::Busy, Some(_)) => {
            QuietStep::restart(progress.work, thresholds.restart_busy)
        }
        (WorkerActivity::AtPrompt, None) => QuietStep::nudge(last, thresholds.nudge),
        // Without its input line on the screen, a program may wait for anything.
        (WorkerActivity::Unknown, None) => QuietStep::restart(last, thresholds.restart),
        (WorkerActivity::AtPrompt | WorkerActivity::Unknown, Some(at)) => {
            QuietStep::restart(at.max(last), rest.max(SignedDuration::ZERO))
        }
    }
}

impl WatchFacts {
    /// Returns true if the worker was restarted so often without a commit or a changed file. There
    /// is no window: each restart comes after a long silence, so a window would forget the earlier
    /// ones.
    fn has_too_many_restarts(&self, now: Timestamp, thresholds: &Thresholds) -> bool {
        let restarts: Vec<Timestamp> = self
            .respawns
            .iter()
            .filter(|at| **at <= now)
            .copied()
            .collect();
        thresholds.is_on(rule::P6_BREAKER)
            && restarts.len() >= thresholds.restarts
            && !restarts
                .iter()
                .max()
                .is_some_and(|last| self.progress.is_changed_since(*last))
    }

    /// Returns the time of the last nudge, if the worker has not worked since.
    fn valid_nudge(&self) -> Option<Timestamp> {
        let last = self.nudges.last.filter(|_| self.nudges.count > 0)?;
        (last >= self.progress.work).then_some(last)
    }
}

/// Returns the current facts about one worker, if the rule still applies to it.
fn recheck_facts(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
    wanted: WorkerVerb,
) -> anyhow::Result<Option<WatchFacts>> {
    let polecat = TownView::read_worker(town, rig, name)?;
    let now = town.clock.now();
    let thresholds = Thresholds::from_layers(&SettingsLayers::load(rig.town(), Some(rig))?);
    Ok(watch_facts(&polecat, now).filter(|worker_facts| {
        let step = find_next_step(worker_facts, &thresholds);
        step.is_some_and(|step| step.at <= now && step.verb == wanted)
    }))
}

/// Types a reminder into the session of a worker without progress.
pub(super) fn nudge_quiet(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
) -> anyhow::Result<Option<String>> {
    let Some(found) = recheck_facts(town, rig, name, WorkerVerb::NudgeQuiet)? else {
        return Ok(None);
    };
    let time = kit::ui::time::format_ago(town.clock.now(), found.progress.at);
    type_message(
        town,
        rig,
        name,
        QUIET_MESSAGE,
        &[("time", time.trim_end_matches(" ago"))],
    )?;
    Ok(Some("nudged".to_owned()))
}

/// Asks a worker whose request the API refused to continue. At a usage limit its program may show a
/// menu: a known one is answered with its waiting option. Nothing is typed into any other question,
/// and the session is restarted instead.
pub(super) fn resume_refused(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
) -> anyhow::Result<Option<String>> {
    let polecat = TownView::read_worker(town, rig, name)?;
    let (Some(refusal), Some(progress)) = (&polecat.refusal, &polecat.progress) else {
        return Ok(None);
    };
    if refusal.is_pause(town.clock.now()) {
        return Ok(None);
    }
    if refusal.is_usage_limit()
        && !progress.attached
        && let Some(live) = &polecat.session
        && !is_ready_for_input(town, rig, &polecat, &live.name)?
    {
        let reason = "the usage limit has ended, and it waits at a question";
        polecats::write_worker_checkpoint(rig, name);
        let cause = RestartCause::RefusedAtQuestion(reason);
        let session = start::restart_session(town, rig, name, cause)?;
        return Ok(session.map(|session| format!("session {session} restarted")));
    }
    type_message(town, rig, name, RESUME_MESSAGE, &[])?;
    Ok(Some("told to go on".to_owned()))
}

/// Returns true if text can be typed into a worker's program. Answers its menu about a usage limit
/// before.
fn is_ready_for_input(
    town: &LiveTown,
    rig: &Rig,
    polecat: &Polecat,
    session: &str,
) -> anyhow::Result<bool> {
    let address = polecat.address();
    let agent = polecat.slot.agent.as_deref();
    let Ok(found) = runtime::resolve_runtime(town, Some(rig), &address, agent) else {
        return Ok(true);
    };
    let look = runtime::leave_usage_limit_menu(town.host.as_ref(), session, &found.preset)?;
    Ok(match look {
        ScreenState::NeedsPerson(_) | ScreenState::Dialog(_) => false,
        // A program without a known input line shows none.
        ScreenState::Nothing => found.preset.ready_prompt_prefix.is_empty(),
        ScreenState::AtPrompt | ScreenState::Busy => true,
    })
}

/// Types a message into a worker's session. Counted as a nudge before it is typed, so that a
/// failure is not retried forever.
fn type_message(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
    template: &str,
    values: &[(&str, &str)],
) -> anyhow::Result<()> {
    let ids = PolecatIds::for_polecat(rig, name);
    let _slot = rig.try_take_slot(name)?;
    let store = rig.store()?;
    let (bead, agent) = town.transact(&store, |tx| {
        let mut slot = Slot::load(tx, &ids.slot).reload_held(tx, &ids)?;
        slot.nudges.count = slot.nudges.count.saturating_add(1);
        slot.nudges.last = Some(tx.now().instant());
        slot.save(tx, &ids.slot)?;
        Ok((slot.bead.to_string(), slot.agent))
    })?;
    let mut values = values.to_vec();
    values.push(("bead", &bead));
    let text = start::fill_template(template, &values);
    let runtime = runtime::resolve_runtime(town, Some(rig), &ids.address, agent.as_deref());
    let input = runtime.map_or_else(
        |_| InputRules::default(),
        |runtime| runtime.preset.input_rules(),
    );
    nudge::nudge_with_input(town, &ids.address, text.trim(), &input)?;
    Ok(())
}

/// Restarts a worker without progress.
pub(super) fn restart_quiet(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
) -> anyhow::Result<Option<String>> {
    let Some(found) = recheck_facts(town, rig, name, WorkerVerb::RestartQuiet)? else {
        return Ok(None);
    };
    let ago = kit::ui::time::format_ago(town.clock.now(), found.progress.work);
    let time = ago
        .strip_suffix(" ago")
        .map_or(String::new(), |time| format!(" for {time}"));
    let activity = found.progress.doing.describe();
    let waits = if activity.is_empty() {
        activity
    } else {
        format!(": {activity}")
    };
    let reason = format!("it made no progress{time}{waits}");
    polecats::write_worker_checkpoint(rig, name);
    let cause = RestartCause::NoProgress(&reason);
    let session = start::restart_session(town, rig, name, cause)?;
    Ok(session.map(|session| format!("session {session} restarted, because {reason}")))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::pulse::ApiRefusal;

    fn now() -> Timestamp {
        "2026-01-01T12:00:00Z".parse().unwrap()
    }

    fn minutes(ago: i64) -> Timestamp {
        now() - SignedDuration::from_mins(ago)
    }

    pub(crate) fn quiet(doing: WorkerActivity, ago: i64, nudged: Option<i64>) -> WatchFacts {
        WatchFacts {
            worker: Worker::new("web", "nux"),
            progress: WorkerProgress {
                at: minutes(ago),
                sign: ProgressSign::Tool,
                work: minutes(ago),
                changed: None,
                doing,
                attached: false,
            },
            nudges: NudgeCount {
                count: nudged.map_or(0, |_| 1),
                last: nudged.map(minutes),
            },
            respawns: Vec::new(),
            busy: false,
            asks: false,
        }
    }

    fn decided(facts: &WatchFacts) -> Option<&'static str> {
        let decided = decide(std::slice::from_ref(facts), now(), &Thresholds::default());
        decided.first().map(|decision| decision.rule.name)
    }

    #[test]
    fn every_step_of_the_escalation_ladder_is_taken_in_order() {
        let dialog = || WorkerActivity::Dialog {
            question: "Which?".to_owned(),
        };
        let (nudge, restart) = (Some("G1-nudge-quiet"), Some("G2-restart-quiet"));
        let rows = [
            (quiet(WorkerActivity::AtPrompt, 9, None), None),
            (quiet(WorkerActivity::AtPrompt, 10, None), nudge),
            (quiet(WorkerActivity::Unknown, 29, None), None),
            (quiet(WorkerActivity::Unknown, 30, None), restart),
            // Nudged, with the rest of the time left.
            (quiet(WorkerActivity::AtPrompt, 25, Some(15)), None),
            (quiet(WorkerActivity::AtPrompt, 30, Some(20)), restart),
            // The worker made progress after the nudge, so a new silence starts at the first step.
            (quiet(WorkerActivity::AtPrompt, 12, Some(40)), nudge),
            (quiet(dialog(), 29, None), None),
            (quiet(dialog(), 30, None), restart),
            (quiet(WorkerActivity::Busy, 29, None), None),
            (quiet(WorkerActivity::Busy, 30, None), nudge),
            (quiet(WorkerActivity::Busy, 119, Some(80)), None),
            (quiet(WorkerActivity::Busy, 120, Some(80)), restart),
            (
                quiet(WorkerActivity::Refused(ApiRefusal::default()), 500, None),
                None,
            ),
        ];
        for (facts, expected) in rows {
            assert_eq!(decided(&facts), expected, "{facts:?}");
            for is_left_alone in [
                WatchFacts {
                    busy: true,
                    ..facts.clone()
                },
                WatchFacts {
                    progress: WorkerProgress {
                        attached: true,
                        ..facts.progress.clone()
                    },
                    ..facts
                },
            ] {
                assert_eq!(decided(&is_left_alone), None, "{is_left_alone:?}");
            }
        }
    }

    #[test]
    fn a_worker_that_waits_for_an_answer_is_left_alone_unless_it_seems_to_work() {
        let asks = |doing| WatchFacts {
            asks: true,
            ..quiet(doing, 500, None)
        };
        assert_eq!(decided(&asks(WorkerActivity::AtPrompt)), None);
        assert_eq!(decided(&asks(WorkerActivity::Unknown)), None);
        let busy = decided(&asks(WorkerActivity::Busy));
        assert_eq!(busy, Some("G1-nudge-quiet"));
    }

    #[test]
    fn a_text_answer_is_not_progress_and_the_next_step_follows() {
        let mut facts = quiet(WorkerActivity::AtPrompt, 40, Some(25));
        facts.progress.at = minutes(24);
        assert_eq!(decided(&facts), Some("G2-restart-quiet"));
        facts.progress.at = minutes(19);
        assert_eq!(decided(&facts), None);
    }

    #[test]
    fn output_without_work_is_progress_for_a_while_only() {
        let mut facts = quiet(WorkerActivity::Unknown, 129, None);
        facts.progress.at = minutes(0);
        facts.progress.sign = ProgressSign::Screen;
        assert_eq!(decided(&facts), None);
        facts.progress.work = minutes(150);
        assert_eq!(decided(&facts), Some("G2-restart-quiet"));
    }

    #[test]
    fn a_worker_restarted_too_often_is_stuck() {
        let facts = WatchFacts {
            respawns: vec![minutes(500), minutes(300), minutes(100)],
            ..quiet(WorkerActivity::AtPrompt, 30, Some(20))
        };
        assert_eq!(decided(&facts), Some("P6-breaker"));
        let mut worked = facts;
        worked.progress.changed = Some(minutes(60));
        assert_eq!(decided(&worked), Some("G2-restart-quiet"));
    }

    #[test]
    fn the_time_at_which_a_rule_applies_is_computed() {
        let facts = [
            quiet(WorkerActivity::AtPrompt, 4, None),
            quiet(WorkerActivity::Busy, 4, None),
        ];
        let due = due(&facts, now(), &Thresholds::default());
        assert_eq!(due, Some(SignedDuration::from_mins(6)));
    }
}
