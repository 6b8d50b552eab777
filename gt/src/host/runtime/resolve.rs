//! Says which runtime an agent gets.
//!
//! The order: the flag, the rig's `role_agents`, the town's `role_agents`, the rig's `agent`, the town's
//! `default_agent`, `claude`. A flag must be right. An agent for a role that is unknown or not installed
//! is passed over with a warning; any other unknown name is an error that says where it stands.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use kit::sys::{Env, file};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Preset;
use super::ready::open_question;
use super::settings::{self, HookFileError};
use crate::host::Input;
use crate::host::LiveTown;
use crate::town::config::Layers;
use crate::town::identity::{Address, SessionName};
use crate::town::{Layout, RigLayout, Town};

/// A runtime and how it came to be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// Its name.
    pub name: String,
    /// Variables of the caller that its sessions may have.
    pub pass: Vec<String>,
    /// The agent program.
    pub preset: Preset,
    /// Its program file.
    pub program: PathBuf,
    /// What decided.
    pub source: Source,
    /// What was passed over, in words.
    pub warnings: Vec<String>,
}

/// What decided on a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `--agent`.
    Flag,
    /// The rig's setting for the role.
    RigRole,
    /// The town's setting for the role.
    TownRole,
    /// The rig's setting.
    Rig,
    /// The town's setting.
    Town,
    /// Nothing was set.
    BuiltIn,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag => "--agent",
            Self::RigRole => "role_agents of the rig's settings",
            Self::TownRole => "role_agents of the town's settings",
            Self::Rig => "agent of the rig's settings",
            Self::Town => "default_agent of the town's settings",
            Self::BuiltIn => "the built-in default",
        })
    }
}

/// Why no runtime was chosen.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// No agent has that name.
    #[error("there is no agent `{name}` ({source_words}); known: {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Where it stands.
        source_words: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Its program is not on this machine.
    #[error("agent `{name}` cannot be started: `{command}` is not installed or not on PATH")]
    NotInstalled {
        /// The agent.
        name: String,
        /// Its program.
        command: String,
    },
    /// A scripted agent has no script.
    #[error(
        "agent `{name}` cannot be started: it has no script (set `args` of the agent to \
         [\"scripted\", \"--script\", \"/path/to/script\"]; `gt scripted --help` shows how)"
    )]
    NoScript {
        /// The agent.
        name: String,
    },
    /// The script of a scripted agent is not there.
    #[error("agent `{name}` cannot be started: there is no script {}", script.display())]
    ScriptMissing {
        /// The agent.
        name: String,
        /// Its script.
        script: PathBuf,
    },
    /// A settings file cannot be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A settings file is not what it should be.
    #[error("{} is not valid: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

/// What the settings of a town or a rig say about agents.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Settings {
    default_agent: String,
    agent: String,
    role_agents: BTreeMap<String, String>,
    agents: BTreeMap<String, Map<String, Value>>,
    /// The file of each of these agents.
    #[serde(skip)]
    files: BTreeMap<String, PathBuf>,
}

/// What a start of a runtime needs beside its prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Arguments.
    pub args: Vec<String>,
    /// Variables.
    pub env: Vec<(String, String)>,
}

/// Chooses the runtime of an agent. `wanted` is the name that was asked for, empty for the configured one.
pub fn resolve(
    town: &Town,
    rig: Option<&RigLayout>,
    address: &Address,
    wanted: &str,
) -> Result<Runtime, RuntimeError> {
    let flag = Some(wanted).filter(|name| !name.is_empty());
    choose(
        &town.layout,
        rig,
        address.role(),
        flag,
        &town.env,
        &town.exe,
    )
}

/// How text is brought in to an agent, as far as its configured runtime says.
pub fn input_of(town: &Town, address: &Address) -> Input {
    let rig = address.rig().map(|rig| town.layout.rig(rig));
    let runtime = resolve(town, rig.as_ref(), address, "");
    runtime.map_or_else(|_| Input::default(), |runtime| runtime.preset.input())
}

/// The question in an agent's session that only a person may answer, as far as its configured runtime
/// knows.
pub fn question_of(town: &LiveTown, address: &Address) -> Option<String> {
    let rig = address.rig().map(|rig| town.layout.rig(rig));
    let runtime = resolve(town, rig.as_ref(), address, "").ok()?;
    let session = SessionName::of(address)?;
    open_question(town.host.as_ref(), session.as_str(), &runtime.preset)
}

