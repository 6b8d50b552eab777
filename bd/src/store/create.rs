//! Creates the files of a new beads folder.
//!
//! Existing files stay unchanged: issues, settings and a database of another program are never
//! overwritten.

use std::fs;
use std::path::Path;

use crate::config;
use crate::store::StoreError;
use crate::store::disk::paths::StorePaths;
use crate::store::disk::{entries, mark};
use kit::sys::file;

const GITIGNORE: &str = include_str!("../../templates/gitignore");
const CONFIG_TEMPLATE: &str = include_str!("../../templates/config.yaml");
const README: &str = include_str!("../../templates/beads-readme.md");
const ATTRIBUTES: &str = include_str!("../../templates/gitattributes");
const METADATA_TEMPLATE: &str =
    "{\n  \"database\": \"beads.db\",\n  \"jsonl_export\": \"issues.jsonl\"\n}";

/// Returns true if a folder was initialized: it has metadata or issues.
pub fn is_initialized(dir: &Path) -> bool {
    dir.join("metadata.json").is_file() || StorePaths::for_folder(dir).issues().is_file()
}

/// Creates a new beads folder. Fails if there is one.
pub fn create_store(dir: &Path, prefix: &str) -> Result<(), StoreError> {
    if is_initialized(dir) {
        return Err(StoreError::AlreadyInitialized(dir.to_owned()));
    }
    complete_store(dir, Some(prefix))?;
    write_attributes(dir)
}

/// Writes the attributes that make git merge the folder's beads field by field.
pub fn write_attributes(dir: &Path) -> Result<(), StoreError> {
    add_file(&dir.join(".gitattributes"), ATTRIBUTES, file::SHARED)
}

/// Returns true if the attributes of a beads folder let git change the line ends of beads, as those
/// of older versions do. A folder without attributes of bd has them elsewhere.
pub fn may_change_line_ends(dir: &Path) -> Result<bool, StoreError> {
    let bytes = read_attributes(dir)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.contains("merge=beads") && !text.lines().any(keeps_line_ends))
}

/// Returns true if a line of attributes keeps the line ends of the issues.
fn keeps_line_ends(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let pattern = words.next().unwrap_or_default();
    ["*", "*.jsonl", "issues.jsonl", "/issues.jsonl"].contains(&pattern)
        && words.any(|word| word == "-text" || word == "binary")
}

/// Adds the line that keeps the line ends of beads to the attributes of a beads folder. All that is
/// there stays byte for byte.
pub fn keep_line_ends(dir: &Path) -> Result<(), StoreError> {
    let mut bytes = read_attributes(dir)?;
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    let (_, rule) = ATTRIBUTES.split_once("# Beads keep").unwrap_or_default();
    bytes.extend(format!("# Beads keep{rule}").bytes());
    let path = dir.join(".gitattributes");
    file::replace_file(&path, &bytes, file::SHARED)
        .map_err(|error| StoreError::io("write", &path, error))
}

fn read_attributes(dir: &Path) -> Result<Vec<u8>, StoreError> {
    let path = dir.join(".gitattributes");
    Ok(file::read_file_if_exists(&path)
        .map_err(|error| StoreError::io("read", &path, error))?
        .unwrap_or_default())
}

/// Returns true if the attributes of a beads folder are a link, a folder or another thing that git
/// does not read.
pub fn has_odd_attributes(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join(".gitattributes")).is_ok_and(|found| !found.is_file())
}

/// Adds the missing files of a beads folder, and sets the prefix if one is given.
pub fn complete_store(dir: &Path, prefix: Option<&str>) -> Result<(), StoreError> {
    file::create_folder(dir, 0o770).map_err(|error| StoreError::io("create", dir, error))?;
    entries::check_entries(dir)?;
    let paths = StorePaths::for_folder(dir);
    paths.check_backend()?;
    let has_issues = paths.issues().is_file();
    add_file(&dir.join(".gitignore"), GITIGNORE, file::SHARED)?;
    add_file(&dir.join("config.yaml"), CONFIG_TEMPLATE, file::SHARED)?;
    add_file(&dir.join("README.md"), README, file::SHARED)?;
    add_file(&dir.join("interactions.jsonl"), "", file::SHARED)?;
    if !has_issues {
        add_file(paths.issues(), "", file::SHARED)?;
    }
    if let Some(prefix) = prefix {
        config::set_setting(dir, "issue-prefix", prefix.trim_end_matches('-'))?;
    }
    // Written last, because the metadata makes the folder a project.
    add_file(&dir.join("metadata.json"), METADATA_TEMPLATE, 0o660)?;
    mark::touch_mark(&paths);
    Ok(())
}

/// Adds the missing files of a beads folder whose beads were read from the sync branch.
pub(crate) fn complete_fetched_store(dir: &Path, prefix: Option<&str>) -> Result<(), StoreError> {
    entries::check_entries(dir)?;
    add_file(&dir.join(".gitignore"), GITIGNORE, file::SHARED)?;
    add_file(&dir.join("README.md"), README, file::SHARED)?;
    let path = dir.join("config.yaml");
    if let Some(prefix) = prefix {
        // The writers' lock is already held, and a change of the settings would take it again.
        let text = config::yaml::set_key(
            CONFIG_TEMPLATE,
            "issue-prefix",
            prefix.trim_end_matches('-'),
        );
        add_file(&path, &text, file::SHARED)?;
    }
    add_file(&path, CONFIG_TEMPLATE, file::SHARED)?;
    write_attributes(dir)?;
    add_file(&dir.join("metadata.json"), METADATA_TEMPLATE, 0o660)?;
    mark::touch_mark(&StorePaths::for_folder(dir));
    Ok(())
}

fn add_file(path: &Path, content: &str, mode: u32) -> Result<(), StoreError> {
    if fs::symlink_metadata(path).is_ok() {
        return Ok(());
    }
    let made = file::create_file(path, content.as_bytes(), mode);
    made.map(drop)
        .map_err(|error| StoreError::io("write", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rule_for_the_issues_keeps_their_line_ends() {
        for line in ["*.jsonl -text", "issues.jsonl binary", "* merge=x -text"] {
            assert!(keeps_line_ends(line), "{line}");
        }
        for line in [
            "*.png binary",
            "# *.jsonl -text",
            "*.jsonl text",
            "-text",
            "",
        ] {
            assert!(!keeps_line_ends(line), "{line}");
        }
    }

    #[test]
    fn the_rule_is_added_after_the_bytes_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".gitattributes");
        let theirs = b"issues.jsonl merge=beads\n*.png binary\n# caf\xe9";
        fs::write(&path, theirs).unwrap();
        assert!(may_change_line_ends(folder.path()).unwrap());
        keep_line_ends(folder.path()).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.starts_with(&[theirs, &b"\n"[..]].concat()));
        assert!(!may_change_line_ends(folder.path()).unwrap());
    }
}
