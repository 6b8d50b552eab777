//! Describes the record of a session that cannot be asked: its bead, the result of the bead, and
//! the end of the session.

use bd::bead::Bead;
use jiff::Timestamp;

use super::PastSession;
use crate::record::attempt;
use crate::record::work_metadata::WorkMetadata;
use crate::town::Town;
use crate::town::beads::TownStores;
use crate::town::event::{self, Event, EventLine};

/// Formats the record of a session, each line with a line end.
pub(super) fn describe_session(town: &Town, session: &PastSession) -> anyhow::Result<String> {
    let mut text =
        "It ran a script, which answers no question. What is recorded of it:\n".to_owned();
    if session.bead.is_empty() {
        text.push_str("Nothing was on its hook.\n");
        return Ok(text);
    }
    let stores = town.read_stores()?;
    match stores.get(&session.bead) {
        Some(bead) => text.push_str(&describe_work(&stores, session, bead)),
        None => text.push_str(&format!("Its bead {} is gone.\n", session.bead)),
    }
    let events = event::read_events_about(&town.layout, &session.bead)?;
    text.extend(describe_ending(session, &events));
    Ok(text)
}

fn describe_work(stores: &TownStores, session: &PastSession, bead: &Bead) -> String {
    let mut text = format!("{} \"{}\" ({})\n", bead.id, bead.title, bead.status);
    let rig = stores.rig_of(&bead.id);
    let beads = rig.and_then(|rig| stores.rigs.get(rig));
    // The attempt of the session is the worker's first one that ended after the session started.
    let attempts = attempt::list_attempts(beads.unwrap_or(&stores.town), bead);
    let summary = match attempts.into_iter().find(|attempt| {
        let ended = attempt.at.parse().unwrap_or(Timestamp::MIN);
        attempt.worker == session.actor && ended >= session.start_time()
    }) {
        Some(attempt) => {
            text.push_str(&format!("{}: {}\n", attempt.branch, attempt.why));
            attempt.summary
        }
        None => WorkMetadata::from_bead(bead).summary().to_owned(),
    };
    for line in summary.trim().lines() {
        text.push_str(&format!("> {line}\n"));
    }
    text
}

/// Describes the end of the session, with the last lines of its screen.
fn describe_ending(session: &PastSession, events: &[EventLine]) -> Option<String> {
    let (exit, signal, screen) = events
        .iter()
        .filter(|line| bd::bead::Stamp::parse(&line.ts).instant() >= session.start_time())
        .find_map(|line| match line.to_event() {
            Event::SessionEnded {
                rig,
                polecat,
                bead,
                exit,
                signal,
                screen,
                ..
            } if bead == session.bead && session.actor == format!("{rig}/polecats/{polecat}") => {
                Some((exit, signal, screen))
            }
            _ => None,
        })?;
    let how = match (exit, signal) {
        (_, Some(signal)) => format!("signal {signal}"),
        (Some(code), None) => format!("exit code {code}"),
        (None, None) => "an unknown end".to_owned(),
    };
    let mut text = format!("The session ended with {how}. Its screen:\n");
    for line in screen.iter().filter(|line| !line.trim().is_empty()) {
        text.push_str(&format!("> {}\n", line.trim_end()));
    }
    Some(text)
}
