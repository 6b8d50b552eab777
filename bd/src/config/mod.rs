//! Settings in layers: flag, environment, `config.local.yaml`, `config.yaml`, built-in.
//!
//! A setting that names a program to run is read from the user's own `config.yaml` instead of the
//! files of a beads folder, because everyone who can push to the repository writes those.
//!
//! This module owns `config.yaml`, which also holds, as flat keys, the settings that older clients
//! kept in a database.

pub mod key;
pub mod yaml;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::bead::validate::Vocabulary;
use kit::sys::lock;
use kit::sys::{Env, file};
use kit::table::split_list;

const SYNC_BRANCH: &str = "sync-branch";

/// The origin of a value, highest precedence first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingSource {
    /// A flag of this command.
    Flag,
    Environment,
    Local,
    File,
    /// The user's own `config.yaml`, for settings that name a program.
    User,
    Default,
}

impl SettingSource {
    /// The layer's name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Local => "config.local.yaml",
            Self::File => "config.yaml",
            Self::User => "user config.yaml",
            Self::Default => "default",
        }
    }
}

/// The value of a setting and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub value: String,
    pub source: SettingSource,
}

/// A command that a file of a repository sets, and that does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredCommand {
    pub name: String,
    /// The file that sets it.
    pub path: PathBuf,
    /// The user's own settings file, in which it would count.
    pub user_path: Option<PathBuf>,
}

impl std::fmt::Display for IgnoredCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            path,
            user_path,
        } = self;
        let path = path.display();
        let variable = key::env_variable_name(name);
        write!(
            f,
            "{path} sets {name}, which comes with the repository, so it does not run; set {variable}"
        )?;
        match user_path {
            Some(user_path) => write!(f, ", or {name} in {}", user_path.display()),
            None => Ok(()),
        }
    }
}

/// The reason why settings cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read or written.
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A file is not YAML.
    #[error("{path} is not valid YAML: {reason}")]
    Yaml { path: PathBuf, reason: String },
    /// The setting does not accept the value.
    #[error("{name} takes {wanted}, not {value:?}")]
    Value {
        name: String,
        value: String,
        wanted: &'static str,
    },
    /// A file of a repository cannot set the command.
    #[error(
        "{0} names a program, and a file of the repository may not; set {variable}, or {0} in the bd/config.yaml of your own settings folder (~/.config)",
        variable = key::env_variable_name(.0)
    )]
    Command(String),
    /// Another process held the lock for the whole waiting time.
    #[error("cannot change {path} now: {reason}")]
    Locked {
        path: PathBuf,
        /// The holder of the lock.
        reason: String,
    },
    /// The name cannot be a key.
    #[error("invalid config key \"{0}\": use letters, digits, '.', '-' and '_'")]
    Key(String),
}

/// All layers, read once.
#[derive(Debug, Clone, Default)]
pub struct Config {
    flags: BTreeMap<String, String>,
    environment: Option<Env>,
    local: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
    /// The settings of the user, which alone name programs.
    user: BTreeMap<String, String>,
    user_dir: Option<PathBuf>,
    dir: Option<PathBuf>,
}

impl Config {
    /// Reads the settings files of a beads folder.
    pub fn from_dir(dir: &Path) -> Result<Self, ConfigError> {
        Ok(Self {
            local: read_layer(&dir.join("config.local.yaml"))?,
            file: read_layer(&dir.join("config.yaml"))?,
            dir: Some(dir.to_owned()),
            ..Self::default()
        })
    }

    /// Returns the file layers if they were read from this beads folder.
    pub fn files_for_dir(&self, dir: &Path) -> Option<Self> {
        (self.dir.as_deref() == Some(dir)).then(|| Self {
            local: self.local.clone(),
            file: self.file.clone(),
            dir: self.dir.clone(),
            ..Self::default()
        })
    }

