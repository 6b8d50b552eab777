//! The rules: pure functions from facts to decisions, numbered and named. A name never changes its
//! meaning: it stands in events, and `gt why` reads it back.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::facts::{Facts, PolecatFacts, RigFacts};
use crate::flow::done::Left;
use crate::flow::sync::Sharing;
use crate::patrol::attention::Messages;
use crate::record::polecat::SlotState;

/// So many new starts for one bead within [`WINDOW`], and the breaker opens.
const RESPAWNS: usize = 3;
/// So many failures of one sling, and the breaker opens.
const FAILURES: usize = 5;
/// The time over which new starts are counted.
const WINDOW: SignedDuration = SignedDuration::from_mins(30);
/// So long a worker that closed its bead itself may still commit and run `gt done`.
const AFTER_CLOSE: SignedDuration = SignedDuration::from_mins(10);

/// What a rule wants done, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The rule's name.
    pub rule: &'static str,
    /// What it saw.
    pub saw: String,
    /// What is to be done.
    #[serde(flatten)]
    pub todo: Do,
}

/// What can be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Do {
    /// Goes on with a sling at its first undone step.
    ResumeSling {
        /// The rig.
        rig: String,
        /// The polecat.
        polecat: String,
    },
    /// Finishes a `gt done` from its record.
    FinishDone {
        /// The rig.
        rig: String,
        /// The polecat.
        polecat: String,
    },
    /// Starts a session anew in its sandbox.
    Respawn {
        /// The rig.
        rig: String,
        /// The polecat.
        polecat: String,
    },
    /// Stops starting it again. A person hears of it.
    OpenBreaker {
        /// The rig.
        rig: String,
        /// The polecat.
        polecat: String,
    },
    /// Ends a session that has no work any more.
    EndSession {
        /// The rig.
        rig: String,
        /// The polecat.
        polecat: String,
    },
    /// Takes a bead off a hook that was closed without `gt done`; its commits go to a rescue ref.
    Release {
        /// The rig.
        rig: String,
        /// The polecat.
        polecat: String,
    },
    /// Slings a bead that stood in line.
    SlingWaiting {
        /// The rig.
        rig: String,
        /// The bead.
        bead: String,
    },
    /// Queues a conflict or repair task for a worker.
    QueueRepair {
        /// The rig.
        rig: String,
        /// The task.
        bead: String,
    },
    /// Runs a merge queue.
    RunQueue {
        /// The rig.
        rig: String,
    },
    /// Lands a convoy.
    Land {
        /// The convoy.
        convoy: String,
    },
    /// Makes the convoy of an approved request.
    FinishConvoy {
        /// The request.
        request: String,
    },
    /// Writes to the overseer what needs a person, and closes messages about what is over.
    AskPerson,
    /// Commits beads to their branch, merges and pushes it.
    ShareBeads {
        /// The rig; none for the town's own beads.
        rig: Option<String>,
    },
}

/// Applies all rules to the facts.
pub fn decide(facts: &Facts) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for (rig, known) in &facts.rigs {
        for polecat in &known.polecats {
            decisions.extend(polecat_rule(rig, polecat, facts.now));
        }
        decisions.extend(repair_rule(rig, known));
        decisions.extend(waiting_rule(rig, known));
        decisions.extend(queue_rule(rig, known));
    }
    let land = |convoy: &String| Decision {
        rule: "L1-land-when-all-done",
        saw: format!("every bead that {convoy} tracks is done"),
        todo: Do::Land {
            convoy: convoy.clone(),
        },
    };
    decisions.extend(facts.landable.iter().map(land));
    let finish = |request: &String| Decision {
        rule: "C1-finish-approved-convoy",
        saw: format!("{request} is approved, and its convoy was never finished"),
        todo: Do::FinishConvoy {
            request: request.clone(),
        },
    };
    decisions.extend(facts.unfinished_convoys.iter().map(finish));
    decisions.extend(person_rule(&facts.messages));
    decisions.extend(facts.sharing.iter().filter_map(share_rule));
    decisions
}

/// O1: what only a person can move on is reported once, and the message is closed when it is over.
fn person_rule(messages: &Messages) -> Option<Decision> {
    let subjects = messages.new.iter().map(|matter| matter.subject.clone());
    let over = messages.over.len();
    let saw: Vec<String> = subjects
        .chain((over > 0).then(|| format!("messages about what is over: {over}")))
        .collect();
    (!messages.is_empty()).then(|| Decision {
        rule: "O1-ask-a-person",
        saw: saw.join("; "),
        todo: Do::AskPerson,
    })
}

