//! Reads the variables of the agent session that started this process.
//!
//! A process can drop or change its own variables, but not those of the processes above it. The
//! session's first process has them from the town. The search ends at tmux, which may have been
//! started in another session.

use std::fs;
use std::path::Path;

/// The variable that every process of a session has.
const TOKEN_VARIABLE: &str = "GT_SESSION_TOKEN";

/// The maximum number of processes between this one and the first of its session.
const MAX_ANCESTORS: usize = 64;

/// The variables of a session's first process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionVariables {
    environ: Vec<u8>,
}

impl SessionVariables {
    /// Returns the variables of the session above this process. `None` outside of a session, and on
    /// systems without `/proc`.
    pub fn of_ancestors() -> Option<Self> {
        let mut found = None;
        let mut pid = i32::try_from(std::process::id()).ok()?;
        for _ in 0..MAX_ANCESTORS {
            let Some(parent) = read_parent(pid).filter(|parent| *parent > 1) else {
                break;
            };
            pid = parent;
            let program = fs::read_link(format!("/proc/{pid}/exe"));
            if program.is_ok_and(|program| program.file_name() == Some("tmux".as_ref())) {
                break;
            }
            // Processes of other users cannot be read, and are no session of ours.
            let Ok(environ) = fs::read(format!("/proc/{pid}/environ")) else {
                continue;
            };
            let variables = Self { environ };
            if variables.get(TOKEN_VARIABLE).is_some() {
                found = Some(variables);
            }
        }
        found
    }

    /// Returns a variable that is not empty.
    pub fn get(&self, name: &str) -> Option<String> {
        find_variable(&self.environ, name).filter(|value| !value.is_empty())
    }

    /// Returns the role of the session, if it belongs to the town at `root`.
    pub fn role_in_town(&self, root: &Path) -> Option<String> {
        let town = self.get("GT_TOWN_ROOT")?;
        let is_same = match (Path::new(&town).canonicalize(), root.canonicalize()) {
            (Ok(town), Ok(root)) => town == root,
            _ => Path::new(&town) == root,
        };
        self.get("GT_ROLE").filter(|_| is_same)
    }
}

/// Returns a variable of an environment as `/proc` shows it.
pub fn find_variable(environ: &[u8], name: &str) -> Option<String> {
    environ.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
    })
}

/// Returns the parent of a process.
fn read_parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name, in brackets, may contain spaces and brackets.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_from_the_environment_of_a_process() {
        let variables = SessionVariables {
            environ: b"GT_ROLE=web/polecats/nux\0EMPTY=\0GT_TOWN_ROOT=/town".to_vec(),
        };
        assert_eq!(
            variables.get("GT_ROLE").as_deref(),
            Some("web/polecats/nux")
        );
        assert_eq!(variables.get("EMPTY"), None);
        assert_eq!(variables.get("GT"), None);
        let role = variables.role_in_town(Path::new("/town"));
        assert_eq!(role.as_deref(), Some("web/polecats/nux"));
        assert_eq!(variables.role_in_town(Path::new("/other")), None);
    }
}
