//! Models the merge queue of a rig: requests that land together, the search for the one that fails,
//! and tasks that repair it. The run may be killed between any two steps, and other people act
//! there. The next run starts again from the requests and the target.

use std::collections::{BTreeMap, BTreeSet};

use gt::flow::work::mq::PrefixSearch;
use jiff::{SignedDuration, Timestamp};

use super::ChaosKind;
use super::forge;
use super::town::{BeadPlace, SimBead, SimTown};
use super::user;

/// The interval of looks at a pull request.
const POLL: SignedDuration = SignedDuration::from_mins(2);

/// The change that an attempt at a bead makes.
#[derive(Debug, Clone, Default)]
pub(super) struct SimChange {
    /// The gate fails with it.
    pub is_red: bool,
    /// The gate fails with both it and the work of this bead.
    pub red_with: Option<usize>,
    /// The number of the shared file that it changes.
    pub file: Option<u8>,
    /// The length of the target from which the worker started.
    pub base: usize,
}

/// A merge request.
#[derive(Debug, Clone)]
pub(super) struct SimMerge {
    pub bead: usize,
    /// The attempt at the bead that submitted it.
    pub attempt: u32,
    pub change: SimChange,
    pub is_open: bool,
    /// The request that it stands for, as the result of a task.
    pub resolves: Option<usize>,
    /// The open task that it waits for.
    pub task: Option<usize>,
    /// The recorded pull request, and the number of its change requests that are answered.
    pub pull: Option<usize>,
    pub answered: u32,
    pub look_at: Timestamp,
}

/// The target branch of a rig.
#[derive(Debug, Clone, Default)]
pub(super) struct SimTarget {
    /// The requests whose work it contains, in order.
    pub landed: Vec<usize>,
    /// The number of pushes by other people.
    pub foreign: usize,
}

impl SimTarget {
    fn tip(&self) -> (usize, usize) {
        (self.landed.len(), self.foreign)
    }
}

/// The end of a run by a kill.
#[derive(Debug)]
pub(super) struct Killed;

type Step<T> = Result<T, Killed>;

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// An outside problem was in the way.
    Later,
    /// Waits for its pull request, without news.
    Waits,
}

struct QueueRun {
    rig: usize,
    seen: BTreeSet<usize>,
    is_batching: bool,
    /// The tip that passed in the search for the request that is handled.
    passing: Option<(usize, usize)>,
    /// The results of gates by the requests in the tree, and the pushes of other people.
    known: BTreeMap<(Vec<usize>, usize), bool>,
    outcomes: Vec<Outcome>,
}

/// Runs the queue of a rig until no request is ready.
pub(super) fn run_queue(town: &mut SimTown, rig: usize) -> Result<Option<String>, String> {
    if !town.may_merge(rig) {
        return Err("the queue is paused".to_owned());
    }
    let mut run = QueueRun {
        rig,
        seen: BTreeSet::new(),
        is_batching: true,
        passing: None,
        known: BTreeMap::new(),
        outcomes: Vec::new(),
    };
    if let Err(Killed) = run.drain(town) {
        town.is_killed = true;
        return Err("killed in the merge queue".to_owned());
    }
    run.outcomes.retain(|outcome| *outcome != Outcome::Waits);
    let later = run.outcomes.iter().filter(|it| **it == Outcome::Later);
    match (run.outcomes.len(), later.count()) {
        (0, _) => Ok(None),
        (all, later) if all == later => Err("the remote refuses".to_owned()),
        (all, _) => Ok(Some(format!("{all} merge requests handled"))),
    }
}

/// Returns the time until a rig's queue has work.
pub(super) fn time_until_ready(town: &SimTown, rig: usize) -> Option<SignedDuration> {
    let has_stale = !list_stale(town, rig).is_empty() || !list_unneeded_tasks(town, rig).is_empty();
    if has_stale {
        return Some(SignedDuration::ZERO);
    }
    let open = (0..town.requests.len()).filter(|request| is_ready(town, rig, *request));
    let waits = open.map(|request| match town.requests[request].pull {
        Some(_) => town.requests[request].look_at.duration_since(town.now),
        None => SignedDuration::ZERO,
    });
    waits.map(|wait| wait.max(SignedDuration::ZERO)).min()
}

