//! Owns child processes: an argument list, never a shell line; a time limit; capped output; the whole
//! process group ended when the time is over.
#![expect(
    clippy::disallowed_methods,
    reason = "this module is the owner of child processes"
)]

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How much output of a child is kept when the caller does not say.
const OUTPUT_CAP: usize = 8 * 1024 * 1024;

/// A child process to be run.
#[derive(Debug)]
pub struct ChildCommand {
    program: OsString,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    clear: bool,
    set: Vec<(OsString, OsString)>,
    unset: Vec<OsString>,
    stdin: Vec<u8>,
    limit: Duration,
    cap: usize,
    stop: Option<Arc<AtomicBool>>,
}

/// What a child left behind.
#[derive(Debug)]
pub struct ChildOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output, cut at the cap.
    pub stdout: Vec<u8>,
    /// Its standard error, cut at the cap.
    pub stderr: Vec<u8>,
}

impl ChildOutput {
    /// Whether it exited with 0.
    pub fn is_success(&self) -> bool {
        self.status.success()
    }

    /// Its exit code; a child ended by a signal has none.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Its standard output as text without trailing white space.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end().to_owned()
    }

    /// Its standard error as text without surrounding white space.
    pub fn error_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }
}

/// Why a child gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The program is not there.
    #[error("{program} is not installed or not on PATH")]
    Missing {
        /// What was to be run.
        program: String,
    },
    /// The program could not be started or talked to.
    #[error("cannot run {program}")]
    Io {
        /// What was to be run.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It was ended because whoever wanted it stops.
    #[error("{program} was ended: we are stopping")]
    Stopped {
        /// What was run.
        program: String,
    },
    /// The time limit was over; the whole process group was ended.
    #[error("{program} did not finish within {}s and was ended", limit.as_secs())]
    TimedOut {
        /// What was run.
        program: String,
        /// How long it could have taken.
        limit: Duration,
        /// The end of what it printed until then.
        output: String,
    },
}

