//! Reads polecats, the workers of a rig. Identity, sandbox and record persist until an explicit
//! nuke. Sessions and branches come and go.

mod assignment;
mod claimed;
mod name;
mod record;
mod slot;
mod state;
mod summary;

use bd::bead::{Bead, Kind};
use bd::change;
use bd::store::{BeadMark, Snapshot, Tx};
use jiff::Timestamp;
use kit::ui::escape;
use serde::Serialize;

pub use assignment::{Assignment, kind_of_work};
pub use claimed::{AgentChoice, Claim};
pub use name::{pick_polecat_name as pick_name, theme_names, theme_of};
pub use record::{
    MergeResult, UNKNOWN_MODEL, WorkCompletion, WorkOutcome, WorkerCompletion, append_completion,
    completion_of_request, move_entries_to_lines, read_all_records, read_completions_since,
    read_last_completion, read_old_entries, read_record, read_records_by_identity,
    record_abandoned, record_merged, record_result,
};
pub use slot::{
    DoneRecord, DoneStep, FailedStep, GivingUp, NudgeCount, SlingInProgress, SlingStep, Slot,
    SlotState, WorkTakenAway,
};
pub use state::{PolecatState, SessionState, StateFacts, derive_state};
pub use summary::{RecordSummary, summarize_records};

use crate::host::ended;
use crate::host::far::host_of_place;
use crate::host::{LiveSession, ProcessEnd, UnreachableHost};
use crate::record::escalation::Escalation;
use crate::record::progress::{self, WorkerProgress};
use crate::record::pulse::ApiRefusal;
use crate::town::identity::{Address, SessionName};
use crate::town::lock::Lock;
use crate::town::{Rig, RigLayout};

/// The current state of a polecat.
#[derive(Debug, Clone)]
pub struct Polecat {
    pub rig: String,
    pub name: String,
    pub bead: Bead,
    /// The id of its local record.
    pub slot_id: String,
    pub slot: Slot,
    /// The bead on the hook.
    pub hook: Option<String>,
    pub state: PolecatState,
    pub why: String,
    pub session: Option<LiveSession>,
    /// The host of its session, if that cannot be asked.
    pub unreachable: Option<UnreachableHost>,
    /// True if a gt process holds its slot.
    pub busy: bool,
    /// The agent program of its sessions. Empty without work.
    pub agent: String,
    /// The last commit in its sandbox, if it has unfinished work.
    pub committed: Option<Timestamp>,
    /// True if it is to work in a sandbox whose folder was removed.
    pub sandbox_gone: bool,
    /// The progress, if the polecat works in a session.
    pub progress: Option<WorkerProgress>,
    /// The open question about its work whose answer it waits for.
    pub asks: Option<AwaitedQuestion>,
    /// The API's refusal that it waits for, or that ended its last session.
    pub refusal: Option<ApiRefusal>,
}

/// An open question of a polecat about the bead on its hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AwaitedQuestion {
    pub escalation: String,
    pub title: String,
}

impl From<Escalation> for AwaitedQuestion {
    fn from(question: Escalation) -> Self {
        Self {
            escalation: question.id,
            title: question.title,
        }
    }
}

impl AwaitedQuestion {
    /// Describes the wait of a worker without a session. `last_words` is the end of its screen.
    pub fn describe(&self, last_words: &str) -> String {
        let title = escape::escape_line(&self.title);
        let last = match last_words.trim() {
            "" => String::new(),
            words => format!("; its last words: {}", escape::escape_line(words)),
        };
        format!(
            "it waits for the answer to {} \"{title}\"{last}",
            self.escalation
        )
    }
}

/// Returns the command that gives a bead to another worker of a rig.
pub fn build_sling_command(bead: &str, rig: &str, host: Option<&str>) -> String {
    let host = host.map(|name| host_of_place(name).unwrap_or(name));
    let host = host.map_or_else(String::new, |host| format!(" --host {host}"));
    format!("gt sling {bead} {rig} --force{host}")
}

impl Polecat {
    pub fn address(&self) -> Address {
        Address::Polecat(self.rig.clone(), self.name.clone())
    }

    /// Returns the other machine on which it works.
    pub fn host(&self) -> Option<&str> {
        let has_work = self.hook.is_some();
        self.slot.host_name.as_deref().filter(|_| has_work)
    }

    /// Returns the command that gives its bead to another worker, on the same machine.
    pub fn command_to_sling(&self, bead: &str) -> String {
        build_sling_command(bead, &self.rig, self.host())
    }

