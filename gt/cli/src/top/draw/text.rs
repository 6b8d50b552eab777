//! Breaks text into lines of a width.

use super::super::rows::{MoreLine, Tone};
use kit::ui::cut::cut_to_width;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Breaks a text at spaces into lines of at most `width` columns, and longer words anywhere. At
/// least one line.
pub(super) fn wrap_text(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        if used > 0 && used + word.trim_end().width() > width {
            lines.push(line.trim_end().to_owned());
            line.clear();
            used = 0;
        }
        for c in word.chars() {
            let char_width = c.width().unwrap_or(0);
            if used + char_width > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
                if c == ' ' {
                    continue;
                }
            }
            line.push(c);
            used += char_width;
        }
    }
    if !line.trim_end().is_empty() || lines.is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Joins parts with a separator into lines of at most `width` columns. No part is broken.
pub(super) fn join_parts(parts: &[String], separator: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + separator.width() + part.width() <= width => {
                line.push_str(separator);
                line.push_str(part);
            }
            _ => lines.push(cut_to_width(part, width)),
        }
    }
    lines
}

/// Puts a text at the left and another one at the right edge. The left one is cut.
pub(super) fn spread(left: &str, right: &str, width: usize) -> String {
    if right.is_empty() {
        return cut_to_width(left, width);
    }
    let right = cut_to_width(right, width / 2);
    let room = width.saturating_sub(right.width() + 1);
    let left = kit::ui::cut::pad_to_width(&cut_to_width(left, room), room);
    format!("{left} {right}")
}

/// Returns the columns of a line from `left` on, at most `width`. A mark at each edge stands for the
/// columns that are not shown.
pub(super) fn cut_parts(parts: &[MoreLine], left: usize, width: usize) -> Vec<MoreLine> {
    let columns: usize = parts.iter().map(|part| part.text.width()).sum();
    let end = left + width;
    let first = left + usize::from(left > 0 && columns > 0);
    let last = if columns > end {
        end.saturating_sub(1)
    } else {
        end
    };
    let edge = |text: &str| MoreLine {
        tone: Tone::Dim,
        text: text.to_owned(),
    };
    let mut cut = Vec::new();
    if first > left {
        cut.push(edge("‹"));
    }
    let mut column = 0;
    for part in parts {
        let mut text = String::new();
        for c in part.text.chars() {
            let next = column + c.width().unwrap_or(0);
            if column >= first && next <= last {
                text.push(c);
            } else if next > first && column < last {
                // Half of a wide character.
                text.push_str(&" ".repeat(next.min(last) - column.max(first)));
            }
            column = next;
        }
        if !text.is_empty() {
            cut.push(MoreLine {
                tone: part.tone,
                text,
            });
        }
    }
    if columns > end {
        cut.push(edge("…"));
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_cut_at_both_edges_and_keeps_its_tones() {
        let part = |tone, text: &str| MoreLine {
            tone,
            text: text.to_owned(),
        };
        let parts = [part(Tone::Good, "abc"), part(Tone::Bad, "d漢字z")];
        let shown = |left, width| -> String {
            let cut = cut_parts(&parts, left, width);
            cut.iter().map(|part| part.text.as_str()).collect()
        };
        assert_eq!(shown(0, 20), "abcd漢字z");
        assert_eq!(shown(0, 6), "abcd …");
        assert_eq!(shown(0, 4), "abc…");
        assert_eq!(shown(2, 7), "‹d漢字z");
        assert_eq!(shown(4, 5), "‹ 字z");
        assert_eq!(shown(30, 5), "‹");
        assert_eq!(cut_parts(&parts, 0, 4)[0].tone, Tone::Good);
    }

    #[test]
    fn text_is_broken_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap_text("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap_text("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap_text("", 4), [""]);
        assert_eq!(wrap_text("漢字漢字", 4), ["漢字", "漢字"]);
    }

    #[test]
    fn parts_are_joined_as_far_as_they_fit() {
        let parts = ["aa", "bb", "cc"].map(str::to_owned);
        assert_eq!(join_parts(&parts, " · ", 7), ["aa · bb", "cc"]);
    }

    #[test]
    fn the_right_text_stays_at_the_edge() {
        assert_eq!(spread("left", "3m", 10), "left    3m");
        assert_eq!(spread("a long text", "3m", 10), "a long… 3m");
    }
}
