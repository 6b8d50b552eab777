use super::attention::{AttentionFacts, AttentionMessages};
use super::outages::tests::outage;
use super::polecats::tests::{done_state, slinging_state, working_polecat};
use super::rule::RULES;
use super::witness::tests::quiet;
use super::*;
use crate::record::escalation::Severity;
use crate::record::plugin::PluginGate;
use crate::record::plugin::gate::GateHistory;
use crate::record::polecat::SlingStep;
use crate::record::progress::WorkerActivity;
use crate::record::restarts::AgentRestarts;
use crate::testing::TestTown;
use crate::town::config::{self, SettingsLayer, SettingsLayers};
use crate::town::hold::{Hold, HoldState};
use crate::town::name::Worker;

/// Escalations to which every rule applies.
fn overdue_escalation() -> EscalationFacts {
    let overdue = OpenEscalation {
        id: "hq-e".into(),
        severity: Severity::High,
        is_acked: false,
        since: Timestamp::MIN,
        raised: 0,
        default_at: Some((Timestamp::MIN, "wait".into())),
        closed_bead: None,
        undelivered: Some((Timestamp::MIN, "email:human".into())),
    };
    let settled = OpenEscalation {
        id: "hq-f".into(),
        closed_bead: Some("web-1".into()),
        ..overdue.clone()
    };
    EscalationFacts {
        open: vec![overdue, settled],
        limit: 1,
        ..EscalationFacts::default()
    }
}

/// Facts to which every rule applies.
#[expect(clippy::too_many_lines, reason = "one fact after the other")]
fn facts_for_every_rule() -> TownFacts {
    let dead = || PolecatFacts {
        alive: Some(false),
        ..working_polecat()
    };
    let slot = |slot| PolecatFacts { slot, ..dead() };
    let polecats = vec![
        dead(),
        slot(slinging_state(SlingStep::Claimed, 0)),
        slot(slinging_state(SlingStep::Claimed, 5)),
        slot(done_state(false)),
        slot(done_state(true)),
        PolecatFacts {
            hook_closed: true,
            ..dead()
        },
        PolecatFacts {
            respawns: vec!["2026-01-01T11:59:00Z".parse().unwrap(); 3],
            ..dead()
        },
        PolecatFacts {
            slot: done_state(false).into_stuck(String::new(), Timestamp::UNIX_EPOCH),
            ..dead()
        },
        PolecatFacts {
            hook: None,
            ..working_polecat()
        },
    ];
    let asks = WorkerActivity::Dialog {
        question: String::new(),
    };
    let rig = RigFacts {
        polecats,
        watched: vec![
            quiet(WorkerActivity::AtPrompt, 20, None),
            quiet(asks, 60, None),
        ],
        unfinished: vec![UnfinishedWork {
            worker: Worker::new("web", "nux"),
            committed: Timestamp::UNIX_EPOCH,
            last: None,
            refused: false,
            alive: false,
        }],
        scheduler: SchedulerFacts {
            rig: "web".into(),
            unblocked: vec!["a".into()],
            repairs: vec!["b".into()],
            room: 1,
            ..SchedulerFacts::default()
        },
        queue: QueueFacts {
            rig: "web".into(),
            ready_in: Some(SignedDuration::ZERO),
            ..QueueFacts::default()
        },
        ..RigFacts::default()
    };
    let parked = RigFacts {
        held: Some(held_rig("docs", &["gt-docs-nux"])),
        ..RigFacts::default()
    };
    let over = AttentionMessages {
        over: vec!["hq-1".into()],
        ..AttentionMessages::default()
    };
    TownFacts {
        now: "2026-01-01T12:00:00Z".parse().unwrap(),
        outages: vec![outage(1)],
        rigs: BTreeMap::from([("web".to_owned(), rig), ("docs".to_owned(), parked)]),
        convoys: ConvoyFacts {
            landable: vec!["hq-cv-1".into()],
            unfinished: vec!["hq-rv-1".into()],
        },
        attention: AttentionFacts {
            messages: over,
            due_in: None,
        },
        escalations: overdue_escalation(),
        roles: vec![
            RoleFacts {
                running: Some(false),
                ..RoleFacts::default()
            },
            RoleFacts {
                running: Some(true),
                restarts: AgentRestarts {
                    restart_count: 1,
                    ..AgentRestarts::default()
                },
                ..RoleFacts::default()
            },
        ],
        deacon: Some(super::triage::tests::silent(60)),
        requests: vec![LifecycleRequest {
            message: "hq-m".into(),
            from: "mayor/".into(),
        }],
        hooked: vec![super::hooked::tests::hooked(40, None)],
        mail: vec![MailFacts {
            agent: "mayor".to_owned(),
            new_messages: 1,
            input: InputState::Idle,
        }],
        gates: vec![GateCheck {
            rig: Some("web".to_owned()),
            gate: "web-gate".to_owned(),
            at: Timestamp::UNIX_EPOCH,
            saw: String::new(),
        }],
        chores: ChoreFacts {
            event: "2026-01-01T11:00:00Z".parse().unwrap(),
            ..ChoreFacts::default()
        },
        places: vec!["pods--web--nux".to_owned()],
        plugins: PluginFacts {
            plugins: vec![open_plugin()],
            report: Some(jiff::civil::date(2026, 1, 1)),
            report_at: None,
        },
        sync: vec![SyncState {
            landed: true,
            ..SyncState::default()
        }],
        ..TownFacts::default()
    }
}

