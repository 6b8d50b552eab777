use super::*;
use crate::record::polecat::{DoneRecord, DoneStep, FailedStep, NudgeCount, SlingStep};

pub(crate) fn slinging_state(step: SlingStep, failures: usize) -> SlotState {
    SlotState::Slinging(SlingInProgress {
        step,
        failures,
        ..SlingInProgress::default()
    })
}

pub(crate) fn done_state(hopeless: bool) -> SlotState {
    let failed = hopeless.then(|| FailedStep {
        step: DoneStep::Proof,
        reason: "no".to_owned(),
        retry: false,
    });
    SlotState::Finishing {
        record: DoneRecord {
            failed: failed.map(Box::new),
            ..DoneRecord::default()
        },
    }
}

pub(crate) fn working_polecat() -> PolecatFacts {
    PolecatFacts {
        worker: Worker::new("web", "nux"),
        why: String::new(),
        hook: Some("b".into()),
        hook_closed: false,
        superseded: false,
        record_lost: false,
        closed_at: None,
        left: SandboxLeftovers::Nothing,
        busy: false,
        alive: Some(true),
        shown: false,
        slot: SlotState::Working,
        respawns: Vec::new(),
        worked: false,
        lost: Vec::new(),
        stuck_times: 0,
        asks: false,
        refused: false,
        held_back: false,
    }
}

fn fixed_now() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

fn decided_rule(polecat: &PolecatFacts) -> Option<&'static str> {
    let decided = decide(
        std::slice::from_ref(polecat),
        fixed_now(),
        &Thresholds::default(),
    );
    decided.first().map(|decision| decision.rule.name)
}

