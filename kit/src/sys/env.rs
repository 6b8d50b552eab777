//! Owns the environment: lists every variable that the three programs read, and takes the working
//! directory. All other code gets an [`Env`] value.
#![expect(
    clippy::disallowed_methods,
    reason = "this module is the owner of the environment"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

/// A snapshot of the environment and the working directory, taken once at the start.
#[derive(Debug, Clone, Default)]
pub struct Env {
    vars: BTreeMap<String, String>,
    cwd: PathBuf,
    config_dir: Option<PathBuf>,
}

impl Env {
    /// Takes the environment of the process. Leaves out values that are not UTF-8. If the working
    /// directory was removed, uses `PWD`.
    pub fn from_process() -> Self {
        let vars: BTreeMap<_, _> = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let cwd = std::env::current_dir()
            .ok()
            .or_else(|| vars.get("PWD").map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from("/"));
        let config_dir = directories::BaseDirs::new().map(|dirs| dirs.config_dir().to_owned());
        Self {
            vars,
            cwd,
            config_dir,
        }
    }

    /// Creates an environment for tests, or for work on behalf of another directory.
    pub fn with_vars<'a>(cwd: &Path, vars: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let vars = vars
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        Self {
            vars,
            cwd: cwd.to_owned(),
            config_dir: None,
        }
    }

    /// Returns the same environment with another working directory.
    #[must_use]
    pub fn in_dir(&self, cwd: &Path) -> Self {
        Self {
            cwd: cwd.to_owned(),
            ..self.clone()
        }
    }

    #[must_use]
    pub fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Returns the environment without the variables that `is_foreign` selects.
    #[must_use]
    pub fn without(&self, is_foreign: impl Fn(&str) -> bool) -> Self {
        let vars = self
            .vars
            .iter()
            .filter(|(name, _)| !is_foreign(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Self {
            vars,
            ..self.clone()
        }
    }

    /// Returns a variable's value. An empty value counts as unset.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns true if a variable is `1`, `true`, `yes` or `on`.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some("1" | "true" | "yes" | "on"))
    }

    pub fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The user's home directory.
    pub fn home(&self) -> Option<PathBuf> {
        self.get("HOME").map(PathBuf::from)
    }

    /// The folder of the user's settings for programs, by the conventions of the system. In an
    /// environment for tests only its variables count.
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.config_dir
            .clone()
            .or_else(|| self.get("XDG_CONFIG_HOME").map(PathBuf::from))
            .or_else(|| self.home().map(|home| home.join(".config")))
    }

    /// Returns the folder that a variable names by an absolute path, otherwise the usual one.
    pub fn folder_named_by(&self, variable: &str, usual: &str) -> PathBuf {
        match self.get(variable) {
            Some(path) if path.starts_with('/') => PathBuf::from(path),
            _ => self.make_absolute(usual),
        }
    }

    /// Makes `path` absolute: `~/` is the home directory, and any other relative path starts at the
    /// working directory.
    pub fn make_absolute(&self, path: &str) -> PathBuf {
        match (path, path.strip_prefix("~/"), self.home()) {
            ("~", _, Some(home)) => home,
            (_, Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        }
    }
}

/// The arguments of the process, the program's name first.
pub fn process_args() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// The path of the running program, with links resolved if the system can.
pub fn current_exe() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// The local time zone: the one that `TZ` names, or the system's.
pub fn local_time_zone() -> TimeZone {
    let is_named = std::env::var_os("TZ").is_some();
    let zone = if is_named {
        None
    } else {
        read_zone_file(Path::new("/etc/localtime"))
    };
    zone.unwrap_or_else(TimeZone::system)
}

/// Reads the time zone in a file. `TimeZone::system` looks up its name in a list of all zones, and
/// building that list takes longer than most commands.
fn read_zone_file(file: &Path) -> Option<TimeZone> {
    let bytes = std::fs::read(file).ok()?;
    TimeZone::tzif("Local", &bytes).ok()
}

/// The system's folder for temporary files.
pub fn temp_dir() -> PathBuf {
    std::env::temp_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_read_from_its_file() {
        // Two headers, as RFC 9636 has them, each with one kind of time and its name; then the
        // rule.
        let header = |counts: [u32; 6]| {
            let counts = counts.iter().flat_map(|count| count.to_be_bytes());
            let start = b"TZif2".iter().copied().chain([0; 15]);
            start.chain(counts).collect::<Vec<u8>>()
        };
        let kind = [&32_400_i32.to_be_bytes()[..], &[0, 0], b"JST\0"].concat();
        let block = [header([0, 0, 0, 0, 1, 4]), kind].concat();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("localtime");
        std::fs::write(&file, [&block[..], &block, b"\nJST-9\n"].concat()).unwrap();
        let zone = read_zone_file(&file).unwrap();
        let at = jiff::Timestamp::UNIX_EPOCH;
        assert_eq!(zone.to_offset(at).seconds(), 32_400);
        assert_eq!(read_zone_file(&folder.path().join("none")), None);
    }

    #[test]
    fn local_time_uses_the_zone_of_the_system() {
        for second in [-1, 0, 1_750_000_000, 1_770_000_000, 4_000_000_000] {
            let at = jiff::Timestamp::from_second(second).unwrap();
            assert_eq!(
                local_time_zone().to_offset(at),
                TimeZone::system().to_offset(at)
            );
        }
    }
}
