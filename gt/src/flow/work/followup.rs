//! Creates follow-ups: new beads that ask for more on finished work, whose workers get a
//! description of the earlier work.
//!
//! A follow-up has the label [`LABEL`] and a `discovered-from` edge to the original bead, or a
//! `blocks` edge with that in its metadata if it waits for the original. A follow-up of a follow-up
//! is linked to the same original, so that the order of all requests is known. Its context
//! ([`read_earlier_work`]) is computed on demand from the beads and from git.

use bd::bead::{Bead, Dep, DepKind, Kind, Status};
use bd::change::{self, NewBead};
use bd::git::Git;
use bd::store::Snapshot;
use serde::Serialize;

use crate::flow::place::discovery::{self, KeptDocument};
use crate::flow::work::convoy::{self, integration};
use crate::record;
use crate::record::attempt::{self, Attempt, AttemptTrace};
use crate::record::merge_request;
use crate::record::molecule::{self, Molecule};
use crate::record::polecat::{self, Slot};
use crate::town::beads::BeadsHome;
use crate::town::event::event;
use crate::town::identity::Address;
use crate::town::{Rig, Town};

pub const LABEL: &str = "gt:followup";

/// The maximum length in characters of a title that is built from a prompt.
const MAX_TITLE: usize = 80;

#[derive(Debug, Clone, Default)]
pub struct FollowupRequest {
    /// The original bead, or the polecat that worked on it.
    pub of: String,
    pub prompt: String,
    /// The title. If empty, the prompt's first line.
    pub title: String,
    /// The priority. If `None`, that of the original.
    pub priority: Option<i64>,
    /// True if it must not start before the original work is merged.
    pub wait: bool,
}

/// A new follow-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FollowupReport {
    pub bead: String,
    pub title: String,
    /// The bead that it follows.
    pub original: String,
    /// The rig, if the bead belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<String>,
    /// The unmerged work from whose tip its branch will start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands_on: Option<UnmergedBase>,
    /// The beads that it waits for.
    pub waits_for: Vec<String>,
    /// The convoy that it was added to, because the original work is only on that convoy's branch
    /// so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convoy: Option<String>,
}

/// Submitted and unmerged work that a follow-up builds on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnmergedBase {
    /// The bead of that work.
    pub bead: String,
    pub request: String,
    pub branch: String,
    pub tip: String,
    /// The branch that the work will be merged into.
    pub target: String,
}

/// The metadata of the edge from a follow-up to its original.
const FOLLOWUP_EDGE: &str = "followup";

/// Defines why a follow-up is refused.
#[derive(Debug, thiserror::Error)]
pub enum FollowupError {
    #[error("a follow-up needs a prompt: say what is wanted")]
    NoPrompt,
    /// The bead is a record, not work.
    #[error("{bead} is {kind}, no work that could be followed up")]
    NoWork { bead: String, kind: String },
    /// The worker has done nothing yet.
    #[error("{polecat} has no work and has finished none: name a bead")]
    NothingDone { polecat: String },
}

/// The earlier work, for the worker of a follow-up.
#[derive(Debug, Clone, Default, Serialize)]
pub struct EarlierWork<'a> {
    /// The bead that it follows.
    pub original: Option<&'a Bead>,
    /// The molecule of the original.
    pub molecule: Option<Molecule>,
    /// The attempts at the original, each with its trace in git.
    pub attempts: Vec<(Attempt, AttemptTrace)>,
    /// The earlier follow-ups, oldest first, each with its attempts.
    pub earlier: Vec<(&'a Bead, Vec<(Attempt, AttemptTrace)>)>,
    /// The path of the specification.
    pub spec: Option<&'a str>,
    /// The unmerged work from which the branch starts.
    pub stands_on: Option<UnmergedBase>,
    /// The discovery documents of the work or of its convoy.
    pub documents: Vec<KeptDocument>,
}

