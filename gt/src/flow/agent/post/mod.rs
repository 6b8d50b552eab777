//! Sends mail: finds the recipients of an address and writes one copy per mailbox.
//!
//! All copies of a message are written in one transaction, so that a crash delivers it to every
//! recipient or to none, and each mailbox gets it once.
//!
//! 1. Find the recipients: agents, groups, queues, channels, announcements.
//! 2. Replace the mailbox of a role that no agent plays by that of its stand-in.
//! 3. Write the copies, and apply the retention of channels and announcements.
//! 4. Nudge the sessions of recipients that are to be disturbed.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bd::store::Tx;
use kit::sys::watch::FolderWatch;
use kit::ui::escape;
use serde::Serialize;

use super::handoff;
use super::nudge::nudge_agent;
use super::recipient::{
    MailReader, MailTarget, find_notice_reader, find_reader, find_target, is_mayor_running,
    is_mechanical,
};
use super::session::show;
use crate::host::LiveTown;
use crate::record::hook;
use crate::record::mail::channel::{apply_retention, get_channel, keep_newest};
use crate::record::mail::{self, MAIL_KINDS, MailError, MailMessage, NewMessage};
use crate::record::notification_level::{NotificationLevel, load_level};
use crate::town::identity::Address;

/// A message to send.
#[derive(Debug, Clone, Default)]
pub struct OutgoingMail {
    /// The address of the recipients.
    pub to: String,
    /// The addresses that get a copy.
    pub cc: Vec<String>,
    pub subject: String,
    pub body: String,
    /// 0 urgent, 1 high, 2 normal, 3 low.
    pub priority: i64,
    /// One of [`MAIL_KINDS`].
    pub kind: String,
    /// The id of the message that this one answers.
    pub reply_to: Option<String>,
    /// True if it is synced with the town's beads. Messages of queues, channels and announcements
    /// always are.
    pub permanent: bool,
    pub pinned: bool,
    /// True if the sessions of the recipients are nudged.
    pub notify: bool,
    /// The operation that it belongs to. A message that is sent again in the same operation is
    /// written once.
    pub operation: Option<String>,
}

/// The result of sending a message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PostedMail {
    /// The id of the first copy.
    pub id: String,
    /// The mailbox of the message, or the address of the group.
    pub to: String,
    pub subject: String,
    /// The mailboxes that got a copy, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
    /// The address that the sender wrote, if another mailbox got the message because no agent plays
    /// the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addressed_to: Option<String>,
    /// The rule of the patrol that does what the message asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handled_by: Option<&'static str>,
    /// The members of a group that could not be resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// The agents whose sessions were nudged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nudged: Vec<String>,
    /// True if each recipient has read the message. Only known if the sender waited for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<bool>,
    /// The ids of all copies.
    #[serde(skip)]
    pub copies: Vec<String>,
}

/// Checks the type of a message.
pub fn check_kind(kind: &str) -> Result<String, String> {
    if kind == handoff::KIND {
        return Err(
            "a message to the successor of a session is written by `gt handoff`".to_owned(),
        );
    }
    if MAIL_KINDS.contains(&kind) {
        return Ok(kind.to_owned());
    }
    let known = MAIL_KINDS.join(", ");
    Err(format!("there is no such type (types: {known})"))
}

/// Sends a message from the town's actor.
pub fn post_mail(town: &LiveTown, outgoing: &OutgoingMail) -> anyhow::Result<PostedMail> {
    post_with(town, outgoing, |_| Ok(()))
}

