//! Lists past sessions, searches their transcripts, and asks one of them.
//!
//! A session is known from the event of its start (`session_start`) and from the transcript that
//! its agent program stores ([`transcript`]). Either may be missing. Asking forks a session: the
//! program resumes a copy of the conversation, and the original stays unchanged
//! ([`ask_session()`]).

mod ask;
pub mod conversation;
mod numbers;
mod recorded;
pub mod search;
pub mod transcript;
pub mod usage;
pub mod window;

use std::collections::BTreeMap;
use std::path::PathBuf;

use bd::bead::Stamp;
use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use kit::ui::counted;
use serde::Serialize;
use serde_json::{Map, Value};

pub use ask::{AskError, COPY, SeanceResult, ask_session};
pub use numbers::{SessionNumbers, propose_handoff, read_file_numbers, read_session_numbers};

use self::transcript::{Transcript, TranscriptFile};
use crate::town;
use crate::town::Town;
use crate::town::event::{Event, EventLine, NewestEvents};
use crate::town::identity::Address;

/// The age of sessions that are looked for first.
const RECENT_AGE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Selects sessions.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// A part of the role or address.
    pub role: Option<String>,
    pub rig: Option<String>,
    /// The earliest start.
    pub since: Option<Timestamp>,
    /// The bead that the session worked on.
    pub bead: Option<String>,
}

/// A past session, in the form of its start event.
#[derive(Debug, Clone, Serialize)]
pub struct PastSession {
    /// The start time, RFC 3339.
    pub ts: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub actor: String,
    /// The data of the event. Empty if only the transcript is known.
    pub payload: Map<String, Value>,
    pub session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The program's transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
    /// The bead on the hook at the start.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bead: String,
    /// The agent program's name in the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// True if the session ended with a handoff to a successor.
    pub handed_off: bool,
}

impl PastSession {
    fn start_time(&self) -> Timestamp {
        Stamp::parse(&self.ts).instant()
    }
}

/// Returns the sessions of the town, newest first.
pub fn list_sessions(town: &Town, wanted: &SessionFilter) -> anyhow::Result<Vec<PastSession>> {
    let mut sessions = collect_sessions(town, None)?;
    sessions.retain(|session| is_match(session, wanted));
    Ok(sessions)
}

/// Returns the sessions with an event or a change of their transcript since a time, newest first.
/// Reads no older events and transcripts, so that it takes no longer in an old town.
pub fn list_recent_sessions(town: &Town, since: Timestamp) -> anyhow::Result<Vec<PastSession>> {
    collect_sessions(town, Some(since))
}

/// Returns the sessions that are known from their transcripts or from events since a time.
fn collect_sessions(town: &Town, since: Option<Timestamp>) -> anyhow::Result<Vec<PastSession>> {
    let events = read_session_events(town, since)?;
    let mut found: BTreeMap<String, PastSession> = BTreeMap::new();
    for session in events.iter().filter_map(session_from_event) {
        // A session that is resumed, cleared or compacted counts once.
        if !session.session_id.is_empty() {
            found.entry(session.session_id.clone()).or_insert(session);
        }
    }
    // A program names the folder of a session without links.
    let homes: BTreeMap<PathBuf, (Address, PathBuf)> = list_agent_homes(town)?
        .into_iter()
        .map(|(agent, home)| {
            let real = std::fs::canonicalize(&home).unwrap_or_else(|_| home.clone());
            (real, (agent, home))
        })
        .collect();
    let folders: Vec<PathBuf> = homes.keys().cloned().collect();
    for (folder, known) in transcript::list_transcripts(town, &folders, since) {
        // A copy that a seance created is not a session of the town.
        if known.place.is_copy() && !found.contains_key(&known.id) {
            continue;
        }
        if let Some((agent, home)) = homes.get(&folder) {
            let session = found
                .entry(known.id.clone())
                .or_insert_with(|| session_from_transcript(agent, home, &known));
            session.transcript = Some(known.place);
        }
    }
    for (agent, known) in transcript::far::list_far_transcripts(town, since) {
        let home = town::agent_home(town, &agent);
        let session = found
            .entry(known.id.clone())
            .or_insert_with(|| session_from_transcript(&agent, &home, &known));
        if session.transcript.is_none() {
            session.transcript =
                transcript::find_transcript(town, &session.session_id).map(Transcript::Lines);
        }
        // A host names any session, also those of another worker or of this machine.
        if session.actor == agent.to_string() && session.transcript.is_none() {
            session.transcript = Some(known.place);
        }
    }
    let mut sessions: Vec<PastSession> = found.into_values().collect();
    for session in &mut sessions {
        if session.transcript.is_none() {
            session.transcript =
                transcript::find_transcript(town, &session.session_id).map(Transcript::Lines);
        }
    }
    sessions.sort_by(|a, b| (b.start_time(), &b.session_id).cmp(&(a.start_time(), &a.session_id)));
    mark_handoffs(&mut sessions, &events);
    Ok(sessions)
}

