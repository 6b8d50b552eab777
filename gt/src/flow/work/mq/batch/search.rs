//! Searches the shortest failing prefix of a stack of requests. Pure: the caller runs the gates.
//! The simulator uses the same search.

/// The search for the shortest failing prefix of a stack that fails as a whole. The empty prefix is
/// the target, which is taken to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefixSearch {
    /// The length of the longest prefix that passes.
    green: usize,
    /// The length of the shortest prefix that fails.
    red: usize,
}

impl PrefixSearch {
    /// Begins the search in a failing stack of this length.
    pub fn of_failing_stack(length: usize) -> Self {
        Self {
            green: 0,
            red: length,
        }
    }

    /// Returns up to `parts` lengths to check next, ascending. None if the search is over.
    pub fn next_lengths(&self, parts: usize) -> Option<Vec<usize>> {
        let between = self.red - self.green;
        if between < 2 {
            return None;
        }
        let count = parts.clamp(1, between - 1);
        Some(
            (1..=count)
                .map(|part| self.green + between * part / (count + 1))
                .collect(),
        )
    }

    /// Takes the results of prefixes of these lengths, which ascend.
    pub fn narrow(&mut self, lengths: &[usize], passed: &[bool]) {
        for (length, is_green) in lengths.iter().zip(passed) {
            if *is_green {
                self.green = *length;
            } else {
                self.red = *length;
                break;
            }
        }
    }

    /// Returns the length of the shortest prefix that is known to fail.
    pub fn failing_length(&self) -> usize {
        self.red
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_culprit_is_found_at_each_position_of_stacks_of_each_length() {
        for length in 1..=9 {
            for culprit in 1..=length {
                for parts in 1..=4 {
                    let mut search = PrefixSearch::of_failing_stack(length);
                    let mut rounds = 0;
                    while let Some(lengths) = search.next_lengths(parts) {
                        assert!(lengths.is_sorted() && lengths.len() <= parts, "{lengths:?}");
                        let passed: Vec<bool> = lengths.iter().map(|it| *it < culprit).collect();
                        search.narrow(&lengths, &passed);
                        rounds += 1;
                    }
                    assert_eq!(search.failing_length(), culprit, "{length} {parts}");
                    assert!(rounds <= 4, "{length} {culprit} {parts}: {rounds} rounds");
                }
            }
        }
    }
}
