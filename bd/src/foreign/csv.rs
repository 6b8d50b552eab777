//! Parses issues from CSV exports, and writes beads as CSV.

use crate::bead::{Bead, Stamp};

use super::issue::{TrackerComment, TrackerIssue, parse_instant};
use super::{ForeignError, Tracker};
use kit::table;

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
        let mut table = Self {
            names: Vec::new(),
            rows: Vec::new(),
        };
        for (number, row) in reader.from_reader(text.as_bytes()).records().enumerate() {
            let row = row.map_err(|error| ForeignError::Unknown(format!("no CSV: {error}")))?;
            let cells: Vec<String> = row.iter().map(|cell| cell.trim().to_owned()).collect();
            if number == 0 {
                table.names = cells;
            } else if cells.iter().any(|cell| !cell.is_empty()) {
                table.rows.push(cells);
            }
        }
        Ok(table)
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
        self.all(row, name).into_iter().take(1).collect()
    }
}

/// The columns of written beads.
const COLUMNS: [&str; 13] = [
    "id",
    "title",
    "status",
    "priority",
    "type",
    "assignee",
    "labels",
    "parent",
    "due",
    "created",
    "updated",
    "closed",
    "description",
];

/// Writes beads as CSV (RFC 4180) with a line of column names. Labels are separated by commas, times
/// are RFC 3339 UTC.
pub fn write_beads(beads: &[&Bead]) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let time = |stamp: Option<&Stamp>| stamp.map(ToString::to_string).unwrap_or_default();
    for bead in beads {
        writer.write_record([
            bead.id.clone(),
            bead.title.clone(),
            bead.status.as_str().to_owned(),
            bead.priority.to_string(),
            bead.issue_type.as_str().to_owned(),
            bead.assignee.clone(),
            bead.labels.join(","),
            bead.parent().unwrap_or("").to_owned(),
            time(bead.due_at.as_ref()),
            time(Some(&bead.created_at)),
            time(Some(&bead.updated_at)),
            time(bead.closed_at.as_ref()),
            bead.description.clone(),
        ])?;
    }
    Ok(writer.into_inner()?)
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
    table::split_list(text, ',').map(str::to_owned).collect()
}

fn jira_from_row(table: &CsvTable, row: &[String]) -> TrackerIssue {
    let read_cell = |name: &str| table.first(row, name);
    TrackerIssue {
        key: read_cell("Issue key"),
        title: read_cell("Summary"),
        body: read_cell("Description"),
        state: read_cell("Status"),
        kind: read_cell("Issue Type"),
        priority: read_cell("Priority"),
        assignee: read_cell("Assignee"),
        creator: read_cell("Creator"),
        labels: table.all(row, "Labels"),
        created: read_cell("Created"),
        updated: read_cell("Updated"),
        closed: read_cell("Resolved"),
        due: read_cell("Due date"),
        parent: Some(read_cell("Parent key")).filter(|key| !key.is_empty()),
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
    let read_cell = |name: &str| table.first(row, name);
    TrackerIssue {
        key: read_cell("ID"),
        title: read_cell("Title"),
        body: read_cell("Description"),
        state: read_cell("Status"),
        priority: read_cell("Priority"),
        assignee: read_cell("Assignee"),
        creator: read_cell("Creator"),
        labels: split_list(&read_cell("Labels")),
        created: read_cell("Created"),
        updated: read_cell("Updated"),
        closed: match read_cell("Completed") {
            time if time.is_empty() => read_cell("Canceled"),
            time => time,
        },
        due: read_cell("Due Date"),
        parent: Some(read_cell("Parent issue")).filter(|key| !key.is_empty()),
        blocked_by: split_list(&read_cell("Blocked by")),
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
