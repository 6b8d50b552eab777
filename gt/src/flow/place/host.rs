//! Adds, checks and removes the other machines of a town.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use bd::bead::{Bead, Status};
use jiff::Timestamp;
use kit::sys::file;
use serde::Serialize;

use crate::flow::place::engine::{
    discard_place, end_place, find_unneeded_places, is_on_host, list_places, remove_unneeded_place,
    with_trial_place,
};
use crate::flow::place::host_program::copy_missing_programs;
use crate::flow::place::sandbox::open_far_host;
use crate::host::LiveTown;
use crate::host::far::{
    BoxRequest, ChosenEngine, HostSettings, HostTransport, LinkState, count_sessions,
    find_place_end, forget_sessions, host_of_place, list_hosts, remove_engine_file,
    remove_host_file, state_file, write_engine_file,
};
use crate::record::desk::JAIL_SETTING;
use crate::record::host_choice::{HOSTS_SETTING, HostChoice, LABEL_HOSTS_PREFIX, NoFreeHost};
use crate::record::host_failure::{forget_host_failure, record_host_failure};
use crate::record::polecat::{self, Polecat};
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
    /// The program `gt` there, if it was copied to the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_program: Option<String>,
}

/// A host as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostRow {
    pub name: String,
    pub way: String,
    /// The host of which this is the place of a worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place_of: Option<String>,
    /// `connected`, `connecting`, `not reachable`, `not connected`, `makes places`, or `gone`.
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
    anyhow::ensure!(
        host_of_place(&name).is_none(),
        "`{name}` is no valid name of a host: -- is for the places of workers"
    );
    let mut is_new_engine_file = false;
    if let HostTransport::Engine(chosen) = &transport {
        check_values(chosen)?;
        is_new_engine_file = write_engine_file(&town.layout, &name, &chosen.engine)?;
    }
    let copied = match &transport {
        HostTransport::Ssh(ssh_host) if program == "gt" => {
            copy_missing_programs(ssh_host, &town.exe)?
        }
        _ => None,
    };
    let copied_program = copied.map(|copied| copied.program);
    let settings = HostSettings {
        program: copied_program.clone().unwrap_or(program),
        limit,
        ..HostSettings::new(transport, town.random.hex(ID_LENGTH))
    };
    // An earlier host of this name is another one.
    file::remove_file(&state_file(&town.layout, &name))?;
    settings.save(&town.layout, &name)?;
    let checked = check_host(town, &name);
    if checked.is_err() {
        for place in list_places(&town.layout, &name) {
            discard_place(town, &place)?;
        }
        if is_new_engine_file {
            remove_engine_file(&town.layout, &name)?;
        }
        remove_host_file(&town.layout, &name)?;
    } else {
        town.record_event(&event!(HostAdded, host: name));
    }
    Ok(CheckedHost {
        copied_program,
        ..checked?
    })
}

/// Checks the values of an engine, which become words of its commands.
fn check_values(chosen: &ChosenEngine) -> anyhow::Result<()> {
    for (name, value) in &chosen.values {
        let is_plain = |c: char| !c.is_control() && !c.is_whitespace() && !"\"'\\{}".contains(c);
        anyhow::ensure!(
            !value.is_empty() && !value.starts_with('-') && value.chars().all(is_plain),
            "`{value}` is no valid {name}"
        );
    }
    Ok(())
}

/// Connects to a host and measures it. A host with an engine makes a place for that.
pub fn check_host(town: &Town, name: &str) -> anyhow::Result<CheckedHost> {
    let settings = load_host(town, name)?;
    let checked = match settings.transport {
        HostTransport::Engine(_) => {
            with_trial_place(town, name, |place| measure_host(town, place))?
        }
        _ => measure_host(town, name)?,
    };
    forget_host_failure(&town.layout, name);
    Ok(CheckedHost {
        name: name.to_owned(),
        way: settings.describe(),
        ..checked
    })
}

