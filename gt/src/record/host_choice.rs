//! Chooses the machine on which a new worker runs: this one, or one of the town's hosts.
//!
//! The first of these that names hosts decides: `gt sling --host`, the setting
//! `sling.hosts_by_label.LABEL` of a label of the bead, `hosts` of the agent program, the setting
//! `sling.hosts`. Among the hosts before `local`, the one with the most free places gets the worker; a
//! host without a limit has more than any other, and of equal ones the first is chosen. `local` is
//! this machine, which gets the worker if none of the hosts before it can have one.

use std::collections::BTreeMap;
use std::fmt;

use bd::bead::Bead;
use jiff::{SignedDuration, Timestamp};
use kit::ui::escape::escape_line;
use serde::Serialize;

use super::host_failure::{RETRY_PAUSE, read_host_failure};
use super::polecat::Polecat;
use super::queued_sling::SlingOptions;
use crate::host::far::{HostSettings, LinkState, host_of_place, list_hosts, read_link_state};
use crate::town::TownLayout;
use crate::town::config::SettingsLayers;

/// This machine in a list of hosts.
pub const THIS_MACHINE: &str = "local";

/// The settings with lists of hosts.
pub const HOSTS_SETTING: &str = "sling.hosts";
pub const LABEL_HOSTS_PREFIX: &str = "sling.hosts_by_label.";

/// Refuses names of hosts that the town does not have, with which no worker could be started.
pub fn check_host_names(town: &TownLayout, key: &str, value: &str) -> anyhow::Result<()> {
    if key != HOSTS_SETTING && !key.starts_with(LABEL_HOSTS_PREFIX) {
        return Ok(());
    }
    let known = list_hosts(town);
    for name in value.split(',').map(str::trim) {
        let is_known = known
            .iter()
            .any(|host| host == name && host_of_place(name).is_none());
        anyhow::ensure!(
            name.is_empty() || name == THIS_MACHINE || is_known,
            "there is no host `{}`; see `gt host list`",
            escape_line(name)
        );
    }
    Ok(())
}

/// The hosts on which a worker may run. Empty for this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostWish {
    /// The preferred hosts first.
    pub names: Vec<String>,
    /// The option, rule or setting that names them.
    pub source: String,
    /// True if only this machine has the jail that the rig requires.
    pub needs_jail: bool,
}

impl HostWish {
    /// Returns the wish for a bead. `agent_hosts` has the hosts of its agent program.
    pub fn for_bead(
        layers: &SettingsLayers,
        options: &SlingOptions,
        bead: Option<&Bead>,
        agent_hosts: impl FnOnce() -> Vec<String>,
    ) -> Self {
        let needs_jail = layers.text("sandbox.jail").as_deref() == Some("required");
        let wish = |names: Vec<String>, source: String| Self {
            names,
            source,
            needs_jail,
        };
        if let Some(host) = &options.host {
            return wish(vec![host.clone()], "gt sling --host".to_owned());
        }
        for label in bead.into_iter().flat_map(|bead| &bead.labels) {
            let setting = format!("{LABEL_HOSTS_PREFIX}{label}");
            let names = layers.list(&setting);
            if !names.is_empty() {
                return wish(names, format!("setting {setting}"));
            }
        }
        let names = agent_hosts();
        if !names.is_empty() {
            return wish(names, "hosts of its agent program".to_owned());
        }
        wish(
            layers.list(HOSTS_SETTING),
            format!("setting {HOSTS_SETTING}"),
        )
    }
}

/// The machine for a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostChoice {
    /// `None` for this machine.
    pub host: Option<String>,
    pub reason: String,
}

/// The reasons why no host of a wish can have another worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoFreeHost {
    pub hosts: Vec<String>,
    pub source: String,
    /// True if a host may be reachable again without an event of the town.
    #[serde(skip)]
    pub is_unreachable: bool,
}

impl NoFreeHost {
    pub fn recheck_in(&self) -> Option<SignedDuration> {
        self.is_unreachable.then_some(RETRY_PAUSE)
    }
}

impl fmt::Display for NoFreeHost {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} ({})", self.hosts.join(", "), self.source)
    }
}

/// The room of one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct HostRoom {
    at_work: usize,
    limit: Option<usize>,
    is_draining: bool,
    /// The reason why it cannot be reached now.
    unreachable: Option<String>,
}

