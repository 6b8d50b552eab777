//! Where a session stood when it ended: for the next one of the same agent on the same work.
//!
//! A file in the agent's own work tree, `.polecat-checkpoint.json`, which git does not see. It is written by the agent
//! (`gt checkpoint write`), before a compaction and at the end of a session ([`save`]); what the agent wrote down
//! itself outlives the latter two. The next context tells of it while it is younger than a day and of the same bead;
//! commits and files are looked at when it is written, so it says what was so then.

use std::path::PathBuf;

use bd::bead::Stamp;
use bd::git::Git;
use jiff::SignedDuration;
use kit::sys::{ConfinedFolder, file};
use serde::{Deserialize, Serialize};

use crate::flow::crew;
use crate::flow::sandbox;
use crate::host::LiveTown;
use crate::host::ended::SessionEnd;
use crate::record::hook;
use crate::record::polecat::Slot;
use crate::record::pulse::SessionPulse;
use crate::town;
use crate::town::identity::{Address, SessionName};
use crate::town::name::Lease;

/// The file in the work tree.
pub const FILE: &str = ".polecat-checkpoint.json";

/// How long a checkpoint is told of.
const FRESH: SignedDuration = SignedDuration::from_hours(24);

/// How many changed files it names.
const FILES: usize = 50;

/// Where a session stood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Checkpoint {
    /// The molecule being worked through.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub molecule_id: String,
    /// The step of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current_step: String,
    /// That step's title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step_title: String,
    /// Files that were changed and not committed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modified_files: Vec<String>,
    /// The last commit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_commit: String,
    /// The branch.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The bead on the hook.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hooked_bead: String,
    /// When it was written, RFC 3339.
    pub timestamp: String,
    /// The session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// What the agent says of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
}

/// What an agent adds to what is found by looking.
#[derive(Debug, Clone, Default)]
pub struct CheckpointNotes {
    /// Notes.
    pub notes: String,
    /// The molecule.
    pub molecule: String,
    /// The step.
    pub step: String,
}

/// Why there is no checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Only who has a work tree of its own has one.
    #[error("{agent} has no checkpoint: only polecats and crew have a work tree of their own")]
    NoTree {
        /// The agent.
        agent: String,
    },
    /// The file cannot be used.
    #[error("cannot use {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The file holds something else.
    #[error("{} is no checkpoint: {source}; `gt checkpoint write` writes a new one", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

/// What a session left that was killed, beside the checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionRemains {
    /// How it ended.
    pub how: String,
    /// Its commits on the branch of the bead, oldest first: a short id and the subject.
    pub commits: Vec<String>,
    /// Files that are not committed, where no checkpoint names them.
    pub files: Vec<String>,
    /// The last tools that it used, each with its time.
    pub tools: Vec<String>,
}

/// What the last session on a polecat's work left, if it was restarted after a crash.
pub fn find_session_remains(
    town: &LiveTown,
    agent: &Address,
    slot: &Slot,
    stood: Option<&Checkpoint>,
) -> Option<SessionRemains> {
    let Address::Polecat(..) = agent else {
        return None;
    };
    let is_first = slot.respawns.is_empty() && slot.lost.is_empty() && slot.refused.is_empty();
    // One that handed over said itself what there is to know.
    if is_first || slot.handed_over || slot.base.is_empty() {
        return None;
    }
    let git = Git::at(town::agent_home(town, agent));
    // What git cannot answer is left out.
    let commits = git.commits(&slot.base, "HEAD").unwrap_or_default();
    let changes = match stood {
        Some(_) => Vec::new(),
        None => git.status().unwrap_or_default(),
    };
    let session = SessionName::for_agent(agent)?;
    Some(SessionRemains {
        how: describe_session_end(slot),
        commits: commits
            .iter()
            .rev()
            .map(|commit| format!("{:.9} {}", commit.id, commit.subject))
            .collect(),
        files: changes
            .into_iter()
            .map(|change| change.path)
            .take(FILES)
            .collect(),
        tools: SessionPulse::tools_before(town, session.as_str(), &slot.token),
    })
}

/// How the last session ended, where that is known: what is kept may be of one before it.
fn describe_session_end(slot: &Slot) -> String {
    let of_last = |ended: &&SessionEnd| ended.lease.next() == slot.lease;
    let ended = slot.ended.as_ref().filter(of_last);
    ended.map(SessionEnd::describe).unwrap_or_default()
}

/// Where the checkpoint of an agent is.
fn checkpoint_path(town: &LiveTown, agent: &Address) -> Result<PathBuf, CheckpointError> {
    match agent {
        Address::Polecat(..) | Address::Crew(..) => Ok(town::agent_home(town, agent).join(FILE)),
        other => Err(CheckpointError::NoTree {
            agent: other.to_string(),
        }),
    }
}

