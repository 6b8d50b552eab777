//! Limits the workers that use one agent program or one account at the same time: the settings
//! `scheduler.max_per_agent.NAME` and `scheduler.max_per_account.NAME`.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use kit::ui::counted;
use serde::{Deserialize, Serialize};

use bd::bead::Bead;

use super::account::choose_account;
use super::host_choice::{HostRooms, HostWish};
use super::polecat::Polecat;
use super::pulse::format_pause_end;
use super::queued_sling::SlingOptions;
use super::quota;
use crate::host::runtime::{AgentRuntime, resolve_runtime};
use crate::town::config::{SettingsLayers, read_agents};
use crate::town::identity::{Address, SessionName};
use crate::town::{Rig, Town};

const PER_AGENT: &str = "scheduler.max_per_agent.";
const PER_ACCOUNT: &str = "scheduler.max_per_account.";

/// A resource of a worker's session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartUse {
    /// The name of an agent program.
    Agent(String),
    /// The handle of an account.
    Account(String),
}

impl fmt::Display for StartUse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Agent(name) => write!(f, "agent {name}"),
            Self::Account(name) => write!(f, "account {name}"),
        }
    }
}

impl StartUse {
    /// Returns the setting with the limit.
    pub fn setting(&self) -> String {
        match self {
            Self::Agent(name) => format!("{PER_AGENT}{name}"),
            Self::Account(name) => format!("{PER_ACCOUNT}{name}"),
        }
    }

    /// Returns the use that a setting limits.
    pub fn from_setting(name: &str) -> Option<Self> {
        if let Some(agent) = name.strip_prefix(PER_AGENT) {
            return Some(Self::Agent(agent.to_owned()));
        }
        let account = name.strip_prefix(PER_ACCOUNT)?;
        Some(Self::Account(account.to_owned()))
    }
}

/// A use that is at its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FullUse {
    pub used: StartUse,
    pub at_work: usize,
    pub limit: usize,
}

impl FullUse {
    /// Returns the command that ends it.
    pub fn next_step(&self) -> String {
        format!("gt config set {} N", self.used.setting())
    }
}

impl fmt::Display for FullUse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            used,
            at_work,
            limit,
        } = self;
        let workers = counted(*at_work, "worker");
        let setting = used.setting();
        write!(
            f,
            "{workers} at work with {used} (setting {setting}: {limit})"
        )
    }
}

/// An agent program, with its account, that a usage limit pauses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PausedUse {
    pub agent: String,
    pub uses: Vec<StartUse>,
    pub since: Timestamp,
    pub until: Timestamp,
}

impl fmt::Display for PausedUse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let until = format_pause_end(self.since, self.until);
        let agent = &self.agent;
        write!(f, "{agent} is paused by its usage limit until {until}")
    }
}

/// The resources of a new worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartNeeds {
    /// Empty without limits.
    pub uses: Vec<StartUse>,
    pub hosts: HostWish,
}

/// The limits, and the number of workers at work for each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UseLimits {
    pub hosts: HostRooms,
    /// True if an agent program of the town has hosts of its own.
    has_agent_hosts: bool,
    limits: BTreeMap<StartUse, usize>,
    at_work: BTreeMap<StartUse, usize>,
    paused: Vec<PausedUse>,
}

impl UseLimits {
    /// Reads the limits from the layers of the town. A limit of zero is none.
    pub fn from_layers(layers: &SettingsLayers) -> Self {
        let stored = layers.values_below("scheduler");
        let limits = stored.iter().filter_map(|stored| {
            let limited = StartUse::from_setting(&stored.name)?;
            let limit = layers.valid_value(&stored.name).as_u64()?;
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            (limit > 0).then_some((limited, limit))
        });
        Self {
            limits: limits.collect(),
            ..Self::default()
        }
    }

    /// Adds the hosts of the town.
    #[must_use]
    pub fn with_hosts(self, town: &Town) -> Self {
        // Damaged settings are an obstacle of their own.
        let agents = read_agents(town).ok();
        let has_agent_hosts = agents
            .into_iter()
            .flatten()
            .any(|(_, agent)| agent.get("hosts").is_some());
        Self {
            hosts: HostRooms::read(&town.layout, town.clock.now()),
            has_agent_hosts,
            ..self
        }
    }

