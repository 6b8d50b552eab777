//! Chooses the runtime of an agent.
//!
//! The order: the flag, the rig's `role_agents`, the town's `role_agents`, the rig's `agent`, the
//! town's `default_agent`, `claude`. The name in a flag must be valid. An agent for a role that is
//! unknown or not installed is skipped with a warning. Any other unknown name is an error with its
//! source.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use kit::json::strip_byte_order_mark;
use kit::sys::{Env, foreign};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::RuntimePreset;
use super::ready::find_open_question;
use super::settings::{self, HookFileError};
use crate::host::InputRules;
use crate::host::LiveTown;
use crate::town::config::SettingsLayers;
use crate::town::identity::{Address, SessionName};
use crate::town::{Rig, RigLayout, Town, TownLayout};

/// A runtime and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRuntime {
    pub name: String,
    /// Variables of the caller that the sessions may inherit.
    pub pass: Vec<String>,
    pub preset: RuntimePreset,
    pub program: PathBuf,
    pub source: RuntimeSource,
    /// Descriptions of skipped agents.
    pub warnings: Vec<String>,
}

/// The source of the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuntimeSource {
    Flag,
    /// The rig's setting for the role.
    RigRole,
    /// The town's setting for the role.
    TownRole,
    Rig,
    Town,
    BuiltIn,
}

impl fmt::Display for RuntimeSource {
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

#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// No agent has that name.
    #[error("there is no agent `{name}` ({source_words}); known: {}", known.join(", "))]
    Unknown {
        name: String,
        source_words: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// The program is not on this machine.
    #[error("agent `{name}` cannot be started: `{command}` is not installed or not on PATH")]
    NotInstalled { name: String, command: String },
    #[error(
        "agent `{name}` cannot be started: it has no script (set `args` of the agent to \
         [\"scripted\", \"--script\", \"/path/to/script\"]; `gt scripted --help` shows how)"
    )]
    NoScript { name: String },
    /// The script of a scripted agent is missing.
    #[error("agent `{name}` cannot be started: there is no script {}", script.display())]
    ScriptMissing { name: String, script: PathBuf },
    #[error("cannot read {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The settings define a variable with which this program identifies sessions.
    #[error(
        "agent `{name}` cannot be started: {place} sets {variable}, which Gas Town sets itself; take it out"
    )]
    OwnVariable {
        name: String,
        place: String,
        variable: String,
    },
    /// A settings file is invalid.
    #[error("{} is not valid: {cause}", path.display())]
    Invalid {
        path: PathBuf,
        // Named in the message, so that it is not printed twice.
        cause: serde_json::Error,
    },
}

impl RuntimeError {
    /// Returns the name of the agent that cannot be started. None if the settings cannot be read.
    pub fn agent(&self) -> Option<&str> {
        match self {
            Self::Unknown { name, .. }
            | Self::NotInstalled { name, .. }
            | Self::NoScript { name }
            | Self::ScriptMissing { name, .. }
            | Self::OwnVariable { name, .. } => Some(name),
            Self::Io { .. } | Self::Invalid { .. } => None,
        }
    }
}

/// The agent settings of a town or a rig.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct AgentSettings {
    default_agent: String,
    agent: String,
    role_agents: BTreeMap<String, String>,
    agents: BTreeMap<String, Map<String, Value>>,
    /// Variables of all sessions. Those of an agent win.
    env_vars: BTreeMap<String, String>,
    /// The file in which each of these agents is defined.
    #[serde(skip)]
    files: BTreeMap<String, PathBuf>,
}

/// The arguments and variables of a start, without the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreparedRuntime {
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
}

/// Chooses the runtime of an agent. `wanted` is the name that was requested instead of
/// the configured one.
pub fn resolve_runtime(
    town: &Town,
    rig: Option<&Rig>,
    address: &Address,
    wanted: Option<&str>,
) -> Result<AgentRuntime, RuntimeError> {
    choose_runtime(
        &town.layout,
        rig.map(Rig::layout),
        address.role(),
        wanted.filter(|name| !name.is_empty()),
        &town.env,
        &town.exe,
    )
}

/// Returns the rules for typing text into an agent, by its configured runtime.
pub fn input_rules_of(town: &Town, address: &Address) -> InputRules {
    let rig = address.rig().map(|rig| town.rig(rig));
    let runtime = resolve_runtime(town, rig.as_ref(), address, None);
    runtime.map_or_else(
        |_| InputRules::default(),
        |runtime| runtime.preset.input_rules(),
    )
}

