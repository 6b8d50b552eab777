//! Describes the current state of a thing, and the command that would advance it.

use std::collections::BTreeMap;

use bd::bead::{Bead, Kind, Status};
use bd::store::Snapshot;
use kit::ui::{counted, escape, time};

use super::Explanation;
use crate::flow::work::convoy::ProgressBoard;
use crate::flow::work::mq;
use crate::flow::work::revert::{RevertOfMerge, find_last_revert};
use crate::host::daemon;
use crate::patrol::attention::{self, AttentionItem};
use crate::patrol::{PatrolSettings, explain_worker};
use crate::record::attempt;
use crate::record::convoy;
use crate::record::escalation::{self, Escalation};
use crate::record::merge_request;
use crate::record::polecat::{Polecat, PolecatState};
use crate::record::queued_sling::{self, QueuedSling};
use crate::record::request_wait::RequestWait;
use crate::record::scheduler::{
    find_town_room, find_use_obstacle, find_work_obstacle, read_use_limits,
};
use crate::record::town_view::TownView;
use crate::town::beads::BeadsHome;
use crate::town::event::EventLine;
use crate::town::hold::EmergencyStop;
use crate::town::identity::Address;
use crate::town::lock::Lock;
use crate::town::{Rig, Town};
use crate::view::request::find_running_merge;
use crate::view::scheduler::describe_full_rig;
use crate::view::status::{self, QueueCounts};

/// Returns the current state of a bead, convoy, request, agent or rig. Empty for an unknown name.
pub(super) fn explain_state(
    town: &Town,
    view: &TownView,
    what: &str,
    events: &[EventLine],
) -> Explanation {
    let mut found = Explanation::default();
    if view.stores.rigs.contains_key(what) {
        found.add_hold(view, Some(what));
        found.add_merge_stop(view, what);
        if let Some(failure) = view.desk_failures.get(what) {
            let text = failure.describe();
            found
                .now
                .push(format!("no agent of rig {what} starts: {text}"));
            found.next_steps.extend(failure.next_steps(what));
        }
        found.add_rig(view, what);
        return found;
    }
    if let Some(address) = find_agent(town, what) {
        found.add_hold(view, address.rig());
        found.add_agent(town, view, &address);
        return found;
    }
    let Ok(bead) = town.find_bead(what) else {
        return found;
    };
    if let BeadsHome::Rig(rig) = &bead.home
        && bead.bead.is_open()
    {
        found.add_hold(view, Some(rig));
        found.add_merge_stop(view, rig);
    }
    if let BeadsHome::Rig(rig) = &bead.home
        && let Some(request) = find_request(view, rig, &bead.bead)
    {
        found.add_request(&town.rig(rig), view, request, events);
    }
    found.add_losses(view, &bead.bead.id);
    match &bead.home {
        BeadsHome::Town => {
            found.add_bead(view, &bead.bead);
            found.add_town_bead(view, &bead.bead);
        }
        BeadsHome::Rig(rig) => {
            // The reason of a closed bead is how it was closed.
            if !bead.bead.is_open() {
                found.add_bead(view, &bead.bead);
            }
            found.add_queued(town, view, rig, &bead.bead);
            if found.now.is_empty() {
                found.add_rejection(&bead.bead);
            }
            for polecat in view
                .polecats_of(rig)
                .iter()
                .filter(|polecat| polecat.hook.as_deref() == Some(bead.bead.id.as_str()))
            {
                found.now.push(describe_polecat(town, view, polecat));
                found.add_desk_steps(view, polecat);
                found.add_questions(view, polecat);
            }
            found.add_other_questions(view, &bead.bead.id);
            let rig = town.rig(rig);
            found.add_items(&rig, view, |item| item.bead == bead.bead.id);
            if found.now.is_empty() {
                found.add_open_bead(town, view, &rig, &bead.bead);
            }
            if bead.bead.is_open() {
                found.add_bead(view, &bead.bead);
            }
            found.add_saved_work(&rig, &bead.bead);
        }
    }
    found.add_gate_items(town, view, &bead.bead.id);
    found
}

/// Returns the open merge request of a bead, or the bead itself if it is one.
fn find_request<'v>(view: &'v TownView, rig: &str, bead: &Bead) -> Option<&'v Bead> {
    let beads = view.stores.rigs.get(rig)?;
    merge_request::find_open_request(beads, &bead.id).or_else(|| {
        beads
            .get(&bead.id)
            .filter(|bead| bead.is_open() && merge_request::is_merge_request(bead))
    })
}

