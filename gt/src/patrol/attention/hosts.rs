//! Finds the other machines that cannot be reached while workers run there.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use kit::ui::{counted, escape};

use super::item::{AttentionItem, AttentionKind, HOST_KEY};
use crate::host::UnreachableHost;
use crate::record::polecat::Polecat;
use crate::record::town_view::TownView;

/// The number of workers that an item names.
const MAX_NAMED: usize = 3;

/// Returns one item per host, however many workers run there.
pub(super) fn host_items(view: &TownView, patience: SignedDuration) -> Vec<AttentionItem> {
    let mut hosts: BTreeMap<&str, (&UnreachableHost, Vec<&Polecat>)> = BTreeMap::new();
    for polecat in view.polecats.values().flatten() {
        if let Some(host) = &polecat.unreachable
            && polecat.hook.is_some()
        {
            let (_, workers) = hosts.entry(&host.name).or_insert((host, Vec::new()));
            workers.push(polecat);
        }
    }
    hosts
        .into_values()
        .filter_map(|(host, workers)| build_item(view, host, &workers, patience))
        .collect()
}

fn build_item(
    view: &TownView,
    host: &UnreachableHost,
    workers: &[&Polecat],
    patience: SignedDuration,
) -> Option<AttentionItem> {
    let name = &host.name;
    let mut named: Vec<String> = workers
        .iter()
        .take(MAX_NAMED)
        .map(|polecat| format!("{}/{}", polecat.rig, polecat.name))
        .collect();
    if workers.len() > MAX_NAMED {
        named.push(counted(workers.len() - MAX_NAMED, "other"));
    }
    let reason = escape::escape_line(host.reason.trim_end_matches('.'));
    let since = host.since.map_or_else(String::new, |since| {
        format!("It has not been reached since {since:.0}: ")
    });
    Some(AttentionItem {
        kind: AttentionKind::Failing,
        due: host.since.unwrap_or(view.now).checked_add(patience).ok()?,
        key: format!("{HOST_KEY}{name}"),
        subject: format!("Host {name} cannot be reached"),
        text: format!(
            "{since}{reason}. The town tries again, and starts no one in place of its workers: {}.",
            named.join(", ")
        ),
        next: vec![format!("gt host check {name}")],
        bead: String::new(),
    })
}
