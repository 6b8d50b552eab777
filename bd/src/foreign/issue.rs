//! An issue of a tracker, and the mapping of its words to those of beads.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use kit::ui::cut::first_bytes;
use serde_json::{Map, Value, json};

use crate::bead::validate::MAX_TITLE_BYTES;

/// The imported values of an issue. Empty text means absent.
#[derive(Debug, Default)]
pub(super) struct TrackerIssue {
    /// The key in the tracker: a number, or `PROJ-12`.
    pub key: String,
    /// The web address.
    pub url: String,
    pub title: String,
    pub body: String,
    /// The tracker's word for the state.
    pub state: String,
    pub kind: String,
    pub priority: String,
    pub assignee: String,
    /// Further assignees.
    pub others: Vec<String>,
    pub creator: String,
    pub labels: Vec<String>,
    pub created: String,
    pub updated: String,
    pub closed: String,
    pub due: String,
    pub estimated_minutes: Option<i64>,
    pub parent: Option<String>,
    pub blocked_by: Vec<String>,
    pub comments: Vec<TrackerComment>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct TrackerComment {
    pub author: String,
    pub text: String,
    pub created: String,
}

impl TrackerIssue {
    /// Converts the issue to the record of a bead, or describes the value that cannot be converted.
    pub(super) fn to_record(&self, id: &str) -> Result<Value, String> {
        let status = map_status(&self.state, !self.closed.is_empty());
        let created = self.parse_time(&self.created)?;
        let closed = self.parse_time(&self.closed)?;
        let comment_times = self
            .comments
            .iter()
            .map(|comment| self.parse_time(&comment.created))
            .collect::<Result<Vec<_>, _>>()?;
        // If the export has no time of the last change, the latest of its other times is used. A
        // missing time must not hide a change.
        let updated = [created, self.parse_time(&self.updated)?, closed]
            .iter()
            .chain(&comment_times)
            .copied()
            .flatten()
            .max()
            .unwrap_or(Timestamp::UNIX_EPOCH);
        let created = created.unwrap_or(updated);
        let mut value = json!({
            "id": id,
            "title": cut_title(&self.title),
            "status": status,
            "priority": self.priority(),
            "issue_type": self.kind(),
            "created_at": created,
            "updated_at": updated,
        });
        let mut set_field = |key: &str, field_value: Value| {
            let is_empty = field_value.is_null()
                || field_value == ""
                || field_value.as_array().is_some_and(Vec::is_empty);
            if !is_empty {
                value[key] = field_value;
            }
        };
        set_field("description", json!(self.body));
        set_field("assignee", json!(self.assignee));
        set_field("created_by", json!(self.creator));
        set_field("labels", json!(self.labels));
        set_field("due_at", json!(self.parse_time(&self.due)?));
        set_field("estimated_minutes", json!(self.estimated_minutes));
        if status == "closed" {
            set_field("closed_at", json!(closed.unwrap_or(updated)));
            set_field("close_reason", json!(self.state));
        }
        let comments = (1..).zip(&self.comments).zip(&comment_times).map(|((number, comment), time)| {
            json!({"id": number, "issue_id": id, "author": comment.author, "text": comment.text, "created_at": time.unwrap_or(created)})
        });
        set_field("comments", comments.collect());
        let mut metadata = Map::new();
        if !self.url.is_empty() {
            metadata.insert("url".to_owned(), json!(self.url));
        }
        if !self.others.is_empty() {
            metadata.insert("assignees".to_owned(), json!(self.others));
        }
        if !metadata.is_empty() {
            value["metadata"] = Value::Object(metadata);
        }
        Ok(value)
    }

    fn parse_time(&self, text: &str) -> Result<Option<Timestamp>, String> {
        match text {
            "" => Ok(None),
            text => parse_instant(text).map(Some).ok_or_else(|| {
                format!(
                    "{}: \"{text}\" is no time; export times as YYYY-MM-DD HH:MM",
                    self.key
                )
            }),
        }
    }

    /// The priority from 0 to 4: by the tracker's word, by a label, or 2.
    fn priority(&self) -> i64 {
        let labels = self.labels.iter().map(String::as_str);
        [self.priority.as_str()]
            .into_iter()
            .chain(labels)
            .find_map(map_priority)
            .unwrap_or(2)
    }

