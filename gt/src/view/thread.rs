//! The conversation of the user with an agent: the mail between them, and what was said in the
//! agent's newest session, in the order of time.

use jiff::Timestamp;
use serde::Serialize;

use crate::flow::agent::recipient::is_mechanical;
use crate::flow::agent::seance::conversation::{
    ConversationEntry, ConversationWindow, find_newest_session, read_session_conversation,
};
use crate::flow::agent::session::show;
use crate::host::LiveTown;
use crate::record::mail::{self, MailMessage};
use crate::town::identity::Address;

/// The number of shown messages, and of entries of the session.
const MAX_ITEMS: usize = 50;

#[derive(Debug, Serialize)]
pub struct AgentThread {
    pub address: String,
    /// True if a session of the agent runs.
    pub is_running: bool,
    /// True if the daemon does the work of the role, so that no session reads its mail.
    pub is_mechanical: bool,
    /// The commands that start a session, if none runs.
    pub next_steps: Vec<String>,
    /// The session of the entries.
    pub session: Option<String>,
    /// The oldest first.
    pub items: Vec<ThreadItem>,
}

/// A message or an entry of the session.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ThreadItem {
    Mail {
        /// True if the user wrote it.
        is_own: bool,
        message: Box<MailMessage>,
    },
    Said {
        entry: ConversationEntry,
    },
}

impl AgentThread {
    pub fn read(town: &LiveTown, agent: &Address) -> anyhow::Result<Self> {
        let beads = town.open_town_store()?.snapshot()?;
        let messages = mail::list_correspondence(&beads, &Address::Overseer, agent, MAX_ITEMS);
        let session = find_newest_session(town, agent)?;
        let entries = session
            .as_ref()
            .and_then(|session| {
                read_session_conversation(session, ConversationWindow::Last(MAX_ITEMS))
            })
            .map_or_else(Vec::new, |conversation| conversation.entries);
        let stopped = show::find_stopped(town, agent)?;
        let is_mechanical = is_mechanical(town, agent);
        Ok(Self {
            address: agent.to_string(),
            is_running: stopped.is_none(),
            next_steps: stopped
                .filter(|_| !is_mechanical)
                .map_or_else(Vec::new, |stopped| stopped.next_steps()),
            is_mechanical,
            session: session.map(|session| session.session_id),
            items: merge_by_time(messages, entries),
        })
    }
}

/// Merges messages and entries, each with the oldest first. An entry without a time belongs to the
/// one before it, so that the entries stay in their order.
fn merge_by_time(messages: Vec<MailMessage>, entries: Vec<ConversationEntry>) -> Vec<ThreadItem> {
    let mut timed: Vec<(Timestamp, ThreadItem)> = Vec::new();
    let mut last = Timestamp::MIN;
    for entry in entries {
        last = entry.at.parse().map_or(last, |at: Timestamp| at.max(last));
        timed.push((last, ThreadItem::Said { entry }));
    }
    for message in messages {
        let at = message.timestamp.parse().unwrap_or(Timestamp::MIN);
        let is_own = message.from.parse() == Ok(Address::Overseer);
        let message = Box::new(message);
        timed.push((at, ThreadItem::Mail { is_own, message }));
    }
    timed.sort_by_key(|(at, _)| *at);
    timed.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::agent::seance::conversation::Speaker;
    use crate::flow::townwide::town_change::TownChange;
    use crate::record::mail::{NewMessage, send_message};
    use crate::testing::TestTown;

    fn entry(number: usize, at: &str) -> ConversationEntry {
        ConversationEntry {
            number,
            at: at.to_owned(),
            by: Speaker::Assistant,
            turn: 1,
            model: None,
            texts: Vec::new(),
            calls: Vec::new(),
            results: Vec::new(),
            handoff: false,
        }
    }

    #[test]
    fn a_thread_has_the_mail_of_both_sides_and_no_other() {
        let place = TestTown::new();
        let town = &place.town;
        let send = |from: &str, to: Address, subject: &str| {
            let mail = NewMessage {
                from: from.to_owned(),
                to: to.mailbox(),
                subject: subject.to_owned(),
                ..NewMessage::default()
            };
            send_message(town, &mail).unwrap();
        };
        let write = |message: &str| {
            let change = TownChange::Write {
                agent: "mayor".to_owned(),
                message: message.to_owned(),
                draft: None,
            };
            change.apply(town)
        };
        let said = write("Plan the release\nand the notes").unwrap();
        assert!(said.contains("waits in the mailbox of mayor/"), "{said}");
        assert!(said.ends_with("\ngt mayor start"), "{said}");
        send("mayor", Address::Overseer, "Planned");
        send("mayor", Address::Deacon, "Not for you");
        send("deacon", Address::Overseer, "Not from the mayor");
        assert!(write(" \n").is_err());
        let thread = AgentThread::read(town, &Address::Mayor).unwrap();
        let mut shown: Vec<(bool, &str, &str)> = thread
            .items
            .iter()
            .map(|item| match item {
                ThreadItem::Mail { is_own, message } => {
                    (*is_own, message.subject.as_str(), message.body.as_str())
                }
                ThreadItem::Said { .. } => panic!("no session ran"),
            })
            .collect();
        // The clock of the test stands still.
        shown.sort_unstable();
        assert_eq!(
            shown,
            [
                (false, "Planned", ""),
                (true, "Plan the release", "Plan the release\nand the notes"),
            ]
        );
        assert!(!thread.is_running && !thread.is_mechanical);
        let deacon = AgentThread::read(town, &Address::Deacon).unwrap();
        assert!(deacon.is_mechanical && deacon.next_steps.is_empty());
        assert_eq!(thread.next_steps, ["gt mayor start"]);
    }

    #[test]
    fn entries_keep_their_order_around_a_message() {
        let place = TestTown::new();
        let mail = NewMessage {
            to: "mayor/".to_owned(),
            subject: "Hello".to_owned(),
            ..NewMessage::default()
        };
        send_message(&place.town, &mail).unwrap();
        let beads = place.town.open_town_store().unwrap().snapshot().unwrap();
        let [message] = mail::list_inbox(&beads, "mayor/").try_into().unwrap();
        let at: Timestamp = message.timestamp.parse().unwrap();
        let second = jiff::SignedDuration::from_secs(1);
        let entries = vec![
            entry(1, &(at - second).to_string()),
            entry(2, "no time"),
            entry(3, &(at + second).to_string()),
            // A clock that went back.
            entry(4, &(at - second).to_string()),
        ];
        let order: Vec<usize> = merge_by_time(vec![message], entries)
            .iter()
            .map(|item| match item {
                ThreadItem::Mail { .. } => 0,
                ThreadItem::Said { entry } => entry.number,
            })
            .collect();
        assert_eq!(order, [1, 2, 0, 3, 4]);
    }
}
