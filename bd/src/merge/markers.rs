//! Splits a file with git's conflict markers into its sides.

use std::ops::RangeInclusive;

use crate::bead::lines::is_conflict_marker;

/// The sides of a file with conflict markers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MarkedSides {
    /// The base, as far as the markers show it.
    pub base: Vec<u8>,
    pub left: Vec<u8>,
    pub right: Vec<u8>,
    pub conflicts: Vec<MarkedConflict>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct MarkedConflict {
    /// The range of lines with the markers, from 1.
    pub lines: RangeInclusive<usize>,
    /// Git's label of our side.
    pub left_label: String,
    /// Git's label of their side.
    pub right_label: String,
    /// The ids of the beads in the conflict.
    pub ids: Vec<String>,
}

/// The line of a marker without a matching one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {0} has a conflict marker out of order")]
pub struct BadMarker(pub usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkerSection {
    Nothing,
    Left,
    Base,
    Right,
}

/// Splits a file into its sides.
pub fn split_sides(text: &[u8]) -> Result<MarkedSides, BadMarker> {
    let mut sides = MarkedSides::default();
    let mut within = MarkerSection::Nothing;
    let mut last = 0;
    for (at, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let number = at + 1;
        last = number;
        if !is_conflict_marker(line) {
            sides.put(line, within);
            continue;
        }
        let label = String::from_utf8_lossy(&line[7..]).trim().to_owned();
        within = match (line[0], within) {
            (b'<', MarkerSection::Nothing) => {
                sides.conflicts.push(MarkedConflict {
                    lines: number..=number,
                    left_label: label,
                    right_label: String::new(),
                    ids: Vec::new(),
                });
                MarkerSection::Left
            }
            (b'|', MarkerSection::Left) => MarkerSection::Base,
            (b'=', MarkerSection::Left | MarkerSection::Base) => MarkerSection::Right,
            (b'>', MarkerSection::Right) => {
                if let Some(conflict) = sides.conflicts.last_mut() {
                    conflict.lines = *conflict.lines.start()..=number;
                    conflict.right_label = label;
                }
                MarkerSection::Nothing
            }
            _ => return Err(BadMarker(number)),
        };
    }
    match within {
        MarkerSection::Nothing => Ok(sides),
        _ => Err(BadMarker(last)),
    }
}

impl MarkedSides {
    fn put(&mut self, line: &[u8], within: MarkerSection) {
        for (side, text) in [
            (MarkerSection::Base, &mut self.base),
            (MarkerSection::Left, &mut self.left),
            (MarkerSection::Right, &mut self.right),
        ] {
            if within == MarkerSection::Nothing || within == side {
                text.extend_from_slice(line);
            }
        }
        let conflict = self.conflicts.last_mut();
        if let Some(conflict) = conflict.filter(|_| within != MarkerSection::Nothing)
            && let Some(id) = super::id_of_line(line)
            && !conflict.ids.contains(&id)
        {
            conflict.ids.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_split_at_its_conflict_markers() {
        let text = "a\n<<<<<<< ours\nb\n||||||| base\nc\n=======\nd\n>>>>>>> theirs\ne";
        let found = split_sides(text.as_bytes()).unwrap();
        assert_eq!(found.left, b"a\nb\ne");
        assert_eq!(found.base, b"a\nc\ne");
        assert_eq!(found.right, b"a\nd\ne");
        assert_eq!(found.conflicts[0].lines, 2..=8);
        assert_eq!(found.conflicts[0].right_label, "theirs");
    }

    #[test]
    fn markers_out_of_order_are_refused() {
        for (text, line) in [
            ("=======\n", 1),
            ("<<<<<<< a\nx\n", 2),
            ("a\n>>>>>>> b\n", 2),
        ] {
            assert_eq!(split_sides(text.as_bytes()), Err(BadMarker(line)), "{text}");
        }
    }
}
