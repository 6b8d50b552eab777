//! Opens and reads pull requests through the command-line program of a forge: `gh` for GitHub,
//! `glab` for GitLab.
//!
//! Arguments are lists, never command lines. Titles and texts are data: they go to the program in
//! an argument of their own or through its standard input. The program finds the project by the
//! remote of the rig's repository, in which it runs, and has its own credentials.

mod github;
mod gitlab;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bd::forge::{ForgeCallError, ForgeProgram};
use kit::sys::Env;
use serde::de::DeserializeOwned;

use crate::town::Rig;
use crate::town::config::{FORGE_KINDS, MergeStrategy, RigSettings};

/// The time limit of one command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ForgeKind {
    GitHub,
    GitLab,
}

/// The program of a rig's forge.
pub(crate) struct Forge {
    kind: ForgeKind,
    program: String,
    /// The host of the rig's remote, if it has one.
    host: Option<String>,
    /// The rig's repository.
    folder: PathBuf,
    env: Env,
    stop: Arc<AtomicBool>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ForgeError {
    /// Neither the settings nor the remote say which forge it is.
    #[error(
        "the forge is unknown: set merge_queue.vcs_provider to {}",
        FORGE_KINDS.join(" or ")
    )]
    UnknownForge,
    #[error("{program} is not installed: install it, or set merge_queue.forge_program")]
    NotInstalled { program: String },
    #[error("{program} does not work: {message}; log in with `{program} auth login`")]
    NotLoggedIn { program: String, message: String },
    /// The program refused what was asked, or could not reach its forge.
    #[error("{program}: {message}")]
    Failed { program: String, message: String },
    #[error("{program} printed something else than the expected JSON: {message}")]
    BadAnswer { program: String, message: String },
}

/// A pull request to open.
pub(crate) struct NewPullRequest<'a> {
    pub branch: &'a str,
    pub target: &'a str,
    pub title: &'a str,
    pub text: &'a str,
}

