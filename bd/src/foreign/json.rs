//! Parses issues from JSON in the formats of the usual tools.

use serde_json::Value;

use super::issue::{TrackerComment, TrackerIssue};
use super::{ForeignError, Tracker};

/// Parses a JSON text. Arrays one after the other, as `gh api --paginate` prints them, are one.
pub(super) fn parse_pages(text: &str) -> serde_json::Result<Value> {
    if !text.trim_start().starts_with('[') {
        return serde_json::from_str(text);
    }
    let mut items = Vec::new();
    for page in serde_json::Deserializer::from_str(text).into_iter::<Vec<Value>>() {
        items.extend(page?);
    }
    Ok(Value::Array(items))
}

/// Finds the issues in a value: a list, or a list under `issues`, `nodes` or `data`.
fn find_issue_list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(object) => ["issues", "nodes", "data"]
            .into_iter()
            .find_map(|key| object.get(key))
            .map_or(Vec::new(), find_issue_list),
        _ => Vec::new(),
    }
}

pub(super) fn detect_json(value: &Value) -> Option<Tracker> {
    let list = find_issue_list(value);
    let first = list.first()?;
    if first.get("number").is_some() {
        Some(Tracker::Github)
    } else if first.get("identifier").is_some() {
        Some(Tracker::Linear)
    } else if first.get("key").is_some() && first.get("fields").is_some() {
        Some(Tracker::Jira)
    } else {
        None
    }
}

pub(super) fn parse_json_issues(
    value: &Value,
    tracker: Tracker,
) -> Result<Vec<TrackerIssue>, ForeignError> {
    let list = find_issue_list(value);
    let read = match tracker {
        Tracker::Github => parse_github_issue,
        Tracker::Jira => parse_jira_issue,
        Tracker::Linear => parse_linear_issue,
    };
    let has_any = !list.is_empty();
    // GitHub's REST interface lists pull requests as issues.
    let found: Vec<TrackerIssue> = list
        .into_iter()
        .filter(|item| item.get("pull_request").is_none())
        .map(read)
        .filter(|issue| !issue.key.is_empty())
        .collect();
    if found.is_empty() && has_any {
        return Err(ForeignError::no_issues_of(tracker));
    }
    Ok(found)
}

/// Returns the first value that is text or a number. Each path is a JSON pointer.
fn first_text(value: &Value, paths: &[&str]) -> String {
    for path in paths {
        match value.pointer(path) {
            Some(Value::String(text)) => return text.clone(),
            Some(Value::Number(number)) if number.is_i64() => return number.to_string(),
            _ => {}
        }
    }
    String::new()
}

/// Returns the texts of a list of strings or of objects with a name.
fn list_names(value: &Value) -> Vec<String> {
    let items = match value.get("nodes").unwrap_or(value) {
        Value::Array(items) => items.as_slice(),
        _ => &[],
    };
    items
        .iter()
        .map(|item| match item.as_str() {
            Some(word) => word.to_owned(),
            None => first_text(item, &["/name", "/login"]),
        })
        .filter(|name| !name.is_empty())
        .collect()
}

fn parse_comments(value: &Value) -> Vec<TrackerComment> {
    let items = value.get("nodes").unwrap_or(value).as_array();
    items
        .into_iter()
        .flatten()
        .map(|item| {
            let author = [
                "/author/login",
                "/user/login",
                "/author/displayName",
                "/user/name",
            ];
            TrackerComment {
                author: first_text(item, &author),
                text: plain_text(&item["body"]),
                created: first_text(item, &["/createdAt", "/created_at", "/created"]),
            }
        })
        .collect()
}

/// Returns a text, or the words of a document tree.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => {
            let own_text = object.get("text").and_then(Value::as_str).unwrap_or("");
            let inner = object.get("content").map_or(String::new(), plain_text);
            let end = match object.get("type").and_then(Value::as_str) {
                Some("paragraph" | "heading" | "listItem") => "\n",
                _ => "",
            };
            format!("{own_text}{inner}{end}")
        }
        Value::Array(items) => items.iter().map(plain_text).collect(),
        _ => String::new(),
    }
}

