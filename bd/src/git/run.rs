//! Runs the git command: the one way to call it for this module.
//!
//! Removes the caller's `GIT_*` variables that redirect git (set inside hooks and by wrappers).
//! Keeps the variables that name the user or the way to the network (author, ssh command, askpass,
//! configuration files).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path, PathBuf};
use std::time::Duration;

use super::scratch::ScratchFolder;
use super::wait::{self, RemoteWait};
use super::{Git, GitError, redact_urls};
use kit::sys::{ChildCommand, ChildOutput, ExecError};

/// The time limit of a local command.
const LOCAL: Duration = Duration::from_secs(120);

/// The default limit of a command's output. A larger output is an error, because a truncated list
/// would look complete.
const OUTPUT: usize = 512 * 1024 * 1024;

/// Variables that would redirect a git command to another repository, index or setting.
const POINTERS: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_QUARANTINE_PATH",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REFLOG_ACTION",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_PAGER",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_PUSH_OPTION_COUNT",
    "GIT_FLUSH",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_SETUP",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_DATE",
];

/// A path at which no file can be. Git prints a hint about an empty file of grafts.
const NO_SUCH_FILE: &str = "/dev/null/none";

/// Options that a reader of an error does not need to know.
const QUIET_OPTIONS: [&str; 6] = [
    "--quiet",
    "--no-auto-gc",
    "--no-write-fetch-head",
    "--update-shallow",
    "--no-recurse-submodules",
    "--porcelain",
];

/// The lines that git adds to every failed contact with a remote.
const REMOTE_ADVICE: [&str; 3] = [
    "fatal: Could not read from remote repository.",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
];

/// The maximum number of attempts of a command that loses races.
const MAX_ATTEMPTS: usize = 10;

/// A git command that is being built.
#[derive(Debug)]
pub struct GitCall<'a> {
    git: &'a Git,
    child: ChildCommand,
    /// The number of leading arguments that are not shown in messages.
    hidden_args: usize,
    remote: Option<String>,
    is_capped: bool,
}

/// Turns off the hooks of the repository, and its program that watches files.
const NO_HOOKS: [&str; 4] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
];

/// Settings of the user that would make git enter a submodule, or believe what the index of a worker
/// says about untracked files.
const SEPARATE_SETTINGS: [&str; 6] = [
    "-c",
    "submodule.recurse=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "core.fsmonitor=false",
];

impl Git {
    /// Builds a git command that runs no hook of the repository, for bd's own operations.
    pub fn plumbing<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> GitCall<'_> {
        self.call(&NO_HOOKS, args)
    }

    /// Builds a git command that runs the repository's hooks, for the operations of an agent or the
    /// user.
    pub fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> GitCall<'_> {
        self.call(&[], args)
    }

    fn call<A: AsRef<OsStr>>(
        &self,
        hidden: &[&str],
        args: impl IntoIterator<Item = A>,
    ) -> GitCall<'_> {
        let separate = self.separate.as_ref();
        let pinned = separate.map_or(&[][..], |_| &SEPARATE_SETTINGS);
        let mut child = ChildCommand::new("git")
            .args(hidden)
            .args(pinned)
            .args(args)
            .cwd(&self.folder)
            .limit(LOCAL)
            .cap(OUTPUT);
        for name in POINTERS {
            child = child.env_remove(name);
        }
        child = child
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            // Replacement refs and grafts would show commits with other content or parents.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_GRAFT_FILE", NO_SUCH_FILE);
        if let Some(separate) = separate {
            child = child.env("GIT_DIR", &separate.git_dir);
            child = child.env("GIT_WORK_TREE", &self.folder);
        } else if let Some(repository) = self.bare_repository() {
            child = child.env("GIT_DIR", repository);
        }
        for (key, value) in &self.env {
            child = child.env(key, value);
        }
        GitCall {
            git: self,
            child,
            hidden_args: hidden.len() + pinned.len(),
            remote: None,
            is_capped: false,
        }
    }
}

