//! Many byte streams over one pair of pipes, such as those of a remote shell.
//!
//! Each side can open streams; the other side gets them in the order of their first bytes. A stream
//! appears as a socket pair of this process, so that its users read and write without knowing of the
//! pipe. A slow reader of one stream holds up no other one.
//!
//! The town beats: it sends a byte over the first stream, and the other side sends it back. A side
//! that hears nothing for a while ends the pipe, because a link that is cut looks like a quiet one.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{ChildStdin, ChildStdout};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};
use tokio_util::compat::{FuturesAsyncReadCompatExt, TokioAsyncReadCompatExt};
use yamux::{Connection, Mode, Stream};

/// The first bytes in each direction. What a login shell prints before is skipped.
const BEGIN: &[u8] = b"\0gastown-box-1\n";

/// The maximum number of bytes before the beginning.
const MAX_NOISE: usize = 64 * 1024;

/// The time within which a pipe that opens no more streams says why.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The last part of the noise that an error shows, in bytes.
const SHOWN_NOISE: usize = 300;

/// The two ends of a pipe on one side.
pub enum PipeEnds {
    /// Standard input and output of this process.
    Standard,
    /// Those of a child.
    Child(ChildStdin, ChildStdout),
    Socket(UnixStream),
}

/// A side of a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeSide {
    Town,
    Box,
}

/// How the silence of a pipe is noticed.
#[derive(Debug, Clone, Copy)]
pub struct Heartbeat {
    /// The pause between two beats of the town.
    pub pause: Duration,
    /// The silence after which a pipe is cut.
    pub silence: Duration,
    /// The time within which the other side begins.
    pub beginning: Duration,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self {
            pause: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            beginning: Duration::from_secs(60),
        }
    }
}

/// Why a pipe ended.
#[derive(Debug, thiserror::Error)]
pub enum PipeError {
    #[error("the other side ended the connection")]
    Ended,
    #[error("nothing came from the other side for {}s", _0.as_secs())]
    Silent(Duration),
    #[error("gt does not answer at the other side{}", describe_noise(_0))]
    NoBeginning(Vec<u8>),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Streams(#[from] yamux::ConnectionError),
}

fn describe_noise(noise: &[u8]) -> String {
    let last = noise.len().saturating_sub(SHOWN_NOISE);
    let text = String::from_utf8_lossy(&noise[last..]);
    let text = kit::ui::escape::escape_line(text.trim());
    if text.is_empty() {
        String::new()
    } else {
        format!(": it says `{text}`")
    }
}

/// An open pipe, which works in a thread of its own.
#[derive(Debug, Clone)]
pub struct Pipe {
    commands: mpsc::UnboundedSender<PipeCommand>,
    end: Arc<PipeEnd>,
}

enum PipeCommand {
    Open(std::sync::mpsc::Sender<UnixStream>),
    Close,
}

#[derive(Debug, Default)]
struct PipeEnd {
    reason: Mutex<Option<String>>,
    changed: Condvar,
}

impl Pipe {
    /// Begins to work. `on_stream` gets each stream that the other side opens; it must not block.
    pub fn start(
        ends: PipeEnds,
        side: PipeSide,
        heartbeat: Heartbeat,
        on_stream: impl Fn(UnixStream) + Send + 'static,
    ) -> io::Result<Self> {
        let (commands, received) = mpsc::unbounded_channel();
        let end = Arc::new(PipeEnd::default());
        let ended = Arc::clone(&end);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let work = move || {
            let local = tokio::task::LocalSet::new();
            let served = serve(ends, side, heartbeat, received, on_stream);
            let result = local.block_on(&runtime, served);
            drop(local);
            // A read of the standard input may still wait.
            runtime.shutdown_background();
            let reason = result.err().unwrap_or(PipeError::Ended);
            *ended.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_string());
            ended.changed.notify_all();
        };
        thread::Builder::new().name("pipe".to_owned()).spawn(work)?;
        Ok(Self { commands, end })
    }

