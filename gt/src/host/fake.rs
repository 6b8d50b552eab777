//! A backend without processes, for tests: sessions are entries in memory, and sent input is
//! recorded.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::{
    Host, HostError, InputRules, Key, LiveSession, SendResult, SessionHost, SessionSpec,
    is_session_name,
};

#[derive(Debug, Default)]
pub struct FakeHost(Mutex<FakeState>);

/// The content of the fake host.
#[derive(Debug, Default)]
pub struct FakeState {
    pub live: Vec<LiveSession>,
    pub started: Vec<SessionSpec>,
    /// Every sent text, by session.
    pub sent: Vec<(String, String)>,
    /// Every pressed key, by session.
    pub pressed: Vec<(String, Key)>,
    /// Every killed session.
    pub killed: Vec<String>,
    pub screens: Vec<(String, String)>,
    /// The error message for the next starts, if they should fail.
    pub refuse_start: Option<String>,
    /// The result of sending, if not submitted.
    pub sending: Option<SendResult>,
    /// True to act as a host that is not installed.
    pub missing: bool,
}

impl FakeHost {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the state, to inspect and to change.
    pub fn state(&self) -> MutexGuard<'_, FakeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a session's process.
    pub fn end_process(&self, name: &str) {
        self.state().live.retain(|live| live.name != name);
    }

    fn find_live(&self, name: &str) -> Result<MutexGuard<'_, FakeState>, HostError> {
        let state = self.state();
        if state.live.iter().any(|live| live.name == name) {
            Ok(state)
        } else {
            let name = name.to_owned();
            Err(HostError::NoSession { name })
        }
    }
}

impl Host for FakeHost {
    fn check(&self) -> Result<(), HostError> {
        if self.state().missing {
            return Err(HostError::Missing { program: "fake" });
        }
        Ok(())
    }
}

impl SessionHost for FakeHost {
    fn start(&self, spec: &SessionSpec) -> Result<LiveSession, HostError> {
        self.check()?;
        let name = spec.name.clone();
        if !is_session_name(&name) {
            return Err(HostError::BadName { name });
        }
        let mut state = self.state();
        if state.live.iter().any(|live| live.name == name) {
            return Err(HostError::Exists { name });
        }
        if let Some(words) = &state.refuse_start {
            return Err(HostError::Failed {
                command: "start".to_owned(),
                words: words.clone(),
            });
        }
        state.started.push(spec.clone());
        let number = i32::try_from(state.started.len()).unwrap_or(i32::MAX);
        let live = LiveSession {
            name,
            pid: 1_000_000 + number,
            process: None,
            token: spec.token.clone(),
            created: Timestamp::UNIX_EPOCH,
            host_started: Timestamp::UNIX_EPOCH,
            activity: Timestamp::UNIX_EPOCH,
            dead: None,
            attached: false,
            command: spec.argv.first().map_or("", String::as_str).to_owned(),
            unreachable: None,
            ended_because: None,
        };
        state.live.push(live.clone());
        Ok(live)
    }

    fn list(&self) -> Result<Vec<LiveSession>, HostError> {
        self.check()?;
        Ok(self.state().live.clone())
    }

    fn send(&self, name: &str, text: &str, _: &InputRules) -> Result<SendResult, HostError> {
        let mut state = self.find_live(name)?;
        let sent = state.sending.unwrap_or(SendResult::Submitted);
        if matches!(sent, SendResult::Submitted | SendResult::Typed) {
            state.sent.push((name.to_owned(), text.to_owned()));
        }
        Ok(sent)
    }

    fn press(&self, name: &str, keys: &[Key]) -> Result<(), HostError> {
        let mut state = self.find_live(name)?;
        let pressed = keys.iter().map(|key| (name.to_owned(), *key));
        state.pressed.extend(pressed);
        Ok(())
    }

    fn capture(&self, name: &str, lines: usize) -> Result<String, HostError> {
        let state = self.find_live(name)?;
        let screen = state.screens.iter().rev().find(|(of, _)| of == name);
        let all: Vec<&str> = screen.map_or("", |(_, text)| text).lines().collect();
        Ok(all[all.len().saturating_sub(lines)..].join("\n"))
    }

    fn attach_command(&self, name: &str) -> Vec<String> {
        vec!["fake-attach".to_owned(), name.to_owned()]
    }

    fn kill(&self, name: &str) -> Result<(), HostError> {
        let mut state = self.state();
        state.live.retain(|live| live.name != name);
        state.killed.push(name.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_identifies_one_session() {
        let fake = FakeHost::new();
        let spec = SessionSpec {
            name: "gt-web-nux".to_owned(),
            ..SessionSpec::default()
        };
        fake.start(&spec).unwrap();
        assert!(matches!(fake.start(&spec), Err(HostError::Exists { .. })));
        fake.send("gt-web-nux", "hello", &InputRules::default())
            .unwrap();
        assert_eq!(fake.state().sent[0].1, "hello");
        fake.kill("gt-web-nux").unwrap();
        assert!(fake.find_session("gt-web-nux").unwrap().is_none());
        assert!(
            fake.send("gt-web-nux", "hello", &InputRules::default())
                .is_err()
        );
    }
}
