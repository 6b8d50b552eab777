//! Explains why nothing works for a worker: the last words of its session, and its next start.

use jiff::Timestamp;
use kit::ui::{cut, escape, time};

use super::memory::PatrolMemory;
use super::polecats::{find_restart_time, half_open_time, parse_times};
use super::thresholds::Thresholds;
use crate::host::daemon::is_daemon_running;
use crate::record::desk::DeskProgress;
use crate::record::polecat::{Polecat, PolecatState, Slot, SlotState};
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::name::Worker;

/// The maximum width of a worker's last words.
const LAST_WORDS_COLUMNS: usize = 80;

/// Returns the reason for a worker's state. Adds the last line of its last session and the time of
/// its next start, if it has work and no session, and the time of the next try of a failed `gt
/// done`.
pub fn explain_worker(layout: &TownLayout, view: &TownView, polecat: &Polecat) -> String {
    if let Some(why) = describe_desk(layout, view, polecat) {
        return why;
    }
    let mut why = polecat.why.clone();
    if let SlotState::Finishing { .. } = polecat.slot.state {
        let worker = Worker::new(polecat.rig.as_str(), polecat.name.as_str());
        let next = PatrolMemory::next_done(layout, worker, view.now);
        if let Some(next) = next.filter(|next| *next > view.now) {
            let next = time::format_ago(view.now, next);
            why.push_str(&format!(", the next time {next}"));
        }
    }
    if polecat.state == PolecatState::Stalled {
        add_session_end(&mut why, layout, view, polecat);
    }
    if matches!(polecat.state, PolecatState::Stalled | PolecatState::Zombie)
        && polecat.slot.state.stuck_reason().is_some()
    {
        let (rig, name) = (&polecat.rig, &polecat.name);
        why.push_str(&format!(". Next step: gt polecat retry {rig}/{name}"));
    }
    why
}

/// Describes the command that prepares the desk of a worker before its session starts.
fn describe_desk(layout: &TownLayout, view: &TownView, polecat: &Polecat) -> Option<String> {
    if polecat.hook.is_none() || !polecat.busy {
        return None;
    }
    let rig = layout.rig(&polecat.rig);
    match DeskProgress::read(&rig, &rig.sandbox(&polecat.name))? {
        DeskProgress::Running { step, since, log } => Some(format!(
            "the {step} of its desk runs, begun {}; then its log is {}",
            time::format_ago(view.now, since),
            log.display()
        )),
        DeskProgress::Failed { .. } => None,
    }
}

/// Adds the last line of a worker's last session and the time of its next start.
fn add_session_end(why: &mut String, layout: &TownLayout, view: &TownView, polecat: &Polecat) {
    if let Some(words) = quote_last_words(&polecat.slot) {
        why.push_str(&words);
    }
    let thresholds = Thresholds::from_layers(view.settings.for_rig(Some(&polecat.rig)));
    let is_held = polecat.asks.is_some() || polecat.refusal.is_some();
    // Only the daemon starts it.
    let next =
        find_next_start(&polecat.slot, view.now, &thresholds).filter(|_| is_daemon_running(layout));
    if let Some(next) = next.filter(|next| *next > view.now && !is_held) {
        let next = time::format_ago(view.now, next);
        why.push_str(&format!("; the next start is {next}"));
    }
}

/// Quotes the last line of a worker's last session.
fn quote_last_words(slot: &Slot) -> Option<String> {
    let ended = slot
        .ended
        .as_ref()
        .filter(|ended| ended.lease == slot.lease)?;
    let mut lines = ended.screen.iter().rev();
    let line = lines.find(|line| !line.trim().is_empty())?;
    let line = cut::cut_to_width(line.trim(), LAST_WORDS_COLUMNS);
    Some(format!("; its last line: {}", escape::escape_line(&line)))
}

/// Returns the time at which the patrol starts the session again. None if it is due, or if the
/// patrol does not start it.
fn find_next_start(slot: &Slot, now: Timestamp, thresholds: &Thresholds) -> Option<Timestamp> {
    match &slot.state {
        SlotState::Stuck { .. } => half_open_time(&slot.state, slot.stuck_times, now, thresholds),
        SlotState::Working | SlotState::Idle => {
            find_restart_time(&parse_times(&slot.respawns), &slot.lost, now, thresholds)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::host::ended::SessionEnd;

    #[test]
    fn the_next_start_of_a_worker_is_later_after_each_restart() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1);
        let thresholds = Thresholds::default();
        let wait_after = |restarts: usize| {
            let slot = Slot {
                state: SlotState::Working,
                respawns: vec![now.to_string(); restarts],
                ended: Some(SessionEnd {
                    screen: vec!["no network".to_owned(), String::new()],
                    ..SessionEnd::default()
                }),
                ..Slot::default()
            };
            let words = quote_last_words(&slot);
            assert_eq!(words.as_deref(), Some("; its last line: no network"));
            let next = find_next_start(&slot, now, &thresholds);
            next.map(|next| next.duration_since(now))
        };
        assert_eq!(wait_after(0), None);
        let first = thresholds.restart_wait;
        assert_eq!(wait_after(1), Some(first));
        assert_eq!(wait_after(2), Some(first * 2));
    }
}
