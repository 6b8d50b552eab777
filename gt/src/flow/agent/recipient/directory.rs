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
    let of_agent = |agent: Address| {
        let reader = find_notice_reader(town, &agent, mayor_runs);
        DirectoryEntry {
            address: agent.mailbox(),
            kind: agent.role().to_owned(),
            reader: Some(reader.mailbox()).filter(|_| reader != agent),
        }
    };
    let mut entries = vec![of_agent(Address::Overseer)];
    entries.extend(list_agents(town)?.into_iter().map(of_agent));
    let built_in = [
        "@town",
        "@crew",
        "@polecats",
        "@dogs",
        "@witnesses",
        "@refineries",
    ];
    let in_rigs = town.list_rigs()?.into_iter();
    let groups = built_in.map(str::to_owned).into_iter();
    let groups = groups.chain(in_rigs.map(|rig| format!("@rig/{}", rig.name())));
    entries.extend(groups.map(|group| DirectoryEntry::named("group", group)));
    let beads = town.open_town_store()?.snapshot()?;
    let settings = MessagingSettings::load(&town.layout)?;
    let named = |kind: &'static str, names: Vec<String>| {
        names
            .into_iter()
            .map(move |name| DirectoryEntry::named(kind, format!("{kind}:{name}")))
    };
    let groups = list_groups(&beads).into_iter().map(|group| group.name);
    entries.extend(named("group", groups.collect()));
    entries.extend(named("list", settings.lists.keys().cloned().collect()));
    let queues = list_queues(&beads, &settings).into_iter();
    entries.extend(named("queue", queues.map(|queue| queue.name).collect()));
    let channels = list_channels(&beads).into_iter();
    entries.extend(named(
        "channel",
        channels.map(|channel| channel.name).collect(),
    ));
    entries.extend(named(
        "announce",
        settings.announces.keys().cloned().collect(),
    ));
    Ok(entries)
}
