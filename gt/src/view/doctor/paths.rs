//! Checks that no path in the town leads to an earlier place of it.

use super::CheckFindings;
use crate::flow::place::moved;
use crate::host::LiveTown;

pub(super) fn check_paths(town: &LiveTown, page: &mut CheckFindings) {
    let stale = match moved::find_stale_paths(town, None) {
        Ok(stale) => stale,
        Err(error) => {
            return page.warn(
                format!("the paths of the town are not checked: {error:#}"),
                "correct that file, then run gt doctor again",
            );
        }
    };
    for path in &stale {
        page.warn(path.describe(), "gt doctor --fix corrects it");
    }
    if stale.is_empty() {
        page.ok("all paths lead into this town");
    }
}