/// Returns the agent of a name: an address, or a role with only one agent.
fn find_agent(town: &Town, what: &str) -> Option<Address> {
    let address = town.parse_address(what).ok()?;
    let is_single = matches!(address, Address::Mayor | Address::Deacon | Address::Boot);
    (what.contains('/') || is_single).then_some(address)
}

/// Returns true if a setting keeps a rig from giving work to workers.
fn is_closed_to_work(view: &TownView, rig: &str) -> bool {
    let limit = view.settings.for_rig(Some(rig)).valid_value("max_polecats");
    limit.as_u64() == Some(0)
}

fn describe_polecat(town: &Town, view: &TownView, polecat: &Polecat) -> String {
    let progress = polecat.progress.as_ref();
    let progress = progress.map_or_else(String::new, |progress| {
        format!("; {}", progress.describe(view.now))
    });
    let (rig, name, word) = (&polecat.rig, &polecat.name, polecat.state_word());
    let why = explain_worker(&town.layout, view, polecat);
    let verb = if word == "hands in" { "" } else { "is " };
    let slot = &polecat.slot;
    let earlier = slot.ended.as_ref().filter(|end| {
        // The present state explains the end of the last session.
        end.lease != slot.lease && !end.because.is_empty()
    });
    let earlier = earlier.map_or_else(String::new, |end| {
        let because = escape::escape_line(&end.because);
        format!("; the session before ended because {because}")
    });
    format!("{rig}/{name} {verb}{word}: {why}{progress}{earlier}")
}

/// Describes an open question of an agent.
fn describe_question(question: &Escalation) -> String {
    format!(
        "{} waits for your answer: {}",
        escape::escape_line(&question.escalated_by),
        escape::escape_line(&question.title)
    )
}

impl Explanation {
    /// Adds the reason why nothing is started in a rig, or in the town without a rig.
    fn add_hold(&mut self, view: &TownView, rig: Option<&str>) {
        let stop = view.stores.stopped.as_ref().map(EmergencyStop::hold);
        let held = rig.and_then(|rig| view.stores.holds.get(rig));
        if let Some(hold) = stop.as_ref().or(held) {
            self.now
                .push(format!("{}: nothing is started", hold.reason));
            self.next_steps.push(hold.next.clone());
        }
    }

    /// Adds the commands that end the failure of a desk, if it keeps a worker from starting.
    fn add_desk_steps(&mut self, view: &TownView, polecat: &Polecat) {
        if polecat.state == PolecatState::Stalled
            && let Some(failure) = view.desk_failures.get(&polecat.rig)
        {
            self.next_steps.extend(failure.next_steps(&polecat.rig));
        }
    }

    /// Adds the targets that have lost the merge of a bead or a request.
    fn add_losses(&mut self, view: &TownView, id: &str) {
        for (rig, losses) in &view.stores.target_losses {
            for loss in losses.iter().filter(|loss| loss.is_about(id)) {
                self.now.push(loss.describe());
                self.next_steps.extend(loss.next_steps(rig));
            }
        }
    }

    /// Adds the pause or the wrong setting because of which nothing is merged in a rig.
    fn add_merge_stop(&mut self, view: &TownView, rig: &str) {
        if let Some(pause) = view.stores.queue_pauses.get(rig) {
            self.now.push(pause.describe());
            self.next_steps.push(pause.next_step());
        }
        if let Some(error) = view.settings.find_stop(Some(rig)) {
            self.now.push(format!(
                "nothing is started or merged in rig {rig}: {error}"
            ));
            self.next_steps.push("gt doctor".to_owned());
        }
    }

    fn add_rig(&mut self, view: &TownView, rig: &str) {
        let polecats = view.polecats_of(rig);
        let states = polecats.iter().map(Polecat::state_word);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for state in states {
            *counts.entry(state).or_default() += 1;
        }
        let counts: Vec<String> = counts
            .iter()
            .map(|(state, count)| format!("{count} {state}"))
            .collect();
        let workers = counted(polecats.len(), "worker");
        let of_them = match counts.as_slice() {
            [] => String::new(),
            counts => format!(" ({})", counts.join(", ")),
        };
        self.now.push(format!("{rig} has {workers}{of_them}"));
        let Some(beads) = view.stores.rigs.get(rig) else {
            return;
        };
        let queue = status::count_requests(beads);
        if queue != QueueCounts::default() {
            self.now.push(format!("merge queue: {}", queue.describe()));
            self.next_steps.push(format!("gt mq list {rig}"));
        }
        let queued = queued_sling::list_queued_slings(beads);
        if !queued.is_empty() {
            let ids: Vec<&str> = queued
                .iter()
                .map(|queued_bead| queued_bead.work_bead_id.as_str())
                .collect();
            self.now
                .push(format!("queued for a worker: {}", ids.join(", ")));
        }
    }