impl HostRoom {
    fn obstacle(&self, name: &str) -> Option<String> {
        if self.is_draining {
            return Some(format!("host {name} gets no new work"));
        }
        if let Some(reason) = &self.unreachable {
            let reason = escape_line(reason);
            return Some(format!("host {name} is not reachable: {reason}"));
        }
        let limit = self.limit?;
        (self.at_work >= limit)
            .then(|| format!("host {name} has {} of {limit} workers", self.at_work))
    }

    fn free_places(&self) -> usize {
        self.limit
            .unwrap_or(usize::MAX)
            .saturating_sub(self.at_work)
    }
}

/// The rooms of the town's hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRooms(BTreeMap<String, HostRoom>);

impl HostRooms {
    /// Reads the hosts. A host with a damaged file is not there.
    pub fn read(town: &TownLayout, now: Timestamp) -> Self {
        let hosts = list_hosts(town).into_iter();
        let hosts = hosts.filter(|name| host_of_place(name).is_none());
        let rooms = hosts.filter_map(|name| {
            let settings = HostSettings::load(town, &name).ok()??;
            let unreachable = match read_link_state(town, &name) {
                Some(LinkState::Unreachable { reason, .. }) => Some(reason),
                _ => read_host_failure(town, &name, now),
            };
            let room = HostRoom {
                at_work: 0,
                limit: settings.limit,
                is_draining: settings.draining,
                unreachable,
            };
            Some((name, room))
        });
        Self(rooms.collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a worker whose work is on a host, with a session or without.
    pub fn count_worker(&mut self, worker: &Polecat) {
        if worker.hook.is_some()
            && let Some(name) = worker.slot.host_name.as_deref()
        {
            self.add_worker(Some(host_of_place(name).unwrap_or(name)));
        }
    }

    /// Counts one more worker.
    pub fn add_worker(&mut self, host: Option<&str>) {
        if let Some(room) = host.and_then(|host| self.0.get_mut(host)) {
            room.at_work += 1;
        }
    }

    /// Takes a worker out of the count, because its bead goes to another one.
    pub fn remove_worker(&mut self, worker: &Polecat) {
        let name = worker.slot.host_name.as_deref();
        let host = name.map(|name| host_of_place(name).unwrap_or(name));
        if let Some(room) = host.and_then(|host| self.0.get_mut(host)) {
            room.at_work = room.at_work.saturating_sub(1);
        }
    }

    /// Notes that a host could not be reached.
    pub fn set_unreachable(&mut self, host: &str, reason: String) {
        if let Some(room) = self.0.get_mut(host) {
            room.unreachable = Some(reason);
        }
    }

    /// Chooses the machine for a worker.
    pub fn choose(&self, wish: &HostWish) -> Result<HostChoice, NoFreeHost> {
        let mut obstacles = Vec::new();
        let mut best: Option<(&str, usize)> = None;
        let mut allows_this_machine = wish.names.is_empty();
        for name in &wish.names {
            if name == THIS_MACHINE {
                allows_this_machine = true;
                break;
            }
            let (places, obstacle) = self.find_room(name, wish.needs_jail);
            if let Some(obstacle) = obstacle {
                obstacles.push(obstacle);
            } else if best.is_none_or(|(_, most)| places > most) {
                best = Some((name, places));
            }
        }
        let source = &wish.source;
        if let Some((name, places)) = best {
            let room = match places {
                places if places > usize::MAX / 2 => "no limit".to_owned(),
                1 => "1 free place".to_owned(),
                places => format!("{places} free places"),
            };
            obstacles.insert(0, room);
            return Ok(HostChoice {
                host: Some(name.to_owned()),
                reason: format!("{source}; {}", obstacles.join("; ")),
            });
        }
        if allows_this_machine {
            obstacles.insert(0, source.clone());
            return Ok(HostChoice {
                host: None,
                reason: obstacles.join("; "),
            });
        }
        Err(NoFreeHost {
            hosts: obstacles,
            source: source.clone(),
            is_unreachable: wish.names.iter().any(|name| {
                let room = self.0.get(name);
                room.is_some_and(|room| room.unreachable.is_some())
            }),
        })
    }

    fn find_room(&self, name: &str, needs_jail: bool) -> (usize, Option<String>) {
        if needs_jail {
            let obstacle = format!("host {name} has no jail, which sandbox.jail requires");
            return (0, Some(obstacle));
        }
        match self.0.get(name) {
            Some(room) => (room.free_places(), room.obstacle(name)),
            None => (0, Some(format!("there is no host {}", escape_line(name)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    fn room(at_work: usize, limit: Option<usize>) -> HostRoom {
        HostRoom {
            at_work,
            limit,
            ..HostRoom::default()
        }
    }

    fn rooms() -> HostRooms {
        let rooms = [
            ("full", room(2, Some(2))),
            ("little", room(3, Some(4))),
            ("much", room(1, Some(4))),
            ("open", room(9, None)),
        ];
        HostRooms(rooms.map(|(name, room)| (name.to_owned(), room)).into())
    }

    fn choose(rooms: &HostRooms, names: &[&str]) -> Result<HostChoice, NoFreeHost> {
        rooms.choose(&HostWish {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            source: "setting sling.hosts".to_owned(),
            needs_jail: false,
        })
    }

    fn chosen(rooms: &HostRooms, names: &[&str]) -> (Option<String>, String) {
        let choice = choose(rooms, names).unwrap();
        (choice.host, choice.reason)
    }

    #[test]
    fn the_host_with_the_most_free_places_gets_the_worker() {
        let mut rooms = rooms();
        let (host, reason) = chosen(&rooms, &["full", "little", "much", "local"]);
        assert_eq!(host.as_deref(), Some("much"));
        assert_eq!(
            reason,
            "setting sling.hosts; 3 free places; host full has 2 of 2 workers"
        );
        rooms.add_worker(Some("much"));
        rooms.add_worker(Some("much"));
        let (host, _) = chosen(&rooms, &["little", "much"]);
        assert_eq!(host.as_deref(), Some("little"), "equal room: the first");
        let (host, reason) = chosen(&rooms, &["much", "open"]);
        assert_eq!(host.as_deref(), Some("open"));
        assert_eq!(reason, "setting sling.hosts; no limit");
    }

    #[test]
    fn the_sling_then_a_label_then_the_agent_then_the_settings_name_the_hosts() {
        let place = TestTown::new();
        let town = &place.town;
        std::fs::create_dir_all(town.layout.settings().parent().unwrap()).unwrap();
        std::fs::write(
            town.layout.settings(),
            r#"{"sling":{"hosts":["usual"],"hosts_by_label":{"gpu":["fast","local"]}}}"#,
        )
        .unwrap();
        let layers = SettingsLayers::load(town, None).unwrap();
        let bead = Bead {
            labels: vec!["ui".to_owned(), "gpu".to_owned()],
            ..Bead::default()
        };
        let here = SlingOptions {
            host: Some(THIS_MACHINE.to_owned()),
            ..SlingOptions::default()
        };
        let none = SlingOptions::default();
        let wish = |options: &SlingOptions, bead: Option<&Bead>, agent_host: Option<&str>| {
            let agent_hosts = || agent_host.map(str::to_owned).into_iter().collect();
            HostWish::for_bead(&layers, options, bead, agent_hosts).names
        };
        assert_eq!(wish(&here, Some(&bead), Some("own")), ["local"]);
        assert_eq!(wish(&none, Some(&bead), Some("own")), ["fast", "local"]);
        assert_eq!(wish(&none, None, Some("own")), ["own"]);
        assert_eq!(wish(&none, None, None), ["usual"]);
    }

    #[test]
    fn this_machine_gets_the_worker_if_no_host_before_it_can_have_it() {
        let mut rooms = rooms();
        assert_eq!(chosen(&rooms, &[]).0, None);
        let (host, reason) = chosen(&rooms, &["full", "gone", "local", "open"]);
        assert_eq!(host, None);
        assert_eq!(
            reason,
            "setting sling.hosts; host full has 2 of 2 workers; there is no host gone"
        );
        rooms.set_unreachable("open", "no route".to_owned());
        let none = choose(&rooms, &["open", "full"]).unwrap_err();
        assert_eq!(
            none.to_string(),
            "host open is not reachable: no route, host full has 2 of 2 workers (setting sling.hosts)"
        );
        assert_eq!(none.recheck_in(), Some(RETRY_PAUSE));
        assert_eq!(choose(&rooms, &["full"]).unwrap_err().recheck_in(), None);
        assert!(choose(&rooms, &["gone"]).is_err(), "never here instead");
    }
}