    /// Adds the agent programs at their usage limits.
    #[must_use]
    pub fn with_paused(self, paused: Vec<PausedUse>) -> Self {
        Self { paused, ..self }
    }

    /// Returns true if the workers at work count.
    pub fn counts_workers(&self) -> bool {
        !self.limits.is_empty() || !self.hosts.is_empty()
    }

    /// Counts a worker, if it is at work.
    pub fn count_worker(&mut self, rig: &Rig, worker: &Polecat) {
        self.hosts.count_worker(worker);
        if !self.limits.is_empty() && worker.is_counted_as_working() {
            self.add_uses(&find_worker_uses(rig, worker));
        }
    }

    /// Returns what a worker for a sling with these options would need. `layers` are those of the rig.
    pub fn needs_of(
        &self,
        rig: &Rig,
        layers: &SettingsLayers,
        options: &SlingOptions,
        bead: Option<&Bead>,
    ) -> StartNeeds {
        let find_agent_hosts = || {
            // An unknown program is reported when the session is started.
            let runtime = find_runtime(rig, options.agent.as_deref());
            runtime.map_or_else(Vec::new, |runtime| runtime.preset.hosts)
        };
        StartNeeds {
            uses: self.uses_of(rig, options),
            hosts: HostWish::for_bead(layers, options, bead, || {
                self.has_agent_hosts
                    .then(find_agent_hosts)
                    .into_iter()
                    .flatten()
                    .collect()
            }),
        }
    }

    /// Returns what a worker for a sling with these options would use. Empty without limits.
    pub fn uses_of(&self, rig: &Rig, options: &SlingOptions) -> Vec<StartUse> {
        if self.limits.is_empty() && self.paused.is_empty() {
            return Vec::new();
        }
        find_uses(rig, options.agent.as_deref(), options.account.as_deref())
    }

    /// Returns the usage limit of another worker with the same agent program and account. The one
    /// that ends last counts.
    pub fn find_paused_use(&self, uses: &[StartUse]) -> Option<PausedUse> {
        self.paused
            .iter()
            .filter(|paused| paused.uses == uses)
            .max_by_key(|paused| paused.until)
            .cloned()
    }

    /// Returns the use that is at its limit, if there is one.
    pub fn find_full_use(&self, uses: &[StartUse]) -> Option<FullUse> {
        uses.iter().find_map(|used| {
            let limit = *self.limits.get(used)?;
            let at_work = self.at_work.get(used).copied().unwrap_or(0);
            (at_work >= limit).then(|| FullUse {
                used: used.clone(),
                at_work,
                limit,
            })
        })
    }

    /// Counts another worker with these needs.
    pub fn add_needs(&mut self, needs: &StartNeeds) {
        self.add_uses(&needs.uses);
        if let Ok(choice) = self.hosts.choose(&needs.hosts) {
            self.hosts.add_worker(choice.host.as_deref());
        }
    }

    /// Counts another worker with these uses.
    pub fn add_uses(&mut self, uses: &[StartUse]) {
        for used in uses {
            *self.at_work.entry(used.clone()).or_default() += 1;
        }
    }
}

/// Returns what the session of a worker uses.
pub(crate) fn find_worker_uses(rig: &Rig, worker: &Polecat) -> Vec<StartUse> {
    let slot = &worker.slot;
    // The default account may have changed since, and another one may have been at its limit.
    let session = SessionName::for_agent(&worker.address());
    let begun = session.and_then(|session| {
        quota::read_session_account(&rig.town().layout, session.as_str(), &slot.token)
    });
    match &begun {
        Some(begun) => list_uses(rig, Some(&begun.agent), Some(begun.account.clone())),
        None => find_uses(rig, slot.agent.as_deref(), slot.account.as_deref()),
    }
}

/// Returns what a new session of a worker uses. An unknown program or account, or a damaged list of
/// accounts, is reported when the session is started, and has no limit here.
fn find_uses(rig: &Rig, agent: Option<&str>, account: Option<&str>) -> Vec<StartUse> {
    let chosen = choose_account(rig.town(), account).ok().flatten();
    list_uses(rig, agent, chosen.map(|chosen| chosen.handle))
}

fn list_uses(rig: &Rig, agent: Option<&str>, account: Option<String>) -> Vec<StartUse> {
    find_runtime(rig, agent)
        .map(|runtime| StartUse::Agent(runtime.name))
        .into_iter()
        .chain(account.map(StartUse::Account))
        .collect()
}