/// Sends a message. `also` runs after all changes of the transaction, and its failure takes them
/// back.
fn post_with(
    town: &LiveTown,
    outgoing: &OutgoingMail,
    also: impl FnOnce(&mut Tx) -> anyhow::Result<()>,
) -> anyhow::Result<PostedMail> {
    anyhow::ensure!(!outgoing.subject.trim().is_empty(), MailError::NoSubject);
    let kind = match (&outgoing.reply_to, outgoing.kind.as_str()) {
        (Some(_), "notification" | "") => "reply",
        (_, kind) => kind,
    };
    let template = NewMessage {
        subject: outgoing.subject.clone(),
        body: outgoing.body.clone(),
        priority: Some(outgoing.priority),
        kind: kind.to_owned(),
        reply_to: outgoing.reply_to.clone(),
        permanent: outgoing.permanent,
        pinned: outgoing.pinned,
        operation: outgoing.operation.clone(),
        ..NewMessage::default()
    };
    let mut copies = MailCopies::new(town, template);
    copies.add_address(&outgoing.to)?;
    let own_copies = copies.list.len();
    for address in &outgoing.cc {
        copies.add_address(address)?;
    }
    let cc: Vec<String> = copies.list[own_copies..]
        .iter()
        .map(|copy| copy.to.clone())
        .collect();
    for copy in &mut copies.list {
        copy.cc.clone_from(&cc);
    }
    let retentions = std::mem::take(&mut copies.retentions);
    let ids = mail::send_messages(town, &copies.list, |tx| {
        for retention in &retentions {
            match retention {
                Retention::Channel(name) => apply_retention(tx, name)?,
                Retention::Announce(name, count) if *count > 0 => {
                    keep_newest(tx, &format!("announce:{name}"), *count)?;
                }
                Retention::Announce(..) => {}
            }
        }
        also(tx)
    })?;
    let nudged = nudge_recipients(town, &copies.agents, &copies.list, &ids, outgoing.notify);
    let recipients: Vec<String> = copies.list.iter().map(|copy| copy.to.clone()).collect();
    let first = copies.list.swap_remove(0);
    let is_one = recipients.len() == 1;
    Ok(PostedMail {
        id: ids[0].clone(),
        to: if own_copies == 1 {
            first.to
        } else {
            outgoing.to.clone()
        },
        subject: outgoing.subject.clone(),
        recipients: if is_one { Vec::new() } else { recipients },
        addressed_to: first.addressed_to.filter(|_| own_copies == 1),
        handled_by: first.handled_by,
        skipped: copies.skipped,
        nudged,
        acknowledged: None,
        copies: ids,
    })
}

/// The messages that a place may still keep after a new one.
enum Retention {
    Channel(String),
    Announce(String, u64),
}

/// The copies of a message, one per mailbox.
struct MailCopies<'t> {
    town: &'t LiveTown,
    template: NewMessage,
    list: Vec<NewMessage>,
    /// The agents with a copy.
    agents: Vec<Address>,
    skipped: Vec<String>,
    retentions: Vec<Retention>,
}

impl<'t> MailCopies<'t> {
    fn new(town: &'t LiveTown, template: NewMessage) -> Self {
        Self {
            town,
            template,
            list: Vec::new(),
            agents: Vec::new(),
            skipped: Vec::new(),
            retentions: Vec::new(),
        }
    }

    /// Adds the copies for the recipients of an address.
    fn add_address(&mut self, text: &str) -> anyhow::Result<()> {
        match find_target(self.town, text)? {
            MailTarget::Agent(agent) => self.add_agent(&agent, None)?,
            MailTarget::Group { members, skipped } => {
                self.skipped.extend(skipped);
                self.add_members(&members, text)?;
            }
            MailTarget::Queue(name) => self.add_shared(&format!("queue:{name}")),
            MailTarget::Announce(name, count) => {
                self.add_shared(&format!("announce:{name}"));
                self.retentions.push(Retention::Announce(name, count));
            }
            MailTarget::Channel(name) => self.add_channel(name)?,
        }
        Ok(())
    }

    /// Adds a copy for an agent, or for its stand-in. `group` is the address of the group to which
    /// the agent belongs.
    fn add_agent(&mut self, agent: &Address, group: Option<&str>) -> anyhow::Result<()> {
        let is_urgent = self.template.priority == Some(0);
        let reader = find_reader(self.town, agent, &self.template.subject, is_urgent)?;
        let mut copy = NewMessage {
            to: agent.mailbox(),
            addressed_to: group.map(str::to_owned),
            // A sender in the group knows the message.
            read: group.is_some() && *agent == self.town.actor,
            ..self.template.clone()
        };
        match reader {
            MailReader::Recipient => self.push(copy, Some(agent)),
            MailReader::Rule(rule) => {
                copy.handled_by = Some(rule);
                self.push(copy, None);
            }
            MailReader::StandIn(other) => {
                copy.addressed_to = Some(group.map_or_else(|| agent.mailbox(), str::to_owned));
                copy.to = other.mailbox();
                self.push(copy, Some(&other));
            }
        }
        Ok(())
    }

