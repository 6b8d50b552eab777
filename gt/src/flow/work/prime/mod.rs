//! Builds the context of a session: the output of `gt prime`.
//!
//! The text is compiled from parts, each with its source and its limit: role, directives, persona, identity,
//! work on the hook, prior work and documents of the convoy, unread mail (`part`). They are joined
//! within a budget (`compile`). The same input gives the same bytes. Text from beads and mail is
//! data: the description of the work is fenced under our own heading, and any other text is quoted
//! line by line. The [`Occasion`] decides how much text there is: a session that still has its
//! context does not get it twice.

mod compile;
mod decision;
mod occasion;
mod part;

use std::path::PathBuf;

use bd::bead::{Bead, Status};
use bd::store::Snapshot;
use jiff::Timestamp;
use serde::Serialize;

pub use decision::mark_decision_reported;
pub use occasion::Occasion;
pub use part::{ContextPart, PartFate};

use crate::flow::agent::checkpoint;
use crate::flow::agent::handoff;
use crate::flow::work::convoy::{self, briefing};
use crate::flow::work::followup;
use crate::record;
use crate::record::attempt;
use crate::record::hook;
use crate::record::polecat::{self, Slot};
use crate::town::beads::TownStores;
use crate::town::config::SettingsLayers;
use crate::town::event::{Event, ProgramSession, event};
use crate::town::identity::Address;
use crate::town::process::AGENT;
use crate::town::{Rig, Town};

/// The budget in bytes without a setting.
const DEFAULT_BUDGET: usize = 8 * 1024;

/// Agent CLIs cut the output of a hook at 10,000 characters.
const HOOK_LIMIT: usize = 9_800;

#[derive(Debug, Clone, Serialize)]
pub struct SessionContext {
    pub role: &'static str,
    pub address: String,
    /// The rig, for agents of a rig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
    pub occasion: Occasion,
    /// The maximum size in bytes.
    pub budget: usize,
    /// The setting or default that the budget comes from.
    pub budget_from: String,
    pub bead: Option<HookedWork>,
    /// The convoy that tracks the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convoy: Option<String>,
    /// The number of unread messages.
    pub unread_mail: usize,
    /// The messages of the previous session that the text includes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handoff: Vec<String>,
    /// The convoy whose decision the text includes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The parts of the text.
    pub parts: Vec<ContextPart>,
    pub text: String,
}

/// The work on a hook.
#[derive(Debug, Clone, Serialize)]
pub struct HookedWork {
    pub id: String,
    pub title: String,
    pub description: String,
    /// The priority, 0 to 4.
    pub priority: i64,
    /// The branch of the work, for a polecat.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The branch that the work will be merged into.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// The number of sessions that were started for the work, including this one.
    pub sessions: usize,
}

/// Compiles the context of an agent. Text that a session gets once is tracked by the session's id.
/// Without an id it is always included.
pub fn build_context(
    town: &Town,
    address: &Address,
    occasion: Occasion,
    session: &str,
) -> anyhow::Result<SessionContext> {
    let stores = town.read_stores()?;
    let slot = hook::slot_of(town, &stores, address);
    let hook = hook::hooked_bead_of(&stores, address, &slot);
    Ok(compile_context(
        town, &stores, address, session, occasion, hook, &slot,
    ))
}

/// Builds the brief for the worker of a bead: the assignment and the prior work of its convoy.
pub fn build_brief(town: &Town, id: &str) -> anyhow::Result<SessionContext> {
    let stores = town.read_stores()?;
    let Some(bead) = stores.get(id) else {
        anyhow::bail!(
            "no bead {id} in the town or its rigs: `bd list` in a rig's folder shows its beads"
        );
    };
    let worker: Option<Address> = bead.assignee.parse().ok();
    let address = worker.unwrap_or_else(|| town.actor.clone());
    let slot = hook::slot_of(town, &stores, &address);
    // The worker may have continued with other work.
    let slot = if slot.bead == bead.id {
        slot
    } else {
        Slot::default()
    };
    Ok(compile_context(
        town,
        &stores,
        &address,
        "",
        Occasion::Brief,
        Some(bead),
        &slot,
    ))
}

