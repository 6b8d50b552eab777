//! Queues of messages: each message has one claimant. Beads with the label `gt:queue`, or entries
//! of `config/messaging.json`.
//!
//! A message in a queue has the mailbox `queue:NAME`. The claimant is in the labels
//! `claimed-by:MAILBOX` and `claimed-at:TIME`. A claim lapses after the queue's timeout: then the
//! next claim may take the message.

use bd::bead::{Bead, Stamp, fields};
use bd::store::{BeadMark, Snapshot, Tx};
use jiff::{SignedDuration, Timestamp};
use kit::json::serialize_or_empty;
use serde::Serialize;

use super::MailError;
use super::message::{MailMessage, MailRemoval, is_mail, parse_message};
use super::named::{
    self, NamedError, NamedKind, create_named, find_named, get_named_field, list_named,
};
use super::pattern::matches_agent;
use crate::town::Town;
use crate::town::config::MessagingSettings;
use crate::town::identity::Address;

/// The time after which a claim lapses, if the queue sets none.
const CLAIM_TIMEOUT: SignedDuration = SignedDuration::from_hours(4);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailQueue {
    /// The id of the bead. Empty for a queue of the settings.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    pub name: String,
    /// The agents that may claim its messages, as a comma list of patterns.
    pub claim_pattern: String,
    /// `active`, `paused` or `closed`.
    pub status: String,
    /// The maximum number of claims at a time. 0 is unlimited.
    pub max_concurrency: u64,
    /// `fifo` or `priority`.
    pub processing_order: String,
    /// The time after which a claim lapses, in seconds. 0 is never.
    pub claim_timeout_seconds: i64,
    #[serde(serialize_with = "serialize_or_empty")]
    pub created_by: Option<String>,
    #[serde(serialize_with = "serialize_or_empty")]
    pub created_at: Option<String>,
}

/// A queue with the number of its messages by state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueCounts {
    #[serde(flatten)]
    pub queue: MailQueue,
    pub available_count: usize,
    pub processing_count: usize,
    pub completed_count: usize,
    /// As existing towns recorded it.
    pub failed_count: u64,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum QueueError {
    #[error("message `{id}` is not in a queue")]
    NotInQueue { id: String },
    #[error("message `{id}` is not claimed: nothing to release")]
    NotClaimed { id: String },
    #[error("message `{id}` is claimed by {by}")]
    OtherClaimant { id: String, by: String },
    #[error("message `{id}` is not claimed by you")]
    ClaimFirst { id: String, queue: String },
    #[error("{agent} may not claim messages of the queue `{queue}` (claimers: {pattern})")]
    NotAllowed {
        agent: String,
        queue: String,
        pattern: String,
    },
    #[error("the queue `{queue}` is {status}")]
    NotActive { queue: String, status: String },
    #[error("the queue `{queue}` has {limit} claims at a time, and all are in use")]
    Full { queue: String, limit: u64 },
}

impl MailQueue {
    fn from_bead(bead: &Bead) -> Self {
        let read_field = |key| get_named_field(bead, key);
        let timeout: Option<SignedDuration> =
            read_field("claim_timeout").and_then(|text| text.parse().ok());
        Self {
            id: bead.id.clone(),
            name: named::name_of(bead, NamedKind::Queue),
            claim_pattern: read_field("claim_pattern").unwrap_or_else(|| "*".to_owned()),
            status: read_field("status").unwrap_or_else(|| "active".to_owned()),
            max_concurrency: read_field("max_concurrency")
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            processing_order: read_field("processing_order").unwrap_or_else(|| "fifo".to_owned()),
            claim_timeout_seconds: timeout.unwrap_or(CLAIM_TIMEOUT).as_secs(),
            created_by: read_field("created_by"),
            created_at: read_field("created_at"),
        }
    }

    /// Returns the mailbox of the queue.
    pub fn mailbox(&self) -> String {
        format!("queue:{}", self.name)
    }

    /// Returns true if an agent may claim its messages.
    pub fn is_claimable_by(&self, agent: &Address) -> bool {
        self.claim_pattern
            .split(',')
            .any(|pattern| matches_agent(pattern, agent))
    }

    /// Returns the claimant of a message. None if the claim has lapsed.
    fn claimant(&self, bead: &Bead, now: Timestamp) -> Option<String> {
        let message = parse_message(bead);
        let claimed_at: Option<Timestamp> = message.claimed_at.and_then(|at| at.parse().ok());
        let has_lapsed = self.claim_timeout_seconds > 0
            && claimed_at.is_some_and(|at| {
                now.duration_since(at) >= SignedDuration::from_secs(self.claim_timeout_seconds)
            });
        message.claimed_by.filter(|_| !has_lapsed)
    }
}

