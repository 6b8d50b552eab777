//! Owns random values: names, tokens and jitter. Seeded by `BD_SEED` for tests, otherwise by the
//! system. Not suitable for secrets.

use std::sync::Mutex;

#[derive(Debug)]
pub struct RandomSource(Mutex<fastrand::Rng>);

impl RandomSource {
    /// Seeds from `seed` if it is a number, otherwise from the system.
    pub fn choose(seed: Option<&str>) -> Self {
        let rng = match seed.and_then(|text| text.parse().ok()) {
            Some(seed) => fastrand::Rng::with_seed(seed),
            None => fastrand::Rng::new(),
        };
        Self(Mutex::new(rng))
    }

    /// Returns `length` characters of `0-9a-z`.
    pub fn base36(&self, length: usize) -> String {
        self.pick(length, b"0123456789abcdefghijklmnopqrstuvwxyz")
    }

    /// Returns `length` characters of lower-case base32 (`a-z2-7`), as in convoy ids.
    pub fn base32(&self, length: usize) -> String {
        self.pick(length, b"abcdefghijklmnopqrstuvwxyz234567")
    }

    /// Returns `length` lower-case hexadecimal digits.
    pub fn hex(&self, length: usize) -> String {
        self.pick(length, b"0123456789abcdef")
    }

    /// Returns a number below `limit`, which must not be 0.
    pub fn below(&self, limit: usize) -> usize {
        let mut rng = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        rng.usize(..limit)
    }

    fn pick(&self, length: usize, alphabet: &[u8]) -> String {
        // A poisoned lock means that another thread panicked while drawing. The generator is still
        // consistent.
        let mut rng = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        (0..length)
            .map(|_| char::from(alphabet[rng.usize(..alphabet.len())]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_generates_the_same_text() {
        let (a, b) = (
            RandomSource::choose(Some("7")),
            RandomSource::choose(Some("7")),
        );
        assert_eq!(a.base36(12), b.base36(12));
    }
}