    /// Reads the settings files of a beads folder, or the user's own if `dir` is `None`, below the
    /// environment.
    pub fn load(dir: Option<&Path>, env: &Env) -> Result<Self, ConfigError> {
        let project_dir = dir.filter(|dir| dir.join("config.yaml").is_file());
        let user_dir = env.config_dir().map(|dir| dir.join("bd"));
        let user = match &user_dir {
            Some(dir) => read_user_layer(&dir.join("config.yaml"))?,
            None => BTreeMap::new(),
        };
        let files = match (project_dir, &user_dir) {
            (Some(dir), _) => Self::from_dir(dir)?,
            (None, Some(dir)) if !user.is_empty() => Self::from_dir(dir)?,
            (None, _) => Self::default(),
        };
        Ok(Self {
            environment: Some(env.clone()),
            user,
            user_dir,
            ..files
        })
    }

    /// Sets a flag's value above all other layers.
    pub fn set_flag(&mut self, name: &str, value: &str) {
        self.flags
            .insert(key::canonicalize_name(name), value.to_owned());
    }

    /// Returns a setting from the highest layer that has it.
    pub fn setting(&self, name: &str) -> Option<Setting> {
        let name = key::canonicalize_name(name);
        let variable = key::env_variable_name(&name);
        let env = self
            .environment
            .as_ref()
            .and_then(|env| match env.get(&variable) {
                None if name == SYNC_BRANCH => env.get("BEADS_SYNC_BRANCH"),
                value => value,
            });
        let [local, shared] = [&self.local, &self.file].map(|layer| {
            lookup_setting(layer, &name).filter(|value| key::is_allowed_in_repository(&name, value))
        });
        let own = self.user.get(&name).map(String::as_str);
        let layers = [
            (
                SettingSource::Flag,
                self.flags.get(&name).map(String::as_str),
            ),
            (SettingSource::Environment, env),
            (SettingSource::Local, local),
            (SettingSource::File, shared),
            (SettingSource::User, own.filter(|_| key::is_command(&name))),
            (SettingSource::Default, key::find_default(&name)),
        ];
        layers.into_iter().find_map(|(source, value)| {
            // An empty value of this setting is meaningful: it turns the branch off.
            let value = value
                .filter(|value| !value.is_empty() || name == SYNC_BRANCH)?
                .to_owned();
            Some(Setting { value, source })
        })
    }

    /// Returns the command that a file of the beads folder sets and that does not run.
    pub fn find_ignored_command(&self, name: &str) -> Option<IgnoredCommand> {
        let dir = self
            .dir
            .as_deref()
            .filter(|dir| Some(*dir) != self.user_dir.as_deref())?;
        let layers = [
            ("config.local.yaml", &self.local),
            ("config.yaml", &self.file),
        ];
        let (file, _) = layers.into_iter().find(|(_, layer)| {
            lookup_setting(layer, name)
                .is_some_and(|value| !key::is_allowed_in_repository(name, value))
        })?;
        let user_path = self.user_dir.as_ref();
        Some(IgnoredCommand {
            name: name.to_owned(),
            path: dir.join(file),
            user_path: user_path.map(|dir| dir.join("config.yaml")),
        })
    }

    /// Returns all commands that files of the beads folder set and that do not run.
    pub fn list_ignored_commands(&self) -> Vec<IgnoredCommand> {
        key::KEYS
            .iter()
            .filter_map(|key| self.find_ignored_command(key.name))
            .collect()
    }

    /// Returns the branch that beads are committed to, or `None` if it is turned off.
    pub fn sync_branch(&self) -> Option<String> {
        self.get(SYNC_BRANCH).filter(|name| !name.trim().is_empty())
    }

    pub fn get(&self, name: &str) -> Option<String> {
        self.setting(name).map(|setting| setting.value)
    }

    /// Returns a setting as a comma-separated list.
    pub fn list(&self, name: &str) -> Vec<String> {
        self.get(name)
            .iter()
            .flat_map(|text| split_list(text, ','))
            .map(str::to_owned)
            .collect()
    }

