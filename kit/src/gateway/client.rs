//! The side in the jail: hands over a command line, and passes on the standard streams.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use super::frame::{Call, CallFile, Frame, FrameError, GatewayAddress, VERSION};
use super::{ADDRESS_VARIABLE, MAX_CONTENT, WIDTH, is_display_variable, kept_call_file};
use crate::cli::named_files::NamedFile;
use crate::sys::clock::{pause_thread, wait_for};
use crate::sys::{Env, RandomSource, file};
use crate::ui::Ui;

/// The variable with the token of a session.
const TOKEN_VARIABLE: &str = "GT_SESSION_TOKEN";

/// The variable with the seconds that a call of a box waits for a connection to the town.
const WAIT_VARIABLE: &str = "GT_GATEWAY_WAIT";

/// The time that a call of a box waits for a connection to the town, if the variable does not say it. The tools of agents have limits
/// of two minutes.
const FAR_TIMEOUT: Duration = Duration::from_secs(90);

/// The pause before a call whose connection was cut is asked for again.
const FAR_PAUSE: Duration = Duration::from_secs(1);

/// A command line as its caller understands it.
#[derive(Debug, Default)]
pub struct CallerLine {
    /// The names of the command and its subcommands.
    pub path: Vec<String>,
    /// The files that it names.
    pub files: Vec<NamedFile>,
}

