//! Writes the systemd user unit of a town's daemon.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kit::sys::file;
use serde::Serialize;

use super::life::DaemonError;
use crate::host::runtime;
use crate::host::wrapper;
use crate::town::Town;

const UNIT_TEMPLATE: &str = include_str!("../../../templates/gtd.service");

/// The written unit.
#[derive(Debug, Clone, Serialize)]
pub struct InstalledUnit {
    pub unit: String,
    pub path: PathBuf,
    /// The file with the current environment.
    pub environment: PathBuf,
    /// The names of the variables in that file.
    pub variables: Vec<String>,
}

/// Returns the name and the path of the unit file.
fn unit_path(town: &Town) -> (String, PathBuf) {
    let name: String = town
        .layout
        .root()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let unit = format!("gtd-{name}.service");
    let config = town
        .env
        .config_dir()
        .unwrap_or_else(|| town.env.make_absolute("~/.config"));
    let path = config.join("systemd/user").join(&unit);
    (unit, path)
}

/// Returns the files of the town's unit that exist: the unit, the link that starts it at login, and
/// its environment.
pub fn list_unit_files(town: &Town) -> Vec<PathBuf> {
    let (unit, path) = unit_path(town);
    let link = path.with_file_name("default.target.wants").join(unit);
    let environment = town.layout.daemon().join("environment");
    let mut files = vec![link, path, environment];
    files.retain(|file| std::fs::symlink_metadata(file).is_ok());
    files
}

/// Returns true if the user's systemd runs and has no unit of this town yet.
pub fn can_install_unit(town: &Town) -> bool {
    let runs = town
        .env
        .get("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .is_some_and(|folder| folder.join("systemd").is_dir());
    runs && !unit_path(town).1.is_file()
}

/// Writes the unit file and its environment file. Does not enable or start the unit.
pub fn install_unit(town: &Town) -> anyhow::Result<InstalledUnit> {
    let root = town.layout.root();
    let (unit, path) = unit_path(town);
    if let Some(units) = path.parent() {
        file::create_folder(units, 0o755)?;
    }
    file::create_folder(&town.layout.daemon(), 0o700)?;
    let environment = town.layout.daemon().join("environment");
    let gtd = town
        .exe
        .parent()
        .map(|folder| folder.join("gtd"))
        .filter(|path| path.is_file())
        .or_else(|| which::which_in("gtd", town.env.get("PATH"), town.env.cwd()).ok())
        .ok_or_else(|| DaemonError::NoProgram {
            gt: town.exe.clone(),
        })?;
    let (variables, lines) = inherited_environment(town);
    // Removed first, because an existing file would keep its mode, which may allow others to read
    // it.
    file::remove_file(&environment)?;
    file::replace_file(&environment, lines.as_bytes(), 0o600)?;
    let text = UNIT_TEMPLATE
        .replace("{gtd}", &quote_path(&gtd.display().to_string()))
        .replace(
            "{environment}",
            &quote_path(&environment.display().to_string()),
        )
        .replace("{town}", &quote_path(&root.display().to_string()));
    file::replace_file(&path, text.as_bytes(), 0o644)?;
    Ok(InstalledUnit {
        unit,
        path,
        environment,
        variables,
    })
}

/// Returns the names and the lines of the caller's variables that a session started here would
/// inherit.
fn inherited_environment(town: &Town) -> (Vec<String>, String) {
    let pass = runtime::inheritable_variables(town);
    let mut vars: BTreeMap<&str, &str> = town
        .env
        .vars()
        .filter(|(name, _)| wrapper::is_session_variable(name, &pass))
        .collect();
    vars.entry("PATH").or_insert("/usr/local/bin:/usr/bin:/bin");
    let names = vars.keys().map(|name| (*name).to_owned()).collect();
    let lines = vars
        .iter()
        .map(|(name, value)| format!("{name}={}\n", quote_value(value)));
    (names, lines.collect())
}

/// Quotes a value for an environment file.
fn quote_value(value: &str) -> String {
    let mut quoted = String::from("\"");
    for c in value.chars() {
        if matches!(c, '"' | '\\' | '`' | '$') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// Quotes a path for a unit file: doubles `%` and escapes blanks.
fn quote_path(path: &str) -> String {
    path.replace('\\', "\\\\")
        .replace('%', "%%")
        .replace(' ', "\\x20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_and_spaces_in_paths_are_escaped() {
        assert_eq!(quote_path("/a b/50%"), "/a\\x20b/50%%");
    }

    #[test]
    fn environment_values_are_quoted() {
        assert_eq!(quote_value("/a b:/c"), "\"/a b:/c\"");
        assert_eq!(quote_value("a\"b\\c`$d"), r#""a\"b\\c\`\$d""#);
    }
}
