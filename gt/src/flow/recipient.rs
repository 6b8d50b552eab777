//! Who may get a message: a worker or a dog must be there; a role or a person may read it later.

use crate::flow::crew;
use crate::host::LiveTown;
use crate::record::{dog, polecat};
use crate::town::identity::Address;

/// Nobody has this address.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "there is no {role} `{name}` in {place}: not found ({})",
    describe_names(names)
)]
pub struct UnknownRecipient {
    /// What it would be: `worker` or `dog`.
    pub role: &'static str,
    /// What was asked for.
    pub name: String,
    /// Where it was looked for.
    pub place: String,
    /// Who is there.
    pub names: Vec<String>,
}

fn describe_names(names: &[String]) -> String {
    match names {
        [] => "none is there yet".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    }
}

/// The agent or person that a text addresses.
pub fn find_recipient(town: &LiveTown, text: &str) -> anyhow::Result<Address> {
    let address = town.parse_address(text)?;
    let rig = address.rig().map(|rig| town.find_rig(rig)).transpose()?;
    let (role, place, known): (_, _, Vec<Address>) = match (&address, rig) {
        (Address::Polecat(..) | Address::Crew(..), Some(rig)) => {
            let beads = town.open_rig_store(&rig)?.snapshot()?;
            let polecats = polecat::list_polecats(&rig, &beads, None).into_iter();
            let members = crew::list_member_names(&rig).into_iter();
            let members = members.map(|name| Address::Crew(rig.name().to_owned(), name));
            let known = polecats.map(|one| one.address()).chain(members);
            ("worker", format!("rig `{}`", rig.name()), known.collect())
        }
        (Address::Dog(_), _) => {
            let dogs = dog::list_dogs(town);
            let known = dogs.iter().map(dog::Dog::address).collect();
            ("dog", "this town".to_owned(), known)
        }
        _ => return Ok(address),
    };
    if known.contains(&address) {
        return Ok(address);
    }
    let name = address.name().unwrap_or_default().to_owned();
    let names = known.iter().map(Address::mailbox).collect();
    Err(UnknownRecipient {
        role,
        name,
        place,
        names,
    }
    .into())
}
