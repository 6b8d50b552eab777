//! Adds, checks and removes the other machines of a town.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use bd::bead::Bead;
use jiff::Timestamp;
use kit::sys::file;
use serde::Serialize;

use crate::flow::place::sandbox::open_far_host;
use crate::host::LiveTown;
use crate::host::far::{
    BoxRequest, HostSettings, HostTransport, LinkState, count_sessions, forget_sessions,
    list_hosts, remove_host_file, state_file,
};
use crate::record::desk::JAIL_SETTING;
use crate::record::host_choice::{HOSTS_SETTING, HostChoice, LABEL_HOSTS_PREFIX, NoFreeHost};
use crate::record::polecat;
use crate::record::queued_sling::SlingOptions;
use crate::record::scheduler::read_start_limits;
use crate::town::config::{JailMode, RigSettings, SettingsLayers};
use crate::town::event::{HaltedWorker, event};
use crate::town::{Rig, Town};

/// The length of the name under which a host knows a town.
const ID_LENGTH: usize = 16;

/// A host to add.
#[derive(Debug, Clone)]
pub struct NewHost {
    pub name: String,
    pub transport: HostTransport,
    pub program: String,
    pub limit: Option<usize>,
}

/// A host that answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedHost {
    pub name: String,
    pub way: String,
    /// The version of the programs there.
    pub version: String,
    /// The folder that stands for the root of the town there.
    pub root: PathBuf,
    /// The time of one request, in milliseconds.
    pub millis: u128,
}

/// A host as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostRow {
    pub name: String,
    pub way: String,
    /// `connected`, `connecting`, `not reachable` or `not connected`.
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of sessions that the town has there.
    pub workers: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    pub draining: bool,
}

/// Adds a host that can be reached.
pub fn add_host(town: &LiveTown, new: NewHost) -> anyhow::Result<CheckedHost> {
    let NewHost {
        name,
        transport,
        program,
        limit,
    } = new;
    anyhow::ensure!(
        HostSettings::load(&town.layout, &name)?.is_none(),
        "there is a host `{name}` already; see `gt host list`"
    );
    let settings = HostSettings {
        program,
        limit,
        ..HostSettings::new(transport, town.random.hex(ID_LENGTH))
    };
    // An earlier host of this name is another one.
    file::remove_file(&state_file(&town.layout, &name))?;
    settings.save(&town.layout, &name)?;
    let checked = check_host(town, &name);
    if checked.is_err() {
        remove_host_file(&town.layout, &name)?;
    } else {
        town.record_event(&event!(HostAdded, host: name));
    }
    checked
}

/// Connects to a host and measures it.
pub fn check_host(town: &Town, name: &str) -> anyhow::Result<CheckedHost> {
    let settings = load_host(town, name)?;
    let host = open_far_host(town, name)?;
    match host.try_connect()? {
        LinkState::Connected { version, root, .. } => {
            let started = Instant::now();
            host.ask::<serde_json::Value>(&BoxRequest::Sessions)?;
            Ok(CheckedHost {
                name: name.to_owned(),
                way: settings.describe(),
                version,
                root,
                millis: started.elapsed().as_millis(),
            })
        }
        LinkState::Unreachable { reason, .. } => {
            anyhow::bail!("host {name} cannot be reached: {reason}")
        }
        LinkState::Connecting => anyhow::bail!("host {name} does not answer"),
    }
}

/// Lists the hosts with the last state of their connections.
pub fn list_host_rows(town: &Town) -> anyhow::Result<Vec<HostRow>> {
    list_hosts(&town.layout)
        .into_iter()
        .map(|name| read_host_row(town, name))
        .collect()
}

/// Reads a host with the last state of its connection.
pub(crate) fn read_host_row(town: &Town, name: String) -> anyhow::Result<HostRow> {
    let settings = load_host(town, &name)?;
    let workers = count_sessions(&town.layout, &name);
    let host = open_far_host(town, &name)?;
    let (state, since, reason) = match host.read_state() {
        Some(LinkState::Connected { since, .. }) => ("connected", Some(since), None),
        Some(LinkState::Connecting) => ("connecting", None, None),
        Some(LinkState::Unreachable { since, reason }) => {
            ("not reachable", Some(since), Some(reason))
        }
        None => ("not connected", None, None),
    };
    Ok(HostRow {
        way: settings.describe(),
        state,
        since,
        reason,
        workers,
        limit: settings.limit,
        draining: settings.draining,
        name,
    })
}

/// Returns the programs that are missing on a connected host. Empty if no connection is open.
pub(crate) fn find_missing_far_programs(
    town: &Town,
    name: &str,
    programs: Vec<String>,
) -> anyhow::Result<Vec<String>> {
    let host = open_far_host(town, name)?;
    if !matches!(host.read_state(), Some(LinkState::Connected { .. })) {
        return Ok(Vec::new());
    }
    Ok(host.ask(&BoxRequest::MissingPrograms { programs })?)
}