    /// Returns a setting as on or off.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).as_deref().and_then(key::parse_on_off) == Some(true)
    }

    /// Returns true if beads may be pushed. An unclear value of `no-push` counts as yes.
    pub fn can_push(&self) -> bool {
        self.get("no-push")
            .is_none_or(|never| never.trim().is_empty() || key::parse_on_off(&never) == Some(false))
    }

    /// Returns a setting that forbids something as on or off. An unclear value is an error.
    pub fn checked_flag(&self, name: &str) -> Result<bool, ConfigError> {
        let Some(Setting { value, .. }) = self.setting(name) else {
            return Ok(false);
        };
        key::parse_on_off(&value).ok_or_else(|| ConfigError::Value {
            name: name.to_owned(),
            value,
            wanted: "true or false",
        })
    }

    pub fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// Returns the statuses and kinds that this project adds.
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary {
            statuses: self
                .list("status.custom")
                .into_iter()
                .map(|entry| entry.split(':').next().unwrap_or("").to_owned())
                .collect(),
            kinds: self.list("types.custom"),
        }
    }

    /// Returns the settings under a dotted family, by the rest of their names: `x` for
    /// `external_projects.x`.
    pub fn family(&self, family: &str) -> BTreeMap<String, String> {
        let start = format!("{family}.");
        self.file
            .iter()
            .chain(&self.local)
            .filter_map(|(name, value)| {
                Some((name.strip_prefix(&start)?.to_owned(), value.clone()))
            })
            .collect()
    }

    /// Returns every setting that a file sets, by name.
    pub fn stored(&self) -> BTreeMap<String, Setting> {
        let mut all = BTreeMap::new();
        for (source, layer) in [
            (SettingSource::File, &self.file),
            (SettingSource::Local, &self.local),
        ] {
            for name in layer.keys() {
                let name = key::canonicalize_name(name);
                if let Some(value) = lookup_setting(layer, &name) {
                    let value = value.to_owned();
                    all.insert(name, Setting { value, source });
                }
            }
        }
        all
    }

    /// Describes the settings of the files that have no effect or an unexpected one: values of a
    /// wrong form, two spellings with different values, names that are nearly those of a setting,
    /// and commands that a file of the repository names.
    pub fn find_problems(&self) -> Vec<String> {
        let stored = self.stored();
        let wrong_values = stored.iter().filter_map(|(name, setting)| {
            let wanted = key::find_expectation(name, &setting.value)?;
            Some(format!("{name} takes {wanted}, not {:?}", setting.value))
        });
        let misspelt = stored.keys().filter_map(|name| {
            let near = key::find_misspelt(name)?;
            Some(format!("{name} is no setting of bd: the nearest is {near}"))
        });
        let layers = [&self.local, &self.file];
        let two_values = layers.into_iter().flat_map(|layer| {
            layer.iter().filter_map(|(name, value)| {
                let canonical = key::canonicalize_name(name);
                let counts = lookup_setting(layer, &canonical)?;
                (counts != value).then(|| {
                    format!("{name} is {value:?}, but {canonical} is {counts:?}, which counts")
                })
            })
        });
        wrong_values
            .chain(misspelt)
            .chain(two_values)
            .chain(self.list_ignored_commands().iter().map(ToString::to_string))
            .collect()
    }
}

/// Sets one key in the `config.yaml` of a beads folder.
pub fn set_setting(dir: &Path, name: &str, value: &str) -> Result<(), ConfigError> {
    set_all(dir, &[(name, value)])
}

/// Sets several keys, all or nothing.
pub fn set_all(dir: &Path, pairs: &[(&str, &str)]) -> Result<(), ConfigError> {
    let mut checked = Vec::new();
    for (name, value) in pairs {
        let name = key::canonicalize_name(name);
        check_name(&name)?;
        if let Some(wanted) = key::find_expectation(&name, value) {
            let value = (*value).to_owned();
            return Err(ConfigError::Value {
                name,
                value,
                wanted,
            });
        }
        if !key::is_allowed_in_repository(&name, value) {
            return Err(ConfigError::Command(name));
        }
        checked.push((name, *value));
    }
    if checked.is_empty() {
        return Ok(());
    }
    edit_config_file(dir, |text| {
        Some(checked.iter().fold(text.to_owned(), |text, (name, value)| {
            yaml::set_key(&replace_legacy_name(&text, name), name, value)
        }))
    })
}