impl Git {
    /// Returns the folder as an absolute path if it is a bare repository. It is named to git,
    /// because a user may forbid git to find bare repositories automatically
    /// (`safe.bareRepository`).
    fn bare_repository(&self) -> Option<PathBuf> {
        let folder = &self.folder;
        let is_bare = folder.join("HEAD").is_file()
            && folder.join("objects").is_dir()
            && folder.join("refs").is_dir()
            && !folder.join(".git").exists();
        is_bare.then(|| path::absolute(folder).ok()).flatten()
    }
}

impl GitCall<'_> {
    fn with(mut self, change: impl FnOnce(ChildCommand) -> ChildCommand) -> Self {
        self.child = change(self.child);
        self
    }

    #[must_use]
    pub fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        self.with(|child| child.args(args))
    }

    /// Sets an environment variable for this call.
    #[must_use]
    pub fn env(self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.with(|child| child.env(key, value))
    }

    /// Runs the command in another folder than the repository's.
    #[must_use]
    pub fn cwd(self, folder: &Path) -> Self {
        self.with(|child| child.cwd(folder))
    }

    #[must_use]
    pub fn stdin(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.with(|child| child.stdin(bytes))
    }

    /// Sets the time limit.
    #[must_use]
    pub fn limit(self, limit: Duration) -> Self {
        self.with(|child| child.limit(limit))
    }

    /// Sets the time limit for the answer of `remote`, a name or a URL.
    #[must_use]
    pub(super) fn remote(mut self, remote: &str, limit: Duration) -> Self {
        self.remote = Some(remote.to_owned());
        self.limit(limit)
    }

    /// Keeps at most `bytes` of the output and drops the rest.
    #[must_use]
    pub fn cap(mut self, bytes: usize) -> Self {
        self.is_capped = true;
        self.with(|child| child.cap(bytes))
    }

    /// Runs the command. The caller must check the exit status.
    pub fn finish(self) -> Result<ChildOutput, GitError> {
        let GitCall { git, .. } = self;
        if !git.folder.is_dir() {
            let path = git.folder.clone();
            return Err(GitError::NotARepository { path });
        }
        let command = self.command_line();
        let whole = !self.is_capped;
        let remote = self.remote.clone();
        let wait = remote
            .as_deref()
            .map(|remote| RemoteWait::begin(git, remote, self.child.time_limit()));
        let ran = self.child.run();
        drop(wait);
        let mut finished = ran.map_err(|source| match (source, remote) {
            (ExecError::TimedOut { limit, .. }, Some(remote)) => GitError::NoAnswer {
                command: command.clone(),
                url: wait::display_address(git, &remote),
                limit,
            },
            (source, _) => {
                let is_late = matches!(source, ExecError::TimedOut { .. });
                let explained = is_late.then(|| git.explain_time_limit()).flatten();
                explained.unwrap_or_else(|| GitError::Run {
                    command: command.clone(),
                    folder: git.folder.clone(),
                    source,
                })
            }
        })?;
        finished.stderr = redact_urls(&String::from_utf8_lossy(&finished.stderr)).into_bytes();
        if whole && finished.stdout.len() >= OUTPUT {
            let output = format!("more than {OUTPUT} bytes");
            return Err(GitError::Unreadable { command, output });
        }
        Ok(finished)
    }

    /// Runs the command. Fails unless it succeeds.
    pub fn finish_checked(self) -> Result<ChildOutput, GitError> {
        let git = self.git;
        let command = self.command_line();
        let finished = self.finish()?;
        if finished.is_success() {
            Ok(finished)
        } else {
            Err(git.failure(&command, &finished))
        }
    }

    /// Runs the command. Returns `None` for the status 1, with which git answers that there is no
    /// such thing. Fails for any other status but success.
    pub fn finish_if_found(self) -> Result<Option<ChildOutput>, GitError> {
        let git = self.git;
        let command = self.command_line();
        let finished = self.finish()?;
        match finished.code() {
            Some(0) => Ok(Some(finished)),
            Some(1) => Ok(None),
            _ => Err(git.failure(&command, &finished)),
        }
    }

    /// Runs the command and discards its output. Fails unless it succeeds.
    pub fn run(self) -> Result<(), GitError> {
        self.finish_checked().map(drop)
    }

    /// Runs the command and returns its output without trailing white space. Fails unless it
    /// succeeds.
    pub fn text(self) -> Result<String, GitError> {
        Ok(self.finish_checked()?.text())
    }

    /// Runs the command and returns the records of a `-z` output. Fails unless it succeeds.
    pub fn records(self) -> Result<Vec<String>, GitError> {
        let finished = self.finish_checked()?;
        let records = split_records(&finished.stdout);
        Ok(records
            .map(|record| String::from_utf8_lossy(record).into_owned())
            .collect())
    }

    /// Runs the command and returns the paths of a `-z` output, byte for byte. Fails unless it
    /// succeeds.
    pub fn paths(self) -> Result<Vec<PathBuf>, GitError> {
        let finished = self.finish_checked()?;
        Ok(split_records(&finished.stdout).map(path_of_bytes).collect())
    }

    /// The command as a user would type it, without passwords and without the options that only
    /// keep it quiet.
    pub(super) fn command_line(&self) -> String {
        let mut words = String::from("git");
        for arg in self.child.argv().iter().skip(self.hidden_args) {
            let arg = arg.to_string_lossy();
            if !QUIET_OPTIONS.contains(&arg.as_ref()) {
                words.push(' ');
                words.push_str(&arg);
            }
        }
        words = redact_urls(&words);
        if words.len() > 300 {
            let end = words.floor_char_boundary(300);
            words.truncate(end);
            words.push('…');
        }
        words
    }
}

