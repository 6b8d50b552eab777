//! Reads and writes escalations: durable beads of the town that ask for help or for a decision.
//!
//! The facts are `key: value` lines below the title in the description, as existing clients write
//! and read them. Facts without such a line are in the metadata under `escalation`: category,
//! options and deadline, answer, deliveries.

use bd::bead::{Bead, fields};
use bd::store::{BeadMark, BeadRef, Snapshot, TimeField};
use jiff::Timestamp;
use kit::sys::env::local_time_zone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::convoy;
use crate::town::identity::Address;

/// The label of an escalation.
pub const LABEL: &str = "gt:escalation";
/// The label of an acknowledged escalation.
const ACKED_LABEL: &str = "acked";
/// The label of a resolved or closed escalation.
const RESOLVED_LABEL: &str = "resolved";
/// The label of an escalation whose severity was raised because no one acknowledged it.
const REESCALATED_LABEL: &str = "reescalated";
/// The key of the metadata.
const DETAILS_KEY: &str = "escalation";

/// The urgency of an escalation.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Low,
    /// The mayor gets a message.
    #[default]
    Medium,
    /// A user gets a message too.
    High,
    /// Urgent for a user, and blocks its convoy.
    Critical,
}

impl Severity {
    /// All names, least urgent first.
    pub const WORDS: [&str; 4] = ["low", "medium", "high", "critical"];

    /// Returns the severity's name.
    pub fn name(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Parses a name in any case.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Low, Self::Medium, Self::High, Self::Critical]
            .into_iter()
            .find(|severity| severity.name().eq_ignore_ascii_case(text.trim()))
    }

    /// Returns the next higher severity.
    pub fn raised(self) -> Option<Self> {
        match self {
            Self::Low => Some(Self::Medium),
            Self::Medium => Some(Self::High),
            Self::High => Some(Self::Critical),
            Self::Critical => None,
        }
    }

    /// Returns the priority of the severity's messages: 0 urgent, 3 low.
    pub fn priority(self) -> i64 {
        3 - self as i64
    }
}

/// An escalation, read from its bead.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Escalation {
    pub id: String,
    /// The subject in one line.
    pub title: String,
    pub status: String,
    /// The time of writing, RFC 3339.
    #[serde(rename = "created_at")]
    pub created_at: String,
    pub severity: Severity,
    /// The reason, with all its lines.
    pub reason: String,
    /// The source that noticed the problem, such as a plugin.
    pub source: String,
    pub escalated_by: String,
    pub escalated_at: String,
    /// The user or agent that acknowledged it.
    pub acked_by: String,
    pub acked_at: String,
    /// The user or agent that resolved or closed it.
    pub closed_by: String,
    /// The answer, or the reason of the close.
    pub closed_reason: String,
    /// The bead concerned.
    pub related_bead: String,
    /// The severity before it was raised.
    pub original_severity: String,
    /// The number of times it was raised.
    pub reescalation_count: u64,
    /// The time at which it was last raised.
    pub last_reescalated_at: String,
    pub last_reescalated_by: String,
    /// The facts without a line in the description.
    #[serde(flatten)]
    pub details: EscalationDetails,
}

/// The part of an escalation in the metadata.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EscalationDetails {
    /// The kind of problem in one word.
    pub category: String,
    /// The reason, if it has several lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The mailboxes of all askers. Each gets the answer.
    pub asked_by: Vec<String>,
    /// The number of times that the same problem was escalated.
    pub occurrences: u64,
    /// The time of the last repetition.
    pub last_seen: String,
    /// The requested decision.
    pub decision: Option<EscalationChoice>,
    pub answer: String,
    /// The convoy concerned.
    pub convoy: String,
    pub forwards: Vec<EscalationForward>,
    /// The result of each route.
    pub deliveries: Vec<RouteDelivery>,
    /// Fields that other versions write.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A requested decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EscalationChoice {
    /// The possible answers. Without any, every answer is valid.
    pub options: Vec<String>,
    /// The answer that is taken at the deadline.
    pub default: String,
    /// The deadline, RFC 3339. Empty for none.
    pub deadline: String,
}

impl EscalationChoice {
    /// Describes what is taken without an answer. None without a default.
    pub fn describe_default(&self) -> Option<String> {
        if self.default.is_empty() {
            return None;
        }
        let at: Option<Timestamp> = self.deadline.parse().ok();
        let deadline = at.map_or_else(
            || self.deadline.clone(),
            |at| {
                let local = at.to_zoned(local_time_zone());
                local.strftime("%Y-%m-%d %H:%M %Z").to_string()
            },
        );
        Some(format!("Without an answer by {deadline}: {}", self.default))
    }
}

