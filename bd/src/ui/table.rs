//! Columns that fit the page: all but the last as wide as their longest cell, the last cut with `…`.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Page;

/// Rows of cells. Cells hold plain text; a painter may colour them after they were laid out.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
    indent: usize,
}

impl Table {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts every row this many columns to the right.
    #[must_use]
    pub fn indent(mut self, columns: usize) -> Self {
        self.indent = columns;
        self
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Writes the table.
    pub fn print(&self, page: &mut Page) {
        self.print_with(page, |_, _, cell| cell.to_owned());
    }

    /// Writes the table; `paint` gets row, column and the padded cell.
    pub fn print_with(&self, page: &mut Page, paint: impl Fn(usize, usize, &str) -> String) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.width()).max().unwrap_or(0)
            })
            .collect();
        for (number, row) in self.rows.iter().enumerate() {
            let mut line = " ".repeat(self.indent);
            let mut used = self.indent;
            for (column, cell) in row.iter().enumerate() {
                let last = column + 1 == row.len();
                let room = page.known_width().map(|width| width.saturating_sub(used));
                let mut text = cell.clone();
                if let (true, Some(room)) = (last, room) {
                    text = cut(&text, room);
                } else if !last {
                    text = pad(&text, widths[column]);
                }
                used += text.width() + 2;
                line.push_str(&paint(number, column, &text));
                if !last {
                    line.push_str("  ");
                }
            }
            page.line(line.trim_end());
        }
    }
}

/// Pads text with spaces to `width` columns.
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Cuts text to `width` columns, the last one `…` where something was cut.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let own = c.width().unwrap_or(0);
        if used + own + 1 > width {
            break;
        }
        used += own;
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// As [`cut`] for text that holds colour sequences, which take no room and are kept.
pub fn cut_styled(text: &str, width: usize) -> String {
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
    let short = cut(&plain, width);
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
    fn columns_line_up_and_the_last_is_cut() {
        let mut table = Table::new();
        table.row(["a", "a long text that does not fit"]);
        table.row(["bcd", "short"]);
        let mut page = Page::new(Some(20), Style::plain());
        table.print(&mut page);
        assert_eq!(page.text(), "a    a long text th…\nbcd  short\n");
    }

    #[test]
    fn wide_characters_count_two() {
        assert_eq!(cut("日本語テキスト", 7), "日本語…");
    }

    #[test]
    fn colours_take_no_room() {
        let painted = Style::coloured().red("abcdef");
        assert_eq!(cut_styled(&painted, 6), painted);
        assert_eq!(cut_styled(&painted, 4), "\u{1b}[31mabc\u{1b}[0m…");
    }

    proptest! {
        #[test]
        fn cut_text_fits(text in any::<String>(), width in 0usize..40) {
            prop_assert!(cut(&text, width).width() <= width.max(text.width().min(width)));
        }
    }
}