fn find_runtime(rig: &Rig, agent: Option<&str>) -> Option<AgentRuntime> {
    let worker = Address::Polecat(rig.name().to_owned(), String::new());
    resolve_runtime(rig.town(), Some(rig), &worker, agent).ok()
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::record::polecat::{PolecatState, Slot};
    use crate::testing::TestTown;

    #[test]
    fn a_full_agent_or_account_is_named_and_others_have_no_limit() {
        let place = TestTown::new();
        let town = &place.town;
        std::fs::create_dir_all(town.layout.settings().parent().unwrap()).unwrap();
        std::fs::write(
            town.layout.settings(),
            r#"{"scheduler":{"max_per_agent":{"codex":2,"claude":0},"max_per_account":{"work":1}}}"#,
        )
        .unwrap();
        let mut limits = UseLimits::from_layers(&SettingsLayers::load(town, None).unwrap());
        let agent = |name: &str| StartUse::Agent(name.to_owned());
        let account = |name: &str| StartUse::Account(name.to_owned());
        let at_work = [agent("codex"), account("work")];
        assert_eq!(limits.find_full_use(&at_work), None);
        limits.add_uses(&at_work);
        let full = limits.find_full_use(&at_work).unwrap().to_string();
        assert_eq!(
            full,
            "1 worker at work with account work (setting scheduler.max_per_account.work: 1)"
        );
        assert_eq!(limits.find_full_use(&[agent("codex")]), None);
        limits.add_uses(&[agent("codex")]);
        assert!(limits.find_full_use(&[agent("codex")]).is_some());
        limits.add_uses(&[agent("claude"), account("home")]);
        assert_eq!(
            limits.find_full_use(&[agent("claude"), account("home")]),
            None
        );
    }

    #[test]
    fn a_usage_limit_pauses_its_program_with_its_account_only() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let uses = |agent: &str, account: &str| {
            let (agent, account) = (agent.to_owned(), account.to_owned());
            vec![StartUse::Agent(agent), StartUse::Account(account)]
        };
        let pause = |hours| PausedUse {
            agent: "claude".to_owned(),
            uses: uses("claude", "work"),
            since: now,
            until: now + SignedDuration::from_hours(hours),
        };
        let limits = UseLimits::default().with_paused(vec![pause(2), pause(5), pause(3)]);
        let find = |agent, account| limits.find_paused_use(&uses(agent, account));
        assert_eq!(find("claude", "work"), Some(pause(5)));
        assert_eq!(find("claude", "home"), None);
        assert_eq!(find("codex", "work"), None);
    }

    #[test]
    fn a_worker_counts_for_the_account_that_its_session_was_started_with() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let town = &place.town;
        std::fs::write(
            town.layout.accounts_json(),
            r#"{"accounts":{"home":{"config_dir":"/h"},"work":{"config_dir":"/w"}},"default":"home"}"#,
        )
        .unwrap();
        let rig = town.find_rig("web").unwrap();
        let mut worker = Polecat {
            rig: "web".to_owned(),
            name: "furiosa".to_owned(),
            bead: bd::bead::Bead::default(),
            slot_id: String::new(),
            slot: Slot::default(),
            hook: Some("web-1".to_owned()),
            state: PolecatState::Working,
            why: String::new(),
            session: None,
            busy: false,
            agent: String::new(),
            committed: None,
            sandbox_gone: false,
            progress: None,
            asks: None,
            unreachable: None,
            refusal: None,
        };
        worker.slot.token = "t1".to_owned();
        let session = SessionName::for_agent(&worker.address()).unwrap();
        quota::record_session(town, session.as_str(), ("t1", "claude"), "work").unwrap();
        let limits = || UseLimits {
            limits: BTreeMap::from([(StartUse::Account("work".to_owned()), 1)]),
            ..UseLimits::default()
        };
        let at_work = |worker: &Polecat, account: &str| {
            let mut limits = limits();
            limits.count_worker(&rig, worker);
            let used = StartUse::Account(account.to_owned());
            limits.at_work.get(&used).copied().unwrap_or_default()
        };
        assert_eq!((at_work(&worker, "work"), at_work(&worker, "home")), (1, 0));
        // The record is about an earlier session.
        worker.slot.token = "t2".to_owned();
        assert_eq!((at_work(&worker, "work"), at_work(&worker, "home")), (0, 1));
    }
}