fn measure_host(town: &Town, name: &str) -> anyhow::Result<CheckedHost> {
    let host = open_far_host(town, name)?;
    match host.try_connect()? {
        LinkState::Connected { version, root, .. } => {
            let started = Instant::now();
            host.ask::<serde_json::Value>(&BoxRequest::Sessions)?;
            Ok(CheckedHost {
                name: name.to_owned(),
                way: String::new(),
                version,
                root,
                millis: started.elapsed().as_millis(),
                copied_program: None,
            })
        }
        LinkState::Unreachable { reason, .. } => {
            anyhow::bail!("host {name} cannot be reached: {reason}")
        }
        LinkState::Connecting => anyhow::bail!("host {name} does not answer"),
    }
}

/// Lists the hosts with the last state of their connections. The places of a host follow it.
pub fn list_host_rows(town: &Town) -> anyhow::Result<Vec<HostRow>> {
    let workers = list_workers(town)?;
    let unneeded = find_unneeded_places(&town.layout, |rig| {
        let of_rig = workers.iter().find(|(name, _)| name == rig);
        Some(of_rig.map_or(&[], |(_, workers)| workers.as_slice()))
    });
    list_hosts(&town.layout)
        .into_iter()
        .map(|name| {
            let mut row = read_host_row(town, name)?;
            if unneeded.contains(&row.name) {
                let text = "no worker needs this place: the town removes it at its next pass";
                row.reason = Some(text.to_owned());
            }
            Ok(row)
        })
        .collect()
}

