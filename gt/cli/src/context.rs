//! The inputs of a command: the environment, clock and random source of the process, and the
//! screen.

use std::path::Path;

use bd::store::StoreReports;
use kit::sys::Env;
use kit::sys::ancestor::SessionVariables;
use kit::ui::Ui;

use gt::host::LiveTown;
use gt::host::live_town::open_live_town;
use gt::record::refusal;
use gt::town::event::Event;
use gt::town::identity::{Address, detect_caller};
use gt::town::permission::{PermissionChanges, check_permission};
use gt::town::{self, Town, TownLayout};

pub struct Context {
    pub env: Env,
    pub ui: Ui,
    pub reports: StoreReports,
    /// The agent session that the command runs in.
    pub session: Option<SessionVariables>,
}

impl Context {
    pub fn new(env: Env, ui: Ui) -> Self {
        Self {
            env,
            ui,
            reports: StoreReports::default(),
            session: SessionVariables::of_ancestors(),
        }
    }

    /// Opens the town around the working directory, with the caller as actor.
    pub fn open_town(&self) -> anyhow::Result<LiveTown> {
        let root = town::find_town(&self.env)?;
        Ok(self.open_town_at(&root))
    }

    /// Returns the caller, as an agent of the town at `root`. The user if it is none.
    fn caller_in(&self, root: &Path) -> Address {
        let session = self.session.as_ref();
        let caller = detect_caller(&self.env, &TownLayout::new(root), session);
        caller.address.unwrap_or(Address::Overseer)
    }

    /// Checks that the caller may run a command of this town with these options. Everyone may
    /// outside of a town.
    pub fn check_permission(&self, path: &[String], options: &[String]) -> anyhow::Result<()> {
        let Ok(root) = town::find_town(&self.env) else {
            return Ok(());
        };
        let caller = self.caller_in(&root);
        if caller == Address::Overseer {
            return Ok(());
        }
        let changes = PermissionChanges::load(&self.open_town_at(&root), &caller)?;
        let Err(error) = check_permission(&caller, path, options, &changes) else {
            return Ok(());
        };
        let town = self.open_town_at(&root);
        record_refused_command(&town, &error.command, &error.permission);
        Err(error.into())
    }

    /// Opens the town at `root`.
    pub fn open_town_at(&self, root: &Path) -> LiveTown {
        let mut town = open_live_town(&self.env, root, self.caller_in(root));
        town.reports = self.reports.clone();
        town
    }
}

/// Records that the caller of a town may not run a command.
pub(crate) fn record_refused_command(town: &Town, command: &str, permission: &str) {
    town.record_event(&Event::PermissionRefused {
        command: command.to_owned(),
        permission: permission.to_owned(),
    });
    // The event is enough if the count cannot be written.
    refusal::record_refusal(&town.layout, &town.actor, command, town.clock.now()).ok();
}
