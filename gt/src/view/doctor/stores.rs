//! Checks the beads of the town and the rigs: readable, and without damaged lines.

use std::path::Path;

use super::{CheckFindings, list_readable_rigs};
use crate::host::LiveTown;

/// Returns the number of files with damaged lines that writes have moved aside.
fn count_damaged_files(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, |entries| entries.flatten().count())
}

pub(super) fn check_stores(town: &LiveTown, page: &mut CheckFindings) {
    // Stores that cannot be read are reported below, each with its reason.
    let rollbacks = town.read_stores().map(|stores| stores.rollbacks);
    for rollback in rollbacks.into_iter().flatten() {
        let [restore, discard] = rollback.next_steps();
        let fix =
            format!("`{restore}` brings the changes back, `{discard}` accepts the older state");
        page.warn(format!("{}: {}", rollback.home, rollback.what), &fix);
    }
    let listed = list_readable_rigs(town);
    let rigs = listed
        .iter()
        .map(|rig| (format!("rig {}", rig.name()), rig.beads()));
    for (owner, folder) in std::iter::once(("the town".to_owned(), town.layout.beads())).chain(rigs)
    {
        let beads = match town.open_store(&folder).and_then(|store| store.snapshot()) {
            Ok(beads) => beads,
            Err(error) => {
                let text = format!("{owner}: {error} ({})", folder.display());
                page.error(text, "bd doctor in that folder says more");
                continue;
            }
        };
        for damaged in beads.damaged() {
            let text = format!(
                "{owner}: {}:{} is damaged: {}",
                damaged.file.display(),
                damaged.line,
                damaged.reason
            );
            page.warn(
                text,
                "the line is kept unchanged and everything else works; correct it by hand",
            );
        }
        let aside = count_damaged_files(&folder.join("damaged"));
        if aside > 0 {
            let text = format!(
                "{owner}: {} of damaged lines in {}",
                kit::ui::counted(aside, "file"),
                folder.join("damaged").display()
            );
            page.warn(text, "correct the lines and put them back into issues.jsonl, or remove the files if they are of no use");
        }
        if beads.damaged().is_empty() && aside == 0 {
            page.ok(format!(
                "{owner}: {} readable",
                kit::ui::counted(beads.live_count(), "bead")
            ));
        }
    }
}