/// Submits the work of a bead's current attempt.
pub(super) fn submit(town: &mut SimTown, bead: usize) {
    let is_task = town.beads[bead].task_for.is_some();
    let change = SimChange {
        is_red: town.is_struck(ChaosKind::Merge, if is_task { 5 } else { 7 }),
        red_with: draw_interplay(town, bead).filter(|_| !is_task),
        file: town
            .is_struck(ChaosKind::Merge, 3)
            .then(|| town.rng.u8(..2)),
        base: town.beads[bead].base,
    };
    town.beads[bead].place = BeadPlace::Merging;
    town.requests.push(SimMerge {
        bead,
        attempt: town.beads[bead].attempt,
        change,
        is_open: true,
        resolves: town.beads[bead].task_for,
        task: None,
        pull: None,
        answered: 0,
        look_at: town.now,
    });
}

/// Draws a bead with whose work this one fails, although each passes alone.
fn draw_interplay(town: &mut SimTown, bead: usize) -> Option<usize> {
    if !town.is_struck(ChaosKind::Merge, 8) {
        return None;
    }
    let other = town.rng.usize(..town.beads.len());
    let (other_bead, rig) = (&town.beads[other], town.beads[bead].rig);
    // A task changes its own work until it passes with all others.
    let is_possible = other != bead && other_bead.rig == rig && other_bead.task_for.is_none();
    is_possible.then_some(other)
}

/// Returns true if the gate fails on the work of these requests.
fn is_red(town: &SimTown, requests: &[usize]) -> bool {
    let has_work_of = |bead| requests.iter().any(|it| town.requests[*it].bead == bead);
    requests.iter().any(|request| {
        let change = &town.requests[*request].change;
        change.is_red || change.red_with.is_some_and(has_work_of)
    })
}

/// Returns the requests that a request stands for, and itself.
pub(super) fn chain_of(town: &SimTown, request: usize) -> Vec<usize> {
    let resolves = |request: &usize| town.requests[*request].resolves;
    std::iter::successors(Some(request), resolves).collect()
}

fn is_on_target(town: &SimTown, rig: usize, request: usize) -> bool {
    let landed = town.targets[rig].landed.iter();
    landed
        .copied()
        .any(|landed| landed == request || chain_of(town, landed).contains(&request))
}

/// Returns true if a request does not merge with the target and the requests of a stack.
fn conflicts(town: &SimTown, rig: usize, request: usize, stack: &[usize]) -> bool {
    let change = &town.requests[request].change;
    let Some(file) = change.file else {
        return false;
    };
    let since = town.targets[rig].landed.iter().skip(change.base);
    since
        .chain(stack)
        .any(|other| town.requests[*other].change.file == Some(file))
}

/// Returns true if a request may not merge any more.
pub(super) fn is_stale(town: &SimTown, request: usize) -> bool {
    chain_of(town, request).into_iter().any(|it| {
        let found = &town.requests[it];
        let bead = &town.beads[found.bead];
        let is_current = bead.place == BeadPlace::Merging && bead.attempt == found.attempt;
        // A closed request that was merged makes no other one stale.
        !is_current && (found.is_open || !is_on_target(town, bead.rig, it))
    })
}

fn list_stale(town: &SimTown, rig: usize) -> Vec<usize> {
    let open = (0..town.requests.len()).filter(|request| is_open(town, rig, *request));
    open.filter(|request| is_stale(town, *request)).collect()
}

fn is_open(town: &SimTown, rig: usize, request: usize) -> bool {
    let found = &town.requests[request];
    found.is_open && town.beads[found.bead].rig == rig
}

/// Returns the open tasks whose request is closed.
fn list_unneeded_tasks(town: &SimTown, rig: usize) -> Vec<usize> {
    let is_unneeded = |bead: &SimBead| {
        let request = bead.task_for.map(|request| &town.requests[request]);
        bead.rig == rig
            && bead.place != BeadPlace::Closed
            && request.is_some_and(|request| !request.is_open)
    };
    let beads = town.beads.iter().enumerate();
    beads
        .filter(|(_, bead)| is_unneeded(bead))
        .map(|(number, _)| number)
        .collect()
}

fn is_ready(town: &SimTown, rig: usize, request: usize) -> bool {
    let found = &town.requests[request];
    if !is_open(town, rig, request) {
        return false;
    }
    if found.pull.is_some() {
        // The result of a task updates the pull request, and is the request to look at.
        let resolves = |other: &SimMerge| other.is_open && other.resolves == Some(request);
        return !town.requests.iter().any(resolves);
    }
    !has_open_task(town, request)
}

fn has_open_task(town: &SimTown, request: usize) -> bool {
    let task = town.requests[request].task;
    task.is_some_and(|task| town.beads[task].place != BeadPlace::Closed)
}

