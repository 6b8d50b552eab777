//! Lists the agent programs of this machine.

use std::path::{Path, PathBuf};

use kit::sys::Env;
use serde::Serialize;

use super::RuntimePreset;

/// An installed agent program.
#[derive(Debug, Clone, Serialize)]
pub struct AvailableAgent {
    pub name: String,
    pub program: PathBuf,
    /// True if a login was found, false if none was. `None` if it cannot be seen.
    pub login: Option<bool>,
}

/// Returns the installed agent programs among the built-in presets, those with a login first.
pub fn list_available_agents(env: &Env, exe: &Path) -> Vec<AvailableAgent> {
    let mut available: Vec<AvailableAgent> = RuntimePreset::built_in()
        .into_iter()
        .filter(|preset| !preset.is_scripted())
        .filter_map(|preset| {
            Some(AvailableAgent {
                program: preset.find_program(env, exe)?,
                login: preset.has_login(env),
                name: preset.name,
            })
        })
        .collect();
    available.sort_by_key(|agent| match agent.login {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    });
    available
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_with_a_login_come_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["claude", "codex"] {
            use std::os::unix::fs::PermissionsExt;
            let path = folder.path().join(name);
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let home = folder.path().to_str().unwrap();
        let list = |vars: &[(&str, &str)]| {
            let vars = vars.iter().copied().chain([("PATH", home), ("HOME", home)]);
            let env = Env::with_vars(folder.path(), vars);
            list_available_agents(&env, Path::new("gt"))
        };
        let names = |agents: &[AvailableAgent]| -> Vec<String> {
            agents.iter().map(|agent| agent.name.clone()).collect()
        };
        if !cfg!(target_os = "macos") {
            let without = list(&[]);
            assert_eq!(names(&without), ["claude", "codex"]);
            assert_eq!(without[0].login, Some(false));
        }
        let with_key = list(&[("OPENAI_API_KEY", "x")]);
        assert_eq!(names(&with_key), ["codex", "claude"]);
        assert_eq!(with_key[0].login, Some(true));
        std::fs::create_dir(folder.path().join(".claude")).unwrap();
        std::fs::write(folder.path().join(".claude/.credentials.json"), "{}").unwrap();
        assert!(cfg!(target_os = "macos") || list(&[])[0].login == Some(true));
        let moved = list(&[("CLAUDE_CONFIG_DIR", "/elsewhere")]);
        let claude = moved.iter().find(|agent| agent.name == "claude").unwrap();
        assert_eq!(claude.login, None, "its files are elsewhere");
    }
}
