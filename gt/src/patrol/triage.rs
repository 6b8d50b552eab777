//! The decision matrix for watching the deacon's session ([`super::boot`]).

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// The age up to which a new session is left alone.
const START_GRACE: SignedDuration = SignedDuration::from_mins(5);
/// The times without a sign of life after which the deacon is reminded of its mail, and woken.
const QUIET_TIME: SignedDuration = SignedDuration::from_mins(5);
const SILENT_TIME: SignedDuration = SignedDuration::from_mins(15);
/// The number of API refusals in a row that count as an error loop.
const MAX_REFUSALS: u32 = 3;

/// The facts about the deacon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeaconFacts {
    /// True if an agent does the deacon's work.
    pub is_agent: bool,
    /// True if the session runs. None if unknown.
    pub running: Option<bool>,
    /// True if a user stopped it.
    pub stopped: bool,
    pub paused: bool,
    /// True if a user is attached to the session.
    pub attached: bool,
    /// The start time of the session.
    pub started: Timestamp,
    /// The deacon's last sign of life.
    pub last_sign: Timestamp,
    /// The number of API refusals in a row.
    pub refusals: u32,
    /// The number of unread messages.
    pub unread: usize,
    /// True if any agent has work.
    pub has_work: bool,
    /// The last message to the deacon.
    pub asked: Option<(DeaconAction, Timestamp)>,
}

/// The action on the deacon's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeaconAction {
    Start,
    Nothing,
    /// Reminds the deacon of its mail.
    Nudge,
    /// Interrupts the deacon and asks it to check the town.
    Wake,
    /// Sends a message that the API refuses its requests.
    Interrupt,
    /// Ends the session and starts it again.
    Restart,
}

impl DeaconAction {
    /// All actions.
    pub(super) const ALL: [Self; 6] = [
        Self::Start,
        Self::Nothing,
        Self::Nudge,
        Self::Wake,
        Self::Interrupt,
        Self::Restart,
    ];

    /// Returns the action's name in files and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Nothing => "nothing",
            Self::Nudge => "nudge",
            Self::Wake => "wake",
            Self::Interrupt => "interrupt",
            Self::Restart => "restart",
        }
    }

    /// Returns true if the action sends a message to the deacon.
    pub(super) fn is_message(self) -> bool {
        matches!(self, Self::Nudge | Self::Wake | Self::Interrupt)
    }
}

fn do_nothing(why: &str) -> (DeaconAction, String) {
    (DeaconAction::Nothing, why.to_owned())
}

