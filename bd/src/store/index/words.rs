//! Texts that many beads share, each stored once: labels, assignees, ids without a bead.

use std::collections::HashMap;

use super::Index;
use super::layout::narrow_length;

/// Numbered texts.
pub(super) struct WordTable {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<u32>,
    /// Built when a text is looked up for the first time.
    numbers: Option<HashMap<Vec<u8>, u32>>,
}

impl WordTable {
    /// Creates a table with the texts of an older index, which keep their numbers.
    pub(super) fn over(old: Option<&Index>) -> Self {
        let (bytes, ends) = old.map_or((&[][..], &[][..]), Index::word_parts);
        Self {
            bytes: bytes.to_vec(),
            ends: ends.to_vec(),
            numbers: None,
        }
    }

    /// Returns the number of a text. Adds the text if it is new.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        let mut numbers = self.numbers.take().unwrap_or_else(|| {
            let all = 0..narrow_length(self.ends.len());
            all.map(|number| (self.word_bytes(number).to_vec(), number))
                .collect()
        });
        let number = numbers.get(word.as_bytes()).copied().unwrap_or_else(|| {
            let number = narrow_length(self.ends.len());
            self.bytes.extend_from_slice(word.as_bytes());
            self.ends.push(narrow_length(self.bytes.len()));
            numbers.insert(word.as_bytes().to_vec(), number);
            number
        });
        self.numbers = Some(numbers);
        number
    }

    /// The bytes of a text by its number.
    pub(super) fn word_bytes(&self, number: u32) -> &[u8] {
        word_at(&self.bytes, &self.ends, number)
    }
}

/// Returns the bytes of a text by its number, from the bytes of all texts and the end of each.
pub(super) fn word_at<'a>(bytes: &'a [u8], ends: &[u32], number: u32) -> &'a [u8] {
    let end = |number: usize| ends.get(number).copied().unwrap_or_default() as usize;
    let start = (number as usize).checked_sub(1).map_or(0, end);
    bytes.get(start..end(number as usize)).unwrap_or_default()
}
