//! Chooses the backend of the jail by trying it, once per process and `PATH`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use kit::sys::Env;
use kit::sys::jail::{JailBackend, JailProbe, probe_jail};

/// The jail of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JailChoice {
    Works(JailBackend),
    /// No backend holds all rules.
    Missing {
        reason: String,
    },
}

/// The result of trying one backend.
#[derive(Debug)]
pub struct BackendReport {
    pub backend: JailBackend,
    /// The rules, or why the backend cannot be used.
    pub probe: Result<JailProbe, String>,
}

impl BackendReport {
    /// Returns why the backend is not used. None if it holds all rules.
    pub fn fault(&self) -> Option<String> {
        match &self.probe {
            Err(reason) => Some(reason.clone()),
            Ok(probe) if probe.is_sound() => None,
            Ok(probe) => {
                let broken: Vec<&str> = probe.broken().collect();
                Some(format!("it does not hold: {}", broken.join("; ")))
            }
        }
    }
}

/// The working backends of this process by `PATH`, because trying takes longer than most commands. A
/// machine without one is tried again, so that a backend that was installed is used at once.
static CHOICES: Mutex<BTreeMap<String, JailChoice>> = Mutex::new(BTreeMap::new());

/// Returns the stronger backend that works on this machine.
pub fn choose_backend(env: &Env) -> JailChoice {
    let path = env.get("PATH").unwrap_or("").to_owned();
    // A poisoned lock means a panic between two plain changes of the map.
    let mut choices = CHOICES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(choice) = choices.get(&path) {
        return choice.clone();
    }
    let mut faults = Vec::new();
    for backend in JailBackend::ALL {
        let report = probe_backend(env, backend);
        match report.fault() {
            None => {
                let choice = JailChoice::Works(backend);
                choices.insert(path, choice.clone());
                return choice;
            }
            Some(fault) => faults.push((backend, fault)),
        }
    }
    JailChoice::Missing {
        reason: describe_faults(&faults),
    }
}

/// Tries all backends.
pub fn probe_backends(env: &Env) -> Vec<BackendReport> {
    JailBackend::ALL
        .map(|backend| probe_backend(env, backend))
        .into()
}

fn probe_backend(env: &Env, backend: JailBackend) -> BackendReport {
    let probe = probe_jail(backend, env.get("PATH"));
    BackendReport {
        backend,
        probe: probe.map_err(|error| format!("{:#}", anyhow::Error::from(error))),
    }
}

fn describe_faults(faults: &[(JailBackend, String)]) -> String {
    let faults: Vec<String> = faults
        .iter()
        .map(|(backend, fault)| format!("{}: {fault}", backend.name()))
        .collect();
    faults.join("; ")
}

/// Makes a machine without a jail, for all towns with this `PATH`.
#[cfg(test)]
pub(crate) fn forget_backends(path: &str, reason: &str) {
    let mut choices = CHOICES.lock().unwrap_or_else(PoisonError::into_inner);
    let reason = reason.to_owned();
    choices.insert(path.to_owned(), JailChoice::Missing { reason });
}
