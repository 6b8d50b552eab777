//! Reads agents, their mail and their records.

use gt::flow::agent::seance;
use gt::flow::agent::seance::conversation::{ConversationWindow, read_session_conversation};
use gt::flow::agent::session::show;
use gt::host::LiveTown;
use gt::record::mail::{self, channel};
use gt::record::polecat::{self, RecordSummary, WorkCompletion};
use gt::town::identity::Address;
use gt::view::polecat::read_changes_so_far;
use gt::view::thread::AgentThread;
use jiff::SignedDuration;
use kit::ui::cut::first_bytes;
use kit::ui::escape::escape_line;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::MAX_TEXT_SIZE;

/// The number of lines of an agent's screen.
const SCREEN_LINES: usize = 200;
/// The number of shown entries of a record.
const MAX_ENTRIES: usize = 20;
/// The number of entries of a conversation that are read at once.
const PASSAGE_ENTRIES: usize = 100;
/// The number of listed messages that an agent sent.
const MAX_SENT: usize = 20;
/// The number of listed sessions.
const MAX_SESSIONS: usize = 50;
/// The age from which on sessions are not listed.
const SESSION_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Selects sessions.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::page) struct SessionQuery {
    /// The address of the agent.
    agent: Option<String>,
    bead: Option<String>,
}

/// Reads an agent: its live screen, its mail and the messages that it sent.
pub(in crate::page) fn read_agent(town: &LiveTown, address: &str) -> anyhow::Result<Value> {
    let agent = town.parse_agent(address)?;
    let session = show::find_session(town, &agent)?;
    let cut = session.as_ref().and_then(|live| live.unreachable.as_ref());
    let screen = match &session {
        Some(_) if let Some(host) = cut => {
            let state = host.describe(|since| format!("{since:.0}"));
            Some(format!("{state}: {}", escape_line(&host.reason)))
        }
        Some(_) => Some(show::read_styled_screen(town, &agent, SCREEN_LINES)?),
        None => None,
    };
    let beads = town.open_town_store()?.snapshot()?;
    Ok(json!({
        "address": agent.to_string(),
        "screen": screen,
        "mail": mail::list_inbox(&beads, &agent.mailbox()),
        "sent": mail::list_sent(&beads, &agent, MAX_SENT),
    }))
}

/// Reads the conversation of the user with an agent.
pub(in crate::page) fn read_thread(town: &LiveTown, address: &str) -> anyhow::Result<AgentThread> {
    AgentThread::read(town, &town.parse_agent(address)?)
}

/// Reads the changes of a polecat so far. Null for other agents.
pub(in crate::page) fn read_changes(town: &LiveTown, address: &str) -> anyhow::Result<Value> {
    let diff = match town.parse_agent(address)? {
        Address::Polecat(rig, name) => read_changes_so_far(&town.find_rig(&rig)?, &name).ok(),
        _ => None,
    };
    Ok(json!(
        diff.as_deref().map(|diff| first_bytes(diff, MAX_TEXT_SIZE))
    ))
}

/// Lists the sessions of an agent or a bead since a month, newest first.
pub(in crate::page) fn list_sessions(
    town: &LiveTown,
    query: &SessionQuery,
) -> anyhow::Result<Value> {
    let since = town.clock.now().checked_sub(SESSION_AGE)?;
    let mut sessions = seance::list_recent_sessions(town, since)?;
    sessions.retain(|session| {
        query
            .agent
            .as_ref()
            .is_none_or(|agent| session.actor == *agent)
            && query.bead.as_ref().is_none_or(|bead| session.bead == *bead)
    });
    sessions.truncate(MAX_SESSIONS);
    Ok(json!(sessions))
}

/// Reads a part of a session's conversation: from the entry with a number on, or the last entries.
pub(in crate::page) fn read_session(
    town: &LiveTown,
    id: &str,
    from: Option<usize>,
) -> anyhow::Result<Value> {
    let session = seance::find_session(town, id)?;
    let window = match from {
        Some(number) => ConversationWindow::From {
            number,
            limit: PASSAGE_ENTRIES,
        },
        None => ConversationWindow::Last(PASSAGE_ENTRIES),
    };
    let conversation = read_session_conversation(&session, window);
    Ok(json!({ "session": session, "conversation": conversation }))
}

/// Reads the overseer's mail and lists the channels.
pub(in crate::page) fn read_mail(town: &LiveTown) -> anyhow::Result<Value> {
    let beads = town.open_town_store()?.snapshot()?;
    let inbox = mail::list_inbox(&beads, &Address::Overseer.mailbox());
    Ok(json!({ "inbox": inbox, "channels": channel::list_channels(&beads) }))
}

/// Reads a channel and its messages, newest first.
pub(in crate::page) fn read_channel(town: &LiveTown, name: &str) -> anyhow::Result<Value> {
    let beads = town.open_town_store()?.snapshot()?;
    let found = channel::get_channel(&beads, name)?;
    let now = town.clock.now();
    let messages = channel::list_channel_messages(&beads, &found, &Address::Overseer, now);
    Ok(json!({ "channel": found, "messages": messages }))
}

/// A finished bead with its title. The title is missing if the bead is archived or deleted.
#[derive(Serialize)]
struct TitledCompletion<'a> {
    title: Option<&'a str>,
    #[serde(flatten)]
    done: &'a WorkCompletion,
}

/// Reads the finished beads of each polecat, also of those that are gone, and the summaries by
/// model and by agent runtime.
pub(in crate::page) fn read_records(town: &LiveTown) -> anyhow::Result<Value> {
    let stores = town.read_stores()?;
    let mut identities = Vec::new();
    let mut all = Vec::new();
    for (rig, beads) in &stores.rigs {
        for (title, record) in polecat::read_records_by_identity(beads) {
            let last: Vec<TitledCompletion> = record
                .iter()
                .rev()
                .take(MAX_ENTRIES)
                .map(|done| TitledCompletion {
                    title: beads.get(&done.bead).map(|bead| bead.title.as_str()),
                    done,
                })
                .collect();
            identities.push(json!({
                "rig": rig,
                "identity": title,
                "summary": RecordSummary::new(&record),
                "last": last,
            }));
            all.extend(record);
        }
    }
    Ok(json!({
        "identities": identities,
        "models": polecat::summarize_records(&all, |entry| entry.model.as_deref().unwrap_or("")),
        "runtimes": polecat::summarize_records(&all, |entry| &entry.agent),
    }))
}
