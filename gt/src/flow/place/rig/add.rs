//! Adds a rig.
//!
//! 1. Check that the name, the prefix and the folder are free. Nothing is changed yet.
//! 2. Create `.repo.git`, the shared repository, from the origin, a copy or nothing. Check that it
//!    is supported.
//! 3. Create `mayor/rig`, the full clone for reading.
//! 4. Set up the beads: those that the repository tracks or has on its sync branch, or new ones.
//!    Create the beads of the rig and its agents.
//! 5. Create folders and settings.
//! 6. Add the route of the prefix, then the registry entry, which makes the folder a rig.
//!
//! A failure undoes everything: the folder of a new rig holds no earlier files. A killed run leaves
//! its mark in the folder, and the next run starts over.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::bead::{Bead, Kind};
use bd::config::Config;
use bd::git::{Git, redact_urls};
use bd::store::{Routes, Store};
use bd::sync::fresh;
use kit::sys::file;
use serde::Serialize;
use serde_json::json;

use super::origin::RigOrigin;
use super::{RigError, name, route};
use crate::town::config::{self, SettingsLayer, SettingsLayers};
use crate::town::event::event;
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::{Rig, RigEntry, RigLayout, Town};

/// Local files of the store, which a repository that tracks its beads must ignore.
const LOCAL_BEADS: &[&str] = &[
    ".beads/*.db",
    ".beads/.lock",
    ".beads/.tmp-*",
    ".beads/journal.jsonl",
    ".beads/wisps.jsonl",
    ".beads/events.local.jsonl",
    ".beads/index.bin",
    ".beads/archive.bin",
    ".beads/issues.kept",
    ".beads/issues.found",
    ".beads/rollback.jsonl",
    ".beads/clone-id",
    ".beads/sync-base",
    ".beads/.sync.lock",
    ".beads/events/",
    ".beads/damaged/",
];

/// The time limit for the question whether work can be pushed.
const PUSH_CHECK: Duration = Duration::from_secs(30);

/// The mark in the folder of a rig that is being created. Removed right after the rig is
/// registered. If a kill came between, the next add or remove deletes it. A folder with workers in
/// it is never cleared.
const UNFINISHED_MARK: &str = ".being-added";

#[derive(Debug, Clone, Default)]
pub struct AddRigRequest {
    pub name: String,
    /// The repository. None for a rig without an origin.
    pub url: Option<String>,
    /// The prefix of the beads. If `None`, derived from the name.
    pub prefix: Option<String>,
    /// The branch that work is merged into. If `None`, the origin's default.
    pub branch: Option<String>,
    /// True to work on a copy and never push to the repository.
    pub no_remote: bool,
    /// True to push the rig's beads to the sync branch of the repository, false to keep them here.
    /// If `None`, only beads that are on the branch already are pushed. Beads that the repository
    /// tracks are always pushed.
    pub push_beads: Option<bool>,
    /// True to run the commands of the repository in a jail.
    pub jail: bool,
}

/// An added rig.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddRigReport {
    pub name: String,
    pub path: PathBuf,
    pub prefix: String,
    /// The push URL. None for a rig without an origin.
    pub remote: Option<String>,
    /// The branch that work is merged into.
    pub branch: String,
    /// True if the repository tracks its beads.
    pub tracked_beads: bool,
    /// True if the daemon pushes beads to the remote.
    pub pushed_beads: bool,
    /// The reason why work cannot be pushed to the remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_problem: Option<String>,
    /// True if the folder of a removed rig was taken back, with its repository and its beads.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// A test command that the repository's files suggest as a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_gate: Option<&'static str>,
    /// True if the commands of the repository run in a jail.
    pub jail: bool,
}

/// A rig's folder during its creation. Removed on drop unless it is kept.
struct RigDraft {
    root: PathBuf,
    kept: bool,
}

impl Drop for RigDraft {
    fn drop(&mut self) {
        if !self.kept {
            // The folder holds only files of this run. If it cannot be removed, the next run
            // handles it.
            fs::remove_dir_all(&self.root).ok();
        }
    }
}

/// Returns the rig that works on a repository.
pub fn find_rig_of_repository(town: &Town, url: &str) -> anyhow::Result<Option<String>> {
    let origin = RigOrigin::parse(Some(url), false, &town.env);
    let registry = town.read_registry()?;
    Ok(registry
        .rigs
        .into_iter()
        .find(|(_, entry)| origin == RigOrigin::Remote(entry.git_url.clone()))
        .map(|(name, _)| name))
}

