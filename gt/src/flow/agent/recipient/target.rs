//! Finds the recipients of an address: an agent, a group, a queue, a channel or an announcement.
//!
//! A group is a group of the town (`group:NAME`), a list of `config/messaging.json` (`list:NAME`),
//! a pattern (`web/*`), or a built-in one (`@town`, `@rig/NAME`). Members that cannot be resolved
//! are left out and reported.

use std::collections::BTreeSet;

use bd::store::Snapshot;

use super::{find_recipient, list_agents};
use crate::record::mail::channel::{find_channel, get_channel};
use crate::record::mail::group::{find_group, get_group};
use crate::record::mail::pattern::matches_agent;
use crate::record::mail::queue::{find_queue, get_queue};
use crate::town::Town;
use crate::town::config::MessagingSettings;
use crate::town::identity::Address;

/// The recipients of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailTarget {
    Agent(Address),
    /// The members of a group, without duplicates.
    Group {
        members: Vec<Address>,
        /// The members that could not be resolved.
        skipped: Vec<String>,
    },
    Queue(String),
    Channel(String),
    /// An announcement, and the number of messages that it keeps.
    Announce(String, u64),
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TargetError {
    #[error(
        "there is no group `{text}` (built-in groups: @town, @overseer, @mayor, @deacons, @dogs, @witnesses, @refineries, @crew, @polecats, @rig/NAME, @crew/NAME, @polecats/NAME)"
    )]
    UnknownGroup { text: String },
    #[error("there is no {kind} `{name}`: not found ({})", describe_names(known))]
    Unknown {
        kind: &'static str,
        name: String,
        known: Vec<String>,
    },
    #[error("`{name}` has several meanings: write {}", meanings.join(" or "))]
    Ambiguous { name: String, meanings: Vec<String> },
    #[error("no agent has an address like `{text}`")]
    NoMatch { text: String },
    #[error(
        "the group `{text}` has no members that can get mail{}",
        describe_skipped(skipped)
    )]
    NoMembers { text: String, skipped: Vec<String> },
    #[error("the channel `{name}` is {status}")]
    ChannelClosed { name: String, status: String },
}

fn describe_names(names: &[String]) -> String {
    match names {
        [] => "none is there yet".to_owned(),
        names => format!("there are: {}", names.join(", ")),
    }
}

fn describe_skipped(skipped: &[String]) -> String {
    match skipped {
        [] => String::new(),
        skipped => format!(" (left out: {})", skipped.join(", ")),
    }
}

/// Returns the recipients of an address.
pub fn find_target(town: &Town, text: &str) -> anyhow::Result<MailTarget> {
    let text = text.trim();
    // A mistake in the file of the lists must not stop mail to an agent.
    let settings = MessagingSettings::load(&town.layout);
    let is_agent = !is_group(text) && !text.contains(':') && town.parse_address(text).is_ok();
    let finder = TargetFinder {
        town,
        beads: town.open_town_store()?.snapshot()?,
        settings: if is_agent {
            settings.unwrap_or_else(|_| MessagingSettings::default())
        } else {
            settings?
        },
    };
    finder.find(text)
}

struct TargetFinder<'t> {
    town: &'t Town,
    beads: Snapshot,
    settings: MessagingSettings,
}

/// Returns true if a text has the form of a group.
fn is_group(text: &str) -> bool {
    let has_prefix = text.starts_with("group:") || text.starts_with("list:");
    has_prefix || text.starts_with('@') || (text.contains('/') && text.contains('*'))
}

/// The members of a group, as they are found.
#[derive(Default)]
struct Members {
    found: Vec<Address>,
    skipped: Vec<String>,
    /// The groups that were entered, so that groups may contain each other.
    entered: BTreeSet<String>,
}