    fn add_agent(&mut self, town: &Town, view: &TownView, address: &Address) {
        if let Address::Polecat(rig, name) = address {
            let Ok(polecat) = view.find_polecat(rig, name) else {
                return;
            };
            self.now.push(describe_polecat(town, view, polecat));
            self.add_desk_steps(view, polecat);
            self.add_questions(view, polecat);
            let hook = polecat.hook.clone();
            self.add_items(&town.rig(rig), view, |item| {
                hook.as_deref() == Some(item.bead.as_str())
            });
            if let Some(bead) = &hook {
                self.add_gate_items(town, view, bead);
            }
            return;
        }
        if *address == Address::Overseer || !crate::town::agent_home(town, address).is_dir() {
            return;
        }
        let session = match view.is_running(address) {
            Some(true) => "its session runs",
            Some(false) => "it has no session",
            None => "sessions cannot be asked",
        };
        let work = view.hooked_bead_of(address).map_or_else(
            || "no work is on its hook".to_owned(),
            |bead| format!("{} is on its hook", bead.id),
        );
        self.now.push(format!("{address}: {session}, and {work}"));
        self.add_agent_questions(view, address);
    }

    /// Adds the open questions of a worker about its work.
    fn add_questions(&mut self, view: &TownView, polecat: &Polecat) {
        for question in status::questions_of(view, polecat) {
            self.now.push(format!(
                "it waits for your answer: {}",
                escape::escape_line(&question.title)
            ));
            self.next_steps.push(question.next_step());
        }
    }

    /// Adds the open questions about a bead from others than its worker.
    fn add_other_questions(&mut self, view: &TownView, bead: &str) {
        let open = escalation::list_escalations(&view.stores.town, false);
        for question in open.iter().filter(|one| one.related_bead == bead) {
            let next = question.next_step();
            if !self.next_steps.contains(&next) {
                self.now.push(describe_question(question));
                self.next_steps.push(next);
            }
        }
    }

    /// Adds the open questions of an agent.
    fn add_agent_questions(&mut self, view: &TownView, agent: &Address) {
        let open = escalation::list_escalations(&view.stores.town, false);
        let mailbox = agent.mailbox();
        for question in open
            .iter()
            .filter(|one| one.details.asked_by.contains(&mailbox))
        {
            self.now.push(describe_question(question));
            self.next_steps.push(question.next_step());
        }
    }

    /// Adds the rejection of the last request of an open bead.
    fn add_rejection(&mut self, bead: &Bead) {
        if let Some(rejected) = attempt::last_rejection(bead) {
            let rejected = escape::escape_line(rejected);
            self.now
                .push(format!("{rejected}. No one has {} since", bead.id));
        }
    }

    /// Adds the reason why no one works on an open bead that is not queued.
    fn add_open_bead(&mut self, town: &Town, view: &TownView, rig: &Rig, bead: &Bead) {
        let is_assigned_to_agent = !bead.assignee.is_empty() && town.has_agent(&bead.assignee);
        let is_work = !bead.is_internal() && bead.issue_type != Kind::Gate;
        if bead.status != Status::Open || !is_work || is_assigned_to_agent {
            return;
        }
        let Some(beads) = view.stores.rigs.get(rig.name()) else {
            return;
        };
        let id = &bead.id;
        let mut blockers: Vec<String> = bd::graph::find_blockers(beads, id)
            .into_iter()
            .map(str::to_owned)
            .collect();
        blockers.extend(view.stores.external_blockers(bead));
        if blockers.is_empty() {
            let holder = match bead.assignee.as_str() {
                "" => format!("no one has {id}"),
                who => format!(
                    "{id} is assigned to {}, which is no agent of this town",
                    escape::escape_line(who)
                ),
            };
            self.now
                .push(format!("{holder}, and it is not queued for a worker"));
            self.next_steps
                .push(format!("gt sling {id} {}", rig.name()));
        } else {
            self.now
                .push(format!("{id} waits for {}", blockers.join(", ")));
        }
    }

