//! Runs the command line of one call.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Component, Path, PathBuf};
use std::process::{ChildStdin, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use kit::gateway::{
    COMMANDS, CONTROL, Call, FILES, FORWARDED_ARGUMENT, Frame, FrameError, MAX_CONTENT, REFUSED,
    WANTS_INPUT, is_display_variable,
};
use kit::sys::running::{ChildEnder, create_pipe};
use kit::sys::{ChildCommand, file};

use super::repeated::{CallBegin, RecordedAnswers, RepeatedCalls};
use super::sent_names::SentNames;
use super::{CallPlaces, GatewaySession, count_call, remove_folder};
use crate::host::connection::Connection;
use crate::host::far::{PathTranslation, Replacement};

/// The time within which a caller sends its call, and then the files of it.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);
const FILES_TIMEOUT: Duration = Duration::from_secs(30);

/// The time that output is waited for after the end of a command. A process that the command left
/// behind may hold it open.
const OUTPUT_END: Duration = Duration::from_secs(1);

/// The limit of files that a call names.
const MOST_FILES: usize = 16;

/// The line that ends the reader of the pipe to the gateway. No command writes it.
const END: &str = "end";

/// Why a call was not run.
#[derive(Debug, thiserror::Error)]
enum CallFailure {
    #[error("this session's jail was made by another version: it works again after a restart")]
    Version,
    #[error("the call has a false secret")]
    Token,
    #[error("another session of this agent has begun: this one can do nothing more")]
    Replaced,
    #[error(
        "the call was begun before the connection was cut, and its result is not known: look whether it \
         was done before you repeat it"
    )]
    UnknownResult,
    #[error("`{0}` is no program of the town")]
    Program(String),
    #[error("a call can name at most {MOST_FILES} files")]
    TooManyFiles,
    #[error("the files of a call can have at most {MAX_CONTENT} bytes")]
    FilesTooLarge,
    /// The call contradicts itself.
    #[error("the call is not understood")]
    Malformed,
    #[error("cannot run the command outside of the jail")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Exec(#[from] kit::sys::ExecError),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("{0:#}")]
    Unprepared(anyhow::Error),
}

pub(super) struct CallServer {
    session: GatewaySession,
    token: String,
    /// The calls whose callers may ask again.
    repeated: Option<RepeatedCalls>,
}

/// The connection, written by several threads.
#[derive(Clone)]
struct Answers {
    stream: Arc<Mutex<Connection>>,
    /// The sent messages, for a caller that asks again.
    recorded: Option<Arc<Mutex<RecordedAnswers>>>,
}

fn send(answers: &Answers, frame: &Frame) -> Result<(), FrameError> {
    let mut stream = answers
        .stream
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let Some(recorded) = &answers.recorded else {
        return frame.write(&mut *stream);
    };
    let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
    recorded.push(frame.clone());
    // A caller whose connection was cut asks again.
    frame.write(&mut *stream).ok();
    Ok(())
}

impl Answers {
    fn note_started(&self) {
        if let Some(recorded) = &self.recorded {
            let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            recorded.has_started = true;
        }
    }

    /// Returns true if the command of the call was started.
    fn has_started(&self) -> bool {
        let recorded = self.recorded.as_ref();
        recorded.is_some_and(|recorded| {
            let recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            recorded.has_started
        })
    }

    /// Returns what was sent.
    fn recorded(&self) -> Vec<Frame> {
        let Some(recorded) = &self.recorded else {
            return Vec::new();
        };
        let recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.frames().to_vec()
    }
}

/// The folder of a call, removed at its end.
struct CallFolder(PathBuf);

impl Drop for CallFolder {
    fn drop(&mut self) {
        // A folder that stays is removed when the next session begins.
        remove_folder(&self.0).ok();
    }
}

/// A file of a call.
struct SentFile {
    path: PathBuf,
    content: Option<Vec<u8>>,
}

impl CallServer {
    pub(super) fn new(session: GatewaySession, token: String) -> Self {
        Self {
            session,
            token,
            repeated: None,
        }
    }

    /// Returns a server for callers whose connections are cut, and who ask again. `calls` is the file
    /// with the calls that were run.
    pub(super) fn repeating(
        session: GatewaySession,
        token: String,
        calls: &Path,
    ) -> io::Result<Self> {
        Ok(Self {
            repeated: Some(RepeatedCalls::open(calls)?),
            ..Self::new(session, token)
        })
    }