    /// Returns true if a text is the polecat's address, in the long form or that of mail.
    pub fn is_address(&self, text: &str) -> bool {
        is_polecat_address(&self.rig, &self.name, text)
    }

    /// Returns the word for its state on screens. A `gt done` that is tried again and a session that
    /// the patrol ends are no faults, unlike other zombies.
    pub fn state_word(&self) -> &'static str {
        let is_waiting = matches!(self.slot.state, SlotState::Finishing { .. })
            && self
                .slot
                .state
                .failed_done()
                .is_some_and(|failed| failed.retry);
        match self.state {
            PolecatState::Zombie if self.hook.is_none() => "finished",
            PolecatState::Zombie if is_waiting => "hands in",
            state => state.name(),
        }
    }

    /// Returns true if its session runs without the sandbox that it works in. Without a session, the
    /// next start restores the sandbox.
    pub fn has_lost_sandbox(&self) -> bool {
        self.sandbox_gone
            && self
                .session
                .as_ref()
                .is_some_and(|live| live.dead.is_none())
    }

    /// Returns true if the polecat counts against the limit of working polecats. A stuck one does
    /// not, because its session has ended and is not restarted. One that is submitting does,
    /// because it is free in a moment.
    pub fn is_counted_as_working(&self) -> bool {
        self.busy || (self.hook.is_some() && self.slot.state.stuck_reason().is_none())
    }
}

/// The address of a polecat and the ids of its beads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolecatIds {
    pub address: Address,
    /// The id of its identity bead.
    pub agent: String,
    /// The id of its local record.
    pub slot: String,
    /// The prefix of these ids.
    pub prefix: String,
}

impl PolecatIds {
    /// Returns the ids of a polecat by its name.
    pub fn for_polecat(rig: &Rig, name: &str) -> Self {
        Self::with_prefix(&rig.prefix(), rig.name(), name)
    }

    fn with_prefix(prefix: &str, rig: &str, name: &str) -> Self {
        let address = Address::Polecat(rig.to_owned(), name.to_owned());
        Self {
            agent: address.bead_id(prefix),
            slot: Slot::id(prefix, rig, name),
            prefix: prefix.to_owned(),
            address,
        }
    }

    /// Returns the ids of the polecat whose identity bead this is. None for any other bead.
    pub fn from_identity_bead(bead: &Bead) -> Option<Self> {
        let rig = agent_field(bead, &bead.rig, "rig")?;
        let name = name_of(bead, &rig)?;
        let (prefix, _) = bead.id.split_once(&format!("-{rig}-polecat-"))?;
        Some(Self::with_prefix(prefix, &rig, &name))
    }

    /// Returns true if a bead is assigned to this polecat.
    pub fn is_assignee(&self, bead: &Bead) -> bool {
        match &self.address {
            Address::Polecat(rig, name) => is_polecat_address(rig, name, &bead.assignee),
            other => bead.assignee == other.to_string() || bead.assignee == other.mailbox(),
        }
    }
}

/// Returns true if a text is the address of a polecat, in the long form or that of mail. Allocates
/// nothing, because it is called for each pair of worker and bead.
fn is_polecat_address(rig: &str, name: &str, text: &str) -> bool {
    let inside = text
        .strip_prefix(rig)
        .and_then(|rest| rest.strip_prefix('/'));
    inside.is_some_and(|inside| inside.strip_prefix("polecats/").unwrap_or(inside) == name)
}

/// The sessions of the town. None if they cannot be listed.
pub type SessionList<'a> = Option<&'a [LiveSession]>;

/// Returns all polecats of a rig, sorted by name.
pub fn list_polecats(rig: &RigLayout, beads: &Snapshot, sessions: SessionList) -> Vec<Polecat> {
    let without = read_polecat_records(rig, beads);
    without
        .iter()
        .map(|polecat| polecat.with_sessions(sessions))
        .collect()
}

/// A polecat as its beads and files show it, without its session.
pub struct PolecatRecords<'a> {
    rig: String,
    name: String,
    bead: &'a Bead,
    ids: PolecatIds,
    slot: Slot,
    hook: Option<String>,
    hook_closed: bool,
    busy: bool,
    committed: Option<Timestamp>,
    sandbox_gone: bool,
}

