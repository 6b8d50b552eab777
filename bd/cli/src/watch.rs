//! Views that follow the beads: redraws a report whenever a file of the store changes.

use std::path::Path;
use std::time::Duration;

use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report};
use kit::sys::watch::FolderWatch;

/// The time after which a view is redrawn without a change, because relative times move on.
const REDRAW_INTERVAL: Duration = Duration::from_secs(60);

/// Draws the report of `make`, and redraws it when it differs, until the output is closed.
pub(super) fn watch_view(
    ctx: &Context,
    dir: &Path,
    make: impl Fn() -> CommandResult,
) -> CommandResult {
    if ctx.ui.is_json() {
        kit::bail_usage!("--watch draws for a screen; programs use 'bd activity --follow --json'");
    }
    // The watch starts before the first draw, so that the next draw sees changes in between.
    let changes = FolderWatch::start([dir])?;
    let mut shown: Option<String> = None;
    loop {
        let mut page = ctx.ui.page();
        make()?.human(&mut page);
        if shown.as_deref() != Some(page.text()) {
            if !ctx.ui.redraw(&page, shown.is_none()) {
                return build_empty_report();
            }
            shown = Some(page.text().to_owned());
        }
        changes.wait_at_most(REDRAW_INTERVAL);
    }
}