/// A handover of an escalation from one agent or user to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EscalationForward {
    pub by: String,
    pub to: String,
    pub at: String,
    /// The note of the sender.
    pub note: String,
    /// The id of the message.
    pub message: String,
}

/// A route of an escalation with its result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouteDelivery {
    /// The route, as in the settings: `mail:mayor/`, `email:human`.
    pub route: String,
    /// The severity at the time of sending.
    pub severity: Severity,
    pub state: DeliveryState,
    /// The number of times that a command ran for the route.
    pub tries: u32,
    /// The last try, RFC 3339.
    pub at: String,
    /// The reason of the failure, or the output of the command.
    pub detail: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// The command has not run yet.
    #[default]
    Pending,
    Sent,
    Failed,
    /// No such command is configured.
    Skipped,
}

/// The number of tries after which a route counts as failed.
pub const TRIES: u32 = 3;

impl RouteDelivery {
    /// Returns true if the command must run, or run again.
    pub fn is_due(&self) -> bool {
        match self.state {
            DeliveryState::Pending => true,
            DeliveryState::Failed => self.tries < TRIES,
            DeliveryState::Sent | DeliveryState::Skipped => false,
        }
    }
}

impl Escalation {
    /// Reads an escalation from its bead. None for any other bead.
    pub fn from_bead(bead: &Bead) -> Option<Self> {
        if !bead.has_label(LABEL) || bead.is_tombstone() {
            return None;
        }
        let lines = lines_after_title(&bead.description);
        let read_field = |key: &str| match fields::get_field(lines, key) {
            Some(value) if value != "null" => value,
            _ => String::new(),
        };
        let details: EscalationDetails = bead.metadata_value(DETAILS_KEY).unwrap_or_default();
        let reason = if details.text.is_empty() {
            read_field("reason")
        } else {
            details.text.clone()
        };
        let label = bead.labels.iter().find_map(|l| l.strip_prefix("severity:"));
        Some(Self {
            id: bead.id.clone(),
            title: bead.title.clone(),
            status: bead.status.to_string(),
            created_at: bead.created_at.to_string(),
            severity: Severity::parse(&read_field("severity"))
                .or_else(|| Severity::parse(label?))
                .unwrap_or_default(),
            reason,
            source: read_field("source"),
            escalated_by: text_or(read_field("escalated_by"), &bead.created_by),
            escalated_at: text_or(read_field("escalated_at"), &bead.created_at.to_string()),
            acked_by: read_field("acked_by"),
            acked_at: read_field("acked_at"),
            closed_by: read_field("closed_by"),
            closed_reason: text_or(read_field("closed_reason"), &bead.close_reason),
            related_bead: read_field("related_bead"),
            original_severity: read_field("original_severity"),
            reescalation_count: read_field("reescalation_count").parse().unwrap_or(0),
            last_reescalated_at: read_field("last_reescalated_at"),
            last_reescalated_by: read_field("last_reescalated_by"),
            details,
        })
    }

    /// Writes the escalation into its bead. Other text of the description and other metadata are
    /// kept.
    pub fn write_to(&self, bead: &mut Bead) -> serde_json::Result<()> {
        let one_line = self.reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut details = self.details.clone();
        details.text = if self.reason.trim().contains('\n') {
            self.reason.trim().to_owned()
        } else {
            String::new()
        };
        let count = self.reescalation_count.to_string();
        let rows = [
            ("severity", self.severity.name()),
            ("reason", &one_line),
            ("source", &self.source),
            ("escalated_by", &self.escalated_by),
            ("escalated_at", &self.escalated_at),
            ("acked_by", &self.acked_by),
            ("acked_at", &self.acked_at),
            ("closed_by", &self.closed_by),
            ("closed_reason", &self.closed_reason),
            ("related_bead", &self.related_bead),
            ("original_severity", &self.original_severity),
            ("reescalation_count", &count),
            ("last_reescalated_at", &self.last_reescalated_at),
            ("last_reescalated_by", &self.last_reescalated_by),
        ];
        let mut text = lines_after_title(&bead.description).trim_start().to_owned();
        for (key, value) in rows {
            let value = if value.is_empty() { "null" } else { value };
            text = fields::set_field(&text, key, Some(value));
        }
        bead.description = format!("{}\n\n{text}", self.title);
        bead.title.clone_from(&self.title);
        bead.priority = self.severity.priority();
        bead.labels.retain(|label| {
            !label.starts_with("severity:")
                && ![ACKED_LABEL, RESOLVED_LABEL].contains(&label.as_str())
        });
        bead.labels.push(LABEL.to_owned());
        bead.labels
            .push(format!("severity:{}", self.severity.name()));
        if !self.acked_by.is_empty() {
            bead.labels.push(ACKED_LABEL.to_owned());
        }
        if !self.closed_by.is_empty() {
            bead.labels.push(RESOLVED_LABEL.to_owned());
        }
        if self.reescalation_count > 0 {
            bead.labels.push(REESCALATED_LABEL.to_owned());
        }
        bead.labels.sort();
        bead.labels.dedup();
        bead.set_metadata(DETAILS_KEY, &details)
    }

