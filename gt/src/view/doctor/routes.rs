//! Checks routes: every rig has one, each leads to beads, and no prefix leads to two places.

use std::collections::BTreeMap;

use bd::store::Routes;
use kit::ui::counted;

use super::{CheckFindings, list_readable_rigs};
use crate::host::LiveTown;

pub(super) fn check_routes(town: &LiveTown, page: &mut CheckFindings) {
    let before = page.all.len();
    let routes = Routes::load(&town.layout.beads());
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for route in routes.all() {
        places.entry(&route.prefix).or_default().push(&route.path);
        let Some(folder) = routes.dir_of(route) else {
            let text = format!(
                "the route {} leads to {}, which has no beads",
                route.prefix, route.path
            );
            page.warn(
                text,
                "remove the line from .beads/routes.jsonl, or restore the folder",
            );
            continue;
        };
        let store_prefix = town.open_store(&folder).and_then(|store| store.prefix());
        let wanted = route.prefix.trim_end_matches('-');
        if let Ok(store_prefix) = store_prefix
            && store_prefix != wanted
            && !wanted.starts_with(&format!("{store_prefix}-"))
        {
            let text = format!(
                "the route {} leads to beads whose prefix is {store_prefix}-",
                route.prefix
            );
            page.warn(
                text,
                "correct .beads/routes.jsonl: new beads of that rig cannot be found",
            );
        }
    }
    for (prefix, paths) in places.iter().filter(|(_, paths)| paths.len() > 1) {
        let text = format!("the prefix {prefix} leads to {}", paths.join(" and "));
        page.error(text, "keep one line per prefix in .beads/routes.jsonl");
    }
    for rig in list_readable_rigs(town) {
        if !routes.all().iter().any(|route| route.rig() == rig.name()) {
            let text = format!(
                "rig {} has no route: its beads are not found by id",
                rig.name()
            );
            page.error(
                text,
                "gt doctor --fix adds a line for it to .beads/routes.jsonl",
            );
        }
    }
    page.ok_unless(
        before,
        format!(
            "{} to the right stores",
            counted(routes.all().len(), "route")
        ),
    );
}
