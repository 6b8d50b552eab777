//! Keeps the answers to calls, for callers whose connection was cut and who ask again: each call is
//! run once.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use kit::gateway::Frame;

/// The number of finished calls that are kept for each session.
const MAX_CALLS: usize = 32;

/// The maximum number of bytes that are kept of one call. Whoever asks again for a longer answer gets
/// its beginning.
const MAX_ANSWER: usize = 1 << 20;

/// The time that a repeated call waits for the end of the first one.
const RUN_TIMEOUT: Duration = Duration::from_secs(900);

/// The messages that were sent to a caller.
#[derive(Debug, Default)]
pub(super) struct RecordedAnswers {
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

/// The last calls of a session.
#[derive(Debug, Default)]
pub(super) struct RepeatedCalls {
    known: Mutex<VecDeque<KnownCall>>,
    changed: Condvar,
}

impl RepeatedCalls {
    /// Begins a call. Returns the answers if it was run already; waits while it runs.
    pub(super) fn begin(&self, id: &str) -> Option<Vec<Frame>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_running = |known: &mut VecDeque<KnownCall>| {
            known
                .iter()
                .any(|call| call.id == id && call.answers.is_none())
        };
        let waited = self
            .changed
            .wait_timeout_while(known, RUN_TIMEOUT, is_running);
        let (mut known, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = known.iter().find(|call| call.id == id) {
            return Some(call.answers.clone().unwrap_or_else(Vec::new));
        }
        known.push_back(KnownCall {
            id: id.to_owned(),
            answers: None,
        });
        None
    }

    /// Ends a call. Without answers it did not run, and can be asked for again.
    pub(super) fn end(&self, id: &str, answers: Option<Vec<Frame>>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|call| call.id != id);
        if answers.is_some() {
            let id = id.to_owned();
            known.push_back(KnownCall { id, answers });
        }
        while known.iter().filter(|call| call.answers.is_some()).count() > MAX_CALLS {
            if let Some(oldest) = known.iter().position(|call| call.answers.is_some()) {
                known.remove(oldest);
            }
        }
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn a_call_that_is_asked_for_again_waits_for_the_answers_of_the_first() {
        let calls = Arc::new(RepeatedCalls::default());
        assert_eq!(calls.begin("a"), None);
        let again = Arc::clone(&calls);
        let waiting = thread::spawn(move || again.begin("a"));
        calls.end("a", Some(vec![Frame::Exit(3)]));
        assert_eq!(waiting.join().unwrap(), Some(vec![Frame::Exit(3)]));
        assert_eq!(calls.begin("a"), Some(vec![Frame::Exit(3)]));
    }

    #[test]
    fn a_call_that_did_not_run_is_run_when_it_is_asked_for_again() {
        let calls = RepeatedCalls::default();
        assert_eq!(calls.begin("a"), None);
        calls.end("a", None);
        assert_eq!(calls.begin("a"), None);
    }

    #[test]
    fn only_the_last_calls_are_kept() {
        let calls = RepeatedCalls::default();
        for number in 0..=MAX_CALLS {
            let id = number.to_string();
            assert_eq!(calls.begin(&id), None);
            calls.end(&id, Some(Vec::new()));
        }
        assert_eq!(calls.begin("0"), None);
        assert_eq!(calls.begin("1"), Some(Vec::new()));
    }
}
