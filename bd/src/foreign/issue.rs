//! An issue of a tracker, and how its words become those of beads.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// What is taken over of an issue. Empty text is nothing.
#[derive(Debug, Default)]
pub(super) struct TrackerIssue {
    /// Its name there: a number, or `PROJ-12`.
    pub key: String,
    pub title: String,
    pub body: String,
    /// The word for its state there.
    pub state: String,
    pub kind: String,
    pub priority: String,
    pub assignee: String,
    pub creator: String,
    pub labels: Vec<String>,
    pub created: String,
    pub updated: String,
    pub closed: String,
    pub due: String,
    pub estimated_minutes: Option<i64>,
    pub parent: Option<String>,
    pub blocked_by: Vec<String>,
    /// Author, text and time of each comment.
    pub comments: Vec<(String, String, String)>,
}

impl TrackerIssue {
    /// The record of a bead.
    pub(super) fn value(&self, id: &str) -> Value {
        let status = status(&self.state, !self.closed.is_empty());
        let created = time(&self.created);
        let created = created.unwrap_or_else(|| "1970-01-01T00:00:00Z".to_owned());
        let updated = time(&self.updated).unwrap_or_else(|| created.clone());
        let mut value = json!({
            "id": id,
            "title": cut(&self.title),
            "status": status,
            "priority": self.priority(),
            "issue_type": self.kind(),
            "created_at": created,
            "updated_at": updated,
        });
        let mut set = |key: &str, own: Value| {
            let is_empty = own.is_null() || own == "" || own.as_array().is_some_and(Vec::is_empty);
            if !is_empty {
                value[key] = own;
            }
        };
        set("description", json!(self.body));
        set("assignee", json!(self.assignee));
        set("created_by", json!(self.creator));
        set("labels", json!(self.labels));
        set("due_at", json!(time(&self.due)));
        set("estimated_minutes", json!(self.estimated_minutes));
        if status == "closed" {
            let closed = time(&self.closed).unwrap_or(updated);
            set("closed_at", json!(closed));
            set("close_reason", json!(self.state));
        }
        let comment = |(number, (author, text, at)): (usize, &(String, String, String))| json!({"id": number + 1, "issue_id": id, "author": author, "text": text, "created_at": time(at)});
        let comments: Vec<Value> = self.comments.iter().enumerate().map(comment).collect();
        set("comments", json!(comments));
        value
    }

    /// 0 to 4 by the tracker's word, else by a label, else 2.
    fn priority(&self) -> i64 {
        let labels = self.labels.iter().map(String::as_str);
        let mut words = [self.priority.as_str()].into_iter().chain(labels);
        words.find_map(priority).unwrap_or(2)
    }

    /// The type by the tracker's word, else by a label, else a task.
    fn kind(&self) -> &'static str {
        let labels = self.labels.iter().map(String::as_str);
        let mut words = [self.kind.as_str()].into_iter().chain(labels);
        words.find_map(kind).unwrap_or("task")
    }
}

/// A title is at most 500 bytes long.
fn cut(title: &str) -> &str {
    let mut end = title.len().min(500);
    while !title.is_char_boundary(end) {
        end -= 1;
    }
    if title.is_empty() {
        "(no title)"
    } else {
        &title[..end]
    }
}

fn status(state: &str, has_closed: bool) -> &'static str {
    let state = state.to_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| state == *word);
    if is(&[
        "closed",
        "done",
        "completed",
        "canceled",
        "cancelled",
        "resolved",
        "duplicate",
        "won't do",
    ]) {
        "closed"
    } else if is(&[
        "in progress",
        "indeterminate",
        "started",
        "in review",
        "doing",
    ]) {
        "in_progress"
    } else if is(&["blocked", "on hold"]) {
        "blocked"
    } else if has_closed && !is(&["open", "reopened", "to do", "todo", "new", "backlog"]) {
        "closed"
    } else {
        "open"
    }
}

fn priority(word: &str) -> Option<i64> {
    let word = word.to_lowercase();
    let word = word
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

fn kind(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let word = word
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

/// A time in one of the forms that exports have, as RFC 3339; `None` if it is none of them.
pub(super) fn time(text: &str) -> Option<String> {
    const WITH_ZONE: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f%z", "%a %b %d %Y %H:%M:%S GMT%z"];
    const LOCAL: [&str; 3] = ["%d/%b/%y %I:%M %p", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"];
    let text = text.split(" (").next()?.trim();
    let zoned = || {
        WITH_ZONE
            .iter()
            .find_map(|form| Timestamp::strptime(form, text).ok())
    };
    let local = || {
        LOCAL
            .iter()
            .find_map(|form| DateTime::strptime(form, text).ok())
    };
    let date = || {
        Some(
            text.parse::<Date>()
                .ok()?
                .to_datetime(jiff::civil::Time::midnight()),
        )
    };
    let found = text.parse::<Timestamp>().ok().or_else(zoned).or_else(|| {
        let civil = local().or_else(date)?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    });
    found.map(|time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_exports_are_read() {
        for (text, wanted) in [
            ("2024-01-12T15:45:00Z", "2024-01-12T15:45:00Z"),
            ("2024-01-12T15:45:00.000+0000", "2024-01-12T15:45:00Z"),
            ("12/Jan/24 3:45 PM", "2024-01-12T15:45:00Z"),
            ("2024-01-12 15:45", "2024-01-12T15:45:00Z"),
            ("2024-01-12", "2024-01-12T00:00:00Z"),
            (
                "Fri Jan 12 2024 15:45:00 GMT+0000 (GMT)",
                "2024-01-12T15:45:00Z",
            ),
        ] {
            assert_eq!(time(text).as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(time("soon"), None);
    }
}
