//! Owns who git's user is here: the name and address that `git config` answers.
//!
//! Asking the git command costs more than everything else that a small change does, so the files are read
//! in process, in git's order: the repository's own, the person's, the system's. What must always hold: the
//! answer is the git command's. Where that is not certain (conditional includes, settings of a worktree, a
//! repository of somebody else, a folder that only might be a repository, a file that is not understood)
//! the command is asked. The system's file is looked at only where the others do not name the user: that it
//! is broken is not noticed else.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Git;
use super::settings::{self, AskGit, User};
use crate::sys::Env;

impl Git {
    /// Git's user in this folder, as the files say that this environment leads to.
    pub fn user(&self, env: &Env) -> User {
        self.user_by_files(env)
            .unwrap_or_else(|| self.user_by_command())
    }

    /// The user by the files; `None` where only the git command can tell.
    pub(super) fn user_by_files(&self, env: &Env) -> Option<User> {
        self.parse_user(env).ok()
    }

    fn parse_user(&self, env: &Env) -> Result<User, AskGit> {
        let set = |name: &str| self.variable(env, name);
        let folder = fs::canonicalize(&self.folder).map_err(|_| AskGit)?;
        let home = path(&set, "HOME")?;
        let mut files = personal(&set, home.as_deref())?;
        if let Some(repository) = repository(&folder)? {
            files.push(repository.join("config"));
        }
        let mut user = User::default();
        for file in &files {
            settings::read(file, home.as_deref(), &mut user)?;
        }
        if user.name.is_some() && user.email.is_some() {
            return Ok(user);
        }
        let mut of_system = User::default();
        if let Some(file) = system(&set)? {
            settings::read(&file, home.as_deref(), &mut of_system)?;
        }
        Ok(User {
            name: user.name.or(of_system.name),
            email: user.email.or(of_system.email),
        })
    }

    /// A variable as a git command started here would see it; one that is set to nothing is odd.
    fn variable(&self, env: &Env, name: &str) -> Result<Option<String>, AskGit> {
        let own = self.env.iter().rev().find(|(key, _)| key == name);
        let value = match own {
            Some((_, value)) => Some(value.to_str().ok_or(AskGit)?.to_owned()),
            None => {
                let mut vars = env.vars();
                let found = vars.find(|(key, _)| *key == name);
                found.map(|(_, value)| value.to_owned())
            }
        };
        match value {
            Some(value) if value.is_empty() => Err(AskGit),
            value => Ok(value),
        }
    }

    pub(super) fn user_by_command(&self) -> User {
        let call = self.plumbing(["config", "-z", "--get-regexp", "^user\\.(name|email)$"]);
        // Without git, or without a user there, other sources stand in.
        let records = call.limit(Duration::from_secs(5)).records();
        let records = records.unwrap_or_default();
        let value = |key: &str| {
            let mut settings = records.iter().rev().map(|record| {
                let (name, value) = record.split_once('\n').unwrap_or((record, ""));
                (name, value.to_owned())
            });
            let (_, value) = settings.find(|(name, _)| *name == key)?;
            Some(value).filter(|value| !value.is_empty())
        };
        User {
            name: value("user.name"),
            email: value("user.email"),
        }
    }
}

/// A path that a variable gives.
fn path(
    set: &impl Fn(&str) -> Result<Option<String>, AskGit>,
    name: &str,
) -> Result<Option<PathBuf>, AskGit> {
    let path = set(name)?.map(PathBuf::from);
    match path {
        // From where it counts is git's to know.
        Some(path) if !path.is_absolute() => Err(AskGit),
        path => Ok(path),
    }
}

/// The files of the person, of which the last wins.
fn personal(
    set: &impl Fn(&str) -> Result<Option<String>, AskGit>,
    home: Option<&Path>,
) -> Result<Vec<PathBuf>, AskGit> {
    if let Some(file) = path(set, "GIT_CONFIG_GLOBAL")? {
        return Ok(vec![file]);
    }
    let home = home.ok_or(AskGit)?;
    let xdg = match path(set, "XDG_CONFIG_HOME")? {
        Some(folder) => folder,
        None => home.join(".config"),
    };
    Ok(vec![xdg.join("git/config"), home.join(".gitconfig")])
}

