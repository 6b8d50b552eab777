//! The own machine of a crew member: `gt connect`.
//!
//! 1. A command, such as ssh, runs `gt connect --serve` on the machine of the town. Its standard input
//!    and output are the pipe.
//! 2. The town sends the identity of the member, which the programs of the member get with the way to a
//!    socket of this process.
//! 3. Calls of `gt` and `bd` go through the socket and the pipe to the town. Before a branch is handed
//!    in, the town takes its commits from the clone here.
//! 4. A pipe that ends is opened again as long as the member works.

use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bd::git::Git;
use kit::gateway::{ADDRESS_VARIABLE, GatewayAddress};
use kit::sys::file;

use super::far::protocol::{
    BoxRequest, CloneQuestion, CloneState, FarError, Hello, MemberHello, MemberWelcome,
    TownRequest, read_raw_line, write_line,
};
use super::far::{
    Heartbeat, PackFolder, Pipe, PipeSide, Transport, bind_socket, check_protocol, splice,
};
use crate::town::process::TOKEN;

/// The pauses between attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The variables that a town can set for the programs of a member, who commits with its own name.
const TOWN_VARIABLES: [&str; 6] = [
    "BD_ACTOR",
    "BEADS_AGENT_NAME",
    "GT_CREW",
    "GT_RIG",
    "GT_ROLE",
    "GT_SESSION",
];

/// A member on this machine.
#[derive(Debug, Clone)]
pub struct MemberPlace {
    /// The clone in which the member works.
    pub clone: PathBuf,
    /// The command whose standard input and output are the pipe to the town.
    pub command: Vec<String>,
    /// The socket for the member's programs. Its path is short.
    pub socket: PathBuf,
    /// The folder of the packs that travel.
    pub packs: PathBuf,
    /// The token that the member's calls carry.
    pub token: String,
}

/// Returns the clone around a folder.
pub fn find_clone(folder: &Path) -> Option<PathBuf> {
    Git::at(folder).top().ok()
}

