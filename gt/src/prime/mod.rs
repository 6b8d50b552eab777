//! The context of a session: what `gt prime` prints.
//!
//! A text assembled from parts, each with its source and a byte budget: role, identity, hooked bead,
//! prior work of the convoy, unread mail. Same input, same output. Text from beads and mail is data: the
//! hooked bead's description stands fenced under our own heading, everything else is quoted line by line.
//! An agent CLI cuts a hook's output at 10,000 characters; the whole stays below 8 KiB for a polecat.

mod part;

use bd::bead::Bead;
use serde::Serialize;
use serde_json::json;

pub use part::Part;

use crate::beads::Stores;
use crate::convoy::{self, briefing};
use crate::identity::Address;
use crate::polecat::{self, Slot};
use crate::town::Town;

/// How many bytes the whole context may have.
const BUDGET: usize = 8 * 1024;

/// The context of a session.
#[derive(Debug, Clone, Serialize)]
pub struct Prime {
    /// The role's word.
    pub role: &'static str,
    /// The address.
    pub address: String,
    /// The rig, for those that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
    /// The work on the hook.
    pub bead: Option<Hooked>,
    /// The convoy that tracks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convoy: Option<String>,
    /// How many messages are unread.
    pub unread_mail: usize,
    /// What the text is made of.
    pub parts: Vec<Part>,
    /// The text itself.
    pub text: String,
}

/// The work on a hook.
#[derive(Debug, Clone, Serialize)]
pub struct Hooked {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Its priority, 0 to 4.
    pub priority: i64,
    /// The branch of the work, for a polecat.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The branch it is to be merged into.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// How often a session was started for it, this one counted.
    pub sessions: usize,
}

/// Assembles the context of an agent.
pub fn prime(town: &Town, address: &Address) -> anyhow::Result<Prime> {
    let stores = town.stores()?;
    let slot = slot_of(town, &stores, address);
    let hook = hook_of(&stores, address, &slot);
    let convoy = hook.and_then(|bead| {
        let id = convoy::tracking(&stores.town, &bead.id)
            .into_iter()
            .next()?;
        stores.town.get(&id)
    });
    let unread = crate::mail::unread(&stores.town, &address.mailbox());
    let mut parts = vec![part::role(address), part::identity(town, address)];
    if let Some(bead) = hook {
        parts.push(part::hook(address, bead, &slot));
    } else {
        parts.push(part::no_hook(address));
    }
    if let (Some(convoy), Some(bead)) = (convoy, hook) {
        let entries = prior_work(town, &stores, convoy);
        parts.extend(part::convoy(convoy, &entries, &bead.id));
    }
    parts.extend(part::mail(unread));
    let text = part::assemble(&mut parts, BUDGET);
    Ok(Prime {
        role: address.role(),
        address: address.to_string(),
        rig: address.rig().map(str::to_owned),
        bead: hook.map(|bead| hooked(bead, &slot)),
        convoy: convoy.map(|convoy| convoy.id.clone()),
        unread_mail: unread,
        parts,
        text,
    })
}

/// The briefing that gtd keeps ready, if it is as new as the beads; else the same, computed.
fn prior_work(town: &Town, stores: &Stores, convoy: &Bead) -> Vec<briefing::Entry> {
    convoy::ready::load(town, &convoy.id).unwrap_or_else(|| briefing::entries(stores, convoy))
}

fn slot_of(town: &Town, stores: &Stores, address: &Address) -> Slot {
    let Address::Polecat(rig, name) = address else {
        return Slot::default();
    };
    let id = Slot::id(&town.prefix(rig), rig, name);
    stores
        .rigs
        .get(rig)
        .map(|beads| Slot::load(beads, &id))
        .unwrap_or_default()
}

/// The bead on an agent's hook: hooked and assigned to it, in whichever store.
fn hook_of<'a>(stores: &'a Stores, address: &Address, slot: &Slot) -> Option<&'a Bead> {
    use bd::bead::Status;
    let (long, mailbox) = (address.to_string(), address.mailbox());
    let is_own = |bead: &&Bead| {
        bead.status == Status::Hooked && (bead.assignee == long || bead.assignee == mailbox)
    };
    if let Some(bead) = stores.get(&slot.bead).filter(is_own) {
        return Some(bead);
    }
    std::iter::once(&stores.town)
        .chain(stores.rigs.values())
        .find_map(|beads| {
            let hooked = beads.select(|head| head.status() == Status::Hooked);
            let mut own: Vec<&Bead> = hooked.filter(is_own).collect();
            own.sort_by(|a, b| (a.priority, &a.id).cmp(&(b.priority, &b.id)));
            own.first().copied()
        })
}

fn hooked(bead: &Bead, slot: &Slot) -> Hooked {
    Hooked {
        id: bead.id.clone(),
        title: bead.title.clone(),
        description: bead.description.clone(),
        priority: bead.priority,
        branch: slot.branch.clone(),
        target: slot.target.clone(),
        sessions: slot.respawns.len() + 1,
    }
}

/// Records that a session has begun, for `--hook`.
pub fn session_began(town: &Town, session_id: &str, source: &str) {
    let actor = town.actor.to_string();
    town.tell(
        "session_start",
        json!({ "session_id": session_id, "role": town.actor.role(), "source": source, "actor": actor,
                "cwd": town.env.cwd() }),
    );
    polecat_is_working(town);
}

/// A session that asks for its context is at work.
fn polecat_is_working(town: &Town) {
    let Address::Polecat(rig, name) = &town.actor else {
        return;
    };
    let agent = town.actor.bead_id(&town.prefix(rig));
    let Ok(store) = town.rig_store(&town.layout.rig(rig)) else {
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
    // The state is a courtesy to readers: hook and session say what is really so.
    if marked.is_err() {
        town.tell("note_failed", json!({ "rig": rig, "polecat": name }));
    }
}
