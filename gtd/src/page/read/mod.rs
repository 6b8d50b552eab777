//! Reads the views of the page from the reports of the commands. Everything here may block.

mod agents;
mod career;
mod reports;
mod timeline;
mod work;

pub(super) use agents::{
    SessionQuery, list_sessions, read_agent, read_changes, read_channel, read_mail, read_records,
    read_session, read_thread,
};
pub(super) use career::CareerCache;
pub(super) use reports::{CostsCache, DailyQuery, read_board, read_rig_settings, read_settings};
pub(super) use timeline::{TimelineQuery, read_timeline};
pub(super) use work::{read_bead, read_convoy, read_request};

use gt::host::LiveTown;
use gt::view::feed::describe_event;
use gt::view::why;
use serde_json::{Value, json};

/// The maximum size of a patch or log, in bytes.
const MAX_TEXT_SIZE: usize = 400 * 1024;
/// The number of events of an explanation.
const MAX_EVENTS: usize = 100;
/// Reads the state and the last events of a thing, as in `gt why`.
fn read_explanation(town: &LiveTown, name: &str) -> Value {
    let Ok(found) = why::explain_name(town, name) else {
        return Value::Null;
    };
    let events: Vec<Value> = found
        .events
        .iter()
        .rev()
        .take(MAX_EVENTS)
        .map(|event| {
            json!({ "ts": event.ts, "text": describe_event(event), "payload": event.payload })
        })
        .collect();
    json!({ "now": found.now, "next_steps": found.next_steps, "events": events })
}
