//! A running child whose standard streams its owner reads and writes.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::exec::{ChildCommand, ExecError, start_error};

/// A child in a process group of its own.
#[derive(Debug)]
pub struct RunningChild {
    child: Child,
    ender: ChildEnder,
}

/// Ends a child from another thread.
#[derive(Debug, Clone)]
pub struct ChildEnder(Arc<Mutex<Option<Pid>>>);

/// The standard streams of a child.
#[derive(Debug)]
pub struct ChildStreams {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

impl ChildCommand {
    /// Starts the child with open standard streams and no time limit.
    pub fn start(self) -> Result<(RunningChild, ChildStreams), ExecError> {
        let name = self.name();
        let mut command = self.command();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command
            .spawn()
            .map_err(|source| start_error(&name, source))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            let source = io::Error::other("a child has no standard streams");
            return Err(start_error(&name, source));
        };
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let ender = ChildEnder(Arc::new(Mutex::new(group)));
        let streams = ChildStreams {
            stdin,
            stdout,
            stderr,
        };
        Ok((RunningChild { child, ender }, streams))
    }
}

impl RunningChild {
    pub fn ender(&self) -> ChildEnder {
        self.ender.clone()
    }

    /// Waits for the child's end, then kills what is left of its process group.
    pub fn wait(mut self) -> io::Result<ExitStatus> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the system gave a child no number"))?;
        // The child is reaped only after its group was killed, so that the number of the group is
        // not used again before.
        while let Err(error) = waitid(
            WaitId::Pid(pid),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        ) {
            if error != rustix::io::Errno::INTR {
                return Err(error.into());
            }
        }
        self.ender.kill_once();
        self.child.wait()
    }
}

impl ChildEnder {
    /// Kills the process group of the child, unless the child has ended.
    pub fn kill(&self) {
        let group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = *group {
            // A group that is empty has ended already.
            kill_process_group(group, Signal::KILL).ok();
        }
    }

    fn kill_once(&self) {
        let mut group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = group.take() {
            // A group that is empty has ended already.
            kill_process_group(group, Signal::KILL).ok();
        }
    }
}

/// Creates a named pipe that only its owner can use.
pub fn create_pipe(path: &Path) -> io::Result<()> {
    Ok(rustix::fs::mkfifoat(rustix::fs::CWD, path, 0o600.into())?)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn streams_and_exit_code_reach_the_owner() {
        let command = ChildCommand::new("sh").args(["-c", "cat; echo no >&2; exit 3"]);
        let (child, mut streams) = command.start().unwrap();
        streams.stdin.write_all(b"text").unwrap();
        drop(streams.stdin);
        let mut text = String::new();
        streams.stdout.read_to_string(&mut text).unwrap();
        streams.stderr.read_to_string(&mut text).unwrap();
        assert_eq!(text, "textno\n");
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }

    #[test]
    fn a_child_is_ended_with_its_group() {
        let command = ChildCommand::new("sh").args(["-c", "sleep 1000 & wait"]);
        let (child, mut streams) = command.start().unwrap();
        let ender = child.ender();
        let waiting = std::thread::spawn(move || child.wait());
        ender.kill();
        assert_eq!(waiting.join().unwrap().unwrap().code(), None);
        // The group held the stream open.
        let mut text = String::new();
        streams.stdout.read_to_string(&mut text).unwrap();
        ender.kill();
    }
}
