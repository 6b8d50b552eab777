//! Comma-separated values, as RFC 4180 has them.

/// A table with named columns; a name may stand for several.
#[derive(Debug, Default)]
pub(super) struct Table {
    names: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn read(text: &str) -> Self {
        let mut rows = rows(text.trim_start_matches('\u{feff}')).into_iter();
        let names = rows.next().unwrap_or_default();
        Self {
            names: names.iter().map(|name| name.trim().to_owned()).collect(),
            rows: rows
                .filter(|row| row.iter().any(|cell| !cell.is_empty()))
                .collect(),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// The cells of a row under a name that are not empty.
    pub(super) fn all(&self, row: &[String], name: &str) -> Vec<String> {
        let cells = self.names.iter().zip(row).filter(|(own, _)| *own == name);
        cells
            .map(|(_, cell)| cell.trim().to_owned())
            .filter(|cell| !cell.is_empty())
            .collect()
    }

    pub(super) fn first(&self, row: &[String], name: &str) -> String {
        self.all(row, name).into_iter().next().unwrap_or_default()
    }
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_commas_lines_and_quotes() {
        let found = rows("a,\"b, \"\"c\"\"\nd\"\r\n,e");
        assert_eq!(found, [vec!["a", "b, \"c\"\nd"], vec!["", "e"]]);
    }
}
