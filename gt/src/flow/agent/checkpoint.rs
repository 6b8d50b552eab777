//! Records the state of a session's work for the next session of the same agent on the same bead.
//!
//! The record is the file `.polecat-checkpoint.json` in the agent's own worktree, which git
//! ignores. It is written by the agent (`gt checkpoint write`), before a compaction, and at the end
//! of a session ([`save_session_state`]). The notes that the agent wrote survive the two automatic
//! writes. The next context includes the checkpoint if it is younger than a day and of the same
//! bead. Commits and files are read when the checkpoint is written, so it describes that time.

use std::path::PathBuf;

use bd::bead::Stamp;
use jiff::SignedDuration;
use kit::sys::{ConfinedFolder, file};
use serde::{Deserialize, Serialize};

use crate::flow::place::crew;
use crate::flow::place::sandbox;
use crate::host::ended::SessionEnd;
use crate::record::hook;
use crate::record::polecat::Slot;
use crate::record::pulse::SessionPulse;
use crate::town;
use crate::town::Town;
use crate::town::identity::{Address, SessionName};
use crate::town::name::Lease;
use crate::town::sandbox_git::open_tree;

/// The file's name in the worktree.
pub const FILE: &str = ".polecat-checkpoint.json";

/// The age up to which a context includes a checkpoint.
const MAX_SHOWN_AGE: SignedDuration = SignedDuration::from_hours(24);

/// The maximum number of changed files that a checkpoint names.
const MAX_NAMED_FILES: usize = 50;

/// The state of a session's work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Checkpoint {
    /// The molecule that the agent works through.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub molecule_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current_step: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step_title: String,
    /// Changed files without a commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modified_files: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_commit: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// The bead on the hook.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hooked_bead: String,
    /// The time of writing, RFC 3339.
    pub timestamp: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// The agent's own notes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
}

/// The parts of a checkpoint that only the agent can know.
#[derive(Debug, Clone, Default)]
pub struct CheckpointNotes {
    pub notes: String,
    pub molecule: String,
    pub step: String,
}

#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Only agents with a worktree of their own have a checkpoint.
    #[error("{agent} has no checkpoint: only polecats and crew have a work tree of their own")]
    NoTree { agent: String },
    /// The file cannot be read or written.
    #[error("cannot use {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The file is not a checkpoint.
    #[error("{} is no checkpoint: {cause}; `gt checkpoint write` writes a new one", path.display())]
    Invalid {
        path: PathBuf,
        // Named in the message, so that it is not printed twice.
        cause: serde_json::Error,
    },
}

/// Traces of a killed session beyond its checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionRemains {
    /// The end of the session, if it is recorded. The record may be of an earlier session.
    pub how: Option<String>,
    /// The commits on the bead's branch, oldest first, each as a short id and a subject.
    pub commits: Vec<String>,
    /// Uncommitted files, if no checkpoint names them.
    pub files: Vec<String>,
    /// The last tools that the session used, each with its time.
    pub tools: Vec<String>,
}

/// Returns the traces of the last session on a polecat's work, if the polecat was restarted after a
/// crash.
pub fn find_session_remains(
    town: &Town,
    agent: &Address,
    slot: &Slot,
    stood: Option<&Checkpoint>,
) -> Option<SessionRemains> {
    let Address::Polecat(..) = agent else {
        return None;
    };
    let is_first = slot.respawns.is_empty() && slot.lost.is_empty() && slot.refused.is_empty();
    // A session that handed over wrote its own report.
    if is_first || slot.handed_over || slot.base.is_empty() {
        return None;
    }
    let git = open_tree(&town::agent_home(town, agent)).ok()?;
    // Failed git queries are left out.
    let commits = git.commits(&slot.base, "HEAD").into_iter().flatten();
    let changes = match stood {
        Some(_) => Vec::new(),
        None => git.status().unwrap_or_else(|_| Vec::new()),
    };
    let session = SessionName::for_agent(agent)?;
    let ended = slot.ended.as_ref();
    Some(SessionRemains {
        how: ended
            .filter(|ended| ended.lease.next() == slot.lease)
            .map(SessionEnd::describe),
        commits: commits
            .rev()
            .map(|commit| format!("{:.9} {}", commit.id, commit.subject))
            .collect(),
        files: changes
            .into_iter()
            .map(|change| change.display_path())
            .take(MAX_NAMED_FILES)
            .collect(),
        tools: SessionPulse::tools_before(&town.layout, session.as_str(), &slot.token),
    })
}