/// The system's file, where it is certain which one the installed git reads.
fn system(
    set: &impl Fn(&str) -> Result<Option<String>, AskGit>,
) -> Result<Option<PathBuf>, AskGit> {
    match set("GIT_CONFIG_NOSYSTEM")?.as_deref() {
        None => {}
        Some("1" | "true" | "yes" | "on") => return Ok(None),
        Some(_) => return Err(AskGit),
    }
    if let Some(file) = path(set, "GIT_CONFIG_SYSTEM")? {
        return Ok(Some(file));
    }
    // Distributions' git, in /usr/bin, reads /etc; one that was built by hand may read elsewhere.
    let places = set("PATH")?.ok_or(AskGit)?;
    let mut folders = places.split(':').map(Path::new);
    let runs = |file: &Path| {
        fs::metadata(file).is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
    };
    let git = folders.find(|folder| runs(&folder.join("git")));
    let of_system = git.is_some_and(|folder| {
        cfg!(target_os = "linux") && [Path::new("/usr/bin"), Path::new("/bin")].contains(&folder)
    });
    of_system
        .then(|| Some(PathBuf::from("/etc/gitconfig")))
        .ok_or(AskGit)
}

/// The folder with the settings of the repository around a folder.
fn repository(folder: &Path) -> Result<Option<PathBuf>, AskGit> {
    for above in folder.ancestors() {
        let git = above.join(".git");
        let Ok(found) = fs::symlink_metadata(&git) else {
            // A bare repository, or the inside of one.
            if above.join("HEAD").exists() {
                return Err(AskGit);
            }
            continue;
        };
        let (own, common) = if found.is_dir() {
            (git.clone(), git.clone())
        } else if found.is_file() {
            shared(above, &git)?
        } else {
            return Err(AskGit);
        };
        let is_whole = ["objects", "refs"]
            .iter()
            .all(|name| common.join(name).is_dir());
        if !is_whole || !has_head(&own) || !ours(folder, above, [&git, &own, &common])? {
            return Err(AskGit);
        }
        return Ok(Some(common));
    }
    Ok(None)
}

/// Whether a git folder says what is checked out: git takes no other for one.
fn has_head(git: &Path) -> bool {
    let text = fs::read_to_string(git.join("HEAD")).unwrap_or_default();
    let is_id = |text: &str| text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.starts_with("ref: refs/") || is_id(text.trim_end())
}

/// The git folder of the worktree with this `.git` file, and the one that it shares with others or its own.
fn shared(worktree: &Path, file: &Path) -> Result<(PathBuf, PathBuf), AskGit> {
    let line = |text: String| text.trim_end_matches(['\r', '\n']).to_owned();
    let text = fs::read_to_string(file).map(line).map_err(|_| AskGit)?;
    let git = worktree.join(text.strip_prefix("gitdir: ").ok_or(AskGit)?);
    match fs::read_to_string(git.join("commondir")).map(line) {
        Ok(common) => Ok((git.clone(), git.join(common))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((git.clone(), git)),
        Err(_) => Err(AskGit),
    }
}

/// Whether the worktree and its git folders are all our own, and it is on the file system of the folder: else
/// git may refuse to look.
fn ours(folder: &Path, worktree: &Path, git: [&Path; 3]) -> Result<bool, AskGit> {
    let found = |path: &Path| fs::metadata(path).map_err(|_| AskGit);
    let me = rustix::process::geteuid().as_raw();
    for path in git.into_iter().chain([worktree]) {
        if found(path)?.uid() != me {
            return Ok(false);
        }
    }
    Ok(found(folder)?.dev() == found(worktree)?.dev())
}