    /// Answers a call. A caller that breaks off or lies hurts only its own call.
    pub(super) fn serve(&self, connection: Connection, places: &CallPlaces) {
        let Ok(writer) = connection.try_clone() else {
            return;
        };
        let answers = Answers {
            stream: Arc::new(Mutex::new(writer)),
            recorded: None,
        };
        if let Err(failure) = self.answer(connection, &answers, places) {
            let reason = format!("{:#}", anyhow::Error::from(failure));
            // The caller may be gone.
            send(&answers, &Frame::Failed(reason)).ok();
        }
        answers
            .stream
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .close();
    }

    fn answer(
        &self,
        mut connection: Connection,
        answers: &Answers,
        places: &CallPlaces,
    ) -> Result<(), CallFailure> {
        connection.limit_reads(Some(CALL_TIMEOUT))?;
        let Frame::Call(call) = Frame::read(&mut connection)? else {
            return Err(CallFailure::Malformed);
        };
        self.check(&call)?;
        if (self.session.runs_in_jail)(&call.program, &call.path) {
            return Ok(send(answers, &Frame::RunHere)?);
        }
        let _place = places.take();
        let Some(repeated) = self.repeated.as_ref().filter(|_| !call.id.is_empty()) else {
            return self.run_whole(connection, answers, &call);
        };
        // A `gt done` goes on where it was.
        let is_resumable =
            call.program == "gt" && call.path.first().is_some_and(|word| word == "done");
        match repeated.begin(&call.id, is_resumable)? {
            CallBegin::New => {}
            CallBegin::Lost => return Err(CallFailure::UnknownResult),
            CallBegin::Known(frames) => {
                for frame in &frames {
                    send(answers, frame)?;
                }
                return Ok(());
            }
        }
        let recording = Answers {
            recorded: Some(Arc::default()),
            ..answers.clone()
        };
        let result = self.run_whole(connection, &recording, &call);
        let answers = match &result {
            Err(failure) if recording.has_started() => {
                let mut frames = recording.recorded();
                frames.push(Frame::Failed(failure.to_string()));
                Some(frames)
            }
            Err(_) => None,
            Ok(()) => Some(recording.recorded()),
        };
        repeated.end(&call.id, answers)?;
        result
    }

    /// Receives the files of a call, runs it, and sends its result.
    fn run_whole(
        &self,
        mut connection: Connection,
        answers: &Answers,
        call: &Call,
    ) -> Result<(), CallFailure> {
        let folder = CallFolder(self.session.calls.join(count_call().to_string()));
        file::create_folder(&folder.0, 0o700)?;
        if !call.files.is_empty() {
            send(answers, &Frame::WantFiles)?;
        }
        let (args, files) = receive_files(&mut connection, call, &folder.0)?;
        connection.limit_reads(None)?;
        (self.session.prepare_call)(call).map_err(CallFailure::Unprepared)?;
        let args = match &self.session.paths {
            Some(paths) => args.iter().map(|arg| paths.to_town(arg)).collect(),
            None => args,
        };
        let status = self.run(connection, answers, call, &args, &folder.0)?;
        for (index, sent) in files.iter().enumerate() {
            send_back(answers, index, sent)?;
        }
        send(answers, &Frame::Exit(exit_code(status)))?;
        Ok(())
    }

    fn check(&self, call: &Call) -> Result<(), CallFailure> {
        if call.version != kit::gateway::VERSION {
            return Err(CallFailure::Version);
        }
        if call.token != self.token {
            let is_far = self.repeated.is_some();
            return Err(if is_far {
                CallFailure::Replaced
            } else {
                CallFailure::Token
            });
        }
        if !matches!(call.program.as_str(), "gt" | "bd") {
            return Err(CallFailure::Program(call.program.clone()));
        }
        if call.files.len() > MOST_FILES {
            return Err(CallFailure::TooManyFiles);
        }
        Ok(())
    }

