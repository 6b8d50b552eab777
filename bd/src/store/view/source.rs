//! The files of a store as one reader has them open: issues, wisps and journal, and the index over them.
//!
//! The index counts when it was made from these very files and a beginning of this very journal. A file that
//! changed within 20 ms of the index's making is in doubt and is hashed; the first who can be sure of it writes
//! the index with a later time of making. Else the files are read: lines that
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

/// From this length on a line is looked for in the file before room is made for it.
const LONG: u32 = 1 << 20;

/// How long after a change by someone else the issues are left to them, in nanoseconds.
const SETTLING_NS: u64 = 2_000_000_000;
/// How often someone else who is writing a file is waited for, and how long each time: together longer
/// than [`SETTLING_NS`].
pub(crate) const SETTLE_TRIES: u32 = 100;
pub(crate) const SETTLE_PAUSE: Duration = Duration::from_millis(30);

/// The open files.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    pub paths: StorePaths,
    issues: Option<File>,
    wisps: Option<File>,
    pub(crate) journal: Option<File>,
    /// What the index in use was made from.
    pub keys: IndexKeys,
    pub state: JournalState,
}

/// How the journal was found.
#[derive(Debug, Default)]
pub(crate) struct JournalState {
    /// It, as it was read.
    pub text: Vec<u8>,
    /// What is in it.
    pub journal: Journal,
    /// Beads that someone else changed in the file under it.
    pub merged: Vec<MergedBead>,
}

impl JournalState {
    fn read(file: &File) -> io::Result<Self> {
        let size = usize::try_from(file.metadata()?.len()).unwrap_or_default();
        let mut text = vec![0; size];
        file.read_exact_at(&mut text, 0)?;
        Ok(Self {
            journal: journal::decode_journal(&text),
            text,
            merged: Vec::new(),
        })
    }

    /// When its first entry was made.
    pub(crate) fn began(&self) -> Option<Stamp> {
        let first = self.journal.entries.first()?;
        Some(Stamp::parse(&first.at))
    }

    /// Lines that are torn or damaged.
    pub(crate) fn torn(&self) -> impl Iterator<Item = &[u8]> {
        self.journal
            .torn
            .iter()
            .map(|span| &self.text[span.clone()])
    }

    /// How many damaged lines there are that may have been acknowledged: not a last one without its end.
    pub(crate) fn damaged_inside(&self) -> usize {
        let is_unfinished = self.text.last().is_some_and(|last| *last != b'\n');
        let torn = self.journal.torn.len();
        torn.saturating_sub(usize::from(is_unfinished))
    }

    /// The bytes of all of them.
    pub(crate) fn torn_bytes(&self) -> Vec<u8> {
        self.torn().collect::<Vec<_>>().join(&b'\n')
    }
}

/// How an index fits the files.
enum IndexFit {
    /// It was made from others.
    No,
    Yes,
    /// It was made from them, and with these keys nobody has to compare their content again.
    Certain(IndexKeys),
}

/// The files and an index of them.
struct IndexedFiles {
    index: Index,
    /// The index that was there, where this one was just made.
    before: Option<Index>,
    is_made: bool,
    source: OpenFiles,
}

/// What is read of a store.
pub(crate) struct StoreRead {
    pub index: Index,
    /// The index that was there, where it was made from other files.
    pub before: Option<Index>,
    pub source: OpenFiles,
    pub overlay: Overlay,
    /// Whether the index was made just now, and is in no file yet.
    is_unwritten: Cell<bool>,
}

impl StoreRead {
    /// Writes the index, where it was made just now. A fold may have put its own in place meanwhile: that one is newer, and
    /// knows that nobody else changed the issues. Where it cannot be written every command makes it for itself.
    pub(crate) fn write_index(&self) {
        if self.is_unwritten.take() {
            self.source
                .put_index(self.before.as_ref(), &self.index, None);
        }
    }

    /// Writes the index of issues that got another name, which changes their times.
    pub(crate) fn write_linked_index(&self) {
        let was_unwritten = self.is_unwritten.take();
        let old = if was_unwritten {
            self.before.as_ref()
        } else {
            Some(&self.index)
        };
        let keys = self.index.keys();
        let now = std::fs::metadata(self.source.paths.issues()).map(|meta| file_key(&meta));
        let linked = now.ok().map(|now| FileKey {
            changed_s: now.changed_s,
            changed_ns: now.changed_ns,
            ..keys.issues
        });
        // Others may be there by now.
        let is_it =
            |linked: &FileKey| is_same_content(linked, &FileKey::at(self.source.paths.issues()));
        match linked.filter(is_it) {
            Some(issues) if was_unwritten || issues != keys.issues => {
                let keys = IndexKeys { issues, ..keys };
                self.source.put_index(old, &self.index, Some(&keys));
            }
            None if was_unwritten => self.source.put_index(old, &self.index, None),
            _ => {}
        }
    }
}

