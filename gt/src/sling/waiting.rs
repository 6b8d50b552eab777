//! Beads that were slung to a rig while something still blocks them: they stand in line as local records
//! (wisps labelled `gt:sling-context`) until the patrol finds them unblocked and slings them.

use bd::bead::{Bead, Kind, Status};
use bd::store::{Snapshot, Tx};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Request, Slung, ensure_convoy};
use crate::beads::Found;
use crate::town::{RigLayout, Town};

const LABEL: &str = "gt:sling-context";

/// A bead that waits to be slung.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The record's version.
    pub version: u32,
    /// The bead.
    pub work_bead_id: String,
    /// The rig that it goes to.
    pub target_rig: String,
    /// The agent runtime, where not the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Instructions beside the bead's own text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub args: String,
    /// When it was put in line, RFC 3339.
    pub enqueued_at: String,
    /// Why it could not be slung the last time that it was its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failed>,
}

/// A try to sling a bead in line that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// When, RFC 3339.
    pub at: String,
    /// When a try failed first, RFC 3339.
    #[serde(default)]
    pub since: String,
    /// Why.
    pub why: String,
}

impl Waiting {
    /// Where it stands, in a few words.
    pub fn words(&self) -> String {
        let mut text = format!(
            "in line for rig {} since {}",
            self.target_rig, self.enqueued_at
        );
        if let Some(failed) = &self.failed {
            let (at, why) = (&failed.at, &failed.why);
            text.push_str(&format!("; the last try failed at {at}: {why}"));
        }
        text
    }
}

/// What blocks a bead right now.
pub(super) fn blockers(town: &Town, found: &Found) -> anyhow::Result<Vec<String>> {
    let snapshot = found.store.snapshot()?;
    let id = &found.bead.id;
    let mut blockers: Vec<String> = bd::graph::blockers(&snapshot, id)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if snapshot.head(id).is_some_and(|head| head.has_external()) {
        blockers.extend(town.stores()?.blockers_elsewhere(&found.bead));
    }
    Ok(blockers)
}

/// Puts a blocked bead in line for a rig.
pub fn enqueue(
    town: &Town,
    rig: &RigLayout,
    request: &Request,
    bead: &Bead,
    waits_for: Vec<String>,
) -> anyhow::Result<Slung> {
    anyhow::ensure!(
        bead.status == Status::Open,
        "{} is {}: only open work can be slung",
        bead.id,
        bead.status
    );
    let store = town.rig_store(rig)?;
    let id = record_id(&town.prefix(rig.name()), &bead.id);
    town.transact(&store, |tx| {
        let now = tx.now();
        let before = tx
            .get(&id)
            .and_then(|bead| read(bead.metadata.as_ref()?.get()));
        let waiting = Waiting {
            version: 1,
            work_bead_id: bead.id.clone(),
            target_rig: rig.name().to_owned(),
            agent: request.agent.clone(),
            args: request.args.clone(),
            // A bead that is queued again keeps its place.
            enqueued_at: before.map_or_else(|| now.to_string(), |before| before.enqueued_at),
            failed: None,
        };
        tx.put(Bead {
            id: id.clone(),
            title: format!("{} waits to be slung to {}", bead.id, rig.name()),
            // Closed from the start: it is no work, and no list of work may show it.
            status: Status::Closed,
            closed_at: Some(now.clone()),
            issue_type: Kind::Slot,
            ephemeral: true,
            labels: vec![LABEL.to_owned()],
            metadata: Some(serde_json::value::to_raw_value(&waiting)?),
            created_at: now.clone(),
            updated_at: now,
            created_by: tx.actor().to_owned(),
            ..Bead::default()
        })?;
        Ok(())
    })?;
    let convoy = ensure_convoy(town, request, bead)?;
    town.tell(
        "sling_waits",
        json!({ "bead": bead.id, "target": rig.name(), "waits_for": waits_for }),
    );
    Ok(Slung {
        bead: bead.id.clone(),
        title: bead.title.clone(),
        target: rig.name().to_owned(),
        convoy,
        branch: None,
        session: None,
        sandbox: None,
        rescued: None,
        waits_for,
    })
}

/// The beads in line in a rig's store, longest waiting first.
pub fn waiting(beads: &Snapshot) -> Vec<Waiting> {
    let mut found: Vec<Waiting> = beads
        .select(|head| head.has_label(LABEL))
        .filter_map(|bead| read(bead.metadata.as_ref()?.get()))
        .collect();
    found.sort_by(|a, b| (&a.enqueued_at, &a.work_bead_id).cmp(&(&b.enqueued_at, &b.work_bead_id)));
    found
}

/// Notes on a bead in line why it could not be slung; it stays in line.
pub fn note_failure(town: &Town, rig: &RigLayout, bead: &str, why: &str) -> anyhow::Result<()> {
    let store = town.rig_store(rig)?;
    let id = record_id(&town.prefix(rig.name()), bead);
    town.transact(&store, |tx| {
        let now = tx.now();
        let Some(mut record) = tx.get(&id).cloned() else {
            return Ok(());
        };
        let kept = record.metadata.as_ref();
        let Some(mut waiting) = kept.and_then(|raw| read(raw.get())) else {
            return Ok(());
        };
        let before = waiting.failed.take().map(|failed| failed.since);
        waiting.failed = Some(Failed {
            at: now.to_string(),
            since: before
                .filter(|since| !since.is_empty())
                .unwrap_or_else(|| now.to_string()),
            why: why.to_owned(),
        });
        record.metadata = Some(serde_json::value::to_raw_value(&waiting)?);
        record.updated_at = now;
        tx.put(record)?;
        Ok(())
    })
}

fn read(record: &str) -> Option<Waiting> {
    serde_json::from_str(record).ok()
}

/// Takes a bead out of the line.
pub fn take_waiting(town: &Town, rig: &RigLayout, bead: &str) -> anyhow::Result<()> {
    let store = town.rig_store(rig)?;
    town.transact(&store, |tx| leave(tx, &town.prefix(rig.name()), bead))
}

/// Takes a bead out of the line, in the transaction that gives it to someone or that withdraws it.
pub(super) fn leave(tx: &mut Tx, prefix: &str, bead: &str) -> anyhow::Result<()> {
    let id = record_id(prefix, bead);
    if tx.get(&id).is_some() {
        tx.erase_wisp(&id)?;
    }
    Ok(())
}

fn record_id(prefix: &str, bead: &str) -> String {
    format!("{prefix}-wisp-sling-{bead}")
}
