//! Asking for more on work that was done: a bead of its own, whose worker is told what was done before.
//!
//! A follow-up is linked to the bead that it follows by a `discovered-from` edge and has the label
//! [`LABEL`]; one to a follow-up is linked to the same original, so that all requests on a piece of work are
//! known in their order. Its context ([`context`]) is made when it is asked for, from the beads and from git.

use bd::bead::{Bead, DepKind, Kind};
use bd::change::{self, New};
use bd::git::Git;
use bd::store::Snapshot;
use serde::Serialize;

use crate::host::LiveTown;
use crate::record::attempt::{self, Attempt, Trace};
use crate::record::merge_request;
use crate::record::molecule::{self, Molecule};
use crate::record::polecat::{self, Slot};
use crate::town::beads::BeadsHome;
use crate::town::event::event;
use crate::town::identity::Address;

/// The label of a follow-up.
pub const LABEL: &str = "gt:followup";

/// A title made of a request has at most so many characters.
const TITLE: usize = 80;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct FollowupRequest {
    /// The bead that was worked on, or the polecat that did it.
    pub of: String,
    /// What is wanted now.
    pub prompt: String,
    /// The title; made of the prompt's first line where it is empty.
    pub title: String,
    /// The priority; that of the original where none is given.
    pub priority: Option<i64>,
}

/// A follow-up that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Made {
    /// The new bead.
    pub bead: String,
    /// Its title.
    pub title: String,
    /// The bead that it follows.
    pub original: String,
    /// The rig, where it is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
}

/// Why no follow-up is made.
#[derive(Debug, thiserror::Error)]
pub enum FollowupError {
    /// Nothing is asked for.
    #[error("a follow-up needs a prompt: say what is wanted")]
    NoPrompt,
    /// It is a record, not work.
    #[error("{bead} is {kind}, no work that could be followed up")]
    NoWork {
        /// The bead.
        bead: String,
        /// What it is.
        kind: String,
    },
    /// The worker has done nothing yet.
    #[error("{polecat} has no work and has finished none: name a bead")]
    NothingDone {
        /// Its address.
        polecat: String,
    },
}

/// What the worker of a follow-up is told of what was done before.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Before<'a> {
    /// The bead that it follows.
    pub original: Option<&'a Bead>,
    /// The molecule that was run for it.
    pub molecule: Option<Molecule>,
    /// The attempts at it, each with what git has of it.
    pub attempts: Vec<(Attempt, Trace)>,
    /// The follow-ups before this one, oldest first.
    pub earlier: Vec<&'a Bead>,
}

/// Makes a follow-up.
pub fn make(town: &LiveTown, request: &FollowupRequest) -> anyhow::Result<Made> {
    let prompt = request.prompt.trim();
    anyhow::ensure!(!prompt.is_empty(), FollowupError::NoPrompt);
    let named = match town.find_bead(&request.of) {
        Ok(found) => found,
        Err(error) => match bead_of_worker(town, &request.of)? {
            Some(bead) => town.find_bead(&bead)?,
            None => anyhow::bail!("{error:#} (a polecat is named `<rig>/<name>`)"),
        },
    };
    let store = named.store;
    let original = {
        let beads = store.snapshot()?;
        let root = original_of(&named.bead).and_then(|id| beads.get(id));
        root.unwrap_or(&named.bead).clone()
    };
    check(&original)?;
    let title = match request.title.trim() {
        "" => title_of(prompt),
        title => title.to_owned(),
    };
    let made = town.transact(&store, |tx| {
        let new = New {
            title: title.clone(),
            description: prompt.to_owned(),
            priority: request.priority.unwrap_or(original.priority),
            spec_id: original.spec_id.clone(),
            labels: vec![LABEL.to_owned()],
            deps: vec![(DepKind::DiscoveredFrom, original.id.clone())],
            ..New::default()
        };
        Ok(change::create(tx, new)?)
    })?;
    let rig = match named.home {
        BeadsHome::Rig(rig) => Some(rig),
        BeadsHome::Town => None,
    };
    town.tell(&event!(Followup, bead: made.id, original: original.id, rig: rig));
    Ok(Made {
        bead: made.id,
        title,
        original: original.id,
        rig,
    })
}

