//! Reads and writes `mayor/rigs.json`, the rigs of the town. Unknown keys survive every change.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use kit::json::strip_byte_order_mark;
use kit::sys::file;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RigRegistry {
    #[serde(default = "first_version")]
    version: u32,
    #[serde(default)]
    pub rigs: BTreeMap<String, RigEntry>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RigEntry {
    /// The URL of the repository. Empty for a rig without a remote.
    #[serde(default)]
    pub git_url: String,
    /// A local repository that speeds up cloning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_repo: Option<String>,
    /// The time at which the rig was added, RFC 3339.
    #[serde(default)]
    pub added_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beads: Option<RigBeads>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The registry's entry for the beads of a rig.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RigBeads {
    /// The repository with the beads, if it is not the rig's own.
    #[serde(default)]
    pub repo: String,
    #[serde(default)]
    pub prefix: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("cannot use {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The file is not valid.
    #[error("{} is damaged", path.display())]
    Damaged {
        path: PathBuf,
        source: serde_json::Error,
    },
}

impl RigEntry {
    /// Creates an entry for a new rig.
    pub fn new(git_url: &str, prefix: &str, added_at: &str) -> Self {
        let beads = RigBeads {
            prefix: prefix.to_owned(),
            ..RigBeads::default()
        };
        Self {
            git_url: git_url.to_owned(),
            added_at: added_at.to_owned(),
            beads: Some(beads),
            ..Self::default()
        }
    }
}

impl RigRegistry {
    /// Reads the registry. A missing file is an empty one.
    pub fn load(path: &Path) -> Result<Self, RegistryError> {
        match file::read_file_if_exists(path).map_err(|source| RegistryError::Io {
            path: path.to_owned(),
            source,
        })? {
            None => Ok(Self {
                version: first_version(),
                ..Self::default()
            }),
            Some(bytes) => {
                serde_json::from_slice(strip_byte_order_mark(&bytes)).map_err(|source| {
                    RegistryError::Damaged {
                        path: path.to_owned(),
                        source,
                    }
                })
            }
        }
    }

    /// Writes the registry, readable only by its owner, because its URLs may contain passwords.
    pub fn save(&self, path: &Path) -> Result<(), RegistryError> {
        let mut text =
            serde_json::to_string_pretty(self).map_err(|source| RegistryError::Damaged {
                path: path.to_owned(),
                source,
            })?;
        text.push('\n');
        let build_error = |source| RegistryError::Io {
            path: path.to_owned(),
            source,
        };
        // An existing file that others can read would keep its mode.
        match fs::set_permissions(path, fs::Permissions::from_mode(0o600)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other.map_err(build_error)?,
        }
        file::replace_file(path, text.as_bytes(), 0o600).map_err(build_error)
    }
}

fn first_version() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_survive_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rigs.json");
        let old =
            r#"{"version":1,"rigs":{"a":{"git_url":"u","added_at":"t","push_url":"p"}},"x":[1]}"#;
        std::fs::write(&path, old).unwrap();
        let mut registry = RigRegistry::load(&path).unwrap();
        registry
            .rigs
            .insert("b".into(), RigEntry::new("v", "bb", "t"));
        registry.save(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("\"push_url\": \"p\"") && text.contains("\"x\": ["),
            "{text}"
        );
    }

    #[test]
    fn a_damaged_registry_is_reported_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rigs.json");
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(
            RigRegistry::load(&path),
            Err(RegistryError::Damaged { .. })
        ));
    }
}
