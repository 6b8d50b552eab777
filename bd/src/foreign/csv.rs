//! Parses issues from CSV exports.

use super::issue::{TrackerComment, TrackerIssue, parse_instant};
use super::{ForeignError, Tracker};

/// A table with named columns. Several columns may have the same name.
#[derive(Debug, Default)]
struct CsvTable {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl CsvTable {
    fn parse(text: &str) -> Result<Self, ForeignError> {
        if text.matches('"').count() % 2 == 1 {
            let open = "a quotation mark is not closed, so the rows after it cannot be told apart";
            return Err(ForeignError::Unknown(open.to_owned()));
        }
        let text = text.trim_start_matches('\u{feff}');
        let mut builder = csv::ReaderBuilder::new();
        let reader = builder.flexible(true).has_headers(false);
        let mut rows = Vec::new();
        for row in reader.from_reader(text.as_bytes()).records() {
            let row = row.map_err(|error| ForeignError::Unknown(format!("no CSV: {error}")))?;
            rows.push(row.iter().map(|cell| cell.trim().to_owned()).collect());
        }
        let mut rows: std::vec::IntoIter<Vec<String>> = rows.into_iter();
        Ok(Self {
            names: rows.next().unwrap_or_default(),
            rows: rows
                .filter(|row| row.iter().any(|cell| !cell.is_empty()))
                .collect(),
        })
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|column| column == name)
    }

    /// Returns the cells of a row under a name that are not empty.
    fn all(&self, row: &[String], name: &str) -> Vec<String> {
        self.names
            .iter()
            .zip(row)
            .filter(|(column, _)| *column == name)
            .map(|(_, cell)| cell)
            .filter(|cell| !cell.is_empty())
            .cloned()
            .collect()
    }

    fn first(&self, row: &[String], name: &str) -> String {
        self.all(row, name).into_iter().next().unwrap_or_default()
    }
}

pub(super) fn detect_csv(text: &str) -> Option<Tracker> {
    let first_line = text.lines().next().unwrap_or("");
    let table = CsvTable::parse(first_line).ok()?;
    if table.has("Issue key") && table.has("Summary") {
        Some(Tracker::Jira)
    } else if table.has("ID") && table.has("Title") && table.has("Team") {
        Some(Tracker::Linear)
    } else {
        None
    }
}

pub(super) fn parse_csv_issues(
    text: &str,
    tracker: Tracker,
) -> Result<Vec<TrackerIssue>, ForeignError> {
    let table = CsvTable::parse(text)?;
    let found: Vec<TrackerIssue> = table
        .rows
        .iter()
        .map(|row| match tracker {
            Tracker::Linear => linear_from_row(&table, row),
            Tracker::Jira | Tracker::Github => jira_from_row(&table, row),
        })
        .filter(|issue| !issue.key.is_empty())
        .collect();
    if found.is_empty() {
        return Err(ForeignError::no_issues_of(tracker));
    }
    Ok(found)
}

/// Splits a comma-separated list.
fn split_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn jira_from_row(table: &CsvTable, row: &[String]) -> TrackerIssue {
    let cell = |name: &str| table.first(row, name);
    TrackerIssue {
        key: cell("Issue key"),
        title: cell("Summary"),
        body: cell("Description"),
        state: cell("Status"),
        kind: cell("Issue Type"),
        priority: cell("Priority"),
        assignee: cell("Assignee"),
        creator: cell("Creator"),
        labels: table.all(row, "Labels"),
        created: cell("Created"),
        updated: cell("Updated"),
        closed: cell("Resolved"),
        due: cell("Due date"),
        parent: Some(cell("Parent key")).filter(|key| !key.is_empty()),
        blocked_by: table.all(row, "Inward issue link (Blocks)"),
        comments: (table.all(row, "Comment").iter())
            .map(|cell| parse_jira_comment(cell))
            .collect(),
        ..TrackerIssue::default()
    }
}

/// Parses a comment of a Jira export: `TIME;AUTHOR;TEXT`.
fn parse_jira_comment(cell: &str) -> TrackerComment {
    let mut parts = cell.splitn(3, ';');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(created), Some(author), Some(text)) if parse_instant(created).is_some() => {
            TrackerComment {
                author: author.trim().to_owned(),
                text: text.trim().to_owned(),
                created: created.to_owned(),
            }
        }
        _ => TrackerComment {
            text: cell.to_owned(),
            ..TrackerComment::default()
        },
    }
}

fn linear_from_row(table: &CsvTable, row: &[String]) -> TrackerIssue {
    let cell = |name: &str| table.first(row, name);
    let closed = [cell("Completed"), cell("Canceled")].into_iter();
    TrackerIssue {
        key: cell("ID"),
        title: cell("Title"),
        body: cell("Description"),
        state: cell("Status"),
        priority: cell("Priority"),
        assignee: cell("Assignee"),
        creator: cell("Creator"),
        labels: split_list(&cell("Labels")),
        created: cell("Created"),
        updated: cell("Updated"),
        closed: closed
            .into_iter()
            .find(|time| !time.is_empty())
            .unwrap_or_default(),
        due: cell("Due Date"),
        parent: Some(cell("Parent issue")).filter(|key| !key.is_empty()),
        blocked_by: split_list(&cell("Blocked by")),
        ..TrackerIssue::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_cells_may_contain_commas_newlines_and_quotes() {
        let table = CsvTable::parse("\u{feff}A,B,B\n,\"b, \"\"c\"\"\nd\",e\r\n,,\n").unwrap();
        assert_eq!(table.rows.len(), 1, "an empty row is none");
        assert_eq!(table.all(&table.rows[0], "B"), ["b, \"c\"\nd", "e"]);
        assert!(CsvTable::parse("A\n\"open\nrest").is_err());
    }
}
