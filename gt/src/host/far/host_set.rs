//! The sessions of a town on all its hosts: this machine, and others.

use std::path::{Path, PathBuf};

use kit::sys::Env;

use super::far_host::FarHost;
use super::session_record::find_session_host;
use super::settings::list_hosts;
use crate::host::tmux::Tmux;
use crate::host::{
    Host, HostError, InputRules, Key, LiveSession, SCREEN_LINES, SendResult, SessionHost,
    SessionSpec,
};
use crate::town::TownLayout;

/// All hosts of a town. A session that the town has started elsewhere is looked for there.
#[derive(Debug)]
pub struct HostSet {
    local: Tmux,
    town: TownLayout,
    env: Env,
    exe: PathBuf,
    sockets: PathBuf,
}

impl HostSet {
    pub fn new(town: &TownLayout, env: &Env, exe: &Path, sockets: &Path) -> Self {
        Self {
            local: Tmux::for_town(town, env, exe),
            town: town.clone(),
            env: env.clone(),
            exe: exe.to_owned(),
            sockets: sockets.to_owned(),
        }
    }

    fn far(&self, name: &str) -> FarHost {
        FarHost::new(name, &self.town, &self.env, &self.exe, &self.sockets)
    }

    /// Returns the host of a session.
    fn find(&self, session: &str) -> Box<dyn SessionHost + '_> {
        match find_session_host(&self.town, session) {
            Some(host) => Box::new(self.far(&host)),
            None => Box::new(self.local.clone()),
        }
    }
}

impl Host for HostSet {
    fn check(&self) -> Result<(), HostError> {
        self.local.check()
    }

    fn clean_up(&self) -> Result<(), HostError> {
        self.local.clean_up()
    }
}

impl SessionHost for HostSet {
    fn start(&self, spec: &SessionSpec) -> Result<LiveSession, HostError> {
        match &spec.host {
            Some(host) => self.far(host).start(spec),
            None => self.local.start(spec),
        }
    }

    fn list(&self) -> Result<Vec<LiveSession>, HostError> {
        let mut all = self.local.list()?;
        for name in list_hosts(&self.town) {
            let host = self.far(&name);
            if host.has_sessions() {
                all.extend(host.list()?);
            }
        }
        Ok(all)
    }

    fn find_session(&self, name: &str) -> Result<Option<LiveSession>, HostError> {
        self.find(name).find_session(name)
    }

    fn capture_all(&self, sessions: &[&LiveSession]) -> Result<Vec<String>, HostError> {
        let is_far = |live: &&LiveSession| find_session_host(&self.town, &live.name).is_some();
        if !sessions.iter().any(is_far) {
            return self.local.capture_all(sessions);
        }
        let captured = sessions
            .iter()
            .map(|live| self.capture(&live.name, SCREEN_LINES));
        captured.collect()
    }

    fn send(&self, name: &str, text: &str, input: &InputRules) -> Result<SendResult, HostError> {
        self.find(name).send(name, text, input)
    }

    fn press(&self, name: &str, keys: &[Key]) -> Result<(), HostError> {
        self.find(name).press(name, keys)
    }

    fn capture(&self, name: &str, lines: usize) -> Result<String, HostError> {
        self.find(name).capture(name, lines)
    }

    fn capture_styled(&self, name: &str, lines: usize) -> Result<String, HostError> {
        self.find(name).capture_styled(name, lines)
    }

    fn attach_command(&self, name: &str) -> Vec<String> {
        self.find(name).attach_command(name)
    }

    fn switch_client(&self, client: Option<&str>, name: &str) -> Result<(), HostError> {
        self.find(name).switch_client(client, name)
    }

    fn set_status_style(&self, name: &str, style: &str) -> Result<(), HostError> {
        self.find(name).set_status_style(name, style)
    }

    fn kill(&self, name: &str) -> Result<(), HostError> {
        self.find(name).kill(name)
    }
}