#[test]
fn no_rule_waits_for_timestamps_written_by_a_wrong_clock() {
    let ahead = fixed_now() + SignedDuration::from_hours(9);
    let dead = PolecatFacts {
        alive: Some(false),
        respawns: vec![ahead; 3],
        lost: vec![ahead],
        ..working_polecat()
    };
    assert_eq!(decided_rule(&dead), Some("P6-respawn-stalled"));
    let stuck = PolecatFacts {
        slot: done_state(false).into_stuck(String::new(), ahead),
        ..dead
    };
    assert_eq!(decided_rule(&stuck), Some("P6-half-open"));
    let nudges = NudgeCount {
        count: 1,
        last: Some(ahead),
    };
    assert_eq!(nudges.until(fixed_now()).last, None);
    assert_eq!(nudges.until(ahead).last, Some(ahead));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row a line")]
fn every_row_of_the_rule_table_gives_its_decision() {
    let dead = PolecatFacts {
        alive: Some(false),
        ..working_polecat()
    };
    let idle = PolecatFacts {
        hook: None,
        slot: SlotState::Idle,
        ..working_polecat()
    };
    let rows = [
        (working_polecat(), None),
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
                slot: slinging_state(SlingStep::Claimed, 0),
                ..dead.clone()
            },
            Some("P3-resume-sling"),
        ),
        (
            PolecatFacts {
                slot: slinging_state(SlingStep::Claimed, 5),
                ..dead.clone()
            },
            Some("P3-breaker"),
        ),
        (
            PolecatFacts {
                slot: slinging_state(SlingStep::Claimed, 5).into_stuck(String::new(), fixed_now()),
                ..dead.clone()
            },
            None,
        ),
        (
            PolecatFacts {
                slot: slinging_state(SlingStep::Tracked, 0),
                ..working_polecat()
            },
            Some("P3-resume-sling"),
        ),
        (
            PolecatFacts {
                hook_closed: true,
                ..working_polecat()
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
                ..working_polecat()
            },
            Some("P4-release-closed"),
        ),
        (
            PolecatFacts {
                slot: done_state(false),
                ..dead.clone()
            },
            Some("P5-finish-done"),
        ),
        (
            PolecatFacts {
                slot: done_state(false),
                ..working_polecat()
            },
            None,
        ),
        (
            PolecatFacts {
                slot: done_state(true),
                ..dead.clone()
            },
            Some("P5-breaker"),
        ),
        (
            PolecatFacts {
                slot: done_state(true),
                ..working_polecat()
            },
            None,
        ),
        (
            PolecatFacts {
                slot: done_state(true).into_stuck(String::new(), fixed_now()),
                ..dead.clone()
            },
            None,
        ),
        (
            PolecatFacts {
                slot: SlotState::Working.into_stuck(String::new(), fixed_now()),
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
        assert_eq!(decided_rule(&facts), expected, "{facts:?}");
    }
}

#[test]
fn a_worker_that_closed_its_own_bead_gets_time_for_gt_done() {
    let at = |minutes: i64| Some(fixed_now() - SignedDuration::from_mins(minutes));
    let closed = |superseded, alive, minutes| PolecatFacts {
        hook_closed: true,
        superseded,
        closed_at: at(minutes),
        left: SandboxLeftovers::Commits,
        alive: Some(alive),
        ..working_polecat()
    };
    let release = Some("P4-release-closed");
    assert_eq!(decided_rule(&closed(false, true, 1)), None);
    let due_in = |facts| due(&[facts], fixed_now(), &Thresholds::default());
    let minutes = SignedDuration::from_mins(9);
    assert_eq!(due_in(closed(false, true, 1)), Some(minutes));
    assert_eq!(due_in(closed(true, true, 1)), None);
    assert_eq!(due_in(closed(false, true, 11)), None);
    assert_eq!(decided_rule(&closed(false, true, 11)), release);
    assert_eq!(decided_rule(&closed(false, false, 1)), release);
    assert_eq!(decided_rule(&closed(true, true, 1)), release);
    let begun = |superseded| PolecatFacts {
        slot: done_state(false),
        ..closed(superseded, false, 1)
    };
    assert_eq!(decided_rule(&begun(false)), Some("P5-finish-done"));
    assert_eq!(decided_rule(&begun(true)), release);
}

#[test]
fn the_breaker_opens_after_three_restarts_in_half_an_hour_or_without_work() {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let recent = vec![
        at("2026-01-01T11:40:00Z"),
        at("2026-01-01T11:50:00Z"),
        at("2026-01-01T11:59:00Z"),
    ];
    let dead = PolecatFacts {
        alive: Some(false),
        respawns: recent,
        ..working_polecat()
    };
    assert_eq!(decided_rule(&dead), Some("P6-breaker"));
    let old = vec![at("2026-01-01T10:00:00Z"); 9];
    let idle = PolecatFacts {
        respawns: old,
        ..dead
    };
    assert_eq!(decided_rule(&idle), Some("P6-breaker"));
    let worked = PolecatFacts {
        worked: true,
        ..idle
    };
    assert_eq!(decided_rule(&worked), Some("P6-respawn-stalled"));
}

#[test]
fn thresholds_come_from_the_rig() {
    let patient = Thresholds {
        restarts: 1,
        sling_failures: 9,
        ..Thresholds::default()
    };
    let decided = |polecat| decide(&[polecat], fixed_now(), &patient)[0].rule.name;
    let dead = PolecatFacts {
        alive: Some(false),
        respawns: vec![fixed_now()],
        ..working_polecat()
    };
    let slung = PolecatFacts {
        slot: slinging_state(SlingStep::Claimed, 5),
        ..dead.clone()
    };
    assert_eq!(decided(dead), "P6-breaker");
    assert_eq!(decided(slung), "P3-resume-sling");
}

#[test]
fn a_worker_is_retried_if_its_breaker_is_turned_off() {
    let dead = PolecatFacts {
        alive: Some(false),
        ..working_polecat()
    };
    let slot = |slot| PolecatFacts {
        slot,
        ..dead.clone()
    };
    let restarted = PolecatFacts {
        respawns: vec![fixed_now() - SignedDuration::from_mins(20); 3],
        ..dead.clone()
    };
    let rows = [
        (
            slot(slinging_state(SlingStep::Claimed, 5)),
            rule::P3_BREAKER,
            rule::P3_RESUME_SLING,
        ),
        (
            slot(done_state(true)),
            rule::P5_BREAKER,
            rule::P5_FINISH_DONE,
        ),
        (restarted, rule::P6_BREAKER, rule::P6_RESPAWN_STALLED),
    ];
    for (facts, breaker, retry) in rows {
        assert_eq!(decided_rule(&facts), Some(breaker.name));
        let mut thresholds = Thresholds::default();
        thresholds.off.insert(breaker.name);
        let decided = decide(&[facts], fixed_now(), &thresholds);
        assert_eq!(decided[0].rule, retry, "without {}", breaker.name);
    }
}

fn restarted_polecat(seconds_ago: &[i64]) -> PolecatFacts {
    let times = seconds_ago.iter();
    PolecatFacts {
        alive: Some(false),
        respawns: times
            .map(|ago| fixed_now() - SignedDuration::from_secs(*ago))
            .collect(),
        ..working_polecat()
    }
}

#[test]
fn restarts_back_off_from_the_second_restart() {
    let rows = [
        (restarted_polecat(&[]), Some("P6-respawn-stalled")),
        (restarted_polecat(&[9]), None),
        (restarted_polecat(&[10]), Some("P6-respawn-stalled")),
        (restarted_polecat(&[40, 19]), None),
        (restarted_polecat(&[40, 20]), Some("P6-respawn-stalled")),
    ];
    for (facts, expected) in rows {
        assert_eq!(decided_rule(&facts), expected, "{facts:?}");
    }
    let wait = due(
        &[restarted_polecat(&[4])],
        fixed_now(),
        &Thresholds::default(),
    );
    assert_eq!(wait, Some(SignedDuration::from_secs(6)));
}

#[test]
fn sessions_lost_together_wait_and_do_not_open_the_breaker() {
    let lost = PolecatFacts {
        lost: vec![fixed_now() - SignedDuration::from_secs(60); 9],
        ..restarted_polecat(&[])
    };
    assert_eq!(decided_rule(&lost), None, "they wait");
    let later = fixed_now() + SignedDuration::from_mins(10);
    let decided = decide(&[lost], later, &Thresholds::default());
    assert_eq!(decided[0].rule.name, "P6-respawn-stalled");
}

#[test]
fn workers_refused_by_the_api_are_left_to_the_outage_rule() {
    let refused = PolecatFacts {
        refused: true,
        ..restarted_polecat(&[300, 200, 100, 50])
    };
    assert_eq!(decided_rule(&refused), None);
    assert_eq!(due(&[refused], fixed_now(), &Thresholds::default()), None);
}

#[test]
fn a_worker_without_a_session_waits_for_the_answer_to_its_question() {
    let asks = PolecatFacts {
        asks: true,
        ..restarted_polecat(&[300, 200, 100, 50])
    };
    assert_eq!(decided_rule(&asks), None);
    assert_eq!(due(&[asks], fixed_now(), &Thresholds::default()), None);
    let without_work = PolecatFacts {
        asks: true,
        slot: done_state(true),
        ..restarted_polecat(&[])
    };
    assert_eq!(decided_rule(&without_work), None);
}

#[test]
fn a_failed_done_is_retried_with_doubling_waits() {
    let stuck = |minutes: i64, times: u32| PolecatFacts {
        slot: done_state(false).into_stuck(
            String::new(),
            fixed_now() - SignedDuration::from_mins(minutes),
        ),
        stuck_times: times,
        ..restarted_polecat(&[])
    };
    let rows = [
        (stuck(29, 1), None),
        (stuck(30, 1), Some("P6-half-open")),
        (stuck(59, 2), None),
        (stuck(60, 2), Some("P6-half-open")),
        (stuck(8 * 60, 99), Some("P6-half-open")),
    ];
    for (facts, expected) in rows {
        assert_eq!(decided_rule(&facts), expected, "{facts:?}");
    }
    let wait = due(&[stuck(10, 1)], fixed_now(), &Thresholds::default());
    assert_eq!(wait, Some(SignedDuration::from_mins(20)));
    let hopeless = PolecatFacts {
        slot: done_state(true)
            .into_stuck(String::new(), fixed_now() - SignedDuration::from_hours(99)),
        ..restarted_polecat(&[])
    };
    assert_eq!(decided_rule(&hopeless), None, "trying again cannot mend it");
    let restarted = PolecatFacts {
        slot: SlotState::Working.into_stuck(String::new(), Timestamp::UNIX_EPOCH),
        ..hopeless
    };
    assert_eq!(decided_rule(&restarted), None, "a user must act");
}