    /// Adds the state of a bead.
    fn add_bead(&mut self, view: &TownView, bead: &Bead) {
        let who = match bead.assignee.as_str() {
            "" => String::new(),
            who => format!(", assigned to {}", escape::escape_line(who)),
        };
        let reason = match bead.close_reason.as_str() {
            "" => String::new(),
            reason => format!(" ({})", escape::escape_line(reason)),
        };
        let changed_at = bead.closing_time();
        let since = time::format_ago(view.now, changed_at.instant());
        let id = &bead.id;
        let status = &bead.status;
        self.now
            .push(format!("{id} is {status}{who}{reason}, changed {since}"));
        let beads = view.stores.rigs.values();
        if let Some(RevertOfMerge { revert, commit }) = beads
            .filter(|beads| beads.get(id).is_some())
            .find_map(|beads| find_last_revert(beads, bead))
        {
            let word = if revert.is_open() {
                "is to revert"
            } else {
                "reverted"
            };
            self.now.push(format!(
                "{} ({}) {word} its merge {commit:.12}",
                revert.id, revert.status
            ));
            self.next_steps.push(format!("gt why {}", revert.id));
        }
    }

    /// Adds the state of an open merge request, and the reason why it is not merged now.
    fn add_request(&mut self, rig: &Rig, view: &TownView, request: &Bead, events: &[EventLine]) {
        let Some(beads) = view.stores.rigs.get(rig.name()) else {
            return;
        };
        let id = &request.id;
        if let Some(reason) = mq::stale_reason(beads, request) {
            let reason = escape::escape_line(&reason);
            self.now.push(if mq::is_rejected(request) {
                format!("{id} was {reason}; the next run of the queue closes it")
            } else {
                format!("{id} is withdrawn by the next run of the queue: {reason}")
            });
            return;
        }
        if let Some(started) = find_running_merge(events)
            && !Lock::is_free(&rig.queue_lock())
        {
            let ago = time::format_ago(view.now, started);
            self.now
                .push(format!("{id} is being merged, its checks began {ago}"));
            return;
        }
        if let Some(wait) = RequestWait::find(beads, request) {
            let why = wait.describe(beads, view.now);
            self.now.push(format!("{id}: {why}"));
            if matches!(wait, RequestWait::Gate { .. } | RequestWait::Beads { .. }) {
                let output = mq::read_last_gate_output(rig, id);
                self.now
                    .extend(output.iter().map(|line| format!("| {line}")));
            }
            self.next_steps
                .extend(wait.next_steps(beads, id, rig.name()));
            return;
        }
        let others = status::count_requests(beads).pending.saturating_sub(1);
        let others = counted(others, "other request");
        self.now
            .push(format!("{id} is ready to merge, and so are {others}"));
        if !daemon::is_daemon_running(&rig.town().layout) {
            self.now
                .push("the daemon, which merges, does not run".to_owned());
            self.next_steps.push("gt daemon start".to_owned());
        }
    }

    /// Adds a bead that is queued for a worker.
    fn add_queued(&mut self, town: &Town, view: &TownView, rig: &str, bead: &Bead) {
        let Some(beads) = view.stores.rigs.get(rig) else {
            return;
        };
        let queued = queued_sling::list_queued_slings(beads);
        let Some(queued_bead) = queued.iter().find(|one| one.work_bead_id == bead.id) else {
            return;
        };
        let place = self.now.len();
        self.add_queue_reason(town, view, rig, bead, queued_bead);
        // The reason comes first.
        let reason = self.now.get_mut(place);
        let queued = format!("{} is {}", bead.id, queued_bead.describe_at(view.now));
        match reason {
            Some(reason) => *reason = format!("{queued}: {reason}"),
            None => self.now.push(queued),
        }
    }

