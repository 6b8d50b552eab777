//! Lists the addresses of a town that can get mail.

use serde::Serialize;

use super::{find_notice_reader, is_mayor_running, list_agents};
use crate::host::LiveTown;
use crate::record::mail::channel::list_channels;
use crate::record::mail::group::list_groups;
use crate::record::mail::queue::list_queues;
use crate::town::config::MessagingSettings;
use crate::town::identity::Address;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DirectoryEntry {
    pub address: String,
    /// The role of an agent, `overseer`, `group`, `list`, `queue`, `channel` or `announce`.
    pub kind: String,
    /// The mailbox of the reader, if no agent plays the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
}

impl DirectoryEntry {
    fn named(kind: &str, address: String) -> Self {
        Self {
            address,
            kind: kind.to_owned(),
            reader: None,
        }
    }
}

/// Returns the addresses of agents, then those of groups, queues, channels and announcements.
pub fn list_directory(town: &LiveTown) -> anyhow::Result<Vec<DirectoryEntry>> {
    let mayor_runs = is_mayor_running(town);
    let mut agents = vec![Address::Overseer];
    agents.extend(list_agents(town)?);
    let mut entries: Vec<DirectoryEntry> = agents
        .into_iter()
        .map(|agent| {
            let reader = find_notice_reader(town, &agent, mayor_runs);
            DirectoryEntry {
                address: agent.mailbox(),
                kind: agent.role().to_owned(),
                reader: Some(reader.mailbox()).filter(|_| reader != agent),
            }
        })
        .collect();
    let built_in = [
        "@town",
        "@crew",
        "@polecats",
        "@dogs",
        "@witnesses",
        "@refineries",
    ];
    entries.extend(built_in.map(|group| DirectoryEntry::named("group", group.to_owned())));
    entries.extend(
        town.list_rigs()?
            .iter()
            .map(|rig| DirectoryEntry::named("group", format!("@rig/{}", rig.name()))),
    );
    let beads = town.open_town_store()?.snapshot()?;
    let settings = MessagingSettings::load(&town.layout)?;
    let groups = list_groups(&beads).into_iter().map(|group| group.name);
    let queues = list_queues(&beads, &settings);
    let channels = list_channels(&beads);
    let named: [(&str, Vec<String>); 5] = [
        ("group", groups.collect()),
        ("list", settings.lists.into_keys().collect()),
        (
            "queue",
            queues.into_iter().map(|queue| queue.name).collect(),
        ),
        (
            "channel",
            channels.into_iter().map(|channel| channel.name).collect(),
        ),
        ("announce", settings.announces.into_keys().collect()),
    ];
    for (kind, names) in named {
        entries.extend(
            names
                .iter()
                .map(|name| DirectoryEntry::named(kind, format!("{kind}:{name}"))),
        );
    }
    Ok(entries)
}