/// Reads all polecats of a rig, sorted by name, without their sessions. Can run while another
/// thread lists the sessions.
pub fn read_polecat_records<'a>(rig: &RigLayout, beads: &'a Snapshot) -> Vec<PolecatRecords<'a>> {
    let mut found: Vec<_> = beads
        .select_open(&[BeadMark::Kind(&Kind::Agent), BeadMark::Label("gt:agent")])
        .filter_map(|bead| Some((name_of(bead, rig.name())?, bead)))
        .map(|(name, bead)| PolecatRecords::read(rig, beads, name, bead))
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Returns one polecat of a rig.
pub fn find_polecat(
    rig: &RigLayout,
    beads: &Snapshot,
    sessions: SessionList,
    name: &str,
) -> anyhow::Result<Polecat> {
    list_polecats(rig, beads, sessions)
        .into_iter()
        .find(|polecat| polecat.name == name)
        .ok_or_else(|| {
            anyhow::anyhow!(
                "there is no polecat `{name}` in rig `{}`: not found",
                rig.name()
            )
        })
}

/// Returns the name of the polecat whose identity bead this is. None for any other bead.
pub fn name_of(bead: &Bead, rig: &str) -> Option<String> {
    if !bead.is_agent()
        || agent_field(bead, &bead.role_type, "role_type").as_deref() != Some("polecat")
        || agent_field(bead, &bead.rig, "rig").as_deref() != Some(rig)
    {
        return None;
    }
    let mark = format!("-{rig}-polecat-");
    bead.id.split_once(&mark).map(|(_, name)| name.to_owned())
}

/// Returns a field of an agent's bead. Older clients keep it in the description.
fn agent_field(bead: &Bead, stored: &str, key: &str) -> Option<String> {
    match stored {
        "" => bd::bead::fields::get_field(&bead.description, key),
        text => Some(text.to_owned()),
    }
}

impl<'a> PolecatRecords<'a> {
    fn read(rig: &RigLayout, beads: &Snapshot, name: String, bead: &'a Bead) -> Self {
        let prefix = bead
            .id
            .split_once(&format!("-{}-polecat-", rig.name()))
            .map_or("gt", |(p, _)| p);
        let ids = PolecatIds::with_prefix(prefix, rig.name(), &name);
        let slot = Slot::load(beads, &ids.slot);
        let hook = polecat_hook_of(beads, &ids);
        let hooked = hook.as_deref().and_then(|id| beads.get(id));
        let has_work = hook.is_some() && slot.is_unfinished();
        let busy = !Lock::is_free(&rig.slot_lock(&name));
        let needs_sandbox = has_work && !busy && slot.state == SlotState::Working;
        Self {
            rig: rig.name().to_owned(),
            bead,
            hook_closed: hooked.is_some_and(|bead| !bead.is_open()),
            committed: has_work
                .then(|| progress::last_commit_of_worker(rig, &name))
                .flatten(),
            sandbox_gone: needs_sandbox && !rig.sandbox(&name).join(".git").exists(),
            busy,
            ids,
            slot,
            hook,
            name,
        }
    }

    /// Combines the polecat with its session, if it is among these.
    pub fn with_sessions(&self, sessions: SessionList) -> Polecat {
        let session_name = SessionName::for_agent(&self.ids.address);
        let session = sessions.and_then(|list| {
            list.iter().find(|live| {
                let name = session_name.as_ref();
                name.is_some_and(|name| name.as_str() == live.name)
            })
        });
        let session_state = match (sessions, session) {
            (None, _) => SessionState::Unknown,
            (_, Some(live)) if live.unreachable.is_some() => SessionState::Unknown,
            (_, Some(live)) if live.dead.is_none() => SessionState::Alive,
            _ => SessionState::Gone,
        };
        let slot = &self.slot;
        let seen = StateFacts {
            hook: self.hook.as_deref(),
            hook_closed: self.hook_closed,
            session: session_state,
            busy: self.busy,
            failed_done: slot.state.failed_done(),
            done_begun: slot.state.done_record().is_some(),
            sandbox_gone: self.sandbox_gone,
        };
        let (state, mut why) = derive_state(&seen);
        why.push_str(&explain_state(state, slot, session));
        let unreachable = session.and_then(|live| live.unreachable.as_ref());
        if let Some(host) = unreachable {
            let state = host.describe(|since| format!("{since:.0}"));
            why.push_str(&format!("; {state}"));
        }
        Polecat {
            rig: self.rig.clone(),
            name: self.name.clone(),
            bead: self.bead.clone(),
            slot_id: self.ids.slot.clone(),
            hook: self.hook.clone(),
            state,
            why,
            session: session.filter(|_| unreachable.is_none()).cloned(),
            unreachable: unreachable.cloned(),
            busy: self.busy,
            agent: String::new(),
            committed: self.committed,
            sandbox_gone: self.sandbox_gone,
            progress: None,
            asks: None,
            refusal: None,
            slot: slot.clone(),
        }
    }
}

