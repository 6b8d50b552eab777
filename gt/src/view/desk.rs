//! Describes the desks of a rig: what they need, and who sits where.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use kit::sys::file;
use kit::ui::escape;
use serde::Serialize;

use crate::flow::place::desk::DeskTrial;
use crate::record::desk::{
    DeskFailure, DeskNumber, DeskNumbers, DeskProgress, find_desk_failure, list_carried_files,
};
use crate::town::Rig;
use crate::town::config::{DeskSettings, SettingsLayers};

/// The desks of a rig, for text and JSON.
#[derive(Debug, Serialize)]
pub struct RigDesk {
    pub rig: String,
    /// The names of the carried files.
    pub carry: Vec<String>,
    /// The folder with the rig's own copies.
    pub carry_folder: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// The named lock files. Empty for the usual ones.
    pub setup_files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teardown: Option<String>,
    /// Executables for new sandboxes of another version, which are not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup_hooks: Vec<SetupHook>,
    /// The failure because of which no agent starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<DeskFailure>,
    /// The work trees with a number or a running or failed command.
    pub desks: Vec<DeskRow>,
    /// The trial of this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<DeskTrial>,
}

/// An executable that another version runs in new sandboxes.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct SetupHook {
    pub path: PathBuf,
    /// The command that makes it the setup of the desk.
    pub next: String,
}

/// The desk of one work tree.
#[derive(Debug, Serialize)]
pub struct DeskRow {
    /// The worker: `polecats/nux` or `crew/max`.
    pub worker: String,
    pub path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port_end: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<DeskProgress>,
}

impl RigDesk {
    pub fn read(rig: &Rig) -> anyhow::Result<Self> {
        let layers = SettingsLayers::load(rig.town(), Some(rig))?;
        let DeskSettings {
            setup,
            setup_files,
            check,
            teardown,
        } = DeskSettings::from_layers(&layers);
        let carried = list_carried_files(rig)?;
        Ok(Self {
            rig: rig.name().to_owned(),
            carry: carried.into_iter().map(|file| file.name).collect(),
            carry_folder: rig.overlay(),
            setup,
            setup_files,
            check,
            teardown,
            setup_hooks: list_setup_hooks(rig),
            failure: find_desk_failure(rig, &layers),
            desks: list_desks(rig),
            trial: None,
        })
    }
}

fn list_desks(rig: &Rig) -> Vec<DeskRow> {
    // Without the numbers of this machine, the desks have none.
    let numbers = DeskNumbers::open(&rig.town().env).ok();
    let polecats = file::list_subfolders(&rig.polecats());
    let polecats = polecats
        .into_iter()
        .map(|name| (format!("polecats/{name}"), rig.sandbox(&name)));
    let crew = file::list_subfolders(&rig.crew_folder());
    let crew = crew
        .into_iter()
        .map(|name| (format!("crew/{name}"), rig.crew(&name)));
    polecats
        .chain(crew)
        .map(|(worker, path)| {
            let number = numbers
                .as_ref()
                .and_then(|numbers| numbers.find_of_tree(&path));
            DeskRow {
                worker,
                slot: number.as_ref().map(|number| number.slot),
                port: number.as_ref().map(DeskNumber::first_port),
                port_end: number.as_ref().map(DeskNumber::last_port),
                name: number.map(|number| number.name),
                progress: DeskProgress::read(rig, &path),
                path,
            }
        })
        .filter(|row| row.slot.is_some() || row.progress.is_some())
        .collect()
}

/// Lists the executables that another version runs in new sandboxes, by name.
fn list_setup_hooks(rig: &Rig) -> Vec<SetupHook> {
    let entries = fs::read_dir(rig.setup_hooks())
        .into_iter()
        .flatten()
        .flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter(|entry| {
            entry.metadata().is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            })
        })
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let line = escape::quote_for_shell(&path.to_string_lossy());
            let line = escape::quote_for_shell(&line);
            let next = format!("gt rig desk {} --setup {line}", rig.name());
            SetupHook { path, next }
        })
        .collect()
}