impl Runtime {
    /// Writes the settings file that makes the program call `gt`, where it runs hooks, and says what its
    /// start needs.
    pub fn prepare(
        &self,
        town: &Town,
        address: &Address,
        home: &Path,
    ) -> Result<Prepared, HookFileError> {
        let preset = &self.preset;
        let mut args = Vec::new();
        let mut env: Vec<_> = preset.env.clone().into_iter().collect();
        match settings::ensure(&town.layout, address, preset, home)? {
            // What it finds in its own folder is not named as well: its hooks would run twice.
            Some(file) if file.path == home.join(".claude/settings.json") => {
                settings::ensure_local(home)?;
            }
            Some(file) if file.inside.is_some() => {
                args.extend(preset.hooks_args.clone());
                env.extend(preset.hooks_env.clone());
            }
            Some(file) if !preset.settings_flag.is_empty() => {
                args.push(preset.settings_flag.clone());
                args.push(file.path.to_string_lossy().into_owned());
            }
            _ => {}
        }
        Ok(Prepared { args, env })
    }

    /// The argument list of a start with a first prompt.
    pub fn command(&self, args: &[String], prompt: &str) -> Vec<String> {
        self.preset.argv(&self.program, args, prompt)
    }
}

/// Chooses the runtime of an agent with the given role. `exe` is our own program.
fn choose(
    layout: &Layout,
    rig: Option<&RigLayout>,
    role: &str,
    flag: Option<&str>,
    env: &Env,
    exe: &Path,
) -> Result<Runtime, RuntimeError> {
    let known = Known::load(layout, rig)?;
    let mut warnings = Vec::new();
    for (source, name) in known.wanted(role, flag) {
        let may_pass = matches!(source, Source::RigRole | Source::TownRole);
        let found = known.preset(name, source).and_then(|preset| {
            let program = installed(&preset, env, exe)?;
            Ok((preset, program))
        });
        match found {
            Ok((preset, program)) => {
                return Ok(Runtime {
                    name: preset.name.clone(),
                    pass: preset.pass.clone(),
                    preset,
                    program,
                    source,
                    warnings,
                });
            }
            Err(error) if may_pass => warnings.push(format!("{error}; passing it over")),
            Err(error) => return Err(error),
        }
    }
    // The built-in default is always the last one wanted, so this is not reached.
    Err(known.unknown("claude", Source::BuiltIn))
}