/// Passes the point between two steps: the run may be killed there, and other people act.
fn pass_step(town: &mut SimTown, rig: usize) -> Step<()> {
    if town.is_struck(ChaosKind::Daemon, 40) {
        return Err(Killed);
    }
    if town.is_struck(ChaosKind::Merge, 40) {
        town.targets[rig].foreign += 1;
        town.log_line(&format!("someone pushed to the target of r{rig}"));
    }
    user::interfere(town);
    forge::interfere(town);
    Ok(())
}

impl QueueRun {
    fn drain(&mut self, town: &mut SimTown) -> Step<()> {
        cancel_unneeded_tasks(town, self.rig);
        for request in list_stale(town, self.rig) {
            self.withdraw(town, request)?;
        }
        loop {
            let requests = self.next_requests(town);
            match requests[..] {
                [] => return Ok(()),
                [request] => self.handle(town, request)?,
                _ => self.handle_batch(town, requests)?,
            }
        }
    }

    /// Withdraws a request, unless its work is merged already.
    fn withdraw(&mut self, town: &mut SimTown, request: usize) -> Step<()> {
        self.seen.insert(request);
        if is_on_target(town, self.rig, request) {
            close_merged(town, request);
        } else {
            close_withdrawn(town, request);
        }
        pass_step(town, self.rig)
    }

    fn next_requests(&mut self, town: &mut SimTown) -> Vec<usize> {
        if !town.may_merge(self.rig) {
            return Vec::new();
        }
        let ready = (0..town.requests.len())
            .filter(|it| !self.seen.contains(it) && is_ready(town, self.rig, *it))
            .filter(|it| {
                town.requests[*it].pull.is_none() || town.requests[*it].look_at <= town.now
            });
        let mut ready: Vec<usize> = ready.collect();
        // The scores are any order.
        town.rng.shuffle(&mut ready);
        let can_batch = |it: &usize| town.requests[*it].resolves.is_none();
        if self.is_batching && !town.lands_by_pull[self.rig] && ready.first().is_some_and(can_batch)
        {
            ready.retain(can_batch);
            ready.truncate(town.rng.usize(1..=8));
        } else {
            ready.truncate(1);
        }
        ready
    }

    fn conclude(&mut self, town: &mut SimTown, request: usize, outcome: Outcome) {
        self.seen.insert(request);
        if outcome == Outcome::Done && !town.requests[request].is_open {
            self.is_batching = true;
        }
        self.outcomes.push(outcome);
    }

    fn handle_batch(&mut self, town: &mut SimTown, requests: Vec<usize>) -> Step<()> {
        let mut members = Vec::new();
        for request in requests {
            if town.is_remote_down() || is_on_target(town, self.rig, request) {
                self.handle(town, request)?;
            } else {
                members.push(request);
            }
        }
        while !members.is_empty() && self.is_batching {
            members = self.merge_members(town, members)?;
        }
        Ok(())
    }

    /// Merges the first requests that pass together, and handles the first one that fails. Returns
    /// the rest.
    fn merge_members(&mut self, town: &mut SimTown, members: Vec<usize>) -> Step<Vec<usize>> {
        pass_step(town, self.rig)?;
        if town.is_remote_down() {
            self.is_batching = false;
            return Ok(Vec::new());
        }
        let onto = town.targets[self.rig].clone();
        let mut stack: Vec<usize> = Vec::new();
        for member in members {
            if !conflicts(town, self.rig, member, &stack) {
                stack.push(member);
            } else if stack.is_empty() {
                self.handle(town, member)?;
                return Ok(Vec::new());
            }
        }
        if let [only] = stack[..] {
            self.handle(town, only)?;
            return Ok(Vec::new());
        }
        if self.check(town, &onto, &stack)? {
            return self.land_stack(town, &onto, stack);
        }
        let mut search = PrefixSearch::of_failing_stack(stack.len());
        while let Some(lengths) = search.next_lengths(town.parallel[self.rig]) {
            let mut passed = Vec::new();
            for length in &lengths {
                passed.push(self.check(town, &onto, &stack[..*length])?);
            }
            search.narrow(&lengths, &passed);
        }
        let mut rest = stack.split_off(search.failing_length() - 1).into_iter();
        let guilty = rest.next();
        let mut left = Vec::new();
        if !stack.is_empty() {
            self.passing = Some((onto.landed.len() + stack.len(), onto.foreign));
            left = self.land_stack(town, &onto, stack)?;
        }
        if left.is_empty()
            && self.is_batching
            && let Some(guilty) = guilty
        {
            self.handle(town, guilty)?;
        }
        self.passing = None;
        left.extend(rest);
        Ok(left)
    }

