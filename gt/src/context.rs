//! What a command starts with: the environment, clock and chance of the process, and the screen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bd::sys::{Clock, Env, Random, env};
use bd::ui::Ui;

use crate::config;
use crate::identity::{Address, detect};
use crate::session::Tmux;
use crate::town::{self, Layout, Town};

/// The context of one command.
pub struct Context {
    /// The caller's environment.
    pub env: Env,
    /// The screen.
    pub ui: Ui,
}

impl Context {
    /// Opens the town around the working directory, acting as whoever calls.
    pub fn town(&self) -> anyhow::Result<Town> {
        let root = town::find(&self.env)?;
        Ok(self.town_at(&root))
    }

    /// Opens the town at `root`.
    pub fn town_at(&self, root: &Path) -> Town {
        let actor = detect(&self.env, &Layout::new(root))
            .address
            .unwrap_or(Address::Overseer);
        open(&self.env, root, actor)
    }
}

/// Opens the town at `root` for `actor`, with the clock and chance that the environment chooses.
pub fn open(env: &Env, root: &Path, actor: Address) -> Town {
    let layout = Layout::new(root);
    let exe = program(env);
    let town = Town {
        backend: Arc::new(Tmux::of_town(&layout, env, &exe)),
        layout,
        env: env.clone(),
        clock: Clock::choose(env.get("BD_NOW")),
        random: Random::choose(env.get("BD_SEED")),
        actor,
        exe,
        stop: Arc::default(),
    };
    limit_remotes(&town);
    town
}

/// Applies `git.network_timeout`. Settings that cannot be read are reported by whoever uses them.
fn limit_remotes(town: &Town) {
    let layers = config::Layers::load(town, None).ok();
    let setting = layers.and_then(|layers| layers.get("git.network_timeout"));
    let text = setting.as_ref().and_then(|setting| setting.value.as_str());
    if let Some(limit) = text.and_then(config::duration) {
        bd::git::limit_remotes(limit);
    }
}

/// Our own `gt` program: beside the running one (which may be `gtd`), else the one on `PATH`.
fn program(env: &Env) -> PathBuf {
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