/// Describes the state of a worker whose session has ended: the end, and if it is retried.
fn explain_state(state: PolecatState, slot: &Slot, session: Option<&LiveSession>) -> String {
    let mut why = String::new();
    if state == PolecatState::Stalled {
        why.push_str(&describe_last_end(slot, session));
    }
    if matches!(state, PolecatState::Stalled | PolecatState::Zombie)
        && slot.state.stuck_reason().is_some()
    {
        let again = if slot.state.is_retried() {
            "tried again later, less often each time"
        } else {
            "not started again automatically"
        };
        why.push_str(&format!("; it is {again}"));
    }
    why
}

/// Describes the end of a stalled polecat's last session.
fn describe_last_end(slot: &Slot, session: Option<&LiveSession>) -> String {
    // tmux does not know the exit code at once.
    let ended = session
        .filter(|live| live.dead != Some(ProcessEnd::Unknown))
        .and_then(ended::describe_dead_session)
        .or_else(|| {
            let kept = slot.ended.as_ref()?;
            (kept.lease == slot.lease).then(|| kept.describe())
        });
    ended.map_or_else(String::new, |how| format!(", the last one ended {how}"))
}

/// Returns the bead on a polecat's hook: the hooked one that is assigned to it, otherwise the one
/// that its identity bead names, if it is hooked to the polecat.
pub fn polecat_hook_of(beads: &Snapshot, ids: &PolecatIds) -> Option<String> {
    use bd::bead::Status;
    let agent = beads.get(&ids.agent);
    let named = agent
        .filter(|agent| !agent.hook_bead.is_empty())
        .and_then(|agent| beads.get(&agent.hook_bead))
        .filter(|bead| ids.is_assignee(bead));
    let hooked = named.or_else(|| {
        beads
            .select_open(&[BeadMark::Status(&Status::Hooked)])
            .find(|bead| ids.is_assignee(bead))
    });
    hooked.map(|bead| bead.id.clone())
}

/// Creates the identity bead of a new polecat in a transaction, or reopens it after a nuke.
pub fn reserve_identity(tx: &mut Tx, rig: &str, name: &str, bead_id: &str) -> anyhow::Result<Bead> {
    use bd::bead::Status;
    let now = tx.now();
    // A worker may have created another bead under this id, and could change it.
    let stored = tx.get(bead_id).filter(|bead| bead.is_agent());
    let mut bead = stored.cloned().unwrap_or_else(|| Bead {
        id: bead_id.to_owned(),
        title: format!("Polecat {name} of {rig}"),
        issue_type: Kind::Agent,
        labels: vec![
            "gt:agent".to_owned(),
            format!("rig:{rig}"),
            "role_type:polecat".to_owned(),
        ],
        created_at: now.clone(),
        created_by: tx.actor().to_owned(),
        ..Bead::default()
    });
    change::mark_open(&mut bead, Status::Open, &now);
    bead.role_type = "polecat".to_owned();
    bead.rig = rig.to_owned();
    Ok(bead)
}

/// Sets hook and state of an identity bead, in its own fields and in the lines of its description
/// for older clients.
pub fn set_hook(bead: &mut Bead, hook: Option<&str>, state: &str, now: &bd::bead::Stamp) {
    use bd::bead::fields::set_field;
    bead.hook_bead = hook.unwrap_or("").to_owned();
    bead.agent_state = state.into();
    bead.last_activity = Some(now.clone());
    bead.updated_at = now.clone();
    let described = set_field(&bead.description, "role_type", Some(&bead.role_type));
    let described = set_field(&described, "rig", Some(&bead.rig));
    let described = set_field(&described, "agent_state", Some(state));
    bead.description = set_field(&described, "hook_bead", Some(hook.unwrap_or("null")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_session_is_reported_once_it_is_detected() {
        let description = |end| {
            let live = LiveSession {
                dead: Some(end),
                ..LiveSession::default()
            };
            describe_last_end(&Slot::default(), Some(&live))
        };
        assert_eq!(
            description(ProcessEnd::Exit(7)),
            ", the last one ended with exit code 7"
        );
        assert_eq!(description(ProcessEnd::Unknown), "");
    }
}
