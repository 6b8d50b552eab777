//! The identity of a version of a file: detects changes, and decides if the file's times can be
//! trusted.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use kit::sys::clock;

/// The racy window: the distance from the time of an index within which a change of a file may be
/// missed, in nanoseconds.
pub(crate) const RACY_WINDOW: i64 = 20_000_000;

/// The identity of one version of a file.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
    Serialize,
    Deserialize,
)]
#[serde(default)]
#[repr(C)]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub struct FileKey {
    /// 1 if the file exists.
    pub exists: u64,
    pub device: u64,
    pub inode: u64,
    pub size: u64,
    pub modified_s: i64,
    pub modified_ns: i64,
    pub changed_s: i64,
    pub changed_ns: i64,
    /// The hash of the content, which is not part of the identity.
    pub content: u64,
}

impl FileKey {
    /// Returns the key of the file at a path. A missing file has a key too.
    pub(crate) fn at(path: &Path) -> Self {
        fs::metadata(path).map_or_else(|_| Self::default(), |meta| file_key(&meta))
    }
}

pub(crate) fn file_key(meta: &Metadata) -> FileKey {
    FileKey {
        exists: 1,
        device: meta.dev(),
        inode: meta.ino(),
        size: meta.len(),
        modified_s: meta.mtime(),
        modified_ns: meta.mtime_nsec(),
        changed_s: meta.ctime(),
        changed_ns: meta.ctime_nsec(),
        content: 0,
    }
}

/// The modification time of a file, in nanoseconds since the epoch.
pub(crate) fn modification_time(key: &FileKey) -> i64 {
    let seconds = key.modified_s.saturating_mul(1_000_000_000);
    seconds.saturating_add(key.modified_ns)
}

/// Returns true if two keys have the same content.
pub(crate) fn is_same_content(a: &FileKey, b: &FileKey) -> bool {
    let bare = |key: &FileKey| FileKey { content: 0, ..*key };
    bare(a) == bare(b)
}

/// The system's time as used for file times.
pub(crate) fn file_time_now() -> i64 {
    clock::to_nanoseconds(clock::Clock::System.now())
}