/// Returns the starts and handoffs of sessions since a time, oldest first.
fn read_session_events(town: &Town, since: Option<Timestamp>) -> std::io::Result<Vec<EventLine>> {
    let newest = NewestEvents::new(&town.layout)?
        .since(since)
        .of_kinds(&["session_start", "handoff"]);
    let mut events: Vec<EventLine> = newest
        .filter(|line| {
            line.as_ref().map_or(true, |line| {
                matches!(line.kind.as_str(), "session_start" | "handoff")
            })
        })
        .collect::<Result<_, _>>()?;
    events.reverse();
    Ok(events)
}

fn session_from_event(line: &EventLine) -> Option<PastSession> {
    let Event::SessionStart(start) = line.to_event() else {
        return None;
    };
    Some(PastSession {
        ts: line.ts.clone(),
        kind: "session_start",
        actor: line.actor.clone(),
        session_id: start.session_id,
        cwd: Some(start.cwd).filter(|cwd| !cwd.as_os_str().is_empty()),
        transcript: Some(PathBuf::from(&start.transcript))
            .filter(|path| path.is_file())
            .map(Transcript::Lines),
        bead: start.bead,
        agent: (!start.agent.is_empty()).then_some(start.agent),
        payload: line.payload.clone(),
        handed_off: false,
    })
}

/// Builds a session of which only the transcript is known.
fn session_from_transcript(
    agent: &Address,
    home: &std::path::Path,
    known: &TranscriptFile,
) -> PastSession {
    PastSession {
        ts: known.began.clone(),
        kind: "session_start",
        actor: agent.to_string(),
        payload: Map::new(),
        session_id: known.id.clone(),
        cwd: Some(home.to_owned()),
        transcript: None,
        bead: String::new(),
        agent: Some(known.agent.to_owned()),
        handed_off: false,
    }
}

/// Marks the sessions that ended with a handoff: each handoff ended the agent's session that
/// started last before it. Sessions are sorted newest first. Events have whole seconds, so within a
/// second the order of the log decides.
fn mark_handoffs(sessions: &mut [PastSession], events: &[EventLine]) {
    let mut starts: BTreeMap<String, usize> = BTreeMap::new();
    for (number, line) in events.iter().enumerate() {
        if let Event::SessionStart(start) = line.to_event() {
            starts.entry(start.session_id).or_insert(number);
        }
    }
    for (number, line) in events.iter().enumerate() {
        let Event::Handoff(handoff) = line.to_event() else {
            continue;
        };
        let at = Stamp::parse(&line.ts).instant();
        let agent = handoff.agent.as_ref().unwrap_or(&line.actor);
        // Sessions of the same second are sorted by their ids.
        let last_before = sessions
            .iter_mut()
            .filter(|session| {
                session.actor == *agent
                    && match starts.get(&session.session_id) {
                        Some(start) => *start < number,
                        None => session.start_time() <= at,
                    }
            })
            .max_by_key(|session| {
                let start = starts.get(&session.session_id).copied();
                (session.start_time(), start)
            });
        if let Some(session) = last_before {
            session.handed_off = true;
        }
    }
}

fn is_match(session: &PastSession, wanted: &SessionFilter) -> bool {
    let actor = session.actor.to_lowercase();
    let bead = wanted.bead.as_ref();
    [&wanted.role, &wanted.rig]
        .into_iter()
        .flatten()
        .all(|part| actor.contains(&part.to_lowercase()))
        && wanted
            .since
            .is_none_or(|since| session.start_time() >= since)
        && bead.is_none_or(|bead| session.bead == *bead)
}

/// Returns the only session with this id or this prefix of an id.
pub fn find_session(town: &Town, id: &str) -> anyhow::Result<PastSession> {
    // Most wanted sessions are young, and are found without reading the events of years.
    let since = town.clock.now().checked_sub(RECENT_AGE)?;
    let recent = list_recent_sessions(town, since)?;
    if let Some(found) = recent.into_iter().find(|session| session.session_id == id) {
        return Ok(found);
    }
    let all = list_sessions(town, &SessionFilter::default())?;
    let mut found: Vec<PastSession> = all
        .into_iter()
        .filter(|session| session.session_id.starts_with(id) && !id.is_empty())
        .collect();
    if let Some(at) = found.iter().position(|session| session.session_id == id) {
        return Ok(found.swap_remove(at));
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => anyhow::bail!("no session `{id}`: not found; `gt seance` lists those that there were"),
        many => {
            let ids: Vec<&str> = found
                .iter()
                .map(|session| session.session_id.as_str())
                .collect();
            anyhow::bail!(
                "`{id}` is the beginning of {many} sessions: {}",
                ids.join(", ")
            )
        }
    }
}

