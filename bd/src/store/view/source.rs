//! The files of a store as one reader has them open: issues, wisps and journal, with their index.
//!
//! An index is valid if it was built from these files and a beginning of this journal. A file that
//! changed within 20 ms of the index's build is racy and is hashed; the first process that can
//! verify it writes the index with a later build time. Otherwise the files are read, and lines that
//! the old index has are not parsed.

use crate::store::disk::identity::{
    FileKey, RACY_WINDOW, file_key, file_time_now, is_same_content, modification_time,
};
use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::bead::hash::encode_hex;
use crate::bead::{Bead, Stamp, lines, record};
use crate::store::StoreError;
use crate::store::disk::paths::StorePaths;
use crate::store::disk::{files, ignore};
use crate::store::index::{self, ISSUES, Index, IndexKeys, IndexRow, WISPS};
use crate::store::log::event::BeadFile;
use crate::store::log::history::MergedBead;
use crate::store::log::journal::{self, Journal};
use crate::store::view::overlay::{self, Overlay, OverlayBase};
use kit::sys::file::DerivedFile;
use kit::sys::{boot, clock, file};

/// The length from which a line's presence in the file is checked before memory is allocated for
/// it.
const CHECKED_LENGTH: u32 = 1 << 20;

/// The time after an external change during which the issues are left alone, in nanoseconds.
const SETTLING_NS: u64 = 2_000_000_000;
/// The number and length of waits for another program that is writing a file. Together they are
/// longer than [`SETTLING_NS`].
pub(crate) const SETTLE_TRIES: u32 = 100;
pub(crate) const SETTLE_PAUSE: Duration = Duration::from_millis(30);

/// The open files of a store.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    pub paths: StorePaths,
    issues: Option<File>,
    wisps: Option<File>,
    pub(crate) journal: Option<File>,
    /// The keys of the index in use.
    pub keys: IndexKeys,
    pub state: JournalState,
}

/// The journal as it was found.
#[derive(Debug, Default)]
pub(crate) struct JournalState {
    /// The raw bytes of the journal.
    pub text: Vec<u8>,
    pub journal: Journal,
    /// The beads that another program changed in the file below the journal.
    pub merged: Vec<MergedBead>,
    /// True if a bead has several lines in the issues, which every command merges until they are
    /// folded.
    pub has_versions: bool,
}

impl JournalState {
    fn read(file: &File) -> io::Result<Self> {
        let size = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let mut text = vec![0; size];
        file.read_exact_at(&mut text, 0)?;
        Ok(Self {
            journal: journal::decode_journal(&text),
            text,
            merged: Vec::new(),
            has_versions: false,
        })
    }

    /// Returns the time of the first entry.
    pub(crate) fn began(&self) -> Option<Stamp> {
        let first = self.journal.entries.first()?;
        Some(Stamp::parse(&first.at))
    }

    /// Returns the torn and the damaged lines.
    pub(crate) fn torn(&self) -> impl Iterator<Item = &[u8]> {
        self.journal
            .torn
            .iter()
            .map(|span| &self.text[span.clone()])
    }

    /// The number of damaged lines that may have been acknowledged, which excludes a last line
    /// without its newline.
    pub(crate) fn damaged_inside(&self) -> usize {
        let is_unfinished = self.text.last().is_some_and(|last| *last != b'\n');
        let torn = self.journal.torn.len();
        torn.saturating_sub(usize::from(is_unfinished))
    }

    /// The bytes of all torn and damaged lines.
    pub(crate) fn torn_bytes(&self) -> Vec<u8> {
        self.torn().collect::<Vec<_>>().join(&b'\n')
    }
}

/// The result of comparing an index with the files.
enum IndexFit {
    /// The index was built from other files.
    No,
    Yes,
    /// The index was built from these files. With the given keys no other process has to compare
    /// their content again.
    Certain(IndexKeys),
}

/// The index, the open files and the overlay of a store.
pub(crate) struct StoreRead {
    pub index: Index,
    /// The previous index, if it was built from other files.
    pub before: Option<Index>,
    pub source: OpenFiles,
    pub overlay: Overlay,
    /// True if the index was just built and is in no file yet.
    is_unwritten: Cell<bool>,
}