/// The variables of the caller that `session.pass` adds: those of the town, and of the rig. Settings that cannot be read
/// add none.
pub fn added(town: &Town, rig: Option<&RigLayout>) -> Vec<String> {
    let places = [None, rig];
    let layers = places.map(|rig| Layers::load(town, rig).unwrap_or_default());
    let lists = layers.map(|layers| layers.usable("session.pass"));
    let names = lists.iter().filter_map(Value::as_array).flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// All agent names that may be chosen, sorted.
pub fn names(layout: &Layout, rig: Option<&RigLayout>) -> Result<Vec<String>, RuntimeError> {
    Ok(Known::load(layout, rig)?.names())
}

/// The variables of the caller that any agent of the town or its rigs may have, as patterns. Settings that cannot be
/// read name none.
pub fn passed(town: &Town) -> Vec<String> {
    let rigs = town.rigs().unwrap_or_default();
    let places = || std::iter::once(None).chain(rigs.iter().map(Some));
    let added = places().flat_map(|rig| added(town, rig));
    let known = places().filter_map(|rig| Known::load(&town.layout, rig).ok());
    let presets = known.flat_map(|known| {
        let named = |name: String| known.preset(&name, Source::Flag).ok();
        known
            .names()
            .into_iter()
            .filter_map(named)
            .collect::<Vec<_>>()
    });
    presets
        .flat_map(|preset| preset.pass)
        .chain(added)
        .collect()
}

/// The variables that the settings of the town and its rigs give to agents, of all agents. Settings that cannot be
/// read give none.
pub fn given(town: &Town) -> Vec<(String, String)> {
    let rigs = town.rigs().unwrap_or_default();
    let places = std::iter::once(None).chain(rigs.iter().map(Some));
    let known = places.filter_map(|rig| Known::load(&town.layout, rig).ok());
    let agents = known.flat_map(|known| {
        known
            .town
            .agents
            .into_values()
            .chain(known.rig.agents.into_values())
    });
    let variables = agents.filter_map(|agent| match agent.get("env") {
        Some(Value::Object(variables)) => Some(variables.clone()),
        _ => None,
    });
    let texts = variables.flatten().filter_map(|(name, value)| match value {
        Value::String(text) => Some((name, text)),
        _ => None,
    });
    texts.collect()
}

fn installed(preset: &Preset, env: &Env, exe: &Path) -> Result<PathBuf, RuntimeError> {
    check_script(preset)?;
    preset
        .program(env, exe)
        .ok_or_else(|| RuntimeError::NotInstalled {
            name: preset.name.clone(),
            command: preset.command.clone(),
        })
}

/// A scripted agent needs a script that can be run.
fn check_script(preset: &Preset) -> Result<(), RuntimeError> {
    if !preset.is_scripted() {
        return Ok(());
    }
    let name = preset.name.clone();
    let mut args = preset.args.iter().skip_while(|arg| *arg != "--script");
    let Some(script) = args.nth(1).map(PathBuf::from) else {
        return Err(RuntimeError::NoScript { name });
    };
    if script.is_file() {
        return Ok(());
    }
    Err(RuntimeError::ScriptMissing { name, script })
}

/// The settings that count for one agent.
struct Known {
    town: Settings,
    rig: Settings,
}

impl Known {
    fn load(layout: &Layout, rig: Option<&RigLayout>) -> Result<Self, RuntimeError> {
        let mut town: Settings = read(&layout.settings())?;
        let mut own: Settings = rig.map_or(Ok(Settings::default()), |rig| read(&rig.settings()))?;
        merge_registry(&mut town, &layout.settings())?;
        if let Some(rig) = rig {
            merge_registry(&mut own, &rig.settings())?;
        }
        Ok(Self { town, rig: own })
    }

    /// The names in order of rank.
    fn wanted<'a>(&'a self, role: &str, flag: Option<&'a str>) -> Vec<(Source, &'a str)> {
        let by_role = |settings: &'a Settings| settings.role_agents.get(role).map(String::as_str);
        let set = [
            (Source::Flag, flag),
            (Source::RigRole, by_role(&self.rig)),
            (Source::TownRole, by_role(&self.town)),
            (Source::Rig, Some(self.rig.agent.as_str())),
            (Source::Town, Some(self.town.default_agent.as_str())),
            (Source::BuiltIn, Some("claude")),
        ];
        set.into_iter()
            .filter_map(|(source, name)| Some((source, name.filter(|name| !name.is_empty())?)))
            .collect()
    }

    /// A preset by name: the rig's own, the town's own, then the built-in ones. An own one begins from
    /// the built-in preset of its `provider`, else of its name, and replaces the keys that it has.
    fn preset(&self, name: &str, source: Source) -> Result<Preset, RuntimeError> {
        let own = self.rig.agents.get(name).or(self.town.agents.get(name));
        let Some(own) = own else {
            return Preset::named(name).ok_or_else(|| self.unknown(name, source));
        };
        let provider = own.get("provider").and_then(Value::as_str).unwrap_or(name);
        let base = match Preset::named(provider) {
            Some(base) => base,
            None if own.contains_key("command") => Preset {
                prompt_mode: super::PromptMode::Arg,
                ready_delay_ms: 3000,
                ..Preset::default()
            },
            None => {
                return Err(RuntimeError::Unknown {
                    name: provider.to_owned(),
                    source_words: format!("the provider of {}", self.place_of(name)),
                    known: self.names(),
                });
            }
        };
        let Ok(Value::Object(mut keys)) = serde_json::to_value(base) else {
            return Err(self.unknown(name, source));
        };
        for (key, value) in own {
            // `null` means: as in the preset it begins from.
            if !value.is_null() {
                keys.insert(key.clone(), value.clone());
            }
        }
        keys.insert("name".to_owned(), Value::String(name.to_owned()));
        serde_json::from_value(Value::Object(keys)).map_err(|source| RuntimeError::Invalid {
            path: PathBuf::from(self.place_of(name)),
            source,
        })
    }

    /// Where an agent of the settings stands.
    fn place_of(&self, name: &str) -> String {
        let file = self.rig.files.get(name).or(self.town.files.get(name));
        let file = file.map_or_else(String::new, |file| format!(" in {}", file.display()));
        format!("agents.{name}{file}")
    }

    fn names(&self) -> Vec<String> {
        let own = self.rig.agents.keys().chain(self.town.agents.keys());
        let mut names: Vec<String> = own.cloned().collect();
        names.extend(Preset::built_in().into_iter().map(|preset| preset.name));
        names.sort();
        names.dedup();
        names
    }

    fn unknown(&self, name: &str, source: Source) -> RuntimeError {
        RuntimeError::Unknown {
            name: name.to_owned(),
            source_words: source.to_string(),
            known: self.names(),
        }
    }
}

/// Adds the agents of `agents.json` beside a settings file; those of the settings themselves come first.
fn merge_registry(settings: &mut Settings, path: &Path) -> Result<(), RuntimeError> {
    let registry: Settings = read(&path.with_file_name("agents.json"))?;
    for (name, agent) in registry.agents {
        let file = registry.files.get(&name).cloned().unwrap_or_default();
        settings.files.entry(name.clone()).or_insert(file);
        settings.agents.entry(name).or_insert(agent);
    }
    Ok(())
}

