//! Stores the workers at a usage limit, `.runtime/usage-pauses.json`. Each pass of the patrol
//! writes the file, so that a pause outlasts the session that showed the limit, and no other
//! session is started with the same agent program and account.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::polecat::Polecat;
use super::pulse::ApiRefusal;
use super::start_use::{PausedUse, StartUse, find_worker_uses};
use super::state_file;
use crate::town::{Town, TownLayout};

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UsagePauses(Vec<LimitedWorker>);

/// A worker at a usage limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LimitedWorker {
    worker: String,
    /// The token of the worker's session.
    token: String,
    /// The name of the agent program.
    agent: String,
    /// The agent program and the account of the session.
    uses: Vec<StartUse>,
    refusal: ApiRefusal,
}

impl UsagePauses {
    /// Reads the file, which each pass of the patrol replaces.
    pub fn load(layout: &TownLayout) -> Self {
        state_file::read_expendable_state(&layout.usage_pauses())
    }

    /// Records the workers at a usage limit. A worker stays recorded after the end of its pause,
    /// until it continues or is restarted.
    pub fn record<'a>(town: &Town, workers: impl Iterator<Item = &'a Polecat>) {
        let limited = workers.filter_map(|worker| {
            let refusal = worker.refusal.clone()?;
            refusal.is_usage_limit().then(|| LimitedWorker {
                worker: worker.address().to_string(),
                token: worker.slot.token.clone(),
                agent: worker.agent.clone(),
                uses: find_worker_uses(&town.rig(&worker.rig), worker),
                refusal,
            })
        });
        let limited = Self(limited.collect());
        if limited != Self::load(&town.layout) {
            // A failed record only lets a worker start before its time.
            state_file::write_state(&town.layout.usage_pauses(), &limited).ok();
        }
    }

    /// Returns the usage limit that the session with a token had reached.
    pub(crate) fn find_refusal(&self, token: &str, now: Timestamp) -> Option<ApiRefusal> {
        let limited = self.0.iter().find(|limited| limited.token == token)?;
        let mut refusal = limited.refusal.clone();
        refusal.limit_pause(refusal.at, now);
        Some(refusal)
    }

    /// Returns the agent programs, with their accounts, that are paused now.
    pub fn list_paused_uses(&self, now: Timestamp) -> Vec<PausedUse> {
        self.0
            .iter()
            .filter_map(|limited| {
                let refusal = &limited.refusal;
                Some(PausedUse {
                    agent: limited.agent.clone(),
                    uses: limited.uses.clone(),
                    since: refusal.at,
                    until: refusal.until.filter(|_| refusal.is_pause(now))?,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn limited(token: &str, agent: &str, until: Timestamp) -> LimitedWorker {
        LimitedWorker {
            worker: "web/polecats/nux".to_owned(),
            token: token.to_owned(),
            agent: agent.to_owned(),
            uses: vec![StartUse::Agent(agent.to_owned())],
            refusal: ApiRefusal {
                limit_of: Some(agent.to_owned()),
                until: Some(until),
                ..ApiRefusal::default()
            },
        }
    }

    #[test]
    fn a_worker_stays_limited_after_its_pause_and_pauses_no_other_then() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let until = now + SignedDuration::from_hours(3);
        let mut pauses = UsagePauses(vec![limited("one", "claude", until)]);
        pauses.0[0].refusal.since = now;
        pauses.0[0].refusal.at = now;
        assert_eq!(pauses.find_refusal("one", now).unwrap().until, Some(until));
        assert_eq!(pauses.find_refusal("two", now), None);
        assert_eq!(pauses.list_paused_uses(now)[0].until, until);
        let later = pauses.find_refusal("one", until).unwrap();
        assert!(later.is_usage_limit() && later.until.is_none());
        assert_eq!(pauses.list_paused_uses(until), []);
    }
}