impl Git {
    /// Creates a temporary folder in the repository's own folder.
    pub(super) fn create_scratch(&self, prefix: &str) -> Result<ScratchFolder, GitError> {
        let common = self.common_dir()?;
        ScratchFolder::create(&common, prefix).map_err(|error| Self::file_error(&common, error))
    }

    /// Builds the error for a failed git command.
    pub(super) fn failure(&self, command: &str, finished: &ChildOutput) -> GitError {
        let error_text = finished.error_text();
        if error_text.contains("not a git repository") {
            let path = self.folder.clone();
            return GitError::NotARepository { path };
        }
        GitError::Failed {
            command: command.to_owned(),
            folder: self.folder.clone(),
            code: finished.code(),
            words: if error_text.is_empty() {
                redact_urls(&finished.text())
            } else {
                error_text
            },
        }
    }
}

/// Drops the advice that git adds to every failed contact with a remote, if it gave a reason, too.
pub(super) fn drop_advice(words: &str) -> String {
    let lines = words.lines().filter(|line| !line.trim().is_empty());
    let reason: Vec<&str> = lines
        .filter(|line| !REMOTE_ADVICE.contains(&line.trim()))
        .collect();
    if reason.is_empty() {
        return words.to_owned();
    }
    reason.join("\n")
}

/// Runs a command again as long as it fails because another process wrote the same file at the same
/// time, at most ten times in all.
pub(super) fn retry_races(
    is_race: impl Fn(&str) -> bool,
    run: impl Fn() -> Result<(), GitError>,
) -> Result<(), GitError> {
    for _ in 1..MAX_ATTEMPTS {
        match run() {
            Err(GitError::Failed { words, .. }) if is_race(&words) => {}
            other => return other,
        }
    }
    run()
}

/// Splits a `-z` output into records.
pub(super) fn split_records(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
}

pub(super) fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Returns paths as the input of a command with `-z`.
pub(super) fn join_paths<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Vec<u8> {
    let mut input = Vec::new();
    for path in paths {
        input.extend_from_slice(path.as_ref().as_os_str().as_bytes());
        input.push(0);
    }
    input
}

/// Returns the pathspec that leaves a path out of a command on the whole tree.
pub(super) fn exclude_path(path: &Path) -> OsString {
    let mut pathspec = OsString::from(":(top,exclude,literal)");
    pathspec.push(path);
    pathspec
}

/// Returns the option with which `read-tree` reads a tree into a folder.
pub(super) fn prefix_option(folder: &Path) -> OsString {
    let mut option = OsString::from("--prefix=");
    option.push(folder);
    option.push("/");
    option
}