impl StoreRead {
    /// Writes the index if it was just built. A fold may have put its own in place in the meantime,
    /// which is newer and excludes external changes of the issues. If the index cannot be written,
    /// every command builds its own.
    pub(crate) fn write_index(&self) {
        if self.is_unwritten.take() {
            self.source
                .put_index(self.before.as_ref(), &self.index, None);
        }
    }
}

impl OpenFiles {
    /// Opens the files and finds or builds the index. The caller must check if the journal was
    /// replaced in the meantime.
    ///
    /// A file that another program is writing is read again until it is stable.
    pub(crate) fn read(paths: &StorePaths) -> Result<StoreRead, StoreError> {
        let read = Self::read_unwritten(paths)?;
        read.write_index();
        Ok(read)
    }

    /// Like [`Self::read`], but the caller must write a new index.
    pub(crate) fn read_unwritten(paths: &StorePaths) -> Result<StoreRead, StoreError> {
        for _ in 0..SETTLE_TRIES {
            match Self::read_once(paths) {
                Err(StoreError::Restless(_)) => clock::pause_thread(SETTLE_PAUSE),
                read => return read,
            }
        }
        Self::read_once(paths)
    }

    /// Returns true if no other program seems to be writing the issues.
    pub(crate) fn is_settled(paths: &StorePaths) -> Result<bool, StoreError> {
        // If only bd wrote the issues, the journal need not be read.
        let indexed = Self::open_indexed(paths)?;
        if !indexed.is_unwritten.get() && indexed.source.keys.outside == 0 {
            return Ok(true);
        }
        Ok(!Self::read(paths)?.source.is_unsettled())
    }

    /// Opens the files and their index, without the journal.
    fn open_indexed(paths: &StorePaths) -> Result<StoreRead, StoreError> {
        let mut source = Self::open(paths)?;
        let old = Index::open(&paths.index());
        let fit = old
            .as_ref()
            .map(|old| source.check_index(old))
            .transpose()?;
        let (index, before, is_new) = match (old, fit) {
            (Some(old), Some(IndexFit::Yes)) => (old, None, false),
            (Some(old), Some(IndexFit::Certain(keys))) => {
                // No other process needs to compare again.
                source.put_index(Some(&old), &old, Some(&keys));
                (old, None, false)
            }
            (before, _) => (source.read_files(before.as_ref())?, before, true),
        };
        source.keys = index.keys();
        Ok(StoreRead {
            index,
            before,
            source,
            overlay: Overlay::default(),
            is_unwritten: Cell::new(is_new),
        })
    }

    fn read_once(paths: &StorePaths) -> Result<StoreRead, StoreError> {
        let mut read = Self::open_indexed(paths)?;
        if let Some(journal) = &read.source.journal {
            let state = JournalState::read(journal);
            read.source.state =
                state.map_err(|error| StoreError::io("read", &paths.journal(), error))?;
        }
        let files = IndexedBase {
            index: &read.index,
            source: &read.source,
        };
        let mut overlay = overlay::lay_journal(&read.source.state.journal.entries, &files)?;
        let versions = files.other_versions()?;
        let has_versions = !versions.is_empty();
        for version in versions {
            overlay.merge_version(version, &files)?;
        }
        read.source.state.has_versions = has_versions;
        read.source.state.merged = std::mem::take(&mut overlay.merged);
        read.overlay = overlay;
        Ok(read)
    }

    fn open(paths: &StorePaths) -> Result<Self, StoreError> {
        Ok(Self {
            // The journal comes first: see `is_current`.
            journal: open_file(&paths.journal())?,
            issues: open_file(paths.issues())?,
            wisps: open_file(&paths.wisps())?,
            paths: paths.clone(),
            keys: IndexKeys::default(),
            state: JournalState::default(),
        })
    }

