//! The command whose standard input and output are a pipe, such as ssh.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use kit::sys::ChildCommand;
use kit::sys::running::RunningChild;
use kit::ui::escape::escape_line;

use super::pipe::PipeEnds;

/// The number of last lines that the command of a host printed and an error shows.
const SHOWN_LINES: usize = 3;

/// The number of last bytes that are kept of what the command of a host printed.
const KEPT_OUTPUT: usize = 4096;

/// The time that the output of a command that has ended is waited for.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// A running command. It is ended on drop.
pub(in crate::host) struct Transport {
    child: Option<RunningChild>,
    /// The end of what it printed on standard error.
    printed: Arc<Mutex<Vec<u8>>>,
    read: mpsc::Receiver<()>,
}

impl Drop for Transport {
    fn drop(&mut self) {
        self.end();
    }
}

impl Transport {
    /// Starts a command, and returns the ends of its pipe.
    pub(in crate::host) fn start(command: &[String]) -> anyhow::Result<(Self, PipeEnds)> {
        let (program, args) = command.split_first().context("its command is empty")?;
        let (child, streams) = ChildCommand::new(program).args(args).start()?;
        let printed = Arc::new(Mutex::new(Vec::new()));
        let keeper = Arc::clone(&printed);
        let stderr = streams.stderr;
        let (reader_done, read) = mpsc::channel();
        let transport = Self {
            child: Some(child),
            printed,
            read,
        };
        thread::Builder::new().spawn(move || {
            keep_end(stderr, &keeper);
            // No one may wait for it any more.
            reader_done.send(()).ok();
        })?;
        Ok((transport, PipeEnds::Child(streams.stdin, streams.stdout)))
    }

    /// Ends the command, and adds its own words to the reason why the pipe ended. The exit code counts if
    /// no one answered at the other end.
    pub(in crate::host) fn describe_end(mut self, reason: String, is_greeted: bool) -> String {
        // A process that the command left may hold its output open. A command that has failed ends with
        // its output.
        self.read.recv_timeout(OUTPUT_TIMEOUT).ok();
        let exit_code = self.end();
        let lines = join_last_lines(&self.printed.lock().unwrap_or_else(PoisonError::into_inner));
        let failure = exit_code.filter(|_| !is_greeted).and_then(explain_exit);
        let reason = failure.map_or(reason, str::to_owned);
        match lines.as_str() {
            "" => reason,
            lines => format!("{reason} ({})", escape_line(lines)),
        }
    }

    /// Ends the command, and returns its exit code if it had ended before.
    fn end(&mut self) -> Option<i32> {
        let child = self.child.take()?;
        child.ender().kill();
        child.wait().ok()?.code()
    }
}

/// Returns what the exit code of a transport says that ended before a box answered: those of `ssh` and
/// of shells.
fn explain_exit(code: i32) -> Option<&'static str> {
    match code {
        255 => Some("no connection can be made"),
        126 | 127 => Some(
            "its shell finds no program gt: put it on the PATH there, or name it with `gt host add --program`",
        ),
        _ => None,
    }
}

/// Keeps the end of what a transport prints.
fn keep_end(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut part = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut part) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&part[..length]);
        let surplus = kept.len().saturating_sub(KEPT_OUTPUT);
        kept.drain(..surplus);
    }
}

/// Returns the last lines of what a transport printed, in one line.
fn join_last_lines(printed: &[u8]) -> String {
    let text = String::from_utf8_lossy(printed);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_endless_output_is_kept() {
        let kept = Mutex::new(Vec::new());
        let endless = std::io::repeat(b'x').take(1 << 20);
        keep_end(endless.chain(&b"\n\xff\none\ntwo\n\n"[..]), &kept);
        let kept = kept.into_inner().unwrap();
        assert_eq!(kept.len(), KEPT_OUTPUT);
        assert_eq!(join_last_lines(&kept), "\u{fffd} / one / two");
    }
}