fn parse_github_issue(item: &Value) -> TrackerIssue {
    let body = first_text(item, &["/body"]);
    TrackerIssue {
        key: first_text(item, &["/number"]),
        // The REST interface has the page's address under another key.
        url: first_text(item, &["/html_url", "/url"]),
        others: list_names(&item["assignees"]).into_iter().skip(1).collect(),
        title: first_text(item, &["/title"]),
        state: first_text(item, &["/state"]),
        assignee: first_text(item, &["/assignees/0/login", "/assignee/login"]),
        creator: first_text(item, &["/author/login", "/user/login"]),
        labels: list_names(&item["labels"]),
        created: first_text(item, &["/createdAt", "/created_at"]),
        updated: first_text(item, &["/updatedAt", "/updated_at"]),
        closed: first_text(item, &["/closedAt", "/closed_at"]),
        due: first_text(item, &["/milestone/dueOn", "/milestone/due_on"]),
        parent: find_mentions(&body, &["part of #", "parent: #", "parent #"])
            .into_iter()
            .next(),
        blocked_by: find_mentions(&body, &["blocked by #", "depends on #"]),
        comments: parse_comments(&item["comments"]),
        body,
        ..TrackerIssue::default()
    }
}

/// Returns the issue numbers after any of the given words.
fn find_mentions(body: &str, words: &[&str]) -> Vec<String> {
    let body = body.to_lowercase();
    let mut found = Vec::new();
    for word in words {
        for rest in body.split(word).skip(1) {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            if !digits.is_empty() && !found.contains(&digits) {
                found.push(digits);
            }
        }
    }
    found
}

fn parse_jira_issue(item: &Value) -> TrackerIssue {
    let fields = &item["fields"];
    TrackerIssue {
        key: first_text(item, &["/key"]),
        title: first_text(fields, &["/summary"]),
        body: plain_text(&fields["description"]).trim_end().to_owned(),
        state: match first_text(fields, &["/status/statusCategory/key"]).as_str() {
            "done" => "done".to_owned(),
            "indeterminate" => "indeterminate".to_owned(),
            _ => first_text(fields, &["/status/name"]),
        },
        kind: first_text(fields, &["/issuetype/name"]),
        priority: first_text(fields, &["/priority/name"]),
        assignee: first_text(fields, &["/assignee/displayName", "/assignee/name"]),
        creator: first_text(fields, &["/creator/displayName", "/reporter/displayName"]),
        labels: list_names(&fields["labels"]),
        created: first_text(fields, &["/created"]),
        updated: first_text(fields, &["/updated"]),
        closed: first_text(fields, &["/resolutiondate"]),
        due: first_text(fields, &["/duedate"]),
        estimated_minutes: fields["timeoriginalestimate"]
            .as_i64()
            .map(|seconds| seconds / 60),
        parent: Some(first_text(fields, &["/parent/key"])).filter(|key| !key.is_empty()),
        blocked_by: fields["issuelinks"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|link| first_text(link, &["/type/name"]) == "Blocks")
            .map(|link| first_text(link, &["/inwardIssue/key"]))
            .filter(|key| !key.is_empty())
            .collect(),
        comments: parse_comments(&fields["comment"]["comments"]),
        ..TrackerIssue::default()
    }
}

fn parse_linear_issue(item: &Value) -> TrackerIssue {
    TrackerIssue {
        key: first_text(item, &["/identifier"]),
        url: first_text(item, &["/url"]),
        title: first_text(item, &["/title"]),
        body: first_text(item, &["/description"]),
        state: first_text(item, &["/state/type", "/state/name"]),
        priority: match item["priority"].as_i64() {
            Some(number @ 1..=4) => format!("p{}", number - 1),
            _ => String::new(),
        },
        assignee: first_text(item, &["/assignee/name", "/assignee/displayName"]),
        creator: first_text(item, &["/creator/name"]),
        labels: list_names(&item["labels"]),
        created: first_text(item, &["/createdAt"]),
        updated: first_text(item, &["/updatedAt"]),
        closed: first_text(item, &["/completedAt", "/canceledAt"]),
        due: first_text(item, &["/dueDate"]),
        parent: Some(first_text(item, &["/parent/identifier"])).filter(|key| !key.is_empty()),
        blocked_by: item["inverseRelations"]["nodes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|relation| first_text(relation, &["/type"]) == "blocks")
            .map(|relation| first_text(relation, &["/issue/identifier"]))
            .filter(|key| !key.is_empty())
            .collect(),
        comments: parse_comments(&item["comments"]),
        ..TrackerIssue::default()
    }
}
