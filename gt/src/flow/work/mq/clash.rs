//! Finds open requests that change the same files, so that a user sees a clash before it happens.

use std::collections::{BTreeMap, BTreeSet};

use bd::store::Snapshot;

use crate::record::merge_request;

/// Returns for each open request the other open requests to the same target that change one of its
/// files.
pub fn find_clashes(beads: &Snapshot) -> BTreeMap<String, Vec<String>> {
    let mut changed_by: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for request in merge_request::open_requests(beads) {
        let receipt = merge_request::receipt_of(request);
        for file in receipt.files {
            let place = (receipt.target.clone(), file);
            changed_by
                .entry(place)
                .or_default()
                .push(request.id.clone());
        }
    }
    let mut clashes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for requests in changed_by.into_values().filter(|all| all.len() > 1) {
        for one in &requests {
            let others = requests.iter().filter(|other| *other != one).cloned();
            clashes.entry(one.clone()).or_default().extend(others);
        }
    }
    clashes
        .into_iter()
        .map(|(id, others)| (id, others.into_iter().collect()))
        .collect()
}
