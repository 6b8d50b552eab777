//! A town as it is now, read once: beads, sessions and workers. What shows or judges a town reads it from here, so that
//! no two screens contradict each other.

use std::collections::BTreeMap;

use bd::bead::{Bead, Kind, Status};
use bd::store::Snapshot;
use jiff::{SignedDuration, Timestamp};

use super::hidden;
use super::hook;
use super::polecat::{self, Polecat, Slot, SlotState};
use super::progress::{self, Doing};
use super::pulse::Refusal;
use super::role::{self, PatrolRole, RoleMode};
use crate::host::runtime::{self, Preset};
use crate::host::{Live, LiveTown};
use crate::town::RigLayout;
use crate::town::beads::Stores;
use crate::town::config::Layers;
use crate::town::identity::{Address, SessionName};

/// How long after its last act a worker without work may still have a session.
const FADES: SignedDuration = SignedDuration::from_mins(10);

/// So many lines of an ended session are read: what it printed stands above the last line, however tall the screen.
const DEAD_LINES: usize = 200;

/// A town as it is now.
pub struct TownView {
    /// When it was read.
    pub now: Timestamp,
    /// The beads of the town and of its rigs.
    pub stores: Stores,
    /// The sessions; none if they could not be asked.
    pub sessions: Option<Vec<Live>>,
    /// Why the sessions could not be asked, or their list cannot be trusted.
    pub blind: Option<String>,
    /// The roles of the patrol.
    pub roles: Vec<PatrolRole>,
    /// The workers of each rig whose beads could be read.
    pub polecats: BTreeMap<String, Vec<Polecat>>,
}

impl TownView {
    /// Reads the town, with its sessions.
    pub fn read(town: &LiveTown) -> anyhow::Result<Self> {
        Ok(Self::of(town, town.stores()?, role::all(town), true))
    }

    /// Reads the town, and asks for sessions only if any worker or role may have one: an idle town starts no process.
    pub fn read_idle(town: &LiveTown) -> anyhow::Result<Self> {
        let stores = town.stores()?;
        let now = town.clock.now();
        let roles = role::all(town);
        let expected = roles.iter().any(|role| role.mode == RoleMode::Agent)
            || stores
                .rigs
                .values()
                .any(|beads| may_have_sessions(beads, now))
            || has_hooked(&stores);
        Ok(Self::of(town, stores, roles, expected))
    }

    fn of(town: &LiveTown, stores: Stores, roles: Vec<PatrolRole>, ask: bool) -> Self {
        let (sessions, blind) = match ask.then(|| town.host.list()) {
            None => (Some(Vec::new()), None),
            Some(Ok(list)) => match hidden::reason(town, &stores, &list) {
                None => (Some(list), None),
                Some(reason) => (None, Some(reason)),
            },
            Some(Err(error)) => (None, Some(error.to_string())),
        };
        let polecats = stores
            .rigs
            .iter()
            .map(|(name, beads)| {
                let rig = town.layout.rig(name);
                let mut polecats = polecat::all(&rig, beads, sessions.as_deref());
                watch_progress(town, &rig, &mut polecats);
                (name.clone(), polecats)
            })
            .collect();
        Self {
            now: town.clock.now(),
            stores,
            sessions,
            blind,
            roles,
            polecats,
        }
    }

    /// The workers of a rig.
    pub fn polecats_of(&self, rig: &str) -> &[Polecat] {
        self.polecats.get(rig).map_or(&[], Vec::as_slice)
    }

    /// One worker.
    pub fn polecat(&self, rig: &str, name: &str) -> anyhow::Result<&Polecat> {
        let mut all = self.polecats_of(rig).iter();
        all.find(|polecat| polecat.name == name).ok_or_else(|| {
            anyhow::anyhow!("there is no polecat `{name}` in rig `{rig}`: not found")
        })
    }