/// A pull request as the forge has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForgePullRequest {
    pub number: u64,
    pub url: String,
    /// The branch of the project with its commits. None for a branch of a fork.
    pub branch: Option<String>,
    /// The commit at the tip of its branch.
    pub head: String,
    pub target: String,
    pub stage: ForgeStage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ForgeStage {
    Open(OpenPullRequest),
    Merged {
        /// The commits of which the target contains the first that the forge knows.
        commits: Vec<String>,
    },
    Closed,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OpenPullRequest {
    pub is_draft: bool,
    pub has_checks: bool,
    pub checks_running: bool,
    /// The names of the failed checks, with their addresses.
    pub failed_checks: Vec<String>,
    pub review: ForgeReview,
    /// True if it conflicts with its target.
    pub conflicts: bool,
    /// True if the forge merges it only on the current tip of its target.
    pub is_behind: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum ForgeReview {
    /// No one reviewed it, and the forge requires no review.
    #[default]
    None,
    Required,
    Approved,
    ChangesRequested(Vec<ChangeRequest>),
}

/// A review that requests changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangeRequest {
    pub id: String,
    pub author: String,
    /// The text of the review, and its comments on lines.
    pub text: String,
}

impl Forge {
    /// Returns the forge of a rig. Does not check that its program works.
    pub(crate) fn of_rig(rig: &Rig, settings: &RigSettings) -> anyhow::Result<Self> {
        let url = rig.git().remote_url("origin")?;
        let host = url.as_deref().and_then(host_of);
        let queue = &settings.merge_queue;
        let kind = match queue.vcs_provider.as_deref() {
            Some("github") => ForgeKind::GitHub,
            Some("gitlab") => ForgeKind::GitLab,
            Some(_) => return Err(ForgeError::UnknownForge.into()),
            None => host
                .as_deref()
                .and_then(kind_of_host)
                .ok_or(ForgeError::UnknownForge)?,
        };
        let usual = match kind {
            ForgeKind::GitHub => "gh",
            ForgeKind::GitLab => "glab",
        };
        let program = match queue.forge_program.as_deref() {
            None | Some("") => usual,
            Some(program) => program,
        };
        Ok(Self {
            kind,
            program: program.to_owned(),
            host,
            folder: rig.repo(),
            env: rig.town().env.clone(),
            stop: Arc::clone(&rig.town().stop),
        })
    }

    /// Checks that the program runs and that its user is logged in.
    pub(crate) fn check(&self) -> Result<(), ForgeError> {
        let host = self.host.iter().map(|host| format!("--hostname={host}"));
        let args = ["auth".to_owned(), "status".to_owned()].into_iter();
        match self.run(args.chain(host), &[]) {
            Ok(_) => Ok(()),
            Err(ForgeError::Failed { program, message }) => {
                Err(ForgeError::NotLoggedIn { program, message })
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the open pull request of a branch.
    pub(crate) fn find_open(&self, branch: &str) -> Result<Option<ForgePullRequest>, ForgeError> {
        let number = match self.kind {
            ForgeKind::GitHub => github::find_open(self, branch)?,
            ForgeKind::GitLab => gitlab::find_open(self, branch)?,
        };
        number.map(|number| self.view(number)).transpose()
    }

    pub(crate) fn view(&self, number: u64) -> Result<ForgePullRequest, ForgeError> {
        match self.kind {
            ForgeKind::GitHub => github::view(self, number),
            ForgeKind::GitLab => gitlab::view(self, number),
        }
    }

    /// Opens a pull request, and returns its number and address.
    pub(crate) fn open(&self, new: &NewPullRequest) -> Result<(u64, String), ForgeError> {
        match self.kind {
            ForgeKind::GitHub => github::open(self, new),
            ForgeKind::GitLab => gitlab::open(self, new),
        }
    }

    /// Asks the forge to merge a pull request, if its branch is still at `head`.
    pub(crate) fn merge(
        &self,
        number: u64,
        head: &str,
        strategy: MergeStrategy,
    ) -> Result<(), ForgeError> {
        match self.kind {
            ForgeKind::GitHub => github::merge(self, number, head, strategy),
            ForgeKind::GitLab => gitlab::merge(self, number, head, strategy),
        }
    }

    /// Closes a pull request without a merge.
    pub(crate) fn close(&self, number: u64, reason: &str) -> Result<(), ForgeError> {
        match self.kind {
            ForgeKind::GitHub => github::close(self, number, reason),
            ForgeKind::GitLab => gitlab::close(self, number, reason),
        }
    }

    fn as_program(&self) -> ForgeProgram<'_> {
        ForgeProgram {
            name: &self.program,
            folder: &self.folder,
            variables: self
                .env
                .vars()
                .filter(|(name, _)| is_passed_on(name))
                .collect(),
            limit: COMMAND_TIMEOUT,
            stop: Arc::clone(&self.stop),
        }
    }

    /// Runs the program, and returns its output.
    fn run(
        &self,
        args: impl IntoIterator<Item = String>,
        input: &[u8],
    ) -> Result<String, ForgeError> {
        Ok(self.as_program().call(args, input)?)
    }

    /// Runs the program, and parses its output as JSON.
    fn query<T: DeserializeOwned>(
        &self,
        args: impl IntoIterator<Item = String>,
        input: &[u8],
    ) -> Result<T, ForgeError> {
        Ok(self.as_program().query(args, input)?)
    }
}

impl From<ForgeCallError> for ForgeError {
    fn from(error: ForgeCallError) -> Self {
        match error {
            ForgeCallError::NotInstalled { program } => Self::NotInstalled { program },
            ForgeCallError::Failed { program, message } => Self::Failed { program, message },
            ForgeCallError::BadAnswer { program, message } => Self::BadAnswer { program, message },
        }
    }
}

/// Returns false for the variables that locate git or an agent. The others hold the user's
/// credentials.
fn is_passed_on(name: &str) -> bool {
    const OWN_PREFIXES: [&str; 4] = ["GT_", "GIT_", "BD_", "BEADS_"];
    !OWN_PREFIXES.iter().any(|start| name.starts_with(start))
}

/// Returns the host of a remote's URL. None for a path.
fn host_of(url: &str) -> Option<String> {
    let rest = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split('/').next()?,
        // `git@host:path`
        None => {
            url.split_once(':')
                .filter(|(host, _)| !host.contains('/'))?
                .0
        }
    };
    let host = rest.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

fn kind_of_host(host: &str) -> Option<ForgeKind> {
    if host == "github.com" || host.ends_with(".github.com") || host.starts_with("github.") {
        return Some(ForgeKind::GitHub);
    }
    (host == "gitlab.com" || host.starts_with("gitlab.")).then_some(ForgeKind::GitLab)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_forge_is_read_from_the_host_of_the_remote() {
        let kind = |url: &str| host_of(url).as_deref().and_then(kind_of_host);
        assert_eq!(kind("https://github.com/a/b.git"), Some(ForgeKind::GitHub));
        assert_eq!(kind("git@github.com:a/b.git"), Some(ForgeKind::GitHub));
        assert_eq!(
            kind("ssh://git@gitlab.example.org:2222/a/b"),
            Some(ForgeKind::GitLab)
        );
        assert_eq!(
            kind("https://user:secret@gitlab.com/a"),
            Some(ForgeKind::GitLab)
        );
        for other in [
            "/srv/git/github.com/a",
            "file:///github.com/a",
            "https://example.org/a",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}