    /// Adds copies for the members of a group. Roles that no agent plays are left out, unless the
    /// group has no other members: then their stand-ins get it.
    fn add_members(&mut self, members: &[Address], text: &str) -> anyhow::Result<()> {
        let (unplayed, played): (Vec<&Address>, Vec<&Address>) = members
            .iter()
            .partition(|member| is_mechanical(self.town, member));
        let readers = if played.is_empty() { unplayed } else { played };
        for reader in readers {
            self.add_agent(reader, Some(text))?;
        }
        Ok(())
    }

    /// Adds the message of a channel, and copies for its subscribers other than the sender.
    fn add_channel(&mut self, name: String) -> anyhow::Result<()> {
        let mailbox = format!("channel:{name}");
        self.add_shared(&mailbox);
        let beads = self.town.open_town_store()?.snapshot()?;
        let subject = format!("[{mailbox}] {}", self.template.subject);
        for subscriber in get_channel(&beads, &name)?.subscribers {
            let Ok(agent) = self.town.parse_address(&subscriber) else {
                self.skipped.push(subscriber);
                continue;
            };
            if agent == self.town.actor {
                continue;
            }
            let reader = if is_mechanical(self.town, &agent) {
                find_notice_reader(self.town, &agent, is_mayor_running(self.town))
            } else {
                agent
            };
            let copy = NewMessage {
                to: reader.mailbox(),
                subject: subject.clone(),
                addressed_to: Some(mailbox.clone()),
                ..self.template.clone()
            };
            self.push(copy, Some(&reader));
        }
        self.retentions.push(Retention::Channel(name));
        Ok(())
    }

    /// Adds a message that many agents read in one place.
    fn add_shared(&mut self, mailbox: &str) {
        let copy = NewMessage {
            to: mailbox.to_owned(),
            permanent: true,
            ..self.template.clone()
        };
        self.push(copy, None);
    }

    /// Adds a copy unless its mailbox has one.
    fn push(&mut self, copy: NewMessage, agent: Option<&Address>) {
        let mailboxes: BTreeSet<&str> = self.list.iter().map(|other| other.to.as_str()).collect();
        if !mailboxes.contains(copy.to.as_str()) {
            self.list.push(copy);
            self.agents.extend(agent.cloned());
        }
    }
}

/// Types a line about the message into the running sessions of its recipients: of all if the sender
/// asks for it, otherwise of those that want it. Never of those that are muted.
fn nudge_recipients(
    town: &LiveTown,
    agents: &[Address],
    copies: &[NewMessage],
    ids: &[String],
    is_asked_for: bool,
) -> Vec<String> {
    let mut nudged = Vec::new();
    for agent in agents.iter().filter(|agent| **agent != town.actor) {
        let wants_nudge = match load_level(town, agent) {
            NotificationLevel::Verbose => true,
            NotificationLevel::Normal => is_asked_for,
            NotificationLevel::Muted => false,
        };
        let mailbox = agent.mailbox();
        let place = copies.iter().position(|copy| copy.to == mailbox);
        let Some((copy, id)) = place.map(|place| (&copies[place], &ids[place])) else {
            continue;
        };
        let session = show::find_session(town, agent).ok().flatten();
        let Some(live) = session.filter(|live| wants_nudge && live.dead.is_none()) else {
            continue;
        };
        let subject = escape::escape_line(&copy.subject);
        let text = format!("New mail {id}: {subject} (gt mail read {id})");
        // The message is in the mailbox in any case.
        if nudge_agent(town, agent, &text).is_ok() {
            mail::record_notice(&town.layout, &mailbox, &live.token, id);
            nudged.push(mailbox);
        }
    }
    nudged
}