/// S1: a store with something new is put on its branch once nobody writes, and right after a landing.
fn share_rule(sharing: &Sharing) -> Option<Decision> {
    let whose = match &sharing.rig {
        Some(rig) => format!("rig {rig}"),
        None => "the town".to_owned(),
    };
    let why = if sharing.unpushed {
        "a commit that its remote does not have"
    } else if sharing.landed {
        "something new, and a convoy landed"
    } else {
        "something new, and nobody writes"
    };
    sharing.due_in().is_zero().then(|| Decision {
        rule: "S1-share-beads",
        saw: format!("{whose} has {why}"),
        todo: Do::ShareBeads {
            rig: sharing.rig.clone(),
        },
    })
}

/// In how long a rule will apply that none does now, if nothing happens until then.
pub fn due_in(facts: &Facts) -> Option<SignedDuration> {
    let waits = facts.sharing.iter().map(Sharing::due_in);
    waits.filter(SignedDuration::is_positive).min()
}

/// What is to be done about one polecat; the first rule that applies decides.
///
/// - P1: whoever holds its slot is at work on it: nothing.
/// - P2: it could not be asked whether its session runs: nothing. Unknown is not dead.
/// - P3: its sling is unfinished: go on with it, until the breaker opens.
/// - P4: its bead is closed, or was taken from it by closing and reopening it. Where someone else did that, or its worker
///   did it and has had time for `gt done`: keep its commits, end the session, clear the hook. Only the worker's own
///   `gt done` hands work in.
/// - P5: a `gt done` began and nobody runs it: finish it. Where trying again cannot help, open the breaker.
/// - P6: it has work and no session: start it anew, until the breaker opens.
/// - P7: it has no work but a session, or the screen of one that has ended: end the session.
fn polecat_rule(rig: &str, polecat: &PolecatFacts, now: Timestamp) -> Option<Decision> {
    let (rig, name) = (rig.to_owned(), polecat.name.clone());
    let decision = |rule, todo| {
        Some(Decision {
            rule,
            saw: polecat.why.clone(),
            todo,
        })
    };
    if polecat.busy {
        return None;
    }
    let alive = polecat.alive?;
    if polecat.superseded {
        return closed_rule(rig, polecat, alive, now);
    }
    if polecat.hook.is_none() {
        let todo = Do::EndSession { rig, polecat: name };
        return (alive || polecat.shown)
            .then(|| decision("P7-end-idle-session", todo))
            .flatten();
    }
    // A person hears of it: nobody can say what was going on.
    if polecat.record_lost {
        return None;
    }
    if polecat.hook_closed {
        return closed_rule(rig, polecat, alive, now);
    }
    match &polecat.slot {
        SlotState::Slinging(sling) if sling.failures >= FAILURES => {
            return decision("P3-breaker", Do::OpenBreaker { rig, polecat: name });
        }
        SlotState::Slinging(_) => {
            return decision("P3-resume-sling", Do::ResumeSling { rig, polecat: name });
        }
        SlotState::Stuck { .. } => return None,
        _ if alive => return None,
        SlotState::Finishing { .. } if is_hopeless(&polecat.slot) => {
            return decision("P5-breaker", Do::OpenBreaker { rig, polecat: name });
        }
        SlotState::Finishing { .. } => {
            return decision("P5-finish-done", Do::FinishDone { rig, polecat: name });
        }
        SlotState::Idle | SlotState::Working => {}
    }
    let recent = polecat
        .respawns
        .iter()
        .filter(|at| now.duration_since(**at) < WINDOW)
        .count();
    if recent >= RESPAWNS {
        return decision("P6-breaker", Do::OpenBreaker { rig, polecat: name });
    }
    decision("P6-respawn-stalled", Do::Respawn { rig, polecat: name })
}

/// Whether its `gt done` failed in a way that trying again cannot mend.
fn is_hopeless(slot: &SlotState) -> bool {
    slot.failed_done().is_some_and(|failed| !failed.retry)
}

/// P4, for a worker whose bead is closed.
fn closed_rule(
    rig: String,
    polecat: &PolecatFacts,
    alive: bool,
    now: Timestamp,
) -> Option<Decision> {
    let name = polecat.name.clone();
    let just_closed = |at: Timestamp| now.duration_since(at) < AFTER_CLOSE;
    if !polecat.superseded {
        if alive && polecat.closed_at.is_some_and(just_closed) {
            return None;
        }
        if !alive && polecat.slot.done().is_some() && !is_hopeless(&polecat.slot) {
            return Some(Decision {
                rule: "P5-finish-done",
                saw: polecat.why.clone(),
                todo: Do::FinishDone { rig, polecat: name },
            });
        }
    }
    let with = match polecat.left {
        Left::Commits => ", with commits that were not handed in",
        Left::Files => ", with files that are not committed",
        Left::Nothing => "",
    };
    Some(Decision {
        rule: "P4-release-closed",
        saw: format!("{}{with}", polecat.why),
        todo: Do::Release { rig, polecat: name },
    })
}

