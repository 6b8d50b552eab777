//! Fits text to a width or a size: pads it, or cuts it. A cut never splits a character.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns at most the first `limit` bytes of a text.
pub fn first_bytes(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// Returns at most the first `limit` characters of a text.
pub fn first_characters(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Returns at most the first `limit` bytes of a text. A cut text ends with a whole line, unless its
/// first line is longer.
pub fn first_lines(text: &str, limit: usize) -> &str {
    let start = first_bytes(text, limit);
    if start.len() == text.len() {
        return text;
    }
    start.rfind('\n').map_or(start, |end| &start[..end])
}

/// Returns at most the last `limit` bytes of a text. A cut text begins with a whole line, unless
/// its last line is longer.
pub fn last_lines(text: &str, limit: usize) -> &str {
    let end = &text[text.ceil_char_boundary(text.len().saturating_sub(limit))..];
    if end.len() == text.len() {
        return text;
    }
    end.find('\n').map_or(end, |line_end| &end[line_end + 1..])
}

/// Returns the number of columns of a text without colours.
pub fn count_columns(text: &str) -> usize {
    text.width()
}

/// Pads text with spaces to `width` columns.
pub fn pad_to_width(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Cuts text to `width` columns. The last one is `…` if anything was cut.
pub fn cut_to_width(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let char_width = c.width().unwrap_or(0);
        if used + char_width + 1 > width {
            break;
        }
        used += char_width;
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Like [`cut_to_width`], for text with colour sequences, which have no width and are kept.
pub fn cut_styled_to_width(text: &str, width: usize) -> String {
    let mut plain = String::new();
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let end = rest[at..].find('m').map_or(rest.len(), |end| at + end + 1);
        plain.push_str(&rest[..at]);
        pieces.push((plain.len(), &rest[at..end]));
        rest = &rest[end..];
    }
    plain.push_str(rest);
    if plain.width() <= width {
        return text.to_owned();
    }
    let short = cut_to_width(&plain, width);
    let kept = short.len() - '…'.len_utf8().min(short.len());
    let mut out = String::new();
    let mut from = 0;
    for (at, sequence) in pieces {
        let at = at.min(kept);
        out.push_str(&short[from..at]);
        out.push_str(sequence);
        from = at;
    }
    out.push_str(&short[from..]);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ui::Style;

    #[test]
    fn wide_characters_count_as_two_columns() {
        assert_eq!(cut_to_width("日本語テキスト", 7), "日本語…");
    }

    #[test]
    fn colors_take_no_columns() {
        let painted = Style::coloured().red("abcdef");
        assert_eq!(cut_styled_to_width(&painted, 6), painted);
        assert_eq!(cut_styled_to_width(&painted, 4), "\u{1b}[31mabc\u{1b}[0m…");
    }

    #[test]
    fn a_part_of_a_text_has_whole_lines_if_possible() {
        assert_eq!(first_lines("first\nsecond", 9), "first");
        assert_eq!(first_lines("first\nsecond", 12), "first\nsecond");
        assert_eq!(last_lines("first\nsecond\nthird", 12), "third");
        assert_eq!(last_lines("short", 10), "short");
        assert_eq!(first_lines("üüüü", 3), "ü");
        assert_eq!(last_lines("üüüü", 3), "ü");
    }

    proptest! {
        #[test]
        fn cut_text_fits_the_width(text in any::<String>(), width in 0usize..40) {
            prop_assert!(cut_to_width(&text, width).width() <= width.max(text.width().min(width)));
        }
    }
}