fn compile_context(
    town: &Town,
    stores: &TownStores,
    address: &Address,
    session: &str,
    occasion: Occasion,
    hook: Option<&Bead>,
    slot: &Slot,
) -> SessionContext {
    let convoy = hook.and_then(|bead| find_convoy(stores, bead, occasion));
    let mut messages = crate::record::mail::list_inbox(&stores.town, &address.mailbox());
    messages.retain(|message| !message.read);
    let mut notes = handoff::unread_notes(&messages);
    if handoff::is_in_ending_session(town, address) {
        notes.clear();
    }
    let unread = messages.len() - notes.len();
    let decided = convoy.zip(hook).and_then(|(convoy, bead)| {
        decision::brief_decision(town, stores, address, session, convoy, bead, occasion)
    });
    let mut parts = Vec::new();
    let shown = decided.as_ref().and_then(|decision| decision.bead.as_ref());
    let build_work_part = || match shown.or(hook) {
        Some(bead) => part::work_part(address, bead, slot, occasion),
        None => part::no_work_part(address),
    };
    match occasion {
        Occasion::Resume => parts.push(part::resumed_part(address, hook)),
        Occasion::Precompact => parts.push(part::facts_to_keep_part(hook, slot)),
        Occasion::Brief => parts.push(build_work_part()),
        Occasion::Asked | Occasion::Startup | Occasion::Clear | Occasion::Compact => {
            let directives = part::read_directives(town, address);
            parts.extend(part::role_parts(town, address, occasion, &directives));
            parts.extend(
                [
                    part::persona_part(town, stores, address),
                    limits_part(town, address),
                    Some(part::identity_part(town, address)),
                    part::desk_part(town, address),
                ]
                .into_iter()
                .flatten(),
            );
            if occasion != Occasion::Compact {
                parts.extend(notes.iter().map(|note| part::handoff_part(note)));
            }
            parts.push(build_work_part());
        }
    }
    if let Some(bead) = hook {
        let decided = decided.as_ref().and_then(|decision| decision.part.clone());
        parts.extend(compile_bead_parts(
            town, stores, address, slot, occasion, bead, convoy, decided,
        ));
    }
    if !matches!(occasion, Occasion::Brief | Occasion::Precompact) {
        parts.extend(mail_part(unread));
    }
    let (budget, budget_from) = find_budget(town, address, occasion);
    let text = compile::join_parts(&mut parts, budget, hook.map(|bead| bead.id.as_str()));
    SessionContext {
        role: address.role(),
        address: address.to_string(),
        rig: address.rig().map(str::to_owned),
        occasion,
        budget,
        budget_from,
        bead: hook.map(|bead| describe_hooked_work(bead, slot)),
        convoy: convoy.map(|convoy| convoy.id.clone()),
        unread_mail: unread,
        handoff: handoff_notes_in(&parts),
        decision: decided.and_then(|decision| decision.fresh),
        parts,
        text,
    }
}

/// Returns the open convoy that tracks a bead. For the brief of a finished bead, also a landed one.
fn find_convoy<'a>(stores: &'a TownStores, bead: &Bead, occasion: Occasion) -> Option<&'a Bead> {
    if occasion == Occasion::Brief && find_assignment_time(bead).is_some() {
        return record::convoy::convoy_of_bead(&stores.town, &bead.id);
    }
    let open = record::convoy::convoys_tracking(&stores.town, &bead.id);
    stores.town.get(open.first()?)
}

/// Returns the ids of the handoff notes that the text includes.
fn handoff_notes_in(parts: &[ContextPart]) -> Vec<String> {
    parts
        .iter()
        .filter(|part| part.fate != PartFate::Dropped)
        .filter_map(ContextPart::handoff_note)
        .map(str::to_owned)
        .collect()
}

/// Compiles the parts about a bead other than its own text: its molecule, earlier work, the
/// decision, the documents of the convoy.
fn compile_bead_parts(
    town: &Town,
    stores: &TownStores,
    address: &Address,
    slot: &Slot,
    occasion: Occasion,
    bead: &Bead,
    convoy: Option<&Bead>,
    decided: Option<ContextPart>,
) -> Vec<ContextPart> {
    let mut parts = Vec::new();
    if !matches!(occasion, Occasion::Resume | Occasion::Precompact) {
        let molecule = followup::find_molecule(snapshot_of_bead(stores, bead), bead);
        parts.extend(molecule.as_ref().map(part::molecule_part));
    }
    if occasion.has_prior_work() {
        if occasion != Occasion::Brief {
            let stood = checkpoint::find_fresh_checkpoint(town, address, &bead.id);
            let left = checkpoint::find_session_remains(town, address, slot, stood.as_ref());
            parts.extend(left.as_ref().map(part::session_remains_part));
            parts.extend(stood.as_ref().map(part::checkpoint_part));
        }
        parts.extend(earlier_work_parts(town, stores, bead));
        let answered = record::escalation::find_answered(&stores.town, &bead.id);
        parts.extend(part::answers_part(&bead.id, &answered));
    }
    parts.extend(decided);
    let Some(convoy) = convoy else {
        return parts;
    };
    if occasion.has_prior_work() {
        let entries = match find_assignment_time(bead) {
            Some(given) => briefing::collect_items_before(stores, convoy, given),
            None => prior_work_items(town, stores, convoy),
        };
        parts.extend(part::prior_work_part(convoy, &entries, &bead.id));
    }
    parts.extend(document_parts(town, address, bead, slot, occasion));
    parts
}

