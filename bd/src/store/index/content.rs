//! The hash of a file's content: of its two halves, so that two threads can make it while they read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// How much is read at once.
const PIECE: usize = 1 << 20;

/// The hash of a content in the making. Bytes may be handed in by several, each a run of its own half.
pub(in crate::store) struct Content {
    middle: u64,
    halves: [Xxh3; 2],
}

impl Content {
    /// Of a content of this size.
    pub(in crate::store) fn new(size: u64) -> Self {
        Self {
            middle: size / 2,
            halves: [Xxh3::new(), Xxh3::new()],
        }
    }

    /// Where the second half begins.
    pub(in crate::store) fn middle(&self) -> u64 {
        self.middle
    }

    /// Hands in the bytes at a place, each half's one after the other.
    pub(in crate::store) fn update(&mut self, at: u64, bytes: &[u8]) {
        let first = self.middle.saturating_sub(at);
        let first = bytes
            .len()
            .min(usize::try_from(first).unwrap_or(usize::MAX));
        self.halves[0].update(&bytes[..first]);
        self.halves[1].update(&bytes[first..]);
    }

    /// The hash; the second half from another, where another read it.
    pub(in crate::store) fn digest(&self, second: Option<&Self>) -> u64 {
        let first = self.halves[0].digest().to_le_bytes();
        let second = second.unwrap_or(self).halves[1].digest().to_le_bytes();
        xxh3_64(&[first, second].concat())
    }
}

/// The hash of a file's content.
pub(in crate::store) fn content_hash(file: &File, size: u64) -> io::Result<u64> {
    let mut content = Content::new(size);
    feed(&mut content, file, 0, size)?;
    Ok(content.digest(None))
}

/// Hands in a part of a file.
pub(super) fn feed(content: &mut Content, file: &File, from: u64, to: u64) -> io::Result<()> {
    let room = usize::try_from(to - from).unwrap_or(PIECE);
    let mut buffer = vec![0; PIECE.min(room)];
    let mut at = from;
    while at < to {
        let left = usize::try_from(to - at).unwrap_or(PIECE);
        let piece = buffer.len().min(left);
        file.read_exact_at(&mut buffer[..piece], at)?;
        content.update(at, &buffer[..piece]);
        at += piece as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_in_which_bytes_come_do_not_matter() {
        let bytes: Vec<u8> = (0..1001_u32)
            .map(|at| u8::try_from(at % 251).unwrap())
            .collect();
        let whole = |step: usize| {
            let mut content = Content::new(bytes.len() as u64);
            for (number, piece) in bytes.chunks(step).enumerate() {
                content.update((number * step) as u64, piece);
            }
            content.digest(None)
        };
        assert_eq!(whole(1001), whole(7));
        let (mut first, mut second) = (Content::new(1001), Content::new(1001));
        first.update(0, &bytes[..600]);
        second.update(500, &bytes[500..]);
        assert_eq!(first.digest(Some(&second)), whole(1001));
    }
}
