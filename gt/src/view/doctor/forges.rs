//! Checks the program of the forge for each rig that lands by pull request.

use super::{CheckFindings, list_readable_rigs};
use crate::flow::work::mq::forge::Forge;
use crate::host::LiveTown;
use crate::record::merge_request;
use crate::town::Rig;
use crate::town::config::{LandingRoute, RigSettings};

pub(super) fn check_forges(town: &LiveTown, page: &mut CheckFindings) {
    for rig in list_readable_rigs(town) {
        let name = rig.name();
        // The check of the rigs reports settings that are not valid.
        let Ok(settings) = RigSettings::load(&rig) else {
            continue;
        };
        let is_chosen = settings.landing_route() == Some(LandingRoute::PullRequest);
        let has_remote = rig.git().remote_url("origin").ok().flatten().is_some();
        if !(has_remote && is_chosen || has_open_pull_request(&rig)) {
            continue;
        }
        let works = Forge::of_rig(&rig, &settings).and_then(|forge| Ok(forge.check()?));
        match works {
            Ok(()) => page.ok(format!(
                "rig {name}: its pull requests can be opened and read"
            )),
            Err(problem) => page.warn(
                format!("rig {name} lands by pull request, and no forge can be used: {problem:#}"),
                &format!("install `gh` or `glab` and log in, or gt config set --rig {name} merge_queue.merge_strategy direct"),
            ),
        }
    }
}

fn has_open_pull_request(rig: &Rig) -> bool {
    // The check of the beads reports a store that cannot be read.
    let beads = rig.store().ok().and_then(|store| store.snapshot().ok());
    beads.is_some_and(|beads| {
        merge_request::open_requests(&beads)
            .into_iter()
            .any(|request| merge_request::awaited_pull_request(request).is_some())
    })
}
