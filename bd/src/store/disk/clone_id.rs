//! The id of this clone, under which its history is stored in git.
//!
//! The id is stored with device and inode of the beads folder, so that a copy of the folder (`cp
//! -r`) is recognized and gets its own id. No file of history ever has two writers.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::store::StoreError;
use kit::sys::{RandomSource, file};

/// The length of an id. Two clones draw the same one with a probability of one in four billion
/// billion.
const ID_LENGTH: usize = 12;

#[derive(Debug, Serialize, Deserialize)]
struct StoredCloneId {
    id: String,
    device: u64,
    inode: u64,
}

/// Returns the id of the clone with this beads folder, if it has one.
pub(crate) fn find_clone_id(dir: &Path) -> Option<String> {
    let (device, inode) = device_and_inode(dir).ok()?;
    let kept = read_stored_id(dir)?;
    (kept.device == device && kept.inode == inode).then_some(kept.id)
}

/// Reads the stored id, unless it contains a path that leads elsewhere.
fn read_stored_id(dir: &Path) -> Option<StoredCloneId> {
    let text = file::read_regular_file(&dir.join("clone-id")).ok()??;
    let kept: StoredCloneId = serde_json::from_slice(&text).ok()?;
    let id = kept.id.as_bytes();
    let is_plain = !id.is_empty() && id.iter().all(u8::is_ascii_alphanumeric);
    is_plain.then_some(kept)
}

/// Returns the id of the clone with this beads folder. Creates one if there is none, or if the
/// stored one belongs to another folder.
pub(crate) fn ensure_clone_id(dir: &Path, random: &RandomSource) -> Result<String, StoreError> {
    if let Some(id) = find_clone_id(dir) {
        return Ok(id);
    }
    let path = dir.join("clone-id");
    let failed = |source| StoreError::io("write", &path, source);
    let (device, inode) = device_and_inode(dir).map_err(failed)?;
    let kept = StoredCloneId {
        id: random.base36(ID_LENGTH),
        device,
        inode,
    };
    let mut text = serde_json::to_vec(&kept).map_err(|error| failed(error.into()))?;
    text.push(b'\n');
    file::replace_file(&path, &text, file::SHARED).map_err(failed)?;
    Ok(kept.id)
}

fn device_and_inode(dir: &Path) -> std::io::Result<(u64, u64)> {
    fs::metadata(dir).map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_folder_gets_a_new_clone_id_and_the_original_keeps_its() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let random = RandomSource::choose(Some("1"));
        assert_eq!(find_clone_id(&one), None);
        let first = ensure_clone_id(&one, &random).unwrap();
        assert_eq!(ensure_clone_id(&one, &random).unwrap(), first);
        fs::copy(one.join("clone-id"), other.join("clone-id")).unwrap();
        assert_eq!(find_clone_id(&other), None);
        let second = ensure_clone_id(&other, &random).unwrap();
        assert_ne!(first, second);
        fs::rename(&one, folder.path().join("moved")).unwrap();
        assert_eq!(find_clone_id(&folder.path().join("moved")), Some(first));
    }

    #[test]
    fn a_clone_id_that_is_a_path_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let (device, inode) = device_and_inode(folder.path()).unwrap();
        let id = "../x".to_owned();
        let kept = StoredCloneId { id, device, inode };
        let text = serde_json::to_vec(&kept).unwrap();
        fs::write(folder.path().join("clone-id"), text).unwrap();
        assert_eq!(find_clone_id(folder.path()), None);
    }
}
