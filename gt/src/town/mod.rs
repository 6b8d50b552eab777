//! The town: its paths, its actor, and its access to the outside world.
//!
//! A [`Town`] is opened once per command and passed to every domain function. No function below it
//! reads the environment, the clock or random numbers itself.

pub mod beads;
pub mod config;
pub mod event;
mod find;
pub mod hold;
pub mod identity;
mod layout;
pub mod lock;
pub mod name;
pub mod permission;
pub mod process;
pub mod queue_pause;
mod registry;
mod rig;
pub mod role_file;
pub(crate) mod sandbox_git;
pub mod target_loss;
pub mod temporary;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bd::store::{Author, Store, StoreError, StoreReports};
use kit::sys::{Clock, Env, RandomSource};

pub use find::{NotInTown, find_town, find_town_above, read_town_name};
pub(crate) use find::{is_town, read_json_text};
pub(crate) use layout::file_name_of;
pub use layout::{RigLayout, TownLayout};
pub use registry::{RegistryError, RigBeads, RigEntry, RigRegistry};
pub use rig::Rig;

use crate::town::identity::Address;

pub struct Town {
    pub layout: TownLayout,
    pub env: Env,
    pub clock: Clock,
    /// The source of names and tokens.
    pub random: RandomSource,
    pub actor: Address,
    /// Our own `gt` program, for processes in sessions.
    pub exe: PathBuf,
    pub reports: StoreReports,
    /// The listener for each event that is recorded.
    pub listener: event::EventListener,
    /// Set when the acting agent is to stop. Long work, such as a gate, is then ended, and repeated
    /// later.
    pub stop: Arc<AtomicBool>,
}

#[derive(Debug, thiserror::Error)]
#[error("there is no rig `{name}` in this town (rigs: {})", known.join(", "))]
pub struct UnknownRig {
    pub name: String,
    /// The registered rigs.
    pub known: Vec<String>,
}

/// No agent has this name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no agent of this town is called `{name}`: not found")]
pub struct UnknownWorker {
    pub name: String,
}

impl TownLayout {
    /// Parses an address. `<rig>/<name>` is a crew member if `crew/<name>` exists.
    pub fn parse_address(&self, text: &str) -> anyhow::Result<Address> {
        let address: Address = text.parse()?;
        Ok(match address {
            Address::Polecat(rig, name)
                if !text.contains("/polecats/") && self.rig(&rig).crew(&name).is_dir() =>
            {
                Address::Crew(rig, name)
            }
            other => other,
        })
    }
}

impl Town {
    /// Reads the registered rigs.
    pub fn read_registry(&self) -> Result<RigRegistry, RegistryError> {
        RigRegistry::load(&self.layout.rigs_json())
    }

