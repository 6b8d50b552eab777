//! Models a forge: pull requests, and the people who review, merge and close them.

use jiff::{SignedDuration, Timestamp};

use super::ChaosKind;
use super::queue::{chain_of, push};
use super::town::{BeadPlace, SimTown};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PullStage {
    Open,
    Merged,
    Closed,
}

/// A pull request.
#[derive(Debug, Clone)]
pub(super) struct SimPull {
    rig: usize,
    /// The bead after which its branch is named.
    root: usize,
    pub stage: PullStage,
    /// The request whose work it has, and the tip of the target below it.
    pub head: usize,
    pub onto: (usize, usize),
    pub is_approved: bool,
    /// The number of reviews that requested changes.
    pub change_requests: u32,
    /// The time at which a person acts on it.
    acts_at: Timestamp,
}

impl SimPull {
    /// Returns the bead of an open pull request.
    pub(super) fn open_root(&self) -> Option<usize> {
        (self.stage == PullStage::Open).then_some(self.root)
    }
}

/// Returns the bead whose branch a request's pull request has.
fn root_of(town: &SimTown, request: usize) -> usize {
    let chain = chain_of(town, request);
    town.requests[*chain.last().unwrap_or(&request)].bead
}

/// Pushes the branch of a request, and opens its pull request, unless it has an open one.
pub(super) fn open_or_update(
    town: &mut SimTown,
    rig: usize,
    request: usize,
    onto: (usize, usize),
) -> usize {
    let root = root_of(town, request);
    let is_known = |pull: &SimPull| pull.root == root && pull.stage == PullStage::Open;
    if let Some(known) = town.pulls.iter().position(is_known) {
        let pull = &mut town.pulls[known];
        (pull.head, pull.onto) = (request, onto);
        return known;
    }
    let acts_at = draw_time(town);
    town.pulls.push(SimPull {
        rig,
        root,
        stage: PullStage::Open,
        head: request,
        onto,
        is_approved: false,
        change_requests: 0,
        acts_at,
    });
    town.pulls.len() - 1
}

fn draw_time(town: &mut SimTown) -> Timestamp {
    town.now + SignedDuration::from_mins(town.rng.i64(2..120))
}

/// Merges a pull request, if it has the expected work on the current target.
pub(super) fn merge(town: &mut SimTown, pull: usize, request: usize) -> bool {
    let found = &town.pulls[pull];
    let (rig, target) = (found.rig, &town.targets[found.rig]);
    let is_current = found.onto == (target.landed.len(), target.foreign);
    if found.stage != PullStage::Open || found.head != request || !is_current {
        return false;
    }
    let onto = found.onto;
    town.pulls[pull].stage = PullStage::Merged;
    push(town, rig, onto, &[request]);
    true
}

/// Closes the pull request of a withdrawn request, if its bead needs no work any more.
pub(super) fn close_unneeded(town: &mut SimTown, request: usize) {
    let root = root_of(town, request);
    if let Some(pull) = town.requests[request].pull
        && town.beads[root].place == BeadPlace::Closed
        && town.pulls[pull].stage == PullStage::Open
    {
        town.pulls[pull].stage = PullStage::Closed;
    }
}

/// Lets people act whose time has come: they approve, request changes, merge or close.
pub(super) fn step(town: &mut SimTown) {
    for pull in 0..town.pulls.len() {
        let found = &town.pulls[pull];
        if found.stage == PullStage::Open && found.acts_at <= town.now {
            act(town, pull);
            town.pulls[pull].acts_at = draw_time(town);
        }
    }
}

/// Lets a person act between two steps of the queue.
pub(super) fn interfere(town: &mut SimTown) {
    if !town.pulls.is_empty() && town.is_struck(ChaosKind::Forge, 40) {
        let pull = town.rng.usize(..town.pulls.len());
        if town.pulls[pull].stage == PullStage::Open {
            act(town, pull);
        }
    }
}

fn act(town: &mut SimTown, pull: usize) {
    let deed = match town.rng.u8(..10) {
        0..5 => {
            town.pulls[pull].is_approved = true;
            "approved"
        }
        5..7 => {
            let found = &mut town.pulls[pull];
            found.change_requests += 1;
            found.is_approved = false;
            "sent back"
        }
        7..9 => {
            let head = town.pulls[pull].head;
            if merge(town, pull, head) {
                "merged"
            } else {
                "not merged, as it is behind,"
            }
        }
        _ => {
            town.pulls[pull].stage = PullStage::Closed;
            "closed"
        }
    };
    town.log_line(&format!("pull request {pull} was {deed} by a person"));
}
