//! Repairs a town without losing anything: adds missing files and hooks, and keeps what is there.

use crate::flow::install::{InstallRequest, install_town};
use crate::host::runtime::installed;
use crate::town::Town;

/// Descriptions of what was repaired, and of what could not be.
#[derive(Debug, Default)]
pub struct RepairReport {
    pub repaired: Vec<String>,
    pub failed: Vec<String>,
}

/// Adds the missing files of a town, and the missing hooks in its agents' settings.
pub fn repair_town(town: &Town) -> RepairReport {
    let mut report = RepairReport::default();
    let layout = &town.layout;
    let files = [
        layout.rigs_json(),
        layout.routes(),
        layout.overseer_json(),
        layout.daemon(),
        layout.runtime(),
    ];
    let missing: Vec<_> = files.into_iter().filter(|path| !path.exists()).collect();
    let request = InstallRequest::from_git_user(layout.root());
    match install_town(&town.env, &town.clock, layout.root(), &request) {
        Ok(_) => {
            let made = missing.iter().filter(|path| path.exists());
            let made = made.map(|path| format!("made {}", path.display()));
            report.repaired.extend(made);
        }
        Err(error) => report.failed.push(format!("{error:#}")),
    }
    match installed::sync_role_hooks(town, None, false) {
        Ok(changed) => report.repaired.extend(changed.into_iter().map(|hooks| {
            let path = hooks.display_path();
            format!("added the missing hooks of {} to {path}", hooks.target)
        })),
        Err(error) => report.failed.push(format!("{error:#}")),
    }
    report
}
