//! Fits text to a width: pads it, or cuts it with `…`.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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

    proptest! {
        #[test]
        fn cut_text_fits_the_width(text in any::<String>(), width in 0usize..40) {
            prop_assert!(cut_to_width(&text, width).width() <= width.max(text.width().min(width)));
        }
    }
}
