//! The hash of a file's content: a sum over its lines with their places. Several threads can
//! compute it in any order, and a caller that has the hashes of the lines need not read them again.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use xxhash_rust::xxh3::xxh3_64;

use crate::bead::lines;

/// The number of bytes read at once.
const READ_SIZE: usize = 64 << 10;

/// A content hash that is being computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ContentHash(u64);

impl ContentHash {
    /// Adds the line at a place, by its hash. Blank lines do not count.
    pub(crate) fn add(&mut self, offset: u64, hash: u64) {
        let line = [offset.to_le_bytes(), hash.to_le_bytes()];
        self.0 = self.0.wrapping_add(xxh3_64(line.as_flattened()));
    }

    /// Adds the lines of another hash.
    pub(super) fn add_all(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    pub(crate) fn digest(self) -> u64 {
        self.0
    }
}

pub(crate) fn content_hash(file: &File, size: u64) -> io::Result<u64> {
    let mut content = ContentHash::default();
    read_whole_lines(file, 0, size, |text, start| {
        for (_, span) in lines::iter_line_spans(text, bom_length(text, start)) {
            content.add(start + span.start as u64, xxh3_64(&text[span]));
        }
    })?;
    Ok(content.digest())
}

/// Returns the length of the byte order mark at the beginning of a text, if the text is at the
/// start of the file.
pub(super) fn bom_length(text: &[u8], start: u64) -> usize {
    if start == 0 && text.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    }
}

/// Reads a part of a file that begins with a line. Passes pieces of whole lines, each with its
/// offset in the file, to `take`. Only the last piece may lack its newline.
pub(crate) fn read_whole_lines(
    file: &File,
    from: u64,
    to: u64,
    mut take: impl FnMut(&[u8], u64),
) -> io::Result<()> {
    let room = usize::try_from(to - from).unwrap_or(READ_SIZE);
    let mut buffer = vec![0; READ_SIZE.min(room.max(1))];
    // The number of bytes in the buffer, and their offset in the file.
    let mut filled = 0;
    let mut start = from;
    loop {
        let room = buffer.len() - filled;
        let at = start + filled as u64;
        let want = room.min(usize::try_from(to - at).unwrap_or(room));
        file.read_exact_at(&mut buffer[filled..filled + want], at)?;
        filled += want;
        let last = start + filled as u64 == to;
        let whole = match memchr::memrchr(b'\n', &buffer[..filled]) {
            Some(end) => end + 1,
            None if !last => {
                // A line that is longer than the buffer.
                buffer.resize(buffer.len() * 2, 0);
                continue;
            }
            None => 0,
        };
        take(&buffer[..whole], start);
        if last {
            take(&buffer[whole..filled], start + whole as u64);
            return Ok(());
        }
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
        start += whole as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn hash_of(text: &[u8]) -> u64 {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        content_hash(&file, text.len() as u64).unwrap()
    }

    #[test]
    fn the_content_hash_depends_on_every_line_and_its_position() {
        let whole = hash_of(b"one\ntwo\nthree\n");
        assert_eq!(whole, hash_of(b"one\ntwo\nthree\n"));
        for other in [
            &b"one\ntwo\nthreE\n"[..],
            b"two\none\nthree\n",
            b"one\ntwo\n",
            b"one\n\ntwo\nthree\n",
            b"\xef\xbb\xbfone\ntwo\nthree\n",
        ] {
            assert_ne!(whole, hash_of(other), "{other:?}");
        }
    }

    #[test]
    fn the_hash_of_parts_equals_the_hash_of_the_whole() {
        let long = [b"x".repeat(READ_SIZE + 7), b"\ny\nz".to_vec()].concat();
        let (mut first, mut second) = (ContentHash::default(), ContentHash::default());
        let x = READ_SIZE as u64 + 7;
        first.add(0, xxh3_64(&long[..READ_SIZE + 7]));
        second.add(x + 3, xxh3_64(b"z"));
        second.add(x + 1, xxh3_64(b"y"));
        first.add_all(second);
        assert_eq!(first.digest(), hash_of(&long));
    }
}