/// Reads a host with the last state of its connection.
pub(crate) fn read_host_row(town: &Town, name: String) -> anyhow::Result<HostRow> {
    let settings = load_host(town, &name)?;
    let host = open_far_host(town, &name)?;
    let mut workers = count_sessions(&town.layout, &name);
    let has_engine = matches!(settings.transport, HostTransport::Engine(_));
    if has_engine {
        let places = list_places(&town.layout, &name);
        let sessions = places
            .iter()
            .map(|place| count_sessions(&town.layout, place));
        workers += sessions.sum::<usize>();
    }
    let (state, since, reason) = match host.read_state() {
        _ if has_engine => ("makes places", None, None),
        Some(LinkState::Connected { since, .. }) => ("connected", Some(since), None),
        Some(LinkState::Connecting) => ("connecting", None, None),
        Some(LinkState::Unreachable { since, reason }) => {
            ("not reachable", Some(since), Some(reason))
        }
        None => match find_place_end(&town.layout, &name) {
            Some(reason) => ("gone", None, Some(reason)),
            None => ("not connected", None, None),
        },
    };
    Ok(HostRow {
        way: settings.describe(),
        place_of: host_of_place(&name).map(str::to_owned),
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

/// Changes of a host.
#[derive(Debug, Clone, Default)]
pub struct HostChanges {
    /// The maximum number of workers. `Some(None)` for no limit.
    pub limit: Option<Option<usize>>,
    /// The program `gt` on a host that is reached by ssh.
    pub program: Option<String>,
    pub draining: Option<bool>,
}

/// Changes the settings of a host. A new program counts from the next connection on.
pub fn change_host(town: &Town, name: &str, changes: HostChanges) -> anyhow::Result<()> {
    check_is_host(name)?;
    check_is_host(name)?;
    let before = load_host(town, name)?;
    anyhow::ensure!(
        changes.program.is_none() || matches!(before.transport, HostTransport::Ssh(_)),
        "host {name} is not reached by ssh: its command names the program"
    );
    let after = HostSettings {
        limit: changes.limit.unwrap_or(before.limit),
        program: changes.program.unwrap_or_else(|| before.program.clone()),
        draining: changes.draining.unwrap_or(before.draining),
        ..before.clone()
    };
    after.save(&town.layout, name)?;
    let show_limit =
        |limit: Option<usize>| limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
    for (key, before, after) in [
        ("limit", show_limit(before.limit), show_limit(after.limit)),
        ("program", before.program, after.program),
        (
            "draining",
            before.draining.to_string(),
            after.draining.to_string(),
        ),
    ] {
        if before != after {
            town.record_event(&event!(SettingChanged,
                key: key, place: format!("host {name}"), before: before, after: after,
            ));
        }
    }
    Ok(())
}

/// Removes a host without sessions, or one that is gone with its sessions. The place of a worker that
/// is given up is made again.
pub fn remove_host(town: &Town, name: &str, is_gone: bool) -> anyhow::Result<()> {
    load_host(town, name)?;
    if is_gone && host_of_place(name).is_some() {
        return end_place(town, name);
    }
    check_is_host(name)?;
    let workers = list_workers_on(town, name)?;
    anyhow::ensure!(
        workers.is_empty() || is_gone,
        "host {name} has {}: end their work first, or wait for it after `gt host drain {name}`",
        kit::ui::counted(workers.len(), "worker")
    );
    if !is_gone && let Some(setting) = find_naming_setting(town, name)? {
        anyhow::bail!("setting {setting} names host {name}: change it first, see `gt config list`");
    }
    for place in list_places(&town.layout, name) {
        if is_gone {
            discard_place(town, &place)?;
        } else {
            remove_unneeded_place(town, &place)?;
        }
    }
    let left = list_places(&town.layout, name);
    anyhow::ensure!(
        left.is_empty(),
        "host {name} still has {}; see `gt host list`",
        left.join(", ")
    );
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
    check_is_host(name)?;
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
    if let Some(bead) = bead.filter(|bead| bead.status == Status::Hooked) {
        let workers = polecat::list_polecats(rig, &rig.store()?.snapshot()?, None);
        let is_holder = |worker: &&Polecat| worker.hook.as_deref() == Some(&*bead.id);
        if let Some(holder) = workers.iter().find(is_holder) {
            limits.hosts.remove_worker(holder);
        }
    }
    let wish = limits.needs_of(rig, &layers, options, bead).hosts;
    loop {
        let choice = match limits.hosts.choose(&wish) {
            Ok(choice) => choice,
            Err(none) => return Ok(Err(none)),
        };
        let Some(host) = &choice.host else {
            return Ok(Ok(choice));
        };
        // The place of an engine is made after the claim.
        if has_engine(town, host)? {
            return Ok(Ok(choice));
        }
        match check_host(town, host) {
            Ok(_) => return Ok(Ok(choice)),
            Err(error) => {
                let reason = format!("{error:#}");
                record_host_failure(town, host, &reason);
                limits.hosts.set_unreachable(host, reason);
            }
        }
    }
}

/// Refuses the place of a worker.
fn check_is_host(name: &str) -> anyhow::Result<()> {
    let Some(host) = host_of_place(name) else {
        return Ok(());
    };
    anyhow::bail!(
        "{name} is the place of a worker on host {host}, which the town makes and removes"
    )
}

/// Lists the workers whose work is on a host, with a session or without.
fn list_workers_on(town: &Town, host: &str) -> anyhow::Result<Vec<HaltedWorker>> {
    let workers = list_workers(town)?;
    let all = workers.iter().flat_map(|(_, workers)| workers);
    let there = all.filter(|polecat| is_on_host(&polecat.slot, host));
    let with_work = there.filter_map(|polecat| {
        Some(HaltedWorker {
            polecat: format!("{}/{}", polecat.rig, polecat.name),
            bead: polecat.hook.clone()?,
        })
    });
    Ok(with_work.collect())
}

/// Lists the workers of each rig.
fn list_workers(town: &Town) -> anyhow::Result<Vec<(String, Vec<Polecat>)>> {
    let mut all = Vec::new();
    for rig in town.list_rigs()? {
        let beads = rig.store()?.snapshot()?;
        let workers = polecat::list_polecats(&rig, &beads, None);
        all.push((rig.name().to_owned(), workers));
    }
    Ok(all)
}

/// Returns true for a host with an engine that makes places.
pub fn has_engine(town: &Town, name: &str) -> anyhow::Result<bool> {
    let settings = load_host(town, name)?;
    Ok(matches!(settings.transport, HostTransport::Engine(_)))
}

fn load_host(town: &Town, name: &str) -> anyhow::Result<HostSettings> {
    HostSettings::load(&town.layout, name)?
        .with_context(|| format!("there is no host `{name}`; see `gt host list`"))
}
