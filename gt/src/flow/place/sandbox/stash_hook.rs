//! Refuses stashes in the linked worktrees of a rig with a hook of its shared repository: those of
//! dogs, and sandboxes that an older version made. A sandbox with a repository of its own has its own
//! list.
//!
//! The hook does not run if the repository has a `core.hooksPath` of its own. There, the stashes of
//! a worker are saved to rescue refs before its sandbox is reused.

use std::io;

use kit::sys::file;

use crate::town::RigLayout;
use crate::town::sandbox_git::OWN_HOOK_MARK;

const HOOK_SCRIPT: &str = include_str!("../../../../templates/hook/reference-transaction.sh");
/// The second line of the hook, by which an older version of it is recognized.
const HOOK_MARK: &str = OWN_HOOK_MARK;

/// Writes the hook. A hook of the same name that someone else wrote stays.
pub(super) fn install_stash_hook(rig: &RigLayout) -> io::Result<()> {
    let path = rig.repo().join("hooks/reference-transaction");
    let there = file::read_file_if_exists(&path)?;
    if let Some(there) = &there {
        let text = String::from_utf8_lossy(there);
        if text == HOOK_SCRIPT || !text.contains(HOOK_MARK) {
            return Ok(());
        }
    }
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o755)?;
    }
    file::replace_file_relaxed(&path, HOOK_SCRIPT.as_bytes(), 0o755)
}