/// Returns the question in an agent's session that only a user can answer, by its configured
/// runtime.
pub fn find_agent_question(town: &LiveTown, address: &Address) -> Option<String> {
    let rig = address.rig().map(|rig| town.rig(rig));
    let runtime = resolve_runtime(town, rig.as_ref(), address, None).ok()?;
    let session = SessionName::for_agent(address)?;
    find_open_question(town.host.as_ref(), session.as_str(), &runtime.preset)
}

impl AgentRuntime {
    /// Writes the settings file with hooks, if the program supports them. Returns the arguments and
    /// variables of a start.
    pub fn prepare(
        &self,
        layout: &TownLayout,
        address: &Address,
        home: &Path,
    ) -> Result<PreparedRuntime, HookFileError> {
        let preset = &self.preset;
        let mut args = Vec::new();
        let mut env: Vec<_> = preset.env.clone().into_iter().collect();
        match settings::ensure_hook_file(layout, address, preset, home)? {
            // A file that the program finds in its own folder must not be named too, because its
            // hooks would run twice.
            Some(file) if file.path == home.join(".claude/settings.json") => {
                settings::ensure_local_settings(home)?;
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
        Ok(PreparedRuntime { args, env })
    }

    /// Returns the arguments of a start with a first prompt.
    pub fn command_with_prompt(&self, args: &[String], prompt: &str) -> Vec<String> {
        self.preset.start_argv(&self.program, args, prompt)
    }
}

/// Chooses the runtime of an agent with the given role. `exe` is our own program.
fn choose_runtime(
    layout: &TownLayout,
    rig: Option<&RigLayout>,
    role: &str,
    flag: Option<&str>,
    env: &Env,
    exe: &Path,
) -> Result<AgentRuntime, RuntimeError> {
    let known = SettingsPair::load(layout, rig)?;
    let mut warnings = Vec::new();
    for (source, name) in known.candidates(role, flag) {
        let may_pass = matches!(source, RuntimeSource::RigRole | RuntimeSource::TownRole);
        let found = known.build_preset(name, source).and_then(|preset| {
            let program = find_installed(&preset, env, exe)?;
            Ok((preset, program))
        });
        match found {
            Ok((preset, program)) => {
                return Ok(AgentRuntime {
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
    // Not reached, because the built-in default is always the last candidate.
    Err(known.build_unknown_error("claude", RuntimeSource::BuiltIn))
}

/// Returns the caller's variables that `session.pass` of the town and of the rig adds. Invalid
/// settings add none.
pub fn added_variables(town: &Town, rig: Option<&Rig>) -> Vec<String> {
    [None, rig]
        .into_iter()
        .filter_map(|rig| SettingsLayers::load(town, rig).ok())
        .flat_map(|layers| layers.list("session.pass"))
        .collect()
}

/// Returns all valid agent names, sorted.
pub fn list_agent_names(
    layout: &TownLayout,
    rig: Option<&RigLayout>,
) -> Result<Vec<String>, RuntimeError> {
    Ok(SettingsPair::load(layout, rig)?.names())
}

/// Returns the patterns of the caller's variables that any agent of the town or its rigs may
/// inherit. Invalid settings add none.
pub fn inheritable_variables(town: &Town) -> Vec<String> {
    let rigs = town.list_rigs().unwrap_or_else(|_| Vec::new());
    let mut variables = Vec::new();
    for rig in std::iter::once(None).chain(rigs.iter().map(Some)) {
        if let Ok(known) = SettingsPair::load(&town.layout, rig.map(Rig::layout)) {
            for name in known.names() {
                let preset = known.build_preset(&name, RuntimeSource::Flag);
                variables.extend(preset.map(|preset| preset.pass).into_iter().flatten());
            }
        }
        variables.extend(added_variables(town, rig));
    }
    variables
}

/// Returns the variables that the settings of the town and its rigs define for agents, of all
/// agents. Invalid settings add none.
pub fn configured_variables(town: &Town) -> Vec<(String, String)> {
    let rigs = town.list_rigs().unwrap_or_else(|_| Vec::new());
    let mut found = Vec::new();
    for settings in std::iter::once(None)
        .chain(rigs.iter().map(Some))
        .filter_map(|rig| SettingsPair::load(&town.layout, rig.map(Rig::layout)).ok())
        .flat_map(|known| [known.town, known.rig])
    {
        found.extend(settings.env_vars);
        for agent in settings.agents.into_values() {
            let Some(Value::Object(variables)) = agent.get("env") else {
                continue;
            };
            found.extend(
                variables
                    .iter()
                    .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))),
            );
        }
    }
    found
}

/// Returns true for a variable that only this program sets: the identity of a session, and
/// settings in the environment.
fn is_own_variable(name: &str) -> bool {
    ["GT_", "BD_", "BEADS_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

fn find_installed(preset: &RuntimePreset, env: &Env, exe: &Path) -> Result<PathBuf, RuntimeError> {
    check_script(preset)?;
    preset
        .find_program(env, exe)
        .ok_or_else(|| RuntimeError::NotInstalled {
            name: preset.name.clone(),
            command: preset.command.clone(),
        })
}

/// Checks that a scripted agent has an executable script.
fn check_script(preset: &RuntimePreset) -> Result<(), RuntimeError> {
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

/// The settings that apply to one agent.
struct SettingsPair {
    town: AgentSettings,
    rig: AgentSettings,
}

impl SettingsPair {
    fn load(layout: &TownLayout, rig: Option<&RigLayout>) -> Result<Self, RuntimeError> {
        let mut town: AgentSettings = read_settings(&layout.settings())?;
        let mut rig_settings: AgentSettings = rig.map_or(Ok(AgentSettings::default()), |rig| {
            read_settings(&rig.settings())
        })?;
        merge_registry(&mut town, &layout.settings())?;
        if let Some(rig) = rig {
            merge_registry(&mut rig_settings, &rig.settings())?;
        }
        Ok(Self {
            town,
            rig: rig_settings,
        })
    }

    /// Returns the candidate names in order of precedence.
    fn candidates<'a>(
        &'a self,
        role: &str,
        flag: Option<&'a str>,
    ) -> Vec<(RuntimeSource, &'a str)> {
        let [rig_role, town_role] =
            [&self.rig, &self.town].map(|settings| settings.role_agents.get(role));
        let set = [
            (RuntimeSource::Flag, flag),
            (RuntimeSource::RigRole, rig_role.map(String::as_str)),
            (RuntimeSource::TownRole, town_role.map(String::as_str)),
            (RuntimeSource::Rig, Some(self.rig.agent.as_str())),
            (RuntimeSource::Town, Some(self.town.default_agent.as_str())),
            (RuntimeSource::BuiltIn, Some("claude")),
        ];
        set.into_iter()
            .filter_map(|(source, name)| Some((source, name.filter(|name| !name.is_empty())?)))
            .collect()
    }

    /// Returns a preset by name: the rig's, the town's, then the built-in ones. A custom one starts
    /// from the built-in preset of its `provider`, otherwise of its name, and replaces the keys
    /// that it sets. `env_vars` of town and rig are added.
    fn build_preset(
        &self,
        name: &str,
        source: RuntimeSource,
    ) -> Result<RuntimePreset, RuntimeError> {
        let mut preset = self.build_own_preset(name, source)?;
        let refuse_own_variable =
            |place: &str, variables: &BTreeMap<String, String>| match variables
                .keys()
                .find(|variable| is_own_variable(variable))
            {
                None => Ok(()),
                Some(variable) => Err(RuntimeError::OwnVariable {
                    name: name.to_owned(),
                    place: place.to_owned(),
                    variable: variable.clone(),
                }),
            };
        refuse_own_variable(
            &format!("`env` of {}", self.describe_place(name)),
            &preset.env,
        )?;
        for (place, settings) in [("the rig's", &self.rig), ("the town's", &self.town)] {
            refuse_own_variable(&format!("env_vars of {place} settings"), &settings.env_vars)?;
            for (variable, value) in &settings.env_vars {
                let entry = preset.env.entry(variable.clone());
                entry.or_insert_with(|| value.clone());
            }
        }
        Ok(preset)
    }

    fn build_own_preset(
        &self,
        name: &str,
        source: RuntimeSource,
    ) -> Result<RuntimePreset, RuntimeError> {
        let custom = self.rig.agents.get(name).or(self.town.agents.get(name));
        let Some(custom) = custom else {
            return RuntimePreset::named(name)
                .ok_or_else(|| self.build_unknown_error(name, source));
        };
        let provider = custom
            .get("provider")
            .and_then(Value::as_str)
            .unwrap_or(name);
        let base = match RuntimePreset::named(provider) {
            Some(base) => base,
            None if custom.contains_key("command") => RuntimePreset {
                prompt_mode: super::PromptMode::Arg,
                ready_delay_ms: 3000,
                ..RuntimePreset::default()
            },
            None => {
                return Err(RuntimeError::Unknown {
                    name: provider.to_owned(),
                    source_words: format!("the provider of {}", self.describe_place(name)),
                    known: self.names(),
                });
            }
        };
        let Ok(Value::Object(mut keys)) = serde_json::to_value(base) else {
            return Err(self.build_unknown_error(name, source));
        };
        for (key, value) in custom {
            // `null` keeps the value of the base preset.
            if !value.is_null() {
                keys.insert(key.clone(), value.clone());
            }
        }
        keys.insert("name".to_owned(), Value::String(name.to_owned()));
        serde_json::from_value(Value::Object(keys)).map_err(|cause| RuntimeError::Invalid {
            path: PathBuf::from(self.describe_place(name)),
            cause,
        })
    }

    /// Describes the file in which an agent of the settings is defined.
    fn describe_place(&self, name: &str) -> String {
        let found = self.rig.files.get(name).or(self.town.files.get(name));
        let file = found.map_or_else(String::new, |file| format!(" in {}", file.display()));
        format!("agents.{name}{file}")
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .rig
            .agents
            .keys()
            .chain(self.town.agents.keys())
            .cloned()
            .collect();
        names.extend(
            RuntimePreset::built_in()
                .into_iter()
                .map(|preset| preset.name),
        );
        names.sort();
        names.dedup();
        names
    }

    fn build_unknown_error(&self, name: &str, source: RuntimeSource) -> RuntimeError {
        RuntimeError::Unknown {
            name: name.to_owned(),
            source_words: source.to_string(),
            known: self.names(),
        }
    }
}

/// Adds the agents of `agents.json` beside a settings file. Agents of the settings themselves win.
fn merge_registry(settings: &mut AgentSettings, path: &Path) -> Result<(), RuntimeError> {
    let registry: AgentSettings = read_settings(&path.with_file_name("agents.json"))?;
    for (name, file) in registry.files {
        settings.files.entry(name).or_insert(file);
    }
    for (name, agent) in registry.agents {
        settings.agents.entry(name).or_insert(agent);
    }
    Ok(())
}

fn read_settings(path: &Path) -> Result<AgentSettings, RuntimeError> {
    let bytes = foreign::read_small_file(path).map_err(|source| RuntimeError::Io {
        path: path.to_owned(),
        source,
    })?;
    let Some(bytes) = bytes else {
        return Ok(AgentSettings::default());
    };
    let mut settings: AgentSettings = serde_json::from_slice(strip_byte_order_mark(&bytes))
        .map_err(|cause| RuntimeError::Invalid {
            path: path.to_owned(),
            cause,
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
        layout: TownLayout,
        env: Env,
    }

    impl Place {
        fn new(town: &str, rig: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let layout = TownLayout::new(folder.path());
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

        fn ask(&self, role: &str, flag: Option<&str>) -> Result<AgentRuntime, RuntimeError> {
            let rig = self.layout.rig("web");
            let exe = self.folder.path().join("gt");
            choose_runtime(&self.layout, Some(&rig), role, flag, &self.env, &exe)
        }
    }

    const TOWN: &str = r#"{"default_agent":"demo","role_agents":{"crew":"claude","witness":"absent"},
        "agents":{"demo":{"provider":"scripted","args":["scripted","--script","/bin/sh"]},
                  "absent":{"command":"no-such-agent"},"quick":{"command":"fast","args":["-q"]}}}"#;

    #[test]
    fn claude_is_the_default_agent() {
        let place = Place::new("{}", "{}");
        let found = place.ask("polecat", None).unwrap();
        assert_eq!(
            (found.preset.name.as_str(), found.source),
            ("claude", RuntimeSource::BuiltIn)
        );
        assert_eq!(found.program, place.folder.path().join("bin/claude"));
    }

    #[test]
    fn each_layer_overrides_the_layers_below() {
        let place = Place::new(TOWN, r#"{"agent":"quick","role_agents":{"crew":"quick"}}"#);
        let name = |role, flag| {
            let found = place.ask(role, flag).unwrap();
            (found.preset.name, found.source)
        };
        assert_eq!(
            name("crew", None),
            ("quick".to_owned(), RuntimeSource::RigRole)
        );
        assert_eq!(
            name("polecat", None),
            ("quick".to_owned(), RuntimeSource::Rig)
        );
        assert_eq!(
            name("polecat", Some("claude")),
            ("claude".to_owned(), RuntimeSource::Flag)
        );
        let place = Place::new(TOWN, "{}");
        let crew = place.ask("crew", None).unwrap();
        assert_eq!(
            (crew.preset.name.as_str(), crew.source),
            ("claude", RuntimeSource::TownRole)
        );
        let other = place.ask("polecat", None).unwrap();
        assert_eq!(
            (other.preset.name.as_str(), other.source),
            ("demo", RuntimeSource::Town)
        );
        assert_eq!(other.program, place.folder.path().join("gt"));
        assert_eq!(other.preset.args, ["scripted", "--script", "/bin/sh"]);
    }

    #[test]
    fn an_agent_of_a_role_that_cannot_start_is_skipped_with_a_warning() {
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
    fn an_invalid_agent_flag_is_an_error() {
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
