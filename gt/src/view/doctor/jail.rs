//! Tries the jail for workers and the commands of repositories, and reports rigs that want one in
//! vain.

use kit::sys::jail::JailBackend;

use super::{CheckFindings, list_readable_rigs};
use crate::host::LiveTown;
use crate::host::jail::{BackendReport, find_open_caches, probe_backends};
use crate::host::runtime::resolve_runtime;
use crate::town::Rig;
use crate::town::config::{HostList, JailMode, JailSettings, NetworkAccess, RigSettings};
use crate::town::identity::Address;

pub(super) fn check_jail(town: &LiveTown, page: &mut CheckFindings) {
    let reports = probe_backends(&town.env);
    let working: Vec<&BackendReport> = reports
        .iter()
        .filter(|report| report.fault().is_none())
        .collect();
    let rigs: Vec<(Rig, JailSettings)> = list_readable_rigs(town)
        .into_iter()
        .filter_map(|rig| {
            // The check of the rigs reports settings that are not valid.
            let settings = RigSettings::load(&rig).ok()?.sandbox.jail(&rig).ok()?;
            Some((rig, settings))
        })
        .collect();
    for (rig, settings) in &rigs {
        if settings.mode != JailMode::Off {
            check_settings(rig, settings, page);
        }
    }
    for report in &reports {
        report_backend(report, page);
    }
    let hint = "install bubblewrap: `apt-get install bubblewrap`; then run gt doctor jail";
    for (rig, settings) in &rigs {
        let rig = rig.name();
        match (settings.mode, working.first().map(|report| report.backend)) {
            (JailMode::Off, _) => {}
            (JailMode::On, None) => page.warn(
                format!("rig {rig}: no jail works here, so its workers and gates run with all your rights"),
                hint,
            ),
            (JailMode::Required, None) => page.error(
                format!("rig {rig}: no jail works here, so no worker starts and nothing is merged"),
                hint,
            ),
            (_, Some(JailBackend::Landlock)) if settings.network != NetworkAccess::Full => page.warn(
                format!(
                    "rig {rig}: Landlock limits the ports of a network, not the hosts, so a worker can reach each host that listens on one of them"
                ),
                hint,
            ),
            (_, Some(JailBackend::Landlock)) => page.note(
                format!("rig {rig}: Landlock holds less than bubblewrap"),
                hint,
            ),
            (_, Some(JailBackend::Bubblewrap)) => {
                page.ok(format!("rig {rig}: its workers and gates run in bubblewrap"));
            }
        }
    }
}

/// Reports settings of a jail with which nothing can work in it.
fn check_settings(rig: &Rig, settings: &JailSettings, page: &mut CheckFindings) {
    let name = rig.name();
    for cache in find_open_caches(rig.town(), settings) {
        page.error(
            format!(
                "rig {name}: the cache {} in sandbox.caches holds the home folder or a part of the town, so nothing runs in the jail",
                cache.path
            ),
            "name only folders of caches: gt config set --rig RIG sandbox.caches PATH,PATH",
        );
    }
    let worker = Address::Polecat(name.to_owned(), String::new());
    // The check of the agent programs reports one that cannot be started.
    if settings.network == NetworkAccess::Hosts(HostList::default())
        && let Ok(runtime) = resolve_runtime(rig.town(), Some(rig), &worker, None)
        && runtime.preset.jail_hosts.is_empty()
        && !runtime.preset.is_scripted()
    {
        page.warn(
            format!(
                "rig {name}: sandbox.jail_network is none, so workers with {} cannot reach its model",
                runtime.name
            ),
            "list the hosts of the model in jail_hosts of the agent: docs/JAIL.md",
        );
    }
}

fn report_backend(report: &BackendReport, page: &mut CheckFindings) {
    let name = report.backend.name();
    match (report.fault(), &report.probe) {
        (None, Ok(probe)) if !probe.closes_abstract_sockets => page.ok(format!(
            "{name} holds the rules of the jail, but abstract sockets can be reached"
        )),
        (None, _) => page.ok(format!("{name} holds all rules of the jail")),
        (Some(fault), _) => page.ok(format!("{name} cannot be used for a jail: {fault}")),
    }
}