    /// Checks if an index was built from these files.
    fn check_index(&self, index: &Index) -> Result<IndexFit, StoreError> {
        let keys = index.keys();
        let issues = self.key(ISSUES)?;
        let wisps = self.key(WISPS)?;
        if !is_same_content(&issues, &keys.issues) || !is_same_content(&wisps, &keys.wisps) {
            return Ok(IndexFit::No);
        }
        let looked = file_time_now();
        let files = [
            (&issues, &keys.issues, self.issues.as_ref()),
            (&wisps, &keys.wisps, self.wisps.as_ref()),
        ];
        let racy = |made: i64| {
            files.iter().filter(move |(now, _, _)| {
                modification_time(now) > made.saturating_sub(RACY_WINDOW)
            })
        };
        for (now, then, file) in racy(keys.built_at) {
            let Some(file) = file else {
                continue;
            };
            let content = index::content_hash(file, now.size)
                .map_err(|error| StoreError::io("read", self.paths.issues(), error))?;
            if content != then.content {
                return Ok(IndexFit::No);
            }
        }
        let is_sure_now = racy(keys.built_at).next().is_some() && racy(looked).next().is_none();
        let is_of_earlier_start = !index.is_of_this_start() && boot::boot_id().is_some();
        if !is_sure_now && !is_of_earlier_start {
            return Ok(IndexFit::Yes);
        }
        let made = if is_sure_now { looked } else { keys.built_at };
        Ok(IndexFit::Certain(IndexKeys {
            built_at: made,
            ..keys
        }))
    }

    /// Writes an index that was built from an old one, with other keys if given, unless another
    /// index replaced the old one.
    pub(crate) fn put_index(&self, old: Option<&Index>, index: &Index, keys: Option<&IndexKeys>) {
        let path = self.paths.index();
        if !path.exists() {
            ignore::exclude_local_files(self.paths.dir());
        }
        let Ok(file) = DerivedFile::write(&path, index.bytes(), file::SHARED) else {
            return;
        };
        if old.is_none_or(|old| old.is_at(&path)) {
            match keys {
                Some(keys) => file.put_with(&index.header_with(keys)).ok(),
                None => file.put().ok(),
            };
        }
    }

    /// Builds an index of the files without an old index, and does not write it.
    pub(crate) fn build_fresh_index(paths: &StorePaths) -> Result<Index, StoreError> {
        Self::open(paths)?.read_files(None)
    }

    fn read_files(&self, old: Option<&Index>) -> Result<Index, StoreError> {
        let read = |code: u8, file: Option<&File>| match file {
            Some(file) => index::parse_file(file, code, old)
                .map_err(|error| StoreError::io("read", &self.path(code), error)),
            None => Ok(index::ParsedFile::default()),
        };
        // The identity of the files must be equal before and after the read.
        let before = [self.key(ISSUES)?, self.key(WISPS)?];
        let issues = read(ISSUES, self.issues.as_ref())?;
        let wisps = read(WISPS, self.wisps.as_ref())?;
        if [self.key(ISSUES)?, self.key(WISPS)?] != before {
            return Err(StoreError::Restless(self.paths.issues().to_owned()));
        }
        let keys = IndexKeys {
            issues: FileKey {
                content: issues.content,
                ..before[0]
            },
            wisps: FileKey {
                content: wisps.content,
                ..before[1]
            },
            built_at: file_time_now(),
            outside: u64::from(old.is_some_and(|old| {
                old.keys().outside == 1 || !is_same_content(&old.keys().issues, &before[0])
            })),
        };
        let (beads, notes) = index::merge_parsed_files([issues, wisps], old);
        index::make_index(&beads, &notes, old, &keys).ok_or_else(|| {
            let too_large = io::Error::other("it is too large");
            StoreError::io("index", self.paths.issues(), too_large)
        })
    }

    /// Returns true if another program changed the issues so recently that it may still be writing
    /// them. git writes a file piece by piece.
    pub(crate) fn is_unsettled(&self) -> bool {
        if self.keys.outside == 0 {
            return false;
        }
        let changed = if self.keys.issues.exists == 1 {
            modification_time(&self.keys.issues)
        } else {
            // The file was removed, perhaps to be rewritten.
            let folder = std::fs::metadata(self.paths.dir());
            folder.map_or(0, |meta| modification_time(&file_key(&meta)))
        };
        // A time far in the future is from another clock and is ignored. The change may also come
        // from an interrupted fold.
        file_time_now().abs_diff(changed) < SETTLING_NS && !self.is_folded()
    }