/// Adds a rig, or takes back the folder of a removed one, and reports each step to `say`.
pub fn add_rig(
    town: &Town,
    request: &AddRigRequest,
    say: &dyn Fn(&str),
) -> anyhow::Result<AddRigReport> {
    let registry = Lock::take(&town.layout.registry_lock(), Duration::from_secs(60))?;
    if let Some(removed) = read_removed_rig(town, request)? {
        say("Taking back the folder of a removed rig ...");
        return adopt_rig(&town.rig(&request.name), request, &removed, &registry);
    }
    let (rig, wanted) = inspect_origin(town, request)?;
    let origin = RigOrigin::parse(request.url.as_deref(), request.no_remote, &town.env);
    let mut draft = RigDraft {
        root: rig.root().to_owned(),
        kept: false,
    };
    create_folder(rig.root(), 0o755)?;
    write_text(&rig.root().join(UNFINISHED_MARK), "")?;
    say(&format!("Fetching {} ...", origin.describe()));
    let branch = origin.clone_into(&rig.git(), request.branch.as_deref())?;
    clone_for_reading(&rig, &origin, &branch)?;
    say("Setting up beads ...");
    let (prefix, tracked) = set_up_beads(request, &rig, &wanted)?;
    create_rig_folders(&rig)?;
    write_config(&rig, &origin, &branch, &prefix)?;
    create_own_beads(&rig, &origin, &prefix)?;
    register_rig(&rig, &origin, &prefix, tracked)?;
    draft.kept = true;
    remove_mark(&rig)?;
    let jail = set_jail(&rig, request, &registry)?;
    let is_remote = matches!(origin, RigOrigin::Remote(_));
    let pushed_beads = is_remote && Config::from_dir(&rig.beads())?.flag("daemon.auto-push");
    let remote = match origin {
        RigOrigin::Remote(_) => Some(origin.describe()),
        RigOrigin::Local(_) => None,
    };
    town.record_event(&event!(RigAdded, rig: rig.name(), prefix: prefix, remote: remote));
    Ok(AddRigReport {
        suggested_gate: super::suggest_test_command(&rig),
        push_problem: find_push_problem(&rig, &branch, remote.is_some()),
        name: rig.name().to_owned(),
        path: rig.root().to_owned(),
        prefix,
        remote,
        branch,
        tracked_beads: tracked,
        pushed_beads,
        adopted: false,
        jail,
    })
}

/// Turns the jail on if that was asked for. Returns true if the rig has one.
fn set_jail(rig: &Rig, request: &AddRigRequest, registry: &Lock) -> anyhow::Result<bool> {
    if request.jail {
        config::change_locked_setting(
            registry,
            rig.town(),
            Some(rig),
            SettingsLayer::Settings,
            "sandbox.jail",
            Some("on"),
        )?;
    }
    let layers = SettingsLayers::load(rig.town(), Some(rig))?;
    Ok(layers
        .text("sandbox.jail")
        .is_some_and(|mode| mode != "off"))
}

/// Asks the remote if a branch of finished work could be pushed.
fn find_push_problem(rig: &Rig, branch: &str, has_remote: bool) -> Option<String> {
    if !has_remote {
        return None;
    }
    let tip = format!("refs/remotes/origin/{branch}");
    let git = rig.git().with_network(PUSH_CHECK);
    let checked = git.check_push("origin", &tip, "gt-push-check");
    checked.err().map(|problem| problem.to_string())
}

/// The identity of a rig that was removed from the registry, from its folder.
struct RemovedRig {
    prefix: String,
    branch: String,
    /// The URL of its remote. None for a rig without one.
    url: Option<String>,
    tracked: bool,
}

/// Reads the folder of a removed rig. None if the folder holds no rig, or the rig is registered.
fn read_removed_rig(town: &Town, request: &AddRigRequest) -> anyhow::Result<Option<RemovedRig>> {
    if name::check_rig_name(&request.name).is_err()
        || town.read_registry()?.rigs.contains_key(&request.name)
    {
        return Ok(None);
    }
    let rig = town.rig(&request.name);
    let Some(bytes) = file::read_file_if_exists(&rig.config())? else {
        return Ok(None);
    };
    let Ok(config) = serde_json::from_slice::<serde_json::Value>(&bytes) else {
        return Ok(None);
    };
    let Some(prefix) = config["beads"]["prefix"].as_str() else {
        return Ok(None);
    };
    let is_whole = rig.repo().is_dir() && rig.beads().is_dir() && !prefix.is_empty();
    if rig.root().join(UNFINISHED_MARK).is_file()
        || config["name"] != request.name.as_str()
        || !is_whole
    {
        return Ok(None);
    }
    Ok(Some(RemovedRig {
        prefix: prefix.to_owned(),
        branch: config["default_branch"].as_str().unwrap_or("").to_owned(),
        url: rig.git().remote_url("origin")?,
        tracked: rig.root().join(".beads/redirect").is_file(),
    }))
}

