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
    let text = read_attributes(dir)?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let keeps_bytes = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        words.any(|word| word == "-text" || word == "binary")
    };
    Ok(text.contains("merge=beads") && !lines.any(keeps_bytes))
}

/// Adds the line that keeps the line ends of beads to the attributes of a beads folder.
pub fn keep_line_ends(dir: &Path) -> Result<(), StoreError> {
    let mut text = read_attributes(dir)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let (_, rule) = ATTRIBUTES.split_once("# Beads keep").unwrap_or_default();
    text.push_str(&format!("# Beads keep{rule}"));
    let path = dir.join(".gitattributes");
    file::replace_file(&path, text.as_bytes(), file::SHARED)
        .map_err(|error| StoreError::io("write", &path, error))
}

fn read_attributes(dir: &Path) -> Result<String, StoreError> {
    let path = dir.join(".gitattributes");
    let bytes = file::read_file_if_exists(&path)
        .map_err(|error| StoreError::io("read", &path, error))?
        .unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
