//! Caches answers that are slow to compute and depend only on a few files: stores them in a small
//! file beside a hash of the identity of those files. The cache is derived and can be deleted at
//! any time.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use super::clock::{Clock, to_nanoseconds};
use super::file;

/// The racy window: the distance from the check within which a change of a file may be missed, in
/// nanoseconds.
const RACY_WINDOW: i64 = 20_000_000;

/// The file of an answer, and the current state of its dependencies.
#[derive(Debug)]
pub struct CachedAnswer {
    place: PathBuf,
    hash: String,
    /// True if every further change of the files would give another hash.
    is_settled: bool,
}

impl CachedAnswer {
    /// Creates the cache entry in the file `place`. It depends on other files, which may be absent,
    /// and on a text.
    pub fn for_file(place: PathBuf, depends_on: &[PathBuf], and_on: &str) -> Self {
        let mut text = format!("{and_on}\n");
        let mut last = 0;
        for path in depends_on {
            text.push_str(&path.to_string_lossy());
            if let Ok(meta) = fs::metadata(path) {
                let modified = (meta.mtime(), meta.mtime_nsec());
                let changed = (meta.ctime(), meta.ctime_nsec());
                let device = meta.dev();
                let inode = meta.ino();
                let size = meta.len();
                text.push_str(&format!(
                    " {device} {inode} {size} {modified:?} {changed:?}"
                ));
                for (seconds, rest) in [modified, changed] {
                    last = last.max(seconds.saturating_mul(1_000_000_000).saturating_add(rest));
                }
            }
            text.push('\n');
        }
        Self {
            place,
            hash: format!("{:016x}", xxh3_64(text.as_bytes())),
            is_settled: last.saturating_add(RACY_WINDOW) < to_nanoseconds(Clock::System.now()),
        }
    }

    /// The parts of the answer; `None` if it is unknown or outdated.
    pub fn parts<const N: usize>(&self) -> Option<[String; N]> {
        let text = String::from_utf8(file::read_file_if_exists(&self.place).ok()??).ok()?;
        let mut parts = text.split('\0').map(str::to_owned);
        let is_same = parts.next()? == self.hash;
        let parts: Vec<String> = parts.collect();
        parts.try_into().ok().filter(|_| is_same)
    }

    /// Stores an answer that was computed after the files were checked.
    pub fn store<const N: usize>(&self, parts: [&str; N]) {
        if self.is_settled && !parts.iter().any(|part| part.contains('\0')) {
            let text = [&[self.hash.as_str()], &parts[..]].concat().join("\0");
            // If it cannot be written, the next command computes the answer again.
            file::replace_derived_file(&self.place, text.as_bytes(), 0o644).ok();
        }
    }
}
