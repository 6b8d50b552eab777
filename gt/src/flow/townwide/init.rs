//! Sets up a town for its first work, `gt init`. Safe to run again: existing parts are kept.
//!
//! 1. `check_programs`: git, tmux and the agent program exist, and the repository can be read.
//!    Nothing is built before that.
//! 2. [`install_town`]: create the town, and set its agent.
//! 3. [`rig::add_rig`]: add the repository, unless a rig works on it. Its beads stay on this
//!    machine.
//! 4. Create the first task, unless an open bead has its title.
//! 5. Set the test command of the merge queue.
//! 6. If requested, start the daemon and sling the task.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::change::NewBead;
use bd::git::{Git, redact_urls};
use kit::sys::{Clock, Env};
use serde::Serialize;

use crate::flow::agent::up;
use crate::flow::place::install::{InstallRequest, install_town};
use crate::flow::place::rig::{self, AddRigRequest};
use crate::flow::work::sling::{SlingReport, SlingRequest, sling_bead};
use crate::host::LiveTown;
use crate::host::live_town::open_live_town;
use crate::host::runtime::{self, RuntimePreset};
use crate::town::config::{self, RigSettings, SettingsLayer, SettingsLayers};
use crate::town::identity::Address;

/// The time limit for the question whether a repository can be read.
const READ_CHECK: Duration = Duration::from_secs(30);

/// The answers of the user.
#[derive(Debug, Clone, Default)]
pub struct InitRequest {
    /// The town's folder.
    pub root: PathBuf,
    /// The town's name. If `None`, that of its folder.
    pub name: Option<String>,
    pub repository: Option<InitRepository>,
    /// The title of the first bead.
    pub task: Option<String>,
    /// The agent program of the town. If `None`, the setting stays unchanged.
    pub agent: Option<String>,
    pub gate: InitGate,
    /// True to run the commands of the repository in a jail.
    pub jail: bool,
    /// Start the daemon, and sling the first bead.
    pub start: bool,
}

/// The test command that must pass before a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum InitGate {
    /// Set none, and report the one that the repository's files suggest.
    #[default]
    Report,
    /// Set the one that the repository's files suggest.
    Suggested,
    Command(String),
}

/// The repository of the first rig.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitRepository {
    /// A URL or a path.
    pub url: String,
    /// True to work on a copy, for a local repository without a remote.
    pub is_copied: bool,
}

/// The result of `gt init`.
#[derive(Debug, Clone, Serialize)]
pub struct InitReport {
    pub root: PathBuf,
    pub name: String,
    pub rig: Option<String>,
    /// The first bead.
    pub bead: Option<String>,
    /// The agent program of workers. `None` if none can be started.
    pub agent: Option<String>,
    /// The test command that was set as a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// A test command that the repository's files suggest as a gate, if the rig has no gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_gate: Option<&'static str>,
    /// True if the commands of the repository run in a jail.
    pub jail: bool,
    /// Problems that do not stop the set-up.
    pub warnings: Vec<String>,
    /// The result of slinging the first bead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slung: Option<SlingReport>,
    /// True if the daemon runs.
    pub started: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum InitError {
    #[error("{program} is not installed: install it first; nothing was made")]
    NoProgram { program: &'static str },
    #[error(
        "the agent program `{agent}` is not installed, or not on PATH: install it, or choose another with --agent; nothing was made"
    )]
    AgentNotInstalled { agent: String },
    #[error("the repository {url} cannot be read: {reason}; nothing was made")]
    Unreadable { url: String, reason: String },
    #[error("a task and a test command need a repository: give one with --repo")]
    NoRepository,
}

/// Returns the repository around a folder: its remote, or itself as a copy if it has none.
pub fn find_repository_around(folder: &Path) -> Option<InitRepository> {
    rig::find_repository_around(folder).map(|found| InitRepository {
        url: found.url(),
        is_copied: found.remote.is_none(),
    })
}

/// Checks that a repository can be read.
pub fn check_repository(env: &Env, repository: &InitRepository) -> Result<(), InitError> {
    let git = Git::at(env.cwd()).with_network(READ_CHECK);
    let path = env.make_absolute(&repository.url);
    let remote = if path.is_dir() {
        path.display().to_string()
    } else {
        repository.url.clone()
    };
    git.remote_head(&remote)
        .map(drop)
        .map_err(|error| InitError::Unreadable {
            url: redact_urls(&repository.url),
            reason: error.to_string(),
        })
}

/// Sets up the town with the steps above, and reports each step to `say`.
pub fn init_town(
    env: &Env,
    clock: &Clock,
    request: &InitRequest,
    say: &dyn Fn(&str),
) -> anyhow::Result<InitReport> {
    let mut warnings = check_programs(env, request)?;
    let owner = InstallRequest::from_git_user(env.cwd());
    let install = InstallRequest {
        name: request.name.clone(),
        ..owner
    };
    let installed = install_town(env, clock, &request.root, &install)?;
    let town = open_live_town(&env.in_dir(&request.root), &request.root, Address::Overseer);
    if let Some(agent) = &request.agent {
        let layer = SettingsLayer::Settings;
        config::change_setting(&town, None, layer, "default_agent", Some(agent))?;
    }
    let rig = match &request.repository {
        Some(repository) => Some(ensure_rig(env, &town, repository, &mut warnings, say)?),
        None => None,
    };
    let jail = match &rig {
        Some(rig) => set_jail(&town, rig, request.jail)?,
        None => false,
    };
    let bead = match (&request.task, &rig) {
        (Some(task), Some(rig)) => Some(ensure_task(&town, rig, task)?),
        _ => None,
    };
    let gate = match &rig {
        Some(rig) => set_gate(&town, rig, &request.gate)?,
        None => None,
    };
    let mut report = InitReport {
        root: installed.root,
        name: installed.name,
        bead,
        gate,
        suggested_gate: rig.as_deref().and_then(|rig| suggest_gate(&town, rig)),
        jail,
        rig,
        agent: name_of_default_agent(&town, &mut warnings),
        warnings,
        slung: None,
        started: false,
    };
    if request.start {
        report.started = true;
        up::start_town(&town)?;
        if let (Some(bead), Some(rig)) = (&report.bead, &report.rig) {
            let sling = SlingRequest {
                bead: bead.clone(),
                target: rig.clone(),
                ..SlingRequest::default()
            };
            report.slung = Some(sling_bead(&town, &sling)?);
            crate::host::daemon::wake_daemon(&town);
        }
    }
    Ok(report)
}