/// R1: a conflict or repair task goes to a worker, unless a person is to decide that.
fn repair_rule(rig: &str, known: &RigFacts) -> Vec<Decision> {
    let queue = |bead: &String| Decision {
        rule: "R1-queue-repair",
        saw: format!("{bead} is open, and nobody had it"),
        todo: Do::QueueRepair {
            rig: rig.to_owned(),
            bead: bead.clone(),
        },
    };
    known.repairs.iter().map(queue).collect()
}

/// W1: beads in line go as soon as nothing blocks them, as many as there is room for.
fn waiting_rule(rig: &str, known: &RigFacts) -> Vec<Decision> {
    let go = |bead: &String| Decision {
        rule: "W1-sling-unblocked",
        saw: format!("{bead} is blocked no more, and rig {rig} has room"),
        todo: Do::SlingWaiting {
            rig: rig.to_owned(),
            bead: bead.clone(),
        },
    };
    known.unblocked.iter().take(known.room).map(go).collect()
}

/// Q1: a ready merge request runs the queue.
fn queue_rule(rig: &str, known: &RigFacts) -> Option<Decision> {
    known.queue_ready.then(|| Decision {
        rule: "Q1-run-queue",
        saw: format!("rig {rig} has a merge request that nothing blocks"),
        todo: Do::RunQueue {
            rig: rig.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::polecat::{DoneRecord, FailedStep, SlingStep, Slinging, State};

    fn slinging(step: SlingStep, failures: usize) -> SlotState {
        SlotState::Slinging(Slinging {
            step,
            failures,
            ..Slinging::default()
        })
    }

    fn handing_in(hopeless: bool) -> SlotState {
        let failed = hopeless.then(|| FailedStep {
            step: "proof".to_owned(),
            reason: "no".to_owned(),
            retry: false,
        });
        SlotState::Finishing {
            record: DoneRecord {
                failed,
                ..DoneRecord::default()
            },
        }
    }

    fn polecat() -> PolecatFacts {
        PolecatFacts {
            name: "nux".into(),
            state: State::Working,
            why: String::new(),
            hook: Some("b".into()),
            hook_closed: false,
            superseded: false,
            record_lost: false,
            closed_at: None,
            left: Left::Nothing,
            busy: false,
            alive: Some(true),
            shown: false,
            slot: SlotState::Working,
            respawns: Vec::new(),
        }
    }

    fn rule(polecat: &PolecatFacts) -> Option<&'static str> {
        let now = "2026-01-01T12:00:00Z".parse().unwrap();
        polecat_rule("web", polecat, now).map(|decision| decision.rule)
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one row a line")]
    fn each_row_of_the_table() {
        let dead = PolecatFacts {
            alive: Some(false),
            ..polecat()
        };
        let idle = PolecatFacts {
            hook: None,
            slot: SlotState::Idle,
            ..polecat()
        };
        let rows = [
            (polecat(), None),
            (
                PolecatFacts {
                    busy: true,
                    ..dead.clone()
                },
                None,
            ),
            (
                PolecatFacts {
                    alive: None,
                    ..dead.clone()
                },
                None,
            ),
            (dead.clone(), Some("P6-respawn-stalled")),
            (
                PolecatFacts {
                    slot: slinging(SlingStep::Claimed, 0),
                    ..dead.clone()
                },
                Some("P3-resume-sling"),
            ),
            (
                PolecatFacts {
                    slot: slinging(SlingStep::Claimed, 5),
                    ..dead.clone()
                },
                Some("P3-breaker"),
            ),
            (
                PolecatFacts {
                    slot: slinging(SlingStep::Claimed, 5).into_stuck(String::new()),
                    ..dead.clone()
                },
                None,
            ),
            (
                PolecatFacts {
                    slot: slinging(SlingStep::Tracked, 0),
                    ..polecat()
                },
                Some("P3-resume-sling"),
            ),
            (
                PolecatFacts {
                    hook_closed: true,
                    ..polecat()
                },
                Some("P4-release-closed"),
            ),
            (
                PolecatFacts {
                    hook_closed: true,
                    ..dead.clone()
                },
                Some("P4-release-closed"),
            ),
            (
                PolecatFacts {
                    superseded: true,
                    ..polecat()
                },
                Some("P4-release-closed"),
            ),
            (
                PolecatFacts {
                    slot: handing_in(false),
                    ..dead.clone()
                },
                Some("P5-finish-done"),
            ),
            (
                PolecatFacts {
                    slot: handing_in(false),
                    ..polecat()
                },
                None,
            ),
            (
                PolecatFacts {
                    slot: handing_in(true),
                    ..dead.clone()
                },
                Some("P5-breaker"),
            ),
            (
                PolecatFacts {
                    slot: handing_in(true),
                    ..polecat()
                },
                None,
            ),
            (
                PolecatFacts {
                    slot: handing_in(true).into_stuck(String::new()),
                    ..dead.clone()
                },
                None,
            ),
            (
                PolecatFacts {
                    slot: SlotState::Working.into_stuck(String::new()),
                    ..dead.clone()
                },
                None,
            ),
            (
                PolecatFacts {
                    alive: Some(false),
                    ..idle.clone()
                },
                None,
            ),
            (
                PolecatFacts {
                    alive: Some(false),
                    shown: true,
                    ..idle.clone()
                },
                Some("P7-end-idle-session"),
            ),
            (idle, Some("P7-end-idle-session")),
        ];
        for (facts, expected) in rows {
            assert_eq!(rule(&facts), expected, "{facts:?}");
        }
    }

    #[test]
    fn whoever_closed_its_own_bead_has_time_for_gt_done_and_whoever_lost_it_has_not() {
        let at = |minutes: i64| {
            let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
            Some(now - SignedDuration::from_mins(minutes))
        };
        let closed = |superseded, alive, minutes| PolecatFacts {
            hook_closed: true,
            superseded,
            closed_at: at(minutes),
            left: Left::Commits,
            alive: Some(alive),
            ..polecat()
        };
        let release = Some("P4-release-closed");
        assert_eq!(rule(&closed(false, true, 1)), None);
        assert_eq!(rule(&closed(false, true, 11)), release);
        assert_eq!(rule(&closed(false, false, 1)), release);
        assert_eq!(rule(&closed(true, true, 1)), release);
        let begun = |superseded| PolecatFacts {
            slot: handing_in(false),
            ..closed(superseded, false, 1)
        };
        assert_eq!(rule(&begun(false)), Some("P5-finish-done"));
        assert_eq!(rule(&begun(true)), release);
    }

    #[test]
    fn the_breaker_opens_after_three_new_starts_in_half_an_hour() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let recent = vec![
            at("2026-01-01T11:40:00Z"),
            at("2026-01-01T11:50:00Z"),
            at("2026-01-01T11:59:00Z"),
        ];
        let dead = PolecatFacts {
            alive: Some(false),
            respawns: recent,
            ..polecat()
        };
        assert_eq!(rule(&dead), Some("P6-breaker"));
        let old = vec![at("2026-01-01T10:00:00Z"); 9];
        assert_eq!(
            rule(&PolecatFacts {
                respawns: old,
                ..dead
            }),
            Some("P6-respawn-stalled")
        );
    }

    #[test]
    fn as_many_waiting_beads_go_as_there_is_room() {
        let known = RigFacts {
            unblocked: vec!["a".into(), "b".into(), "c".into()],
            room: 2,
            ..RigFacts::default()
        };
        assert_eq!(waiting_rule("web", &known).len(), 2);
    }

    #[test]
    fn what_is_new_is_shared_at_rest_and_the_loop_is_told_how_long_to_sleep() {
        let sharing = |rest| Sharing {
            rest: SignedDuration::from_secs(rest),
            ..Sharing::default()
        };
        let facts = |rest| Facts {
            sharing: vec![sharing(rest), sharing(0)],
            ..Facts::default()
        };
        assert_eq!(decide(&facts(10)), Vec::new());
        assert_eq!(due_in(&facts(10)), Some(SignedDuration::from_secs(20)));
        let decided = decide(&facts(30));
        assert_eq!(decided.len(), 1);
        assert_eq!(decided[0].rule, "S1-share-beads");
        assert_eq!(decided[0].todo, Do::ShareBeads { rig: None });
    }

    #[test]
    fn an_approved_convoy_that_was_never_finished_is_finished() {
        let facts = Facts {
            unfinished_convoys: vec!["hq-rv-1".into()],
            ..Facts::default()
        };
        let decided = decide(&facts);
        assert_eq!(decided[0].rule, "C1-finish-approved-convoy");
        let request = "hq-rv-1".into();
        assert_eq!(decided[0].todo, Do::FinishConvoy { request });
    }

    #[test]
    fn an_idle_town_decides_nothing() {
        assert_eq!(due_in(&Facts::default()), None);
        assert_eq!(decide(&Facts::default()), Vec::new());
    }
}