fn open_plugin() -> GateFacts {
    GateFacts {
        key: "tidy".to_owned(),
        rig: None,
        gate: PluginGate::Cooldown(jiff::SignedDuration::from_hours(1)),
        history: GateHistory::default(),
        can_run: true,
    }
}

fn held_rig(rig: &str, sessions: &[&str]) -> HeldFacts {
    let hold = Hold {
        state: HoldState::Parked,
        reason: format!("rig {rig} is parked"),
        next: format!("gt rig unpark {rig}"),
    };
    HeldFacts {
        rig: rig.to_owned(),
        hold,
        sessions: sessions.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn rule_names(decisions: &[Decision]) -> BTreeSet<&'static str> {
    decisions
        .iter()
        .map(|decision| decision.rule.name)
        .collect()
}

#[test]
fn every_rule_of_the_table_can_apply_and_each_can_be_turned_off() {
    let facts = facts_for_every_rule();
    let all: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(rule_names(&decide(&facts, &|_| true)), all);
    for rule in RULES {
        let mut facts = facts.clone();
        facts.thresholds.off.insert(rule.name);
        for rig in facts.rigs.values_mut() {
            rig.thresholds.off.insert(rule.name);
        }
        let mut others = all.clone();
        others.remove(rule.name);
        assert_eq!(
            rule_names(&decide(&facts, &|_| true)),
            others,
            "without {}",
            rule.name
        );
    }
}

#[test]
fn a_paused_town_only_sends_messages() {
    let paused = TownFacts {
        paused: Some(TownPause::default()),
        ..facts_for_every_rule()
    };
    let messages = ["E1-reescalate", "E3-deliver", "O1-ask-a-person"];
    assert_eq!(rule_names(&decide(&paused, &|_| true)), messages.into());
}

#[test]
fn in_a_held_rig_no_rule_starts_or_moves_an_agent_or_merges() {
    let mut facts = facts_for_every_rule();
    facts.rigs.remove("docs");
    let rig = facts.rigs.get_mut("web").unwrap();
    rig.held = Some(held_rig("web", &["gt-web-nux"]));
    let decisions = decide(&facts, &|_| true);
    let in_rig = decisions
        .iter()
        .filter(|one| one.action.rig() == Some("web"));
    let names: BTreeSet<&str> = in_rig.map(|one| one.rule.name).collect();
    let allowed = [
        "H1-stop-held",
        "K1-push-unfinished",
        "P4-release-closed",
        "P5-finish-done",
        "P7-end-idle-session",
    ];
    assert_eq!(names, allowed.into());
    facts.stopped = Some(EmergencyStop::default());
    let stopped = rule_names(&decide(&facts, &|_| true));
    let messages = [
        "E1-reescalate",
        "E3-deliver",
        "H1-stop-held",
        "O1-ask-a-person",
    ];
    assert_eq!(stopped, messages.into());
}

#[test]
fn an_idle_town_decides_nothing() {
    assert_eq!(due_in(&TownFacts::default()), None);
    assert_eq!(decide(&TownFacts::default(), &|_| true), Vec::new());
}

#[test]
fn rig_settings_change_rules_and_invalid_ones_are_reported_and_ignored() {
    let place = TestTown::new();
    place.add_rig("web", None).unwrap();
    let rig = place.town.find_rig("web").unwrap();
    let thresholds =
        || Thresholds::from_layers(&SettingsLayers::load(&place.town, Some(&rig)).unwrap());
    assert_eq!(thresholds(), Thresholds::default());
    let set = |name: &str, value: &str| {
        let layer = SettingsLayer::Settings;
        config::change_setting(&place.town, Some(&rig), layer, name, Some(value)).unwrap();
    };
    set("patrol.rules.P6-respawn-stalled", "off");
    set("patrol.breaker.window", "2h");
    assert!(!thresholds().is_on(rule::P6_RESPAWN_STALLED));
    assert!(
        Thresholds::for_town(&place.town)
            .unwrap()
            .is_on(rule::P6_RESPAWN_STALLED)
    );
    assert_eq!(thresholds().restart_window, SignedDuration::from_hours(2));
    let text = r#"{"patrol":{"breaker":{"restarts":"many","window":"soon"},
        "rules":{"P6-respawn-stalled":"maybe","P9-nothing":false}}}"#;
    std::fs::write(rig.settings(), text).unwrap();
    assert_eq!(thresholds(), Thresholds::default());
    let layers = SettingsLayers::load(&place.town, Some(&rig)).unwrap();
    let mut faults: Vec<String> = layers
        .find_faults(Some(&rig))
        .iter()
        .map(|fault| fault.error.to_string())
        .chain(rule::find_unknown_switches(&layers))
        .collect();
    faults.sort_by_key(|fault| fault.split_once("patrol.").map(|(_, rest)| rest.to_owned()));
    let wanted = [
        "patrol.breaker.restarts is `\"many\"`; use a whole number, without quotes",
        "patrol.breaker.window is `\"soon\"`; use a duration such as 30s or 10m, in quotes",
        "patrol.rules.P6-respawn-stalled is `\"maybe\"`; use true or false, without quotes",
        "there is no setting patrol.rules.P9-nothing: the nearest is patrol.rules.P3-breaker; correct it or take it out",
    ];
    assert_eq!(faults.len(), wanted.len(), "{faults:?}");
    for (fault, wanted) in faults.iter().zip(wanted) {
        assert!(fault.ends_with(wanted), "{fault}");
    }
}