/// Registers the folder of a removed rig again. Nothing in it is changed.
fn adopt_rig(
    rig: &Rig,
    request: &AddRigRequest,
    removed: &RemovedRig,
    registry: &Lock,
) -> anyhow::Result<AddRigReport> {
    check_existing_prefix(request, rig, &removed.prefix)?;
    let origin = match &removed.url {
        Some(url) => RigOrigin::Remote(url.clone()),
        None => RigOrigin::Local(None),
    };
    let wanted = RigOrigin::parse(request.url.as_deref(), request.no_remote, &rig.town().env);
    let is_other = match &wanted {
        RigOrigin::Remote(url) => removed.url.as_ref() != Some(url),
        RigOrigin::Local(from) => from.is_some() && removed.url.is_some(),
    };
    anyhow::ensure!(
        !is_other,
        "{} holds the removed rig `{}` of another repository ({}): move the folder away, or leave \
         out the URL to take that rig back",
        rig.root().display(),
        rig.name(),
        origin.describe()
    );
    register_rig(rig, &origin, &removed.prefix, removed.tracked)?;
    let is_remote = matches!(origin, RigOrigin::Remote(_));
    let remote = is_remote.then(|| origin.describe());
    let prefix = &removed.prefix;
    let town = rig.town();
    town.record_event(&event!(RigAdded, rig: rig.name(), prefix: prefix, remote: remote));
    Ok(AddRigReport {
        suggested_gate: None,
        push_problem: find_push_problem(rig, &removed.branch, is_remote),
        name: rig.name().to_owned(),
        path: rig.root().to_owned(),
        prefix: prefix.clone(),
        remote,
        branch: removed.branch.clone(),
        tracked_beads: removed.tracked,
        adopted: true,
        jail: set_jail(rig, request, registry)?,
        pushed_beads: is_remote && Config::from_dir(&rig.beads())?.flag("daemon.auto-push"),
    })
}

/// Checks that the rig can be created. Returns its layout and the prefix for a repository that has
/// none.
fn inspect_origin<'t>(
    town: &'t Town,
    request: &AddRigRequest,
) -> anyhow::Result<(Rig<'t>, String)> {
    name::check_rig_name(&request.name)?;
    let rig = town.rig(&request.name);
    let build_taken_error = |path: PathBuf| RigError::Taken {
        name: request.name.clone(),
        path,
    };
    if town.read_registry()?.rigs.contains_key(&request.name) {
        remove_mark(&rig)?;
        return Err(build_taken_error(town.layout.rigs_json()).into());
    }
    if rig.root().join(UNFINISHED_MARK).is_file() && !has_workers(&rig) {
        // Under the registry's lock no other process creates it, so a killed run left it.
        fs::remove_dir_all(rig.root()).map_err(|source| RigError::Io {
            path: rig.root().to_owned(),
            source,
        })?;
    }
    if fs::symlink_metadata(rig.root()).is_ok() {
        return Err(build_taken_error(rig.root().to_owned()).into());
    }
    let prefix = match &request.prefix {
        Some(prefix) => name::check_prefix(prefix)?,
        None => name::check_prefix(&name::derive_prefix(&request.name))?,
    };
    Ok((rig, prefix))
}

/// Checks that the prefix has no other route.
fn check_prefix_free(rig: &Rig, prefix: &str) -> Result<(), RigError> {
    let routes = Routes::load(&rig.town().layout.beads());
    let taken = routes
        .all()
        .iter()
        .find(|route| route.prefix.trim_end_matches('-') == prefix && route.rig() != rig.name());
    let owner = match taken {
        Some(route) if route.path == "." => "the town".to_owned(),
        Some(route) => format!("rig `{}`", route.rig()),
        None if prefix == "hq" => "the town".to_owned(),
        None => return Ok(()),
    };
    let prefix = prefix.to_owned();
    Err(RigError::PrefixTaken { prefix, owner })
}