/// Returns the snapshot that contains a bead.
fn snapshot_of_bead<'a>(stores: &'a TownStores, bead: &Bead) -> &'a Snapshot {
    let rig = stores.rig_of(&bead.id);
    let beads = rig.and_then(|rig| stores.rigs.get(rig));
    beads.unwrap_or(&stores.town)
}

/// Returns the earlier work on this bead and on its original, if it is a follow-up.
fn earlier_work_parts(town: &Town, stores: &TownStores, bead: &Bead) -> Vec<ContextPart> {
    let rig = stores.rig_of(&bead.id).map(|rig| town.rig(rig));
    let beads = snapshot_of_bead(stores, bead);
    let git = rig.as_ref().map(Rig::git);
    let mut parts = Vec::new();
    if let Some(mut before) = followup::read_earlier_work(beads, git.as_ref(), bead) {
        if let Some(rig) = &rig {
            before.add_documents(&stores.town, rig);
        }
        let original = followup::original_of(bead).unwrap_or("");
        parts.push(part::followup_part(original, &before));
        parts.extend(part::earlier_requests_part(original, &before));
    }
    // For a submitted or done bead, its own attempt is not earlier work.
    let given = find_assignment_time(bead);
    if given.is_some() || matches!(bead.status, Status::Open | Status::Hooked) {
        let mut attempts = attempt::list_traced_attempts(beads, git.as_ref(), bead);
        let is_before = |at: Timestamp| given.is_none_or(|given| at <= given);
        attempts.retain(|(attempt, _)| is_before(attempt.at.parse().unwrap_or(Timestamp::MIN)));
        let saved = rig.map(|rig| attempt::list_rescues(&rig, &bead.id));
        let mut rescues: Vec<_> = saved.into_iter().flatten().flatten().collect();
        rescues.retain(|saved| is_before(saved.time));
        parts.extend(part::attempts_part(&bead.id, &attempts, &rescues));
    }
    parts
}

/// Returns the time at which a submitted or done bead was given to its worker. Its brief shows the
/// context of that time.
fn find_assignment_time(bead: &Bead) -> Option<Timestamp> {
    match bead.status {
        Status::Open | Status::Hooked => None,
        _ => attempt::given_at(bead),
    }
}

/// Returns the documents of earlier workers, and the file for this worker's own findings.
fn document_parts(
    town: &Town,
    address: &Address,
    bead: &Bead,
    slot: &Slot,
    occasion: Occasion,
) -> Vec<ContextPart> {
    let mut parts = Vec::new();
    if matches!(occasion, Occasion::Resume | Occasion::Precompact) {
        return parts;
    }
    if let (Address::Polecat(rig, name), true) = (address, slot.bead == bead.id) {
        parts.extend(part::documents_part(&town.rig(rig).sandbox(name)));
    }
    parts.extend(part::write_down_part(bead));
    parts
}

fn mail_part(unread: usize) -> Option<ContextPart> {
    let count = kit::ui::counted(unread, "unread message");
    let text = format!("You have {count}: `gt mail inbox`.\n");
    (unread > 0).then(|| ContextPart::fixed("mail", "unread mail", text))
}

/// Returns the commands that the settings block.
fn limits_part(town: &Town, address: &Address) -> Option<ContextPart> {
    const NAME: &str = "safety.blocked_patterns";
    let rig = address.rig().map(|rig| town.rig(rig));
    let layers = match SettingsLayers::load(town, rig.as_ref()) {
        Ok(layers) => layers,
        Err(error) => return Some(part::unreadable_limits_part(&error.to_string())),
    };
    if let Err(error) = layers.checked_value(NAME) {
        return Some(part::unreadable_limits_part(&error.to_string()));
    }
    let origin = layers.get(NAME)?.origin;
    part::limits_text_part(&layers.list(NAME), &format!("{NAME} ({origin})"))
}

