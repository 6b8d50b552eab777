//! Adds the decision about the work's convoy to a context, once per session. The text comes from
//! the `convoy-briefing` hooks of town and rig. Without any, the session is asked to read the
//! decision's file once. Later beads of the same convoy in the same session cost nothing more, but
//! a session that has several decisions gets the name of the one that applies. The decisions of
//! each agent's last session are recorded in `.runtime/told/`. If that record is lost, the decision
//! is repeated once.

use bd::bead::{Bead, fields};
use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::Occasion;
use super::part::{self, ContextPart};
use crate::flow::place::town_hook::{self, TownHookCall, TownHookEvent, TownHookVerdict};
use crate::flow::work::convoy::{self, HookDecision};
use crate::record;
use crate::record::attempt;
use crate::record::state_file::read_expendable_state;
use crate::town::beads::TownStores;
use crate::town::identity::Address;
use crate::town::{Rig, Town, TownLayout};

/// The decision's part of a context.
pub(super) struct DecisionBriefing {
    /// The part, if there is any text.
    pub part: Option<ContextPart>,
    /// The convoy whose decision the part contains in full.
    pub fresh: Option<String>,
    /// The bead without the front matter that the part makes redundant.
    pub bead: Option<Bead>,
}

/// The convoys whose decisions the last session of an agent has received.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ReportedRecord {
    session: String,
    convoys: Vec<String>,
}

/// Builds the part about the decision on `convoy` for the worker of `bead`.
pub(super) fn brief_decision(
    town: &Town,
    stores: &TownStores,
    address: &Address,
    session: &str,
    convoy: &Bead,
    bead: &Bead,
    occasion: Occasion,
) -> Option<DecisionBriefing> {
    if matches!(occasion, Occasion::Resume | Occasion::Precompact) {
        return None;
    }
    let rig = stores.rig_of(&bead.id).map(|rig| town.rig(rig));
    let name = rig.as_ref().map_or("", |rig| rig.name());
    let decision = convoy::decision_for(convoy, name).unwrap_or_default();
    let file = decision.file(town).map(|path| path.display().to_string());
    let adr = decision.adr.as_deref();
    let record = read_session_record(&town.layout, address, session);
    let knows = occasion != Occasion::Clear && record.convoys.contains(&convoy.id);
    let again = knows || matches!(occasion, Occasion::Compact | Occasion::Brief);
    let hook_output = if again {
        None
    } else {
        let is_later = has_other_sessions(stores, convoy, bead);
        ask_briefing_hooks(town, rig.as_ref(), &decision, convoy, bead, is_later)
    };
    let silent = knows && record.convoys.len() == 1 && occasion != Occasion::Compact;
    let part = match (hook_output, &file) {
        (Some((hook, text)), _) => Some(part::decision_part(adr, &hook, &text, file.as_deref())),
        (None, Some(path)) if !silent => Some(part::decision_file_part(adr, path, knows)),
        (None, _) => None,
    };
    // Without a text about the decision, the bead keeps its own front matter.
    let covered = part.is_some() || knows;
    Some(DecisionBriefing {
        fresh: (part.is_some() && !again).then(|| convoy.id.clone()),
        part,
        bead: strip_front_matter(bead, &decision).filter(|_| covered),
    })
}

/// Returns the text of the hooks and the name of the first hook with a text.
fn ask_briefing_hooks(
    town: &Town,
    rig: Option<&Rig>,
    decision: &HookDecision,
    convoy: &Bead,
    bead: &Bead,
    is_later: bool,
) -> Option<(String, String)> {
    if !town_hook::has_event_hooks(&town.layout, rig, TownHookEvent::ConvoyBriefing) {
        return None;
    }
    let description = part::original_task_text(bead);
    let (_, description) = fields::split_front_matter(&description);
    let mut more = vec![
        ("GT_CONVOY_ID", convoy.id.clone()),
        ("GT_BEAD", bead.id.clone()),
        ("GT_BEAD_TITLE", bead.title.clone()),
        ("GT_BEAD_DESCRIPTION", description.to_owned()),
        (
            "GT_CONVOY_LATER",
            if is_later { "1" } else { "" }.to_owned(),
        ),
    ];
    more.extend(decision.variables());
    let call = TownHookCall {
        rig,
        convoy: convoy.title.clone(),
        spec: convoy.description.clone(),
        issues: record::convoy::tracked_ids(convoy)
            .map(str::to_owned)
            .collect(),
        more,
        about: vec![("convoy", convoy.id.clone()), ("bead", bead.id.clone())],
        ..TownHookCall::default()
    };
    let report = town_hook::run_event_hooks(town, TownHookEvent::ConvoyBriefing, &call);
    let mut all: Option<(String, String)> = None;
    for ran in report.runs {
        if ran.verdict != TownHookVerdict::Approved || ran.output.trim().is_empty() {
            continue;
        }
        let text = all.get_or_insert_with(|| (ran.hook, String::new()));
        text.1.push_str(ran.output.trim_end());
        text.1.push('\n');
    }
    all
}

/// Returns true if another bead of the convoy was given to a worker before. That worker got the
/// whole decision.
fn has_other_sessions(stores: &TownStores, convoy: &Bead, bead: &Bead) -> bool {
    let given = attempt::given_at(bead);
    record::convoy::tracked_ids(convoy)
        .filter(|id| *id != bead.id)
        .any(|id| {
            let other = stores.get(id).and_then(attempt::given_at);
            other.is_some_and(|other| given.is_some_and(|given| other < given))
        })
}

/// Returns the bead without front matter that only repeats the convoy's. None if the bead has front
/// matter of its own.
fn strip_front_matter(bead: &Bead, decision: &HookDecision) -> Option<Bead> {
    let (front, rest) = fields::split_front_matter(&bead.description);
    let plain = format!("---\n{}---", decision.front.lines());
    let same = !decision.front.is_empty() && front.trim_end() == plain;
    same.then(|| Bead {
        description: rest.to_owned(),
        ..bead.clone()
    })
}

fn read_record(layout: &TownLayout, address: &Address) -> ReportedRecord {
    read_expendable_state(&layout.reported_convoys(&address.mailbox()))
}

/// Returns the record of a session's earlier decisions.
fn read_session_record(layout: &TownLayout, address: &Address, session: &str) -> ReportedRecord {
    let record = read_record(layout, address);
    if session.is_empty() || record.session != session {
        return ReportedRecord::default();
    }
    record
}

/// Records that a session has received a convoy's decision.
pub fn mark_decision_reported(town: &Town, session: &str, convoy: &str) {
    if session.is_empty() {
        return;
    }
    let mut record = read_record(&town.layout, &town.actor);
    if record.session != session {
        record = ReportedRecord {
            session: session.to_owned(),
            convoys: Vec::new(),
        };
    }
    if record.convoys.iter().any(|reported| reported == convoy) {
        return;
    }
    record.convoys.push(convoy.to_owned());
    let path = town.layout.reported_convoys(&town.actor.mailbox());
    let folder = path
        .parent()
        .map_or(Ok(()), |folder| file::create_folder(folder, 0o700));
    let text = folder.and_then(|()| Ok(serde_json::to_vec(&record)?));
    // A failed record only repeats the decision.
    text.and_then(|text| file::replace_file_relaxed(&path, &text, 0o600))
        .ok();
}