/// Returns the queue of a name, of the beads or the settings.
pub fn find_queue(beads: &Snapshot, settings: &MessagingSettings, name: &str) -> Option<MailQueue> {
    find_named(beads, NamedKind::Queue, name)
        .map(MailQueue::from_bead)
        .or_else(|| {
            let queue = settings.queues.get(name)?;
            Some(MailQueue {
                id: String::new(),
                name: name.to_owned(),
                claim_pattern: queue.workers.join(","),
                status: "active".to_owned(),
                max_concurrency: queue.max_claims,
                processing_order: "fifo".to_owned(),
                claim_timeout_seconds: CLAIM_TIMEOUT.as_secs(),
                created_by: None,
                created_at: None,
            })
        })
}

/// Returns the queue of a name. Fails if there is none.
pub fn get_queue(
    beads: &Snapshot,
    settings: &MessagingSettings,
    name: &str,
) -> Result<MailQueue, NamedError> {
    find_queue(beads, settings, name).ok_or_else(|| NamedError::Unknown {
        kind: NamedKind::Queue,
        name: name.to_owned(),
        known: list_queues(beads, settings)
            .into_iter()
            .map(|queue| queue.name)
            .collect(),
    })
}

/// Returns all queues, by name.
pub fn list_queues(beads: &Snapshot, settings: &MessagingSettings) -> Vec<MailQueue> {
    let mut names: Vec<String> = list_named(beads, NamedKind::Queue)
        .into_iter()
        .map(|bead| named::name_of(bead, NamedKind::Queue))
        .chain(settings.queues.keys().cloned())
        .collect();
    names.sort();
    names.dedup();
    names
        .iter()
        .filter_map(|name| find_queue(beads, settings, name))
        .collect()
}

/// Creates a queue. `claim_timeout` of zero never takes a claim away.
pub fn create_queue(
    town: &Town,
    name: &str,
    claimers: &[String],
    claim_timeout: Option<SignedDuration>,
) -> anyhow::Result<MailQueue> {
    for pattern in claimers {
        named::check_member(pattern)?;
    }
    let settings = MessagingSettings::load(&town.layout)?;
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let timeout = claim_timeout.unwrap_or(CLAIM_TIMEOUT);
        let own_fields = [
            ("claim_pattern", claimers.join(",")),
            ("status", "active".to_owned()),
            ("max_concurrency", "0".to_owned()),
            ("processing_order", "fifo".to_owned()),
            ("claim_timeout", format!("{timeout:#}")),
        ];
        create_named(tx, NamedKind::Queue, name, &own_fields)?;
        Ok(get_queue(tx, &settings, name)?)
    })
}

pub fn delete_queue(town: &Town, name: &str) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| named::delete_named(tx, NamedKind::Queue, name))
}

/// Counts the messages of a queue by state.
pub fn count_messages(beads: &Snapshot, queue: MailQueue, now: Timestamp) -> QueueCounts {
    let mailbox = queue.mailbox();
    let (open, closed): (Vec<&Bead>, Vec<&Bead>) = beads
        .select_marked(&[BeadMark::Label(&mailbox)], |_| true)
        .filter(|bead| is_mail(bead) && !bead.is_tombstone())
        .partition(|bead| bead.is_open());
    let processing_count = open
        .iter()
        .filter(|bead| queue.claimant(bead, now).is_some())
        .count();
    let failed = find_named(beads, NamedKind::Queue, &queue.name)
        .and_then(|bead| fields::get_field(&bead.description, "failed_count"));
    QueueCounts {
        processing_count,
        available_count: open.len() - processing_count,
        completed_count: closed.len(),
        failed_count: failed.and_then(|text| text.parse().ok()).unwrap_or(0),
        queue,
    }
}

/// Claims the next message of a queue, or of the first queue with a message that the caller may
/// claim. None if there is no message.
pub fn claim_message(town: &Town, name: Option<&str>) -> anyhow::Result<Option<MailMessage>> {
    let settings = MessagingSettings::load(&town.layout)?;
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let Some(name) = name else {
            let queues = list_queues(tx, &settings);
            for queue in queues
                .iter()
                .filter(|queue| check_claim(queue, &town.actor).is_ok())
            {
                match claim_next(tx, queue, &town.actor) {
                    Ok(None) => {}
                    Err(error) if error.is::<QueueError>() => {}
                    found => return found,
                }
            }
            return Ok(None);
        };
        let queue = get_queue(tx, &settings, name.trim_start_matches("queue:"))?;
        check_claim(&queue, &town.actor)?;
        claim_next(tx, &queue, &town.actor)
    })
}

