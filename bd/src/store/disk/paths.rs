//! The names of the files in a beads folder.

use super::error::StoreError;
use kit::sys::file;
use std::fs;
use std::path::{Path, PathBuf};

/// The names of JSONL files that never hold the issues.
const NOT_ISSUES: &[&str] = &[
    "deletions.jsonl",
    "interactions.jsonl",
    "routes.jsonl",
    "molecules.jsonl",
    "journal.jsonl",
    "wisps.jsonl",
    "events.local.jsonl",
    "rollback.jsonl",
    "sync_base.jsonl",
    "beads.base.jsonl",
    "beads.left.jsonl",
    "beads.right.jsonl",
];

/// The paths inside one beads folder.
#[derive(Debug, Clone)]
pub struct StorePaths {
    dir: PathBuf,
    issues: PathBuf,
}

impl StorePaths {
    /// Determines the file that holds the issues: the file that `metadata.json` names,
    /// `issues.jsonl`, `beads.jsonl`, or the first other JSONL file. If there is none,
    /// `issues.jsonl` will be created.
    pub fn for_folder(dir: &Path) -> Self {
        let named = named_in_metadata(dir).map(|name| dir.join(name));
        let usual = ["issues.jsonl", "beads.jsonl"].map(|name| dir.join(name));
        let issues = named
            .into_iter()
            .chain(usual)
            .find(|path| path.is_file())
            .or_else(|| other_jsonl(dir))
            .unwrap_or_else(|| dir.join("issues.jsonl"));
        Self {
            dir: dir.to_owned(),
            issues,
        }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Refuses a folder whose beads are in a database server and in no file, because it would look
    /// like an empty project.
    pub fn check_backend(&self) -> Result<(), StoreError> {
        if self.issues.is_file() {
            return Ok(());
        }
        match find_sql_backend(&self.dir) {
            None => Ok(()),
            Some(backend) => Err(StoreError::SqlBackend {
                dir: self.dir.clone(),
                backend,
            }),
        }
    }

    /// The durable beads.
    pub fn issues(&self) -> &Path {
        &self.issues
    }

    pub fn wisps(&self) -> PathBuf {
        self.dir.join("wisps.jsonl")
    }

    /// The acknowledged changes that are not folded yet.
    pub fn journal(&self) -> PathBuf {
        self.dir.join("journal.jsonl")
    }

    pub fn index(&self) -> PathBuf {
        self.dir.join("index.bin")
    }

    /// The history that is in no commit yet.
    pub fn local_events(&self) -> PathBuf {
        self.dir.join("events.local.jsonl")
    }

    /// The folder of history in git.
    pub fn events(&self) -> PathBuf {
        self.dir.join("events")
    }

    /// The folder of old closed beads.
    pub fn archive(&self) -> PathBuf {
        self.dir.join("archive")
    }

    /// The state of the sync branch at the last exchange.
    pub fn base(&self) -> PathBuf {
        self.dir.join("sync-base")
    }

    /// The issues as this clone last wrote or accepted them.
    pub fn kept(&self) -> PathBuf {
        self.dir.join("issues.kept")
    }

    /// The issues as they last came from outside.
    pub fn found(&self) -> PathBuf {
        self.dir.join("issues.found")
    }

    /// The rolled-back lines that wait for a decision.
    pub fn rollback(&self) -> PathBuf {
        self.dir.join("rollback.jsonl")
    }

    /// The file that writers lock.
    pub fn lock(&self) -> PathBuf {
        self.dir.join(".lock")
    }

    /// The folder that preserves damaged lines.
    pub fn damaged(&self) -> PathBuf {
        self.dir.join("damaged")
    }

    /// The mark for clients that look for a database.
    pub fn mark(&self) -> PathBuf {
        self.dir.join("beads.db")
    }
}

/// Returns the database server that `metadata.json` names as the home of the beads. A database in a
/// file, the default, is `None`: its beads are exported to `issues.jsonl`.
pub fn find_sql_backend(dir: &Path) -> Option<String> {
    let bytes = file::read_regular_file(&dir.join("metadata.json")).ok()??;
    let metadata: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    let backend = metadata["backend"].as_str()?;
    (!matches!(backend, "" | "sqlite" | "jsonl")).then(|| backend.to_owned())
}

fn named_in_metadata(dir: &Path) -> Option<String> {
    let bytes = ["metadata.json", "config.json"]
        .iter()
        .find_map(|name| file::read_regular_file(&dir.join(name)).ok()?)?;
    let metadata: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    let name = metadata["jsonl_export"].as_str()?;
    let plain = Path::new(name)
        .extension()
        .is_some_and(|kind| kind == "jsonl")
        && !name.contains('/');
    (plain && !NOT_ISSUES.contains(&name)).then(|| name.to_owned())
}

fn other_jsonl(dir: &Path) -> Option<PathBuf> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|kind| kind == "jsonl")
        })
        .filter(|name| !NOT_ISSUES.contains(&name.as_str()) && !name.starts_with("events"))
        .collect();
    names.sort();
    names.first().map(|name| dir.join(name))
}