    /// Opens a stream. The other side gets it with its first bytes.
    pub fn open(&self) -> io::Result<UnixStream> {
        let (reply, opened) = std::sync::mpsc::channel();
        let sent = self.commands.send(PipeCommand::Open(reply));
        let opened = sent.ok().and_then(|()| opened.recv().ok());
        opened.ok_or_else(|| {
            let reason = self.wait_for_end(END_TIMEOUT);
            let reason = reason.unwrap_or_else(|| PipeError::Ended.to_string());
            io::Error::new(io::ErrorKind::NotConnected, reason)
        })
    }

    /// Ends the pipe with all its streams.
    pub fn close(&self) {
        // A pipe that has ended receives nothing.
        self.commands.send(PipeCommand::Close).ok();
    }

    /// Returns why the pipe ended. `None` while it works.
    pub fn end_reason(&self) -> Option<String> {
        let reason = self.end.reason.lock();
        reason.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the end of the pipe. `None` if it still works after that time.
    pub fn wait_for_end(&self, limit: Duration) -> Option<String> {
        let reason = self
            .end
            .reason
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .end
            .changed
            .wait_timeout_while(reason, limit, |reason| reason.is_none());
        let (reason, _) = waited.unwrap_or_else(PoisonError::into_inner);
        reason.clone()
    }

    /// Waits for the end of the pipe, and returns its reason.
    pub fn wait(&self) -> String {
        let mut reason = self
            .end
            .reason
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(reason) = reason.as_ref() {
                return reason.clone();
            }
            let waited = self.end.changed.wait(reason);
            reason = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

trait Duplex: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Duplex for T {}

impl PipeEnds {
    fn into_duplex(self) -> io::Result<Box<dyn Duplex>> {
        Ok(match self {
            Self::Standard => Box::new(tokio::io::join(tokio::io::stdin(), tokio::io::stdout())),
            Self::Child(stdin, stdout) => {
                let input = Receiver::from_owned_fd(OwnedFd::from(stdout))?;
                let output = Sender::from_owned_fd(OwnedFd::from(stdin))?;
                Box::new(tokio::io::join(input, output))
            }
            Self::Socket(socket) => Box::new(into_async(socket)?),
        })
    }
}

fn into_async(socket: UnixStream) -> io::Result<tokio::net::UnixStream> {
    socket.set_nonblocking(true)?;
    tokio::net::UnixStream::from_std(socket)
}

async fn serve(
    ends: PipeEnds,
    side: PipeSide,
    heartbeat: Heartbeat,
    mut commands: mpsc::UnboundedReceiver<PipeCommand>,
    on_stream: impl Fn(UnixStream),
) -> Result<(), PipeError> {
    let mut duplex = BufReader::new(ends.into_duplex()?);
    let sent = match duplex.write_all(BEGIN).await {
        Ok(()) => duplex.flush().await,
        Err(error) => Err(error),
    };
    let begun = tokio::time::timeout(heartbeat.beginning, skip_noise(&mut duplex));
    let silent = PipeError::Silent(heartbeat.beginning);
    // A program that has ended may have said why.
    begun.await.map_err(|_| silent)??;
    sent?;
    let mode = match side {
        PipeSide::Town => Mode::Client,
        PipeSide::Box => Mode::Server,
    };
    let mut connection = Connection::new(duplex.compat(), yamux::Config::default(), mode);
    let (beat_failed, mut beat_end) = oneshot::channel();
    let mut beat_failed = Some(beat_failed);
    let mut waiting = Vec::new();
    let mut is_first = true;
    if side == PipeSide::Town {
        let stream = poll_fn(|cx| connection.poll_new_outbound(cx)).await?;
        spawn_heartbeat(stream, side, heartbeat, beat_failed.take());
        is_first = false;
    }
    let drive = poll_fn(|cx| {
        loop {
            match connection.poll_next_inbound(cx) {
                Poll::Ready(Some(Ok(stream))) if is_first => {
                    is_first = false;
                    spawn_heartbeat(stream, side, heartbeat, beat_failed.take());
                }
                Poll::Ready(Some(Ok(stream))) => {
                    if let Some(socket) = connect_stream(stream) {
                        on_stream(socket);
                    }
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error.into())),
                Poll::Ready(None) => return Poll::Ready(Err(PipeError::Ended)),
                Poll::Pending => break,
            }
        }
        loop {
            match commands.poll_recv(cx) {
                Poll::Ready(Some(PipeCommand::Open(reply))) => waiting.push(reply),
                Poll::Ready(Some(PipeCommand::Close)) => return Poll::Ready(Ok(())),
                // Every handle is gone, but streams may be in use.
                Poll::Ready(None) | Poll::Pending => break,
            }
        }
        while !waiting.is_empty() {
            match connection.poll_new_outbound(cx) {
                Poll::Ready(Ok(stream)) => {
                    let reply = waiting.remove(0);
                    if let Some(socket) = connect_stream(stream) {
                        // The one that asked for it may have given up.
                        reply.send(socket).ok();
                    }
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                Poll::Pending => break,
            }
        }
        Poll::Pending
    });
    tokio::select! {
        result = drive => result,
        error = &mut beat_end => Err(error.unwrap_or(PipeError::Ended)),
    }
}

/// Reads up to the beginning of the other side.
async fn skip_noise(duplex: &mut (impl AsyncRead + Unpin)) -> Result<(), PipeError> {
    let mut noise = Vec::new();
    while !noise.ends_with(BEGIN) {
        if noise.len() >= MAX_NOISE {
            return Err(PipeError::NoBeginning(noise));
        }
        match duplex.read_u8().await {
            Ok(byte) => noise.push(byte),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(PipeError::NoBeginning(noise));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Connects a stream with a socket, and returns the other end of it.
fn connect_stream(stream: Stream) -> Option<UnixStream> {
    let (own, other) = UnixStream::pair().ok()?;
    let mut own = into_async(own).ok()?;
    tokio::task::spawn_local(async move {
        let mut stream = stream.compat();
        // Either side may end a stream at any time.
        tokio::io::copy_bidirectional(&mut stream, &mut own)
            .await
            .ok();
        stream.shutdown().await.ok();
    });
    Some(other)
}

fn spawn_heartbeat(
    stream: Stream,
    side: PipeSide,
    heartbeat: Heartbeat,
    failed: Option<oneshot::Sender<PipeError>>,
) {
    tokio::task::spawn_local(async move {
        let error = beat(stream, side, heartbeat).await;
        if let Some(failed) = failed {
            // The pipe may have ended for another reason.
            failed.send(error).ok();
        }
    });
}

/// Beats until the other side is silent.
async fn beat(stream: Stream, side: PipeSide, heartbeat: Heartbeat) -> PipeError {
    let mut stream = stream.compat();
    let mut byte = [0];
    loop {
        if side == PipeSide::Town
            && let Err(error) = write_beat(&mut stream, byte).await
        {
            return error.into();
        }
        let read = tokio::time::timeout(heartbeat.silence, stream.read_exact(&mut byte));
        match read.await {
            Err(_) => return PipeError::Silent(heartbeat.silence),
            Ok(Err(_)) => return PipeError::Ended,
            Ok(Ok(_)) => {}
        }
        match side {
            PipeSide::Town => tokio::time::sleep(heartbeat.pause).await,
            PipeSide::Box => {
                if let Err(error) = write_beat(&mut stream, byte).await {
                    return error.into();
                }
            }
        }
    }
}

async fn write_beat(stream: &mut (impl AsyncWrite + Unpin), byte: [u8; 1]) -> io::Result<()> {
    stream.write_all(&byte).await?;
    stream.flush().await
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::Shutdown;

    use super::*;

    const QUICK: Heartbeat = Heartbeat {
        pause: Duration::from_millis(20),
        silence: Duration::from_secs(20),
        beginning: Duration::from_secs(20),
    };

    /// Answers each stream with its content, reversed.
    fn answer_reversed(mut stream: UnixStream) {
        thread::spawn(move || {
            let mut content = Vec::new();
            stream.read_to_end(&mut content).unwrap();
            content.reverse();
            stream.write_all(&content).unwrap();
        });
    }

    fn ask(pipe: &Pipe, content: &[u8]) -> Vec<u8> {
        let mut stream = pipe.open().unwrap();
        let mut writer = stream.try_clone().unwrap();
        let sent = content.to_vec();
        let writing = thread::spawn(move || {
            writer.write_all(&sent).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        writing.join().unwrap();
        answer
    }

    fn connect() -> (Pipe, Pipe, UnixStream) {
        let (town_end, box_end) = UnixStream::pair().unwrap();
        let cut = town_end.try_clone().unwrap();
        let start =
            |end, side| Pipe::start(PipeEnds::Socket(end), side, QUICK, answer_reversed).unwrap();
        (
            start(town_end, PipeSide::Town),
            start(box_end, PipeSide::Box),
            cut,
        )
    }

    #[test]
    fn streams_of_both_sides_carry_any_content_at_the_same_time() {
        let (town, far, _cut) = connect();
        let pipes = [town, far];
        let asking: Vec<_> = (0..40)
            .map(|number| {
                let pipe = pipes[number % 2].clone();
                thread::spawn(move || {
                    let length = 1 + number * 50_000;
                    let mut content: Vec<u8> = (0..=250).cycle().take(length).collect();
                    let answer = ask(&pipe, &content);
                    content.reverse();
                    assert_eq!(answer.len(), content.len());
                    assert!(answer == content);
                })
            })
            .collect();
        for thread in asking {
            thread.join().unwrap();
        }
    }

    #[test]
    fn a_stream_that_is_not_read_holds_up_no_other() {
        let (town, _far, _cut) = connect();
        let mut held = town.open().unwrap();
        let writing = thread::spawn(move || {
            // The other side reverses it, which nobody reads.
            held.write_all(&vec![7; 1 << 20]).unwrap();
            held.shutdown(Shutdown::Write).unwrap();
            held
        });
        assert_eq!(ask(&town, b"abc"), b"cba");
        writing.join().unwrap();
        assert_eq!(ask(&town, b"abc"), b"cba");
    }

    #[test]
    fn a_cut_ends_both_sides_and_their_streams() {
        let (town, far, cut) = connect();
        assert_eq!(ask(&town, b"ab"), b"ba");
        let mut open = town.open().unwrap();
        open.write_all(b"x").unwrap();
        cut.shutdown(Shutdown::Both).unwrap();
        town.wait();
        far.wait();
        let mut rest = Vec::new();
        // An error or an end.
        open.read_to_end(&mut rest).ok();
        assert_eq!(rest, b"");
        assert!(town.open().is_err());
    }

    #[test]
    fn a_closed_pipe_says_that_it_ended() {
        let (town, far, cut) = connect();
        drop(cut);
        assert_eq!(ask(&town, b"ab"), b"ba");
        town.close();
        town.wait();
        far.wait();
        let error = town.open().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotConnected);
    }

    #[test]
    fn the_output_of_a_login_shell_is_skipped() {
        let (town_end, mut far_end) = UnixStream::pair().unwrap();
        far_end.write_all(b"Welcome!\n\0gastown-box\n").unwrap();
        let quiet = |_: UnixStream| {};
        let town = Pipe::start(PipeEnds::Socket(town_end), PipeSide::Town, QUICK, quiet).unwrap();
        let far = PipeEnds::Socket(far_end);
        let far = Pipe::start(far, PipeSide::Box, QUICK, answer_reversed).unwrap();
        assert_eq!(ask(&town, b"ab"), b"ba");
        assert_eq!(far.end_reason(), None);
    }

    #[test]
    fn a_program_that_is_no_box_is_named_by_its_words() {
        for (words, expected) in [
            (
                "sh: gt: not found\n".to_owned(),
                "gt does not answer at the other side: it says `sh: gt: not found`",
            ),
            (String::new(), "gt does not answer at the other side"),
        ] {
            let (town_end, mut far_end) = UnixStream::pair().unwrap();
            far_end.write_all(words.as_bytes()).unwrap();
            far_end.shutdown(Shutdown::Write).unwrap();
            let ends = PipeEnds::Socket(town_end);
            let town = Pipe::start(ends, PipeSide::Town, QUICK, |_| {}).unwrap();
            assert_eq!(town.wait(), expected);
        }
    }

    #[test]
    fn a_silent_other_side_ends_the_pipe() {
        let (town_end, mut far_end) = UnixStream::pair().unwrap();
        far_end.write_all(BEGIN).unwrap();
        let impatient = Heartbeat {
            silence: Duration::from_millis(50),
            ..QUICK
        };
        let ends = PipeEnds::Socket(town_end);
        let town = Pipe::start(ends, PipeSide::Town, impatient, |_| {}).unwrap();
        assert!(town.wait().starts_with("nothing came from the other side"));
    }
}