    /// Runs the command to its end, or until its caller is gone.
    fn run(
        &self,
        connection: Connection,
        answers: &Answers,
        call: &Call,
        args: &[String],
        folder: &Path,
    ) -> Result<ExitStatus, CallFailure> {
        let control = open_control(&folder.join(CONTROL))?;
        if call.program == "bd" {
            fs::write(
                folder.join(COMMANDS),
                (self.session.list_bd_commands)().join("\n"),
            )?;
        }
        let display = call
            .display
            .iter()
            .filter(|(name, value)| is_display_variable(name) && is_plain(value));
        let program = self.session.exe.with_file_name(&call.program);
        let mut command = ChildCommand::new(program)
            .arg(format!("{FORWARDED_ARGUMENT}{}", folder.display()))
            .args(args)
            .cwd(&self.session.cwd)
            .env_clear();
        for (name, value) in self.session.env.iter().chain(display) {
            command = command.env(name, value);
        }
        let (child, streams) = command.start()?;
        answers.note_started();
        let ender = child.ender();
        let (told, ended) = mpsc::channel();
        let names = SentNames::of_call(call, folder);
        let of_stdout = self.output_end(answers, &told, &ender, &names);
        let of_stderr = self.output_end(answers, &told, &ender, &names);
        let (stdout, stderr) = (streams.stdout, streams.stderr);
        thread::Builder::new().spawn(move || of_stdout.pass(stdout, Frame::Output))?;
        thread::Builder::new().spawn(move || of_stderr.pass(stderr, Frame::Errors))?;
        let input = InputPass {
            ender: ender.clone(),
            state: Arc::default(),
            outlives_caller: answers.recorded.is_some(),
        };
        let (stdin, passing) = (streams.stdin, input.clone());
        thread::Builder::new().spawn(move || passing.pass(connection, stdin))?;
        let status = thread::scope(|scope| {
            scope.spawn(|| self.read_control(&control, answers, &input));
            let status = child.wait();
            // The pipe is open for reading and writing, so that this does not fail.
            (&control).write_all(format!("{END}\n").as_bytes()).ok();
            status
        })?;
        for _ in 0..2 {
            if ended.recv_timeout(OUTPUT_END).is_err() {
                break;
            }
        }
        Ok(status)
    }

    fn output_end(
        &self,
        answers: &Answers,
        told: &mpsc::Sender<()>,
        ender: &ChildEnder,
        names: &SentNames,
    ) -> OutputEnd {
        OutputEnd {
            answers: answers.clone(),
            told: told.clone(),
            ender: ender.clone(),
            names: names.clone(),
            paths: self.session.paths.as_ref().map(PathTranslation::output),
        }
    }

    /// Reads what the command tells the gateway.
    fn read_control(&self, control: &fs::File, answers: &Answers, input: &InputPass) {
        for line in BufReader::new(control).lines() {
            match line.as_deref() {
                Ok(END) | Err(_) => return,
                Ok(WANTS_INPUT) => {
                    input.note_wanted();
                    // A caller that is gone ends the command.
                    send(answers, &Frame::WantInput).ok();
                }
                Ok(line) => {
                    if let Some(command) = line.strip_prefix(REFUSED) {
                        (self.session.record_refusal)(command);
                    }
                }
            }
        }
    }
}

/// Receives the files of a call. Returns the arguments with the paths of the copies.
fn receive_files(
    connection: &mut Connection,
    call: &Call,
    folder: &Path,
) -> Result<(Vec<String>, Vec<SentFile>), CallFailure> {
    let mut args = call.args.clone();
    let mut files = Vec::new();
    let started = Instant::now();
    let mut left = MAX_CONTENT;
    for (number, named) in call.files.iter().enumerate() {
        let time = FILES_TIMEOUT.saturating_sub(started.elapsed());
        connection.limit_reads(Some(time.max(Duration::from_millis(1))))?;
        let Frame::File(content) = Frame::read(connection)? else {
            return Err(CallFailure::Malformed);
        };
        let length = content.as_ref().map_or(0, Vec::len);
        left = left.checked_sub(length).ok_or(CallFailure::FilesTooLarge)?;
        let original = call.args.get(named.argument);
        let parts = original.and_then(|arg| arg.split_at_checked(named.start));
        let (before, path) = parts.ok_or(CallFailure::Malformed)?;
        let below = folder.join(FILES).join(number.to_string());
        file::create_folder(&below, 0o700)?;
        let copy = below.join(plain_name(path));
        if let Some(content) = &content {
            fs::write(&copy, content)?;
        }
        args[named.argument] = format!("{before}{}", copy.display());
        files.push(SentFile {
            path: copy,
            content,
        });
    }
    Ok((args, files))
}

