//! Runs an agent program once in the jail of a rig's workers, in a folder that is removed
//! afterwards, and finds what the jail kept from it.
//!
//! A jail hides files or refuses them, and programs say little about what they miss. `strace`, where
//! it is installed, records each file that was not opened. Of these only those matter that exist
//! outside.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use kit::sys::ChildCommand;
use kit::sys::jail::JailBackend;
use serde::Serialize;

use crate::host::SessionSpec;
use crate::host::jail::session::wrap_trial;
use crate::host::jail::session_plan::{JailedSession, SessionBackend, choose_session_backend};
use crate::host::jail::{JailChoice, choose_backend};
use crate::host::network::NetworkProxy;
use crate::host::runtime;
use crate::host::wrapper::session_environment;
use crate::town::config::RigSettings;
use crate::town::identity::Address;
use crate::town::temporary::TemporaryFolder;
use crate::town::{Rig, Town};

/// The time that the program has.
const TRIAL_LIMIT: Duration = Duration::from_secs(120);

/// The most files that are reported.
const MOST_REFUSED: usize = 100;

/// The largest record of `strace` that is read, in bytes.
const MOST_TRACE: usize = 64 * 1024 * 1024;

/// The result of a trial.
#[derive(Debug, Serialize)]
pub struct JailTrial {
    pub agent: String,
    pub program: PathBuf,
    /// The backend of the jail.
    pub jail: &'static str,
    /// The exit code; `None` if a signal ended the program.
    pub exit_code: Option<i32>,
    /// The output and the errors, cut.
    pub output: String,
    /// True if `strace` recorded the program.
    pub is_traced: bool,
    /// The files that exist outside and could not be used inside.
    pub refused: Vec<RefusedPath>,
    /// The hosts of the network that the settings do not list, as `host:port`.
    pub refused_hosts: Vec<String>,
}

/// A file that a program could not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedPath {
    pub path: PathBuf,
    /// The name of the error, such as `ENOENT`.
    pub error: String,
}

/// Runs the program of an agent in the jail, with these arguments.
pub fn try_jail(town: &Town, rig: &Rig, agent: &str, args: &[String]) -> anyhow::Result<JailTrial> {
    let name = format!(".try-{}", std::process::id());
    let address = Address::Polecat(rig.name().to_owned(), name.clone());
    let runtime = runtime::resolve_runtime(town, Some(rig), &address, Some(agent))?;
    let settings = RigSettings::load(rig)?.sandbox.jail(rig)?;
    let backend = match choose_session_backend(&town.env, &settings, &runtime)? {
        SessionBackend::Works(backend) => backend,
        SessionBackend::Unwanted => match choose_backend(&town.env) {
            JailChoice::Works(backend) => backend,
            JailChoice::Missing { reason } => anyhow::bail!("no jail works here: {reason}"),
        },
        SessionBackend::Missing(reason) => anyhow::bail!("no jail works here: {reason}"),
    };
    let sandbox = rig.sandbox(&name);
    let _place = TemporaryFolder::at(&rig.polecats().join(&name))?;
    fs::create_dir_all(&sandbox).context("cannot create the folder of the trial")?;
    let private = TemporaryFolder::at(&rig.session_jail(&name))?;
    let argv: Vec<String> = std::iter::once(runtime.program.display().to_string())
        .chain(args.iter().cloned())
        .collect();
    let pass = [
        runtime.pass.clone(),
        runtime::added_variables(town, Some(rig)),
    ]
    .concat();
    let mut env: Vec<(String, String)> = runtime
        .preset
        .env
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let session = JailedSession {
        rig,
        settings: &settings,
        worker: &name,
        runtime: &runtime,
        argv: &argv,
        pass: &pass,
    };
    let mut jail = session.prepare(backend, &mut env)?;
    let refused_hosts = Arc::new(Mutex::new(Vec::new()));
    let found_hosts = Arc::clone(&refused_hosts);
    let recorder = Box::new(move |host: &str| lock_list(&found_hosts).push(host.to_owned()));
    let sockets = TemporaryFolder::new("gt-jail-")?;
    let socket = sockets.path().join("network");
    let proxy = NetworkProxy::open(backend, &socket, &jail.network, recorder)?;
    if let Some(proxy) = &proxy {
        jail.connect_proxy(proxy, &mut env);
    }
    let spec = SessionSpec {
        env,
        pass: pass.clone(),
        ..SessionSpec::default()
    };
    let trace = private.path().join("tmp/trace");
    let is_traced = which::which_in("strace", town.env.get("PATH"), town.env.cwd()).is_ok();
    let mut command = if is_traced {
        let inside = match backend {
            JailBackend::Bubblewrap => Path::new("/tmp/trace"),
            JailBackend::Landlock => &trace,
        };
        ChildCommand::new("strace")
            .args(["-f", "-qq", "-e", "trace=%file,connect", "-o"])
            .arg(inside)
            .args(&argv)
    } else {
        ChildCommand::new(&argv[0]).args(&argv[1..])
    };
    command = command.cwd(&sandbox).limit(TRIAL_LIMIT);
    for (name, value) in session_environment(&town.env, &spec, &town.exe) {
        command = command.env(name, value);
    }
    let output = wrap_trial(&jail, &town.exe, command)?.run()?;
    let mut text = output.text();
    text.push_str(&output.error_text());
    Ok(JailTrial {
        agent: runtime.name.clone(),
        program: runtime.program.clone(),
        jail: backend.name(),
        exit_code: output.code(),
        output: text,
        is_traced,
        refused: read_trace(&trace)?,
        refused_hosts: lock_list(&refused_hosts).clone(),
    })
}

