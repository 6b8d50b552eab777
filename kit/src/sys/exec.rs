//! Runs child processes: an argument list, never a shell line; a time limit; capped output. At the
//! time limit the whole process group is killed.
#![expect(
    clippy::disallowed_methods,
    reason = "this module is the owner of child processes"
)]

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::confine::{Confinement, SpawnerThread};

/// The default limit of a child's kept output.
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
    confinement: Option<Confinement>,
}

/// The result of a child process.
#[derive(Debug)]
pub struct ChildOutput {
    pub status: ExitStatus,
    /// The standard output, cut at the cap.
    pub stdout: Vec<u8>,
    /// The standard error, cut at the cap.
    pub stderr: Vec<u8>,
}

impl ChildOutput {
    /// Returns true if the exit code is 0.
    pub fn is_success(&self) -> bool {
        self.status.success()
    }

    /// The exit code; `None` if a signal ended the child.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The standard output as text without trailing white space.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end().to_owned()
    }

    /// The standard error as text without surrounding white space.
    pub fn error_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }
}

/// The reason why a child gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The program does not exist.
    #[error("{program} is not installed or not on PATH")]
    Missing {
        /// The command that was to be run.
        program: String,
    },
    /// The program could not be started, or a pipe to it failed.
    #[error("cannot run {program}")]
    Io {
        /// The command that was to be run.
        program: String,
        #[source]
        source: io::Error,
    },
    /// The child was killed because the caller is stopping.
    #[error("{program} was ended: we are stopping")]
    Stopped { program: String },
    /// The time limit passed, and the whole process group was killed.
    #[error("{program} did not finish within {}s and was ended", limit.as_secs())]
    TimedOut {
        program: String,
        /// The time limit.
        limit: Duration,
        /// The end of the output until then.
        output: String,
    },
}