fn clone_for_reading(rig: &RigLayout, origin: &RigOrigin, branch: &str) -> anyhow::Result<()> {
    let clone = Git::at(rig.mayor_clone());
    match origin {
        RigOrigin::Remote(url) => clone.clone_tree(url, Some(branch), Some(&rig.repo()))?,
        RigOrigin::Local(_) => {
            clone.clone_tree(&rig.repo().to_string_lossy(), Some(branch), None)?;
        }
    }
    Ok(())
}

/// Sets up the rig's beads. Returns their prefix, and true if the repository tracks them.
fn set_up_beads(
    request: &AddRigRequest,
    rig: &Rig,
    wanted: &str,
) -> anyhow::Result<(String, bool)> {
    let rig_beads = rig.root().join(".beads");
    let clone = Git::at(rig.mayor_clone());
    // A link or a file of that name is ignored, because a link may lead anywhere.
    let tracked = clone.tracked(&[".beads"])?;
    if !tracked.iter().any(|path| path != Path::new(".beads")) {
        if let Some(prefix) = import_from_branch(request, rig, &rig_beads)? {
            return Ok((prefix, false));
        }
        check_prefix_free(rig, wanted)?;
        let store = Store::create(&rig_beads, wanted)?;
        bd::config::set_setting(
            store.dir(),
            "types.custom",
            crate::flow::place::install::CUSTOM_TYPES,
        )?;
        if request.push_beads != Some(true) {
            bd::config::set_setting(store.dir(), "daemon.auto-push", "false")?;
        }
        return Ok((wanted.to_owned(), false));
    }
    let folder = rig.mayor_clone().join(".beads");
    let prefix = rig.town().open_store(&folder)?.prefix()?;
    check_existing_prefix(request, rig, &prefix)?;
    for pattern in LOCAL_BEADS {
        clone.exclude(pattern)?;
    }
    let file = rig.town().open_store(&folder)?.issues_file().to_owned();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    for repository in [&clone, &rig.git()] {
        repository.install_merge_driver(&format!(".beads/{name}"))?;
    }
    create_folder(&rig_beads, 0o755)?;
    write_text(&rig_beads.join("redirect"), "mayor/rig/.beads\n")?;
    Ok((prefix, true))
}

/// Refuses a requested prefix that differs from that of the existing beads.
fn check_existing_prefix(request: &AddRigRequest, rig: &Rig, prefix: &str) -> Result<(), RigError> {
    let given = request.prefix.as_deref();
    let given = given.map(|given| given.trim_end_matches('-'));
    if let Some(given) = given.filter(|given| *given != prefix) {
        return Err(RigError::PrefixDiffers {
            given: given.to_owned(),
            tracked: prefix.to_owned(),
        });
    }
    check_prefix_free(rig, prefix)
}

/// Imports the beads of the repository's sync branch. Returns their prefix, if there are any.
fn import_from_branch(
    request: &AddRigRequest,
    rig: &Rig,
    rig_beads: &Path,
) -> anyhow::Result<Option<String>> {
    let Some(there) = fresh::find_fresh_store(rig_beads, &Config::from_dir(rig_beads)?) else {
        return Ok(None);
    };
    let taken = there.fetch(&rig.town().clock)?;
    let Some(prefix) = taken.prefix else {
        return Ok(None);
    };
    check_existing_prefix(request, rig, &prefix)?;
    bd::config::set_setting(
        rig_beads,
        "types.custom",
        crate::flow::place::install::CUSTOM_TYPES,
    )?;
    if request.push_beads == Some(false) {
        bd::config::set_setting(rig_beads, "daemon.auto-push", "false")?;
    }
    Ok(Some(prefix))
}

fn create_rig_folders(rig: &RigLayout) -> Result<(), RigError> {
    for folder in [
        rig.polecats(),
        rig.crew_folder(),
        rig.witness(),
        rig.root().join("refinery"),
        rig.root().join("plugins"),
        rig.root().join("settings"),
    ] {
        create_folder(&folder, 0o755)?;
    }
    create_folder(&rig.runtime(), 0o700)?;
    write_text(
        &rig.root().join(".gitignore"),
        ".repo.git/\n.runtime/\nplugins/\n",
    )
}