    /// The type by the tracker's word, by a label, or a task.
    fn kind(&self) -> &'static str {
        let labels = self.labels.iter().map(String::as_str);
        [self.kind.as_str()]
            .into_iter()
            .chain(labels)
            .find_map(map_kind)
            .unwrap_or("task")
    }
}

fn cut_title(title: &str) -> &str {
    match title {
        "" => "(no title)",
        title => first_bytes(title, MAX_TITLE_BYTES),
    }
}

fn map_status(state: &str, has_closed: bool) -> &'static str {
    match state.to_lowercase().as_str() {
        "closed" | "done" | "completed" | "canceled" | "cancelled" | "resolved" | "duplicate"
        | "won't do" => "closed",
        "in progress" | "indeterminate" | "started" | "in review" | "doing" => "in_progress",
        "blocked" | "on hold" => "blocked",
        "open" | "reopened" | "to do" | "todo" | "new" | "backlog" => "open",
        _ if has_closed => "closed",
        _ => "open",
    }
}

fn map_priority(word: &str) -> Option<i64> {
    let lowercase = word.to_lowercase();
    let word = lowercase
        .trim_start_matches("priority")
        .trim_start_matches([':', '/', '-', ' ']);
    Some(match word {
        "p0" | "highest" | "urgent" | "critical" | "blocker" => 0,
        "p1" | "high" | "major" => 1,
        "p2" | "medium" | "normal" => 2,
        "p3" | "low" | "minor" => 3,
        "p4" | "lowest" | "trivial" => 4,
        _ => return None,
    })
}

fn map_kind(word: &str) -> Option<&'static str> {
    let lowercase = word.to_lowercase();
    let word = lowercase
        .trim_start_matches("type")
        .trim_start_matches([':', '/', '-', ' ']);
    Some(match word {
        "bug" | "defect" => "bug",
        "feature" | "enhancement" | "story" | "new feature" | "improvement" => "feature",
        "epic" | "initiative" => "epic",
        "chore" | "maintenance" => "chore",
        "task" | "sub-task" | "subtask" => "task",
        _ => return None,
    })
}

/// Parses a time in one of the formats of exports and databases. Returns `None` for all other text.
pub(super) fn parse_instant(text: &str) -> Option<Timestamp> {
    const WITH_ZONE: [&str; 3] = [
        "%Y-%m-%dT%H:%M:%S%.f%z",
        "%a %b %d %Y %H:%M:%S GMT%z",
        "%Y-%m-%d %H:%M:%S%.f %z",
    ];
    const LOCAL_KEYS: [&str; 3] = [
        "%d/%b/%y %I:%M %p",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%d %H:%M",
    ];
    // Go appends the name of the zone and a monotonic clock; JavaScript appends the zone name in
    // parentheses.
    let text = text.split(" (").next()?.split(" m=").next()?;
    let text = text
        .trim_end_matches(|c: char| c.is_ascii_uppercase() && c != 'Z' && c != 'M')
        .trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if let Some(time) = WITH_ZONE
        .iter()
        .find_map(|form| Timestamp::strptime(form, text).ok())
    {
        return Some(time);
    }
    let local = match LOCAL_KEYS
        .iter()
        .find_map(|form| DateTime::strptime(form, text).ok())
    {
        Some(local) => local,
        None => text
            .parse::<Date>()
            .ok()?
            .to_datetime(jiff::civil::Time::midnight()),
    };
    Some(local.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_exports_are_parsed() {
        for (text, wanted) in [
            ("2024-01-12T15:45:00Z", "2024-01-12T15:45:00Z"),
            ("2024-01-12T15:45:00.000+0000", "2024-01-12T15:45:00Z"),
            ("12/Jan/24 3:45 PM", "2024-01-12T15:45:00Z"),
            ("2024-01-12 15:45", "2024-01-12T15:45:00Z"),
            ("2024-01-12", "2024-01-12T00:00:00Z"),
            ("2024-01-12 15:45:00.5+01:00", "2024-01-12T14:45:00.5Z"),
            ("2024-01-12 15:45:00 +0000 UTC", "2024-01-12T15:45:00Z"),
            (
                "2024-01-12 07:45:00.5 -0800 PST m=+0.1",
                "2024-01-12T15:45:00.5Z",
            ),
            (
                "Fri Jan 12 2024 15:45:00 GMT+0000 (GMT)",
                "2024-01-12T15:45:00Z",
            ),
        ] {
            let read = parse_instant(text).map(|time| time.to_string());
            assert_eq!(read.as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(parse_instant("soon"), None);
    }
}
