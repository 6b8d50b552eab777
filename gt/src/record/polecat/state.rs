//! Derives the state of a polecat: working, idle, stalled or zombie. Computed from hook, session
//! and last completion on each query, never stored.

use kit::ui::escape;
use serde::Serialize;

use super::FailedStep;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolecatState {
    /// Has work, and a session or process works on it.
    Working,
    /// Has no work and no session: ready for the next bead.
    Idle,
    /// Has work, and nothing works on it.
    Stalled,
    /// Session and work do not belong together, the sandbox of the session was removed, or a `gt
    /// done` was interrupted.
    Zombie,
}

impl PolecatState {
    /// Returns the state's name, for display and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Stalled => "stalled",
            Self::Zombie => "zombie",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    Alive,
    /// No session exists, or its process has ended.
    Gone,
    /// The state could not be queried. Unknown is not dead.
    Unknown,
}

/// The facts from which a polecat's state is derived.
#[derive(Debug, Clone)]
pub struct StateFacts<'a> {
    pub hook: Option<&'a str>,
    /// True if that bead is closed.
    pub hook_closed: bool,
    pub session: SessionState,
    /// True if a gt process holds its slot now (a sling, a done, a respawn).
    pub busy: bool,
    /// The failed step of its last `gt done`.
    pub failed_done: Option<&'a FailedStep>,
    /// True if a `gt done` began and has not ended.
    pub done_begun: bool,
    /// True if the folder of its work was removed.
    pub sandbox_gone: bool,
}

/// Derives the state, with a reason in a few words.
pub fn derive_state(seen: &StateFacts) -> (PolecatState, String) {
    use SessionState::{Alive, Gone, Unknown};
    let Some(hook) = seen.hook else {
        return match seen.session {
            Alive if !seen.busy => (
                PolecatState::Zombie,
                "its work is over, and the patrol ends its session".to_owned(),
            ),
            _ => (PolecatState::Idle, "no work on its hook".to_owned()),
        };
    };
    if seen.busy {
        return (PolecatState::Working, format!("gt is at work for {hook}"));
    }
    if let Some(failed) = seen.failed_done {
        let step = &failed.step;
        let reason = escape::escape_line(&failed.reason);
        let why = if failed.retry {
            format!("`gt done` waits for the step {step}: {reason}; it is tried again")
        } else {
            format!("`gt done` failed at: {step}: {reason}")
        };
        return (PolecatState::Zombie, why);
    }
    match (seen.session, seen.hook_closed) {
        (Alive, true) => (
            PolecatState::Zombie,
            format!("{hook} is closed but its session still runs"),
        ),
        (Gone, true) => (
            PolecatState::Zombie,
            format!("{hook} is closed but still on its hook"),
        ),
        (Gone, false) if seen.done_begun => (
            PolecatState::Zombie,
            "`gt done` began and did not end".to_owned(),
        ),
        (Gone, false) => (
            PolecatState::Stalled,
            format!("{hook} is on its hook and no session runs"),
        ),
        (Alive, false) if seen.sandbox_gone => (
            PolecatState::Zombie,
            format!("its sandbox was removed while its session works on {hook}"),
        ),
        (Alive, false) => (PolecatState::Working, format!("at work on {hook}")),
        (Unknown, _) => (
            PolecatState::Working,
            format!("{hook} is on its hook; sessions cannot be asked"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::polecat::DoneStep;

    fn seen_state(hook: Option<&str>, session: SessionState) -> StateFacts<'_> {
        StateFacts {
            hook,
            hook_closed: false,
            session,
            busy: false,
            failed_done: None,
            done_begun: false,
            sandbox_gone: false,
        }
    }

    fn failed() -> FailedStep {
        FailedStep {
            step: DoneStep::Push,
            reason: "no route".to_owned(),
            retry: true,
        }
    }

    #[test]
    fn every_combination_has_exactly_one_state() {
        use SessionState::{Alive, Gone, Unknown};
        let failed = failed();
        let cases = [
            (seen_state(None, Gone), PolecatState::Idle),
            (seen_state(None, Unknown), PolecatState::Idle),
            (seen_state(None, Alive), PolecatState::Zombie),
            (
                StateFacts {
                    busy: true,
                    ..seen_state(None, Alive)
                },
                PolecatState::Idle,
            ),
            (seen_state(Some("b"), Alive), PolecatState::Working),
            (seen_state(Some("b"), Gone), PolecatState::Stalled),
            (seen_state(Some("b"), Unknown), PolecatState::Working),
            (
                StateFacts {
                    busy: true,
                    ..seen_state(Some("b"), Gone)
                },
                PolecatState::Working,
            ),
            (
                StateFacts {
                    hook_closed: true,
                    ..seen_state(Some("b"), Alive)
                },
                PolecatState::Zombie,
            ),
            (
                StateFacts {
                    hook_closed: true,
                    ..seen_state(Some("b"), Gone)
                },
                PolecatState::Zombie,
            ),
            (
                StateFacts {
                    done_begun: true,
                    ..seen_state(Some("b"), Gone)
                },
                PolecatState::Zombie,
            ),
            (
                StateFacts {
                    done_begun: true,
                    ..seen_state(Some("b"), Alive)
                },
                PolecatState::Working,
            ),
            (
                StateFacts {
                    failed_done: Some(&failed),
                    ..seen_state(Some("b"), Alive)
                },
                PolecatState::Zombie,
            ),
            (
                StateFacts {
                    sandbox_gone: true,
                    ..seen_state(Some("b"), Alive)
                },
                PolecatState::Zombie,
            ),
            // The next start restores it.
            (
                StateFacts {
                    sandbox_gone: true,
                    ..seen_state(Some("b"), Gone)
                },
                PolecatState::Stalled,
            ),
        ];
        for (seen, expected) in cases {
            assert_eq!(derive_state(&seen).0, expected, "{seen:?}");
        }
    }

    #[test]
    fn a_failed_done_names_its_step() {
        let failed = failed();
        let seen = StateFacts {
            failed_done: Some(&failed),
            ..seen_state(Some("b"), SessionState::Gone)
        };
        assert_eq!(
            derive_state(&seen).1,
            "`gt done` waits for the step push: no route; it is tried again"
        );
    }
}
