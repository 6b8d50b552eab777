//! The changed part of a large value, so that a line of history does not grow with the value: a
//! comment more is recorded without the comments before it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::bead::RawJson;
use crate::bead::record::RecordFields;

/// The number of bytes, before and after together, up to which values are recorded completely.
const WHOLE_BYTES: usize = 2048;

/// The part in which two JSON texts differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedPart {
    /// The number of equal bytes before the part.
    at: usize,
    old: String,
    new: String,
}

impl ChangedPart {
    /// Returns the part in which two texts differ, if they are large and the part is not.
    pub(super) fn between(old: &str, new: &str) -> Option<Self> {
        if old.len() + new.len() <= WHOLE_BYTES {
            return None;
        }
        let at = count_equal_bytes(old.bytes(), new.bytes());
        let at = (0..=at).rev().find(|at| old.is_char_boundary(*at))?;
        let old_rest = &old[at..];
        let new_rest = new.get(at..)?;
        let after = count_equal_bytes(old_rest.bytes().rev(), new_rest.bytes().rev());
        let after = (0..=after)
            .rev()
            .find(|after| old_rest.is_char_boundary(old_rest.len() - after))?;
        let part = Self {
            at,
            old: old_rest[..old_rest.len() - after].to_owned(),
            new: new_rest.get(..new_rest.len() - after)?.to_owned(),
        };
        (2 * (part.old.len() + part.new.len()) < old.len() + new.len()).then_some(part)
    }

    /// Returns the text before the change. `new` is the text after it, perhaps with later changes
    /// of other parts. Returns `None` if the part is no longer in it.
    pub(super) fn revert(&self, new: &str) -> Option<RawJson> {
        let at = if self.new.is_empty() {
            self.at
        } else {
            new.match_indices(&self.new)
                .map(|(at, _)| at)
                .min_by_key(|at| at.abs_diff(self.at))?
        };
        let (before, rest) = new.split_at_checked(at)?;
        let after = rest.strip_prefix(&self.new)?;
        RawValue::from_string([before, &self.old, after].concat()).ok()
    }

    /// Sets the whole values of a field before and after the change. If the text after the change
    /// is not known, only the part is shown.
    pub(super) fn show_in(
        &self,
        name: &str,
        sides: [&mut RecordFields; 2],
        after: Option<&RawValue>,
    ) {
        let known = after.and_then(|after| Some([self.revert(after.get())?, after.to_owned()]));
        let shown = known.or_else(|| {
            let show = |part: &str| serde_json::value::to_raw_value(&format!("… {part} …")).ok();
            Some([show(&self.old)?, show(&self.new)?])
        });
        for (side, value) in sides.into_iter().zip(shown.into_iter().flatten()) {
            side.set(name, &value);
        }
    }
}

fn count_equal_bytes(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(elements: &[String]) -> String {
        serde_json::to_string(elements).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_reverted_part_gives_the_text_before_the_change(
            start in proptest::collection::vec("[aä…\"\\\\]{0,300}", 8..20),
            at in 0..8_usize,
            element in "[aä…\"\\\\]{0,40}",
        ) {
            let mut changed = start.clone();
            changed[at].push_str(&element);
            for (old, new) in [(&start, &changed), (&changed, &start)] {
                let (old, new) = (list(old), list(new));
                if let Some(part) = ChangedPart::between(&old, &new) {
                    prop_assert!(part.old.len() + part.new.len() < 200);
                    let reverted = part.revert(&new).unwrap();
                    prop_assert_eq!(reverted.get(), old);
                }
            }
        }
    }

    #[test]
    fn small_values_are_recorded_completely() {
        assert_eq!(ChangedPart::between("[1]", "[1,2]"), None);
        let long = format!("[\"{}\"]", "x".repeat(WHOLE_BYTES));
        assert_eq!(ChangedPart::between(&long, "[2]"), None);
    }

    #[test]
    fn a_part_is_found_where_another_change_moved_it() {
        let old = list(&vec!["a".repeat(100); 30]);
        let new = old.replace(']', ",\"mine\"]");
        let part = ChangedPart::between(&old, &new).unwrap();
        let merged = new.replace(",\"mine\"", ",\"theirs\",\"mine\"");
        let reverted = part.revert(&merged).unwrap();
        assert_eq!(reverted.get(), old.replace(']', ",\"theirs\"]"));
        assert!(part.revert(&old).is_none());
    }
}