/// A command line could not be run outside.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error("an argument is not UTF-8, which cannot be handed to the town from a jail")]
    Argument,
    #[error("cannot read {}", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "{} is larger than {} MiB, which cannot be handed to the town from a jail",
        path.display(), MAX_CONTENT / 1024 / 1024
    )]
    TooLarge { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{ADDRESS_VARIABLE} is `{text}`, which is no address of a gateway")]
    Address { text: String },
    /// The process outside that runs commands has ended.
    #[error("the town cannot be reached from this jail")]
    Unreachable(#[source] io::Error),
    /// The connection ended before the command: it may have been run or not.
    #[error("the connection to the town ended before the command did")]
    Cut(#[source] FrameError),
    #[error("{0}")]
    Refused(String),
}

/// Returns true for a call that hands in work: it is delivered when the town is reachable again.
fn is_kept_call(call: &Call) -> bool {
    call.program == "gt" && call.path.first().is_some_and(|command| command == "done")
}

/// Keeps a call beside the socket, from where it is delivered once.
fn keep_call(socket: &Path, call: &Call, paths: &[PathBuf]) -> Result<Option<u8>, CallError> {
    let kept = kept_call_file(socket);
    let write = |source| CallError::Write {
        path: kept.clone(),
        source,
    };
    let mut content = Vec::new();
    let encode = |frame: Frame, content: &mut Vec<u8>| {
        frame
            .write(content)
            .map_err(|error| write(io::Error::other(error)))
    };
    encode(Frame::Call(call.clone()), &mut content)?;
    for path in paths {
        encode(Frame::File(read_file(path)?), &mut content)?;
    }
    file::replace_file(&kept, &content, 0o600).map_err(write)?;
    let message = "The town cannot be reached. This `gt done` is kept and handed in later: your work is over.\n";
    // Who reads the output may be gone.
    write_all(&mut io::stdout(), message.as_bytes()).ok();
    Ok(Some(0))
}

/// Runs a command line outside of the jail that this process is in, and returns its exit code.
/// `None` if there is no jail, or if the command runs inside. `read_line` returns `None` for a line
/// that is answered inside, such as a request for help.
pub fn forward_call(
    env: &Env,
    program: &str,
    args: &[OsString],
    read_line: impl FnOnce() -> Option<CallerLine>,
) -> Option<ExitCode> {
    let address = env.get(ADDRESS_VARIABLE)?;
    match make_call(env, address, program, args, read_line()?) {
        Ok(exit) => exit.map(ExitCode::from),
        Err(error) => {
            let is_json = args.iter().any(|arg| arg == "--json");
            let failure = crate::failure::Failure::unclassified(&error.into());
            Ui::new(is_json, false, env).error(&failure);
            Some(ExitCode::FAILURE)
        }
    }
}

fn make_call(
    env: &Env,
    address: &str,
    program: &str,
    args: &[OsString],
    line: CallerLine,
) -> Result<Option<u8>, CallError> {
    let parsed = GatewayAddress::parse(address);
    let address = parsed.ok_or_else(|| CallError::Address {
        text: address.to_owned(),
    })?;
    let args = args
        .iter()
        .skip(1)
        .map(|arg| arg.to_str().map(str::to_owned));
    let args: Option<Vec<String>> = args.collect();
    // A folder is refused outside.
    let files: Vec<NamedFile> = line
        .files
        .into_iter()
        .filter(|file| !env.make_absolute(&file.path).is_dir())
        .collect();
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|file| env.make_absolute(&file.path))
        .collect();
    let call = Call {
        version: VERSION,
        token: match &address {
            GatewayAddress::Port { token, .. } => token.clone(),
            GatewayAddress::Socket(_) => String::new(),
            // Tells the session from earlier ones of the same name.
            GatewayAddress::Far(_) => env.get(TOKEN_VARIABLE).unwrap_or_default().to_owned(),
        },
        id: match &address {
            GatewayAddress::Far(_) => RandomSource::choose(None).hex(32),
            GatewayAddress::Socket(_) | GatewayAddress::Port { .. } => String::new(),
        },
        program: program.to_owned(),
        args: args.ok_or(CallError::Argument)?,
        path: line.path,
        files: files
            .iter()
            .map(|file| CallFile {
                argument: file.argument - 1,
                start: file.start,
            })
            .collect(),
        display: list_display_variables(env),
    };
    match address {
        GatewayAddress::Socket(path) => {
            let stream = UnixStream::connect(path).map_err(CallError::Unreachable)?;
            let other = stream.try_clone().map_err(CallError::Unreachable)?;
            exchange(stream, other, &call, &paths, &mut Printed::default())
        }
        GatewayAddress::Far(path) => {
            let seconds = env.get(WAIT_VARIABLE).and_then(|text| text.parse().ok());
            let limit = seconds.map_or(FAR_TIMEOUT, Duration::from_secs);
            make_far_call(&path, limit, &call, &paths)
        }
        GatewayAddress::Port { port, .. } => {
            let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
            let stream = stream.map_err(CallError::Unreachable)?;
            // Small messages go at once. An error only makes them late.
            stream.set_nodelay(true).ok();
            let other = stream.try_clone().map_err(CallError::Unreachable)?;
            exchange(stream, other, &call, &paths, &mut Printed::default())
        }
    }
}

/// The bytes of a call's output that were printed before its connection was cut.
#[derive(Debug, Default)]
struct Printed {
    output: usize,
    errors: usize,
    /// The time of the last message.
    heard: Option<Instant>,
}

/// Returns the rest of an output that begins again, and counts it.
fn skip_printed<'a>(content: &'a [u8], begun: &mut usize, printed: &mut usize) -> &'a [u8] {
    let skipped = printed.saturating_sub(*begun).min(content.len());
    *begun += content.len();
    *printed = (*printed).max(*begun);
    &content[skipped..]
}

/// Makes a call that is asked for again after a cut, and run once.
fn make_far_call(
    path: &Path,
    limit: Duration,
    call: &Call,
    paths: &[PathBuf],
) -> Result<Option<u8>, CallError> {
    let mut printed = Printed::default();
    let mut heard = Instant::now();
    loop {
        let left = limit.saturating_sub(heard.elapsed());
        let stream = match connect_far(path, left) {
            Err(CallError::Unreachable(_)) if is_kept_call(call) => {
                return keep_call(path, call, paths);
            }
            connected => connected?,
        };
        let other = stream.try_clone().map_err(CallError::Unreachable)?;
        match exchange(stream, other, call, paths, &mut printed) {
            Err(CallError::Cut(_)) => pause_thread(FAR_PAUSE),
            result => return result,
        }
        heard = printed.heard.unwrap_or(heard);
    }
}

/// Connects to the socket of a box. Without a connection to the town, nobody listens there for a
/// while.
fn connect_far(path: &Path, limit: Duration) -> Result<UnixStream, CallError> {
    let mut failure = None;
    let connected = wait_for(limit, || match UnixStream::connect(path) {
        Ok(stream) => Some(stream),
        Err(error) => {
            failure = Some(error);
            None
        }
    });
    connected.ok_or_else(|| {
        let error = failure.unwrap_or_else(|| io::ErrorKind::TimedOut.into());
        CallError::Unreachable(error)
    })
}

