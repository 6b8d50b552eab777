//! Checks dogs for problems: work without a session, a session without progress, a session without
//! work.

use jiff::{SignedDuration, Timestamp};
use kit::ui::escape;
use serde::Serialize;

use crate::flow::work::sling;
use crate::host::{LiveSession, LiveTown};
use crate::record::dog::{Dog, DogState};
use crate::record::plugin::is_dog_work_running;
use crate::town::TownLayout;
use crate::town::identity::SessionName;

/// The time without activity after which a working dog hangs.
pub const HUNG: SignedDuration = SignedDuration::from_hours(2);
/// A dog whose work has just begun may not have its session yet.
const START_GRACE: SignedDuration = SignedDuration::from_mins(10);
/// The time that a dog without work may have a session.
const MAX_ORPHAN_AGE: SignedDuration = SignedDuration::from_hours(1);
/// The number of dogs that stay even if they are idle.
pub(super) const POOL: usize = 4;
/// The idle time after which a dog beyond that number is removed.
const MAX_IDLE_TIME: SignedDuration = SignedDuration::from_hours(4);

/// The problem of a dog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DogCondition {
    /// The dog has work and no session.
    Zombie,
    /// The dog has work, and its session shows no activity.
    Hung,
    /// The dog has a session and no work.
    Orphan,
}

/// A dog with a problem.
#[derive(Debug, Clone, Serialize)]
pub struct DogHealth {
    pub dog: String,
    pub condition: DogCondition,
    /// The dog's current work.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub work: String,
    /// The age of the work in seconds. None if unknown.
    pub work_seconds: Option<i64>,
    /// True if the work was taken from the dog and its session ended.
    pub cleared: bool,
}

impl DogCondition {
    /// Describes the problem in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Zombie => "no session",
            Self::Hung => "no activity",
            Self::Orphan => "a session and no work",
        }
    }
}

impl DogHealth {
    /// Describes the problem in one line.
    pub fn describe(&self) -> String {
        let dog = &self.dog;
        let work = escape::escape_line(&self.work);
        let what = match self.condition {
            DogCondition::Zombie => format!("has {work} to do and no session"),
            DogCondition::Hung => format!("does not get on with {work}"),
            DogCondition::Orphan => "has a session and nothing to do".to_owned(),
        };
        let cleared = if self.cleared { "; it rests now" } else { "" };
        format!("dog {dog} {what}{cleared}")
    }
}

/// Finds the dogs with a problem. With `clear`, takes their work and ends their sessions.
pub fn check_dogs(
    town: &LiveTown,
    hung: SignedDuration,
    clear: bool,
) -> anyhow::Result<Vec<DogHealth>> {
    let dogs = super::list_dogs(town)?;
    if dogs.is_empty() {
        return Ok(Vec::new());
    }
    let sessions = town.host.list()?;
    let now = town.clock.now();
    let mut found = Vec::new();
    for dog in dogs {
        let Some(condition) = find_condition(&town.layout, &dog, &sessions, now, hung) else {
            continue;
        };
        if clear {
            super::clear_work(town, &dog.name, true)?;
            if dog.state == DogState::Working && town.find_bead(&dog.work).is_ok() {
                sling::unsling_bead(town, &dog.work)?;
            }
        }
        let since = dog.work_started_at;
        found.push(DogHealth {
            condition,
            work_seconds: since.map(|since| now.duration_since(since).as_secs()),
            cleared: clear,
            work: dog.work,
            dog: dog.name,
        });
    }
    Ok(found)
}

/// Returns the problem of a dog with its work.
pub fn find_condition(
    layout: &TownLayout,
    dog: &Dog,
    sessions: &[LiveSession],
    now: Timestamp,
    hung: SignedDuration,
) -> Option<DogCondition> {
    // The program of a plugin has no session, and a time limit of its own.
    if is_dog_work_running(layout, &dog.work) {
        return None;
    }
    let name = SessionName::for_agent(&dog.address());
    let live = sessions.iter().find(|live| {
        let is_its = name.as_ref().is_some_and(|name| live.name == name.as_str());
        is_its && live.dead.is_none()
    });
    judge_dog(dog, live.map(|live| live.activity), now, hung)
}

