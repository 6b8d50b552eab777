//! Reads a bead, a convoy or a merge request.

use bd::graph::layers;
use bd::graph::picture::{self, PictureBead};
use gt::flow::work::convoy::ProgressBoard;
use gt::flow::work::mq;
use gt::host::LiveTown;
use gt::patrol::attention::list_due_items;
use gt::record::town_view::TownView;
use gt::record::{convoy, merge_request, molecule};
use gt::view::bead::BeadDetails;
use gt::view::convoy::{BeadPace, ConvoyEnd, list_waves};
use gt::view::convoy_graph;
use gt::view::need::{list_needing_beads, list_needs};
use gt::view::request;
use kit::ui::cut::{first_bytes, last_lines};
use serde_json::{Value, json};

use super::{MAX_TEXT_SIZE, read_explanation};

/// Reads a bead with its graph, its molecule and its events.
pub(in crate::page) fn read_bead(town: &LiveTown, id: &str) -> anyhow::Result<Value> {
    let bead = BeadDetails::read(town, id)?;
    let found = town.find_bead(id)?;
    let beads = town.open_store_at(&found.home)?.snapshot()?;
    let connected = layers::collect_component(&beads, id);
    let drawn = PictureBead::list_connected(&beads, &connected, town.clock.now());
    Ok(json!({
        "bead": bead,
        "data": found.bead,
        "graph": picture::lay_out(drawn),
        "molecule": molecule::molecule_of_bead(&beads, id),
        "explained": read_explanation(town, id),
    }))
}

/// Reads a convoy: its beads by waves, and the estimate of its end.
pub(in crate::page) fn read_convoy(town: &LiveTown, id: &str) -> anyhow::Result<Value> {
    let view = TownView::read(town)?;
    let convoy = view
        .stores
        .town
        .get_live(id)
        .filter(|bead| convoy::is_convoy(bead))
        .ok_or_else(|| anyhow::anyhow!("there is no convoy `{id}`: not found"))?;
    let progress = ProgressBoard::from_view(&view).progress(convoy);
    let needs = list_needs(&view, &list_due_items(town, &view));
    let pace = BeadPace::from_view(&view);
    let needs = list_needing_beads(&needs);
    let end = ConvoyEnd::estimate(&progress, &view, pace, &needs);
    Ok(json!({
        "progress": progress,
        "graph": picture::lay_out(convoy_graph::list_picture_beads(&progress)),
        "waves": list_waves(&progress.tracked),
        "estimate": end.map(|end| end.text),
        "explained": read_explanation(town, id),
    }))
}

/// Reads a merge request: its line, its changes and the logs of its failed gates.
pub(in crate::page) fn read_request(town: &LiveTown, id: &str) -> anyhow::Result<Value> {
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
        let Some(bytes) = kit::sys::file::read_file_if_exists(&path)? else {
            continue;
        };
        logs.push(json!({
            "path": path,
            "text": last_lines(&String::from_utf8_lossy(&bytes), MAX_TEXT_SIZE),
        }));
    }
    Ok(json!({
        "title": found.bead.title,
        "status": found.bead.status,
        "row": row,
        "diff": first_bytes(&diff, MAX_TEXT_SIZE),
        "gate_logs": logs,
        "explained": read_explanation(town, id),
    }))
}
