//! Serves the daemon's socket: one JSON object per line in both directions. Only the town's owner
//! may connect.

use std::io;
use std::sync::{Arc, Mutex};

use gt::host::LiveTown;
use gt::host::daemon::protocol::{DaemonAnswer, DaemonRequest, LINE_LIMIT};
use gt::host::daemon::{DaemonState, VERSION, socket_folder, socket_path};
use gt::town::event::EventLine;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast;

use crate::metrics::MetricsReader;
use crate::page::PageServer;
use crate::wake::{WakeReason, WakeSender};

/// The loop's state for the socket.
#[derive(Debug, Clone, Default)]
pub(crate) struct SocketState {
    /// The state as written to the state file.
    pub(crate) state: DaemonState,
    /// The reason why the daemon cannot do everything, if there is one.
    pub(crate) degraded: Option<String>,
}

/// Opens the socket and answers on it until the loop ends.
pub(crate) fn open_socket(
    town: &Arc<LiveTown>,
    waker: WakeSender,
    shared: Arc<Mutex<SocketState>>,
    events: broadcast::Sender<EventLine>,
    metrics: Arc<MetricsReader>,
) -> io::Result<()> {
    let path = socket_path(town);
    kit::sys::file::create_private_folder(&socket_folder(town))?;
    // This process holds the daemon's lock, so an existing socket file belongs to a daemon that has
    // died.
    kit::sys::file::remove_file(&path)?;
    let listener = UnixListener::bind(&path)?;
    let town = Arc::clone(town);
    let page = PageServer::default();
    tokio::spawn(async move {
        page.open_for_links(&town).await;
        page.reopen(&town).await;
        while let Ok((stream, _)) = listener.accept().await {
            if !is_peer_owner(&stream) {
                continue;
            }
            let waker = waker.clone();
            let shared = Arc::clone(&shared);
            let events = events.subscribe();
            let town = Arc::clone(&town);
            let page = page.clone();
            let metrics = Arc::clone(&metrics);
            tokio::spawn(async move {
                let client = ClientServer {
                    town,
                    page,
                    metrics,
                    waker,
                    shared,
                    events,
                };
                // A client that disconnects is no error.
                client.serve(stream).await.ok();
            });
        }
    });
    Ok(())
}

fn is_peer_owner(stream: &UnixStream) -> bool {
    let uid = rustix::process::getuid().as_raw();
    stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == uid || peer.uid() == 0)
}

/// The parts of the daemon that answer a client.
struct ClientServer {
    town: Arc<LiveTown>,
    page: PageServer,
    metrics: Arc<MetricsReader>,
    waker: WakeSender,
    shared: Arc<Mutex<SocketState>>,
    events: broadcast::Receiver<EventLine>,
}

impl ClientServer {
    async fn serve(mut self, stream: UnixStream) -> io::Result<()> {
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        while let Some(line) = read_line(&mut read).await? {
            let request = serde_json::from_slice(&line).ok();
            let answer = match request {
                None => DaemonAnswer::Error {
                    reason: "this is no request of ours".to_owned(),
                },
                Some(DaemonRequest::Status) => build_status(&self.shared),
                Some(DaemonRequest::Wake) => {
                    self.waker.wake(WakeReason::Request);
                    DaemonAnswer::Ok
                }
                Some(DaemonRequest::Stop) => {
                    send_answer(&mut write, &DaemonAnswer::Ok).await?;
                    self.waker.wake(WakeReason::Stop);
                    return Ok(());
                }
                Some(DaemonRequest::Subscribe) => {
                    send_answer(&mut write, &DaemonAnswer::Ok).await?;
                    while let Ok(line) = self.events.recv().await {
                        send_answer(&mut write, &DaemonAnswer::Event(line)).await?;
                    }
                    return Ok(());
                }
                Some(DaemonRequest::Metrics) => Arc::clone(&self.metrics).answer().await,
                Some(DaemonRequest::Page { port, act }) => {
                    self.page.open(&self.town, port, act).await
                }
                Some(DaemonRequest::RevokePage) => self.page.revoke(&self.town).await,
            };
            send_answer(&mut write, &answer).await?;
        }
        Ok(())
    }
}

/// Reads the next line up to the size limit. `None` at the end.
async fn read_line(read: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let limit = u64::try_from(LINE_LIMIT).unwrap_or(u64::MAX);
    let count = read.take(limit).read_until(b'\n', &mut line).await?;
    if count == LINE_LIMIT && line.last() != Some(&b'\n') {
        return Err(io::Error::other("the line is too long"));
    }
    Ok((count > 0).then_some(line))
}

fn build_status(shared: &Mutex<SocketState>) -> DaemonAnswer {
    // A poisoned lock means that the loop panicked while it wrote plain values, which are still
    // readable.
    let shared = shared
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    DaemonAnswer::Status {
        pid: shared.state.pid,
        started_at: shared.state.started_at.clone(),
        passes: shared.state.heartbeat_count,
        last_pass: shared.state.last_heartbeat.clone(),
        degraded: shared.degraded.clone(),
        version: Some(VERSION.to_owned()),
    }
}

async fn send_answer(write: &mut OwnedWriteHalf, answer: &DaemonAnswer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    write.write_all(&line).await
}