/// Checks that an agent may claim from a queue.
fn check_claim(queue: &MailQueue, agent: &Address) -> Result<(), QueueError> {
    if queue.status != "active" {
        return Err(QueueError::NotActive {
            queue: queue.name.clone(),
            status: queue.status.clone(),
        });
    }
    if !queue.is_claimable_by(agent) {
        return Err(QueueError::NotAllowed {
            agent: agent.to_string(),
            queue: queue.name.clone(),
            pattern: queue.claim_pattern.clone(),
        });
    }
    Ok(())
}

fn claim_next(
    tx: &mut Tx,
    queue: &MailQueue,
    agent: &Address,
) -> anyhow::Result<Option<MailMessage>> {
    let now = tx.now();
    let mailbox = queue.mailbox();
    let marked = tx.select_open(&[BeadMark::Label(&mailbox)]);
    let mut messages: Vec<&Bead> = marked.filter(|bead| is_mail(bead)).collect();
    let by_priority = queue.processing_order == "priority";
    messages.sort_by_key(|bead| {
        let priority = if by_priority { bead.priority } else { 0 };
        (priority, bead.created_at.instant(), bead.id.clone())
    });
    let (claimed, free): (Vec<&Bead>, Vec<&Bead>) = messages
        .into_iter()
        .partition(|bead| queue.claimant(bead, now.instant()).is_some());
    let Some(&next) = free.first() else {
        return Ok(None);
    };
    if queue.max_concurrency > 0 && claimed.len() as u64 >= queue.max_concurrency {
        return Err(QueueError::Full {
            queue: queue.name.clone(),
            limit: queue.max_concurrency,
        }
        .into());
    }
    let mut next = next.clone();
    set_claim(&mut next, Some((&agent.mailbox(), &now)));
    let message = parse_message(&next);
    tx.put_updated(next)?;
    Ok(Some(message))
}

/// Records the claimant of a message and the time, or removes them.
fn set_claim(bead: &mut Bead, claim: Option<(&str, &Stamp)>) {
    bead.labels
        .retain(|label| !label.starts_with("claimed-by:") && !label.starts_with("claimed-at:"));
    if let Some((mailbox, now)) = claim {
        bead.labels.push(format!("claimed-by:{mailbox}"));
        bead.labels.push(format!("claimed-at:{now}"));
    }
    bead.labels.sort();
}

/// Gives a claimed message back to its queue. Only its claimant and the overseer may do so.
pub fn release_message(town: &Town, id: &str) -> anyhow::Result<MailMessage> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let mut bead = tx
            .get_live(id)
            .filter(|bead| is_mail(bead))
            .cloned()
            .ok_or_else(|| MailError::Unknown { id: id.to_owned() })?;
        let message = parse_message(&bead);
        if message.queue.is_none() {
            return Err(QueueError::NotInQueue { id: id.to_owned() }.into());
        }
        let by = message
            .claimed_by
            .ok_or_else(|| QueueError::NotClaimed { id: id.to_owned() })?;
        if town.actor != Address::Overseer && by != town.actor.mailbox() {
            let id = id.to_owned();
            return Err(QueueError::OtherClaimant { id, by }.into());
        }
        set_claim(&mut bead, None);
        let released = parse_message(&bead);
        tx.put_updated(bead)?;
        Ok(released)
    })
}

/// Checks that an agent may remove a message: one of a queue only if the agent has claimed it, so
/// that no one else works on it. The overseer may remove any message.
pub(super) fn check_removal(
    bead: &Bead,
    agent: &Address,
    how: MailRemoval,
) -> Result<(), QueueError> {
    let message = parse_message(bead);
    let (Some(queue), true) = (message.queue, *agent != Address::Overseer) else {
        return Ok(());
    };
    let id = bead.id.clone();
    match message.claimed_by {
        _ if how == MailRemoval::Deleted && !bead.is_open() => Ok(()),
        Some(by) if by == agent.mailbox() => Ok(()),
        Some(by) => Err(QueueError::OtherClaimant { id, by }),
        None => Err(QueueError::ClaimFirst { id, queue }),
    }
}
