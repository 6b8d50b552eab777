//! Rule T1: runs the chores of the town. Each is plain code and runs after its interval. A town
//! without events since the last run does none. The kennel is also due when a dog with work has no
//! session.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use kit::ui::time::format_ago;

use super::decision::{Action, Decision};
use super::rule;
use super::thresholds::Thresholds;
use crate::flow::townwide::dog;
use crate::flow::townwide::dog::chore::{self, Chore};
use crate::flow::townwide::dog::health::{self, DogCondition};
use crate::host::LiveTown;
use crate::record::chores;
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::event::event;

/// Events of a chore itself are no reason for the next one.
const OWN_EVENTS_AGE: SignedDuration = SignedDuration::from_mins(1);

/// The facts about chores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChoreFacts {
    /// The last run of each chore.
    pub last: BTreeMap<String, Timestamp>,
    /// The start of the interval for chores that have never run.
    pub from: Timestamp,
    pub event: Timestamp,
    /// The dogs that have work and no session.
    pub lost_dogs: Vec<String>,
}

/// Reads the facts.
pub(super) fn facts(layout: &TownLayout, view: &TownView) -> ChoreFacts {
    ChoreFacts {
        last: chores::load_last_runs(layout),
        from: modification_time(&layout.town_json()),
        event: modification_time(&layout.events()),
        lost_dogs: find_lost_dogs(layout, view),
    }
}

/// Returns the dogs that have work and no session. While the sessions are unknown, no dog is lost.
fn find_lost_dogs(layout: &TownLayout, view: &TownView) -> Vec<String> {
    let Some(sessions) = &view.sessions else {
        return Vec::new();
    };
    dog::list_dogs_in(layout, &view.stores)
        .into_iter()
        .filter(|dog| {
            let condition = health::find_condition(layout, dog, sessions, view.now, health::HUNG);
            condition == Some(DogCondition::Zombie)
        })
        .map(|dog| dog.name)
        .collect()
}

fn modification_time(path: &Path) -> Timestamp {
    std::fs::metadata(path)
        .and_then(|meta| meta.modified())
        .ok()
        .and_then(|time| time.try_into().ok())
        .unwrap_or(Timestamp::UNIX_EPOCH)
}

impl ChoreFacts {
    /// Returns the time until a chore is due, and its last run. None if it is never due.
    fn time_until_due(
        &self,
        chore: Chore,
        now: Timestamp,
        numbers: &Thresholds,
    ) -> Option<(SignedDuration, Timestamp)> {
        let every = *numbers.chores.get(chore.name())?;
        if chore == Chore::Kennel && !self.lost_dogs.is_empty() && every.is_positive() {
            return Some((SignedDuration::ZERO, now));
        }
        let done = self.last.get(chore.name()).copied();
        let (last, settling_time) = done.map_or((self.from, SignedDuration::ZERO), |last| {
            (last, OWN_EVENTS_AGE)
        });
        let has_news = self.event.duration_since(last) > settling_time;
        (has_news && every.is_positive()).then(|| (every - now.duration_since(last), last))
    }
}

/// T1: a chore runs when its interval has passed.
pub(super) fn decide(facts: &ChoreFacts, now: Timestamp, numbers: &Thresholds) -> Vec<Decision> {
    Chore::ALL
        .into_iter()
        .filter_map(|chore| {
            let (wait, last) = facts.time_until_due(chore, now, numbers)?;
            (!wait.is_positive()).then(|| Decision {
                rule: rule::T1_DO_CHORE,
                saw: if chore == Chore::Kennel && !facts.lost_dogs.is_empty() {
                    format!("no session of dog {}", facts.lost_dogs.join(", "))
                } else if facts.last.contains_key(chore.name()) {
                    format!("{} was done {}", chore.name(), format_ago(now, last))
                } else {
                    format!("{} was never done", chore.name())
                },
                action: Action::DoChore { chore },
            })
        })
        .collect()
}

/// Returns the time until the next chore that is not due now.
pub(super) fn due(
    facts: &ChoreFacts,
    now: Timestamp,
    numbers: &Thresholds,
) -> Option<SignedDuration> {
    Chore::ALL
        .into_iter()
        .filter_map(|chore| facts.time_until_due(chore, now, numbers))
        .map(|(wait, _)| wait)
        .filter(SignedDuration::is_positive)
        .min()
}

/// Runs a chore.
pub(super) fn run_chore_action(town: &LiveTown, chore: Chore) -> anyhow::Result<Option<String>> {
    let lines = chore::run_chore(town, chore)?;
    town.record_event(&event!(ChoreDone, dog: String::new(), chore: chore.name(), lines: lines));
    chores::record_run(town, chore.name())?;
    Ok(Some(match lines.as_slice() {
        [] => "nothing was found".to_owned(),
        lines => lines.join("; "),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    #[test]
    fn a_due_chore_runs_unless_the_town_is_idle_or_it_is_disabled() {
        let numbers = Thresholds::default();
        let mut facts = ChoreFacts {
            last: BTreeMap::from([("stale-work".to_owned(), at(100))]),
            from: at(0),
            event: at(150),
            lost_dogs: Vec::new(),
        };
        let decided = |facts: &ChoreFacts, now, numbers: &Thresholds| -> Vec<String> {
            let decided = decide(facts, at(now), numbers).into_iter();
            decided.map(|one| one.saw).collect()
        };
        assert_eq!(decided(&facts, 159, &numbers), ["kennel was never done"]);
        assert_eq!(
            due(&facts, at(159), &numbers),
            Some(SignedDuration::from_mins(1))
        );
        let both = ["stale-work was done 1h ago", "kennel was never done"];
        assert_eq!(decided(&facts, 160, &numbers), both);
        let mut off = numbers.clone();
        off.chores.insert("kennel", SignedDuration::ZERO);
        assert_eq!(decided(&facts, 160, &off), ["stale-work was done 1h ago"]);
        // It recorded itself, and nothing else happened since.
        facts.event = at(100) + SignedDuration::from_secs(30);
        assert_eq!(decided(&facts, 160, &off), [""; 0]);
        let session_gc = SignedDuration::from_mins(6 * 60 - 150);
        assert_eq!(due(&facts, at(150), &off), Some(session_gc));
        facts.last.insert("kennel".to_owned(), at(149));
        facts.lost_dogs.push("rex".to_owned());
        assert_eq!(decided(&facts, 150, &numbers), ["no session of dog rex"]);
        assert!(decided(&facts, 150, &off).is_empty(), "it is turned off");
    }
}