/// Writes `config.json`, the rig's identity, and its settings.
fn write_config(rig: &Rig, origin: &RigOrigin, branch: &str, prefix: &str) -> anyhow::Result<()> {
    // Only the registry and git's own configuration keep a password.
    let url = redact_urls(&origin_url(origin));
    let identity = json!({
        "type": "rig", "version": 1, "name": rig.name(), "git_url": url, "default_branch": branch,
        "created_at": rig.town().clock.now().to_string(), "beads": { "prefix": prefix },
    });
    let settings = json!({ "type": "rig-settings", "version": 1 });
    for (path, value) in [(rig.config(), identity), (rig.settings(), settings)] {
        write_text(
            &path,
            &format!("{}\n", serde_json::to_string_pretty(&value)?),
        )?;
    }
    Ok(())
}

/// Creates the beads of the rig itself and of its permanent agents.
fn create_own_beads(rig: &Rig, origin: &RigOrigin, prefix: &str) -> anyhow::Result<()> {
    let store = rig.store()?;
    let name = rig.name();
    let identity = Bead {
        id: format!("{prefix}-rig-{name}"),
        title: name.to_owned(),
        issue_type: Kind::Rig,
        labels: vec!["gt:rig".to_owned()],
        description: format!(
            "The rig {name}.\n\nrepo: {}\nprefix: {prefix}\nstate: active",
            redact_urls(&origin_url(origin))
        ),
        ..Bead::default()
    };
    let agents = [
        Address::Witness(name.to_owned()),
        Address::Refinery(name.to_owned()),
    ]
    .map(|agent| crate::flow::place::rig::build_agent_bead(&agent, prefix));
    rig.transact(&store, |tx| {
        for mut bead in std::iter::once(identity).chain(agents) {
            if tx.get(&bead.id).is_some() {
                continue;
            }
            bead.created_at = tx.now();
            bead.updated_at = bead.created_at.clone();
            tx.actor().clone_into(&mut bead.created_by);
            tx.put(bead)?;
        }
        Ok(())
    })
}

/// Adds the route of a registered rig that has none. Returns the prefix.
pub(crate) fn add_missing_route(rig: &Rig) -> anyhow::Result<Option<String>> {
    let _registry = Lock::take(&rig.town().layout.registry_lock(), Duration::from_secs(60))?;
    let routes = Routes::load(&rig.town().layout.beads());
    if routes.all().iter().any(|route| route.rig() == rig.name()) {
        return Ok(None);
    }
    let prefix = rig.store()?.prefix()?;
    check_prefix_free(rig, &prefix)?;
    let is_tracked = rig.root().join(".beads/redirect").is_file();
    let path = route_path(rig.name(), is_tracked);
    route::set_route(&rig.town().layout.routes(), &prefix, &path)?;
    Ok(Some(prefix))
}

/// Returns the path in the route of a rig.
fn route_path(name: &str, is_tracked: bool) -> String {
    if is_tracked {
        format!("{name}/mayor/rig")
    } else {
        name.to_owned()
    }
}

fn register_rig(rig: &Rig, origin: &RigOrigin, prefix: &str, tracked: bool) -> anyhow::Result<()> {
    let name = rig.name();
    let path = route_path(name, tracked);
    let routes = rig.town().layout.routes();
    route::set_route(&routes, prefix, &path)?;
    let mut registry = rig.town().read_registry()?;
    let entry = RigEntry::new(
        &origin_url(origin),
        prefix,
        &rig.town().clock.now().to_string(),
    );
    registry.rigs.insert(name.to_owned(), entry);
    let saved = registry.save(&rig.town().layout.rigs_json());
    if saved.is_err() {
        // The route must not outlive the rig, which is undone now.
        route::remove_routes(&routes, name)?;
    }
    Ok(saved?)
}

/// Returns true if a worker has a folder in the rig.
fn has_workers(rig: &RigLayout) -> bool {
    [rig.polecats(), rig.crew_folder()]
        .iter()
        .any(|folder| fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()))
}

pub(super) fn remove_mark(rig: &RigLayout) -> Result<(), RigError> {
    let path = rig.root().join(UNFINISHED_MARK);
    file::remove_file(&path).map_err(|source| RigError::Io { path, source })
}

fn origin_url(origin: &RigOrigin) -> String {
    match origin {
        RigOrigin::Remote(url) => url.clone(),
        RigOrigin::Local(_) => String::new(),
    }
}

fn create_folder(path: &Path, mode: u32) -> Result<(), RigError> {
    file::create_folder(path, mode).map_err(|source| RigError::Io {
        path: path.to_owned(),
        source,
    })
}

fn write_text(path: &Path, text: &str) -> Result<(), RigError> {
    file::replace_file(path, text.as_bytes(), 0o600).map_err(|source| RigError::Io {
        path: path.to_owned(),
        source,
    })
}