/// Connects a member with its town, and calls `work` with the variables of its programs. The
/// connection ends with the work.
pub fn connect_member<T>(
    place: MemberPlace,
    work: impl FnOnce(Vec<(String, String)>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    if let Some(folder) = place.socket.parent() {
        file::create_private_folder(folder)?;
    }
    let listener = bind_socket(&place.socket)?;
    let member = Arc::new(Member {
        packs: PackFolder::new(&place.packs),
        place,
        shared: Mutex::default(),
        changed: Condvar::new(),
    });
    let accepting = Arc::clone(&member);
    thread::Builder::new().spawn(move || accepting.accept_calls(&listener))?;
    let keeping = Arc::clone(&member);
    thread::Builder::new().spawn(move || keeping.keep_connection())?;
    let result = member.wait_for_identity().and_then(work);
    member.end();
    // The listener ends with this process.
    fs::remove_file(&member.place.socket).ok();
    result
}

struct Member {
    place: MemberPlace,
    packs: PackFolder,
    shared: Mutex<Shared>,
    changed: Condvar,
}

#[derive(Default)]
struct Shared {
    pipe: Option<Pipe>,
    /// The identity that the town has sent.
    hello: Option<MemberHello>,
    /// Why the first connection failed.
    failure: Option<String>,
    is_ending: bool,
}

impl Member {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a condition holds, at most some time.
    fn wait_while(
        &self,
        limit: Duration,
        condition: impl Fn(&mut Shared) -> bool,
    ) -> MutexGuard<'_, Shared> {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), limit, condition);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Returns the variables of the member's programs.
    fn wait_for_identity(&self) -> anyhow::Result<Vec<(String, String)>> {
        let shared = self.wait_while(Heartbeat::default().beginning, |shared| {
            shared.hello.is_none() && shared.failure.is_none()
        });
        if let Some(reason) = &shared.failure {
            anyhow::bail!("the town cannot be reached: {reason}");
        }
        let hello = shared.hello.clone().context("the town does not answer")?;
        let mut env = hello.env;
        env.retain(|(name, _)| TOWN_VARIABLES.contains(&name.as_str()));
        let address = GatewayAddress::Far(self.place.socket.clone());
        env.push((TOKEN.to_owned(), self.place.token.clone()));
        env.push((ADDRESS_VARIABLE.to_owned(), address.to_string()));
        Ok(env)
    }

    fn end(&self) {
        let mut shared = self.lock();
        shared.is_ending = true;
        if let Some(pipe) = &shared.pipe {
            pipe.close();
        }
        self.changed.notify_all();
    }

    /// Holds a connection until the work ends. The first one that fails is the last.
    fn keep_connection(self: &Arc<Self>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let begun = Instant::now();
            let reason = match self.hold_connection() {
                Ok(reason) => reason,
                Err(error) => format!("{error:#}"),
            };
            let mut shared = self.lock();
            shared.pipe = None;
            if shared.hello.is_none() {
                shared.failure = Some(reason);
                self.changed.notify_all();
                return;
            }
            drop(shared);
            if begun.elapsed() >= LONGEST_PAUSE {
                pause = FIRST_PAUSE;
            }
            if self.wait_while(pause, |shared| !shared.is_ending).is_ending {
                return;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Connects, and answers the town until the connection ends. Returns why it ended.
    fn hold_connection(self: &Arc<Self>) -> anyhow::Result<String> {
        let (transport, ends) = Transport::start(&self.place.command)?;
        let member = Arc::clone(self);
        let pipe = Pipe::start(ends, PipeSide::Box, Heartbeat::default(), move |stream| {
            let member = Arc::clone(&member);
            // The town sees the end of its stream.
            thread::Builder::new()
                .spawn(move || member.answer(stream))
                .ok();
        })?;
        self.lock().pipe = Some(pipe.clone());
        let reason = pipe.wait();
        let is_greeted = self.lock().hello.is_some();
        Ok(transport.describe_end(reason, is_greeted))
    }

    /// Answers one request of the town. A town that is gone gets no answer.
    fn answer(&self, mut stream: UnixStream) {
        let Ok(line) = read_raw_line(&mut stream) else {
            return;
        };
        let answered = match serde_json::from_slice::<BoxRequest>(&line) {
            Ok(BoxRequest::Member(hello)) => {
                let welcome = self.welcome(hello).map_err(FarError::failed);
                write_line(&mut stream, &welcome)
            }
            Ok(BoxRequest::Clone(question)) => {
                let state = self.read_clone(&question).map_err(FarError::failed);
                write_line(&mut stream, &state)
            }
            Ok(BoxRequest::Pack(part)) => self.packs.send(&part, &mut stream),
            _ => {
                let words = "this is the machine of a crew member: it has no sessions".to_owned();
                write_line(&mut stream, &Err::<(), _>(FarError::Failed { words }))
            }
        };
        answered.ok();
    }

    fn welcome(&self, hello: MemberHello) -> anyhow::Result<MemberWelcome> {
        check_protocol(&Hello {
            protocol: hello.protocol,
            version: hello.version.clone(),
            town: String::new(),
            now: hello.now,
        })?;
        self.lock().hello = Some(hello);
        self.changed.notify_all();
        Ok(MemberWelcome {
            root: self.place.clone.clone(),
            token: self.place.token.clone(),
        })
    }

    /// Returns the branch of the clone, and offers the objects that the town lacks.
    fn read_clone(&self, question: &CloneQuestion) -> anyhow::Result<CloneState> {
        let git = Git::at(&self.place.clone);
        let branch = git.head_branch()?.context("no branch is checked out")?;
        let head = git.resolve("HEAD")?.context("the clone has no commit")?;
        Ok(CloneState {
            branch,
            has_changes: !git.status()?.is_empty(),
            pack: self
                .packs
                .offer(&git, std::slice::from_ref(&head), &question.has)?,
            head,
        })
    }

    fn accept_calls(self: &Arc<Self>, listener: &UnixListener) {
        for connection in listener.incoming().flatten() {
            let member = Arc::clone(self);
            // The caller sees that its connection ended, and asks again.
            thread::Builder::new()
                .spawn(move || member.pass_call(connection))
                .ok();
        }
    }

    fn pass_call(&self, connection: UnixStream) -> std::io::Result<()> {
        let pipe = self.lock().pipe.clone();
        let pipe = pipe.ok_or(std::io::ErrorKind::NotConnected)?;
        let mut stream = pipe.open()?;
        // The pipe carries one member only.
        let session = String::new();
        write_line(&mut stream, &TownRequest::Call { session })?;
        splice(connection, stream)
    }
}
