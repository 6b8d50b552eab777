//! A section whose items belong to rows, any number per row.

/// The items of a section, and the start of each row's items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowRuns<'a, T> {
    pub items: &'a [T],
    /// One entry more than there are rows; the last one is the end of the items.
    pub starts: &'a [u32],
}

impl<'a, T: Copy> RowRuns<'a, T> {
    /// The items of a row.
    pub(crate) fn of_row(&self, row: u32) -> &'a [T] {
        let row = row as usize;
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(start), Some(end)) => self.slice(*start, *end),
            _ => &[],
        }
    }

    /// Iterates over the items of each row.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a [T]> + Clone {
        self.starts
            .windows(2)
            .map(move |bounds| self.slice(bounds[0], bounds[1]))
    }

    /// Returns the rows that these items belong to, without duplicates.
    pub(super) fn rows_with(self, items: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut rows = Vec::new();
        for item in items {
            let behind = self.starts.partition_point(|start| *start as usize <= item);
            let row = u32::try_from(behind.saturating_sub(1)).unwrap_or(u32::MAX);
            if rows.last() != Some(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// Returns the position of a run among the sorted runs of the first `rows` rows: the first row
    /// whose run is not less.
    pub(super) fn first_from(&self, run: &[T], rows: u32) -> u32
    where
        T: Ord,
    {
        let mut low = 0;
        let mut high = rows;
        while low < high {
            let middle = low.midpoint(high);
            if self.of_row(middle) < run {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn slice(&self, start: u32, end: u32) -> &'a [T] {
        self.items
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: RowRuns<'_, u8> = RowRuns {
        items: b"abcd",
        starts: &[0, 0, 3, 3, 4],
    };

    #[test]
    fn each_row_has_its_items() {
        let all: Vec<&[u8]> = RUNS.iter().collect();
        assert_eq!(all, [&b""[..], b"abc", b"", b"d"]);
        for (row, items) in (0..).zip(all) {
            assert_eq!(RUNS.of_row(row), items);
        }
        assert!(RUNS.of_row(4).is_empty() && RUNS.of_row(u32::MAX).is_empty());
    }

    #[test]
    fn an_item_leads_back_to_its_row() {
        assert_eq!(RUNS.rows_with([0, 2, 3].into_iter()), [1, 3]);
    }

    #[test]
    fn the_position_of_a_run_among_sorted_runs_is_found() {
        let sorted = RowRuns {
            items: b"abbc",
            starts: &[0, 1, 3, 4],
        };
        for (run, place) in [("", 0), ("a", 0), ("aa", 1), ("bb", 1), ("bc", 2), ("d", 3)] {
            assert_eq!(sorted.first_from(run.as_bytes(), 3), place, "{run}");
        }
        assert_eq!(sorted.first_from(b"a", 0), 0);
    }

    #[test]
    fn invalid_starts_have_no_items() {
        let damaged = RowRuns {
            items: b"ab",
            starts: &[7, 1, 9],
        };
        assert!(damaged.iter().all(<[u8]>::is_empty));
    }
}