/// Answers a message in its thread and marks it as read. The answer goes to the sender. For a
/// message of the caller, it goes to the recipient again.
pub fn post_reply(
    town: &LiveTown,
    message: &MailMessage,
    subject: Option<&str>,
    body: &str,
) -> anyhow::Result<PostedMail> {
    let own_mailbox = town.actor.mailbox();
    let other = if message.from == own_mailbox {
        &message.to
    } else {
        &message.from
    };
    let is_shared = other.contains(':');
    let mut recipient = None;
    if !is_shared {
        let address = town.parse_address(other)?;
        if let Some(rig) = address.rig() {
            town.find_rig(rig)?;
        }
        recipient = Some(address);
    }
    anyhow::ensure!(!body.trim().is_empty(), MailError::NoText);
    let subject = match subject {
        Some(subject) => subject.to_owned(),
        None => mail::mark_subject("Re:", &message.subject),
    };
    let posted = match recipient {
        Some(address) => post_to_agent(town, message, &address, subject, body)?,
        None => post_mail(
            town,
            &OutgoingMail {
                to: other.clone(),
                subject,
                body: body.to_owned(),
                priority: 2,
                reply_to: Some(message.id.clone()),
                ..OutgoingMail::default()
            },
        )?,
    };
    if !message.read && message.to == own_mailbox {
        mail::mark_read(town, std::slice::from_ref(&message.id))?;
    }
    Ok(posted)
}

/// Answers an agent that may have ended in the meantime.
fn post_to_agent(
    town: &LiveTown,
    message: &MailMessage,
    agent: &Address,
    subject: String,
    body: &str,
) -> anyhow::Result<PostedMail> {
    let template = NewMessage {
        subject,
        body: body.to_owned(),
        kind: "reply".to_owned(),
        reply_to: Some(message.id.clone()),
        permanent: !message.wisp,
        ..NewMessage::default()
    };
    let mut copies = MailCopies::new(town, template);
    copies.add_agent(agent, None)?;
    let ids = mail::send_messages(town, &copies.list, |_| Ok(()))?;
    let nudged = nudge_recipients(town, &copies.agents, &copies.list, &ids, false);
    let copy = copies.list.swap_remove(0);
    Ok(PostedMail {
        id: ids[0].clone(),
        to: copy.to,
        subject: copy.subject,
        addressed_to: copy.addressed_to,
        handled_by: copy.handled_by,
        nudged,
        copies: ids,
        ..PostedMail::default()
    })
}

/// Sends a message on to other recipients, below a text of the caller.
pub fn forward_mail(
    town: &LiveTown,
    message: &MailMessage,
    to: &str,
    text: &str,
) -> anyhow::Result<PostedMail> {
    let mut lines: Vec<String> = Vec::new();
    if !text.trim().is_empty() {
        lines.extend([text.trim_end().to_owned(), String::new()]);
    }
    lines.extend([
        format!("Forwarded message {}:", message.id),
        format!("From: {}", message.from),
        format!("Date: {}", message.timestamp),
        String::new(),
        message.body.clone(),
    ]);
    let outgoing = OutgoingMail {
        to: to.to_owned(),
        subject: mail::mark_subject("Fwd:", &message.subject),
        body: lines.join("\n"),
        priority: 2,
        kind: "notification".to_owned(),
        permanent: !message.wisp,
        ..OutgoingMail::default()
    };
    post_mail(town, &outgoing)
}

/// Puts a message on the caller's hook, which must be empty.
pub fn hook_mail(town: &LiveTown, id: &str) -> anyhow::Result<MailMessage> {
    match &town.actor {
        Address::Overseer => anyhow::bail!("the overseer has no hook"),
        Address::Polecat(..) => anyhow::bail!("a worker gets its work by `gt sling`, not by mail"),
        _ => {}
    }
    if let Ok(bead) = hook::find_hooked_bead(town, &town.actor)
        && bead != id
    {
        anyhow::bail!(
            "{bead} is on your hook already: finish it first, or take it off (gt unsling {bead})"
        );
    }
    mail::hook_message(town, id)
}

/// Waits until each copy is read, for at most `limit`. Returns true if all are read.
pub fn wait_until_read(town: &LiveTown, ids: &[String], limit: Duration) -> anyhow::Result<bool> {
    let store = town.open_town_store()?;
    // Watched before the first look, so that no change is missed.
    let watch = FolderWatch::start([store.dir()])?;
    let end = Instant::now() + limit;
    loop {
        let beads = store.snapshot()?;
        if ids
            .iter()
            .all(|id| mail::find_message(&beads, "", id).is_ok_and(|one| one.read))
        {
            return Ok(true);
        }
        let rest = end.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Ok(false);
        }
        watch.wait_at_most(rest);
    }
}