    /// Runs the gate on requests on a target, unless its tree is known.
    fn check(&mut self, town: &mut SimTown, onto: &SimTarget, stack: &[usize]) -> Step<bool> {
        pass_step(town, self.rig)?;
        let mut tree: Vec<usize> = onto.landed.iter().chain(stack).copied().collect();
        let is_green = !is_red(town, &tree);
        tree.sort_unstable();
        self.known.entry((tree, onto.foreign)).or_insert(is_green);
        Ok(is_green)
    }

    /// Lands all requests of a stack in one push. If one may not land any more, returns the others.
    fn land_stack(
        &mut self,
        town: &mut SimTown,
        onto: &SimTarget,
        stack: Vec<usize>,
    ) -> Step<Vec<usize>> {
        pass_step(town, self.rig)?;
        if !town.may_merge(self.rig) {
            self.is_batching = false;
            return Ok(Vec::new());
        }
        for (index, request) in stack.iter().enumerate() {
            pass_step(town, self.rig)?;
            if is_stale(town, *request) {
                let mut others = stack;
                let stopped = others.remove(index);
                close_withdrawn(town, stopped);
                self.conclude(town, stopped, Outcome::Done);
                return Ok(others);
            }
        }
        pass_step(town, self.rig)?;
        if town.is_remote_down() {
            for request in stack {
                self.conclude(town, request, Outcome::Later);
            }
            return Ok(Vec::new());
        }
        if town.targets[self.rig].tip() != onto.tip() {
            self.is_batching = false;
            return Ok(Vec::new());
        }
        push(town, self.rig, onto.tip(), &stack);
        for request in stack {
            pass_step(town, self.rig)?;
            close_merged(town, request);
            self.conclude(town, request, Outcome::Done);
        }
        Ok(Vec::new())
    }

    /// Handles one request with its own steps.
    fn handle(&mut self, town: &mut SimTown, request: usize) -> Step<()> {
        let outcome = self.process(town, request)?;
        self.conclude(town, request, outcome);
        Ok(())
    }

    fn process(&mut self, town: &mut SimTown, request: usize) -> Step<Outcome> {
        pass_step(town, self.rig)?;
        if town.is_remote_down() {
            return Ok(Outcome::Later);
        }
        if let Some(pull) = town.requests[request].pull
            && let Some(outcome) = self.follow_pull(town, request, pull)?
        {
            return Ok(outcome);
        }
        if is_on_target(town, self.rig, request) {
            close_merged(town, request);
            return Ok(Outcome::Done);
        }
        let onto = town.targets[self.rig].clone();
        if conflicts(town, self.rig, request, &[]) {
            return self.create_task(town, request);
        }
        if !self.check(town, &onto, &[request])? {
            if self.passing != Some(onto.tip()) && !self.check(town, &onto, &[])? {
                town.record_fault("the target fails its gates");
            }
            return self.create_task(town, request);
        }
        if town.lands_by_pull[self.rig] {
            return self.open_pull(town, request, &onto);
        }
        pass_step(town, self.rig)?;
        if !town.may_merge(self.rig) {
            return Ok(Outcome::Later);
        }
        if is_stale(town, request) {
            close_withdrawn(town, request);
            return Ok(Outcome::Done);
        }
        pass_step(town, self.rig)?;
        if town.is_remote_down() || town.targets[self.rig].tip() != onto.tip() {
            return Ok(Outcome::Later);
        }
        push(town, self.rig, onto.tip(), &[request]);
        pass_step(town, self.rig)?;
        close_merged(town, request);
        Ok(Outcome::Done)
    }

    /// Creates the task for a request, or opens the task again whose result the request is.
    fn create_task(&mut self, town: &mut SimTown, request: usize) -> Step<Outcome> {
        pass_step(town, self.rig)?;
        if is_stale(town, request) {
            close_withdrawn(town, request);
            return Ok(Outcome::Done);
        }
        let bead = town.requests[request].bead;
        if town.beads[bead].task_for.is_some() {
            town.reopen_bead(bead, BeadPlace::Open);
            town.beads[bead].repairs = town.beads[bead].repairs.saturating_add(1);
            pass_step(town, self.rig)?;
            close_withdrawn(town, request);
            return Ok(Outcome::Done);
        }
        let task = town.beads.len();
        let original = &town.beads[bead];
        let new = SimBead {
            id: format!("{}-task-{task}", town.rigs[self.rig]),
            convoy: original.convoy,
            place: BeadPlace::Open,
            task_for: Some(request),
            ..SimBead::new(self.rig)
        };
        town.beads.push(new);
        town.requests[request].task = Some(task);
        Ok(Outcome::Done)
    }

