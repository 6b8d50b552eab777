//! Finds the recipients of messages.
//!
//! A worker or a dog must exist. A role or a user may read the message later. [`find_target`]
//! resolves groups, queues and channels, [`find_reader`] finds the reader of a message to a role
//! that no agent plays.

mod directory;
mod stand_in;
mod target;

pub use directory::{DirectoryEntry, list_directory};
pub use stand_in::{
    MailReader, PROTOCOL, UnreadMailbox, find_notice_reader, find_protocol_rule, find_reader,
    is_mayor_running, is_mechanical,
};
pub use target::{MailTarget, TargetError, find_target};

use crate::flow::place::crew;
use crate::record::{dog, polecat};
use crate::town::identity::Address;
use crate::town::{Rig, Town};

/// No agent or user has this address.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "there is no {role} `{name}` in {place}: not found ({})",
    describe_names(names)
)]
pub struct UnknownRecipient {
    /// The expected kind: `worker` or `dog`.
    pub role: &'static str,
    pub name: String,
    /// The place that was searched.
    pub place: String,
    pub names: Vec<String>,
}

fn describe_names(names: &[String]) -> String {
    match names {
        [] => "none is there yet".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    }
}

/// Returns the agent or user of an address.
pub fn find_recipient(town: &Town, text: &str) -> anyhow::Result<Address> {
    let address = town.parse_address(text)?;
    let rig = address.rig().map(|rig| town.find_rig(rig)).transpose()?;
    let (role, place, known): (_, _, Vec<Address>) = match (&address, rig) {
        (Address::Polecat(..) | Address::Crew(..), Some(rig)) => {
            let place = format!("rig `{}`", rig.name());
            ("worker", place, list_workers(&rig)?)
        }
        (Address::Dog(_), _) => {
            let dogs = dog::list_dogs(&town.layout);
            let known = dogs.iter().map(dog::Dog::address).collect();
            ("dog", "this town".to_owned(), known)
        }
        _ => return Ok(address),
    };
    if known.contains(&address) {
        return Ok(address);
    }
    let name = address.name().unwrap_or("").to_owned();
    let names = known.iter().map(Address::mailbox).collect();
    Err(UnknownRecipient {
        role,
        name,
        place,
        names,
    }
    .into())
}

/// Returns all agents of the town with a mailbox: mayor, deacon, dogs, then those of each rig.
pub fn list_agents(town: &Town) -> anyhow::Result<Vec<Address>> {
    let mut agents = vec![Address::Mayor, Address::Deacon];
    agents.extend(dog::list_dogs(&town.layout).iter().map(dog::Dog::address));
    for rig in town.list_rigs()? {
        let name = rig.name();
        agents.extend([
            Address::Witness(name.to_owned()),
            Address::Refinery(name.to_owned()),
        ]);
        agents.extend(list_workers(&rig)?);
    }
    Ok(agents)
}

/// Returns the polecats and the crew of a rig.
fn list_workers(rig: &Rig) -> anyhow::Result<Vec<Address>> {
    let beads = rig.store()?.snapshot()?;
    let mut workers: Vec<Address> = polecat::list_polecats(rig, &beads, None)
        .iter()
        .map(polecat::Polecat::address)
        .collect();
    workers.extend(
        crew::list_member_names(rig)
            .into_iter()
            .map(|name| Address::Crew(rig.name().to_owned(), name)),
    );
    Ok(workers)
}
