//! Plans the jail of a worker's session, and prepares its private folder.
//!
//! The folder is beside the sandboxes, below `.runtime/jail/` of the rig, and has three parts. The
//! home folder and the temporary folder are empty at the start of each session. The configuration
//! folder of the agent program stays as long as the work, because the program resumes by it. At new
//! work it is replaced, because a worker could leave instructions and programs for the next one in
//! it. Only transcripts are kept, out of the reach of workers, because costs are counted by them.
//!
//! Nothing is written through a link that an agent left. Nothing of the folder is copied back to
//! the user's own configuration: programs that its settings name run outside of the jail.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kit::sys::jail::JailBackend;
use kit::sys::{ConfinedFolder, Env, file, foreign};

use super::session::SessionJail;
use super::{JailChoice, JailRefusal, choose_backend, list_caches, list_program_folders};
use crate::host::runtime::{AgentRuntime, JailCopy};
use crate::town::config::{JailMode, JailSettings, NetworkAccess};
use crate::town::{Rig, RigLayout};

/// The configuration folder of the agent program, in the private folder.
const CONFIG: &str = "config";

/// The file that marks a configuration folder into which the user's files were copied. Its lines are
/// the patterns of the program's transcripts.
const SEEDED: &str = "seeded";

/// The transcripts of earlier work, in one folder per work.
const PAST: &str = "past";

/// The folder in the values of a preset.
const CONFIG_PLACE: &str = "{config}";

/// The most transcripts that are kept of one work.
const MAX_TRANSCRIPTS: usize = 200;

/// The most earlier works of a worker whose transcripts are kept.
const MAX_PAST: usize = 20;

/// The most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 5000;

/// The largest file that is copied into a configuration folder.
const MAX_COPY: u64 = 1024 * 1024;

/// The jail of a worker's next session, as far as the machine decides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionBackend {
    /// The settings ask for no jail.
    Unwanted,
    /// The settings ask for a jail that the machine cannot build, for this reason.
    Missing(String),
    Works(JailBackend),
}

/// Chooses the backend for the sessions of an agent program. The program's own mode can only be
/// stricter than the one of the rig.
pub fn choose_session_backend(
    env: &Env,
    settings: &JailSettings,
    runtime: &AgentRuntime,
) -> Result<SessionBackend, JailRefusal> {
    let of_program = runtime.preset.jail.unwrap_or(JailMode::Off);
    let mode = settings.mode.max(of_program);
    if mode == JailMode::Off {
        return Ok(SessionBackend::Unwanted);
    }
    match choose_backend(env) {
        JailChoice::Works(backend) => Ok(SessionBackend::Works(backend)),
        JailChoice::Missing { reason } if mode == JailMode::On => {
            Ok(SessionBackend::Missing(reason))
        }
        JailChoice::Missing { reason } => Err(JailRefusal::NoBackend { reason }),
    }
}

/// A session of a worker that gets a jail.
#[derive(Debug, Clone, Copy)]
pub struct JailedSession<'a> {
    pub rig: &'a Rig<'a>,
    pub settings: &'a JailSettings,
    pub worker: &'a str,
    pub runtime: &'a AgentRuntime,
    /// The command line of the agent.
    pub argv: &'a [String],
    /// The patterns of the variables that it inherits.
    pub pass: &'a [String],
}

