//! The files whose content decides if a setup runs again.

use std::path::Path;

use kit::sys::{ConfinedFolder, InsideError};

use crate::record::desk::hash_parts;

/// The lock files that count if the settings name none, at the top of the tree.
const USUAL_FILES: [&str; 17] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "bun.lockb",
    "composer.lock",
    "flake.lock",
    "go.sum",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pdm.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "requirements.txt",
    "uv.lock",
    "yarn.lock",
];

/// The maximum size of a lock file.
const MAX_SIZE: u64 = 64 << 20;

/// Returns true if a name can be a lock file of a work tree: a relative path that stays in it.
pub fn is_lock_file_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}

/// Returns the hash of the lock files of a work tree, also of those that are missing. No link of
/// the tree is followed.
pub fn hash_lock_files(tree: &Path, names: &[String]) -> Result<String, InsideError> {
    let names: Vec<&str> = if names.is_empty() {
        USUAL_FILES.to_vec()
    } else {
        names.iter().map(String::as_str).collect()
    };
    let inside = ConfinedFolder::open(tree)?;
    let mut parts = Vec::new();
    for name in names {
        let (kind, content) = match inside.read(name, MAX_SIZE) {
            Ok(Some(content)) => ("file", content),
            Ok(None) => ("missing", Vec::new()),
            // The setup decides if it can use what is there.
            Err(error) => ("unusable", error.to_string().into_bytes()),
        };
        parts.extend([name.as_bytes().to_vec(), kind.as_bytes().to_vec(), content]);
    }
    Ok(hash_parts(parts))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_hash_follows_the_content_of_the_lock_files_only() {
        let tree = tempfile::tempdir().unwrap();
        let at = |name: &str| tree.path().join(name);
        let usual = || hash_lock_files(tree.path(), &[]).unwrap();
        let mut seen = vec![usual()];
        fs::write(at("main.rs"), "text").unwrap();
        assert_eq!(usual(), seen[0]);
        fs::write(at("Cargo.lock"), "one").unwrap();
        seen.push(usual());
        fs::rename(at("Cargo.lock"), at("yarn.lock")).unwrap();
        seen.push(usual());
        fs::remove_file(at("yarn.lock")).unwrap();
        assert_eq!(usual(), seen[0]);
        // A link of a worker leads to no file of the user, and keeps no one waiting.
        symlink("/dev/zero", at("go.sum")).unwrap();
        seen.push(usual());
        fs::create_dir(at("uv.lock")).unwrap();
        seen.push(usual());
        let named = hash_lock_files(tree.path(), &["../secret".to_owned()]).unwrap();
        seen.push(named);
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert!(is_lock_file_name("web/package-lock.json"));
        for name in ["", "/etc/passwd", "../x", "a//b", ".git/config"] {
            assert!(!is_lock_file_name(name), "{name}");
        }
    }
}