/// Creates a follow-up.
pub fn create_followup(town: &Town, request: &FollowupRequest) -> anyhow::Result<FollowupReport> {
    let prompt = request.prompt.trim();
    anyhow::ensure!(!prompt.is_empty(), FollowupError::NoPrompt);
    let named = match town.find_bead(&request.of) {
        Ok(found) => found,
        Err(error) => match bead_of_worker(town, &request.of)? {
            Some(bead) => town.find_bead(&bead)?,
            None => anyhow::bail!(
                "{error:#} (the last bead of a worker is named by `<rig>/<name>`; `gt polecat list` shows the workers)"
            ),
        },
    };
    let store = named.store;
    let original = {
        let beads = store.snapshot()?;
        let root = original_of(&named.bead).and_then(|id| beads.get(id));
        root.unwrap_or(&named.bead).clone()
    };
    check_can_follow(&original)?;
    let title = match request.title.trim() {
        "" => build_title(prompt),
        title => title.to_owned(),
    };
    let made = town.transact(&store, |tx| {
        let new = NewBead {
            title: title.clone(),
            description: prompt.to_owned(),
            priority: request.priority.unwrap_or(original.priority),
            spec_id: original.spec_id.clone(),
            labels: vec![LABEL.to_owned()],
            ..NewBead::default()
        };
        let made = change::create_bead(tx, new)?;
        // One bead has only one edge to another, so a `blocks` edge notes in its metadata that it
        // is a follow-up.
        let kind = if must_wait(tx, &original.id, request.wait) {
            DepKind::Blocks
        } else {
            DepKind::DiscoveredFrom
        };
        change::add_dep_with_metadata(tx, &made.id, &original.id, kind, FOLLOWUP_EDGE)?;
        Ok(tx.get(&made.id).cloned().unwrap_or(made))
    })?;
    let rig = match named.home {
        BeadsHome::Rig(rig) => Some(rig),
        BeadsHome::Town => None,
    };
    town.record_event(&event!(Followup, bead: made.id, original: original.id, rig: rig));
    let convoy = join_convoy(town, &original.id, &made.id)?;
    let beads = store.snapshot()?;
    let waits = bd::graph::find_blockers(&beads, &made.id);
    Ok(FollowupReport {
        stands_on: find_unmerged_base(&beads, &made),
        waits_for: waits.into_iter().map(str::to_owned).collect(),
        convoy,
        bead: made.id,
        title,
        original: original.id,
        rig,
    })
}

/// Adds a follow-up to the open convoy of the original work, if that convoy has branches of its
/// own. Until it lands, the work is only on those branches. A convoy that is being closed has
/// landed the work.
fn join_convoy(town: &Town, original: &str, bead: &str) -> anyhow::Result<Option<String>> {
    let beads = town.open_town_store()?.snapshot()?;
    let Some(id) = integration::integration_convoy_of(&beads, original) else {
        return Ok(None);
    };
    let integration = beads.get(&id).and_then(integration::read_integration);
    if integration.is_some_and(|own| own.closing) {
        return Ok(None);
    }
    convoy::add_beads(town, &id, &[bead.to_owned()])?;
    Ok(Some(id))
}

/// Returns true if a follow-up must wait until the original is closed: the original is not
/// submitted, or the user asked to wait for the merge. A given-up original is not waited for.
fn must_wait(beads: &Snapshot, original: &str, asked: bool) -> bool {
    let Some(bead) = beads.get(original).filter(|bead| bead.is_open()) else {
        return false;
    };
    match merge_request::find_open_request(beads, original) {
        Some(_) => asked,
        None => attempt::last_given_up_attempt(bead).is_none() || bead.status != Status::Open,
    }
}

/// Returns the unmerged work from which the branch of a follow-up starts: the newest work in the
/// merge queue among the original and its earlier follow-ups.
pub fn find_unmerged_base(beads: &Snapshot, bead: &Bead) -> Option<UnmergedBase> {
    let original = original_of(bead)?;
    let mut chain = earlier_followups(beads, bead, original);
    chain.reverse();
    chain.extend(beads.get(original));
    chain.into_iter().find_map(|earlier_bead| {
        let request = merge_request::find_open_request(beads, &earlier_bead.id)?;
        let receipt = merge_request::receipt_of(request);
        Some(UnmergedBase {
            bead: earlier_bead.id.clone(),
            request: request.id.clone(),
            branch: receipt.branch,
            tip: receipt.tip,
            target: receipt.target,
        })
    })
}

/// Returns the polecat of an address, or of a name that is unique across all rigs.
fn find_worker(town: &Town, text: &str) -> anyhow::Result<Option<(String, String)>> {
    if let Ok(Address::Polecat(rig, name)) = town.parse_address(text) {
        return Ok(Some((rig, name)));
    }
    let mut found = Vec::new();
    for rig in town.list_rigs()? {
        let beads = rig.store()?.snapshot()?;
        if polecat::find_polecat(&rig, &beads, None, text).is_ok() {
            found.push((rig.name().to_owned(), text.to_owned()));
        }
    }
    if found.len() > 1 {
        let names: Vec<String> = found
            .iter()
            .map(|(rig, name)| format!("{rig}/{name}"))
            .collect();
        anyhow::bail!("several workers are called `{text}`: {}", names.join(", "));
    }
    Ok(found.pop())
}

/// Returns the current or last bead of a polecat.
fn bead_of_worker(town: &Town, text: &str) -> anyhow::Result<Option<String>> {
    let Some((rig, name)) = find_worker(town, text)? else {
        return Ok(None);
    };
    let rig = town.find_rig(&rig)?;
    let beads = rig.store()?.snapshot()?;
    let polecat = polecat::find_polecat(&rig, &beads, None, &name)?;
    let now = Slot::load(&beads, &polecat.slot_id).bead.to_string();
    let bead = Some(now).filter(|id| !id.is_empty()).or_else(|| {
        let last = polecat::read_last_completion(&beads, &polecat.bead);
        last.map(|entry| entry.bead)
    });
    match bead {
        Some(bead) => Ok(Some(bead)),
        None => Err(FollowupError::NothingDone {
            polecat: polecat.address().to_string(),
        }
        .into()),
    }
}

