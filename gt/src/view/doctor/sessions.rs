//! Checks sessions: each belongs to an agent of the town, and none left its start file behind.

use std::fs;

use kit::ui::counted;

use super::{CheckFindings, list_readable_rigs};
use crate::host::LiveTown;
use crate::host::ended;
use crate::record::town_view::TownView;
use crate::town::identity::SessionName;

pub(super) fn check_sessions(town: &LiveTown, page: &mut CheckFindings) {
    let before = page.all.len();
    let view = match TownView::read(town) {
        Ok(view) => view,
        Err(error) => {
            return page.warn(
                format!("the town cannot be read: {error:#}"),
                "see the check of the town",
            );
        }
    };
    let Some(sessions) = &view.sessions else {
        let reason = view.blind.as_deref().unwrap_or("");
        return page.warn(
            format!("sessions cannot be listed: {reason}"),
            "see the check of tools",
        );
    };
    let rigs = list_readable_rigs(town);
    for live in sessions {
        if SessionName::parse_address(&live.name, rigs.iter().map(|rig| rig.name())).is_none() {
            let text = format!("session {} belongs to no agent of this town", live.name);
            page.note(
                text,
                "its rig may have been removed; check it before you end it",
            );
        }
        if let Some(how) = ended::describe_dead_session(live) {
            let text = format!("session {} has ended {how} but is still shown", live.name);
            page.note(
                text,
                "the next patrol removes it; `gtd run --once` runs one now",
            );
        }
    }
    let files = fs::read_dir(town.layout.session_files())
        .into_iter()
        .flatten()
        .flatten();
    for file in files {
        let path = file.path();
        if path.extension().is_some_and(|kind| kind == "json") {
            let text = format!(
                "{} was not read by its session: it may hold credentials",
                path.display()
            );
            page.warn(
                text,
                "remove the file, unless a session starts at this moment",
            );
        }
    }
    page.ok_unless(
        before,
        format!(
            "{}, each of an agent of this town",
            counted(sessions.len(), "session")
        ),
    );
}
