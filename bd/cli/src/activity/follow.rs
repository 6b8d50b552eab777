//! Prints activity as it happens: watches the folders of the stores and prints each event once.

use std::collections::HashSet;

use serde_json::json;

use super::{ActivityItem, Args, collect_items, fill_in_values};
use crate::context::Context;
use bd::store::Store;
use kit::cli::report::{CommandResult, build_empty_report};
use kit::sys::watch::FolderWatch;
use kit::ui::Page;

/// Prints the items and then new events, until the reader closes the output. `seen` holds the ids
/// of all earlier events, including the events that are not shown.
pub(super) fn follow_activity(
    ctx: &Context,
    stores: &[Store],
    args: &Args,
    items: &[ActivityItem],
    seen: Vec<String>,
) -> CommandResult {
    // The watch starts before the first read, so that the next read sees events in between.
    let changes = FolderWatch::start(stores.iter().map(Store::dir))?;
    let mut printed: HashSet<String> = HashSet::new();
    printed.extend(seen);
    if !print_items(ctx, items) {
        return build_empty_report();
    }
    loop {
        for store in stores {
            let mut events = store.events()?;
            events.retain(|event| printed.insert(event.id.clone()));
            if events.is_empty() {
                continue;
            }
            let mut items = collect_items(&store.snapshot()?, events, args);
            fill_in_values(std::slice::from_ref(store), &mut items)?;
            if !print_items(ctx, &items) {
                return build_empty_report();
            }
        }
        if !changes.wait() {
            return build_empty_report();
        }
    }
}

/// Prints items. Returns false if the output is closed.
fn print_items(ctx: &Context, items: &[ActivityItem]) -> bool {
    items.iter().all(|item| {
        let text = if ctx.ui.is_json() {
            json!(item).to_string()
        } else {
            let mut page = Page::plain().with_now(ctx.now());
            item.write(&mut page);
            page.text().trim_end().to_owned()
        };
        ctx.ui.stream(&format!("{text}\n"))
    })
}
