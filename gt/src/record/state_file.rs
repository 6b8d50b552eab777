//! Reads and writes small JSON files with state that no bead has. Each holds one value and is
//! replaced as a whole.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use kit::sys::file;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::town::TownLayout;
use crate::town::lock::Lock;

/// The time that a change waits for another one.
const CHANGE_WAIT: Duration = Duration::from_secs(10);

/// Reads a file. None if it does not exist.
pub(crate) fn read_state<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    let bytes = file::read_file_if_exists(path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    bytes
        .map(|bytes| {
            serde_json::from_slice(&bytes).with_context(|| {
                let path = path.display();
                format!("{path} is damaged: correct it or remove it")
            })
        })
        .transpose()
}

/// Reads a file. One that does not exist holds the default value.
pub(crate) fn read_state_or_default<T: DeserializeOwned + Default>(
    path: &Path,
) -> anyhow::Result<T> {
    Ok(read_state(path)?.unwrap_or_default())
}

/// Reads a file whose loss does no harm. A missing or damaged one holds the default value.
pub(crate) fn read_expendable_state<T: DeserializeOwned + Default>(path: &Path) -> T {
    read_state_or_default(path).unwrap_or_else(|_| T::default())
}
/// Writes a file, indented, readable only by its owner.
pub(crate) fn write_state(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    path.parent()
        .map_or(Ok(()), |folder| file::create_folder(folder, 0o700))
        .and_then(|()| file::replace_file_relaxed(path, &text, 0o600))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Changes the value of a file under its lock. A missing file starts with the default.
pub(crate) fn change_state<T: DeserializeOwned + Serialize + Default, R>(
    layout: &TownLayout,
    path: &Path,
    change: impl FnOnce(&mut T) -> R,
) -> anyhow::Result<R> {
    let _lock = Lock::take(&layout.state_lock(path), CHANGE_WAIT)?;
    let mut value: T = read_state_or_default(path)?;
    let result = change(&mut value);
    write_state(path, &value)?;
    Ok(result)
}
