//! Records the messages that a session was notified of, so that each enters it once.
//!
//! Kept for the last sessions of each mailbox, in `.runtime/told/`. The hooks of a session and the
//! patrol, which types notices into it, share the record. Those that run at the same time wait for
//! each other, so that only one of them notifies. If the file is lost, a notification is repeated.
//! The recipient acknowledges a message by reading it.

use std::io;
use std::path::Path;
use std::time::Duration;

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::MailMessage;
use crate::record::state_file::read_expendable_state;
use crate::town::lock::Lock;
use crate::town::process;
use crate::town::{Town, TownLayout};

/// The number of sessions of a mailbox that are remembered.
const MAX_SESSIONS: usize = 8;
/// The time that a hook waits for another one.
const HOOK_WAIT: Duration = Duration::from_secs(2);

#[derive(Debug, Default, Serialize, Deserialize)]
struct DeliveredMail {
    #[serde(flatten)]
    latest: SessionMail,
    /// The sessions before, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    earlier: Vec<SessionMail>,
}

/// The messages that one session was notified of.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SessionMail {
    session: String,
    ids: Vec<String>,
}

/// Returns the session that this process notifies: the session of the town above it, which the
/// patrol knows, too. Outside the town, the session that an agent program names.
pub fn notified_session(town: &Town, program_session: &str) -> String {
    match town.env.get(process::TOKEN) {
        None | Some("") => program_session.to_owned(),
        Some(token) => token.to_owned(),
    }
}

/// Returns the messages that this session was not notified of. Without a session all are new.
pub fn find_new_messages<'a>(
    layout: &TownLayout,
    mailbox: &str,
    session: &str,
    messages: &'a [MailMessage],
) -> Vec<&'a MailMessage> {
    let sessions = read_sessions(&layout.delivered_mail(mailbox));
    select_new_messages(&sessions, session, messages)
}

/// Returns the messages that this session was not notified of and that `is_wanted` accepts, and
/// records the notification. `unread` are all unread messages of the mailbox. Without a session all
/// are new. A notification that cannot be recorded is an error, because it would be repeated each
/// time.
pub fn take_new_messages<'a>(
    layout: &TownLayout,
    mailbox: &str,
    session: &str,
    unread: &'a [MailMessage],
    is_wanted: impl Fn(&MailMessage) -> bool,
) -> io::Result<Vec<&'a MailMessage>> {
    let path = layout.delivered_mail(mailbox);
    // Without the lock a notification may be repeated, which is better than none.
    let _lock = Lock::take(&layout.state_lock(&path), HOOK_WAIT).ok();
    let sessions = read_sessions(&path);
    let mut news = select_new_messages(&sessions, session, unread);
    news.retain(|message| is_wanted(message));
    if !session.is_empty() && !news.is_empty() {
        let mut ids = notified_ids(&sessions, session);
        // Messages that were read or removed need no record.
        ids.retain(|id| unread.iter().any(|message| message.id == *id));
        ids.extend(news.iter().map(|message| message.id.clone()));
        write_notices(&path, sessions, session, ids)?;
    }
    Ok(news)
}

/// Records that a session was notified of a message. A failed record only repeats the notification.
pub fn record_notice(layout: &TownLayout, mailbox: &str, session: &str, id: &str) {
    change_notices(layout, mailbox, session, |ids| ids.push(id.to_owned()));
}

/// Takes back the record of a notification that did not reach its session.
pub fn forget_notices(layout: &TownLayout, mailbox: &str, session: &str, news: &[&MailMessage]) {
    change_notices(layout, mailbox, session, |ids| {
        ids.retain(|id| news.iter().all(|message| message.id != *id));
    });
}

fn change_notices(
    layout: &TownLayout,
    mailbox: &str,
    session: &str,
    change: impl FnOnce(&mut Vec<String>),
) {
    let path = layout.delivered_mail(mailbox);
    // Without the lock a notification may be repeated, which is better than none.
    let _lock = Lock::take(&layout.state_lock(&path), HOOK_WAIT).ok();
    let sessions = read_sessions(&path);
    let mut ids = notified_ids(&sessions, session);
    change(&mut ids);
    write_notices(&path, sessions, session, ids).ok();
}

fn notified_ids(sessions: &[SessionMail], session: &str) -> Vec<String> {
    let notified = sessions.iter().find(|notified| notified.session == session);
    notified.map_or_else(Vec::new, |notified| notified.ids.clone())
}

/// Writes the messages that a session was notified of.
fn write_notices(
    path: &Path,
    mut sessions: Vec<SessionMail>,
    session: &str,
    ids: Vec<String>,
) -> io::Result<()> {
    sessions.retain(|notified| notified.session != session && !notified.session.is_empty());
    sessions.truncate(MAX_SESSIONS - 1);
    let delivered = DeliveredMail {
        latest: SessionMail {
            session: session.to_owned(),
            ids,
        },
        earlier: sessions,
    };
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o700)?;
    }
    file::replace_file_relaxed(path, &serde_json::to_vec(&delivered)?, 0o600)
}

/// Reads the sessions of a mailbox, newest first.
fn read_sessions(path: &Path) -> Vec<SessionMail> {
    let delivered: DeliveredMail = read_expendable_state(path);
    let mut sessions = vec![delivered.latest];
    sessions.extend(delivered.earlier);
    sessions
}

fn select_new_messages<'a>(
    sessions: &[SessionMail],
    session: &str,
    messages: &'a [MailMessage],
) -> Vec<&'a MailMessage> {
    let notified = sessions
        .iter()
        .find(|notified| !session.is_empty() && notified.session == session);
    messages
        .iter()
        .filter(|message| notified.is_none_or(|notified| !notified.ids.contains(&message.id)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_many_messages_is_new_once_and_only_if_the_notice_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let layout = TownLayout::new(folder.path());
        let unread: Vec<MailMessage> = (0..1000)
            .map(|number| MailMessage {
                id: format!("hq-{number}"),
                ..MailMessage::default()
            })
            .collect();
        let take = |unread| {
            take_new_messages(&layout, "mayor/", "token", unread, |_| true).map(|news| news.len())
        };
        assert_eq!(take(&unread).unwrap(), 1000);
        assert_eq!(take(&unread).unwrap(), 0);
        assert_eq!(take(&unread[..10]).unwrap(), 0);
        let path = layout.delivered_mail("mayor/");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        take(&unread).unwrap_err();
    }
}