    /// Returns the handle of a rig, which need not be registered.
    pub fn rig(&self, name: &str) -> Rig<'_> {
        Rig::new(self, self.layout.rig(name))
    }

    /// Returns the handle of a registered rig.
    pub fn find_rig(&self, name: &str) -> anyhow::Result<Rig<'_>> {
        let registry = self.read_registry()?;
        if registry.rigs.contains_key(name) {
            return Ok(self.rig(name));
        }
        let known = registry.rigs.into_keys().collect();
        Err(UnknownRig {
            name: name.to_owned(),
            known,
        }
        .into())
    }

    /// Returns the handles of all registered rigs, by name.
    pub fn list_rigs(&self) -> Result<Vec<Rig<'_>>, RegistryError> {
        Ok(self
            .read_registry()?
            .rigs
            .keys()
            .map(|name| self.rig(name))
            .collect())
    }

    /// Returns the rig of this name, or all rigs without a name.
    pub fn select_rigs(&self, name: Option<&str>) -> anyhow::Result<Vec<Rig<'_>>> {
        match name {
            Some(name) => Ok(vec![self.find_rig(name)?]),
            None => Ok(self.list_rigs()?),
        }
    }

    /// Opens the beads in a folder. Their warnings go to the town's reports.
    pub fn open_store(&self, dir: &Path) -> Result<Store, StoreError> {
        Ok(Store::open(dir)?.reporting_to(&self.reports))
    }

    /// Opens the town's own beads.
    pub fn open_town_store(&self) -> anyhow::Result<Store> {
        Ok(self.open_store(&self.layout.beads())?)
    }

    /// Returns the author of changes to beads.
    pub fn author(&self) -> Author {
        // The commands of gt check the permissions of their caller.
        Author {
            agent: None,
            actor: self.actor.to_string(),
            session: self.env.get("CLAUDE_SESSION_ID").unwrap_or("").to_owned(),
            owner: self.env.get("GIT_AUTHOR_EMAIL").unwrap_or("").to_owned(),
        }
    }

    /// Changes beads of `store` in one transaction, with the acting agent as author.
    pub fn transact<T>(
        &self,
        store: &Store,
        change: impl FnOnce(&mut bd::store::Tx) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        store.transact(&self.author(), &self.clock, change)
    }

    /// Parses an address, see [`TownLayout::parse_address`].
    pub fn parse_address(&self, text: &str) -> anyhow::Result<Address> {
        self.layout.parse_address(text)
    }

    /// Parses what a user writes for an agent: an address, or only the name of a polecat or crew
    /// member, if no other has the name.
    pub fn parse_agent(&self, text: &str) -> anyhow::Result<Address> {
        match self.parse_address(text) {
            Err(_) if identity::is_name(text) => self.find_worker_by_name(text),
            parsed => parsed,
        }
    }

    /// Returns true if a text names an agent that exists. Only such an agent can have a hook.
    pub fn has_agent(&self, text: &str) -> bool {
        self.parse_agent(text)
            .is_ok_and(|address| agent_home(self, &address).is_dir())
    }

    /// Returns the polecat or crew member of a name that no other has.
    fn find_worker_by_name(&self, text: &str) -> anyhow::Result<Address> {
        let mut found = Vec::new();
        for rig in self.list_rigs()? {
            let (name, of_rig) = (text.to_owned(), rig.name().to_owned());
            if rig.crew(text).is_dir() {
                found.push(Address::Crew(of_rig.clone(), name.clone()));
            }
            let polecat = Address::Polecat(of_rig, name);
            if rig.polecat(text).is_dir() || has_identity(&rig, &polecat) {
                found.push(polecat);
            }
        }
        let names: Vec<String> = found.iter().map(Address::to_string).collect();
        match found.pop() {
            None => Err(UnknownWorker {
                name: text.to_owned(),
            }
            .into()),
            Some(address) if found.is_empty() => Ok(address),
            Some(_) => anyhow::bail!(
                "several agents are called `{text}`; name one of {}",
                names.join(", ")
            ),
        }
    }
}

/// Returns true if an agent has an open identity bead, although its folder may be removed.
fn has_identity(rig: &Rig, agent: &Address) -> bool {
    let read = rig.store().and_then(|store| Ok(store.snapshot()?));
    read.is_ok_and(|beads| {
        let identity = beads.get(&agent.bead_id(&rig.prefix()));
        identity.is_some_and(bd::bead::Bead::is_open)
    })
}

/// Returns the folder in which an agent works.
pub fn agent_home(town: &Town, address: &Address) -> std::path::PathBuf {
    let layout = &town.layout;
    match address {
        Address::Overseer => layout.root().to_owned(),
        Address::Mayor => layout.mayor(),
        Address::Deacon => layout.deacon(),
        Address::Boot => layout.deacon().join("dogs/boot"),
        Address::Dog(name) => layout.deacon().join("dogs").join(name),
        Address::Witness(rig) => layout.rig(rig).witness(),
        // Not `refinery/rig/`, because the merge queue changes that tree.
        Address::Refinery(rig) => layout.rig(rig).root().join("refinery"),
        Address::Polecat(rig, name) => layout.rig(rig).sandbox(name),
        Address::Crew(rig, name) => layout.rig(rig).crew(name),
    }
}
