//! Ends a worker's session with every process that was started in it, and records how a session
//! ended on its own: exit code or signal, and last screen.
//!
//! On success, no process of the worker's last session remains, even if the session had ended
//! before and a process outlived it. The text of a screen is foreign: it is kept as lines, and
//! escaped wherever it is shown.

use std::time::Duration;

use crate::flow::place::town_hook;
use crate::host::LiveTown;
use crate::host::ended::{SessionEnd, is_end_message};
use crate::host::runtime;
use crate::host::{HostError, LiveSession, ProcessEnd};
use crate::record::polecat::{PolecatIds, Slot};
use crate::town::event::event;
use crate::town::identity::{Address, SessionName};
use crate::town::process::{self, Process};
use crate::town::{Rig, Town, TownLayout};

/// The time that remaining processes get to end themselves.
const END_GRACE: Duration = Duration::from_secs(4);
/// The number of lines of a last screen that are kept.
const KEPT_LINES: usize = 20;
/// The number of lines that are captured. tmux writes its message about the end on the lowest line,
/// however tall the screen is.
const CAPTURED_LINES: usize = 200;
/// The maximum number of characters per line.
const MAX_LINE_WIDTH: usize = 200;

fn build_session_end(town: &Town, slot: &Slot, end: ProcessEnd, screen: &str) -> SessionEnd {
    let (exit, signal) = match end {
        ProcessEnd::Exit(code) => (Some(code), None),
        ProcessEnd::Signal(number) => (None, Some(number)),
        ProcessEnd::Unknown => (None, None),
    };
    SessionEnd {
        at: town.clock.now().to_string(),
        lease: slot.lease,
        exit,
        signal,
        because: String::new(),
        screen: last_screen_lines(&mask_secrets(town, screen)),
    }
}

/// Describes the end of a session that tmux only displays any more.
pub fn end_of_dead_session(town: &LiveTown, live: &LiveSession, slot: &Slot) -> Option<SessionEnd> {
    let end = live.dead?;
    let ended = build_session_end(town, slot, end, &capture_end(town, live));
    Some(match &live.ended_because {
        Some(because) => SessionEnd {
            because: because.clone(),
            ..ended
        },
        None => ended,
    })
}

/// Describes the end of a session that is ended for lack of progress.
pub fn end_of_quiet_session(
    town: &LiveTown,
    live: &LiveSession,
    slot: &Slot,
    because: &str,
) -> SessionEnd {
    SessionEnd {
        because: because.to_owned(),
        ..build_session_end(town, slot, ProcessEnd::Unknown, &capture_end(town, live))
    }
}

/// Returns the screen of a session. The end of an unreadable one is reported without it.
fn capture_end(town: &LiveTown, live: &LiveSession) -> String {
    let captured = town.host.capture(&live.name, CAPTURED_LINES);
    captured.unwrap_or_else(|_| String::new())
}

/// Describes the end of a session that ended right after its start, from the error of the start.
pub fn end_of_failed_start(town: &Town, slot: &Slot, error: &HostError) -> Option<SessionEnd> {
    match error {
        HostError::EndedAtOnce { end, output, .. } => {
            Some(build_session_end(town, slot, *end, output))
        }
        _ => None,
    }
}

/// Records the event of a session's end.
pub fn report_session_end(ended: &SessionEnd, town: &Town, rig: &str, polecat: &str, bead: &str) {
    town.record_event(&event!(SessionEnded,
        rig: rig, polecat: polecat, bead: bead, lease: ended.lease, exit: ended.exit,
        signal: ended.signal, because: ended.because, screen: ended.screen,
    ));
}

/// Masks the secrets of our environment and of the settings for agents in a screen. A program may
/// print its key in an error message, and the kept text goes into events and messages.
fn mask_secrets(town: &Town, screen: &str) -> String {
    // A shorter value is no secret and may occur anywhere.
    const MIN_SECRET_LENGTH: usize = 8;
    let configured = runtime::configured_variables(town);
    let given = configured
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    town.env
        .vars()
        .chain(given)
        .filter(|(name, value)| value.len() >= MIN_SECRET_LENGTH && town_hook::looks_secret(name))
        .fold(screen.to_owned(), |text, (name, value)| {
            text.replace(value, &format!("[{name}]"))
        })
}

/// Returns the last non-empty lines of a screen, truncated.
fn last_screen_lines(screen: &str) -> Vec<String> {
    let all: Vec<&str> = screen
        .lines()
        .filter(|line| !line.trim().is_empty() && !is_end_message(line))
        .collect();
    all[all.len().saturating_sub(KEPT_LINES)..]
        .iter()
        .map(|line| line.trim_end().chars().take(MAX_LINE_WIDTH).collect())
        .collect()
}