/// Returns a dog's problem. `activity` is the last activity of its session, if it has one.
fn judge_dog(
    dog: &Dog,
    activity: Option<Timestamp>,
    now: Timestamp,
    hung: SignedDuration,
) -> Option<DogCondition> {
    let age_of = |since: Timestamp| now.duration_since(since);
    match (dog.state, activity) {
        (DogState::Working, None) => {
            let begins = dog
                .work_started_at
                .is_some_and(|at| age_of(at) < START_GRACE);
            (!begins).then_some(DogCondition::Zombie)
        }
        (DogState::Working, Some(activity)) => {
            let since = dog.work_started_at?;
            let quiet = age_of(activity.max(dog.last_active).max(since));
            (quiet >= hung).then_some(DogCondition::Hung)
        }
        (DogState::Idle, Some(activity)) => (age_of(activity.max(dog.last_active))
            >= MAX_ORPHAN_AGE)
            .then_some(DogCondition::Orphan),
        (DogState::Idle, None) => None,
    }
}

/// Removes dogs that have been idle for long, until the size of the pool is reached. Returns their
/// names. A dog with uncommitted files stays.
pub fn remove_idle_dogs(town: &LiveTown) -> anyhow::Result<Vec<String>> {
    let names = choose_excess_dogs(super::list_dogs(town)?, town.clock.now());
    Ok(names
        .into_iter()
        .filter(|name| super::remove_dog(town, name, false).is_ok())
        .collect())
}

/// Returns the names of the dogs to remove, longest idle first.
fn choose_excess_dogs(mut dogs: Vec<Dog>, now: Timestamp) -> Vec<String> {
    let count = dogs.len().saturating_sub(POOL);
    dogs.retain(|dog| {
        dog.state == DogState::Idle && now.duration_since(dog.last_active) >= MAX_IDLE_TIME
    });
    dogs.sort_by_key(|dog| dog.last_active);
    dogs.into_iter().take(count).map(|dog| dog.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-01-01T12:00:00Z".parse().unwrap()
    }

    fn ago(minutes: i64) -> Timestamp {
        now() - SignedDuration::from_mins(minutes)
    }

    fn dog(state: DogState, active: i64, started: Option<i64>) -> Dog {
        Dog {
            state,
            last_active: ago(active),
            work_started_at: started.map(ago),
            ..Dog::default()
        }
    }

    /// Cases of dogs that are not well (daemon edge case 123).
    #[test]
    fn case_123_a_hung_dog_is_detected_by_activity_after_its_work_started() {
        use DogState::{Idle, Working};
        let rows = [
            (
                dog(Working, 150, Some(150)),
                Some(130),
                Some(DogCondition::Hung),
            ),
            (dog(Working, 150, Some(150)), Some(30), None),
            (dog(Working, 150, None), Some(130), None),
            (
                dog(Working, 150, Some(150)),
                None,
                Some(DogCondition::Zombie),
            ),
            (dog(Working, 5, Some(5)), None, None),
            (dog(Idle, 90, None), Some(70), Some(DogCondition::Orphan)),
            (dog(Idle, 90, None), Some(5), None),
            (dog(Idle, 90, None), None, None),
        ];
        for (dog, activity, expected) in rows {
            let judged = judge_dog(&dog, activity.map(ago), now(), HUNG);
            assert_eq!(judged, expected, "{dog:?} {activity:?}");
        }
    }

    /// Cases of the pool (daemon edge case 124).
    #[test]
    fn case_124_idle_dogs_are_removed_down_to_the_pool_size() {
        let named = |name: &str, dog: Dog| Dog {
            name: name.to_owned(),
            ..dog
        };
        let idle = |name, hours: i64| named(name, dog(DogState::Idle, hours * 60, None));
        let works = named("works", dog(DogState::Working, 6000, Some(6000)));
        let all = vec![
            idle("a", 5),
            idle("b", 7),
            idle("c", 6),
            idle("recent", 1),
            idle("d", 8),
            works.clone(),
        ];
        assert_eq!(choose_excess_dogs(all, now()), ["d", "b"]);
        let recent = vec![
            idle("a", 1),
            idle("b", 2),
            idle("c", 3),
            idle("d", 3),
            works,
        ];
        assert!(choose_excess_dogs(recent, now()).is_empty());
        let four = (0..4).map(|_| idle("x", 50)).collect();
        assert!(choose_excess_dogs(four, now()).is_empty());
    }
}
