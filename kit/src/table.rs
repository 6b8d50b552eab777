//! Reads tables that are embedded as text: one row per line, with `|` between the columns. Empty
//! lines and lines that begin with `#` are skipped.

/// Returns the rows of a table with `N` columns, without the spaces around them. Missing columns
/// are empty. The last column holds the rest of its line, so it may be a list.
pub fn read_rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| {
            let mut columns = line.splitn(N, '|').map(str::trim);
            std::array::from_fn(|_| columns.next().unwrap_or(""))
        })
}

/// Returns the second column of the first row whose first column is `name`.
pub fn find_meaning<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    read_rows(table).find_map(|[first, second]| (first == name).then_some(second))
}

/// Returns the entries of a column that is a list, without the spaces around them.
pub fn split_list(column: &str, separator: char) -> impl Iterator<Item = &str> {
    column
        .split(separator)
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_skipped_and_the_last_column_holds_the_rest() {
        let table = "# Columns\n\nstop | type one of | a | b\nlist\n";
        let rows: Vec<[&str; 2]> = read_rows(table).collect();
        assert_eq!(rows, [["stop", "type one of | a | b"], ["list", ""]]);
        assert_eq!(find_meaning(table, "list"), Some(""));
        assert_eq!(find_meaning(table, "# Columns"), None);
        assert!(split_list(rows[0][1], '|').eq(["type one of", "a", "b"]));
        assert_eq!(split_list("", ',').count(), 0);
    }
}
