//! Which version of a file is there: whether it is still the same file, and whether its times can be trusted.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use kit::sys::clock;

/// How near to the index's making a change of a file is in doubt, in nanoseconds.
pub(crate) const RACY_WINDOW: i64 = 20_000_000;

/// Which version of a file is there.
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
    /// 1 where there is a file.
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
    /// That of the file at a path; one that is not there has one, too.
    pub(crate) fn at(path: &Path) -> Self {
        fs::metadata(path).map_or_else(|_| Self::default(), |meta| file_key(&meta))
    }
}

/// The identity of a file.
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

/// When a file was changed, nanoseconds since the epoch.
pub(crate) fn modification_time(key: &FileKey) -> i64 {
    let seconds = key.modified_s.saturating_mul(1_000_000_000);
    seconds.saturating_add(key.modified_ns)
}

/// Whether two identities are of one content.
pub(crate) fn is_same_content(a: &FileKey, b: &FileKey) -> bool {
    let bare = |key: &FileKey| FileKey { content: 0, ..*key };
    bare(a) == bare(b)
}

/// The system's time, which files are stamped with.
pub(crate) fn file_time_now() -> i64 {
    clock::to_nanoseconds(clock::Clock::System.now())
}