/// The bead that a polecat has, or had last.
fn bead_of_worker(town: &LiveTown, text: &str) -> anyhow::Result<Option<String>> {
    let Ok(Address::Polecat(rig, name)) = town.address(text) else {
        return Ok(None);
    };
    let layout = town.rig(&rig)?;
    let beads = town.rig_store(&layout)?.snapshot()?;
    let polecat = polecat::one(&layout, &beads, None, &name)?;
    let now = Slot::load(&beads, &polecat.slot_id).bead.to_string();
    let last = || polecat::read_record(&polecat.bead).pop();
    let bead = Some(now)
        .filter(|id| !id.is_empty())
        .or_else(|| last().map(|entry| entry.bead));
    match bead {
        Some(bead) => Ok(Some(bead)),
        None => Err(FollowupError::NothingDone {
            polecat: polecat.address().to_string(),
        }
        .into()),
    }
}

fn check(bead: &Bead) -> Result<(), FollowupError> {
    let kind = match &bead.issue_type {
        Kind::MergeRequest => "a merge request",
        Kind::Agent => "an agent's record",
        Kind::Convoy => "a convoy",
        _ if merge_request::is_request(bead) => "a merge request",
        _ if bead.ephemeral => "a wisp",
        _ => return Ok(()),
    };
    Err(FollowupError::NoWork {
        bead: bead.id.clone(),
        kind: kind.to_owned(),
    })
}

/// The first line of a request, cut at a word.
fn title_of(prompt: &str) -> String {
    let line = prompt.lines().next().unwrap_or_default().trim();
    if line.chars().count() <= TITLE {
        return line.to_owned();
    }
    let cut: String = line.chars().take(TITLE - 1).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}…", &cut[..end])
}

/// The bead that this one follows, if it is a follow-up.
pub fn original_of(bead: &Bead) -> Option<&str> {
    let edge = bead.edges(&DepKind::DiscoveredFrom).next();
    edge.filter(|_| bead.has_label(LABEL))
        .map(|edge| edge.depends_on_id.as_str())
}

/// What was done before a follow-up; nothing for any other bead.
pub fn context<'a>(beads: &'a Snapshot, git: Option<&Git>, bead: &Bead) -> Option<Before<'a>> {
    let original = original_of(bead)?;
    let mut earlier: Vec<&Bead> = beads
        .dependents_of(original)
        .into_iter()
        .filter(|(other, edge)| edge.kind == DepKind::DiscoveredFrom && other.has_label(LABEL))
        .map(|(other, _)| other)
        .filter(|other| other.id != bead.id && order(other) < order(bead))
        .collect();
    earlier.sort_by(|a, b| order(a).cmp(&order(b)));
    let original = beads.get(original);
    Some(Before {
        original,
        molecule: original.and_then(|bead| molecule(beads, bead)),
        attempts: original
            .map(|bead| attempt::traced(beads, git, bead))
            .unwrap_or_default(),
        earlier,
    })
}

fn order(bead: &Bead) -> (jiff::Timestamp, &str) {
    (bead.created_at.instant(), &bead.id)
}

/// The molecule that a bead has, or the digest of the one by which it was done.
pub fn molecule(beads: &Snapshot, bead: &Bead) -> Option<Molecule> {
    let live = molecule::of_bead(beads, &bead.id);
    live.or_else(|| molecule::of_digest(beads, &bead.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_cut_at_a_word() {
        assert_eq!(title_of("Fix the tests\nand more"), "Fix the tests");
        let long = "word ".repeat(40);
        let title = title_of(&long);
        assert!(
            title.chars().count() <= TITLE && title.ends_with("word…"),
            "{title}"
        );
    }

    #[test]
    fn records_are_not_followed_up() {
        let request = Bead {
            issue_type: Kind::MergeRequest,
            ..Bead::default()
        };
        assert!(check(&request).is_err());
        assert!(check(&Bead::default()).is_ok());
    }
}
