//! The repository that holds the backups of a town, and the local one in which they are put
//! together.
//!
//! A backup is a commit on one branch. Pushing it is atomic, and sends only what the earlier
//! backups do not have.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use bd::git::{Git, Identity, PushLease, redact_urls};
use kit::sys::{Env, file};

use super::manifest::{Manifest, VERSION};

/// The branch with the backups.
pub(crate) const BRANCH: &str = "gastown-backup";

/// The time limit of one transfer.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(6 * 3600);

/// The most parents of one commit that keeps tips reachable.
const MAX_PARENTS: usize = 200;

/// The repository that holds the backups.
#[derive(Debug)]
pub(crate) struct BackupPlace {
    url: String,
    /// The folder, if it is on this machine.
    pub(crate) folder: Option<PathBuf>,
}

/// Resolves the links and `..` of a path, as far as its folders exist.
fn resolve_links(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        let Ok(real) = folder.canonicalize() else {
            continue;
        };
        let Ok(rest) = path.strip_prefix(folder) else {
            continue;
        };
        if rest.components().any(|part| part == Component::ParentDir) {
            break;
        }
        // An empty rest would add a slash.
        return if rest.as_os_str().is_empty() {
            real
        } else {
            real.join(rest)
        };
    }
    path.to_owned()
}

impl BackupPlace {
    /// Reads what a user wrote: a URL, or a path.
    pub(crate) fn parse(text: &str, env: &Env) -> Self {
        // Git decodes nothing in the path of such a URL.
        let local = text
            .strip_prefix("file://")
            .filter(|path| path.starts_with('/'));
        let path = resolve_links(&env.make_absolute(local.unwrap_or(text)));
        let is_url =
            local.is_none() && (text.contains("://") || !path.exists() && text.contains(':'));
        let folder = (!is_url).then_some(path);
        let url = match &folder {
            Some(folder) => folder.to_string_lossy().into_owned(),
            None => text.to_owned(),
        };
        Self { url, folder }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the URL without a password.
    pub(crate) fn describe(&self) -> String {
        redact_urls(&self.url)
    }

    /// Creates the repository in a new or empty folder, readable by its owner alone.
    pub(crate) fn create_if_missing(&self) -> anyhow::Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        if is_empty(folder) {
            file::create_folder(folder, 0o700)?;
            let init = ["init", "--quiet", "--bare", "--shared=0600"];
            Git::at(folder)
                .plumbing(init)
                .args(["--initial-branch", BRANCH])
                .run()?;
            return Ok(Git::at(folder).config_set("receive.shallowUpdate", "true")?);
        }
        anyhow::ensure!(
            Git::at(folder).is_bare().unwrap_or(false) && folder.join("objects").is_dir(),
            "{} is neither empty nor a bare repository: choose another folder",
            folder.display()
        );
        Ok(())
    }
}

impl BackupPlace {
    /// Refuses a repository that has refs and no backup: the readers of a project would get the
    /// settings and the mail of the town.
    pub(crate) fn check_refs(&self, git: &Git) -> anyhow::Result<()> {
        let refs = git.ls_remote_all(self.url(), "*")?;
        if refs.contains_key(&format!("refs/heads/{BRANCH}")) {
            return Ok(());
        }
        if let Some(other) = refs.keys().find(|name| *name != "HEAD") {
            anyhow::bail!(
                "{} holds something else, such as {other}: everyone who can read it could read the settings \
                 and the mail of the town; choose an empty repository",
                self.describe()
            );
        }
        Ok(())
    }
}