pub fn unset_setting(dir: &Path, name: &str) -> Result<(), ConfigError> {
    let name = key::canonicalize_name(name);
    edit_config_file(dir, |text| {
        yaml::remove_key(&replace_legacy_name(text, &name), &name)
    })
}

/// Renames a line with the old spelling of `issue-prefix`, or removes it if the setting has a line
/// of its own.
fn replace_legacy_name(text: &str, name: &str) -> String {
    if name != "issue-prefix" {
        return text.to_owned();
    }
    let has_own_line = text.lines().any(|line| line.starts_with("issue-prefix:"));
    let mut renamed = String::new();
    for line in text.lines() {
        match line.strip_prefix("issue_prefix:") {
            Some(_) if has_own_line => {}
            Some(rest) => renamed.push_str(&format!("issue-prefix:{rest}\n")),
            None => renamed.push_str(&format!("{line}\n")),
        }
    }
    renamed
}

/// Edits the text of `config.yaml` under the store's write lock. Must not be called inside a
/// transaction.
fn edit_config_file(
    dir: &Path,
    change: impl FnOnce(&str) -> Option<String>,
) -> Result<(), ConfigError> {
    let path = dir.join("config.yaml");
    let build_error = |source| ConfigError::Io {
        path: path.clone(),
        source,
    };
    let _guard = lock::acquire_lock(&dir.join(".lock"), lock::PATIENCE).map_err(|error| {
        let reason = error.to_string();
        let path = path.clone();
        ConfigError::Locked { path, reason }
    })?;
    let bytes = file::read_regular_file(&path)
        .map_err(build_error)?
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    match change(&text) {
        Some(fresh) => {
            file::replace_file(&path, fresh.as_bytes(), file::SHARED).map_err(build_error)
        }
        None => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), ConfigError> {
    if name.is_empty()
        || !name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
    {
        return Err(ConfigError::Key(name.to_owned()));
    }
    Ok(())
}

fn lookup_setting<'a>(layer: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    let direct = layer.get(name);
    direct
        .or_else(|| match name {
            "issue-prefix" => layer.get("issue_prefix").or_else(|| layer.get("prefix")),
            SYNC_BRANCH => layer.get("sync.branch"),
            "daemon.auto-sync" => layer.get("daemon.auto_sync"),
            "daemon.auto-push" => layer.get("daemon.auto_push"),
            _ => None,
        })
        .map(String::as_str)
}

fn read_layer(path: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    match file::read_regular_file(path).map_err(|source| ConfigError::Io {
        path: path.to_owned(),
        source,
    })? {
        Some(bytes) => parse_layer(path, &bytes),
        None => Ok(BTreeMap::new()),
    }
}

/// Reads the user's own settings, which may be a link to a file of the user.
fn read_user_layer(path: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    let bytes = file::read_file_if_exists(path).map_err(|source| ConfigError::Io {
        path: path.to_owned(),
        source,
    })?;
    match bytes {
        Some(bytes) => parse_layer(path, &bytes),
        None => Ok(BTreeMap::new()),
    }
}