/// Returns the sessions of a bead or an agent, oldest first, otherwise the one with this id or
/// prefix of an id. Only sessions with a transcript are returned; it is an error if there is none.
pub fn find_recorded_sessions(town: &Town, name: &str) -> anyhow::Result<Vec<PastSession>> {
    let all = list_sessions(town, &SessionFilter::default())?;
    let agent = town.parse_agent(name).ok().map(|agent| agent.to_string());
    let is_session = all.iter().any(|session| session.session_id == name);
    let mut found: Vec<PastSession> = all
        .into_iter()
        .filter(|session| {
            if is_session {
                session.session_id == name
            } else {
                session.bead == name || agent.as_ref() == Some(&session.actor)
            }
        })
        .collect();
    if found.is_empty() {
        found.push(find_session(town, name)?);
    }
    found.reverse();
    let count = found.len();
    found.retain(|session| session.transcript.is_some());
    anyhow::ensure!(
        !found.is_empty(),
        "{} of {} left no transcript: its program stores none, or it is gone",
        counted(count, "session"),
        kit::ui::escape::escape_line(name)
    );
    Ok(found)
}

/// Returns the agents whose sessions may have left a transcript, with their working folders.
fn list_agent_homes(town: &Town) -> anyhow::Result<Vec<(Address, PathBuf)>> {
    let mut agents = vec![Address::Mayor, Address::Deacon];
    for rig in town.list_rigs()? {
        let name = rig.name().to_owned();
        agents.push(Address::Witness(name.clone()));
        agents.push(Address::Refinery(name.clone()));
        for worker in file::list_subfolders(&rig.polecats()) {
            agents.push(Address::Polecat(name.clone(), worker));
        }
        for worker in file::list_subfolders(&rig.crew_folder()) {
            agents.push(Address::Crew(name.clone(), worker));
        }
    }
    Ok(agents
        .into_iter()
        .map(|agent| {
            let home = town::agent_home(town, &agent);
            (agent, home)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(kind: &str, ts: &str, actor: &str, id: &str) -> EventLine {
        let event =
            json!({ "ts": ts, "type": kind, "actor": actor, "payload": { "session_id": id } });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn a_handover_marks_the_session_that_it_ended() {
        let begun = [
            event("session_start", "2026-01-01T10:00:00Z", "mayor", "a"),
            event("session_start", "2026-01-01T12:00:00Z", "mayor", "b"),
            event(
                "session_start",
                "2026-01-01T11:00:00Z",
                "web/polecats/nux",
                "c",
            ),
        ];
        let mut sessions: Vec<PastSession> = begun.iter().filter_map(session_from_event).collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.start_time()));
        let handed = [event("handoff", "2026-01-01T11:30:00Z", "mayor", "")];
        mark_handoffs(&mut sessions, &handed);
        let marked: Vec<&str> = sessions
            .iter()
            .filter(|session| session.handed_off)
            .map(|session| session.session_id.as_str())
            .collect();
        assert_eq!(marked, ["a"]);
    }

    #[test]
    fn a_handover_marks_the_earlier_of_two_sessions_in_the_same_second() {
        let at = "2026-01-01T10:00:00Z";
        let events = [
            event("session_start", at, "mayor", "b-old"),
            event("handoff", at, "mayor", ""),
            event("session_start", at, "mayor", "c-new"),
            event("session_start", at, "mayor", "a-newer"),
        ];
        let mut sessions: Vec<PastSession> = events.iter().filter_map(session_from_event).collect();
        sessions.sort_by(|a, b| b.session_id.cmp(&a.session_id));
        mark_handoffs(&mut sessions, &events);
        let marked = sessions.iter().filter(|session| session.handed_off);
        let ids: Vec<&str> = marked.map(|session| session.session_id.as_str()).collect();
        assert_eq!(ids, ["b-old"]);
    }

    #[test]
    fn sessions_are_selected_by_address_part_time_and_bead() {
        let mut session = session_from_event(&event(
            "session_start",
            "2026-01-01T10:00:00Z",
            "Web/polecats/nux",
            "a",
        ))
        .unwrap();
        session.bead = "w-1".to_owned();
        let fits = |wanted: SessionFilter| is_match(&session, &wanted);
        assert!(fits(SessionFilter::default()));
        assert!(fits(SessionFilter {
            role: Some("POLECAT".into()),
            rig: Some("web".into()),
            ..SessionFilter::default()
        }));
        assert!(!fits(SessionFilter {
            rig: Some("api".into()),
            ..SessionFilter::default()
        }));
        assert!(!fits(SessionFilter {
            bead: Some("w-2".into()),
            ..SessionFilter::default()
        }));
        let later = Some("2026-01-01T10:00:01Z".parse().unwrap());
        assert!(!fits(SessionFilter {
            since: later,
            ..SessionFilter::default()
        }));
    }
}
