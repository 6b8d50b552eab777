//! Views that follow the beads: a report is drawn again whenever a file of the store changes.

use std::path::Path;
use std::time::Duration;

use crate::context::Context;
use kit::failure::UsageError;
use kit::sys::watch::FolderWatch;

use kit::cli::report::{CommandResult, EmptyReport};

/// How long a view waits for a change before it looks again, since times go on.
const LOOK: Duration = Duration::from_secs(60);

/// Draws what `make` reports, and again when it looks different, until nobody reads any more.
pub(super) fn watch_view(
    ctx: &Context,
    dir: &Path,
    make: impl Fn() -> CommandResult,
) -> CommandResult {
    if ctx.ui.is_json() {
        let text = "--watch draws for a screen; programs use 'bd activity --follow --json'";
        return Err(UsageError(text.into()).into());
    }
    // Before the first look: what changes in between is seen by the next one.
    let changes = FolderWatch::start([dir])?;
    let mut shown: Option<String> = None;
    loop {
        let mut page = ctx.ui.page();
        make()?.human(&mut page);
        if shown.as_deref() != Some(page.text()) {
            if !ctx.ui.redraw(&page, shown.is_none()) {
                return Ok(Box::new(EmptyReport));
            }
            shown = Some(page.text().to_owned());
        }
        changes.wait_at_most(LOOK);
    }
}
