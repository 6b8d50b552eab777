//! Keeps the answers to calls, for callers whose connection was cut and who ask again: each call is
//! run once.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use kit::gateway::Frame;
use kit::sys::file;

/// The number of finished calls that are kept for each session.
const MAX_CALLS: usize = 32;

/// The number of calls that are known to have begun, for each session.
const MAX_BEGUN: usize = 500;

/// The maximum number of bytes that are kept of one call. A caller that repeats a call with a longer
/// answer gets the beginning.
const MAX_ANSWER: usize = 1 << 20;

/// The time that a repeated call waits for the end of the first one.
const RUN_TIMEOUT: Duration = Duration::from_secs(900);

/// The messages that were sent to a caller.
#[derive(Debug, Default)]
pub(super) struct RecordedAnswers {
    /// True if the command was started.
    pub(super) has_started: bool,
    frames: Vec<Frame>,
    size: usize,
}

impl RecordedAnswers {
    /// Takes note of a message. Those that ask the caller for something are not repeated.
    pub(super) fn push(&mut self, frame: Frame) {
        let length = match &frame {
            Frame::Output(content) | Frame::Errors(content) | Frame::Written { content, .. } => {
                content.len()
            }
            Frame::Exit(_) => 0,
            _ => return,
        };
        if self.size + length <= MAX_ANSWER {
            self.size += length;
            self.frames.push(frame);
        }
    }

    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }
}

#[derive(Debug)]
struct KnownCall {
    id: String,
    /// The answers. `None` while the call runs.
    answers: Option<Vec<Frame>>,
}

/// The beginning of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallBegin {
    New,
    /// The call was run already, with these answers.
    Known(Vec<Frame>),
    /// The call was begun by a process that ended since.
    Lost,
}

/// The last calls of a session.
#[derive(Debug)]
pub(super) struct RepeatedCalls {
    known: Mutex<VecDeque<KnownCall>>,
    changed: Condvar,
    /// The file with a line for each call that was begun.
    begun: PathBuf,
}

impl RepeatedCalls {
    pub(super) fn open(begun: &Path) -> io::Result<Self> {
        if let Some(folder) = begun.parent() {
            file::create_folder(folder, 0o700)?;
        }
        Ok(Self {
            known: Mutex::default(),
            changed: Condvar::new(),
            begun: begun.to_owned(),
        })
    }

    /// Begins a call; waits while it runs. A call that is resumable can be run again if its answers
    /// were lost.
    pub(super) fn begin(&self, id: &str, is_resumable: bool) -> io::Result<CallBegin> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_running = |known: &mut VecDeque<KnownCall>| {
            let mut known = known.iter();
            known.any(|call| call.id == id && call.answers.is_none())
        };
        let waited = self
            .changed
            .wait_timeout_while(known, RUN_TIMEOUT, is_running);
        let (mut known, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = known.iter().find(|call| call.id == id) {
            return Ok(match &call.answers {
                Some(answers) => CallBegin::Known(answers.clone()),
                None => CallBegin::Lost,
            });
        }
        let begun = file::read_file_if_exists(&self.begun)?;
        let text = begun.map_or_else(String::new, |bytes| {
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let ids: Vec<&str> = text.lines().collect();
        if ids.contains(&id) && !is_resumable {
            return Ok(CallBegin::Lost);
        }
        let kept = ids[ids.len().saturating_sub(MAX_BEGUN)..].join("\n");
        let text = format!("{kept}\n{id}\n");
        file::replace_file_relaxed(&self.begun, text.trim_start().as_bytes(), 0o600)?;
        known.push_back(KnownCall {
            id: id.to_owned(),
            answers: None,
        });
        Ok(CallBegin::New)
    }

    /// Ends a call. Without answers it did not run, and can be asked for again.
    pub(super) fn end(&self, id: &str, answers: Option<Vec<Frame>>) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|call| call.id != id);
        let has_run = answers.is_some();
        if has_run {
            let id = id.to_owned();
            known.push_back(KnownCall { id, answers });
        }
        while known.iter().filter(|call| call.answers.is_some()).count() > MAX_CALLS {
            if let Some(oldest) = known.iter().position(|call| call.answers.is_some()) {
                known.remove(oldest);
            }
        }
        self.changed.notify_all();
        if has_run {
            return Ok(());
        }
        let begun = file::read_file_if_exists(&self.begun)?;
        let text = begun.map_or_else(String::new, |bytes| {
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let left: String = text
            .lines()
            .filter(|line| *line != id)
            .flat_map(|line| [line, "\n"])
            .collect();
        file::replace_file_relaxed(&self.begun, left.as_bytes(), 0o600)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    fn open(folder: &tempfile::TempDir) -> RepeatedCalls {
        RepeatedCalls::open(&folder.path().join("calls/begun")).unwrap()
    }

    #[test]
    fn a_call_that_is_asked_for_again_waits_for_the_answers_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let calls = Arc::new(open(&folder));
        assert_eq!(calls.begin("a", false).unwrap(), CallBegin::New);
        let again = Arc::clone(&calls);
        let waiting = thread::spawn(move || again.begin("a", false).unwrap());
        calls.end("a", Some(vec![Frame::Exit(3)])).unwrap();
        let known = CallBegin::Known(vec![Frame::Exit(3)]);
        assert_eq!(waiting.join().unwrap(), known);
        assert_eq!(calls.begin("a", false).unwrap(), known);
    }

    #[test]
    fn a_call_that_did_not_run_is_run_when_it_is_asked_for_again() {
        let folder = tempfile::tempdir().unwrap();
        let calls = open(&folder);
        assert_eq!(calls.begin("a", false).unwrap(), CallBegin::New);
        calls.end("a", None).unwrap();
        assert_eq!(open(&folder).begin("a", false).unwrap(), CallBegin::New);
    }

    #[test]
    fn a_call_whose_answers_were_lost_is_not_run_again_unless_it_can_be_resumed() {
        let folder = tempfile::tempdir().unwrap();
        for id in ["a", "b"] {
            assert_eq!(open(&folder).begin(id, false).unwrap(), CallBegin::New);
        }
        let next = open(&folder);
        assert_eq!(next.begin("a", false).unwrap(), CallBegin::Lost);
        assert_eq!(next.begin("b", true).unwrap(), CallBegin::New);
    }

    #[test]
    fn only_the_last_calls_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let calls = open(&folder);
        for number in 0..=MAX_CALLS {
            let id = number.to_string();
            assert_eq!(calls.begin(&id, false).unwrap(), CallBegin::New);
            calls.end(&id, Some(Vec::new())).unwrap();
        }
        assert_eq!(calls.begin("0", false).unwrap(), CallBegin::Lost);
        assert_eq!(
            calls.begin("1", false).unwrap(),
            CallBegin::Known(Vec::new())
        );
    }
}