    /// Returns true if a fold put these issues in place and was interrupted before it wrote the
    /// index.
    pub(crate) fn is_folded(&self) -> bool {
        let Some(mark) = &self.state.journal.mark else {
            return false;
        };
        let mut hash = Sha256::new();
        let size = self.read_key(ISSUES).size;
        let read = self.read_up_to(ISSUES, size, |piece| hash.update(piece));
        read.is_ok() && encode_hex(&hash.finalize()) == mark.fold
    }

    /// The issues as they were read.
    pub(crate) fn issues_text(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let size = self.read_key(ISSUES).size;
        self.read_up_to(ISSUES, size, |piece| text.extend_from_slice(piece))?;
        Ok(text)
    }

    /// Reads a file up to an offset, in pieces.
    fn read_up_to(&self, code: u8, end: u64, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        let mut at = 0;
        while at < end {
            let left = usize::try_from(end - at).unwrap_or(buffer.len());
            let piece = left.min(buffer.len());
            self.read_at(code, &mut buffer[..piece], at)?;
            take(&buffer[..piece]);
            at += piece as u64;
        }
        Ok(())
    }

    /// Returns true if one of the files is no longer the one that was read.
    pub(crate) fn is_overtaken(&self, code: u8) -> bool {
        !is_same_content(&FileKey::at(&self.path(code)), self.read_key(code))
    }

    /// The identity that one of the files had when it was read.
    pub(crate) fn read_key(&self, code: u8) -> &FileKey {
        if code == ISSUES {
            &self.keys.issues
        } else {
            &self.keys.wisps
        }
    }

    /// The current identity of one of the files, without its content.
    pub(crate) fn key(&self, code: u8) -> Result<FileKey, StoreError> {
        let meta = self
            .file(code)
            .map(File::metadata)
            .transpose()
            .map_err(|error| StoreError::io("look at", self.paths.dir(), error))?;
        Ok(meta.as_ref().map(file_key).unwrap_or_default())
    }

    /// The path of the file with this code.
    pub(crate) fn path(&self, code: u8) -> PathBuf {
        match code {
            ISSUES => self.paths.issues().to_owned(),
            _ => self.paths.wisps(),
        }
    }

    fn file(&self, code: u8) -> Option<&File> {
        match code {
            ISSUES => self.issues.as_ref(),
            _ => self.wisps.as_ref(),
        }
    }

    pub(crate) fn read_at(&self, code: u8, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match self.file(code) {
            Some(file) => file.read_exact_at(buffer, offset),
            None => Err(io::Error::other("there is no such file")),
        }
    }

    pub(crate) fn line(&self, row: &IndexRow) -> io::Result<Vec<u8>> {
        self.bytes_at(row.file, row.offset, row.length)
    }