fn parse_layer(path: &Path, bytes: &[u8]) -> Result<BTreeMap<String, String>, ConfigError> {
    if let Some(at) = bytes
        .split(|byte| *byte == b'\n')
        .position(|line| line.starts_with(b"<<<<<<<"))
    {
        let line = at + 1;
        let reason = format!(
            "line {line} is a git conflict marker: keep the settings you want and delete the marker lines, in an editor"
        );
        return Err(ConfigError::Yaml {
            path: path.to_owned(),
            reason,
        });
    }
    yaml::parse_flat(&String::from_utf8_lossy(bytes)).map_err(|reason| ConfigError::Yaml {
        path: path.to_owned(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_layers_win_and_report_the_source_of_a_value() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        set_setting(dir, "actor", "file").unwrap();
        let none = Env::with_vars(dir, []);
        let config = Config::load(Some(dir), &none).unwrap();
        assert_eq!(config.setting("actor").unwrap().source, SettingSource::File);
        std::fs::write(dir.join("config.local.yaml"), "actor: local\n").unwrap();
        let env = Env::with_vars(dir, [("BD_ACTOR", "env")]);
        assert_eq!(
            Config::load(Some(dir), &none)
                .unwrap()
                .get("actor")
                .as_deref(),
            Some("local")
        );
        let mut config = Config::load(Some(dir), &env).unwrap();
        assert_eq!(config.get("actor").as_deref(), Some("env"));
        config.set_flag("actor", "flag");
        assert_eq!(config.get("actor").as_deref(), Some("flag"));
        assert_eq!(
            config.setting("hierarchy.max-depth").unwrap().source,
            SettingSource::Default
        );
    }

    #[test]
    fn files_of_a_repository_name_no_program() {
        let folder = tempfile::tempdir().unwrap();
        let (dir, own) = (folder.path().join("beads"), folder.path().join("own"));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::create_dir_all(own.join("bd")).unwrap();
        let name = "gate.pr-command";
        let error = set_setting(&dir, name, "touch owned").unwrap_err();
        assert!(error.to_string().contains("BD_GATE_PR_COMMAND"), "{error}");
        let text = "gate.pr-command: touch owned\nmail.delegate: gt mail\n";
        for file in ["config.yaml", "config.local.yaml"] {
            std::fs::write(dir.join(file), text).unwrap();
        }
        let vars = |extra: Option<(&'static str, &'static str)>| {
            let home = ("XDG_CONFIG_HOME", own.to_str().unwrap());
            Env::with_vars(&dir, std::iter::once(home).chain(extra))
        };
        let config = Config::load(Some(&dir), &vars(None)).unwrap();
        let source = |config: &Config| config.setting(name).unwrap().source;
        assert_eq!(source(&config), SettingSource::Default);
        assert_eq!(config.get("mail.delegate").as_deref(), Some("gt mail"));
        let ignored = config.list_ignored_commands();
        assert_eq!(ignored.len(), 1);
        let said = ignored[0].to_string();
        for part in [
            "beads/config.local.yaml",
            "BD_GATE_PR_COMMAND",
            "own/bd/config.yaml",
        ] {
            assert!(said.contains(part), "{said}");
        }
        std::fs::write(own.join("bd/config.yaml"), "gate.pr-command: glab\n").unwrap();
        let config = Config::load(Some(&dir), &vars(None)).unwrap();
        assert_eq!(source(&config), SettingSource::User);
        let env = vars(Some(("BD_GATE_PR_COMMAND", "tea")));
        let config = Config::load(Some(&dir), &env).unwrap();
        assert_eq!(config.get(name).as_deref(), Some("tea"));
        let alone = Config::load(None, &vars(None)).unwrap();
        assert_eq!(alone.get(name).as_deref(), Some("glab"));
        assert_eq!(alone.list_ignored_commands(), []);
    }

    #[test]
    fn both_spellings_of_the_prefix_are_the_same_key() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), "issue_prefix: old\n").unwrap();
        let read = || Config::from_dir(folder.path()).unwrap().get("issue_prefix");
        assert_eq!(read().as_deref(), Some("old"));
        set_setting(folder.path(), "issue_prefix", "hq").unwrap();
        assert_eq!(read().as_deref(), Some("hq"));
        unset_setting(folder.path(), "issue-prefix").unwrap();
        assert_eq!(read(), None);
    }

    #[test]
    fn a_key_cannot_inject_another_line() {
        let folder = tempfile::tempdir().unwrap();
        let error = set_setting(folder.path(), "a: b\nc", "x").unwrap_err();
        assert!(matches!(error, ConfigError::Key(_)));
    }

    #[test]
    fn an_invalid_no_push_value_prevents_pushing() {
        for (word, may) in [
            ("", true),
            ("false", true),
            ("No", true),
            ("true", false),
            ("TRUE", false),
            ("maybe", false),
        ] {
            let mut config = Config::default();
            config.set_flag("no-push", word);
            assert_eq!(config.can_push(), may, "{word:?}");
            assert_eq!(config.flag("no-push"), word.eq_ignore_ascii_case("true"));
        }
    }
}