/// Returns true for a folder without entries, or one that does not exist.
pub(crate) fn is_empty(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// The local repository in which a backup is put together.
#[derive(Debug)]
pub(crate) struct Workshop {
    pub(crate) git: Git,
}

impl Workshop {
    /// Opens the repository, and creates it if necessary. Its objects may be those of `lenders`.
    pub(crate) fn open(folder: &Path, lenders: &[PathBuf]) -> anyhow::Result<Self> {
        let git = Git::at(folder).with_network(TRANSFER_TIMEOUT);
        let shallow: String = lenders
            .iter()
            .filter_map(|lender| fs::read_to_string(lender.join("shallow")).ok())
            .collect();
        let own_shallow = folder.join("shallow");
        if shallow.is_empty() && own_shallow.exists() {
            // All history is there now. The last backup is fetched again.
            fs::remove_dir_all(folder)?;
        }
        if !folder.join("HEAD").is_file() {
            file::create_folder(folder, 0o700)?;
            git.init(BRANCH, true)?;
        }
        let mut objects = String::new();
        for lender in lenders {
            objects.push_str(&format!("{}\n", lender.join("objects").display()));
        }
        let alternates = folder.join("objects/info/alternates");
        file::replace_file(&alternates, objects.as_bytes(), 0o600)?;
        if !shallow.is_empty() {
            file::replace_file(&own_shallow, shallow.as_bytes(), 0o600)?;
        }
        Ok(Self { git })
    }

    /// Returns the last backup of a place, after fetching it if it is not here.
    pub(crate) fn find_last(&self, place: &BackupPlace) -> anyhow::Result<Option<String>> {
        let Some(tip) = self.git.ls_remote(place.url(), BRANCH)? else {
            return Ok(None);
        };
        if self.git.resolve(&tip)?.is_none() {
            self.fetch(place)?;
        }
        Ok(Some(tip))
    }

    /// Fetches the last backup of a place, and returns it.
    pub(crate) fn fetch(&self, place: &BackupPlace) -> anyhow::Result<String> {
        let name = format!("refs/heads/{BRANCH}");
        let fetched = self.git.fetch_ref(place.url(), &name, &name);
        fetched.with_context(|| format!("{} holds no backup of a town", place.describe()))?;
        self.git.resolve(&name)?.context("the backup is missing")
    }

    pub(crate) fn read_manifest(&self, backup: &str) -> anyhow::Result<Manifest> {
        let bytes = self.read_file(backup, "manifest.json")?;
        let value: serde_json::Value = serde_json::from_slice(&bytes)?;
        let version = value["version"].as_u64().unwrap_or(0);
        anyhow::ensure!(
            version <= u64::from(VERSION),
            "the backup has version {version}; this gt knows up to {VERSION}: use a newer gt"
        );
        Ok(serde_json::from_value(value)?)
    }

    pub(crate) fn read_file(&self, backup: &str, path: &str) -> anyhow::Result<Vec<u8>> {
        let found = self.git.file_at(backup, path)?;
        found.with_context(|| format!("the backup {backup:.12} has no {path}"))
    }

    /// Writes commits from which all of the tips are reachable.
    pub(crate) fn join_tips(&self, tips: &[&str]) -> anyhow::Result<Vec<String>> {
        let empty = self.git.plumbing(["mktree"]).text()?;
        let author = backup_identity();
        let groups = tips.chunks(MAX_PARENTS);
        Ok(groups
            .map(|group| self.git.commit_tree(&empty, group, "Saved work", &author))
            .collect::<Result<_, _>>()?)
    }

    /// Pushes a backup that follows `last`.
    pub(crate) fn push(
        &self,
        place: &BackupPlace,
        backup: &str,
        last: Option<&str>,
    ) -> anyhow::Result<()> {
        let lease = last.map_or(PushLease::Absent, PushLease::At);
        let pushed = self.git.push(place.url(), backup, BRANCH, lease, false);
        pushed.with_context(|| format!("the backup did not get to {}", place.describe()))?;
        let branch = format!("refs/heads/{BRANCH}");
        self.git.plumbing(["update-ref", &branch, backup]).run()?;
        // Packing only saves space. It fails for ever if commits that a rig lent are gone. Then the
        // next backup fetches the last one into a new repository.
        let gc = ["-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"];
        let packed = self.git.plumbing(gc).limit(TRANSFER_TIMEOUT).run();
        if packed.is_err() {
            fs::remove_dir_all(self.git.folder()).ok();
        }
        Ok(())
    }
}

/// Returns the author of the backups' commits.
pub(super) fn backup_identity() -> Identity {
    Identity {
        name: "Gas Town".to_owned(),
        email: "town@gastown.local".to_owned(),
    }
}
