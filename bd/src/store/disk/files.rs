//! Reads and writes whole files of a store, with errors that name the files.

use std::path::Path;

use crate::store::StoreError;
use kit::sys::file;

/// Returns the content of a file; `None` if it does not exist.
pub(crate) fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    file::read_regular_file(path).map_err(|error| StoreError::io("read", path, error))
}

/// Returns the content of a file; empty if it does not exist.
pub(crate) fn read_or_empty(path: &Path) -> Result<Vec<u8>, StoreError> {
    Ok(read_if_exists(path)?.unwrap_or_default())
}

/// Replaces the content of a file.
pub(crate) fn replace_store_file(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    file::replace_file(path, content, file::SHARED)
        .map_err(|error| StoreError::io("write", path, error))
}

/// Removes a file, if it exists.
pub(crate) fn remove_store_file(path: &Path) -> Result<(), StoreError> {
    file::remove_file(path).map_err(|error| StoreError::io("remove", path, error))
}

/// Creates a folder, if it does not exist.
pub(crate) fn create_store_folder(path: &Path) -> Result<(), StoreError> {
    file::create_folder(path, 0o777).map_err(|error| StoreError::io("create", path, error))
}