/// Returns true if a folder holds a beads project: metadata, settings, a database mark or any JSONL
/// file.
pub fn is_project(dir: &Path) -> bool {
    // Nearly every project has one of these, and checking for one is cheaper than listing the
    // folder.
    let usual = ["metadata.json", "config.yaml", "issues.jsonl"];
    if usual
        .iter()
        .any(|name| fs::symlink_metadata(dir.join(name)).is_ok())
    {
        return true;
    }
    let Ok(entries) = fs::read_dir(dir) else {
        return false;
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .any(|name| {
            let kind = Path::new(&name).extension().and_then(|kind| kind.to_str());
            let database = kind == Some("db") && name != "vc.db" && !name.contains("backup");
            kind == Some("jsonl") || database
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_database_server_is_an_sql_backend() {
        let folder = tempfile::tempdir().unwrap();
        let find = |text: &str| {
            fs::write(folder.path().join("metadata.json"), text).unwrap();
            find_sql_backend(folder.path())
        };
        assert_eq!(find(r#"{"database":"beads.db"}"#), None);
        assert_eq!(find(r#"{"backend":"sqlite"}"#), None);
        assert_eq!(find("{"), None);
        assert_eq!(
            find(r#"{"backend":"dolt","dolt_mode":"server"}"#),
            Some("dolt".to_owned())
        );
    }

    #[test]
    fn the_issues_file_is_found_by_metadata_then_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let name = || {
            StorePaths::for_folder(dir)
                .issues()
                .file_name()
                .unwrap()
                .to_owned()
        };
        fs::write(dir.join("routes.jsonl"), "").unwrap();
        fs::write(dir.join("beads.left.jsonl"), "").unwrap();
        fs::write(dir.join("deletions.jsonl"), "").unwrap();
        assert_eq!(name(), "issues.jsonl");
        fs::write(dir.join("other.jsonl"), "").unwrap();
        assert_eq!(name(), "other.jsonl");
        fs::write(dir.join("beads.jsonl"), "").unwrap();
        assert_eq!(name(), "beads.jsonl");
        fs::write(dir.join("issues.jsonl"), "").unwrap();
        assert_eq!(name(), "issues.jsonl");
        fs::write(
            dir.join("metadata.json"),
            r#"{"jsonl_export":"other.jsonl"}"#,
        )
        .unwrap();
        assert_eq!(name(), "other.jsonl");
    }

    #[test]
    fn a_folder_with_only_a_registry_is_not_a_project() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("registry.json"), "{}").unwrap();
        assert!(!is_project(folder.path()));
        fs::write(folder.path().join("beads.backup.db"), "").unwrap();
        assert!(!is_project(folder.path()));
        fs::write(folder.path().join("beads.db"), "").unwrap();
        assert!(is_project(folder.path()));
        for name in ["metadata.json", "config.yaml", "old.jsonl"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(name), "").unwrap();
            assert!(is_project(folder.path()), "{name}");
        }
    }
}