impl JailedSession<'_> {
    /// Prepares the private folder of the session, and returns the jail. `env` has the session's own
    /// variables, and gets those that lead to the folder.
    pub fn prepare(
        &self,
        backend: JailBackend,
        env: &mut Vec<(String, String)>,
    ) -> Result<SessionJail, JailRefusal> {
        let folder = self.rig.session_jail(self.worker);
        let config = folder.join(CONFIG);
        let user_config = self.find_user_config(env);
        for part in ["home", "tmp"] {
            file::remove_tree(&folder.join(part)).map_err(JailRefusal::Folder)?;
            file::create_folder(&folder.join(part), 0o700).map_err(JailRefusal::Folder)?;
        }
        self.copy_to(&folder.join("home"), &self.list_home_copies(), None)?;
        file::create_folder(&config, 0o700).map_err(JailRefusal::Folder)?;
        let seeded = folder.join(SEEDED);
        if !seeded.exists() {
            let copies = &self.runtime.preset.jail_copies;
            self.copy_to(&config, copies, user_config.as_deref())?;
            let patterns = self.runtime.preset.jail_transcripts.join("\n");
            file::replace_file_relaxed(&seeded, patterns.as_bytes(), 0o600)
                .map_err(JailRefusal::Folder)?;
        }
        self.set_variables(&config, env);
        let mut readable = self.list_readable();
        let mut writable = vec![self.rig.sandbox(self.worker), config];
        let caches = list_caches(self.rig, self.settings)?;
        writable.extend(caches.writable);
        readable.extend(caches.readable);
        let own = env.iter().map(|(name, _)| name.clone());
        let named = self.pass.iter().chain(&self.settings.variables).cloned();
        Ok(SessionJail {
            backend,
            folder,
            home: self.env().home().filter(|home| home.is_absolute()),
            writable,
            readable,
            sockets: Vec::new(),
            ports: Vec::new(),
            network: self.network(),
            variables: own
                .chain(named)
                .chain([crate::town::process::TOKEN.to_owned()])
                .collect(),
        })
    }

    /// Returns the network of the rig, with the hosts of the agent program.
    fn network(&self) -> NetworkAccess {
        match self.settings.network.clone() {
            NetworkAccess::Full => NetworkAccess::Full,
            NetworkAccess::Hosts(mut hosts) => {
                hosts.extend(self.runtime.preset.jail_hosts.clone());
                NetworkAccess::Hosts(hosts)
            }
        }
    }

    fn env(&self) -> &Env {
        &self.rig.town().env
    }

    /// Returns the configuration folder that the session would have without a jail, if a variable
    /// names one.
    fn find_user_config(&self, env: &[(String, String)]) -> Option<PathBuf> {
        let name = &self.runtime.preset.config_dir_env;
        let own = env.iter().find(|(known, _)| known == name);
        let value = own.map(|(_, value)| value.as_str());
        let path = value.or_else(|| self.env().get(name))?;
        (!name.is_empty() && !path.is_empty()).then(|| self.env().make_absolute(path))
    }

    /// Returns the login files that the program looks for in its home folder.
    fn list_home_copies(&self) -> Vec<JailCopy> {
        let files = &self.runtime.preset.login_files;
        files
            .iter()
            .filter_map(|path| {
                Some(JailCopy {
                    from: path.clone(),
                    to: path.strip_prefix("~/")?.to_owned(),
                    keys: Vec::new(),
                })
            })
            .collect()
    }

    /// Copies what exists of the user's files. `user_config` has the files instead of the home
    /// folder.
    fn copy_to(
        &self,
        folder: &Path,
        copies: &[JailCopy],
        user_config: Option<&Path>,
    ) -> Result<(), JailRefusal> {
        let place = ConfinedFolder::open(folder).map_err(JailRefusal::Copy)?;
        for copy in copies {
            let from = match user_config {
                Some(user) => user.join(&copy.to),
                None => self.env().make_absolute(&copy.from),
            };
            let read = foreign::read_foreign_file(&from, MAX_COPY).map_err(JailRefusal::Folder)?;
            if let Some(content) = read.and_then(|content| copy.select(content)) {
                place
                    .write(&copy.to, &content, 0o600)
                    .map_err(JailRefusal::Copy)?;
            }
        }
        Ok(())
    }

    /// Sets the variables that lead the program to its configuration folder.
    fn set_variables(&self, config: &Path, env: &mut Vec<(String, String)>) {
        let preset = &self.runtime.preset;
        let config = config.to_string_lossy();
        let folder = (!preset.config_dir_env.is_empty())
            .then(|| (preset.config_dir_env.clone(), config.to_string()));
        let others = preset
            .jail_env
            .iter()
            .map(|(name, value)| (name.clone(), value.replace(CONFIG_PLACE, &config)));
        for (name, value) in folder.into_iter().chain(others) {
            env.retain(|(known, _)| *known != name);
            env.push((name, value));
        }
    }

    /// Returns what the session reads besides its own folders: the objects that its repository
    /// borrows, the agent program, the files that the command line names, and programs.
    fn list_readable(&self) -> Vec<PathBuf> {
        let mut paths = vec![self.rig.repo().join("objects")];
        let own = self.rig.sandbox_repository(self.worker);
        paths.extend(list_submodule_objects(&own.join("modules")));
        paths.extend(list_program_folders(self.rig));
        paths.extend(find_program_files(self.rig, &self.runtime.program));
        let named = self.argv.iter().skip(1).map(PathBuf::from);
        paths.extend(named.filter(|path| path.is_absolute() && path.is_file()));
        let of_preset = &self.runtime.preset.jail_readable;
        paths.extend(of_preset.iter().map(|path| self.env().make_absolute(path)));
        paths
    }
}

