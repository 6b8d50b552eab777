//! A table that finds numbered texts by their hash: of each only its number is kept, the texts are the
//! owner's.

use xxhash_rust::xxh3::xxh3_64;

use super::layout::NONE;

/// Numbers by the hash of what they stand for; at most half of the places are taken.
pub(super) struct Table {
    places: Vec<u32>,
    taken: usize,
}

impl Table {
    /// With room for so many texts.
    pub(super) fn new(room: usize) -> Self {
        Self {
            places: vec![NONE; (room.max(32) * 2).next_power_of_two()],
            taken: 0,
        }
    }

    /// Whether one more text needs a larger table.
    pub(super) fn is_full(&self) -> bool {
        self.taken * 2 >= self.places.len()
    }

    /// The number of a text; `is` says whether a number stands for it.
    pub(super) fn find(&self, text: &[u8], is: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.start(text);
        loop {
            match self.places[at] {
                NONE => return None,
                number if is(number) => return Some(number),
                _ => at = (at + 1) & (self.places.len() - 1),
            }
        }
    }

    /// Adds the number of a text that is not in it. There is room: see [`Table::is_full`].
    pub(super) fn add(&mut self, text: &[u8], number: u32) {
        let mut at = self.start(text);
        while self.places[at] != NONE {
            at = (at + 1) & (self.places.len() - 1);
        }
        self.places[at] = number;
        self.taken += 1;
    }

    fn start(&self, text: &[u8]) -> usize {
        let last = self.places.len() - 1;
        // The lower bits are as good as any.
        usize::try_from(xxh3_64(text) & last as u64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_found_by_its_number() {
        let texts: Vec<String> = (0..1000).map(|at| format!("bd-{at}")).collect();
        let mut table = Table::new(1000);
        for (number, text) in (0..).zip(&texts) {
            let is = |number: u32| texts[number as usize] == *text;
            assert_eq!(table.find(text.as_bytes(), is), None);
            assert!(!table.is_full());
            table.add(text.as_bytes(), number);
        }
        for (number, text) in (0..).zip(&texts) {
            let is = |number: u32| texts[number as usize] == *text;
            assert_eq!(table.find(text.as_bytes(), is), Some(number));
        }
    }
}