fn read(path: &Path) -> Result<Settings, RuntimeError> {
    let bytes = file::read_file_if_exists(path).map_err(|source| RuntimeError::Io {
        path: path.to_owned(),
        source,
    })?;
    let Some(bytes) = bytes else {
        return Ok(Settings::default());
    };
    let mut settings: Settings =
        serde_json::from_slice(&bytes).map_err(|source| RuntimeError::Invalid {
            path: path.to_owned(),
            source,
        })?;
    let files = settings
        .agents
        .keys()
        .map(|name| (name.clone(), path.to_owned()));
    settings.files = files.collect();
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        folder: tempfile::TempDir,
        layout: Layout,
        env: Env,
    }

    impl Place {
        fn new(town: &str, rig: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let layout = Layout::new(folder.path());
            for (path, text) in [
                (layout.settings(), town),
                (layout.rig("web").settings(), rig),
            ] {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let bin = folder.path().join("bin");
            std::fs::create_dir(&bin).unwrap();
            for name in ["claude", "fast"] {
                use std::os::unix::fs::PermissionsExt;
                std::fs::write(bin.join(name), "#!/bin/sh\n").unwrap();
                let mode = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(bin.join(name), mode).unwrap();
            }
            let path = bin.to_str().unwrap().to_owned();
            let env = Env::with_vars(folder.path(), [("PATH", path.as_str())]);
            Self {
                folder,
                layout,
                env,
            }
        }

        fn ask(&self, role: &str, flag: Option<&str>) -> Result<Runtime, RuntimeError> {
            let rig = self.layout.rig("web");
            let exe = self.folder.path().join("gt");
            choose(&self.layout, Some(&rig), role, flag, &self.env, &exe)
        }
    }

    const TOWN: &str = r#"{"default_agent":"demo","role_agents":{"crew":"claude","witness":"absent"},
        "agents":{"demo":{"provider":"scripted","args":["scripted","--script","/bin/sh"]},
                  "absent":{"command":"no-such-agent"},"quick":{"command":"fast","args":["-q"]}}}"#;

    #[test]
    fn nothing_set_means_claude() {
        let place = Place::new("{}", "{}");
        let found = place.ask("polecat", None).unwrap();
        assert_eq!(
            (found.preset.name.as_str(), found.source),
            ("claude", Source::BuiltIn)
        );
        assert_eq!(found.program, place.folder.path().join("bin/claude"));
    }

    #[test]
    fn each_layer_outranks_those_below() {
        let place = Place::new(TOWN, r#"{"agent":"quick","role_agents":{"crew":"quick"}}"#);
        let name = |role, flag| {
            let found = place.ask(role, flag).unwrap();
            (found.preset.name, found.source)
        };
        assert_eq!(name("crew", None), ("quick".to_owned(), Source::RigRole));
        assert_eq!(name("polecat", None), ("quick".to_owned(), Source::Rig));
        assert_eq!(
            name("polecat", Some("claude")),
            ("claude".to_owned(), Source::Flag)
        );
        let place = Place::new(TOWN, "{}");
        let crew = place.ask("crew", None).unwrap();
        assert_eq!(
            (crew.preset.name.as_str(), crew.source),
            ("claude", Source::TownRole)
        );
        let other = place.ask("polecat", None).unwrap();
        assert_eq!(
            (other.preset.name.as_str(), other.source),
            ("demo", Source::Town)
        );
        assert_eq!(other.program, place.folder.path().join("gt"));
        assert_eq!(other.preset.args, ["scripted", "--script", "/bin/sh"]);
    }

    #[test]
    fn a_roles_agent_that_cannot_start_is_passed_over_with_a_warning() {
        let place = Place::new(TOWN, "{}");
        let found = place.ask("witness", None).unwrap();
        assert_eq!(found.preset.name, "demo");
        assert!(
            found.warnings[0].contains("no-such-agent"),
            "{:?}",
            found.warnings
        );
    }

    #[test]
    fn a_flag_must_be_right() {
        let place = Place::new(TOWN, "{}");
        let unknown = place.ask("polecat", Some("nobody"));
        assert!(
            matches!(unknown, Err(RuntimeError::Unknown { .. })),
            "{unknown:?}"
        );
        let missing = place.ask("polecat", Some("absent"));
        assert!(
            matches!(missing, Err(RuntimeError::NotInstalled { .. })),
            "{missing:?}"
        );
    }

    #[test]
    fn a_damaged_settings_file_is_named() {
        let place = Place::new("{", "{}");
        let error = place.ask("polecat", None).unwrap_err();
        assert!(
            error.to_string().contains("settings/config.json"),
            "{error}"
        );
    }
}