impl ChildCommand {
    /// A run of `program` with this process's environment, an empty standard input and 60 s time.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            cwd: None,
            clear: false,
            set: Vec::new(),
            unset: Vec::new(),
            stdin: Vec::new(),
            limit: Duration::from_secs(60),
            cap: OUTPUT_CAP,
            stop: None,
        }
    }

    /// Takes program, arguments and working directory from a prepared command.
    pub fn from_command(command: &Command) -> Self {
        let mut exec = Self::new(command.get_program());
        exec.args = command.get_args().map(OsStr::to_owned).collect();
        exec.cwd = command.get_current_dir().map(Path::to_owned);
        exec
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Runs it in `folder`.
    #[must_use]
    pub fn cwd(mut self, folder: impl AsRef<Path>) -> Self {
        self.cwd = Some(folder.as_ref().to_owned());
        self
    }

    /// Starts from an empty environment.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.clear = true;
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.set
            .push((key.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn env_remove(mut self, key: impl AsRef<OsStr>) -> Self {
        self.unset.push(key.as_ref().to_owned());
        self
    }

    /// Gives it this standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Ends it after `limit`.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Keeps at most `bytes` of each output stream.
    #[must_use]
    pub fn cap(mut self, bytes: usize) -> Self {
        self.cap = bytes;
        self
    }

    /// Ends it as soon as `flag` is set.
    #[must_use]
    pub fn stop_when(mut self, flag: Arc<AtomicBool>) -> Self {
        self.stop = Some(flag);
        self
    }

    /// Runs it to its end in a process group of its own. What has left the group and holds the output
    /// open is not waited for.
    pub fn run(self) -> Result<ChildOutput, ExecError> {
        let name = self.name();
        let mut child = self.spawn_piped(&name)?;
        let feeder = child.stdin.take().map(|mut pipe| {
            let input = self.stdin.clone();
            // A child that does not read its input is not an error.
            thread::spawn(move || drop(pipe.write_all(&input)))
        });
        let mut out = OutputReader::begin(child.stdout.take(), self.cap);
        let err = OutputReader::begin(child.stderr.take(), self.cap);
        let end = wait_for_child(&mut child, &mut out, self.limit, self.stop.as_deref()).map_err(
            |source| ExecError::Io {
                program: name.clone(),
                source,
            },
        )?;
        let (stdout, stderr) = (out.end(), err.end());
        // The feeder ends with the pipe; one that is stuck in it is left to end by itself.
        drop(feeder);
        match end {
            ChildEnd::Exited(status) => Ok(ChildOutput {
                status,
                stdout,
                stderr,
            }),
            ChildEnd::TimedOut => Err(ExecError::TimedOut {
                program: name,
                limit: self.limit,
                output: output_tail(&stdout, &stderr),
            }),
            ChildEnd::Stopped => Err(ExecError::Stopped { program: name }),
        }
    }

    /// Runs it in the foreground with our own standard streams and no time limit, as for an editor or a
    /// terminal attach.
    pub fn run_attached(self) -> Result<ExitStatus, ExecError> {
        let name = self.name();
        self.command()
            .status()
            .map_err(|source| start_error(&name, source))
    }

    /// The same with its standard input from us, as for a pager. One that stops reading is no error.
    pub fn run_fed(self) -> Result<ExitStatus, ExecError> {
        let name = self.name();
        let input = self.stdin.clone();
        let mut command = self.command();
        let mut child = command
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|source| start_error(&name, source))?;
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(&input).ok();
        }
        child.wait().map_err(|source| start_error(&name, source))
    }

    /// Starts it detached: a session of its own, no standard streams but `log` for both outputs.
    pub fn spawn_detached(self, log: &std::fs::File) -> Result<u32, ExecError> {
        let name = self.name();
        let io = |source| ExecError::Io {
            program: name.clone(),
            source,
        };
        let mut command = self.command();
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(io)?)
            .stderr(log.try_clone().map_err(io)?)
            .process_group(0);
        let child = command
            .spawn()
            .map_err(|source| start_error(&name, source))?;
        Ok(child.id())
    }

    /// Replaces this process. Returns only when that failed.
    pub fn replace_process(self) -> ExecError {
        let name = self.name();
        let source = self.command().exec();
        start_error(&name, source)
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        if self.clear {
            command.env_clear();
        }
        for key in &self.unset {
            command.env_remove(key);
        }
        command.envs(self.set.iter().map(|(key, value)| (key, value)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command
    }

    fn spawn_piped(&self, name: &str) -> Result<Child, ExecError> {
        let mut command = self.command();
        command
            .stdin(if self.stdin.is_empty() {
                Stdio::null()
            } else {
                Stdio::piped()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command.spawn().map_err(|source| start_error(name, source))
    }
}

fn start_error(program: &str, source: io::Error) -> ExecError {
    let program = program.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        ExecError::Missing { program }
    } else {
        ExecError::Io { program, source }
    }
}

/// How a child's run came to its end.
enum ChildEnd {
    Exited(ExitStatus),
    TimedOut,
    Stopped,
}

/// Waits for the child's end, then ends what is left of its process group. The child is only reaped after
/// that, so its group number cannot have gone to anyone else.
fn wait_for_child(
    child: &mut Child,
    out: &mut OutputReader,
    limit: Duration,
    stop: Option<&AtomicBool>,
) -> io::Result<ChildEnd> {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    let started = Instant::now();
    let mut step = Duration::from_micros(200);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("the system gave a child no number"))?;
    let cut_short = loop {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        if waitid(WaitId::Pid(pid), look)?.is_some() {
            break None;
        }
        if stop.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            break Some(ChildEnd::Stopped);
        }
        if started.elapsed() >= limit {
            break Some(ChildEnd::TimedOut);
        }
        if out.has_ended {
            super::clock::pause_thread(step);
        } else if out.has_ended_within(step) {
            // It ends now, as a rule: nobody should wait for the rest of a long step.
            step = Duration::from_micros(20);
        }
        step = (step * 2).min(Duration::from_millis(10));
    };
    // Nothing may be left in the group; then there is no one to signal.
    kill_process_group(pid, Signal::KILL).ok();
    let status = child.wait()?;
    Ok(cut_short.unwrap_or(ChildEnd::Exited(status)))
}

