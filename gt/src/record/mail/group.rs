//! Groups of recipients: beads with the label `gt:group`.

use bd::bead::Bead;
use bd::store::Snapshot;
use kit::json::serialize_or_empty;
use serde::Serialize;

use super::named::{
    self, NamedError, NamedKind, check_member, create_named, find_named, get_named_field,
    get_named_list, list_named,
};
use crate::town::Town;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailGroup {
    pub name: String,
    /// Addresses, patterns and names of groups, as they were added.
    pub members: Vec<String>,
    #[serde(serialize_with = "serialize_or_empty")]
    pub created_by: Option<String>,
    #[serde(serialize_with = "serialize_or_empty")]
    pub created_at: Option<String>,
}

impl MailGroup {
    fn from_bead(bead: &Bead) -> Self {
        Self {
            name: named::name_of(bead, NamedKind::Group),
            members: get_named_list(bead, "members"),
            created_by: get_named_field(bead, "created_by"),
            created_at: get_named_field(bead, "created_at"),
        }
    }
}

/// Returns the group of a name.
pub fn find_group(beads: &Snapshot, name: &str) -> Option<MailGroup> {
    find_named(beads, NamedKind::Group, name).map(MailGroup::from_bead)
}

/// Returns the group of a name. Fails if there is none.
pub fn get_group(beads: &Snapshot, name: &str) -> Result<MailGroup, NamedError> {
    named::get_named(beads, NamedKind::Group, name).map(MailGroup::from_bead)
}

/// Returns all groups, by name.
pub fn list_groups(beads: &Snapshot) -> Vec<MailGroup> {
    list_named(beads, NamedKind::Group)
        .into_iter()
        .map(MailGroup::from_bead)
        .collect()
}

pub fn create_group(town: &Town, name: &str, members: &[String]) -> anyhow::Result<MailGroup> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let members = add_each(Vec::new(), members)?;
        let own_fields = [("members", members.join(","))];
        create_named(tx, NamedKind::Group, name, &own_fields)?;
        Ok(get_group(tx, name)?)
    })
}

/// Adds members to a group. Existing members stay.
pub fn add_members(town: &Town, name: &str, members: &[String]) -> anyhow::Result<MailGroup> {
    change_members(town, name, |present| add_each(present, members))
}

/// Removes members from a group.
pub fn remove_members(town: &Town, name: &str, members: &[String]) -> anyhow::Result<MailGroup> {
    change_members(town, name, |mut present| {
        for member in members {
            anyhow::ensure!(
                present.contains(member),
                "`{member}` is not a member of the group `{name}`"
            );
            present.retain(|other| other != member);
        }
        Ok(present)
    })
}

pub fn delete_group(town: &Town, name: &str) -> anyhow::Result<()> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| named::delete_named(tx, NamedKind::Group, name))
}

fn add_each(mut present: Vec<String>, members: &[String]) -> anyhow::Result<Vec<String>> {
    for member in members {
        check_member(member)?;
        if !present.contains(member) {
            present.push(member.clone());
        }
    }
    Ok(present)
}

fn change_members(
    town: &Town,
    name: &str,
    change: impl FnOnce(Vec<String>) -> anyhow::Result<Vec<String>>,
) -> anyhow::Result<MailGroup> {
    let store = town.open_town_store()?;
    town.transact(&store, |tx| {
        let members = change(get_group(tx, name)?.members)?.join(",");
        named::set_named_field(tx, NamedKind::Group, name, "members", &members)?;
        Ok(get_group(tx, name)?)
    })
}
