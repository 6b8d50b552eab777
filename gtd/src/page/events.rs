//! Reports changes to a browser, as server-sent events. The id of each event of the town is its
//! position in the file of events, so that a browser that was away gets everything that it missed.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use gt::town::event::{EventReader, StoredEvent};
use gt::view::feed::{FeedFilter, describe_event};
use gt::view::status;
use kit::sys::watch::FolderWatch;
use serde_json::json;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

use super::ServedPage;
use super::access::GrantedAccess;

/// The longest wait before a connection is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// The number of events that a new browser gets.
const FIRST_EVENTS: usize = 30;

type EventStream = ReceiverStream<Result<Event, Infallible>>;

/// Follows the town from a position in the file of events, or from now on, until the access of the
/// browser is revoked.
pub(super) fn follow_town(
    page: Arc<ServedPage>,
    access: GrantedAccess,
    position: Option<u64>,
) -> Sse<axum::response::sse::KeepAliveStream<EventStream>> {
    let (send, events) = channel(64);
    // A thread per browser, which ends with the connection.
    std::thread::spawn(move || {
        if let Err(error) = send_changes(&page, access, position, &send) {
            tracing::warn!(
                error = format!("{error:#}"),
                "a page does not follow the town any more"
            );
        }
    });
    Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::new().interval(CHECK_INTERVAL))
}

pub(super) fn send_changes(
    page: &ServedPage,
    access: GrantedAccess,
    position: Option<u64>,
    send: &Sender<Result<Event, Infallible>>,
) -> anyhow::Result<()> {
    let town = &page.town;
    let filter = FeedFilter::default();
    let mut reader = EventReader::new(&town.layout);
    let mut new = match position {
        Some(position) => {
            reader = EventReader::at(&town.layout, position)?;
            Vec::new()
        }
        None => reader.read_last(FIRST_EVENTS, None, |event| filter.is_match(event))?,
    };
    let mut watched = status::watched_folders(town);
    let mut watch = FolderWatch::start(watched.iter().map(PathBuf::as_path))?;
    loop {
        if page.is_revoked(access) {
            return Ok(());
        }
        // A rig may have been added. Changes since the last wait are still in the watch.
        let folders = status::watched_folders(town);
        if folders != watched {
            watch = FolderWatch::start(folders.iter().map(PathBuf::as_path))?;
            watched = folders;
        }
        new.extend(reader.read_new()?);
        new.retain(|stored: &StoredEvent| filter.is_match(&stored.event));
        let count = new.len();
        for (number, stored) in new.drain(..).enumerate() {
            let text = describe_event(&stored.event);
            let data = json!({ "event": stored.event, "text": text }).to_string();
            let mut message = Event::default().event("town").data(data);
            // After a break within these events all of them are sent again.
            if number + 1 == count {
                message = message.id(reader.position().to_string());
            }
            if send.blocking_send(Ok(message)).is_err() {
                return Ok(());
            }
        }
        let kind = if watch.wait_at_most(CHECK_INTERVAL) {
            "change"
        } else {
            "tick"
        };
        if page.is_revoked(access) {
            return Ok(());
        }
        let change = Event::default().event(kind).data("{}");
        if send.is_closed() || send.blocking_send(Ok(change)).is_err() {
            return Ok(());
        }
    }
}