    /// Returns true if it is neither resolved nor closed.
    pub fn is_open(&self) -> bool {
        self.status != "closed"
    }

    pub fn is_acked(&self) -> bool {
        !self.acked_by.is_empty()
    }

    /// Returns the start of the wait for an acknowledgement: the last time it was escalated, raised
    /// or forwarded.
    pub fn waits_since(&self) -> Timestamp {
        let forwarded = self.details.forwards.iter().map(|step| step.at.as_str());
        let all = [self.escalated_at.as_str(), &self.last_reescalated_at];
        all.into_iter()
            .chain(forwarded)
            .filter_map(|text| text.parse().ok())
            .max()
            .unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Returns the default answer with its deadline.
    pub fn default_at(&self) -> Option<(&str, Timestamp)> {
        let choice = self.details.decision.as_ref()?;
        let at = choice.deadline.parse().ok()?;
        (!choice.default.is_empty()).then_some((choice.default.as_str(), at))
    }

    /// Returns the command that ends the escalation.
    pub fn next_step(&self) -> String {
        let text = match &self.details.decision {
            Some(choice) if !choice.options.is_empty() => {
                format!("<1-{}, or an answer>", choice.options.len())
            }
            Some(_) => "<answer>".to_owned(),
            None => "<what was done>".to_owned(),
        };
        format!("gt escalate resolve {} \"{text}\"", self.id)
    }

    /// Returns true if another escalation asks the same.
    fn is_same_question(&self, other: &Self) -> bool {
        let [options, other_options] = [self, other].map(|escalation| {
            let choice = escalation.details.decision.as_ref();
            choice.map(|choice| &choice.options)
        });
        self.title.eq_ignore_ascii_case(&other.title)
            && self.related_bead == other.related_bead
            && self
                .details
                .category
                .eq_ignore_ascii_case(&other.details.category)
            && options == other_options
    }
}

/// Returns the description without its title, because a title may look like a line of a field.
fn lines_after_title(description: &str) -> &str {
    description.split_once('\n').map_or("", |(_, rest)| rest)
}

fn text_or(text: String, other: &str) -> String {
    if text.is_empty() {
        other.to_owned()
    } else {
        text
    }
}

/// Returns the open escalations of a town, or all: the most urgent first, then the oldest.
pub fn list_escalations(town: &Snapshot, all: bool) -> Vec<Escalation> {
    let marks = [BeadMark::Label(LABEL)];
    let mut found: Vec<Escalation> = if all {
        let beads = town.select_marked(&marks, |_| true);
        beads.filter_map(Escalation::from_bead).collect()
    } else {
        let beads = town.select_open(&marks);
        beads.filter_map(Escalation::from_bead).collect()
    };
    found.sort_by_key(|escalation| {
        let instant = escalation
            .escalated_at
            .parse()
            .unwrap_or(Timestamp::UNIX_EPOCH);
        (
            std::cmp::Reverse(escalation.severity),
            instant,
            escalation.id.clone(),
        )
    });
    found
}

/// Returns the escalations, open and closed, that changed at or after a time.
pub(crate) fn list_changed_since(town: &Snapshot, since: Timestamp) -> Vec<Escalation> {
    // A pending change has no time yet.
    let is_recent = move |row: &BeadRef<'_>| {
        let changed = row.time(TimeField::Updated);
        changed.is_none_or(|at| at >= since)
    };
    town.select_marked(&[BeadMark::Label(LABEL)], is_recent)
        .filter_map(Escalation::from_bead)
        .collect()
}

/// Returns the open escalation that asks the same.
pub fn find_duplicate(town: &Snapshot, new: &Escalation) -> Option<Escalation> {
    list_escalations(town, false)
        .into_iter()
        .find(|escalation| escalation.is_same_question(new))
}

/// Returns the open critical escalations that block a convoy.
pub fn find_blocking(town: &Snapshot, convoy: &Bead) -> Vec<Escalation> {
    let mut escalations = list_escalations(town, false);
    escalations.retain(|escalation| {
        escalation.severity == Severity::Critical
            && (escalation.details.convoy == convoy.id
                || convoy::tracked_ids(convoy).any(|id| id == escalation.related_bead))
    });
    escalations
}

