//! Issues from CSV exports.

use super::Tracker;
use super::issue::TrackerIssue;
use super::table::Table;

pub(super) fn detect(text: &str) -> Option<Tracker> {
    let table = Table::read(text);
    if table.has("Issue key") && table.has("Summary") {
        Some(Tracker::Jira)
    } else if table.has("ID") && table.has("Title") && table.has("Team") {
        Some(Tracker::Linear)
    } else {
        None
    }
}

pub(super) fn issues(text: &str, tracker: Tracker) -> Vec<TrackerIssue> {
    let table = Table::read(text);
    let rows = table.rows.iter().map(|row| match tracker {
        Tracker::Linear => linear(&table, row),
        Tracker::Jira | Tracker::Github => jira(&table, row),
    });
    rows.filter(|issue| !issue.key.is_empty()).collect()
}

/// The words in a list with commas.
fn words(text: &str) -> Vec<String> {
    let words = text.split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn jira(table: &Table, row: &[String]) -> TrackerIssue {
    let one = |name: &str| table.first(row, name);
    TrackerIssue {
        key: one("Issue key"),
        title: one("Summary"),
        body: one("Description"),
        state: one("Status"),
        kind: one("Issue Type"),
        priority: one("Priority"),
        assignee: one("Assignee"),
        creator: one("Creator"),
        labels: table.all(row, "Labels"),
        created: one("Created"),
        updated: one("Updated"),
        closed: one("Resolved"),
        due: one("Due date"),
        parent: Some(one("Parent key")).filter(|key| !key.is_empty()),
        blocked_by: table.all(row, "Inward issue link (Blocks)"),
        ..TrackerIssue::default()
    }
}

fn linear(table: &Table, row: &[String]) -> TrackerIssue {
    let one = |name: &str| table.first(row, name);
    let closed = [one("Completed"), one("Canceled")].into_iter();
    TrackerIssue {
        key: one("ID"),
        title: one("Title"),
        body: one("Description"),
        state: one("Status"),
        priority: one("Priority"),
        assignee: one("Assignee"),
        creator: one("Creator"),
        labels: words(&one("Labels")),
        created: one("Created"),
        updated: one("Updated"),
        closed: closed
            .into_iter()
            .find(|time| !time.is_empty())
            .unwrap_or_default(),
        due: one("Due Date"),
        parent: Some(one("Parent issue")).filter(|key| !key.is_empty()),
        blocked_by: words(&one("Blocked by")),
        ..TrackerIssue::default()
    }
}
