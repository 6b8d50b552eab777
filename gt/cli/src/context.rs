//! The inputs of a command: the environment, clock and random source of the process, and the
//! screen.

use std::path::Path;

use bd::store::StoreReports;
use kit::sys::Env;
use kit::ui::Ui;

use gt::host::LiveTown;
use gt::host::live_town::open_live_town;
use gt::town::identity::{Address, detect_caller};
use gt::town::{self, TownLayout};

pub struct Context {
    pub env: Env,
    pub ui: Ui,
    pub reports: StoreReports,
}

impl Context {
    pub fn new(env: Env, ui: Ui) -> Self {
        Self {
            env,
            ui,
            reports: StoreReports::default(),
        }
    }

    /// Opens the town around the working directory, with the caller as actor.
    pub fn open_town(&self) -> anyhow::Result<LiveTown> {
        let root = town::find_town(&self.env)?;
        Ok(self.open_town_at(&root))
    }

    /// Opens the town at `root`.
    pub fn open_town_at(&self, root: &Path) -> LiveTown {
        let actor = detect_caller(&self.env, &TownLayout::new(root))
            .address
            .unwrap_or(Address::Overseer);
        let mut town = open_live_town(&self.env, root, actor);
        town.reports = self.reports.clone();
        town
    }
}
