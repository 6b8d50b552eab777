//! Owns who git's user is here: the name and address that `git config` answers.
//!
//! Asking the git command costs more than everything else that a small change does, so the files are read
//! in process, in git's order: the repository's own, the person's, the system's. What must always hold: the
//! answer is the git command's. Where that is not certain (conditional includes, settings of a worktree, a
//! repository of somebody else, a folder that only might be a repository, a file that is not understood)
//! the command is asked.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git2::{Config, ConfigLevel};

use super::{Git, plain};
use crate::sys::Env;

/// Who git says the user is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// `user.name`.
    pub name: Option<String>,
    /// `user.email`.
    pub email: Option<String>,
}

/// Something that only the git command judges.
#[derive(Debug)]
pub(super) struct Odd;

pub(super) type Sure<T> = Result<T, Odd>;

impl Git {
    /// Git's user in this folder, as the files say that this environment leads to.
    pub fn user(&self, env: &Env) -> User {
        self.user_by_files(env)
            .unwrap_or_else(|| self.user_by_command())
    }

    /// The user by the files; `None` where only the git command can tell.
    pub(super) fn user_by_files(&self, env: &Env) -> Option<User> {
        self.surely(env).ok()
    }

    fn surely(&self, env: &Env) -> Sure<User> {
        let set = |name: &str| self.variable(env, name);
        let folder = fs::canonicalize(&self.folder).map_err(|_| Odd)?;
        let mut files = personal(&set)?;
        if let Some(repository) = repository(&folder)? {
            files.push((ConfigLevel::Local, repository.join("config")));
        }
        let user = read(&files)?;
        if user.name.is_some() && user.email.is_some() {
            return Ok(user);
        }
        let Some(system) = system(&set)? else {
            return Ok(user);
        };
        files.insert(0, (ConfigLevel::System, system));
        read(&files)
    }

    /// A variable as a git command started here would see it; one that is set to nothing is odd.
    fn variable(&self, env: &Env, name: &str) -> Sure<Option<String>> {
        let own = self.env.iter().rev().find(|(key, _)| key == name);
        let value = match own {
            Some((_, value)) => Some(value.to_str().ok_or(Odd)?.to_owned()),
            None => {
                let mut vars = env.vars();
                let found = vars.find(|(key, _)| *key == name);
                found.map(|(_, value)| value.to_owned())
            }
        };
        match value {
            Some(value) if value.is_empty() => Err(Odd),
            value => Ok(value),
        }
    }

    pub(super) fn user_by_command(&self) -> User {
        let call = self.plumbing(["config", "--get-regexp", "^user\\.(name|email)$"]);
        // Without git, or without a user there, other sources stand in.
        let text = call.limit(Duration::from_secs(5)).text();
        let text = text.unwrap_or_default();
        let value = |key: &str| {
            let lines = text.lines().rev();
            let mut values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
            let value = values.next().map(str::to_owned);
            value.filter(|value| !value.is_empty())
        };
        User {
            name: value("user.name"),
            email: value("user.email"),
        }
    }
}

/// The files of the person.
fn personal(set: &impl Fn(&str) -> Sure<Option<String>>) -> Sure<Vec<(ConfigLevel, PathBuf)>> {
    if let Some(file) = set("GIT_CONFIG_GLOBAL")? {
        return Ok(vec![(ConfigLevel::Global, PathBuf::from(file))]);
    }
    let home = set("HOME")?.map(PathBuf::from).ok_or(Odd)?;
    let xdg = match set("XDG_CONFIG_HOME")? {
        Some(folder) => PathBuf::from(folder),
        None => home.join(".config"),
    };
    Ok(vec![
        (ConfigLevel::XDG, xdg.join("git/config")),
        (ConfigLevel::Global, home.join(".gitconfig")),
    ])
}

/// The system's file, where it is certain which one the installed git reads.
fn system(set: &impl Fn(&str) -> Sure<Option<String>>) -> Sure<Option<PathBuf>> {
    match set("GIT_CONFIG_NOSYSTEM")?.as_deref() {
        None => {}
        Some("1" | "true" | "yes" | "on") => return Ok(None),
        Some(_) => return Err(Odd),
    }
    if let Some(file) = set("GIT_CONFIG_SYSTEM")? {
        return Ok(Some(PathBuf::from(file)));
    }
    // Distributions' git, in /usr/bin, reads /etc; one that was built by hand may read elsewhere.
    let path = set("PATH")?.ok_or(Odd)?;
    let mut folders = path.split(':').map(Path::new);
    let git = folders.find(|folder| folder.join("git").is_file());
    let of_system = git.is_some_and(|folder| {
        cfg!(target_os = "linux") && [Path::new("/usr/bin"), Path::new("/bin")].contains(&folder)
    });
    of_system
        .then(|| Some(PathBuf::from("/etc/gitconfig")))
        .ok_or(Odd)
}

