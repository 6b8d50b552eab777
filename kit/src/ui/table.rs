//! Columns that fit the page: all columns are as wide as their longest cell, except the last one,
//! which is cut with `…`.

use unicode_width::UnicodeWidthStr;

use super::Page;
use super::cut::{cut_to_width, pad_to_width};

/// Rows of cells. Cells hold plain text; `paint` may colour them after the layout.
#[derive(Debug, Default)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    indent: usize,
}

impl TextTable {
    pub fn new() -> Self {
        Self::default()
    }

    /// Indents every row by this number of columns.
    #[must_use]
    pub fn indent(mut self, columns: usize) -> Self {
        self.indent = columns;
        self
    }

    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    pub fn print(&self, page: &mut Page) {
        self.print_with(page, |_, _, cell| cell.to_owned());
    }

    /// Writes the table. `paint` gets row, column and the padded cell.
    pub fn print_with(&self, page: &mut Page, paint: impl Fn(usize, usize, &str) -> String) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| cell.width())
                    .max()
                    .unwrap_or(0)
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
                    text = cut_to_width(&text, room);
                } else if !last {
                    text = pad_to_width(&text, widths[column]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::Style;

    #[test]
    fn columns_are_aligned_and_the_last_is_cut() {
        let mut table = TextTable::new();
        table.row(["a", "a long text that does not fit"]);
        table.row(["bcd", "short"]);
        let mut page = Page::new(Some(20), Style::plain());
        table.print(&mut page);
        assert_eq!(page.text(), "a    a long text th…\nbcd  short\n");
    }
}
