//! Finds the place of an id among sorted ones.
//!
//! Each page of the index that is looked at costs more than all comparisons of a search, and halving looks at
//! pages all over it. Ids by hash are spread evenly: the search begins where such an id would be, and its steps
//! grow until the place lies between two of them. For all other ids that is only a longer way.

/// The first step, in rows. Of 100,000 evenly spread ids half are not further than 110 rows from the guess.
const STEP: u32 = 128;

/// The first of so many rows that is not before an id.
pub(super) fn first_from(id: &str, rows: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, rows);
    let mut middle = guess(id, rows);
    let mut step = STEP;
    while low < high {
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
        let is_between = low > 0 && high < rows;
        middle = if is_between {
            low.midpoint(high)
        } else if high == rows {
            low.saturating_add(step).min(high.saturating_sub(1))
        } else {
            high.saturating_sub(step)
        };
        step = step.saturating_mul(4);
    }
    low
}

/// Where an id is if all have its prefix and are spread evenly.
fn guess(id: &str, rows: u32) -> u32 {
    let name = id.split_once('-').map_or(id, |(_, name)| name);
    let digits = name.chars().chain(std::iter::repeat('0')).take(3);
    let share = digits.fold(0, |share, c| {
        share * 36 + u64::from(c.to_digit(36).unwrap_or(0))
    });
    let row = share * u64::from(rows) / 36_u64.pow(3);
    // It is below the number of rows.
    u32::try_from(row).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn sorted(ids: Vec<String>) -> Vec<String> {
        let mut ids = ids;
        ids.sort();
        ids.dedup();
        ids
    }

    proptest! {
        #[test]
        fn every_place_is_found(
            ids in prop::collection::vec("(bd|a|z-z)?-?[0-9a-z.]{0,4}", 0..200).prop_map(sorted),
            other in "(bd|a|z-z)?-?[0-9a-zA-Z.é]{0,5}",
        ) {
            for id in ids.iter().chain([&other]) {
                let found = first_from(id, u32::try_from(ids.len()).unwrap(), |at| ids[at as usize] < *id);
                prop_assert_eq!(found as usize, ids.partition_point(|other| other < id));
            }
        }
    }

    #[test]
    fn ids_by_hash_are_found_near_the_guess() {
        let base = 36_u64.pow(5);
        let id = |number: u64| {
            let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % base;
            let digit = |place: u32| {
                let digit = u32::try_from(hash / 36_u64.pow(place) % 36).unwrap();
                char::from_digit(digit, 36).unwrap()
            };
            (0..5)
                .rev()
                .map(digit)
                .fold("bd-".to_owned(), |id, c| id + &c.to_string())
        };
        let ids = sorted((0..50_000).map(id).collect());
        let rows = u32::try_from(ids.len()).unwrap();
        for id in ids.iter().step_by(997) {
            let looked = Cell::new((rows, 0));
            let found = first_from(id, rows, |at| {
                let (least, most) = looked.get();
                looked.set((least.min(at), most.max(at)));
                ids[at as usize] < *id
            });
            assert_eq!(ids[found as usize], *id);
            let (least, most) = looked.get();
            assert!(most - least < rows / 10, "{least} to {most} of {rows}");
        }
    }
}