/// Returns the path of an agent's checkpoint.
fn checkpoint_path(town: &Town, agent: &Address) -> Result<PathBuf, CheckpointError> {
    match agent {
        Address::Polecat(..) | Address::Crew(..) => Ok(town::agent_home(town, agent).join(FILE)),
        other => Err(CheckpointError::NoTree {
            agent: other.to_string(),
        }),
    }
}

/// Reads an agent's checkpoint. None if the agent has written none.
pub fn read_checkpoint(
    town: &Town,
    agent: &Address,
) -> Result<Option<Checkpoint>, CheckpointError> {
    let path = checkpoint_path(town, agent)?;
    match file::read_file_if_exists(&path) {
        Ok(None) => Ok(None),
        Ok(Some(bytes)) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|cause| CheckpointError::Invalid { path, cause }),
        Err(source) => Err(CheckpointError::Io { path, source }),
    }
}

/// Returns the checkpoint for the next session's context: fresh, and of this bead.
pub fn find_fresh_checkpoint(town: &Town, agent: &Address, bead: &str) -> Option<Checkpoint> {
    // An unreadable checkpoint must not block the context. `gt checkpoint show` reports the error.
    let found = read_checkpoint(town, agent).ok().flatten()?;
    let age = town
        .clock
        .now()
        .duration_since(Stamp::parse(&found.timestamp).instant());
    (found.hooked_bead == bead && age < MAX_SHOWN_AGE).then_some(found)
}

/// Writes the agent's checkpoint. Without `words`, the notes of the last checkpoint of the same
/// bead are kept.
pub fn record_checkpoint(
    town: &Town,
    agent: &Address,
    session: &str,
    words: Option<CheckpointNotes>,
) -> anyhow::Result<Checkpoint> {
    let home = checkpoint_path(town, agent)?.with_file_name("");
    // An agent without work may write a checkpoint, too.
    let hooked_bead = hook::find_hooked_bead(town, agent).unwrap_or_else(|_| String::new());
    let words = words.unwrap_or_else(|| {
        let last = find_fresh_checkpoint(town, agent, &hooked_bead).unwrap_or_default();
        CheckpointNotes {
            notes: last.notes,
            molecule: last.molecule_id,
            step: last.current_step,
        }
    });
    let git = open_tree(&home)?;
    let changes = git.status().into_iter().flatten();
    let changed = changes.map(|change| change.display_path());
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
        modified_files: changed.take(MAX_NAMED_FILES).collect(),
        last_commit: git.resolve("HEAD").ok().flatten().unwrap_or_default(),
        branch: git.head_branch().ok().flatten().unwrap_or_default(),
        hooked_bead,
        timestamp: Stamp::from(town.clock.now()).to_string(),
        session_id: session.to_owned(),
        notes: words.notes,
    };
    let mut text = serde_json::to_vec_pretty(&checkpoint)?;
    text.push(b'\n');
    // Also excludes the file in worktrees that this crate did not create.
    git.exclude(&format!("/{FILE}"))?;
    ConfinedFolder::open(git.folder())?.write(FILE, &text, 0o600)?;
    Ok(checkpoint)
}

/// Removes an agent's checkpoint. Returns true if there was one.
pub fn remove_checkpoint(town: &Town, agent: &Address) -> Result<bool, CheckpointError> {
    let path = checkpoint_path(town, agent)?;
    let there = path.exists();
    file::remove_file(&path).map_err(|source| CheckpointError::Io { path, source })?;
    Ok(there)
}

/// Saves the state of a session that may end: writes a checkpoint, and saves the uncommitted work
/// on a hidden ref. Does nothing for an agent without a worktree.
pub fn save_session_state(town: &Town, agent: &Address, session: &str) -> anyhow::Result<()> {
    if checkpoint_path(town, agent).is_err() || !town::agent_home(town, agent).join(".git").exists()
    {
        return Ok(());
    }
    let (rig, name) = match agent {
        Address::Polecat(rig, name) => (rig, name),
        Address::Crew(rig, name) => {
            record_checkpoint(town, agent, session, None)?;
            return Ok(crew::save_uncommitted(&town.find_rig(rig)?, name).map(drop)?);
        }
        _ => return Ok(()),
    };
    let rig = town.find_rig(rig)?;
    let beads = rig.store()?.snapshot()?;
    let slot = Slot::load(&beads, &Slot::id(&rig.prefix(), rig.name(), name));
    // A session that lost its lease must not describe the work of its successor in the same folder.
    let lease = town.env.get("GT_LEASE").map(str::parse);
    if lease.is_some_and(|lease| lease.map(Lease) != Ok(slot.lease)) {
        return Ok(());
    }
    record_checkpoint(town, agent, session, None)?;
    sandbox::save_snapshot(&rig, name, &slot)?;
    Ok(())
}