/// Decides if a host gets new work.
pub fn set_draining(town: &Town, name: &str, draining: bool) -> anyhow::Result<()> {
    let before = load_host(town, name)?;
    let after = HostSettings {
        draining,
        ..before.clone()
    };
    after.save(&town.layout, name)?;
    if before.draining != draining {
        let (before, after) = (before.draining.to_string(), draining.to_string());
        town.record_event(&event!(SettingChanged,
            key: "draining", place: format!("host {name}"), before: before, after: after,
        ));
    }
    Ok(())
}

/// Removes a host without sessions, or one that is gone with its sessions.
pub fn remove_host(town: &Town, name: &str, is_gone: bool) -> anyhow::Result<()> {
    load_host(town, name)?;
    let workers = list_workers(town, name)?;
    anyhow::ensure!(
        workers.is_empty() || is_gone,
        "host {name} has {}: end their work first, or wait for it after `gt host drain {name}`",
        kit::ui::counted(workers.len(), "worker")
    );
    if !is_gone && let Some(setting) = find_naming_setting(town, name)? {
        anyhow::bail!("setting {setting} names host {name}: change it first, see `gt config list`");
    }
    let host = open_far_host(town, name)?;
    forget_sessions(&town.layout, name)?;
    remove_host_file(&town.layout, name)?;
    host.end_link();
    if workers.is_empty() {
        town.record_event(&event!(HostRemoved, host: name));
    } else {
        let (workers, beads): (Vec<_>, Vec<_>) = workers
            .into_iter()
            .map(|worker| (worker.polecat, worker.bead))
            .unzip();
        town.record_event(&event!(HostGone, host: name, workers: workers, beads: beads));
    }
    Ok(())
}

/// Returns a setting that sends workers to a host.
fn find_naming_setting(town: &Town, name: &str) -> anyhow::Result<Option<String>> {
    let rigs = town.list_rigs()?;
    for rig in std::iter::once(None).chain(rigs.iter().map(Some)) {
        let layers = SettingsLayers::load(town, rig)?;
        let names_host = |setting: &String| {
            let is_about_hosts =
                setting == HOSTS_SETTING || setting.starts_with(LABEL_HOSTS_PREFIX);
            is_about_hosts && layers.list(setting).iter().any(|host| host == name)
        };
        let stored = layers.values_below("sling").into_iter();
        let mut settings = stored.map(|stored| stored.name);
        if let Some(setting) = settings.find(names_host) {
            let of_rig = rig.map_or_else(String::new, |rig| format!(" of rig {}", rig.name()));
            return Ok(Some(format!("{setting}{of_rig}")));
        }
    }
    Ok(None)
}

/// Checks that a worker of a rig can run without a jail, as those on other machines do.
pub(crate) fn check_far_jail(rig: &Rig) -> anyhow::Result<()> {
    let settings = RigSettings::load(rig)?.sandbox.jail(rig)?;
    anyhow::ensure!(
        settings.mode != JailMode::Required,
        "{JAIL_SETTING} is `required`, and workers on other machines run without a jail"
    );
    Ok(())
}

/// Checks that a host may get new work of a rig.
pub(crate) fn check_free_host(rig: &Rig, name: &str) -> anyhow::Result<()> {
    let town = rig.town();
    let settings = load_host(town, name)?;
    check_far_jail(rig)?;
    anyhow::ensure!(
        !settings.draining,
        "host {name} gets no new work; `gt host drain {name} --off` changes that"
    );
    Ok(())
}

/// Chooses the machine for a worker, and connects to it. One that cannot be reached is passed over.
pub(crate) fn choose_host(
    rig: &Rig,
    bead: Option<&Bead>,
    options: &SlingOptions,
) -> anyhow::Result<Result<HostChoice, NoFreeHost>> {
    let town = rig.town();
    let layers = SettingsLayers::load(town, Some(rig))?;
    let mut limits = read_start_limits(town)?;
    let wish = limits.needs_of(rig, &layers, options, bead).hosts;
    loop {
        let choice = match limits.hosts.choose(&wish) {
            Ok(choice) => choice,
            Err(none) => return Ok(Err(none)),
        };
        let Some(host) = &choice.host else {
            return Ok(Ok(choice));
        };
        match check_host(town, host) {
            Ok(_) => return Ok(Ok(choice)),
            Err(error) => limits.hosts.set_unreachable(host, format!("{error:#}")),
        }
    }
}

/// Lists the workers whose work is on a host, with a session or without.
fn list_workers(town: &Town, host: &str) -> anyhow::Result<Vec<HaltedWorker>> {
    let mut workers = Vec::new();
    for rig in town.list_rigs()? {
        let beads = rig.store()?.snapshot()?;
        for polecat in polecat::list_polecats(&rig, &beads, None) {
            if let Some(bead) = &polecat.hook
                && polecat.slot.host_name.as_deref() == Some(host)
            {
                workers.push(HaltedWorker {
                    polecat: format!("{}/{}", polecat.rig, polecat.name),
                    bead: bead.clone(),
                });
            }
        }
    }
    Ok(workers)
}

fn load_host(town: &Town, name: &str) -> anyhow::Result<HostSettings> {
    HostSettings::load(&town.layout, name)?
        .with_context(|| format!("there is no host `{name}`; see `gt host list`"))
}
