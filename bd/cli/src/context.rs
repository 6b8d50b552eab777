//! What a command starts with: the environment, clock and chance of the process, the screen, the settings,
//! and on demand the store and who is acting.

use std::cell::OnceCell;
use std::path::Path;

use jiff::Timestamp;

use bd::config::Config;
use bd::git::{Git, GitUser};
use bd::query::when;
use bd::store::find;
use bd::store::{Author, Routes, Store, StoreError, StoreReports};
use kit::failure::UsageError;
use kit::sys::env::local_time_zone;
use kit::sys::{Clock, Env, RandomSource, file};
use kit::ui::Ui;

/// The context of one `bd` command.
#[derive(Debug)]
pub(crate) struct Context {
    /// The caller's environment.
    pub env: Env,
    /// The clock.
    pub clock: Clock,
    /// Chance.
    pub random: RandomSource,
    /// The screen.
    pub ui: Ui,
    /// The settings of the project around the working directory, beneath environment and flags.
    pub config: Config,
    /// Whether nothing may be changed.
    pub is_readonly: bool,
    /// What its stores notice.
    pub reports: StoreReports,
    found: Result<find::ProjectLocation, find::NotFound>,
    author: OnceCell<Author>,
}

/// A change was asked for while nothing may be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("operation '{0}' is not allowed in read-only mode")]
pub(crate) struct ReadOnly(pub &'static str);

impl Context {
    /// Looks for the project and reads its settings.
    pub(crate) fn new(env: Env, json: bool, quiet: bool, readonly: bool) -> anyhow::Result<Self> {
        let found = find::locate_project(&env);
        let dir = found.as_ref().ok().map(|found| found.dir.as_path());
        let config = Config::load(dir, &env)?;
        let ui = Ui::new(json || config.flag("json"), quiet, &env);
        for warning in found.iter().flat_map(|found| &found.warnings) {
            ui.warn(warning);
        }
        Ok(Self {
            clock: Clock::choose(env.get("BD_NOW")),
            random: RandomSource::choose(env.get("BD_SEED")),
            env,
            ui,
            config,
            is_readonly: readonly,
            reports: StoreReports::default(),
            found,
            author: OnceCell::new(),
        })
    }

    /// How the project was found.
    pub(crate) fn project(&self) -> Result<&find::ProjectLocation, find::NotFound> {
        self.found.as_ref().map_err(Clone::clone)
    }

    /// Says that a flag named the place, and not the environment.
    pub(crate) fn set_named_by(&mut self, flag: &'static str) {
        if let Err(find::NotFound::Named { by, .. }) = &mut self.found {
            *by = flag;
        }
    }

    /// Says that the beads of this place, which were not found, are on a branch.
    pub(crate) fn set_sync_branch(&mut self, name: &str) {
        if let Err(find::NotFound::Around { branch, .. }) = &mut self.found {
            *branch = Some(name.to_owned());
        }
    }

    /// The store in a folder.
    pub(crate) fn open(&self, dir: &Path) -> Result<Store, StoreError> {
        Ok(Store::open(dir)?.reporting_to(&self.reports))
    }

    /// The store of the working directory.
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        let dir = &self.project()?.dir;
        Ok(self
            .open(dir)?
            .with_settings(self.config.files_for_dir(dir)))
    }

    /// The store that holds an id: that of the route for its prefix, else the one of the working directory.
    pub(crate) fn store_for_id(&self, id: &str) -> anyhow::Result<Store> {
        let local = self.project()?;
        let routed = self.routes(&local.dir).dir_for(id);
        match routed.filter(|dir| *dir != local.dir) {
            Some(dir) => Ok(self.open(&dir)?),
            None => self.store(),
        }
    }

    /// The routes as this command sees them.
    pub(crate) fn routes(&self, dir: &Path) -> Routes {
        Routes::for_working_dir(dir, &self.env)
    }

    /// Refuses in read-only mode.
    pub(crate) fn check_writable(&self, operation: &'static str) -> Result<(), ReadOnly> {
        if self.is_readonly {
            return Err(ReadOnly(operation));
        }
        Ok(())
    }

    /// Who acts: the actor by flag, setting, `BEADS_ACTOR`, git or `USER`; the session and owner with it.
    pub(crate) fn author(&self) -> Author {
        self.author.get_or_init(|| self.find_author()).clone()
    }

    fn find_author(&self) -> Author {
        let actor = self.config.get("actor");
        let actor = actor.or_else(|| self.env.get("BEADS_ACTOR").map(str::to_owned));
        let owner = self.env.get("GIT_AUTHOR_EMAIL").map(str::to_owned);
        let git = if actor.is_some() && owner.is_some() {
            GitUser::default()
        } else {
            Git::at(self.env.cwd()).user(&self.env)
        };
        let user = || self.env.get("USER").unwrap_or("unknown").to_owned();
        Author {
            actor: actor.or(git.name).unwrap_or_else(user),
            session: self
                .env
                .get("CLAUDE_SESSION_ID")
                .unwrap_or_default()
                .to_owned(),
            owner: owner.or(git.email).unwrap_or_default(),
        }
    }

    /// Now.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A time given to a flag.
    pub(crate) fn parse_time(&self, flag: &str, text: &str) -> Result<Timestamp, UsageError> {
        when::parse_time(text, self.now(), &local_time_zone()).ok_or_else(|| {
            UsageError(format!(
                "invalid {flag} format \"{text}\": use +2d, 2026-03-01, an RFC 3339 time, or words such as tomorrow"
            ))
        })
    }

    /// A time that lies back, or an age such as `5m`, given to a flag.
    pub(crate) fn parse_past_time(&self, flag: &str, text: &str) -> Result<Timestamp, UsageError> {
        when::parse_past_time(text, self.now(), &local_time_zone()).ok_or_else(|| {
            UsageError(format!(
                "invalid {flag} format \"{text}\": use 2h, 3d, 2026-03-01, an RFC 3339 time, or words such as yesterday"
            ))
        })
    }

    /// The bead that was last created, updated or shown here.
    pub(crate) fn last_touched(&self) -> Option<String> {
        let path = self.project().ok()?.dir.join("last-touched");
        let text = String::from_utf8(file::read_file_if_exists(&path).ok()??).ok()?;
        let id = text.lines().next()?.trim();
        (!id.is_empty()).then(|| id.to_owned())
    }

    /// Remembers a bead for commands without an id.
    pub(crate) fn set_last_touched(&self, id: &str) {
        if let (Ok(found), false) = (self.project(), self.is_readonly) {
            let path = found.dir.join("last-touched");
            if self.last_touched().as_deref() == Some(id) {
                return;
            }
            // A convenience: a folder that cannot be written to has told so already.
            file::put_first_line(&path, id, 0o600).ok();
        }
    }
}