impl JailCopy {
    /// Returns the part of a file that is copied. None for a file that is not the expected JSON.
    fn select(&self, content: Vec<u8>) -> Option<Vec<u8>> {
        if self.keys.is_empty() {
            return Some(content);
        }
        let mut value: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&content).ok()?;
        value.retain(|key, _| self.keys.contains(key));
        serde_json::to_vec(&value).ok()
    }
}

/// Returns the objects of the town's repositories of submodules, which those of the sandbox borrow.
/// The name of a submodule may have several parts.
fn list_submodule_objects(modules: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for name in file::list_subfolders(modules) {
        let folder = modules.join(name);
        let objects = folder.join("objects");
        if objects.is_dir() && folder.join("HEAD").is_file() {
            found.push(objects);
            found.extend(list_submodule_objects(&folder.join("modules")));
        } else {
            found.extend(list_submodule_objects(&folder));
        }
    }
    found
}

/// Returns the path of a program and of the files that belong to it: its package, or its folder.
fn find_program_files(rig: &Rig, program: &Path) -> Vec<PathBuf> {
    let mut found = vec![program.to_owned()];
    let Ok(real) = program.canonicalize() else {
        return found;
    };
    let packages = real
        .ancestors()
        .filter(|folder| {
            folder
                .file_name()
                .is_some_and(|name| name == "node_modules")
        })
        .last();
    let folder = packages.or(real.parent());
    found.extend(
        folder
            .filter(|folder| !super::holds_private_files(rig.town(), folder))
            .map(Path::to_owned),
    );
    found.push(real);
    found
}

/// Takes the configuration folder from a worker before new work. Its transcripts are kept where no
/// worker reads or changes them. The processes of its sessions have ended.
pub fn renew_session_folder(rig: &Rig, worker: &str) -> io::Result<()> {
    let folder = rig.session_jail(worker);
    let config = folder.join(CONFIG);
    let last = folder.join("last");
    let seeded = folder.join(SEEDED);
    let patterns = file::read_file_if_exists(&seeded)?.unwrap_or_else(Vec::new);
    let patterns = String::from_utf8_lossy(&patterns).into_owned();
    file::remove_tree(&last)?;
    match fs::rename(&config, &last) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        renamed => renamed?,
    }
    file::remove_file(&seeded)?;
    file::open_folders(&last)?;
    let mut transcripts = Vec::new();
    for pattern in patterns.lines() {
        let parts: Vec<&str> = pattern.split('/').collect();
        find_transcripts(&last, Path::new(""), &parts, &mut transcripts)?;
    }
    transcripts.sort_by_key(|transcript| transcript.modified);
    let first_kept = transcripts.len().saturating_sub(MAX_TRANSCRIPTS);
    let past = folder.join(PAST);
    let place = past.join(rig.town().clock.now().as_second().to_string());
    for transcript in &transcripts[first_kept..] {
        let kept = place.join(&transcript.below);
        if let Some(parent) = kept.parent() {
            file::create_folder(parent, 0o700)?;
        }
        fs::rename(last.join(&transcript.below), kept)?;
    }
    let mut kept: Vec<String> = file::list_subfolders(&past);
    kept.sort_by_key(|name| name.parse::<i64>().unwrap_or(0));
    for oldest in kept.iter().rev().skip(MAX_PAST) {
        file::remove_tree(&past.join(oldest))?;
    }
    file::remove_tree(&last)
}