fn lock_list(list: &Mutex<Vec<String>>) -> MutexGuard<'_, Vec<String>> {
    // A poisoned lock means a panic between two plain changes of the list.
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the record of a program. A missing one names nothing.
fn read_trace(trace: &Path) -> anyhow::Result<Vec<RefusedPath>> {
    let bytes = kit::sys::file::read_regular_file(trace)?.unwrap_or_else(Vec::new);
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_TRACE)]);
    Ok(find_refused(&text, |path| path.symlink_metadata().is_ok()))
}

/// Finds the files that a program could not use although they exist outside. Of a file that was
/// tried again, the last error counts.
fn find_refused(trace: &str, exists: impl Fn(&Path) -> bool) -> Vec<RefusedPath> {
    let mut found: BTreeMap<PathBuf, String> = BTreeMap::new();
    for line in trace.lines() {
        let Some((call, result)) = line.rsplit_once(" = ") else {
            continue;
        };
        let Some(path) = call.split('"').nth(1).map(Path::new) else {
            continue;
        };
        let Some(error) = result.strip_prefix("-1 ") else {
            found.remove(path);
            continue;
        };
        let error = error.split(' ').next().unwrap_or(error);
        let is_refusal = matches!(error, "ENOENT" | "EACCES" | "EPERM" | "EROFS");
        if is_refusal && path.is_absolute() && exists(path) && found.len() < MOST_REFUSED {
            found.insert(path.to_owned(), error.to_owned());
        }
    }
    found
        .into_iter()
        .map(|(path, error)| RefusedPath { path, error })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_exists_outside_and_was_never_reached_is_refused() {
        let trace = concat!(
            "7 openat(AT_FDCWD, \"/home/u/.agent/key\", O_RDONLY) = -1 ENOENT (No such file)\n",
            "7 openat(AT_FDCWD, \"/home/u/.none\", O_RDONLY) = -1 ENOENT (No such file)\n",
            "8 openat(AT_FDCWD, \"/etc/shadow\", O_RDONLY) = -1 EACCES (Permission denied)\n",
            "8 connect(3, {sa_family=AF_UNIX, sun_path=\"/run/x.sock\"}, 16) = -1 ENOENT (No)\n",
            "8 openat(AT_FDCWD, \"/usr/lib/x\", O_RDONLY) = -1 ENOENT (No such file)\n",
            "8 openat(AT_FDCWD, \"/usr/lib/x\", O_RDONLY) = 3\n",
            "8 openat(AT_FDCWD, \"relative\", O_RDONLY) = -1 ENOENT (No such file)\n",
            "8 +++ exited with 0 +++\n",
        );
        let refused = find_refused(trace, |path| !path.ends_with(".none"));
        let shown: Vec<(&str, &str)> = refused
            .iter()
            .map(|one| (one.path.to_str().unwrap(), one.error.as_str()))
            .collect();
        let expected = [
            ("/etc/shadow", "EACCES"),
            ("/home/u/.agent/key", "ENOENT"),
            ("/run/x.sock", "ENOENT"),
        ];
        assert_eq!(shown, expected);
    }
}