/// Returns the open escalations of an agent about a bead, or about none, oldest first.
pub fn find_open_questions(town: &Snapshot, agent: &Address, bead: &str) -> Vec<Escalation> {
    let mailbox = agent.mailbox();
    let mut open = list_escalations(town, false);
    open.retain(|escalation| {
        escalation.details.asked_by.contains(&mailbox)
            && (escalation.related_bead.is_empty() || escalation.related_bead == bead)
    });
    open.sort_by(|a, b| a.escalated_at.cmp(&b.escalated_at));
    open
}

/// Returns the oldest open escalation of an agent about its bead that a user or the mayor answers.
/// One of low severity is only recorded, so no one may answer it.
pub fn find_awaited_question(town: &Snapshot, agent: &Address, bead: &str) -> Option<Escalation> {
    find_open_questions(town, agent, bead)
        .into_iter()
        .find(|escalation| escalation.related_bead == bead && escalation.severity > Severity::Low)
}

/// Returns the answered escalations about a bead, oldest answer first.
pub fn find_answered(town: &Snapshot, bead: &str) -> Vec<Escalation> {
    let mut found = list_escalations(town, true);
    found.retain(|escalation| {
        !escalation.is_open()
            && escalation.related_bead == bead
            && !escalation.details.answer.is_empty()
    });
    found.sort_by(|a, b| (&a.escalated_at, &a.id).cmp(&(&b.escalated_at, &b.id)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escalation_of_the_original_gas_town_is_read() {
        let bead = Bead {
            id: "hq-x1".into(),
            title: "Severity: low".into(),
            description: "Severity: low\n\nseverity: high\nreason: It hangs\nsource: null\nescalated_by: web/nux\n\
                          escalated_at: 2026-01-01T10:00:00Z\nacked_by: null\nacked_at: null\nclosed_by: null\n\
                          closed_reason: null\nrelated_bead: web-1\noriginal_severity: medium\nreescalation_count: 1\n\
                          last_reescalated_at: 2026-01-01T14:00:00Z\nlast_reescalated_by: deacon"
                .into(),
            labels: vec![LABEL.into(), "severity:high".into()],
            ..Bead::default()
        };
        let one = Escalation::from_bead(&bead).unwrap();
        assert_eq!(one.severity, Severity::High);
        assert_eq!(
            (one.reason.as_str(), one.acked_by.as_str()),
            ("It hangs", "")
        );
        assert_eq!(
            (one.related_bead.as_str(), one.reescalation_count),
            ("web-1", 1)
        );
        assert_eq!(one.waits_since().to_string(), "2026-01-01T14:00:00Z");
        assert!(Escalation::from_bead(&Bead::default()).is_none());
    }

    #[test]
    fn an_escalation_round_trips_and_foreign_lines_and_metadata_stay() {
        let mut bead = Bead {
            id: "hq-x1".into(),
            labels: vec!["mine".into()],
            description: "old\n\nseverity: low\nfrom_tomorrow: yes\n\nMore text".into(),
            ..Bead::default()
        };
        bead.set_metadata("mine", 1).unwrap();
        let mut one = Escalation {
            id: "hq-x1".into(),
            title: "Disk full: now".into(),
            status: "open".into(),
            severity: Severity::Critical,
            reason: "first line\nseverity: low".into(),
            ..Escalation::default()
        };
        one.details.other.insert("later".into(), true.into());
        one.write_to(&mut bead).unwrap();
        let text = &bead.description;
        assert!(
            text.starts_with("Disk full: now\n\nseverity: critical\n"),
            "{text}"
        );
        assert!(
            text.contains("from_tomorrow: yes") && text.ends_with("More text"),
            "{text}"
        );
        assert_eq!(bead.labels, ["gt:escalation", "mine", "severity:critical"]);
        let read = Escalation::from_bead(&bead).unwrap();
        assert_eq!(
            (read.severity, &read.reason),
            (Severity::Critical, &one.reason)
        );
        assert_eq!(read.details.other["later"], true);
        assert_eq!(bead.metadata_object()["mine"], 1);
        one.acked_by = "mayor".into();
        one.closed_by = "mayor".into();
        one.reescalation_count = 1;
        one.write_to(&mut bead).unwrap();
        let labels = bead.labels.join(" ");
        assert_eq!(
            labels,
            "acked gt:escalation mine reescalated resolved severity:critical"
        );
    }

    #[test]
    fn severities_rise_step_by_step() {
        let mut severity = Severity::parse("LOW").unwrap();
        let mut words = vec![severity.name()];
        while let Some(next) = severity.raised() {
            assert!(next > severity && next.priority() < severity.priority());
            severity = next;
            words.push(severity.name());
        }
        assert_eq!(words, Severity::WORDS);
    }
}