/// Checks what the town needs before anything is built. Returns warnings.
fn check_programs(env: &Env, request: &InitRequest) -> Result<Vec<String>, InitError> {
    let needs_repository = request.task.is_some() || matches!(request.gate, InitGate::Command(_));
    if needs_repository && request.repository.is_none() {
        return Err(InitError::NoRepository);
    }
    for program in ["git", "tmux"] {
        which::which_in(program, env.get("PATH"), env.cwd())
            .map_err(|_| InitError::NoProgram { program })?;
    }
    let mut warnings = Vec::new();
    // An agent of the town's own settings is checked by each start.
    if let Some(preset) = request.agent.as_deref().and_then(RuntimePreset::named)
        && !preset.is_scripted()
    {
        if preset.find_program(env, Path::new("gt")).is_none() {
            return Err(InitError::AgentNotInstalled { agent: preset.name });
        }
        if preset.has_login(env) == Some(false) {
            let command = &preset.command;
            warnings.push(format!(
                "no login of {command} was found: run `{command}` once and log in before you sling work"
            ));
        }
    }
    if let Some(repository) = &request.repository {
        check_repository(env, repository)?;
    }
    Ok(warnings)
}

/// Returns the rig of the repository. Adds it if there is none.
fn ensure_rig(
    env: &Env,
    town: &LiveTown,
    repository: &InitRepository,
    warnings: &mut Vec<String>,
    say: &dyn Fn(&str),
) -> anyhow::Result<String> {
    let path = env.make_absolute(&repository.url);
    let url = if path.is_dir() {
        path.display().to_string()
    } else {
        repository.url.clone()
    };
    let name = rig::derive_rig_name(&url);
    if let Some(rig) = rig::find_rig_of_repository(town, &url)? {
        return Ok(rig);
    }
    let copy = town.read_registry()?.rigs.remove(&name);
    if repository.is_copied && copy.is_some_and(|entry| entry.git_url.is_empty()) {
        return Ok(name);
    }
    let add = AddRigRequest {
        name,
        url: Some(url),
        no_remote: repository.is_copied,
        push_beads: None,
        ..AddRigRequest::default()
    };
    let added = rig::add_rig(town, &add, say)?;
    if let Some(problem) = added.push_problem {
        warnings.push(format!(
            "work of {} cannot be pushed: {problem}",
            added.name
        ));
    }
    Ok(added.name)
}

/// Turns the jail of a rig on if that was asked for. Returns true if the rig has one.
fn set_jail(town: &LiveTown, rig: &str, is_wanted: bool) -> anyhow::Result<bool> {
    let rig = town.rig(rig);
    if is_wanted {
        let layer = SettingsLayer::Settings;
        config::change_setting(town, Some(&rig), layer, "sandbox.jail", Some("on"))?;
    }
    let layers = SettingsLayers::load(town, Some(&rig))?;
    Ok(layers
        .text("sandbox.jail")
        .is_some_and(|mode| mode != "off"))
}

/// Creates the first bead, unless an earlier run has.
fn ensure_task(town: &LiveTown, rig: &str, task: &str) -> anyhow::Result<String> {
    let store = town.rig(rig).store()?;
    town.transact(&store, |tx| {
        let same = tx
            .select(|bead| bead.is_open() && !bead.is_internal())
            .find(|bead| bead.title == task);
        if let Some(bead) = same {
            return Ok(bead.id.clone());
        }
        let new = NewBead {
            title: task.to_owned(),
            ..NewBead::default()
        };
        Ok(bd::change::create_bead(tx, new)?.id)
    })
}

/// Sets the requested gate, a suggested one only if the rig has none. Returns the command that was
/// set.
fn set_gate(town: &LiveTown, rig: &str, gate: &InitGate) -> anyhow::Result<Option<String>> {
    let command = match gate {
        InitGate::Report => None,
        InitGate::Suggested => suggest_gate(town, rig).map(str::to_owned),
        InitGate::Command(command) => Some(command.clone()),
    };
    if let Some(command) = &command {
        let key = "merge_queue.test_command";
        let layer = SettingsLayer::Settings;
        config::change_setting(town, Some(&town.rig(rig)), layer, key, Some(command))?;
    }
    Ok(command)
}

/// Returns a test command for a rig without gates.
fn suggest_gate(town: &LiveTown, rig: &str) -> Option<&'static str> {
    let rig = town.rig(rig);
    let gates = RigSettings::load(&rig).ok()?.gates(&rig).ok()?;
    rig::suggest_test_command(&rig).filter(|_| gates.is_empty())
}

/// Returns the agent that the town's settings choose for workers.
fn name_of_default_agent(town: &LiveTown, warnings: &mut Vec<String>) -> Option<String> {
    let anyone = Address::Polecat(String::new(), String::new());
    match runtime::resolve_runtime(town, None, &anyone, None) {
        Ok(runtime) => Some(runtime.name),
        Err(error) => {
            warnings.push(format!("no work can start yet: {error}"));
            None
        }
    }
}
