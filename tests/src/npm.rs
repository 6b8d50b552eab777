//! Installs agent programs from npm: once, whole, for all tests of all processes.
//!
//! What must always hold: a folder with the final name is complete, because npm writes to a
//! temporary folder beside it that is then renamed. A kernel lock makes other threads and processes
//! wait for one install.

#![expect(
    clippy::disallowed_methods,
    reason = "the harness starts programs and reads the environment"
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Installs that failed in this process. They are not tried again: without a network each try takes
/// long.
static FAILED: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// An agent program that npm installs.
pub(crate) struct Package {
    /// The variable that names a folder with the program instead.
    pub(crate) variable: &'static str,
    /// The program.
    pub(crate) program: &'static str,
    /// The package.
    pub(crate) name: &'static str,
    /// The version that is tried.
    pub(crate) version: &'static str,
}

impl Package {
    /// The folder with the program, or why there is none.
    pub(crate) fn bin(&self) -> Result<PathBuf, String> {
        if let Some(folder) = std::env::var_os(self.variable) {
            return Ok(PathBuf::from(folder));
        }
        for tool in ["python3", "npm", "node"] {
            let found = Command::new(tool).arg("--version").output();
            found.map_err(|_| format!("{tool} is not installed"))?;
        }
        let exe = std::env::current_exe().map_err(|error| error.to_string())?;
        let target = exe.ancestors().nth(3).ok_or("no target folder")?;
        self.install(Path::new("npm"), target)
    }

    /// Installs the package below `target` with the program `npm`, unless it is there.
    fn install(&self, npm: &Path, target: &Path) -> Result<PathBuf, String> {
        // The version is part of the name, so that another version is another folder.
        let name = format!("{}-{}", self.program, self.version);
        let folder = target.join(&name);
        let bin = folder.join("node_modules/.bin");
        let text = |error: io::Error| format!("cannot install {}: {error}", self.name);
        let lock = File::create(target.join(format!("{name}.lock"))).map_err(text)?;
        lock.lock().map_err(text)?;
        if folder.exists() {
            return Ok(bin);
        }
        let failed = || FAILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = failed().get(&folder).cloned() {
            return Err(reason);
        }
        match self.install_whole(npm, &folder) {
            Ok(()) => Ok(bin),
            Err(reason) => {
                failed().insert(folder, reason.clone());
                Err(reason)
            }
        }
    }

    /// Installs to a temporary folder beside `folder` and renames it. The caller holds the lock.
    fn install_whole(&self, npm: &Path, folder: &Path) -> Result<(), String> {
        let text = |error: io::Error| format!("cannot install {}: {error}", self.name);
        let prefix = format!("{}-partial-", self.program);
        let target = folder.parent().ok_or("no target folder")?;
        remove_starting_with(target, &prefix).map_err(text)?;
        let partial = tempfile::Builder::new().prefix(&prefix).tempdir_in(target);
        let partial = partial.map_err(text)?;
        let package = format!("{}@{}", self.name, self.version);
        let install = Command::new(npm)
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--fetch-timeout=20000",
                "--fetch-retries=1",
                "--fetch-retry-mintimeout=1000",
            ])
            .arg("--prefix")
            .arg(partial.path())
            .arg(&package)
            .output()
            .map_err(text)?;
        if !install.status.success() {
            let stderr = String::from_utf8_lossy(&install.stderr);
            return Err(format!("npm cannot install {package}: {}", reason(&stderr)));
        }
        fs::rename(partial.path(), folder).map_err(text)
    }
}

/// The line of npm's many that says why it failed.
fn reason(stderr: &str) -> &str {
    let errors = || {
        stderr
            .lines()
            .filter_map(|line| line.strip_prefix("npm error "))
    };
    let named = errors().find(|line| !line.starts_with("code ") && !line.starts_with("syscall "));
    let named = errors()
        .find(|line| line.contains("failed, reason"))
        .or(named);
    named.unwrap_or(stderr).trim()
}

/// Removes what installs that were killed left behind.
fn remove_starting_with(folder: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const AGENT: Package = Package {
        variable: "GASTOWN_TEST_AGENT",
        program: "agent",
        name: "@example/agent",
        version: "1.2.3",
    };

    /// A fake npm that notes each run in `runs`. Its prefix is the last argument but one.
    fn fake_npm(target: &Path, body: &str) -> PathBuf {
        let path = target.join("npm");
        let runs = target.join("runs");
        let script = format!(
            "#!/bin/sh\nset -eu\nwhile [ $# -gt 2 ]; do shift; done\necho \"$2\" >> {runs}\n{body}\n",
            runs = runs.display()
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn runs(target: &Path) -> String {
        fs::read_to_string(target.join("runs")).unwrap()
    }

    /// What eight threads get that ask at once.
    fn ask_at_once(npm: &Path, target: &Path) -> Vec<Result<bool, String>> {
        std::thread::scope(|scope| {
            let ask = || {
                let bin = AGENT.install(npm, target)?;
                Ok(bin.join("agent").exists() && bin.join("../last").exists())
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        })
    }

    #[test]
    fn concurrent_threads_share_one_complete_install() {
        let target = tempfile::tempdir().unwrap();
        let target = target.path();
        // The program is there long before the install is complete, as with the real npm.
        let body = "bin=$1/node_modules/.bin; mkdir -p $bin; touch $bin/agent; sleep 0.5; touch $bin/../last";
        let npm = fake_npm(target, body);
        let killed = target.join("agent-partial-killed");
        fs::create_dir_all(killed.join("node_modules")).unwrap();
        assert_eq!(ask_at_once(&npm, target), vec![Ok(true); 8]);
        assert_eq!(runs(target), "@example/agent@1.2.3\n");
        let partial = fs::read_dir(target).unwrap().filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().contains("partial")
        });
        assert_eq!(partial.count(), 0);
    }

    #[test]
    fn a_failed_install_is_not_retried_by_every_test() {
        let target = tempfile::tempdir().unwrap();
        let target = target.path();
        let npm = fake_npm(
            target,
            "mkdir $1/half; echo 'npm error code EAI_AGAIN\nnpm error no network' >&2; exit 1",
        );
        let reason = "npm cannot install @example/agent@1.2.3: no network".to_owned();
        assert_eq!(ask_at_once(&npm, target), vec![Err(reason); 8]);
        assert_eq!(runs(target), "@example/agent@1.2.3\n");
    }
}