/// Stores the end of a worker's session in its slot and records the event, if the worker still has
/// the work.
pub fn record_session_end(
    rig: &Rig,
    ids: &PolecatIds,
    slot: &mut Slot,
    ended: &SessionEnd,
) -> anyhow::Result<()> {
    let store = rig.store()?;
    *slot = rig.transact(&store, |tx| {
        let mut current = slot.reload_held(tx, ids)?;
        current.ended = Some(ended.clone());
        current.save(tx, &ids.slot)?;
        Ok(current)
    })?;
    let name = ids.address.name().unwrap_or("");
    report_session_end(ended, rig.town(), rig.name(), name, &slot.bead);
    Ok(())
}

/// Ends a worker's session and the remaining processes of it and of the previous one. If the caller
/// runs in the session, the caller survives this call.
pub fn end_polecat_session(town: &LiveTown, session: &str, slot: &Slot) -> Result<(), HostError> {
    town.host.kill(session)?;
    end_leftover_processes(&town.layout, session, slot)
}

/// Ends the session of an agent other than a polecat. Returns true if it ran.
pub fn end_agent_session(town: &LiveTown, agent: &Address) -> anyhow::Result<bool> {
    let Some(name) = SessionName::for_agent(agent) else {
        return Ok(false);
    };
    let was_running = town.host.find_session(name.as_str())?.is_some();
    town.host.kill(name.as_str())?;
    Ok(was_running)
}

/// Ends the processes that a worker's sessions left behind. A copied town has the tokens of the
/// original, so processes that another town started are left alone.
pub fn end_leftover_processes(
    layout: &TownLayout,
    session: &str,
    slot: &Slot,
) -> Result<(), HostError> {
    let ancestors = process::list_ancestors(process::own_pid());
    let left: Vec<Process> = [&slot.token, &slot.left]
        .into_iter()
        .filter(|token| !token.is_empty())
        .flat_map(|token| process::processes_with_token(token))
        .filter(|process| !ancestors.contains(&process.pid))
        .filter(|process| process.other_town(layout.root()).is_none())
        .collect();
    let survivors = process::end_processes(&left, END_GRACE);
    if survivors.is_empty() {
        return Ok(());
    }
    Err(HostError::Survivors {
        name: session.to_owned(),
        pids: survivors.iter().map(|process| process.pid).collect(),
    })
}

#[cfg(test)]
mod tests {
    use kit::sys::Env;

    use super::*;

    #[test]
    fn the_last_lines_of_the_screen_are_kept_without_tmux_messages() {
        let long = "x".repeat(500);
        let many: String = (0..50).map(|number| format!("line {number}\n\n")).collect();
        let screen = format!("{many}{long}\nPane is dead (status 7, Mon)\n");
        let kept = last_screen_lines(&screen);
        assert_eq!(kept.len(), KEPT_LINES);
        assert_eq!(kept[0], "line 31");
        assert_eq!(kept[KEPT_LINES - 1].len(), MAX_LINE_WIDTH);
    }

    #[test]
    fn the_end_of_a_session_is_recorded() {
        let place = crate::testing::TestTown::new();
        for end in [
            ProcessEnd::Exit(7),
            ProcessEnd::Signal(9),
            ProcessEnd::Unknown,
        ] {
            let kept = super::build_session_end(&place.town, &Slot::default(), end, "");
            let text = serde_json::to_string(&kept).unwrap();
            let again: SessionEnd = serde_json::from_str(&text).unwrap();
            assert_eq!(again.describe(), end.to_string());
        }
    }

    #[test]
    fn no_secret_of_the_last_screen_is_kept() {
        let mut place = crate::testing::TestTown::new();
        let vars = [
            ("AN_API_KEY", "sk-0123456789"),
            ("A_TOKEN", "short"),
            ("EDITOR", "a-long-word"),
        ];
        place.town.env = Env::with_vars(std::path::Path::new("/"), vars);
        let settings =
            r#"{"agents":{"x":{"env":{"X_SECRET":"of-the-settings","X_MODEL":"of-no-secret"}}}}"#;
        std::fs::write(place.town.layout.settings(), settings).unwrap();
        let error =
            "401: sk-0123456789 is no key, short, a-long-word, of-the-settings, of-no-secret\n";
        let ended =
            super::build_session_end(&place.town, &Slot::default(), ProcessEnd::Exit(1), error);
        assert_eq!(
            ended.screen,
            ["401: [AN_API_KEY] is no key, short, a-long-word, [X_SECRET], of-no-secret"]
        );
    }
}
