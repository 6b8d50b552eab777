//! The systemd user unit of a town's daemon.

use std::path::PathBuf;

use bd::sys::file;
use serde::Serialize;

use super::life::DaemonError;
use crate::town::Town;

const UNIT: &str = include_str!("../../templates/gtd.service");

/// What was written.
#[derive(Debug, Clone, Serialize)]
pub struct Installed {
    /// The unit's name.
    pub unit: String,
    /// The unit file.
    pub path: PathBuf,
    /// The file with the environment seen now.
    pub environment: PathBuf,
}

/// Writes the unit file and the environment file that it names. Nothing is enabled or started.
pub fn install(town: &Town) -> anyhow::Result<Installed> {
    let root = town.layout.root();
    let name: String = root
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
        .unwrap_or_else(|| town.env.absolute("~/.config"));
    let units = config.join("systemd/user");
    file::make_folder(&units, 0o755)?;
    file::make_folder(&town.layout.daemon(), 0o700)?;
    let environment = town.layout.daemon().join("environment");
    let gtd = town
        .exe
        .parent()
        .map(|folder| folder.join("gtd"))
        .filter(|path| path.is_file());
    let gtd = gtd
        .or_else(|| which::which_in("gtd", town.env.get("PATH"), town.env.cwd()).ok())
        .ok_or_else(|| DaemonError::NoProgram {
            gt: town.exe.clone(),
        })?;
    let vars = format!(
        "PATH={}\n",
        town.env
            .get("PATH")
            .unwrap_or("/usr/local/bin:/usr/bin:/bin")
    );
    file::replace(&environment, vars.as_bytes(), 0o600)?;
    let text = UNIT
        .replace("{gtd}", &quoted(&gtd.display().to_string()))
        .replace("{environment}", &quoted(&environment.display().to_string()))
        .replace("{town}", &quoted(&root.display().to_string()));
    let path = units.join(&unit);
    file::replace(&path, text.as_bytes(), 0o644)?;
    Ok(Installed {
        unit,
        path,
        environment,
    })
}

/// A path as a unit file wants it: `%` doubled, blanks escaped.
fn quoted(path: &str) -> String {
    path.replace('\\', "\\\\")
        .replace('%', "%%")
        .replace(' ', "\\x20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_and_blanks_of_paths_are_escaped() {
        assert_eq!(quoted("/a b/50%"), "/a\\x20b/50%%");
    }
}
