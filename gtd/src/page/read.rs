//! Reads what the page shows, from the reports of the commands. Everything here may block.

use std::cmp::Reverse;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bd::store::{BeadRef, TimeField};
use gt::flow::convoy::ProgressBoard;
use gt::flow::mq;
use gt::flow::session::show;
use gt::host::LiveTown;
use gt::record::progress::ActivityCache;
use gt::record::town_view::TownView;
use gt::record::{convoy, mail, merge_request};
use gt::town::identity::Address;
use gt::view::bead::BeadDetails;
use gt::view::convoy::{BeadPace, ConvoyEstimate, list_waves};
use gt::view::costs;
use gt::view::feed::describe_event;
use gt::view::overview::TownOverview;
use gt::view::polecat::read_changes_so_far;
use gt::view::{request, why};
use serde::Serialize;
use serde_json::{Value, json};

use crate::run::lock_mutex;

/// The number of lines of an agent's screen.
const SCREEN_LINES: usize = 200;
/// The maximum size of a patch or log, in bytes.
const LONG: usize = 400 * 1024;
/// The number of events of a timeline.
const EVENTS: usize = 100;
/// The time for which a reading serves several browsers.
const FRESH: Duration = Duration::from_millis(300);
const COSTS_FRESH: Duration = Duration::from_secs(60);

/// The last overview, as JSON.
#[derive(Debug, Default)]
pub(super) struct OverviewCache {
    last: Mutex<Option<(Instant, String)>>,
    glances: ActivityCache,
}

impl OverviewCache {
    /// Reads the overview: the object of `gt top --json`.
    pub(super) fn read(&self, town: &LiveTown) -> anyhow::Result<String> {
        let mut last = lock_mutex(&self.last);
        if let Some((at, text)) = last.as_ref()
            && at.elapsed() < FRESH
        {
            return Ok(text.clone());
        }
        let text = serde_json::to_string(&TownOverview::read_again(town, &self.glances)?)?;
        *last = Some((Instant::now(), text.clone()));
        Ok(text)
    }
}

/// Reads a bead with its timeline.
pub(super) fn read_bead(town: &LiveTown, id: &str) -> anyhow::Result<Value> {
    let bead = BeadDetails::read(town, id)?;
    Ok(json!({ "bead": bead, "timeline": read_timeline(town, id) }))
}

/// Reads a convoy: its beads by waves, and the estimate of its end.
pub(super) fn read_convoy(town: &LiveTown, id: &str) -> anyhow::Result<Value> {
    let view = TownView::read(town)?;
    let all = convoy::list_convoys(&view.stores.town, true);
    let convoy = all.into_iter().find(|convoy| convoy.id == id);
    let convoy = convoy.ok_or_else(|| anyhow::anyhow!("there is no convoy `{id}`: not found"))?;
    let progress = ProgressBoard::from_view(&view).progress(convoy);
    let estimate = ConvoyEstimate::build(&progress, BeadPace::from_view(&view));
    Ok(json!({
        "progress": progress,
        "waves": list_waves(&progress.tracked),
        "estimate": estimate.map(|estimate| estimate.describe()),
        "timeline": read_timeline(town, id),
    }))
}

/// Reads a merge request: its line, its changes and the logs of its failed gates.
pub(super) fn read_request(town: &LiveTown, id: &str) -> anyhow::Result<Value> {
    let found = town.find_bead(id)?;
    let gt::town::beads::BeadsHome::Rig(rig) = &found.home else {
        anyhow::bail!("{id} is no merge request of a rig");
    };
    let rig = town.find_rig(rig)?;
    let row = request::read_requests(&rig)?
        .into_iter()
        .find(|row| row.id == id);
    let receipt = merge_request::receipt_of(&found.bead);
    // The rest is shown also if git does not have the commits any more.
    let diff = mq::read_submitted_diff(&rig, &receipt)
        .unwrap_or_else(|error| format!("the changes cannot be read: {error:#}"));
    let mut logs = Vec::new();
    for path in mq::list_gate_logs(&rig, id) {
        let bytes = kit::sys::file::read_file_if_exists(&path)?.unwrap_or_default();
        logs.push(json!({
            "path": path,
            "text": cut_start(&String::from_utf8_lossy(&bytes)),
        }));
    }
    Ok(json!({
        "title": found.bead.title,
        "status": found.bead.status,
        "row": row,
        "diff": cut(&diff),
        "gate_logs": logs,
        "timeline": read_timeline(town, id),
    }))
}

