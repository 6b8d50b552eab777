//! Shows what a sling would do, and changes nothing.

use bd::bead::Status;
use serde::Serialize;

use super::enqueue::find_blockers;
use super::family::read_family;
use super::target::{SlingTarget, check_no_typo, resolve_target};
use crate::town::Town;
use crate::town::hold;
use crate::town::identity::Address;

/// The expected result of slinging one bead.
#[derive(Debug, Clone, Serialize)]
pub struct SlingPreview {
    pub bead: String,
    pub title: String,
    /// The worker, or the rig whose worker is chosen at the sling.
    pub target: String,
    /// The beads that it would wait for in the queue.
    pub waits_for: Vec<String>,
    /// The reason why the sling would be refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
}

/// Returns the expected result for each bead, with the members of epics and convoys in their place.
pub fn preview_sling(
    town: &Town,
    beads: &[String],
    target: &str,
    create: bool,
) -> anyhow::Result<Vec<SlingPreview>> {
    let mut previews = Vec::new();
    for id in beads {
        let found = town.find_bead(id)?;
        match read_family(town, &found)? {
            None => previews.push(preview_bead(town, id, target, create)?),
            Some(family) => {
                for member in &family.open {
                    previews.push(preview_bead(town, member, target, create)?);
                }
            }
        }
    }
    Ok(previews)
}

fn preview_bead(town: &Town, id: &str, target: &str, create: bool) -> anyhow::Result<SlingPreview> {
    let found = town.find_bead(id)?;
    let mut waits_for = find_blockers(town, &found)?;
    let target = match resolve_target(town, target, &found.home)? {
        SlingTarget::Rig(rig) => {
            let hold = hold::find_hold(Some(&rig), &town.layout);
            waits_for.extend(hold.map(|hold| hold.describe_wait()));
            rig.name().to_owned()
        }
        SlingTarget::Polecat(rig, name) => {
            if !create {
                check_no_typo(&rig, &rig.store()?.snapshot()?, &name)?;
            }
            Address::Polecat(rig.name().to_owned(), name).to_string()
        }
        SlingTarget::Agent(address) => address.to_string(),
    };
    let bead = &found.bead;
    let obstacle = match &bead.status {
        Status::Hooked => Some(format!("it is on the hook of {}", bead.assignee)),
        status if !bead.is_open() => Some(format!("it is {status}")),
        _ => None,
    };
    Ok(SlingPreview {
        waits_for,
        bead: bead.id.clone(),
        title: bead.title.clone(),
        target,
        obstacle,
    })
}