impl OpenFiles {
    /// Opens the files and finds or makes the index. Whether the journal was replaced meanwhile is for the
    /// caller to ask.
    ///
    /// A file that someone else is writing is read again until it holds still.
    pub(crate) fn read(paths: &StorePaths) -> Result<StoreRead, StoreError> {
        let read = Self::read_unwritten(paths)?;
        read.write_index();
        Ok(read)
    }

    /// The same, and leaves it to the caller to write an index that was made.
    pub(crate) fn read_unwritten(paths: &StorePaths) -> Result<StoreRead, StoreError> {
        for _ in 0..SETTLE_TRIES {
            match Self::read_once(paths) {
                Err(StoreError::Restless(_)) => clock::pause_thread(SETTLE_PAUSE),
                read => return read,
            }
        }
        Self::read_once(paths)
    }

    /// Whether nobody else seems to be writing the issues.
    pub(crate) fn is_settled(paths: &StorePaths) -> Result<bool, StoreError> {
        // Where nobody but us wrote them the journal need not be read.
        let indexed = Self::open_indexed(paths)?;
        if !indexed.is_made && indexed.source.keys.outside == 0 {
            return Ok(true);
        }
        Ok(!Self::read(paths)?.source.is_unsettled())
    }

    fn open_indexed(paths: &StorePaths) -> Result<IndexedFiles, StoreError> {
        let mut source = Self::open(paths)?;
        let old = Index::open(&paths.index());
        let fit = old
            .as_ref()
            .map(|old| source.check_index(old))
            .transpose()?;
        let (index, before, is_made) = match (old, fit) {
            (Some(old), Some(IndexFit::Yes)) => (old, None, false),
            (Some(old), Some(IndexFit::Certain(keys))) => {
                // Nobody else need look again.
                source.put_index(Some(&old), &old, Some(&keys));
                (old, None, false)
            }
            (before, _) => (source.read_files(before.as_ref())?, before, true),
        };
        source.keys = index.keys();
        Ok(IndexedFiles {
            index,
            before,
            is_made,
            source,
        })
    }

    fn read_once(paths: &StorePaths) -> Result<StoreRead, StoreError> {
        let IndexedFiles {
            index,
            before,
            is_made,
            mut source,
        } = Self::open_indexed(paths)?;
        if let Some(journal) = &source.journal {
            let read = JournalState::read(journal);
            source.state = read.map_err(|error| StoreError::io("read", &paths.journal(), error))?;
        }
        let files = IndexedBase {
            index: &index,
            source: &source,
        };
        let overlay = overlay::lay_journal(&source.state.journal.entries, &files)?;
        source.state.merged.clone_from(&overlay.merged);
        Ok(StoreRead {
            index,
            before,
            source,
            overlay,
            is_unwritten: Cell::new(is_made),
        })
    }

    fn open(paths: &StorePaths) -> Result<Self, StoreError> {
        Ok(Self {
            // The journal first: see `is_current`.
            journal: open_file(&paths.journal())?,
            issues: open_file(paths.issues())?,
            wisps: open_file(&paths.wisps())?,
            paths: paths.clone(),
            keys: IndexKeys::default(),
            state: JournalState::default(),
        })
    }

    /// Whether an index was made from these files.
    fn check_index(&self, index: &Index) -> Result<IndexFit, StoreError> {
        let keys = index.keys();
        let (issues, wisps) = (self.key(ISSUES)?, self.key(WISPS)?);
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

    /// Writes an index that was made from an old one, with other keys where some are given, unless another took the place
    /// of the old one.
    pub(crate) fn put_index(&self, old: Option<&Index>, index: &Index, keys: Option<&IndexKeys>) {
        let path = self.paths.index();
        if !path.exists() {
            ignore::exclude_local_files(self.paths.dir());
        }
        let Ok(file) = DerivedFile::write(&path, index.bytes(), 0o644) else {
            return;
        };
        if old.is_none_or(|old| old.is_at(&path)) {
            match keys {
                Some(keys) => file.put_with(&index.header_with(keys)).ok(),
                None => file.put().ok(),
            };
        }
    }

    /// An index of what the files say, from nothing, which is not written.
    pub(crate) fn build_fresh_index(paths: &StorePaths) -> Result<Index, StoreError> {
        Self::open(paths)?.read_files(None)
    }

    fn read_files(&self, old: Option<&Index>) -> Result<Index, StoreError> {
        let read = |code: u8, file: Option<&File>| match file {
            Some(file) => index::parse_file(file, code, old)
                .map_err(|error| StoreError::io("read", &self.path(code), error)),
            None => Ok(index::ParsedFile::default()),
        };
        // What is read has to be the same before and after.
        let before = [self.key(ISSUES)?, self.key(WISPS)?];
        let issues = read(ISSUES, self.issues.as_ref())?;
        let wisps = read(WISPS, self.wisps.as_ref())?;
        if [self.key(ISSUES)?, self.key(WISPS)?] != before {
            return Err(StoreError::Restless(self.paths.issues().to_owned()));
        }
        let is_other = |old: &Index| !is_same_content(&old.keys().issues, &before[0]);
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
            outside: old.map_or(0, |old| u64::from(is_other(old) || old.keys().outside == 1)),
        };
        let (beads, notes) = index::merge_parsed_files([issues, wisps], old);
        let too_large = || io::Error::other("it is too large");
        index::make_index(&beads, &notes, old, &keys)
            .ok_or_else(|| StoreError::io("index", self.paths.issues(), too_large()))
    }