    /// The live session of an agent.
    pub fn session_of(&self, agent: &Address) -> Option<&Live> {
        let name = SessionName::of(agent)?;
        let mut live = self.sessions.iter().flatten();
        live.find(|live| live.name == name.as_str() && live.dead.is_none())
    }

    /// Whether an agent has a session; none if that could not be asked.
    pub fn is_running(&self, agent: &Address) -> Option<bool> {
        self.sessions.as_ref()?;
        Some(self.session_of(agent).is_some())
    }

    /// The bead on an agent's hook.
    pub fn hook_of(&self, agent: &Address) -> Option<&Bead> {
        if let Address::Polecat(rig, name) = agent {
            let hook = self.polecat(rig, name).ok()?.hook.as_deref()?;
            return self.stores.get(hook);
        }
        hook::hook_of(&self.stores, agent, &Slot::default())
    }
}

/// Reads the progress of the workers of a rig that have work, and whether the API refuses them.
fn watch_progress(town: &LiveTown, rig: &RigLayout, polecats: &mut [Polecat]) {
    let has_work = |polecat: &&mut Polecat| {
        matches!(polecat.slot.state, SlotState::Working) && polecat.hook.is_some()
    };
    let mut note = None;
    let mut presets: BTreeMap<String, (String, Preset)> = BTreeMap::new();
    for polecat in polecats.iter_mut().filter(has_work) {
        let note = *note.get_or_insert_with(|| {
            let layers = Layers::load(town, Some(rig)).unwrap_or_default();
            layers.time("patrol.progress.note")
        });
        let wanted = polecat.slot.agent.clone();
        let address = polecat.address();
        let (agent, preset) = &*presets.entry(wanted).or_insert_with_key(|wanted| {
            let found = runtime::resolve(town, Some(rig), &address, wanted);
            // Of a program that is not known any more no screen can be read.
            found.map_or_else(
                |_| (wanted.clone(), Preset::default()),
                |found| (found.name, found.preset),
            )
        });
        polecat.agent.clone_from(agent);
        match &polecat.session {
            Some(live) if live.dead.is_none() => {
                let sandbox = rig.sandbox(&polecat.name);
                let progress = progress::read(town, &sandbox, preset, live, note);
                if let Doing::Refused(refusal) = &progress.doing {
                    polecat.refusal = Some(refusal.clone());
                }
                polecat.progress = Some(progress);
            }
            _ => polecat.refusal = refused_end(town, preset, polecat),
        }
    }
}

/// The API's refusal that a worker's last session ended with.
fn refused_end(town: &LiveTown, preset: &Preset, polecat: &Polecat) -> Option<Refusal> {
    if preset.refusals.is_empty() {
        return None;
    }
    let slot = &polecat.slot;
    let kept = slot.ended.as_ref();
    let (screen, at) = match (&polecat.session, kept) {
        (Some(dead), _) => (
            town.host.capture(&dead.name, DEAD_LINES).ok()?,
            dead.activity,
        ),
        (None, Some(ended)) if ended.lease == slot.lease => {
            (ended.screen.join("\n"), ended.at.parse().ok()?)
        }
        _ => return None,
    };
    progress::refusal_on(&screen, preset, at)
}

/// Whether any agent has a bead on its hook.
fn has_hooked(stores: &Stores) -> bool {
    let mut all = std::iter::once(&stores.town).chain(stores.rigs.values());
    all.any(|beads| {
        beads
            .select(|head| head.status() == Status::Hooked)
            .next()
            .is_some()
    })
}

/// Whether any polecat of a rig may have a session: one that has work, or was at work a moment ago.
fn may_have_sessions(beads: &Snapshot, now: Timestamp) -> bool {
    let was_active = |bead: &Bead| {
        let last = bead.last_activity.as_ref();
        last.is_some_and(|at| now.duration_since(at.instant()) < FADES)
    };
    beads
        .select(|head| head.is_open() && head.is_a(&Kind::Agent, "gt:agent"))
        .filter(|bead| bead.role_type == "polecat")
        .any(|bead| !bead.hook_bead.is_empty() || was_active(bead))
}