/// Chooses the action by the decision matrix. In doubt, does nothing.
pub fn choose_deacon_action(facts: &DeaconFacts, now: Timestamp) -> (DeaconAction, String) {
    if !facts.is_agent {
        return do_nothing("gtd does the work of the deacon");
    }
    if facts.paused {
        return do_nothing("the town is paused");
    }
    match facts.running {
        None => return do_nothing("sessions cannot be listed"),
        Some(false) if facts.stopped => return do_nothing("the user stopped the deacon"),
        Some(false) => return (DeaconAction::Start, "the deacon has no session".to_owned()),
        Some(true) => {}
    }
    if facts.attached {
        return do_nothing("a user is attached to its session");
    }
    if now.duration_since(facts.started) < START_GRACE {
        return do_nothing("its session was started a moment ago");
    }
    // The last sign of life answers all earlier messages.
    let asked = match facts.asked {
        Some((action, at)) if at >= facts.last_sign => Some((action, at)),
        _ => None,
    };
    let idle = now.duration_since(facts.last_sign);
    let quiet = format!("no sign of life for {} min", idle.as_mins());
    if facts.refusals >= MAX_REFUSALS {
        return match asked {
            Some((DeaconAction::Interrupt, _)) => do_nothing("it knows that its API refuses"),
            _ => {
                let times = kit::ui::counted(facts.refusals as usize, "time");
                (
                    DeaconAction::Interrupt,
                    format!("its API refused {times} in a row"),
                )
            }
        };
    }
    if idle < QUIET_TIME {
        return do_nothing("it is at work");
    }
    if facts.unread == 0 && !facts.has_work {
        return do_nothing("the town has no work and no mail for it");
    }
    if idle < SILENT_TIME {
        return match (facts.unread, asked) {
            (0, _) => do_nothing("it has no mail"),
            (_, Some(_)) => do_nothing("it was reminded of its mail"),
            (_, None) => (DeaconAction::Nudge, format!("unread mail and {quiet}")),
        };
    }
    match asked {
        Some((DeaconAction::Wake, at)) if now.duration_since(at) < SILENT_TIME => {
            do_nothing("it was woken and has time to answer")
        }
        Some((DeaconAction::Wake, at)) => {
            let ago = kit::ui::time::format_ago(now, at);
            (
                DeaconAction::Restart,
                format!("{quiet}, and no answer since it was woken {ago}"),
            )
        }
        _ => (DeaconAction::Wake, quiet),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-01-01T12:00:00Z".parse().unwrap()
    }

    fn ago(minutes: i64) -> Timestamp {
        now() - SignedDuration::from_mins(minutes)
    }

    /// A deacon with work, mail and no sign of life for some minutes.
    pub(crate) fn silent(minutes: i64) -> DeaconFacts {
        DeaconFacts {
            is_agent: true,
            running: Some(true),
            stopped: false,
            paused: false,
            attached: false,
            started: ago(600),
            last_sign: ago(minutes),
            refusals: 0,
            unread: 1,
            has_work: true,
            asked: None,
        }
    }

    fn asked(minutes: i64, action: DeaconAction, before: i64) -> DeaconFacts {
        DeaconFacts {
            asked: Some((action, ago(before))),
            ..silent(minutes)
        }
    }

    #[test]
    fn every_row_of_the_triage_matrix_gives_its_action() {
        use DeaconAction::{Interrupt, Nothing, Nudge, Restart, Start, Wake};
        let gone = DeaconFacts {
            running: Some(false),
            ..silent(0)
        };
        let unread = |unread, minutes| DeaconFacts {
            unread,
            ..silent(minutes)
        };
        let idle_town = |minutes| DeaconFacts {
            unread: 0,
            has_work: false,
            ..silent(minutes)
        };
        let refused = |facts| DeaconFacts {
            refusals: 3,
            ..facts
        };
        let rows = [
            (
                DeaconFacts {
                    is_agent: false,
                    ..gone
                },
                Nothing,
            ),
            (
                DeaconFacts {
                    paused: true,
                    ..gone
                },
                Nothing,
            ),
            (
                DeaconFacts {
                    running: None,
                    ..gone
                },
                Nothing,
            ),
            (
                DeaconFacts {
                    stopped: true,
                    ..gone
                },
                Nothing,
            ),
            (gone, Start),
            (
                DeaconFacts {
                    attached: true,
                    ..silent(60)
                },
                Nothing,
            ),
            (
                DeaconFacts {
                    started: ago(4),
                    ..silent(60)
                },
                Nothing,
            ),
            (silent(0), Nothing),
            (silent(4), Nothing),
            (unread(0, 5), Nothing),
            (unread(0, 14), Nothing),
            (silent(5), Nudge),
            (silent(14), Nudge),
            (asked(14, Nudge, 3), Nothing),
            (asked(14, Nudge, 20), Nudge),
            (silent(15), Wake),
            (unread(0, 15), Wake),
            (asked(20, Nudge, 12), Wake),
            (asked(29, Wake, 14), Nothing),
            (asked(30, Wake, 15), Restart),
            (asked(15, Wake, 20), Wake),
            (idle_town(14), Nothing),
            (idle_town(600), Nothing),
            (refused(silent(0)), Interrupt),
            (refused(idle_town(600)), Interrupt),
            (refused(asked(10, Interrupt, 5)), Nothing),
        ];
        for (facts, expected) in rows {
            let (found, why) = choose_deacon_action(&facts, now());
            assert_eq!(found, expected, "{why}: {facts:?}");
        }
    }
}