    /// Opens the pull request of a request, or updates the one of its bead.
    fn open_pull(&mut self, town: &mut SimTown, request: usize, onto: &SimTarget) -> Step<Outcome> {
        pass_step(town, self.rig)?;
        if is_stale(town, request) {
            close_withdrawn(town, request);
            return Ok(Outcome::Done);
        }
        pass_step(town, self.rig)?;
        if town.is_remote_down() {
            return Ok(Outcome::Later);
        }
        let pull = forge::open_or_update(town, self.rig, request, onto.tip());
        pass_step(town, self.rig)?;
        let answered = town.pulls[pull].change_requests;
        let found = &mut town.requests[request];
        if found.pull != Some(pull) {
            found.answered = answered;
        }
        found.pull = Some(pull);
        found.look_at = town.now + POLL;
        Ok(Outcome::Done)
    }

    /// Looks at the pull request of a request. None if the commits must be built again.
    fn follow_pull(
        &mut self,
        town: &mut SimTown,
        request: usize,
        pull: usize,
    ) -> Step<Option<Outcome>> {
        town.requests[request].look_at = town.now + POLL;
        match town.pulls[pull].stage {
            forge::PullStage::Merged => {
                pass_step(town, self.rig)?;
                close_merged(town, request);
                return Ok(Some(Outcome::Done));
            }
            forge::PullStage::Closed => {
                let chain = chain_of(town, request);
                let rejected = chain.iter().rfind(|it| town.requests[**it].is_open);
                if let Some(rejected) = rejected {
                    user::reject_request(town, *rejected);
                }
                pass_step(town, self.rig)?;
                close_withdrawn(town, request);
                return Ok(Some(Outcome::Done));
            }
            forge::PullStage::Open => {}
        }
        if has_open_task(town, request) {
            return Ok(Some(Outcome::Waits));
        }
        let found = &town.pulls[pull];
        if found.change_requests > town.requests[request].answered {
            let answered = found.change_requests;
            let outcome = self.create_task(town, request)?;
            pass_step(town, self.rig)?;
            town.requests[request].answered = answered;
            return Ok(Some(outcome));
        }
        if found.head != request || found.onto != town.targets[self.rig].tip() {
            return Ok(None);
        }
        if !found.is_approved && town.needs_review[self.rig] {
            return Ok(Some(Outcome::Waits));
        }
        pass_step(town, self.rig)?;
        if is_stale(town, request) {
            close_withdrawn(town, request);
            return Ok(Some(Outcome::Done));
        }
        pass_step(town, self.rig)?;
        if !forge::merge(town, pull, request) {
            return Ok(Some(Outcome::Waits));
        }
        pass_step(town, self.rig)?;
        close_merged(town, request);
        Ok(Some(Outcome::Done))
    }
}

/// Puts requests on the target, on top of the tip from which their commits were made.
pub(super) fn push(town: &mut SimTown, rig: usize, onto: (usize, usize), requests: &[usize]) {
    if town.targets[rig].tip() != onto {
        town.record_fault(&format!("a push to r{rig} removed the work of others"));
    }
    for request in requests {
        for part in chain_of(town, *request) {
            if part == *request || !is_on_target(town, rig, part) {
                let request = &town.requests[part];
                let bead = &mut town.beads[request.bead];
                // A person may merge the pull request of an earlier attempt.
                bead.merges += usize::from(bead.attempt == request.attempt);
            }
        }
        town.targets[rig].landed.push(*request);
    }
    if is_red(town, &town.targets[rig].landed) {
        town.record_fault(&format!("the target of r{rig} fails its gates"));
    }
}

/// Closes a request whose work is on its target, with all for which it stands, and their beads.
fn close_merged(town: &mut SimTown, request: usize) {
    for part in chain_of(town, request) {
        if !town.requests[part].is_open {
            continue;
        }
        town.requests[part].is_open = false;
        let (bead, attempt) = (town.requests[part].bead, town.requests[part].attempt);
        if town.beads[bead].place == BeadPlace::Merging && town.beads[bead].attempt == attempt {
            town.close_bead(bead);
        }
    }
}

/// Closes a request as withdrawn, with the tasks for it.
fn close_withdrawn(town: &mut SimTown, request: usize) {
    if !is_stale(town, request) || !town.requests[request].is_open {
        return;
    }
    town.requests[request].is_open = false;
    let rig = town.beads[town.requests[request].bead].rig;
    cancel_unneeded_tasks(town, rig);
    forge::close_unneeded(town, request);
}

fn cancel_unneeded_tasks(town: &mut SimTown, rig: usize) {
    for task in list_unneeded_tasks(town, rig) {
        town.close_bead(task);
    }
}