/// Returns true for the value of a variable that names no file: `TZ` could.
fn is_plain(value: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_-+./@".contains(c);
    value.chars().all(is_allowed) && !value.starts_with('/') && !value.contains("..")
}

/// Returns the name of a file, by which error messages and formats know it.
fn plain_name(path: &str) -> &str {
    match Path::new(path).components().next_back() {
        Some(Component::Normal(name)) => name.to_str().unwrap_or("file"),
        _ => "file",
    }
}

/// Sends a file that the command changed.
fn send_back(answers: &Answers, index: usize, sent: &SentFile) -> Result<(), CallFailure> {
    let Some(content) = file::read_file_if_exists(&sent.path)? else {
        return Ok(());
    };
    if sent.content.as_ref() == Some(&content) {
        return Ok(());
    }
    let file = u32::try_from(index).map_err(|_| CallFailure::Malformed)?;
    if content.len() + 4 > MAX_CONTENT {
        let length = content.len();
        return Err(FrameError::TooLarge { length }.into());
    }
    Ok(send(answers, &Frame::Written { file, content })?)
}

/// Creates and opens the pipe by which a command reaches the gateway. It is open for writing, too,
/// so that it has no end.
fn open_control(path: &Path) -> io::Result<fs::File> {
    create_pipe(path)?;
    fs::OpenOptions::new().read(true).write(true).open(path)
}

/// Passes on an output of the command, and tells its end.
struct OutputEnd {
    answers: Answers,
    told: mpsc::Sender<()>,
    ender: ChildEnder,
    names: SentNames,
    /// Translates the paths for a caller on another machine.
    paths: Option<Replacement>,
}

impl OutputEnd {
    fn pass(mut self, mut stream: impl Read, wrap: fn(Vec<u8>) -> Frame) {
        let mut part = vec![0; 64 * 1024];
        let mut pending = Vec::new();
        loop {
            let length = stream.read(&mut part).unwrap_or(0);
            pending.extend(&part[..length]);
            let mut output = self.names.restore(&mut pending, length == 0);
            if let Some(paths) = &mut self.paths {
                output = paths.push(&output);
            }
            if !output.is_empty() && send(&self.answers, &wrap(output)).is_err() {
                // A caller that takes nothing more ends the command.
                self.ender.kill();
                break;
            }
            if length == 0 {
                break;
            }
        }
        if let Some(paths) = self.paths.take() {
            // A caller that is gone needs no rest.
            send(&self.answers, &wrap(paths.finish())).ok();
        }
        // The call may have ended.
        self.told.send(()).ok();
    }
}

/// Passes on the input of the caller.
#[derive(Clone)]
struct InputPass {
    ender: ChildEnder,
    state: Arc<Mutex<InputState>>,
    /// True if a command that reads no input goes on without its caller, who asks again.
    outlives_caller: bool,
}

#[derive(Debug, Default)]
struct InputState {
    is_wanted: bool,
    is_caller_gone: bool,
}

impl InputPass {
    fn state(&self) -> std::sync::MutexGuard<'_, InputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note that the command reads its input. Without a caller, it would find half of it.
    fn note_wanted(&self) {
        let mut state = self.state();
        state.is_wanted = true;
        if state.is_caller_gone {
            self.ender.kill();
        }
    }

    /// Passes on the input until the caller is gone.
    fn pass(&self, mut connection: Connection, stdin: ChildStdin) {
        let mut stdin = Some(stdin);
        let mut is_whole = false;
        loop {
            match Frame::read(&mut connection) {
                Ok(Frame::Input(part)) if !part.is_empty() => {
                    if let Some(pipe) = &mut stdin
                        && pipe.write_all(&part).is_err()
                    {
                        // The command reads no more of it.
                        stdin = None;
                    }
                }
                Ok(Frame::Input(_)) => {
                    is_whole = true;
                    stdin = None;
                }
                Ok(_) | Err(_) => break,
            }
        }
        let mut state = self.state();
        state.is_caller_gone = true;
        let is_input_lost = state.is_wanted && !is_whole;
        if is_input_lost || !self.outlives_caller {
            self.ender.kill();
        }
    }
}

/// The exit code of a command, as a shell says it.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
