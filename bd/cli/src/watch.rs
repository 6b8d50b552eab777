//! Views that follow the beads: a report is drawn again whenever a file of the store changes.

use std::path::Path;
use std::time::Duration;

use crate::context::Context;
use kit::failure::Usage;
use kit::sys::watch::Changes;

use kit::cli::report::{Answer, Nothing};

/// How long a view waits for a change before it looks again, since times go on.
const LOOK: Duration = Duration::from_secs(60);

/// Draws what `make` reports, and again when it looks different, until nobody reads any more.
pub(super) fn watch(ctx: &Context, dir: &Path, make: impl Fn() -> Answer) -> Answer {
    if ctx.ui.is_json() {
        let text = "--watch draws for a screen; programs use 'bd activity --follow --json'";
        return Err(Usage(text.into()).into());
    }
    // Before the first look: what changes in between is seen by the next one.
    let changes = Changes::of([dir])?;
    let mut shown: Option<String> = None;
    loop {
        let mut page = ctx.ui.page();
        make()?.human(&mut page);
        if shown.as_deref() != Some(page.text()) {
            if !ctx.ui.redraw(&page, shown.is_none()) {
                return Ok(Box::new(Nothing));
            }
            shown = Some(page.text().to_owned());
        }
        changes.wait_at_most(LOOK);
    }
}