/// Returns the budget of a role's context in bytes, and its source.
fn find_budget(town: &Town, address: &Address, occasion: Occasion) -> (usize, String) {
    let rig = address.rig().map(|rig| town.rig(rig));
    let name = format!("context.budget.{}", address.role());
    let layers = match SettingsLayers::load(town, rig.as_ref()) {
        Ok(layers) => layers,
        // Invalid settings must not block the context. The command that changes settings reports
        // them.
        Err(error) => {
            return (
                DEFAULT_BUDGET,
                format!("built-in, since settings cannot be read: {error}"),
            );
        }
    };
    let configured = layers.get(&name).and_then(|setting| {
        let bytes = usize::try_from(setting.value.as_u64()?).ok()?;
        Some((bytes, format!("{name} ({})", setting.origin)))
    });
    let (bytes, from) = configured.unwrap_or_else(|| (DEFAULT_BUDGET, "built-in".to_owned()));
    if occasion.is_hook() && bytes > HOOK_LIMIT {
        let from = format!("{from}, but agents cut a hook's output from 10,000 characters on");
        return (HOOK_LIMIT, from);
    }
    (bytes, from)
}

/// Returns the briefing that gtd keeps ready, if it is as new as the beads. Otherwise computes it.
fn prior_work_items(
    town: &Town,
    stores: &TownStores,
    convoy: &Bead,
) -> Vec<briefing::BriefingItem> {
    convoy::ready::load_items(town, &convoy.id)
        .unwrap_or_else(|| briefing::collect_items(stores, convoy))
}

fn describe_hooked_work(bead: &Bead, slot: &Slot) -> HookedWork {
    HookedWork {
        id: bead.id.clone(),
        title: bead.title.clone(),
        description: part::original_task_text(bead),
        priority: bead.priority,
        branch: slot.branch.to_string(),
        target: slot.target.clone(),
        sessions: slot.session_count(),
    }
}

/// A started session, as its program reports it.
#[derive(Debug, Clone, Copy, Default)]
pub struct StartedSession<'a> {
    pub id: &'a str,
    pub source: &'a str,
    /// The bead on the hook, or the empty text.
    pub bead: &'a str,
    /// The program's transcript file, or the empty text.
    pub transcript: &'a str,
}

/// Records that a session has started.
pub fn record_session_start(town: &Town, begun: StartedSession<'_>) {
    town.record_event(&Event::SessionStart(ProgramSession {
        session_id: begun.id.to_owned(),
        role: town.actor.role().to_owned(),
        source: begun.source.to_owned(),
        actor: town.actor.to_string(),
        bead: begun.bead.to_owned(),
        cwd: session_folder(town),
        agent: town.env.get(AGENT).unwrap_or("").to_owned(),
        transcript: begun.transcript.to_owned(),
    }));
    mark_polecat_working(town);
}

/// Returns the folder of the caller's session. A worker in a jail calls from its sandbox, and its
/// command runs outside of it.
fn session_folder(town: &Town) -> PathBuf {
    match &town.actor {
        Address::Polecat(rig, name) if kit::gateway::find_call_folder().is_some() => {
            town.rig(rig).sandbox(name)
        }
        _ => town.env.cwd().to_owned(),
    }
}

/// Marks a polecat as working when its session asks for its context.
fn mark_polecat_working(town: &Town) {
    let Address::Polecat(rig, name) = &town.actor else {
        return;
    };
    let agent = town.actor.bead_id(&town.prefix_of_rig(rig));
    let Ok(store) = town.rig(rig).store() else {
        return;
    };
    let marked = town.transact(&store, |tx| {
        let now = tx.now();
        match tx
            .get(&agent)
            .filter(|bead| bead.agent_state == "spawning")
            .cloned()
        {
            Some(mut bead) => {
                let hook = bead.hook_bead.clone();
                polecat::set_hook(&mut bead, Some(&hook), "working", &now);
                tx.put(bead).map_err(Into::into)
            }
            None => Ok(()),
        }
    });
    // Errors are only reported, because hook and session are the real state.
    if marked.is_err() {
        town.record_event(&event!(NoteFailed, rig: rig, polecat: name));
    }
}