    /// Reads bytes of one of the files. Allocates no more than the file has, because an index may
    /// be damaged.
    pub(crate) fn bytes_at(&self, code: u8, offset: u64, length: u32) -> io::Result<Vec<u8>> {
        if length > CHECKED_LENGTH {
            let size = match self.file(code) {
                Some(file) => file.metadata()?.len(),
                None => 0,
            };
            if u64::from(length) > size {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let mut bytes = vec![0; length as usize];
        self.read_at(code, &mut bytes, offset)?;
        Ok(bytes)
    }

    /// Reads the line of a row. Fails if it does not match the index.
    pub(crate) fn checked_line(&self, row: &IndexRow, id: &str) -> Result<Vec<u8>, StoreError> {
        let path = self.path(row.file);
        let line = self
            .line(row)
            .map_err(|error| self.unreadable(row, id, error))?;
        if xxhash_rust::xxh3::xxh3_64(&line) == row.hash {
            return Ok(line);
        }
        self.remove_index();
        Err(StoreError::Moved {
            path,
            id: id.to_owned(),
        })
    }

    /// Builds the error for a line that cannot be read.
    pub(crate) fn unreadable(&self, row: &IndexRow, id: &str, source: io::Error) -> StoreError {
        let mut line = 1;
        let place = match self.read_up_to(row.file, row.offset, |piece| {
            line += memchr::memchr_iter(b'\n', piece).count();
        }) {
            Ok(()) => format!("line {line}"),
            Err(_) => format!("byte {}", row.offset),
        };
        StoreError::Line {
            path: self.path(row.file),
            place,
            id: id.to_owned(),
            source,
        }
    }

    /// Removes a wrong index, so that the next command rebuilds it.
    pub(crate) fn remove_index(&self) {
        // If that fails, the next command finds the same index.
        file::remove_file(&self.paths.index()).ok();
    }

    /// Returns all beads of the files, fully parsed.
    pub(crate) fn all_beads(&self) -> Result<HashMap<String, Bead>, StoreError> {
        let mut all = HashMap::new();
        for code in [WISPS, ISSUES] {
            for (_, _, bead) in lines::parse_lines(files::read_or_empty(&self.path(code))?).beads {
                all.insert(bead.id.clone(), *bead);
            }
        }
        Ok(all)
    }

    /// The name of the project, which is that of the folder with `.beads`.
    pub(crate) fn folder_name(&self) -> String {
        let dir = self.paths.dir();
        let project = if dir.file_name().is_some_and(|name| name == ".beads") {
            dir.parent().unwrap_or(dir)
        } else {
            dir
        };
        project
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// Returns true if the journal that was read is still the current one. A fold that ended in the
    /// meantime has replaced it. The open file keeps its inode from being reused.
    pub(crate) fn is_current(&self) -> bool {
        let path = self.paths.journal();
        match &self.journal {
            None => std::fs::metadata(path).is_err(),
            Some(journal) => file::is_at(journal, &path),
        }
    }
}

fn open_file(path: &Path) -> Result<Option<File>, StoreError> {
    match file::open_regular_file(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", path, error)),
    }
}

/// The home of the beads in the file with this code.
pub(crate) fn home_of(file: u8) -> BeadFile {
    if file == ISSUES {
        BeadFile::Issues
    } else {
        BeadFile::Wisps
    }
}

/// The code of the file of these beads.
pub(crate) fn code_of(home: BeadFile) -> u8 {
    match home {
        BeadFile::Issues => ISSUES,
        BeadFile::Wisps => WISPS,
    }
}

/// The beads of the files according to an index.
struct IndexedBase<'a> {
    index: &'a Index,
    source: &'a OpenFiles,
}

impl IndexedBase<'_> {
    fn row(&self, id: &str, home: BeadFile) -> Option<&IndexRow> {
        let row = self.index.row(self.index.find(id)?)?;
        (home_of(row.file) == home).then_some(row)
    }

    /// Returns the durable beads of the lines whose bead has another line too.
    fn other_versions(&self) -> Result<Vec<Bead>, StoreError> {
        self.index
            .notes()
            .into_iter()
            .filter(|note| note.is_version)
            .map(|note| {
                let line = self.source.bytes_at(note.file, note.offset, note.length);
                let line = line
                    .map_err(|error| StoreError::io("read", self.source.paths.issues(), error))?;
                Ok(record::parse_bead(&line).ok())
            })
            .filter_map(Result::transpose)
            .collect()
    }
}

impl OverlayBase for IndexedBase<'_> {
    fn hash(&self, id: &str, home: BeadFile) -> Option<u64> {
        self.row(id, home).map(|row| row.hash)
    }

    fn bead(&self, id: &str, home: BeadFile) -> Result<Option<Bead>, StoreError> {
        let Some(row) = self.row(id, home) else {
            return Ok(None);
        };
        let line = self
            .source
            .line(row)
            .map_err(|error| StoreError::io("read", &self.source.path(row.file), error))?;
        Ok(record::parse_bead(&line).ok())
    }
}