/// Returns the configuration folders of a rig's workers in a jail: the current ones, and those of
/// earlier work, which have only transcripts.
pub fn list_session_folders(rig: &RigLayout) -> Vec<PathBuf> {
    let jails = rig.session_jails();
    let workers = file::list_subfolders(&jails);
    workers
        .iter()
        .flat_map(|worker| {
            let folder = jails.join(worker);
            let past = folder.join(PAST);
            let earlier = file::list_subfolders(&past);
            let earlier = earlier.into_iter().map(move |name| past.join(name));
            std::iter::once(folder.join(CONFIG)).chain(earlier)
        })
        .filter(|folder| folder.is_dir())
        .collect()
}

/// Removes the private folder of a worker that is removed, but for its transcripts.
pub fn remove_session_folder(rig: &Rig, worker: &str) -> io::Result<()> {
    renew_session_folder(rig, worker)?;
    for part in ["home", "tmp"] {
        file::remove_tree(&rig.session_jail(worker).join(part))?;
    }
    file::remove_file(&rig.session_jail_note(worker))
}

struct TranscriptPath {
    /// The path below the configuration folder.
    below: PathBuf,
    modified: SystemTime,
}

/// Adds the files whose path matches a pattern, in which `*` stands for a name and `*.jsonl` for a
/// name with that end. Links are no transcripts.
fn find_transcripts(
    root: &Path,
    below: &Path,
    pattern: &[&str],
    found: &mut Vec<TranscriptPath>,
) -> io::Result<()> {
    let Some((part, rest)) = pattern.split_first() else {
        return Ok(());
    };
    let entries = match fs::read_dir(root.join(below)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries.take(MAX_ENTRIES) {
        let entry = entry?;
        let name = entry.file_name();
        let is_match = name
            .to_str()
            .is_some_and(|name| match part.strip_prefix('*') {
                Some(end) => name.ends_with(end),
                None => name == *part,
            });
        let kind = entry.file_type()?;
        let path = below.join(&name);
        if is_match && rest.is_empty() && kind.is_file() && found.len() < MAX_ENTRIES {
            let modified = entry.metadata()?.modified()?;
            found.push(TranscriptPath {
                below: path,
                modified,
            });
        } else if is_match && !rest.is_empty() && kind.is_dir() {
            find_transcripts(root, &path, rest, found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use serde_json::json;

    use super::*;
    use crate::host::runtime::resolve_runtime;
    use crate::testing::TestTown;
    use crate::town::identity::Address;

    const WORKER: &str = "nux";

    /// A town whose agent has a login and settings of the user.
    fn town() -> TestTown {
        let mut place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let program = place.path_beside("agent");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(place.path_beside(".agent")).unwrap();
        fs::write(place.path_beside(".agent/login"), "login").unwrap();
        let settings = r#"{"theme": "dark", "hooks": "rm"}"#;
        fs::write(place.path_beside(".agent/settings"), settings).unwrap();
        let agent = json!({
            "command": program,
            "config_dir_env": "AGENT_HOME",
            "login_files": ["~/.agent/login"],
            "jail_copies": [
                {"from": "~/.agent/login", "to": "login"},
                {"from": "~/.agent/settings", "to": "settings", "keys": ["theme"]},
            ],
            "jail_transcripts": ["projects/*/*.jsonl"],
        });
        let settings = json!({"agents": {"mine": agent}, "default_agent": "mine"});
        fs::write(place.town.layout.settings(), settings.to_string()).unwrap();
        let home = place.path_beside(".");
        let env = place.town.town.env.clone();
        place.town.town.env = env.with_var("HOME", home.to_str().unwrap());
        place
    }

    fn prepare(rig: &Rig) -> (SessionJail, Vec<(String, String)>) {
        let address = Address::Polecat("web".to_owned(), WORKER.to_owned());
        let runtime = resolve_runtime(rig.town(), Some(rig), &address, None).unwrap();
        let session = JailedSession {
            rig,
            settings: &JailSettings::default(),
            worker: WORKER,
            runtime: &runtime,
            argv: &[],
            pass: &["KEY_*".to_owned()],
        };
        let mut env = vec![("GT_ROLE".to_owned(), "x".to_owned())];
        let jail = session.prepare(JailBackend::Landlock, &mut env).unwrap();
        (jail, env)
    }

    #[test]
    fn a_worker_gets_copies_of_the_login_once_and_keeps_its_folder_while_it_works() {
        let place = town();
        let rig = place.town.find_rig("web").unwrap();
        let (jail, env) = prepare(&rig);
        let config = rig.session_jail(WORKER).join(CONFIG);
        assert!(env.contains(&("AGENT_HOME".to_owned(), config.display().to_string())));
        let read = |path: PathBuf| fs::read_to_string(path).unwrap();
        assert_eq!(read(config.join("login")), "login");
        assert_eq!(read(config.join("settings")), r#"{"theme":"dark"}"#);
        assert_eq!(read(jail.folder.join("home/.agent/login")), "login");
        assert_eq!(jail.writable, [rig.sandbox(WORKER), config.clone()]);
        for name in ["GT_ROLE", "AGENT_HOME", "KEY_*", "GT_SESSION_TOKEN"] {
            assert!(jail.variables.iter().any(|known| known == name), "{name}");
        }
        // The program refreshed its token, and left links to files of the user.
        fs::write(config.join("login"), "refreshed").unwrap();
        let home = jail.folder.join("home");
        fs::remove_dir_all(home.join(".agent")).unwrap();
        symlink(place.path_beside(".agent"), home.join(".agent")).unwrap();
        prepare(&rig);
        assert_eq!(read(config.join("login")), "refreshed");
        assert_eq!(read(place.path_beside(".agent/login")), "login");
        assert!(home.join(".agent").symlink_metadata().unwrap().is_dir());
    }

    #[test]
    fn new_work_gets_a_new_folder_and_only_transcripts_are_kept() {
        let place = town();
        let rig = place.town.find_rig("web").unwrap();
        prepare(&rig);
        let folder = rig.session_jail(WORKER);
        let config = folder.join(CONFIG);
        fs::create_dir_all(config.join("projects/a/closed")).unwrap();
        fs::write(config.join("projects/a/one.jsonl"), "one").unwrap();
        fs::write(config.join("projects/a/planted.md"), "obey").unwrap();
        fs::write(config.join("settings"), "hooks").unwrap();
        let outside = place.path_beside(".agent");
        fs::write(outside.join("mine.jsonl"), "mine").unwrap();
        symlink(&outside, config.join("projects/link")).unwrap();
        symlink(
            outside.join("mine.jsonl"),
            config.join("projects/a/link.jsonl"),
        )
        .unwrap();
        let closed = fs::Permissions::from_mode(0o000);
        fs::set_permissions(config.join("projects/a/closed"), closed).unwrap();
        renew_session_folder(&rig, WORKER).unwrap();
        assert!(!config.exists() && outside.join("mine.jsonl").exists());
        let kept = file::list_subfolders(&folder.join(PAST));
        assert_eq!(kept.len(), 1);
        let past = folder.join(PAST).join(&kept[0]);
        let names: Vec<_> = fs::read_dir(past.join("projects/a")).unwrap().collect();
        assert_eq!(names.len(), 1);
        assert_eq!(
            fs::read_to_string(past.join("projects/a/one.jsonl")).unwrap(),
            "one"
        );
        prepare(&rig);
        assert_eq!(list_session_folders(&rig), [config.clone(), past]);
        assert_eq!(
            fs::read_to_string(config.join("settings")).unwrap(),
            r#"{"theme":"dark"}"#
        );
        // However many works there were, a bounded number is kept.
        for number in 0..30 {
            fs::create_dir_all(folder.join(PAST).join(number.to_string())).unwrap();
        }
        renew_session_folder(&rig, WORKER).unwrap();
        assert_eq!(file::list_subfolders(&folder.join(PAST)).len(), MAX_PAST);
        assert!(folder.join(PAST).join(&kept[0]).exists());
    }
}