    /// Adds the reason why a queued bead has no worker yet.
    fn add_queue_reason(
        &mut self,
        town: &Town,
        view: &TownView,
        rig: &str,
        bead: &Bead,
        queued_bead: &QueuedSling,
    ) {
        let Some(beads) = view.stores.rigs.get(rig) else {
            return;
        };
        if is_closed_to_work(view, rig) {
            self.now.push(format!(
                "rig {rig} starts no worker: its setting max_polecats is 0"
            ));
            self.next_steps
                .push(format!("gt config set max_polecats 10 --rig {rig}"));
        }
        let mut blockers: Vec<String> = bd::graph::find_blockers(beads, &bead.id)
            .into_iter()
            .map(str::to_owned)
            .collect();
        blockers.extend(view.stores.external_blockers(bead));
        if blockers.is_empty()
            && (view.stores.holds.contains_key(rig) || is_closed_to_work(view, rig))
        {
            return;
        }
        if blockers.is_empty()
            && let Some(obstacle) = find_town_room(&town.layout, view).obstacle
        {
            let text = format!("no worker is started: {obstacle}");
            self.now.push(escape::escape_line(&text));
            self.next_steps.extend(obstacle.next_step());
            return;
        }
        if blockers.is_empty()
            && let Some(obstacle) = find_work_obstacle(view, rig, &bead.id)
        {
            let text = format!("no worker is started: {obstacle}");
            self.now.push(escape::escape_line(&text));
            self.next_steps.extend(obstacle.next_step());
            return;
        }
        if blockers.is_empty() {
            let limits = read_use_limits(town, view);
            let layers = view.settings.for_rig(Some(rig));
            let options = &queued_bead.options;
            let needs = limits.needs_of(&town.rig(rig), layers, options, Some(bead));
            if let Some(obstacle) = find_use_obstacle(&limits, &needs) {
                self.now.push(format!("no worker is started: {obstacle}"));
                self.next_steps.extend(obstacle.next_step());
                return;
            }
        }
        if blockers.is_empty()
            && let Some(reason) = describe_full_rig(view, rig)
        {
            self.now.push(reason);
            return;
        }
        self.now.push(match blockers.as_slice() {
            [] => format!(
                "it starts automatically as soon as rig {rig} has a worker that can be started"
            ),
            blockers => format!("it waits for {}", blockers.join(", ")),
        });
    }

    /// Adds the saved work of an open bead that was not submitted.
    fn add_saved_work(&mut self, rig: &Rig, bead: &Bead) {
        if !bead.is_open() {
            return;
        }
        // An unreadable repository is reported by `gt doctor`.
        for saved in attempt::list_rescues(rig, &bead.id).into_iter().flatten() {
            let subject = escape::escape_line(&saved.subject);
            let name = escape::escape_line(&saved.refname);
            self.now.push(format!("saved: {subject}, on {name}"));
        }
    }

    /// Adds the items for the user.
    fn add_items(&mut self, rig: &Rig, view: &TownView, is_about: impl Fn(&AttentionItem) -> bool) {
        let settings = PatrolSettings::from_layers(view.settings.for_rig(Some(rig.name())), rig);
        let mut items = attention::rig_items(&rig.town().layout, view, rig.name(), &settings);
        items.retain(is_about);
        self.add_due_items(view, items);
    }

    /// Adds the items about the gates that a bead waits for.
    fn add_gate_items(&mut self, town: &Town, view: &TownView, bead: &str) {
        self.add_due_items(view, attention::gate_items_about(&town.layout, view, bead));
    }

    fn add_due_items(&mut self, view: &TownView, items: Vec<AttentionItem>) {
        for item in items.into_iter().filter(|item| item.is_shown(view.now)) {
            let text = item.text.lines().next().unwrap_or("");
            self.now.push(format!("{}: {text}", item.kind.name()));
            self.next_steps.extend(item.next);
        }
    }

    /// Adds an escalation or a convoy.
    fn add_town_bead(&mut self, view: &TownView, bead: &Bead) {
        if let Some(escalation) = Escalation::from_bead(bead).filter(Escalation::is_open) {
            let taken = match escalation.acked_by.as_str() {
                "" => "no one has acknowledged it".to_owned(),
                by => format!("acknowledged by {by}"),
            };
            let word = escalation.severity.name();
            self.now.push(format!("{word} and open, {taken}"));
            self.next_steps.push(escalation.next_step());
        }
        if convoy::is_convoy(bead) && bead.is_open() {
            self.add_convoy(&view.stores.town, view, bead);
        }
    }

    fn add_convoy(&mut self, town: &Snapshot, view: &TownView, bead: &Bead) {
        for escalation in escalation::find_blocking(town, bead) {
            self.now.push(format!(
                "blocked by {}: {}",
                escalation.id, escalation.title
            ));
            self.next_steps.push(escalation.next_step());
        }
        let progress = ProgressBoard::from_view(view).progress(bead);
        for (rig, beads) in &view.stores.rigs {
            if progress
                .tracked
                .iter()
                .any(|tracked| beads.get(&tracked.id).is_some())
            {
                self.add_merge_stop(view, rig);
            }
        }
        let done = progress.counts.completed;
        let all = progress.counts.total;
        self.now.push(format!("{done} of {all} beads are done"));
        for tracked in progress.tracked {
            if tracked.next_steps.is_empty() {
                continue;
            }
            let why = match tracked.why.as_str() {
                "" => tracked.status.to_string(),
                why => why.to_owned(),
            };
            self.now.push(format!("{}: {why}", tracked.id));
            self.next_steps.extend(tracked.next_steps);
        }
    }
}
