//! Serves a crew member who works on another machine, `gt connect`:
//!
//! 1. Send the member the identity of its programs.
//! 2. Run its calls with that identity, in the member's clone of the town.
//! 3. Before a branch is handed in, take its commits from the clone on the other machine.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use bd::git::Git;
use kit::gateway::Call;

use super::session::identity::build_identity_env;
use crate::flow::place::crew::member_address;
use crate::host::far::protocol::{
    BoxRequest, CloneQuestion, CloneState, FarError, MAX_TOWN_REQUEST, MemberHello, MemberWelcome,
    PROTOCOL, TownRequest, ask, read_line_of, write_line,
};
use crate::host::far::{
    Heartbeat, PackFolder, PathTranslation, Pipe, PipeEnds, PipeSide, check_complete, is_object_id,
    is_valid_root,
};
use crate::host::gateway::{FarGateway, FarSessionEnv};
use crate::host::wrapper::session_environment;
use crate::host::{LiveTown, SessionSpec};
use crate::town::event::event;
use crate::town::identity::SessionName;
use crate::town::lock::Lock;
use crate::town::{Rig, Town};

/// The time within which the other machine sends its request on a new stream.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for an earlier hand-in of the same member.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(600);

/// Serves a member over the standard input and output until the connection ends.
pub fn serve_member(
    town: &LiveTown,
    rig: &Rig,
    name: &str,
    record_refusal: fn(&Town, &str),
) -> anyhow::Result<()> {
    let agent = member_address(rig, name);
    let gateway: Arc<OnceLock<FarGateway>> = Arc::default();
    let serving = Arc::clone(&gateway);
    let ends = PipeEnds::Standard;
    let pipe = Pipe::start(ends, PipeSide::Town, Heartbeat::default(), move |stream| {
        let serving = Arc::clone(&serving);
        // The member sees the end of its stream.
        thread::Builder::new()
            .spawn(move || answer_call(stream, &serving))
            .ok();
    })?;
    let session = SessionName::for_agent(&agent).map_or_else(String::new, |name| name.to_string());
    let env = build_identity_env(town, &agent, &session);
    let hello = MemberHello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        now: town.clock.now(),
        env: env.clone(),
    };
    let welcomed: Result<MemberWelcome, FarError> =
        ask(&mut pipe.open()?, &BoxRequest::Member(hello));
    let MemberWelcome { root, token } = welcomed?;
    anyhow::ensure!(
        is_valid_root(&root) && !token.is_empty(),
        "the other machine names no valid folder"
    );
    let clone = rig.crew(name);
    let folder = town.layout.runtime().join("members").join(&session);
    let taker = CloneTaker {
        pipe: pipe.clone(),
        packs: PackFolder::new(&folder.join("packs")),
        lock: folder.join("lock"),
        clone: clone.clone(),
    };
    let spec = SessionSpec {
        env,
        token: token.clone(),
        ..SessionSpec::default()
    };
    let paths = PathTranslation {
        town: clone.to_string_lossy().into_owned(),
        caller: root.to_string_lossy().into_owned(),
    };
    let session_env = FarSessionEnv {
        token,
        env: session_environment(&town.env, &spec, &town.exe),
        calls: folder.join("calls"),
        cwd: Some(clone),
    };
    let made = FarGateway::new(
        &town.env,
        town.layout.root(),
        &agent,
        session_env,
        paths,
        record_refusal,
        move |call| taker.prepare_call(call),
    )?;
    // Calls that came before are made again by their callers.
    gateway.set(made).ok();
    town.record_event(&event!(MemberConnected, agent: agent.to_string()));
    pipe.wait();
    town.record_event(&event!(MemberLeft, agent: agent.to_string()));
    Ok(())
}

fn answer_call(mut stream: UnixStream, gateway: &OnceLock<FarGateway>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    let request = read_line_of::<TownRequest>(&mut stream, MAX_TOWN_REQUEST)?;
    stream.set_read_timeout(None)?;
    if let (TownRequest::Call { .. }, Some(gateway)) = (request, gateway.get()) {
        gateway.serve(stream);
    }
    Ok(())
}

/// Takes the commits of a clone on another machine into the member's clone of the town.
struct CloneTaker {
    pipe: Pipe,
    packs: PackFolder,
    lock: PathBuf,
    clone: PathBuf,
}

impl CloneTaker {
    fn prepare_call(&self, call: &Call) -> anyhow::Result<()> {
        let words: Vec<&str> = call.path.iter().map(String::as_str).collect();
        let hands_in = matches!(words.as_slice(), ["done", ..] | ["mq", "submit", ..]);
        if call.program != "gt" || !hands_in {
            return Ok(());
        }
        self.take_commits()
    }

    fn take_commits(&self) -> anyhow::Result<()> {
        let _held = Lock::take(&self.lock, TRANSFER_TIMEOUT)?;
        let git = Git::at(&self.clone);
        anyhow::ensure!(
            git.status()?.is_empty(),
            "the clone of the town, {}, has uncommitted files: commit or move them there first",
            self.clone.display()
        );
        let known = git.refs_below("refs/remotes/")?;
        let question = CloneQuestion {
            has: known.into_iter().map(|(_, tip)| tip).collect(),
        };
        let answered: Result<CloneState, FarError> =
            ask(&mut self.pipe.open()?, &BoxRequest::Clone(question));
        let state = answered?;
        anyhow::ensure!(
            !state.has_changes,
            "your clone has uncommitted files: commit or stash them first"
        );
        anyhow::ensure!(is_object_id(&state.head), "your clone names no commit");
        let objects = Git::at(git.common_dir()?);
        if let Some(offer) = &state.pack {
            let pack = self.packs.fetch(offer, |part| {
                let mut stream = self.pipe.open()?;
                write_line(&mut stream, &BoxRequest::Pack(part))?;
                Ok(stream)
            })?;
            pack.add_to(&objects)?;
        }
        check_complete(&objects, std::slice::from_ref(&state.head))?;
        check_branch(&git, &state.branch)?;
        let branch = format!("refs/heads/{}", state.branch);
        let update = ["update-ref", "--create-reflog", "--", &branch, &state.head];
        git.plumbing(update).run()?;
        git.plumbing(["symbolic-ref", "HEAD", &branch]).run()?;
        Ok(git.reset_hard(&state.head)?)
    }
}

/// Refuses a name that is no branch.
fn check_branch(git: &Git, name: &str) -> anyhow::Result<()> {
    let checked = git.plumbing(["check-ref-format", &format!("refs/heads/{name}")]);
    anyhow::ensure!(
        !name.starts_with('-') && checked.run().is_ok(),
        "your clone names no branch"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_branch_of_git_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.init("main", false).unwrap();
        for name in ["", "-f", "a..b", "a b", "../x", "a.lock", "x\ny"] {
            assert!(check_branch(&git, name).is_err(), "{name:?}");
        }
        check_branch(&git, "fix/web-1").unwrap();
    }
}