fn check_can_follow(bead: &Bead) -> Result<(), FollowupError> {
    let kind = match &bead.issue_type {
        Kind::MergeRequest => "a merge request",
        Kind::Agent => "an agent's record",
        Kind::Convoy => "a convoy",
        _ if merge_request::is_merge_request(bead) => "a merge request",
        _ if bead.ephemeral => "a wisp",
        _ => return Ok(()),
    };
    Err(FollowupError::NoWork {
        bead: bead.id.clone(),
        kind: kind.to_owned(),
    })
}

/// Returns the first line of a prompt, cut at a word.
fn build_title(prompt: &str) -> String {
    let line = prompt.lines().next().unwrap_or("").trim();
    if line.chars().count() <= MAX_TITLE {
        return line.to_owned();
    }
    let cut: String = line.chars().take(MAX_TITLE - 1).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}…", &cut[..end])
}

/// Returns the original of a follow-up.
pub fn original_of(bead: &Bead) -> Option<&str> {
    let edge = bead.dependencies.iter().find(|edge| is_followup_edge(edge));
    edge.filter(|_| bead.has_label(LABEL))
        .map(|edge| edge.depends_on_id.as_str())
}

fn is_followup_edge(edge: &Dep) -> bool {
    match edge.kind {
        DepKind::DiscoveredFrom => true,
        DepKind::Blocks => edge.metadata == FOLLOWUP_EDGE,
        _ => false,
    }
}

/// Returns the earlier follow-ups of the same original, oldest first.
fn earlier_followups<'a>(beads: &'a Snapshot, bead: &Bead, original: &str) -> Vec<&'a Bead> {
    let mut earlier: Vec<&Bead> = beads
        .dependents_of(original)
        .into_iter()
        .filter(|(other, edge)| is_followup_edge(edge) && other.has_label(LABEL))
        .map(|(other, _)| other)
        .filter(|other| other.id != bead.id && sort_key(other) < sort_key(bead))
        .collect();
    earlier.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    earlier
}

/// Returns the earlier work for a follow-up. None for any other bead.
pub fn read_earlier_work<'a>(
    beads: &'a Snapshot,
    git: Option<&Git>,
    bead: &Bead,
) -> Option<EarlierWork<'a>> {
    let original = original_of(bead)?;
    let earlier = earlier_followups(beads, bead, original);
    let original = beads.get(original);
    // The newest specification wins.
    let spec = earlier
        .iter()
        .copied()
        .rev()
        .chain(original)
        .find(|bead| !bead.spec_id.is_empty());
    Some(EarlierWork {
        spec: spec.map(|bead| bead.spec_id.as_str()),
        original,
        molecule: original.and_then(|bead| find_molecule(beads, bead)),
        attempts: original
            .into_iter()
            .flat_map(|bead| attempt::list_traced_attempts(beads, git, bead))
            .collect(),
        earlier: earlier
            .into_iter()
            .map(|bead| (bead, attempt::list_traced_attempts(beads, git, bead)))
            .collect(),
        stands_on: find_unmerged_base(beads, bead),
        documents: Vec::new(),
    })
}

impl EarlierWork<'_> {
    /// Adds the discovery documents of the original. Failed git queries are left out.
    pub fn add_documents(&mut self, town: &Snapshot, rig: &Rig) {
        let Some(original) = self.original else {
            return;
        };
        let convoy = record::convoy::convoy_of_bead(town, &original.id);
        let key = convoy.map_or(original.id.as_str(), |convoy| convoy.id.as_str());
        self.documents = discovery::documents_of(rig, key).unwrap_or_else(|_| Vec::new());
    }
}

fn sort_key(bead: &Bead) -> (jiff::Timestamp, &str) {
    (bead.created_at.instant(), &bead.id)
}

/// Returns the molecule of a bead, or the digest of its squashed molecule.
pub fn find_molecule(beads: &Snapshot, bead: &Bead) -> Option<Molecule> {
    let live = molecule::molecule_of_bead(beads, &bead.id);
    live.or_else(|| molecule::molecule_of_digest(beads, &bead.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_cut_at_a_word() {
        assert_eq!(build_title("Fix the tests\nand more"), "Fix the tests");
        let long = "word ".repeat(40);
        let title = build_title(&long);
        assert!(
            title.chars().count() <= MAX_TITLE && title.ends_with("word…"),
            "{title}"
        );
    }

    #[test]
    fn records_are_not_followed_up() {
        let request = Bead {
            issue_type: Kind::MergeRequest,
            ..Bead::default()
        };
        assert!(check_can_follow(&request).is_err());
        assert!(check_can_follow(&Bead::default()).is_ok());
    }
}