impl ChildCommand {
    /// Creates a command for `program` with this process's environment, an empty standard input and
    /// a time limit of 60 s.
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
            confinement: None,
        }
    }

    /// Takes program, arguments and working directory from a prepared command.
    pub fn from_command(command: &Command) -> Self {
        let mut exec = Self::new(command.get_program());
        exec.args = command.get_args().map(OsStr::to_owned).collect();
        exec.cwd = command.get_current_dir().map(Path::to_owned);
        exec
    }

    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    #[must_use]
    pub fn cwd(mut self, folder: impl AsRef<Path>) -> Self {
        self.cwd = Some(folder.as_ref().to_owned());
        self
    }

    /// Starts with an empty environment.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.clear = true;
        self
    }

    #[must_use]
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.set
            .push((key.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    #[must_use]
    pub fn env_remove(mut self, key: impl AsRef<OsStr>) -> Self {
        self.unset.push(key.as_ref().to_owned());
        self
    }

    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets the time limit.
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

    /// Kills the child as soon as `flag` is set.
    #[must_use]
    pub fn stop_when(mut self, flag: Arc<AtomicBool>) -> Self {
        self.stop = Some(flag);
        self
    }

    /// Starts the child from a thread that was restricted, so that the child can never reach more.
    #[must_use]
    pub fn confine(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }

    /// Makes this command the argument of another program, which gets its environment, working
    /// directory, input and limits.
    #[must_use]
    pub fn run_by(mut self, program: impl AsRef<OsStr>, args: Vec<OsString>) -> Self {
        let inner = std::mem::replace(&mut self.program, program.as_ref().to_owned());
        let inner_args = std::mem::replace(&mut self.args, args);
        self.args.push(inner);
        self.args.extend(inner_args);
        self
    }

    /// Clears the environment but for the variables that were set and that `is_kept` selects, and
    /// changes their values.
    #[must_use]
    pub fn keep_env(
        mut self,
        is_kept: impl Fn(&str) -> bool,
        change: impl Fn(&str, &OsStr) -> OsString,
    ) -> Self {
        self.clear = true;
        self.unset.clear();
        self.set.retain_mut(|(key, value)| {
            let Some(key) = key.to_str().filter(|key| is_kept(key)) else {
                return false;
            };
            *value = change(key, value);
            true
        });
        self
    }

    /// Returns the value of a variable that was set on the command.
    pub fn find_env(&self, key: &str) -> Option<&OsStr> {
        let found = self.set.iter().rfind(|(known, _)| known == key);
        found.map(|(_, value)| value.as_os_str())
    }

    /// The working directory, if it is not that of this process.
    pub fn working_folder(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// The arguments, without the program.
    pub fn argv(&self) -> &[OsString] {
        &self.args
    }

    pub fn time_limit(&self) -> Duration {
        self.limit
    }

    /// Runs the child to its end in its own process group. Does not wait for processes that left
    /// the group and hold the output open.
    pub fn run(self) -> Result<ChildOutput, ExecError> {
        let name = self.name();
        // The thread must outlive the child.
        let (mut child, spawner) = if self.stop.is_some() {
            // Held until the child is in the set, so that none is missed.
            let mut stoppable = lock_or_recover(&STOPPABLE);
            let started = self.spawn_piped(&name)?;
            stoppable.insert(group_of(&started.0, started.1.as_ref()));
            started
        } else {
            self.spawn_piped(&name)?
        };
        let group = group_of(&child, spawner.as_ref());
        let feeder = child.stdin.take().map(|mut pipe| {
            let input = self.stdin.clone();
            // A child that does not read its input is not an error.
            thread::spawn(move || drop(pipe.write_all(&input)))
        });
        let mut out = OutputReader::begin(child.stdout.take(), self.cap);
        let err = OutputReader::begin(child.stderr.take(), self.cap);
        let end = wait_for_child(
            &mut child,
            group,
            &mut out,
            self.limit,
            self.stop.as_deref(),
        )
        .map_err(|source| ExecError::Io {
            program: name.clone(),
            source,
        })?;
        drop(spawner);
        let stdout = out.end();
        let stderr = err.end();
        // The feeder ends with the pipe. A feeder that is blocked in it is left to end later.
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

    /// Runs the child in the foreground with our own standard streams and no time limit, as for an
    /// editor or a terminal attach.
    pub fn run_attached(self) -> Result<ExitStatus, ExecError> {
        let name = self.name();
        let (mut child, _spawner) = self
            .spawn(self.command())
            .map_err(|source| start_error(&name, source))?;
        child.wait().map_err(|source| start_error(&name, source))
    }

    /// Like [`Self::run_attached`], with the prepared standard input, as for a pager. A child that
    /// stops reading is not an error.
    pub fn run_fed(self) -> Result<ExitStatus, ExecError> {
        let name = self.name();
        let input = self.stdin.clone();
        let mut command = self.command();
        command.stdin(Stdio::piped());
        let (mut child, _spawner) = self
            .spawn(command)
            .map_err(|source| start_error(&name, source))?;
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(&input).ok();
        }
        child.wait().map_err(|source| start_error(&name, source))
    }

    /// Starts the child detached: in its own session, with `log` for both outputs and no other
    /// standard streams.
    pub fn spawn_detached(self, log: &std::fs::File) -> Result<u32, ExecError> {
        let name = self.name();
        let io = |source| ExecError::Io {
            program: name.clone(),
            source,
        };
        if self.confinement.is_some() {
            return Err(io(confined_alone()));
        }
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

    /// Replaces this process. Returns only if that failed.
    pub fn replace_process(self) -> ExecError {
        let name = self.name();
        let source = match self.confinement {
            Some(_) => confined_alone(),
            None => self.command().exec(),
        };
        start_error(&name, source)
    }

    pub(super) fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    pub(super) fn command(&self) -> Command {
        let mut command = match self.find_on_changed_path() {
            Some(path) => Command::new(path),
            None => Command::new(&self.program),
        };
        command.arg0(&self.program);
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

    /// Returns the path of a program given by its name if the child gets a `PATH` of its own. For a
    /// name, the standard library would copy the page tables of this process (`fork`) to search
    /// that `PATH`, which takes long for a large process. `None` leaves the search to it.
    fn find_on_changed_path(&self) -> Option<PathBuf> {
        if self.program.as_encoded_bytes().contains(&b'/') {
            return None;
        }
        let (_, path) = self.set.iter().rev().find(|(key, _)| key == "PATH")?;
        for folder in std::env::split_paths(path) {
            // The child searches a relative folder in its own working folder.
            if !folder.is_absolute() {
                return None;
            }
            let program = folder.join(&self.program);
            let is_program = program
                .metadata()
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
            if is_program {
                return Some(program);
            }
        }
        None
    }

    /// Starts the child. The thread is that of a confined child.
    fn spawn(&self, mut command: Command) -> io::Result<(Child, Option<SpawnerThread>)> {
        match &self.confinement {
            None => Ok((command.spawn()?, None)),
            Some(confinement) => {
                let (child, thread) = confinement.spawn(command)?;
                Ok((child, Some(thread)))
            }
        }
    }

    fn spawn_piped(&self, name: &str) -> Result<(Child, Option<SpawnerThread>), ExecError> {
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
        self.spawn(command)
            .map_err(|source| start_error(name, source))
    }
}

/// A confined child lives as long as the thread that started it.
fn confined_alone() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "a confined program cannot outlive the one that started it",
    )
}

pub(super) fn start_error(program: &str, source: io::Error) -> ExecError {
    let program = program.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        ExecError::Missing { program }
    } else {
        ExecError::Io { program, source }
    }
}

/// Returns the process group of a child.
fn group_of(child: &Child, spawner: Option<&SpawnerThread>) -> u32 {
    spawner
        .and_then(SpawnerThread::group)
        .unwrap_or_else(|| child.id())
}

/// The process groups of running children with [`ChildCommand::stop_when`].
static STOPPABLE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Keeps further children with a stop flag from being started.
pub struct StoppedChildren(
    #[expect(dead_code, reason = "held")] MutexGuard<'static, BTreeSet<u32>>,
);

/// Kills the process groups of all running children with a stop flag, for a process that a signal
/// ends now.
#[must_use]
pub fn kill_stoppable_children() -> StoppedChildren {
    use rustix::process::{Pid, Signal, kill_process_group};
    let children = lock_or_recover(&STOPPABLE);
    for group in children
        .iter()
        .filter_map(|id| i32::try_from(*id).ok())
        .filter_map(Pid::from_raw)
    {
        // A group that is empty has ended already.
        kill_process_group(group, Signal::KILL).ok();
    }
    StoppedChildren(children)
}

/// The end of a child's run.
enum ChildEnd {
    Exited(ExitStatus),
    TimedOut,
    Stopped,
}

/// Waits for the child's end, then kills the remaining processes of its group. The child is reaped
/// only after that, so its group number cannot be reused before.
fn wait_for_child(
    child: &mut Child,
    group: u32,
    out: &mut OutputReader,
    limit: Duration,
    stop: Option<&AtomicBool>,
) -> io::Result<ChildEnd> {
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    let started = Instant::now();
    let mut step = Duration::from_micros(200);
    let to_pid = |number: u32| {
        i32::try_from(number)
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("the system gave a child no number"))
    };
    let pid = to_pid(child.id())?;
    let process_group = to_pid(group)?;
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
            // The child usually ends now, so the next check comes early.
            step = Duration::from_micros(20);
        }
        step = (step * 2).min(Duration::from_millis(10));
    };
    // If the group is empty, there is nothing to signal.
    kill_process_group(process_group, Signal::KILL).ok();
    lock_or_recover(&STOPPABLE).remove(&group);
    let status = child.wait()?;
    Ok(cut_short.unwrap_or(ChildEnd::Exited(status)))
}