/// The checkpoint of an agent; none where it has written none.
pub fn read_checkpoint(
    town: &LiveTown,
    agent: &Address,
) -> Result<Option<Checkpoint>, CheckpointError> {
    let path = checkpoint_path(town, agent)?;
    match file::read_file_if_exists(&path) {
        Ok(None) => Ok(None),
        Ok(Some(bytes)) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|source| CheckpointError::Invalid { path, source }),
        Err(source) => Err(CheckpointError::Io { path, source }),
    }
}

/// The checkpoint that the next session is told of: fresh, and of this bead.
pub fn find_fresh_checkpoint(town: &LiveTown, agent: &Address, bead: &str) -> Option<Checkpoint> {
    // One that cannot be read keeps nobody from its context; `gt checkpoint show` tells of it.
    let found = read_checkpoint(town, agent).ok().flatten()?;
    let age = town
        .clock
        .now()
        .duration_since(Stamp::parse(&found.timestamp).instant());
    (found.hooked_bead == bead && age < FRESH).then_some(found)
}

/// Writes down where the agent stands. Without words of its own those of the last checkpoint of the same bead stay.
pub fn record_checkpoint(
    town: &LiveTown,
    agent: &Address,
    session: &str,
    words: Option<CheckpointNotes>,
) -> anyhow::Result<Checkpoint> {
    let home = checkpoint_path(town, agent)?.with_file_name("");
    let hooked_bead = hook::find_hooked_bead(town, agent).unwrap_or_default();
    let words = words.unwrap_or_else(|| {
        let last = find_fresh_checkpoint(town, agent, &hooked_bead).unwrap_or_default();
        CheckpointNotes {
            notes: last.notes,
            molecule: last.molecule_id,
            step: last.current_step,
        }
    });
    let git = Git::at(home);
    let changes = git.status().unwrap_or_default();
    let changed = changes.into_iter().map(|change| change.path);
    let step_title = match words.step.as_str() {
        "" => String::new(),
        step => town
            .find_bead(step)
            .map_or(String::new(), |found| found.bead.title),
    };
    let checkpoint = Checkpoint {
        molecule_id: words.molecule,
        step_title,
        current_step: words.step,
        modified_files: changed.take(FILES).collect(),
        last_commit: git.resolve("HEAD").ok().flatten().unwrap_or_default(),
        branch: git.head_branch().ok().flatten().unwrap_or_default(),
        hooked_bead,
        timestamp: Stamp::from(town.clock.now()).to_string(),
        session_id: session.to_owned(),
        notes: words.notes,
    };
    let mut text = serde_json::to_vec_pretty(&checkpoint)?;
    text.push(b'\n');
    // Of a work tree that came from elsewhere, too.
    git.exclude(&format!("/{FILE}"))?;
    ConfinedFolder::open(git.folder())?.write(FILE, &text, 0o600)?;
    Ok(checkpoint)
}

/// Removes it; says whether there was one.
pub fn remove_checkpoint(town: &LiveTown, agent: &Address) -> Result<bool, CheckpointError> {
    let path = checkpoint_path(town, agent)?;
    let there = path.exists();
    file::remove_file(&path).map_err(|source| CheckpointError::Io { path, source })?;
    Ok(there)
}

/// Saves what a successor needs when a session may end: a checkpoint, and what is not committed on a hidden
/// ref. An agent without a work tree has nothing to save.
pub fn save_session_state(town: &LiveTown, agent: &Address, session: &str) -> anyhow::Result<()> {
    if checkpoint_path(town, agent).is_err() || !town::agent_home(town, agent).join(".git").exists()
    {
        return Ok(());
    }
    let (rig, name) = match agent {
        Address::Polecat(rig, name) => (rig, name),
        Address::Crew(rig, name) => {
            record_checkpoint(town, agent, session, None)?;
            return Ok(crew::save_uncommitted(town, &town.find_rig(rig)?, name).map(drop)?);
        }
        _ => return Ok(()),
    };
    let layout = town.find_rig(rig)?;
    let beads = town.open_rig_store(&layout)?.snapshot()?;
    let slot = Slot::load(&beads, &Slot::id(&town.prefix_of_rig(rig), rig, name));
    // A session that is over has nothing to say of what its successor does in the same folder.
    let lease = town.env.get("GT_LEASE").map(str::parse);
    if lease.is_some_and(|lease| lease.map(Lease) != Ok(slot.lease)) {
        return Ok(());
    }
    record_checkpoint(town, agent, session, None)?;
    sandbox::save_snapshot(town, &layout, name, &slot)?;
    Ok(())
}
