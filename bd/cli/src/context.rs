//! The context of a command: environment, clock and random source of the process, the screen, the
//! settings, and on demand the store and the author.

use std::cell::OnceCell;
use std::path::Path;

use jiff::Timestamp;

use bd::config::Config;
use bd::git::{Git, GitUser};
use bd::query::when;
use bd::store::find;
use bd::store::{Author, Routes, Store, StoreError, StoreReports};
use kit::failure::UsageError;
use kit::sys::ancestor::SessionVariables;
use kit::sys::env::local_time_zone;
use kit::sys::{Clock, Env, RandomSource, file};
use kit::ui::Ui;

/// The context of one `bd` command.
#[derive(Debug)]
pub(crate) struct Context {
    pub env: Env,
    pub clock: Clock,
    pub random: RandomSource,
    pub ui: Ui,
    /// The settings of the enclosing project, with environment and flags above them.
    pub config: Config,
    /// True if nothing may be changed.
    pub is_readonly: bool,
    pub reports: StoreReports,
    found: Result<find::ProjectLocation, find::NotFound>,
    author: OnceCell<Author>,
}

/// A command attempted a change in read-only mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("operation '{0}' is not allowed in read-only mode")]
pub(crate) struct ReadOnly(pub &'static str);

impl Context {
    /// Finds the project and reads its settings.
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

    /// Returns the location of the project.
    pub(crate) fn project(&self) -> Result<&find::ProjectLocation, find::NotFound> {
        self.found.as_ref().map_err(Clone::clone)
    }

    /// Records that a flag named the location, not the environment.
    pub(crate) fn set_named_by(&mut self, flag: &'static str) {
        if let Err(find::NotFound::Named { by, .. }) = &mut self.found {
            *by = flag;
        }
    }

    /// Records the place of the beads, which were not found here.
    pub(crate) fn set_elsewhere(&mut self, place: find::BeadsElsewhere) {
        if let Err(find::NotFound::Around { elsewhere, .. }) = &mut self.found {
            *elsewhere = Some(place);
        }
    }

    /// Opens the store in a folder.
    pub(crate) fn open(&self, dir: &Path) -> Result<Store, StoreError> {
        Ok(Store::open(dir)?.reporting_to(&self.reports))
    }

    /// Opens the store of the working directory.
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        let dir = &self.project()?.dir;
        Ok(self
            .open(dir)?
            .with_settings(self.config.files_for_dir(dir)))
    }

    /// Opens the store that holds an id: the store of the route for its prefix, or the store of the
    /// working directory.
    pub(crate) fn store_for_id(&self, id: &str) -> anyhow::Result<Store> {
        let local = self.project()?;
        let routed = self.routes(&local.dir).dir_for(id);
        match routed.filter(|dir| *dir != local.dir) {
            Some(dir) => Ok(self.open(&dir)?),
            None => self.store(),
        }
    }

    pub(crate) fn routes(&self, dir: &Path) -> Routes {
        Routes::for_working_dir(dir, &self.env)
    }

    /// Fails in read-only mode.
    pub(crate) fn check_writable(&self, operation: &'static str) -> Result<(), ReadOnly> {
        if self.is_readonly {
            return Err(ReadOnly(operation));
        }
        Ok(())
    }

    /// Returns the author of changes: the actor from flag, setting, `BEADS_ACTOR`, git or `USER`,
    /// with session and owner.
    pub(crate) fn author(&self) -> Author {
        self.author.get_or_init(|| self.find_author()).clone()
    }

    fn find_author(&self) -> Author {
        let actor = self
            .config
            .get("actor")
            .or_else(|| self.env.get("BEADS_ACTOR").map(str::to_owned));
        let owner = self.env.get("GIT_AUTHOR_EMAIL").map(str::to_owned);
        let git = if actor.is_some() && owner.is_some() {
            GitUser::default()
        } else {
            Git::at(self.env.cwd()).user(&self.env)
        };
        let actor = actor
            .or(git.name)
            .unwrap_or_else(|| self.env.get("USER").unwrap_or("unknown").to_owned());
        Author {
            agent: self.find_agent(&actor),
            actor,
            session: self.env.get("CLAUDE_SESSION_ID").unwrap_or("").to_owned(),
            owner: owner.or(git.email).unwrap_or_default(),
        }
    }

    /// Returns the address of the agent of a town that runs this command: by the session above this
    /// process, by `GT_ROLE`, or a worker by the actor. A worker in any of them is the agent.
    fn find_agent(&self, actor: &str) -> Option<String> {
        let session = SessionVariables::of_ancestors();
        let by_session = session.and_then(|session| {
            let town = session.get("GT_TOWN_ROOT")?;
            // A worker that develops another project may do there what it wants.
            let is_of_town = self
                .found
                .as_ref()
                .is_ok_and(|found| found.dir.starts_with(&town));
            session.get("GT_ROLE").filter(|_| is_of_town)
        });
        let by_variable = self.env.get("GT_ROLE").map(str::to_owned);
        let agent = by_session.or_else(|| by_variable.clone());
        [agent.clone(), by_variable, Some(actor.to_owned())]
            .into_iter()
            .flatten()
            .find(|name| name.contains("/polecats/"))
            .or_else(|| agent.filter(|agent| agent != "overseer"))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Parses a time from a flag.
    pub(crate) fn parse_time(&self, flag: &str, text: &str) -> Result<Timestamp, UsageError> {
        when::parse_time(text, self.now(), &local_time_zone()).ok_or_else(|| {
            UsageError(format!(
                "invalid {flag} format \"{text}\": use +2d, 2026-03-01, an RFC 3339 time, or words such as tomorrow"
            ))
        })
    }

    /// Parses a past time, or an age such as `5m`, from a flag.
    pub(crate) fn parse_past_time(&self, flag: &str, text: &str) -> Result<Timestamp, UsageError> {
        when::parse_past_time(text, self.now(), &local_time_zone()).ok_or_else(|| {
            UsageError(format!(
                "invalid {flag} format \"{text}\": use 2h, 3d, 2026-03-01, an RFC 3339 time, or words such as yesterday"
            ))
        })
    }

    /// Returns the bead that this actor last created or changed in this session.
    pub(crate) fn last_touched(&self) -> Option<String> {
        let path = self.project().ok()?.dir.join("last-touched");
        let text = String::from_utf8(file::read_regular_file(&path).ok()??).ok()?;
        let (id, toucher) = text.lines().next()?.split_once('\t')?;
        (toucher == self.toucher()).then(|| id.to_owned())
    }

    /// Names the actor and session that may leave out the id of a bead.
    fn toucher(&self) -> String {
        let author = self.author();
        let [actor, session] =
            [author.actor, author.session].map(|text| text.replace(char::is_control, " "));
        format!("{actor}\t{session}")
    }

    /// Records a bead that was created or changed, for commands without an id.
    pub(crate) fn set_last_touched(&self, id: &str) {
        if let (Ok(found), false) = (self.project(), self.is_readonly) {
            let path = found.dir.join("last-touched");
            if self.last_touched().as_deref() == Some(id) {
                return;
            }
            let id = &format!("{id}\t{}", self.toucher());
            // The record is only a convenience. A write to an unwritable folder has already failed
            // with its own error.
            file::put_first_line(&path, id, 0o600).ok();
        }
    }
}
