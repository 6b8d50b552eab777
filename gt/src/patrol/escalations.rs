//! Rules E1 to E4: handle escalations that no one answers.

use bd::bead::Status;
use jiff::{SignedDuration, Timestamp};

use super::decision::{Action, Decision};
use super::rule;
use crate::flow::townwide::escalate::{self, RaiseTime, find_raise_time};
use crate::host::LiveTown;
use crate::record::escalation::{self, Escalation, Severity};
use crate::record::town_view::TownView;
use crate::town::Town;
use crate::town::identity::Address;

/// The time that `gt escalate` gets for its own deliveries before the patrol takes over.
const DELIVERY_GRACE: SignedDuration = SignedDuration::from_mins(1);

/// The facts about open escalations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EscalationFacts {
    pub open: Vec<OpenEscalation>,
    /// The time without an acknowledgement after which one is raised.
    pub stale: SignedDuration,
    /// The maximum number of times that one is raised.
    pub limit: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenEscalation {
    pub id: String,
    pub severity: Severity,
    /// True if someone has acknowledged it.
    pub is_acked: bool,
    /// The start of the wait for an acknowledgement.
    pub since: Timestamp,
    /// The number of times it was raised.
    pub raised: u64,
    /// The deadline with the default answer.
    pub default_at: Option<(Timestamp, String)>,
    /// The closed bead that the question was about, so that no one waits for its answer.
    pub closed_bead: Option<String>,
    /// The last try of a command that has not run or has failed, with its route.
    pub undelivered: Option<(Timestamp, String)>,
}

/// Reads the facts.
pub(super) fn facts(town: &Town, view: &TownView) -> EscalationFacts {
    let open = escalation::list_escalations(&view.stores.town, false);
    if open.is_empty() {
        return EscalationFacts::default();
    }
    // The doctor reports invalid settings. The built-in ones apply.
    let (settings, _) = escalate::read_settings(town);
    EscalationFacts {
        open: open
            .iter()
            .map(|escalation| OpenEscalation {
                closed_bead: find_closed_bead(town, view, escalation),
                ..escalation_facts(escalation)
            })
            .collect(),
        stale: settings.stale,
        limit: settings.limit,
    }
}

/// Returns the bead of a worker's question, if the bead is closed. Other escalations may be about
/// more than the bead that they name, a question with a default gets it at its time, and an urgent
/// one is left to a person.
fn find_closed_bead(town: &Town, view: &TownView, escalation: &Escalation) -> Option<String> {
    let is_worker = |asker: &String| matches!(town.parse_address(asker), Ok(Address::Polecat(..)));
    let details = &escalation.details;
    let is_urgent = escalation.severity >= Severity::High;
    if details.decision.is_none() || details.asked_by.is_empty() || is_urgent {
        return None;
    }
    if escalation.default_at().is_some() || !details.asked_by.iter().all(is_worker) {
        return None;
    }
    let bead = view.stores.get(&escalation.related_bead)?;
    (bead.status == Status::Closed).then(|| bead.id.clone())
}

fn escalation_facts(escalation: &Escalation) -> OpenEscalation {
    let undelivered = escalation
        .details
        .deliveries
        .iter()
        .find(|one| one.is_due())
        .map(|delivery| {
            let at = delivery
                .at
                .parse()
                .unwrap_or_else(|_| escalation.waits_since());
            (at, delivery.route.clone())
        });
    OpenEscalation {
        id: escalation.id.clone(),
        severity: escalation.severity,
        is_acked: escalation.is_acked(),
        since: escalation.waits_since(),
        raised: escalation.reescalation_count,
        default_at: escalation
            .default_at()
            .map(|(answer, at)| (at, answer.to_owned())),
        closed_bead: None,
        undelivered,
    }
}

/// - E2: a decision whose deadline has passed is answered with its default.
/// - E1: an escalation that no one acknowledges in time is raised by one severity, up to the limit.
/// - E4: the question of a worker is closed with the bead that it is about.
/// - E3: a command that has not run or has failed is run again.
pub(super) fn decide(facts: &EscalationFacts, now: Timestamp) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for escalation in &facts.open {
        let id = &escalation.id;
        if let Some(bead) = &escalation.closed_bead {
            decisions.push(Decision {
                rule: rule::E4_CLOSE_QUESTION,
                saw: format!("{id} asks about {bead}, which is closed"),
                action: Action::CloseQuestion {
                    escalation: id.clone(),
                    bead: bead.clone(),
                },
            });
            continue;
        }
        if let Some((at, answer)) = &escalation.default_at
            && *at <= now
        {
            decisions.push(Decision {
                rule: rule::E2_TAKE_DEFAULT,
                saw: format!("no one answered {id} by {at}; its default is {answer}"),
                action: Action::TakeDefault {
                    escalation: id.clone(),
                },
            });
        }
        if matches!(raise_time_of(escalation, facts), RaiseTime::At(at) if at <= now) {
            decisions.push(Decision {
                rule: rule::E1_REESCALATE,
                saw: format!(
                    "no one acknowledged {id} ({}) since {}",
                    escalation.severity.name(),
                    escalation.since
                ),
                action: Action::Reescalate {
                    escalation: id.clone(),
                },
            });
        }
        if let Some((at, route)) = &escalation.undelivered
            && now.duration_since(*at) >= DELIVERY_GRACE
        {
            decisions.push(Decision {
                rule: rule::E3_DELIVER,
                saw: format!("{route} of {id} was not run or failed"),
                action: Action::Deliver {
                    escalation: id.clone(),
                },
            });
        }
    }
    decisions
}