/// Returns the variables by which the output fits the caller's terminal.
fn list_display_variables(env: &Env) -> Vec<(String, String)> {
    let ui = Ui::new(false, false, env);
    let width = ui.known_width().map(|width| width.to_string());
    let mut variables: Vec<(String, String)> = Vec::new();
    variables.extend(width.map(|width| (WIDTH.to_owned(), width)));
    let set = env
        .vars()
        .filter(|(name, value)| is_display_variable(name) && *name != WIDTH && !value.is_empty());
    variables.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
    if ui.is_terminal() {
        variables.push(("CLICOLOR_FORCE".to_owned(), "1".to_owned()));
    }
    variables
}

/// Reads a file that is sent. `None` if it does not exist.
fn read_file(path: &Path) -> Result<Option<Vec<u8>>, CallError> {
    let build_error = |source| CallError::File {
        path: path.to_owned(),
        source,
    };
    let opened = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(build_error(error)),
    };
    let limit = u64::try_from(MAX_CONTENT).unwrap_or(u64::MAX);
    let mut content = Vec::new();
    opened
        .take(limit + 1)
        .read_to_end(&mut content)
        .map_err(build_error)?;
    if content.len() > MAX_CONTENT {
        let path = path.to_owned();
        return Err(CallError::TooLarge { path });
    }
    Ok(Some(content))
}

/// Sends the call and passes on what comes back, until the command ends.
fn exchange<S: Read + Write + Send + 'static>(
    mut stream: S,
    input: S,
    call: &Call,
    paths: &[PathBuf],
    printed: &mut Printed,
) -> Result<Option<u8>, CallError> {
    Frame::Call(call.clone())
        .write(&mut stream)
        .map_err(CallError::Cut)?;
    let mut input = Some(input);
    let mut begun = Printed::default();
    loop {
        let frame = Frame::read(&mut stream).map_err(CallError::Cut)?;
        printed.heard = Some(Instant::now());
        match frame {
            Frame::RunHere => return Ok(None),
            Frame::WantFiles => {
                for path in paths {
                    let frame = Frame::File(read_file(path)?);
                    frame.write(&mut stream).map_err(CallError::Cut)?;
                }
            }
            Frame::Exit(code) => return Ok(Some(code)),
            Frame::Failed(reason) => return Err(CallError::Refused(reason)),
            Frame::Output(content) => {
                let content = skip_printed(&content, &mut begun.output, &mut printed.output);
                if write_all(&mut io::stdout(), content).is_err() {
                    // Who reads the output has ended. The gateway ends the command.
                    return Ok(Some(1));
                }
            }
            Frame::Errors(content) => {
                let content = skip_printed(&content, &mut begun.errors, &mut printed.errors);
                // Without a reader of errors the command goes on.
                write_all(&mut io::stderr(), content).ok();
            }
            Frame::Written { file, content } => {
                let path = usize::try_from(file).ok().and_then(|at| paths.get(at));
                let path = path.ok_or(CallError::Cut(FrameError::Unknown))?;
                std::fs::write(path, content).map_err(|source| CallError::Write {
                    path: path.clone(),
                    source,
                })?;
            }
            Frame::WantInput => {
                if let Some(stream) = input.take() {
                    thread::spawn(move || send_input(stream));
                }
            }
            Frame::Call(_) | Frame::File(_) | Frame::Input(_) => {
                return Err(CallError::Cut(FrameError::Unknown));
            }
        }
    }
}

/// Sends the standard input to its end. The command may end before.
fn send_input(mut stream: impl Write) {
    let mut part = vec![0; 64 * 1024];
    let mut stdin = io::stdin();
    loop {
        // An input that cannot be read is at its end for the command.
        let length = stdin.read(&mut part).unwrap_or(0);
        let frame = Frame::Input(part[..length].to_vec());
        if frame.write(&mut stream).is_err() || length == 0 {
            return;
        }
    }
}

fn write_all(to: &mut impl Write, content: &[u8]) -> io::Result<()> {
    to.write_all(content)?;
    to.flush()
}
