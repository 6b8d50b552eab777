//! Issues from JSON, as the usual tools write it.

use serde_json::Value;

use super::issue::TrackerIssue;
use super::{ForeignError, Tracker};

/// The issues in a value, wherever they are: a list, `issues`, `nodes`, `data`.
fn list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(object) => {
            let inner = ["issues", "nodes", "data"].into_iter();
            let mut found = inner.filter_map(|key| object.get(key));
            found.next().map(list).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

pub(super) fn detect(value: &Value) -> Option<Tracker> {
    let list = list(value);
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

pub(super) fn issues(value: &Value, tracker: Tracker) -> Result<Vec<TrackerIssue>, ForeignError> {
    let list = list(value);
    let read = match tracker {
        Tracker::Github => github,
        Tracker::Jira => jira,
        Tracker::Linear => linear,
    };
    let has_any = !list.is_empty();
    // GitHub's REST interface lists pull requests, too.
    let own = list
        .into_iter()
        .filter(|item| item.get("pull_request").is_none());
    let found: Vec<TrackerIssue> = own
        .map(read)
        .filter(|issue| !issue.key.is_empty())
        .collect();
    if found.is_empty() && has_any {
        return Err(ForeignError::none_of(tracker));
    }
    Ok(found)
}

/// The first of some values that is text or a number; each is given by its keys.
fn text(value: &Value, paths: &[&str]) -> String {
    let found = paths.iter().find_map(|path| {
        let found = value.pointer(path)?;
        found
            .as_str()
            .map(str::to_owned)
            .or_else(|| found.as_i64().map(|number| number.to_string()))
    });
    found.unwrap_or_default()
}

/// The texts of a list of words or of objects with a name.
fn names(value: &Value) -> Vec<String> {
    let items = match value.get("nodes").unwrap_or(value) {
        Value::Array(items) => items.as_slice(),
        _ => &[],
    };
    let name = |item: &Value| match item.as_str() {
        Some(word) => word.to_owned(),
        None => text(item, &["/name", "/login"]),
    };
    items
        .iter()
        .map(name)
        .filter(|name| !name.is_empty())
        .collect()
}

fn comments(value: &Value) -> Vec<(String, String, String)> {
    let items = value.get("nodes").unwrap_or(value).as_array();
    let comment = |item: &Value| {
        let author = [
            "/author/login",
            "/user/login",
            "/author/displayName",
            "/user/name",
        ];
        let body = item.get("body").map(plain_text).unwrap_or_default();
        (
            text(item, &author),
            body,
            text(item, &["/createdAt", "/created_at", "/created"]),
        )
    };
    items.into_iter().flatten().map(comment).collect()
}

/// A text, or the words of a document tree.
fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => {
            let own = object
                .get("text")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let inner = object.get("content").map(plain_text).unwrap_or_default();
            let end = match object.get("type").and_then(Value::as_str) {
                Some("paragraph" | "heading" | "listItem") => "\n",
                _ => "",
            };
            format!("{own}{inner}{end}")
        }
        Value::Array(items) => items.iter().map(plain_text).collect(),
        _ => String::new(),
    }
}

fn github(item: &Value) -> TrackerIssue {
    let body = text(item, &["/body"]);
    TrackerIssue {
        key: text(item, &["/number"]),
        // The REST interface keeps the page's address elsewhere.
        url: text(item, &["/html_url", "/url"]),
        others: names(&item["assignees"]).into_iter().skip(1).collect(),
        title: text(item, &["/title"]),
        state: text(item, &["/state"]),
        assignee: text(item, &["/assignees/0/login", "/assignee/login"]),
        creator: text(item, &["/author/login", "/user/login"]),
        labels: names(&item["labels"]),
        created: text(item, &["/createdAt", "/created_at"]),
        updated: text(item, &["/updatedAt", "/updated_at"]),
        closed: text(item, &["/closedAt", "/closed_at"]),
        due: text(item, &["/milestone/dueOn", "/milestone/due_on"]),
        parent: mentions(&body, &["part of #", "parent: #", "parent #"])
            .into_iter()
            .next(),
        blocked_by: mentions(&body, &["blocked by #", "depends on #"]),
        comments: comments(&item["comments"]),
        body,
        ..TrackerIssue::default()
    }
}

/// The numbers after some words.
fn mentions(body: &str, words: &[&str]) -> Vec<String> {
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

fn jira(item: &Value) -> TrackerIssue {
    let fields = &item["fields"];
    let links = fields["issuelinks"].as_array();
    let blockers = links
        .into_iter()
        .flatten()
        .filter(|link| text(link, &["/type/name"]) == "Blocks");
    TrackerIssue {
        key: text(item, &["/key"]),
        title: text(fields, &["/summary"]),
        body: plain_text(&fields["description"]).trim_end().to_owned(),
        state: match text(fields, &["/status/statusCategory/key"]).as_str() {
            "done" => "done".to_owned(),
            "indeterminate" => "indeterminate".to_owned(),
            _ => text(fields, &["/status/name"]),
        },
        kind: text(fields, &["/issuetype/name"]),
        priority: text(fields, &["/priority/name"]),
        assignee: text(fields, &["/assignee/displayName", "/assignee/name"]),
        creator: text(fields, &["/creator/displayName", "/reporter/displayName"]),
        labels: names(&fields["labels"]),
        created: text(fields, &["/created"]),
        updated: text(fields, &["/updated"]),
        closed: text(fields, &["/resolutiondate"]),
        due: text(fields, &["/duedate"]),
        estimated_minutes: fields["timeoriginalestimate"]
            .as_i64()
            .map(|seconds| seconds / 60),
        parent: Some(text(fields, &["/parent/key"])).filter(|key| !key.is_empty()),
        blocked_by: blockers
            .map(|link| text(link, &["/inwardIssue/key"]))
            .filter(|key| !key.is_empty())
            .collect(),
        comments: comments(&fields["comment"]["comments"]),
        ..TrackerIssue::default()
    }
}

fn linear(item: &Value) -> TrackerIssue {
    let relations = item["inverseRelations"]["nodes"].as_array();
    let blockers = relations
        .into_iter()
        .flatten()
        .filter(|one| text(one, &["/type"]) == "blocks");
    TrackerIssue {
        key: text(item, &["/identifier"]),
        url: text(item, &["/url"]),
        title: text(item, &["/title"]),
        body: text(item, &["/description"]),
        state: text(item, &["/state/type", "/state/name"]),
        priority: match item["priority"].as_i64() {
            Some(number @ 1..=4) => format!("p{}", number - 1),
            _ => String::new(),
        },
        assignee: text(item, &["/assignee/name", "/assignee/displayName"]),
        creator: text(item, &["/creator/name"]),
        labels: names(&item["labels"]),
        created: text(item, &["/createdAt"]),
        updated: text(item, &["/updatedAt"]),
        closed: text(item, &["/completedAt", "/canceledAt"]),
        due: text(item, &["/dueDate"]),
        parent: Some(text(item, &["/parent/identifier"])).filter(|key| !key.is_empty()),
        blocked_by: blockers
            .map(|one| text(one, &["/issue/identifier"]))
            .filter(|key| !key.is_empty())
            .collect(),
        comments: comments(&item["comments"]),
        ..TrackerIssue::default()
    }
}
