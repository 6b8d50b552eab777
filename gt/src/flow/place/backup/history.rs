//! Lists the backups of a place, and chooses one of them.

use anyhow::Context as _;
use bd::git::Git;
use jiff::Timestamp;
use kit::sys::Env;
use serde::Serialize;

use super::SUBJECT_PREFIX;
use super::place::{self, BRANCH, BackupPlace, Workshop};

/// A backup in the list of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackupEntry {
    pub commit: String,
    /// The time at which the backup was complete.
    pub written_at: Timestamp,
}

/// The backup that a user wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupChoice {
    Last,
    /// The last one that was complete at this time.
    At(Timestamp),
    /// The start of a commit's id.
    Commit(String),
}

/// Returns the backups of `source`, a folder or a URL, newest first.
pub fn list_backups(env: &Env, source: &str) -> anyhow::Result<Vec<BackupEntry>> {
    let place = BackupPlace::parse(source, env);
    if let Some(folder) = &place.folder {
        anyhow::ensure!(folder.is_dir(), "{} is not there", folder.display());
        let describe_missing = || format!("{} holds no backup of a town", place.describe());
        let is_repository = folder.join("objects").is_dir() && folder.join("HEAD").is_file();
        anyhow::ensure!(is_repository, describe_missing());
        let tip = Git::at(folder).resolve(&format!("refs/heads/{BRANCH}"))?;
        return read_backups(&Git::at(folder), &tip.with_context(describe_missing)?);
    }
    let folder = tempfile::Builder::new().prefix("backup-list-").tempdir()?;
    let workshop = Workshop::open(folder.path(), &[])?;
    let tip = workshop.fetch(&place)?;
    read_backups(&workshop.git, &tip)
}

/// Returns the backups up to `tip`, newest first. Each has the one before it as its first parent.
/// The first parent of the oldest one holds saved work.
fn read_backups(git: &Git, tip: &str) -> anyhow::Result<Vec<BackupEntry>> {
    let log = ["log", "--first-parent", "--no-show-signature"];
    let log = git.plumbing(log).args(["--format=%H %cI %ae %s", tip]);
    let lines = log.text()?;
    let author = place::backup_identity().email;
    Ok(lines
        .lines()
        .map_while(|line| {
            let mut words = line.splitn(4, ' ');
            let commit = words.next()?;
            let time = words.next()?;
            let is_backup = words.next()? == author && words.next()?.starts_with(SUBJECT_PREFIX);
            is_backup.then(|| {
                Some(BackupEntry {
                    commit: commit.to_owned(),
                    written_at: time.parse().ok()?,
                })
            })?
        })
        .collect())
}

/// Finds the chosen backup among those up to `tip`.
pub(crate) fn choose_backup(
    git: &Git,
    tip: String,
    choice: &BackupChoice,
) -> anyhow::Result<String> {
    if *choice == BackupChoice::Last {
        return Ok(tip);
    }
    let backups = read_backups(git, &tip)?;
    let chosen = find_choice(&backups, choice)?;
    Ok(chosen.commit.clone())
}

fn find_choice<'b>(
    backups: &'b [BackupEntry],
    choice: &BackupChoice,
) -> anyhow::Result<&'b BackupEntry> {
    let describe_oldest = || match backups.last() {
        Some(oldest) => format!("the first backup was written at {}", oldest.written_at),
        None => "the list of backups is empty".to_owned(),
    };
    match choice {
        BackupChoice::Last => backups.first().with_context(describe_oldest),
        BackupChoice::At(time) => backups
            .iter()
            .find(|backup| backup.written_at <= *time)
            .with_context(|| {
                format!(
                    "there is no backup of {time} or before: {}",
                    describe_oldest()
                )
            }),
        BackupChoice::Commit(start) => {
            let found: Vec<&BackupEntry> = backups
                .iter()
                .filter(|backup| backup.commit.starts_with(start.as_str()))
                .collect();
            anyhow::ensure!(
                found.len() < 2,
                "several backups begin with {start}: give more of the commit"
            );
            found
                .first()
                .copied()
                .with_context(|| format!("no backup is the commit {start}: {}", describe_oldest()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_chooses_the_last_backup_before_it_and_a_commit_its_own() {
        let backup = |commit: &str, time: &str| BackupEntry {
            commit: commit.to_owned(),
            written_at: time.parse().unwrap(),
        };
        let backups = [
            backup("cc01", "2026-03-03T10:00:00Z"),
            backup("bb02", "2026-03-02T10:00:00Z"),
            backup("bb01", "2026-03-01T10:00:00Z"),
        ];
        let find = |choice| find_choice(&backups, &choice).map(|found| found.commit.as_str());
        let at = |time: &str| BackupChoice::At(time.parse().unwrap());
        assert_eq!(find(BackupChoice::Last).unwrap(), "cc01");
        assert_eq!(find(at("2026-03-03T09:59:59Z")).unwrap(), "bb02");
        assert_eq!(find(at("2026-03-02T10:00:00Z")).unwrap(), "bb02");
        assert_eq!(
            find(BackupChoice::Commit("bb01".to_owned())).unwrap(),
            "bb01"
        );
        let early = find(at("2026-02-01T00:00:00Z")).unwrap_err().to_string();
        assert!(
            early.contains("the first backup was written at 2026-03-01"),
            "{early}"
        );
        let many = find(BackupChoice::Commit("bb".to_owned())).unwrap_err();
        assert!(many.to_string().contains("several backups"), "{many}");
        find(BackupChoice::Commit("dd".to_owned())).unwrap_err();
    }
}
