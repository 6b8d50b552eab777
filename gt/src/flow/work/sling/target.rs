//! Resolves the target argument of `gt sling`.

use bd::store::Snapshot;

use crate::record::polecat::{self, Slot};
use crate::record::{dog, hook};
use crate::town::beads::BeadsHome;
use crate::town::identity::Address;
use crate::town::{Rig, Town};

/// The receiver of a bead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlingTarget<'t> {
    /// Any worker of a rig: an idle one, otherwise a new one.
    Rig(Rig<'t>),
    /// A specific polecat of a rig.
    Polecat(Rig<'t>, String),
    /// An agent other than a polecat: mayor, deacon, witness, refinery, crew, dog.
    Agent(Address),
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum TargetError {
    /// No target was given, and the caller is no agent.
    #[error(
        "no target given, and this is not an agent's folder (give a rig, or an agent's address)"
    )]
    NoTarget,
    /// The bead belongs to another store.
    #[error(
        "the bead lives in {home} but the worker in rig `{rig}`: a worker only changes beads of its own rig"
    )]
    OtherRig { home: String, rig: String },
    /// A user cannot get a bead by sling.
    #[error("`{0}` is a user, not an agent with a hook (send mail instead: `gt mail send`)")]
    User(String),
    #[error("there is no dog `{0}` (add one with `gt dog add`)")]
    NoDog(String),
    #[error("no dog is idle (add one with `gt dog add`)")]
    NoIdleDog,
    #[error("there is no crew member `{0}` (make one with `gt crew add`)")]
    NoCrew(String),
    #[error(
        "there is no worker `{rig}/{name}`, but `{rig}/{similar}` (make a new one with --create)"
    )]
    SimilarWorker {
        rig: String,
        name: String,
        similar: String,
    },
}

/// Refuses the name of a new worker that differs from an existing one by a typo.
pub(super) fn check_no_typo(rig: &Rig, beads: &Snapshot, name: &str) -> Result<(), TargetError> {
    let known: Vec<String> = polecat::list_polecats(rig, beads, None)
        .into_iter()
        .map(|polecat| polecat.name)
        .collect();
    if known.iter().any(|worker| worker == name) {
        return Ok(());
    }
    match known.iter().find(|worker| {
        worker.len() > 3 && strsim::damerau_levenshtein(worker, name) == 1 && !is_numbered(worker)
    }) {
        None => Ok(()),
        Some(similar) => Err(TargetError::SimilarWorker {
            rig: rig.name().to_owned(),
            name: name.to_owned(),
            similar: similar.clone(),
        }),
    }
}

/// Returns true for names like `worker-12`, whose neighbours are other workers.
fn is_numbered(name: &str) -> bool {
    name.ends_with(|letter: char| letter.is_ascii_digit())
}

/// Resolves a target for a bead that lives in `home`.
pub fn resolve_target<'t>(
    town: &'t Town,
    text: &str,
    home: &BeadsHome,
) -> anyhow::Result<SlingTarget<'t>> {
    let text = text.trim().trim_end_matches('/');
    let target = match text {
        "" if town.actor == Address::Overseer => match home {
            // Only workers of its own rig can change the bead.
            BeadsHome::Rig(rig) => SlingTarget::Rig(town.find_rig(rig)?),
            BeadsHome::Town => return Err(TargetError::NoTarget.into()),
        },
        "." if town.actor == Address::Overseer => return Err(TargetError::NoTarget.into()),
        "" | "." => resolve_address(town, town.actor.clone())?,
        rig if !rig.contains('/') && town.read_registry()?.rigs.contains_key(rig) => {
            SlingTarget::Rig(town.rig(rig))
        }
        "deacon/dogs" => SlingTarget::Agent(find_idle_dog(town)?),
        "witness" | "wit" | "refinery" | "ref" | "crew" => resolve_role_word(town, text)?,
        name if !name.contains('/') && name.parse::<Address>().is_err() => {
            match town.parse_agent(name) {
                Ok(address) => resolve_address(town, address)?,
                Err(_) => {
                    return Err(town
                        .find_rig(name)
                        .err()
                        .unwrap_or_else(|| TargetError::NoTarget.into()));
                }
            }
        }
        address => resolve_address(town, town.parse_address(address)?)?,
    };
    let rig = match &target {
        SlingTarget::Rig(rig) | SlingTarget::Polecat(rig, _) => rig.name(),
        SlingTarget::Agent(_) => return Ok(target),
    };
    if super::rig_of_home(home) == Some(rig) {
        return Ok(target);
    }
    let home = match home {
        BeadsHome::Town => "the town's own beads".to_owned(),
        BeadsHome::Rig(rig) => format!("rig `{rig}`"),
    };
    Err(TargetError::OtherRig {
        home,
        rig: rig.to_owned(),
    }
    .into())
}

/// Resolves `witness`, `refinery` or `crew` in the caller's rig.
fn resolve_role_word<'t>(town: &'t Town, word: &str) -> anyhow::Result<SlingTarget<'t>> {
    let rig = town.actor.rig().or_else(|| town.env.get("GT_RIG"));
    let rig = rig
        .ok_or_else(|| anyhow::anyhow!("`{word}` of which rig? Say <rig>/{word}"))?
        .to_owned();
    resolve_address(
        town,
        match (word, &town.actor) {
            ("witness" | "wit", _) => Address::Witness(rig),
            ("crew", Address::Crew(..)) => town.actor.clone(),
            ("crew", _) => anyhow::bail!("`crew` needs a name: {rig}/crew/<name>"),
            _ => Address::Refinery(rig),
        },
    )
}

/// Returns the first dog without work or hooked bead.
fn find_idle_dog(town: &Town) -> anyhow::Result<Address> {
    let stores = town.read_stores()?;
    let found = dog::list_dogs(&town.layout)
        .into_iter()
        .find(|dog| {
            let hook = hook::hooked_bead_of(&stores, &dog.address(), &Slot::default());
            dog.state == dog::DogState::Idle && hook.is_none()
        })
        .ok_or(TargetError::NoIdleDog)?;
    Ok(found.address())
}

fn resolve_address(town: &Town, address: Address) -> anyhow::Result<SlingTarget<'_>> {
    if let Some(rig) = address.rig() {
        town.find_rig(rig)?;
    }
    Ok(match address {
        Address::Polecat(rig, name) => SlingTarget::Polecat(town.rig(&rig), name),
        Address::Overseer => return Err(TargetError::User(address.to_string()).into()),
        Address::Crew(ref rig, ref name) if !town.rig(rig).crew(name).is_dir() => {
            return Err(TargetError::NoCrew(address.to_string()).into());
        }
        Address::Dog(ref name) if dog::load_dog(&town.layout, name)?.is_none() => {
            return Err(TargetError::NoDog(name.clone()).into());
        }
        other => SlingTarget::Agent(other),
    })
}