/// Keeps the first bytes of a stream while it is read to its end in a thread, so that a flooding child
/// never blocks.
struct OutputReader {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: mpsc::Receiver<()>,
    has_ended: bool,
}

impl OutputReader {
    fn begin(stream: Option<impl Read + Send + 'static>, cap: usize) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (tell, ended) = mpsc::channel();
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            read_capped(stream, cap, &shared);
            // Whoever asked may have gone on without us.
            tell.send(()).ok();
        });
        Self {
            kept,
            ended,
            has_ended: false,
        }
    }

    /// Waits for the end of the stream, so long at most. Whether it has ended.
    fn has_ended_within(&mut self, limit: Duration) -> bool {
        let timeout = Err(mpsc::RecvTimeoutError::Timeout);
        self.has_ended = self.has_ended || self.ended.recv_timeout(limit) != timeout;
        self.has_ended
    }

    /// What was read. A process that left the group may hold the stream open: it is given a moment.
    fn end(mut self) -> Vec<u8> {
        self.has_ended_within(Duration::from_secs(1));
        std::mem::take(&mut *lock_or_recover(&self.kept))
    }
}

/// A poisoned lock means a panic between two plain writes; the bytes are still sound.
fn lock_or_recover<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn read_capped(stream: Option<impl Read>, cap: usize, kept: &Mutex<Vec<u8>>) {
    let Some(mut stream) = stream else { return };
    let mut chunk = [0; 16 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        let mut kept = lock_or_recover(kept);
        let room = cap.saturating_sub(kept.len()).min(count);
        kept.extend_from_slice(&chunk[..room]);
    }
}

/// The last part of what a child printed, standard error last.
fn output_tail(stdout: &[u8], stderr: &[u8]) -> String {
    let all = [stdout, stderr].concat();
    let start = all.len().saturating_sub(4000);
    String::from_utf8_lossy(&all[start..]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_returns_output_and_status() {
        let done = ChildCommand::new("sh")
            .args(["-c", "cat; exit 3"])
            .stdin("hello")
            .run()
            .unwrap();
        assert_eq!((done.text().as_str(), done.code()), ("hello", Some(3)));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = ChildCommand::new("no-such-program-here").run().unwrap_err();
        assert!(
            matches!(error, ExecError::Missing { program } if program == "no-such-program-here")
        );
    }

    #[test]
    fn a_child_over_its_limit_is_ended_with_its_group() {
        let run = ChildCommand::new("sh").args(["-c", "echo begun; sleep 600 & wait"]);
        let error = run.limit(Duration::from_millis(100)).run().unwrap_err();
        assert!(matches!(error, ExecError::TimedOut { output, .. } if output == "begun"));
    }

    #[test]
    fn a_grandchild_that_left_the_group_is_not_waited_for() {
        // It tells its number, so that it can be seen to be alive after the run, and ended.
        let script = "setsid sh -c 'echo $$; exec sleep 60' & sleep 0.2";
        let done = ChildCommand::new("sh").args(["-c", script]).run().unwrap();
        let pid = done.text();
        let kill = ChildCommand::new("kill").args(["-9", &pid]).run().unwrap();
        assert!(
            kill.is_success(),
            "process {pid} had ended before: {}",
            kill.error_text()
        );
    }

    #[test]
    fn a_flag_ends_a_run() {
        let flag = Arc::new(AtomicBool::new(true));
        let error = ChildCommand::new("sleep")
            .arg("30")
            .stop_when(flag)
            .run()
            .unwrap_err();
        assert!(matches!(error, ExecError::Stopped { program } if program == "sleep"));
    }

    #[test]
    fn output_over_the_cap_is_cut_and_does_not_block() {
        let done = ChildCommand::new("head")
            .args(["-c", "300000", "/dev/zero"])
            .cap(10)
            .run()
            .unwrap();
        assert_eq!(done.stdout.len(), 10);
    }
}
