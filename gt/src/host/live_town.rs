//! Combines a town with the host of its sessions.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bd::store::StoreReports;
use kit::sys::{Clock, Env, RandomSource, env};

use super::Host;
use super::far::HostSet;
use super::socket_folder::find_socket_folder;
use crate::town::config;
use crate::town::event::EventListener;
use crate::town::identity::Address;
use crate::town::{Town, TownLayout};

/// An open town and its host. Functions that need only files and beads take a [`Town`].
pub struct LiveTown {
    pub town: Town,
    pub host: Arc<dyn Host>,
}

impl Deref for LiveTown {
    type Target = Town;

    fn deref(&self) -> &Town {
        &self.town
    }
}

impl DerefMut for LiveTown {
    fn deref_mut(&mut self) -> &mut Town {
        &mut self.town
    }
}

/// Opens the town at `root` for `actor`, with the clock and random source of the environment.
pub fn open_live_town(env: &Env, root: &Path, actor: Address) -> LiveTown {
    let layout = TownLayout::new(root);
    let exe = find_gt_program(env);
    let host = Arc::new(HostSet::new(&layout, env, &exe, &find_socket_folder(env)));
    let town = Town {
        layout,
        env: env.clone(),
        clock: Clock::choose(env.get("BD_NOW")),
        random: RandomSource::choose(env.get("BD_SEED")),
        actor,
        exe,
        reports: StoreReports::default(),
        listener: EventListener::default(),
        stop: Arc::default(),
    };
    apply_network_timeout(&town);
    LiveTown { town, host }
}

/// Applies `git.network_timeout`, and the built-in value instead of a wrong one.
fn apply_network_timeout(town: &Town) {
    let layers = config::SettingsLayers::load(town, None).ok();
    let text = layers.and_then(|layers| layers.text("git.network_timeout"));
    if let Some(limit) = text.as_deref().and_then(config::parse_setting_duration) {
        bd::git::limit_remotes(limit);
    }
}

/// Returns the program `gt`: beside the running program (which may be `gtd`), otherwise the one on
/// `PATH`.
pub fn find_gt_program(env: &Env) -> PathBuf {
    let running = env::current_exe();
    running
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| folder.join("gt"))
        .filter(|path| path.is_file())
        .or_else(|| which::which_in("gt", env.get("PATH"), env.cwd()).ok())
        .or(running)
        .unwrap_or_else(|| PathBuf::from("gt"))
}