/// Reads an agent: its live screen, its changes so far, its mail.
pub(super) fn read_agent(town: &LiveTown, address: &str) -> anyhow::Result<Value> {
    let agent = town.parse_agent(address)?;
    let screen = match show::find_session(town, &agent)? {
        Some(_) => Some(show::read_screen(town, &agent, SCREEN_LINES)?),
        None => None,
    };
    let diff = match &agent {
        Address::Polecat(rig, name) => read_changes_so_far(&town.find_rig(rig)?, name).ok(),
        _ => None,
    };
    let beads = town.open_town_store()?.snapshot()?;
    Ok(json!({
        "address": agent.to_string(),
        "screen": screen,
        "diff": diff.as_deref().map(cut),
        "mail": mail::list_inbox(&beads, &agent.mailbox()),
    }))
}

/// Reads the overseer's mail.
pub(super) fn read_mail(town: &LiveTown) -> anyhow::Result<Value> {
    let beads = town.open_town_store()?.snapshot()?;
    let inbox = mail::list_inbox(&beads, &Address::Overseer.mailbox());
    Ok(json!({ "inbox": inbox }))
}

/// Today's costs, the object of `gt costs --today --json`. They are read once a minute, because
/// transcripts are long.
#[derive(Debug, Default)]
pub(super) struct CostsCache {
    last: Mutex<Option<(Instant, Value)>>,
}

impl CostsCache {
    pub(super) fn read(&self, town: &LiveTown) -> anyhow::Result<Value> {
        let mut last = lock_mutex(&self.last);
        if let Some((at, value)) = last.as_ref()
            && at.elapsed() < COSTS_FRESH
        {
            return Ok(value.clone());
        }
        let value = serde_json::to_value(costs::read_costs_of_today(town)?)?;
        *last = Some((Instant::now(), value.clone()));
        Ok(value)
    }
}

/// A bead on the board.
#[derive(Debug, Serialize)]
struct BoardBead {
    id: String,
    title: String,
    status: String,
    is_blocked: bool,
    priority: i64,
    assignee: String,
}

/// The number of closed beads on the board of a rig.
const CLOSED: usize = 20;

/// Reads the work beads of each rig, the last closed ones among them.
pub(super) fn read_board(town: &LiveTown) -> anyhow::Result<Value> {
    let stores = town.read_stores()?;
    let mut rigs = serde_json::Map::new();
    for (rig, beads) in &stores.rigs {
        let is_shown =
            |bead: &BeadRef| !bead.is_internal() && !bead.is_ephemeral() && !bead.is_tombstone();
        let (mut open, mut closed): (Vec<BeadRef>, Vec<BeadRef>) = beads
            .bead_refs()
            .filter(is_shown)
            .partition(BeadRef::is_open);
        open.sort_by_key(BeadRef::priority);
        closed.sort_by_cached_key(|bead| Reverse(bead.time(TimeField::Updated)));
        let shown = open.iter().chain(closed.iter().take(CLOSED));
        let shown: Vec<BoardBead> = shown
            .filter_map(|found| {
                let bead = found.bead()?;
                Some(BoardBead {
                    id: bead.id.clone(),
                    title: bead.title.clone(),
                    status: bead.status.to_string(),
                    is_blocked: found.is_blocked(),
                    priority: bead.priority,
                    assignee: bead.assignee.clone(),
                })
            })
            .collect();
        rigs.insert(rig.clone(), serde_json::to_value(shown)?);
    }
    Ok(Value::Object(rigs))
}

/// Reads the state and the last events of a thing, as in `gt why`.
fn read_timeline(town: &LiveTown, name: &str) -> Value {
    let Ok(found) = why::explain_name(town, name) else {
        return Value::Null;
    };
    let newest = found.events.iter().rev().take(EVENTS);
    let events: Vec<Value> = newest
        .map(|event| json!({ "ts": event.ts, "text": describe_event(event) }))
        .collect();
    json!({ "now": found.now, "next_steps": found.next_steps, "events": events })
}

/// Returns the end of a log, where the failure is.
fn cut_start(text: &str) -> &str {
    let mut begin = text.len().saturating_sub(LONG);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    &text[begin..]
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONG);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