/// Returns the time until the next rule applies.
pub(super) fn due(facts: &EscalationFacts, now: Timestamp) -> Option<SignedDuration> {
    facts
        .open
        .iter()
        .flat_map(|escalation| {
            let raise = match raise_time_of(escalation, facts) {
                RaiseTime::At(at) => Some(at),
                RaiseTime::Never(_) => None,
            };
            let retry = escalation
                .undelivered
                .as_ref()
                .and_then(|(at, _)| at.checked_add(DELIVERY_GRACE).ok());
            let default = escalation.default_at.as_ref().map(|(at, _)| *at);
            [raise, retry, default].into_iter().flatten()
        })
        .map(|at| at.duration_since(now))
        .filter(SignedDuration::is_positive)
        .min()
}

fn raise_time_of(escalation: &OpenEscalation, facts: &EscalationFacts) -> RaiseTime {
    find_raise_time(
        escalation.severity,
        escalation.is_acked,
        escalation.raised,
        escalation.since,
        facts.stale,
        facts.limit,
    )
}

/// Raises an escalation.
pub(super) fn raise_escalation_action(town: &LiveTown, id: &str) -> anyhow::Result<Option<String>> {
    let raised = escalate::raise_escalation(town, id)?;
    Ok(raised.map(|raised| {
        let old = raised.old_severity.name();
        let new = raised.new_severity.name();
        format!("{id} is {new} now, was {old}")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-01-01T{text}:00Z").parse().unwrap()
    }

    fn one(severity: Severity) -> OpenEscalation {
        OpenEscalation {
            id: "hq-e".to_owned(),
            severity,
            is_acked: false,
            since: at("10:00"),
            raised: 0,
            default_at: None,
            closed_bead: None,
            undelivered: None,
        }
    }

    fn facts(one: OpenEscalation) -> EscalationFacts {
        EscalationFacts {
            open: vec![one],
            stale: SignedDuration::from_hours(4),
            limit: 2,
        }
    }

    /// The rule that applies at a time, and in how many minutes the next one will.
    fn judged(one: &OpenEscalation, time: &str) -> (Option<&'static str>, Option<i64>) {
        let facts = facts(one.clone());
        let rule = decide(&facts, at(time)).first().map(|one| one.rule.name);
        (rule, due(&facts, at(time)).map(|wait| wait.as_mins()))
    }

    #[test]
    fn a_question_about_a_closed_bead_is_closed_and_neither_raised_nor_answered() {
        let settled = OpenEscalation {
            closed_bead: Some("web-1".to_owned()),
            default_at: Some((at("11:00"), "blue".to_owned())),
            ..one(Severity::High)
        };
        let decided = decide(&facts(settled), at("20:00"));
        let rules: Vec<_> = decided.iter().map(|one| one.rule.name).collect();
        assert_eq!(rules, ["E4-close-question"]);
        assert_eq!(decided[0].saw, "hq-e asks about web-1, which is closed");
    }

    #[test]
    fn an_unacknowledged_escalation_is_raised_after_four_hours_up_to_the_limit() {
        let high = one(Severity::High);
        assert_eq!(judged(&high, "13:59"), (None, Some(1)));
        assert_eq!(judged(&high, "14:00"), (Some("E1-reescalate"), None));
        let critical = one(Severity::Critical);
        let acked = OpenEscalation {
            is_acked: true,
            ..high.clone()
        };
        let often = OpenEscalation { raised: 2, ..high };
        for never in [critical, acked, often] {
            assert_eq!(judged(&never, "23:00"), (None, None), "{never:?}");
        }
    }

    #[test]
    fn the_default_answers_even_an_acknowledged_escalation_at_its_deadline() {
        let decision = OpenEscalation {
            is_acked: true,
            default_at: Some((at("11:00"), "wait".to_owned())),
            ..one(Severity::Medium)
        };
        assert_eq!(judged(&decision, "10:50"), (None, Some(10)));
        assert_eq!(judged(&decision, "11:00"), (Some("E2-take-default"), None));
        let stale = OpenEscalation {
            is_acked: false,
            ..decision
        };
        assert_eq!(judged(&stale, "15:00").0, Some("E2-take-default"));
    }

    #[test]
    fn a_failed_command_is_retried_after_a_minute() {
        let failed = OpenEscalation {
            is_acked: true,
            undelivered: Some((at("10:10"), "email:human".to_owned())),
            ..one(Severity::High)
        };
        assert_eq!(judged(&failed, "10:10"), (None, Some(1)));
        assert_eq!(judged(&failed, "10:11"), (Some("E3-deliver"), None));
    }
}