    /// Whether someone else changed the issues so lately that they may not be done: git writes a file piece
    /// by piece.
    pub(crate) fn is_unsettled(&self) -> bool {
        if self.keys.outside == 0 {
            return false;
        }
        let changed = if self.keys.issues.exists == 1 {
            modification_time(&self.keys.issues)
        } else {
            // Taken away, perhaps to be written anew.
            let folder = std::fs::metadata(self.paths.dir());
            folder.map_or(0, |meta| modification_time(&file_key(&meta)))
        };
        // A time far ahead is another clock's, and says nothing. And it may have been a fold that was cut short.
        file_time_now().abs_diff(changed) < SETTLING_NS && !self.is_folded()
    }

    /// Whether a fold of ours put these very issues in place, and was cut short before it wrote the index.
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

    /// Reads a file up to a place, in pieces.
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

    /// Whether one of the files is no longer the one that was read.
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

    /// The identity of one of the files, without its content.
    pub(crate) fn key(&self, code: u8) -> Result<FileKey, StoreError> {
        let meta = self.file(code).map(File::metadata).transpose();
        let meta = meta.map_err(|error| StoreError::io("look at", self.paths.dir(), error))?;
        Ok(meta.as_ref().map(file_key).unwrap_or_default())
    }

    /// The file of a row's code.
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

    /// Reads bytes of a file into `buffer`.
    pub(crate) fn read_at(&self, code: u8, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match self.file(code) {
            Some(file) => file.read_exact_at(buffer, offset),
            None => Err(io::Error::other("there is no such file")),
        }
    }

    /// The line of a row.
    pub(crate) fn line(&self, row: &IndexRow) -> io::Result<Vec<u8>> {
        self.bytes_at(row.file, row.offset, row.length)
    }

    /// Bytes of one of the files. More than it has are not made room for: an index may be damaged.
    pub(crate) fn bytes_at(&self, code: u8, offset: u64, length: u32) -> io::Result<Vec<u8>> {
        if length > LONG {
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

    /// The line of a row, or an error where it is not what the index has.
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

    /// What is said of a line that cannot be read.
    pub(crate) fn unreadable(&self, row: &IndexRow, id: &str, source: io::Error) -> StoreError {
        let mut line = 1;
        let count = |piece: &[u8]| line += memchr::memchr_iter(b'\n', piece).count();
        let place = match self.read_up_to(row.file, row.offset, count) {
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

    /// Takes a wrong index away, so that the next command makes it anew.
    pub(crate) fn remove_index(&self) {
        // Where that fails the next command finds the same.
        file::remove_file(&self.paths.index()).ok();
    }

    /// All beads of the files, read in full.
    pub(crate) fn all_beads(&self) -> Result<HashMap<String, Bead>, StoreError> {
        let mut all = HashMap::new();
        for code in [WISPS, ISSUES] {
            for (_, _, bead) in lines::parse_lines(files::read_or_empty(&self.path(code))?).beads {
                all.insert(bead.id.clone(), *bead);
            }
        }
        Ok(all)
    }

    /// The name of the project: of the folder that holds `.beads`.
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

    /// Whether the journal that was read is still the journal: a fold that ended meanwhile has replaced it.
    /// The open file keeps its inode from being given to another.
    pub(crate) fn is_current(&self) -> bool {
        let path = self.paths.journal();
        match &self.journal {
            None => std::fs::metadata(path).is_err(),
            Some(journal) => file::is_at(journal, &path),
        }
    }
}

fn open_file(path: &Path) -> Result<Option<File>, StoreError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", path, error)),
    }
}

/// The home of the beads in the file of this code.
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

/// The beads of the files as an index has them.
struct IndexedBase<'a> {
    index: &'a Index,
    source: &'a OpenFiles,
}

impl IndexedBase<'_> {
    fn row(&self, id: &str, home: BeadFile) -> Option<&IndexRow> {
        let row = self.index.row(self.index.find(id)?)?;
        (home_of(row.file) == home).then_some(row)
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
        let line = self.source.line(row);
        let line =
            line.map_err(|error| StoreError::io("read", &self.source.path(row.file), error))?;
        Ok(record::parse_bead(&line).ok())
    }
}
