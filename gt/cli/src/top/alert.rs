//! Reports new needs of the user outside of the frame: by the title of the terminal and its bell.

use std::collections::BTreeSet;

use gt::town::Town;
use gt::town::config::SettingsLayers;
use gt::view::overview::TownOverview;
use kit::ui::escape::escape_line;

/// The needs that the terminal was alerted about.
#[derive(Debug, Default)]
pub(super) struct TerminalAlert {
    /// The keys of the needs at the last reading. None before the first one.
    seen: Option<BTreeSet<String>>,
    /// The title that was set last.
    title: String,
    /// The change of the title that is not made yet.
    pub(super) new_title: Option<String>,
    /// True if the bell is to ring.
    pub(super) rings: bool,
}

impl TerminalAlert {
    /// Sets the title once more, after another program had the terminal.
    pub(super) fn repeat_title(&mut self) {
        self.new_title = Some(self.title.clone());
    }

    /// Takes a reading of the town.
    pub(super) fn take_overview(&mut self, town: &Town, overview: &TownOverview) {
        let keys: BTreeSet<String> = overview
            .needs_you
            .iter()
            .map(|need| need.key.clone())
            .collect();
        let is_new = match self.seen.replace(keys.clone()) {
            Some(seen) => !keys.is_subset(&seen),
            None => false,
        };
        self.rings |= is_new && is_wanted(town);
        let name = escape_line(&overview.status.name);
        let title = match overview.needs_you.len() {
            0 => format!("{name}: gt top"),
            count => format!("({count}) {name}: gt top"),
        };
        if title != self.title {
            self.title.clone_from(&title);
            self.new_title = Some(title);
        }
    }
}

/// Returns false if the user has turned notifications off.
fn is_wanted(town: &Town) -> bool {
    SettingsLayers::load(town, None).map_or(true, |layers| layers.flag("notify.desktop"))
}