/// Reads a stream to its end in a thread and keeps the first bytes, so that a child with much
/// output never blocks.
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
            // The caller may no longer be waiting.
            tell.send(()).ok();
        });
        Self {
            kept,
            ended,
            has_ended: false,
        }
    }

    /// Waits for the end of the stream for at most `limit`. Returns true if it has ended.
    fn has_ended_within(&mut self, limit: Duration) -> bool {
        let timeout = Err(mpsc::RecvTimeoutError::Timeout);
        self.has_ended = self.has_ended || self.ended.recv_timeout(limit) != timeout;
        self.has_ended
    }

    /// Returns the kept bytes. Waits a moment, because a process that left the group may hold the
    /// stream open.
    fn end(mut self) -> Vec<u8> {
        self.has_ended_within(Duration::from_secs(1));
        std::mem::take(&mut *lock_or_recover(&self.kept))
    }
}

/// Locks a mutex even if it is poisoned: that means a panic between two plain writes, so the bytes
/// are still consistent.
fn lock_or_recover<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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

/// Returns the last part of a child's output, standard error last.
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
    fn a_missing_program_is_reported_by_name() {
        let error = ChildCommand::new("no-such-program-here").run().unwrap_err();
        assert!(
            matches!(error, ExecError::Missing { program } if program == "no-such-program-here")
        );
    }

    #[test]
    fn a_child_over_its_time_limit_is_killed_with_its_group() {
        let run = ChildCommand::new("sh").args(["-c", "echo begun; sleep 600 & wait"]);
        let error = run.limit(Duration::from_millis(100)).run().unwrap_err();
        assert!(matches!(error, ExecError::TimedOut { output, .. } if output == "begun"));
    }

    #[test]
    fn a_run_does_not_wait_for_a_grandchild_that_left_the_group() {
        // The child prints its process id, so that the test can check and end it after the run.
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
    fn a_name_is_resolved_in_the_path_of_the_child() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        std::fs::write(&text, "no program").unwrap();
        let path = format!("{}:/usr/bin:/bin", folder.path().display());
        let command = |name: &str| {
            let child = ChildCommand::new(name).env_clear().env("PATH", &path);
            child.command().get_program().to_owned()
        };
        assert!(Path::new(&command("sh")).is_absolute());
        assert_eq!(command("text"), "text");
        assert_eq!(command("./text"), "./text");
        let shown = ChildCommand::new("sh")
            .args(["-c", "echo $0"])
            .env("PATH", &path)
            .run();
        assert_eq!(shown.unwrap().text(), "sh");
    }

    #[test]
    fn a_stop_flag_ends_a_run() {
        let flag = Arc::new(AtomicBool::new(true));
        let error = ChildCommand::new("sleep")
            .arg("30")
            .stop_when(flag)
            .run()
            .unwrap_err();
        assert!(matches!(error, ExecError::Stopped { program } if program == "sleep"));
    }

    #[test]
    fn output_over_the_cap_is_truncated_and_does_not_block() {
        let done = ChildCommand::new("head")
            .args(["-c", "300000", "/dev/zero"])
            .cap(10)
            .run()
            .unwrap();
        assert_eq!(done.stdout.len(), 10);
    }
}