impl TargetFinder<'_> {
    fn find(&self, text: &str) -> anyhow::Result<MailTarget> {
        match text.split_once(':') {
            Some(("queue", name)) => {
                let queue = get_queue(&self.beads, &self.settings, name)?;
                return Ok(MailTarget::Queue(queue.name));
            }
            Some(("channel", name)) => return self.find_open_channel(name),
            Some(("announce", name)) => return Ok(self.find_announce(name)?),
            _ => {}
        }
        if is_group(text) {
            return self.find_members(text);
        }
        if text.contains('/') || text.parse::<Address>().is_ok() {
            return Ok(MailTarget::Agent(find_recipient(self.town, text)?));
        }
        let mut meanings = self.meanings_of(text);
        match meanings.len() {
            0 => Ok(MailTarget::Agent(find_recipient(self.town, text)?)),
            1 => self.find(&meanings.swap_remove(0)),
            _ => Err(TargetError::Ambiguous {
                name: text.to_owned(),
                meanings,
            }
            .into()),
        }
    }

    /// Returns the addresses with a prefix that a bare name stands for.
    fn meanings_of(&self, name: &str) -> Vec<String> {
        let settings = &self.settings;
        let exists = [
            ("group", find_group(&self.beads, name).is_some()),
            ("list", settings.lists.contains_key(name)),
            ("queue", find_queue(&self.beads, settings, name).is_some()),
            ("channel", find_channel(&self.beads, name).is_some()),
            ("announce", settings.announces.contains_key(name)),
        ];
        exists
            .iter()
            .filter(|(_, exists)| *exists)
            .map(|(kind, _)| format!("{kind}:{name}"))
            .collect()
    }

    fn find_open_channel(&self, name: &str) -> anyhow::Result<MailTarget> {
        let channel = get_channel(&self.beads, name)?;
        if channel.status != "active" {
            let name = channel.name;
            let status = channel.status;
            return Err(TargetError::ChannelClosed { name, status }.into());
        }
        Ok(MailTarget::Channel(channel.name))
    }

    fn find_announce(&self, name: &str) -> Result<MailTarget, TargetError> {
        let announces = &self.settings.announces;
        match announces.get(name) {
            Some(announce) => Ok(MailTarget::Announce(name.to_owned(), announce.retain_count)),
            None => Err(TargetError::Unknown {
                kind: "announcement",
                name: name.to_owned(),
                known: announces.keys().cloned().collect(),
            }),
        }
    }

    fn find_members(&self, text: &str) -> anyhow::Result<MailTarget> {
        let agents = list_agents(self.town)?;
        let mut members = Members::default();
        self.add_group(text, &agents, &mut members)?;
        let Members { found, skipped, .. } = members;
        let mut once = BTreeSet::new();
        let members: Vec<Address> = found
            .into_iter()
            .filter(|member| once.insert(member.clone()))
            .collect();
        if members.is_empty() {
            let text = text.to_owned();
            return Err(TargetError::NoMembers { text, skipped }.into());
        }
        Ok(MailTarget::Group { members, skipped })
    }

    /// Adds the members of a group, a list or a pattern.
    fn add_group(
        &self,
        text: &str,
        agents: &[Address],
        members: &mut Members,
    ) -> anyhow::Result<()> {
        if !members.entered.insert(text.to_owned()) {
            return Ok(());
        }
        let listed = match text.split_once(':') {
            Some(("group", name)) => get_group(&self.beads, name)?.members,
            Some(("list", name)) => match self.settings.lists.get(name) {
                Some(list) => list.clone(),
                None => {
                    return Err(TargetError::Unknown {
                        kind: "list",
                        name: name.to_owned(),
                        known: self.settings.lists.keys().cloned().collect(),
                    }
                    .into());
                }
            },
            _ if text.starts_with('@') => match find_group(&self.beads, &text[1..]) {
                Some(group) => group.members,
                None => {
                    members.found.extend(self.find_built_in(text, agents)?);
                    return Ok(());
                }
            },
            _ => {
                let before = members.found.len();
                members.found.extend(
                    agents
                        .iter()
                        .filter(|agent| matches_agent(text, agent))
                        .cloned(),
                );
                if members.found.len() == before {
                    return Err(TargetError::NoMatch {
                        text: text.to_owned(),
                    }
                    .into());
                }
                return Ok(());
            }
        };
        for member in listed {
            if self.add_member(&member, agents, members).is_err() {
                members.skipped.push(member);
            }
        }
        Ok(())
    }

    /// Adds a member of a group: an agent, a pattern or another group.
    fn add_member(
        &self,
        text: &str,
        agents: &[Address],
        members: &mut Members,
    ) -> anyhow::Result<()> {
        if is_group(text) {
            return self.add_group(text, agents, members);
        }
        let is_bare = !text.contains('/') && text.parse::<Address>().is_err();
        if is_bare {
            let mut groups = self.meanings_of(text);
            groups.retain(|meaning| is_group(meaning));
            if let Some(group) = groups.first() {
                return self.add_group(group, agents, members);
            }
        }
        members.found.push(find_recipient(self.town, text)?);
        Ok(())
    }

    /// Returns the members of a group that every town has.
    fn find_built_in(&self, text: &str, agents: &[Address]) -> anyhow::Result<Vec<Address>> {
        let (name, rig) = match text[1..].split_once('/') {
            Some((name, rig)) => (name, Some(self.town.find_rig(rig)?.name().to_owned())),
            None => (&text[1..], None),
        };
        let has_role = |agent: &Address| match (name, rig.is_some()) {
            ("town", false) | ("rig", true) => true,
            ("mayor", false) => *agent == Address::Mayor,
            ("deacon" | "deacons", false) => *agent == Address::Deacon,
            ("dogs", false) => matches!(agent, Address::Dog(_)),
            ("witnesses", _) => matches!(agent, Address::Witness(_)),
            ("refineries", _) => matches!(agent, Address::Refinery(_)),
            ("crew", _) => matches!(agent, Address::Crew(..)),
            ("polecats", _) => matches!(agent, Address::Polecat(..)),
            _ => false,
        };
        let is_known = match (name, rig.is_some()) {
            ("overseer", false) => return Ok(vec![Address::Overseer]),
            ("town" | "mayor" | "deacon" | "deacons" | "dogs", false) | ("rig", true) => true,
            (name, _) => ["witnesses", "refineries", "crew", "polecats"].contains(&name),
        };
        if !is_known {
            return Err(TargetError::UnknownGroup {
                text: text.to_owned(),
            }
            .into());
        }
        Ok(agents
            .iter()
            .filter(|agent| {
                has_role(agent) && rig.as_deref().is_none_or(|rig| agent.rig() == Some(rig))
            })
            .cloned()
            .collect())
    }
}