/// The folder with the settings of the repository around a folder.
fn repository(folder: &Path) -> Sure<Option<PathBuf>> {
    for above in folder.ancestors() {
        let git = above.join(".git");
        let Ok(found) = fs::symlink_metadata(&git) else {
            // A bare repository, or the inside of one.
            if above.join("HEAD").exists() {
                return Err(Odd);
            }
            continue;
        };
        let common = if found.is_dir() {
            git.clone()
        } else if found.is_file() {
            shared(above, &git)?
        } else {
            return Err(Odd);
        };
        let whole = ["HEAD", "objects", "refs"].map(|name| common.join(name).exists());
        if whole.contains(&false) || !ours([folder, above, &git, &common])? {
            return Err(Odd);
        }
        return Ok(Some(common));
    }
    Ok(None)
}

/// The git folder that the worktree with this `.git` file shares with others, or its own.
fn shared(worktree: &Path, file: &Path) -> Sure<PathBuf> {
    let text = fs::read_to_string(file).map_err(|_| Odd)?;
    let path = text.strip_prefix("gitdir: ").ok_or(Odd)?;
    let git = worktree.join(path.trim_end());
    match fs::read_to_string(git.join("commondir")) {
        Ok(common) => Ok(git.join(common.trim_end())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(git),
        Err(_) => Err(Odd),
    }
}

/// Whether these are all our own, and the first two on one file system: else git may refuse to look.
fn ours(paths: [&Path; 4]) -> Sure<bool> {
    let [folder, above, git, common] = paths.map(|path| fs::metadata(path).map_err(|_| Odd));
    let (folder, above, git, common) = (folder?, above?, git?, common?);
    let me = rustix::process::geteuid().as_raw();
    let mine = [&above, &git, &common]
        .iter()
        .all(|found| found.uid() == me);
    Ok(mine && folder.dev() == above.dev())
}

/// The user by these files, of which later ones win; those that are not there say nothing.
fn read(files: &[(ConfigLevel, PathBuf)]) -> Sure<User> {
    let mut found = User::default();
    let mut is_plain = true;
    for (_, path) in files {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(_) => return Err(Odd),
        };
        match plain::user(&text)? {
            Some(user) => {
                found.name = user.name.or(found.name);
                found.email = user.email.or(found.email);
            }
            None => is_plain = false,
        }
    }
    if is_plain {
        Ok(found)
    } else {
        by_library(files)
    }
}

/// The same, whatever way of writing settings the files use.
fn by_library(files: &[(ConfigLevel, PathBuf)]) -> Sure<User> {
    let mut config = Config::new().map_err(|_| Odd)?;
    for (level, path) in files {
        match config.add_file(path, *level, false) {
            Ok(()) => {}
            Err(error) if error.code() == git2::ErrorCode::NotFound => {}
            Err(_) => return Err(Odd),
        }
    }
    let mut entries = config.entries(None).map_err(|_| Odd)?;
    while let Some(entry) = entries.next() {
        let entry = entry.map_err(|_| Odd)?;
        let name = entry.name().map_err(|_| Odd)?;
        let conditional = name.starts_with("includeif.");
        let unknown = name.starts_with("extensions.") || name == "core.repositoryformatversion";
        let plain = entry.has_value() && entry.value().is_ok_and(|value| value == "0");
        let said = entry.has_value() && !entry.value_bytes().is_empty();
        let silent = name.starts_with("user.") && !said;
        if conditional || silent || (unknown && !plain) {
            return Err(Odd);
        }
    }
    let value = |name: &str| match config.get_entry(name) {
        Ok(entry) => {
            let value = entry.value().map_err(|_| Odd)?;
            // Older gits say a space for a tab.
            if value.contains(['\n', '\t']) {
                return Err(Odd);
            }
            Ok(Some(value.to_owned()).filter(|value| !value.is_empty()))
        }
        Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
        Err(_) => Err(Odd),
    };
    Ok(User {
        name: value("user.name")?,
        email: value("user.email")?,
    })
}
