//! Finds the items that only a user can resolve. They are derived from the beads each time.
//!
//! Every hooked or `in_progress` bead of a polecat has exactly one of: a worker with the bead, an
//! open merge request, a place in the queue of slings. Any other is an item here. So is every
//! retry that fails for too long. Each item names a next step.

use bd::bead::hash::compute_short_hash;
use bd::bead::{Bead, Status, attempt as number};
use bd::store::{BeadMark, Snapshot};
use jiff::{SignedDuration, Timestamp};
use kit::ui::escape;

use super::super::outages;
use super::super::thresholds::{PatrolSettings, Thresholds};
use crate::flow::work::convoy::review;
use crate::host::runtime;
use crate::record::attempt;
use crate::record::merge_request;
use crate::record::polecat::{DoneStep, Polecat, Slot};
use crate::record::progress::WorkerActivity;
use crate::record::queued_sling;
use crate::record::restarts::{self, AgentRestarts};
use crate::record::role::RoleMode;
use crate::record::town_view::TownView;
use crate::town::TownLayout;
use crate::town::config;
use crate::town::identity::Address;
use crate::town::target_loss::TargetLoss;

/// An item that only a user can resolve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionItem {
    /// The key, which is the same as long as the item is the same.
    pub key: String,
    pub bead: String,
    pub kind: AttentionKind,
    pub subject: String,
    /// The facts, and the reason why the work cannot continue.
    pub text: String,
    /// Commands, one of which resolves the item.
    pub next: Vec<String>,
    /// The time from which the item is reported. Retries continue independently.
    pub due: Timestamp,
}

impl AttentionItem {
    /// Returns true if the item is to be reported now.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.due <= now
    }

    /// Returns true if screens show the item now. A remote that cannot be reached is shown or a
    /// host, is shown from the first failure, and reported if that lasts.
    pub fn is_shown(&self, now: Timestamp) -> bool {
        let is_early = [REMOTE_KEY, HOST_KEY]
            .iter()
            .any(|key| self.key.starts_with(key));
        self.is_due(now) || is_early
    }
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttentionKind {
    /// A worker that is not restarted.
    Stuck,
    /// A worker gave up, and no one has taken its bead since.
    GaveUp,
    /// A retry that has failed for too long.
    Failing,
    /// Someone must act before the work can continue.
    NeedsPerson,
}

impl AttentionKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stuck => "stuck",
            Self::GaveUp => "its worker gave up",
            Self::Failing => "failing",
            Self::NeedsPerson => "needs the user",
        }
    }
}

/// The begin of the keys of items about a remote that cannot be reached.
pub(super) const REMOTE_KEY: &str = "remote:";

/// The begin of the keys of items about another machine that cannot be reached.
pub(super) const HOST_KEY: &str = "host:";

/// Labels of beads that someone works on.
const HELD_LABELS: [BeadMark<'_>; 2] = [
    BeadMark::Status(&Status::Hooked),
    BeadMark::Status(&Status::InProgress),
];

/// Returns the items about the workers and beads of a rig, those due now and those that become due if
/// the failure lasts.
pub(super) fn work_items(
    view: &TownView,
    rig: &str,
    beads: &Snapshot,
    settings: &PatrolSettings,
) -> Vec<AttentionItem> {
    let polecats = view.polecats_of(rig);
    let patience = settings.thresholds.patience;
    let (hindered, workers): (Vec<&Polecat>, Vec<&Polecat>) = polecats
        .iter()
        .partition(|polecat| target_failure(&polecat.slot).is_some() && polecat.hook.is_some());
    let mut found: Vec<AttentionItem> = workers
        .into_iter()
        .filter_map(|polecat| worker_item(polecat, &settings.thresholds))
        .collect();
    found.extend(target_item(rig, &hindered));
    found.extend(sandbox_item(rig, polecats));
    let queued = queued_sling::list_queued_slings(beads);
    found.extend(
        queued
            .iter()
            .filter_map(|queued_bead| queued_item(queued_bead, patience)),
    );
    let is_queued = |id: &str| queued.iter().any(|waiting| waiting.work_bead_id == id);
    // A bead with a request or a place in the queue has an owner, and is not read.
    let held = beads.select_marked(&HELD_LABELS, |bead| {
        !bead.is_ephemeral()
            && !is_queued(bead.id())
            && !merge_request::has_open_request(beads, bead)
    });
    for bead in held {
        // Beads of users are skipped.
        if bead.assignee.contains("/polecats/") || number::read_attempt(bead) > 0 {
            found.extend(bead_item(rig, bead, polecats));
        }
    }
    found.extend(closed_bead_items(rig, beads));
    found.extend(gave_up_items(rig, beads, &is_queued));
    found
}

/// Returns the stores, the town's or a rig's, in which git rolled beads back.
pub(super) fn rollback_items(view: &TownView) -> Vec<AttentionItem> {
    view.stores
        .rollbacks
        .iter()
        .map(|rollback| AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            key: format!(
                "rollback:{}:{}",
                rollback.home,
                compute_short_hash(&rollback.what, 3)
            ),
            bead: rollback.beads.first().cloned().unwrap_or_default(),
            subject: format!("Beads of {} were rolled back", rollback.home),
            text: rollback.what.clone(),
            next: rollback.next_steps().into(),
        })
        .collect()
}

/// Returns the targets that have lost merged work, or got commits past the merge queue.
pub(super) fn loss_items(view: &TownView) -> Vec<AttentionItem> {
    view.stores
        .target_losses
        .iter()
        .flat_map(|(rig, losses)| losses.iter().map(move |loss| loss_item(rig, loss)))
        .collect()
}

fn loss_item(rig: &str, loss: &TargetLoss) -> AttentionItem {
    let target = escape::escape_line(&loss.target);
    if !loss.pushed.is_empty() {
        let tip = loss.new_tip.as_deref().unwrap_or("");
        return AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            key: format!("pushed:{rig}:{}:{tip}", loss.target),
            bead: String::new(),
            subject: format!(
                "{} pushed to {target} of rig {rig} past the merge queue",
                escape::escape_line(&loss.list_pushers())
            ),
            text: format!("{}.", escape::escape_line(&loss.describe())),
            next: loss.next_steps(rig),
        };
    }
    let first = loss.merges.first();
    AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: format!("lost:{rig}:{}:{}", loss.target, loss.old_tip),
        bead: first.map_or_else(String::new, |merge| merge.bead.clone()),
        subject: format!(
            "{target} of rig {rig} has lost the merged work of {}",
            escape::escape_line(&loss.list_beads())
        ),
        text: format!("{}.", escape::escape_line(&loss.describe())),
        next: loss.next_steps(rig),
    }
}

/// Returns the wrong settings because of which nothing is started or merged.
pub(super) fn settings_items(view: &TownView) -> Vec<AttentionItem> {
    view.settings
        .list_stops()
        .into_iter()
        .map(|(error, rigs)| AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            key: format!("settings:{}", compute_short_hash(error, 4)),
            bead: String::new(),
            subject: format!(
                "Nothing is started or merged {}",
                config::describe_stopped_rigs(&rigs)
            ),
            text: format!("{}.", escape::escape_line(error)),
            next: vec!["gt doctor".to_owned()],
        })
        .collect()
}

/// Returns the agents that settings name and no settings define, so that no session can start.
pub(super) fn agent_items(layout: &TownLayout, view: &TownView) -> Vec<AttentionItem> {
    // Invalid settings are an item of their own.
    let known = |rig: Option<&str>| {
        let rig = rig.map(|rig| layout.rig(rig));
        runtime::list_agent_names(layout, rig.as_ref()).ok()
    };
    let rigs = view.stores.rigs.keys().map(|rig| Some(rig.as_str()));
    std::iter::once(None)
        .chain(rigs)
        .flat_map(|rig| {
            let named = view.settings.for_rig(rig).list_named_agents();
            named.into_iter().map(move |(key, agent)| (rig, key, agent))
        })
        .filter(|(rig, _, agent)| known(*rig).is_some_and(|known| !known.contains(agent)))
        .map(|(rig, key, agent)| agent_item(rig, &key, &agent))
        .collect()
}

fn agent_item(rig: Option<&str>, key: &str, agent: &str) -> AttentionItem {
    let agent = escape::escape_line(agent);
    let role = key.strip_prefix("role_agents.").map(escape::escape_line);
    let owner = match (rig, &role) {
        (None, None) => "default agent".to_owned(),
        (None, Some(role)) => format!("agent of the role {role}"),
        (Some(rig), None) => format!("agent of rig {rig}"),
        (Some(rig), Some(role)) => format!("agent of the role {role} in rig {rig}"),
    };
    let text = if role.is_some() {
        "No settings define it, so sessions of the role start with another agent."
    } else {
        "No settings define it, so no session can start with it."
    };
    // The keys of items that were reported before stay the same.
    let part = role.map_or_else(String::new, |role| format!("{role}:"));
    AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: format!("agent:{}:{part}{agent}", rig.unwrap_or_default()),
        bead: String::new(),
        subject: format!("The {owner} `{agent}` does not exist"),
        text: text.to_owned(),
        next: vec![
            "gt config agent list".to_owned(),
            config::command_to_name_agent(rig, key),
        ],
    }
}

/// Returns the convoys that a hook deferred to the user.
pub(super) fn review_items(view: &TownView) -> Vec<AttentionItem> {
    review::list_requests(&view.stores.town, false)
        .into_iter()
        .filter_map(|request| {
            let pending = request.pending.as_ref()?;
            Some(AttentionItem {
                kind: AttentionKind::NeedsPerson,
                due: Timestamp::MIN,
                key: format!("review:{}", request.id),
                bead: request.id.clone(),
                subject: format!(
                    "Convoy \"{}\" waits for your review",
                    escape::escape_line(&request.new.title)
                ),
                text: format!(
                    "{} left the decision to the user: {}.",
                    escape::escape_line(&pending.hook),
                    escape::escape_line(pending.reason.trim_end_matches('.'))
                ),
                next: vec![
                    format!("gt convoy review approve {}", request.id),
                    format!("gt convoy review reject {} --reason \"<why>\"", request.id),
                ],
            })
        })
        .collect()
}

/// Returns the patrol's agents that end again and again.
pub(super) fn crash_loop_items(layout: &TownLayout, view: &TownView) -> Vec<AttentionItem> {
    let agents: Vec<&Address> = view
        .roles
        .iter()
        .filter(|role| role.mode == RoleMode::Agent)
        .map(|role| &role.address)
        .collect();
    if agents.is_empty() {
        return Vec::new();
    }
    let restarts = match restarts::load_restarts(layout) {
        Ok(restarts) => restarts,
        Err(error) => return vec![unreadable_restarts_item(layout, &error)],
    };
    agents
        .into_iter()
        .filter_map(|agent| crash_loop_item(agent, restarts.get(&agent.to_string())?))
        .collect()
}

fn crash_loop_item(agent: &Address, record: &AgentRestarts) -> Option<AttentionItem> {
    let since = record.crash_loop_start()?;
    let count = kit::ui::counted(record.restart_count as usize, "start");
    let command = match agent.rig() {
        Some(rig) => format!("gt {} restart {rig}", agent.role()),
        None => format!("gt {} restart", agent.role()),
    };
    Some(AttentionItem {
        kind: AttentionKind::Stuck,
        due: Timestamp::MIN,
        key: format!("crash-loop:{agent}:{since}"),
        bead: String::new(),
        subject: format!("STUCK: {agent} ends again and again"),
        text: format!(
            "Its session has ended after {count} in a row. It is started again at {}, less often each time.",
            record.backoff_until
        ),
        next: vec![command, format!("gt peek {agent}")],
    })
}

fn unreadable_restarts_item(layout: &TownLayout, error: &anyhow::Error) -> AttentionItem {
    let path = layout.restart_state();
    AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: "restart-state".to_owned(),
        bead: String::new(),
        subject: "The starts of agents cannot be read, so none is started".to_owned(),
        text: escape::escape_line(&format!("{error:#}")),
        next: vec![format!("rm {}", path.display())],
    }
}

/// Returns the APIs that refuse for too long. A refusal that a user must settle with the provider
/// is reported at once.
pub(super) fn outage_items(view: &TownView, patience: SignedDuration) -> Vec<AttentionItem> {
    outages::find_outages(view).into_iter()
        .filter_map(|outage| {
            let kind = outage.last.kind.as_str();
            let is_persons = kind.contains("billing") || kind.contains("auth");
            let patience = if is_persons { SignedDuration::ZERO } else { patience };
            let count = kit::ui::counted(outage.stopped.len(), "worker");
            let first = outage.stopped.first()?;
            Some(AttentionItem {
                due: outage.since.checked_add(patience).ok()?,
                kind: AttentionKind::Failing,
                key: format!("outage:{}:{}", outage.agent, outage.since),
                bead: String::new(),
                subject: if outage.last.is_usage_limit() {
                    format!("{} is paused by its usage limit", outage.agent)
                } else {
                    format!("The API of {} refuses", outage.agent)
                },
                text: format!(
                    "Since {} it stops {count}: {}. One of them tries again each time, and all go on when it answers.",
                    outage.since,
                    outage.last.describe()
                ),
                next: vec![format!("gt peek {}", first.worker), "gt status".to_owned()],
            })
        })
        .collect()
}

/// Returns the reason why the worker gets no complete files of its target.
fn target_failure(slot: &Slot) -> Option<&str> {
    slot.state.sling_in_progress()?.target_failure.as_deref()
}

/// Returns the need of a rig whose target no worker can check out: one, however many beads it keeps
/// from being started.
fn target_item(rig: &str, hindered: &[&Polecat]) -> Option<AttentionItem> {
    let first = hindered.first()?;
    let cause = target_failure(&first.slot)?;
    let beads: Vec<&str> = hindered.iter().map(|polecat| &*polecat.slot.bead).collect();
    Some(AttentionItem {
        kind: AttentionKind::Stuck,
        due: Timestamp::MIN,
        key: format!("target-files:{rig}:{}", first.slot.target),
        bead: first.slot.bead.to_string(),
        subject: format!(
            "No worker of rig {rig} gets all files of {}",
            first.slot.target
        ),
        text: format!(
            "{}. This keeps {} from starting: {}.",
            escape::escape_line(cause.trim_end_matches('.')),
            kit::ui::counted(beads.len(), "bead"),
            beads.join(", ")
        ),
        next: hindered
            .iter()
            .take(3)
            .map(|polecat| format!("gt polecat retry {rig}/{}", polecat.name))
            .collect(),
    })
}

/// Returns the need of a rig whose workers lost their sandboxes: one, however many they are.
fn sandbox_item(rig: &str, polecats: &[Polecat]) -> Option<AttentionItem> {
    let concerned: Vec<&Polecat> = polecats
        .iter()
        .filter(|polecat| polecat.has_lost_sandbox())
        .collect();
    let first = concerned.first()?;
    let work: Vec<String> = concerned
        .iter()
        .map(|polecat| format!("{rig}/{} on {}", polecat.name, polecat.slot.bead))
        .collect();
    let (subject, next) = match concerned.as_slice() {
        [only] => (
            format!("The sandbox of {rig}/{} was removed", only.name),
            format!("gt polecat retry {rig}/{}", only.name),
        ),
        all => (
            format!(
                "The sandboxes of {} workers of rig {rig} were removed",
                all.len()
            ),
            format!("gt polecat retry --all --rig {rig}"),
        ),
    };
    Some(AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: format!("sandbox-gone:{rig}"),
        bead: first.slot.bead.to_string(),
        subject,
        text: format!(
            "The sessions run on without them: {}. A retry ends the sessions, and the patrol restores the commits and the last snapshots of uncommitted files.",
            work.join(", ")
        ),
        next: vec![next, format!("gt why {}", first.slot.bead)],
    })
}

/// Returns a worker that is not restarted, or whose `gt done` has failed for too long.
fn worker_item(polecat: &Polecat, thresholds: &Thresholds) -> Option<AttentionItem> {
    let patience = thresholds.patience;
    let slot = &polecat.slot;
    let who = polecat.address().to_string();
    let bead = polecat.hook.clone().filter(|hook| *hook == slot.bead)?;
    let short = format!("{}/{}", polecat.rig, polecat.name);
    let retry = format!("gt polecat retry {short}");
    let give = polecat.command_to_sling(&bead);
    if let Some(reason) = slot.state.stuck_reason() {
        let screen = quote_last_screen(slot);
        return Some(AttentionItem {
            kind: AttentionKind::Stuck,
            due: Timestamp::MIN,
            key: format!("stuck:{bead}:{}", slot.lease),
            subject: format!("STUCK: {who} on {bead}"),
            text: format!("{reason}. {}{screen}", describe_retry(slot)),
            next: {
                let close = format!("bd close {bead} --reason \"<why there is nothing to merge>\"");
                let steps = match slot.state.failed_done() {
                    // The same worker found nothing to hand in.
                    Some(failed) if failed.step == DoneStep::Proof => [give, close, retry],
                    _ => [retry, give, close],
                };
                steps
                    .into_iter()
                    .chain([format!("gt why {bead}")])
                    .collect()
            },
            bead,
        });
    }
    if let Some(WorkerActivity::Dialog { question }) =
        polecat.progress.as_ref().map(|progress| &progress.doing)
    {
        return Some(AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: Timestamp::MIN,
            key: format!("dialog:{bead}:{}", slot.lease),
            subject: format!("{who} waits for an answer on {bead}"),
            text: format!(
                "A dialog is open in its session: {}. It is restarted if no one answers.",
                escape::escape_line(question)
            ),
            next: vec![format!("gt attach {short}"), format!("gt peek {short}")],
            bead,
        });
    }
    if let Some(progress) = polecat
        .progress
        .as_ref()
        .filter(|progress| progress.attached)
    {
        return Some(AttentionItem {
            kind: AttentionKind::NeedsPerson,
            due: progress.at.checked_add(thresholds.restart).ok()?,
            key: format!("attached:{bead}:{}", slot.lease),
            subject: format!("{who} makes no progress on {bead}, and a terminal is attached"),
            text: "Sessions with an attached terminal are left alone. Go on there, or detach it."
                .to_owned(),
            next: vec![format!("gt attach {short}"), format!("gt peek {short}")],
            bead,
        });
    }
    let done = slot.state.done_record()?;
    let failed = done.failed.as_ref()?;
    Some(AttentionItem {
        due: report_at(&done.since, patience)?,
        kind: AttentionKind::Failing,
        key: format!("done:{bead}:{}", slot.lease),
        subject: format!("{who} cannot hand in {bead}"),
        text: format!(
            "`gt done` has failed since {} at the step {}: {}. It is tried again.",
            done.since,
            failed.step,
            escape::escape_line(&failed.reason)
        ),
        next: vec![format!("gt polecat status {short}"), give],
        bead,
    })
}

/// Describes if and when a stuck worker is retried.
fn describe_retry(slot: &Slot) -> &'static str {
    if slot.state.is_retried() {
        "It is tried again later, less often each time."
    } else {
        "It is not started again automatically."
    }
}

/// Quotes the end of a worker's last screen.
fn quote_last_screen(slot: &Slot) -> String {
    let quoted: String = slot
        .ended
        .iter()
        .flat_map(|ended| &ended.screen)
        .map(|line| format!("> {}\n", escape::escape_line(line)))
        .collect();
    if quoted.is_empty() {
        return quoted;
    }
    format!(
        "\n\nThe end of its last screen, which is what its program printed and no instruction:\n\n{quoted}"
    )
}

/// Returns a queued bead whose sling has failed for too long.
fn queued_item(
    waiting: &queued_sling::QueuedSling,
    patience: SignedDuration,
) -> Option<AttentionItem> {
    let failed = waiting.failed.as_ref()?;
    let bead = waiting.work_bead_id.clone();
    let rig = &waiting.target_rig;
    Some(AttentionItem {
        due: report_at(&failed.since, patience)?,
        kind: AttentionKind::Failing,
        key: format!("queued:{bead}"),
        subject: format!("{bead} cannot be slung to {rig}"),
        text: format!(
            "It is queued, and since {} each try fails: {}. It is tried again.",
            failed.since,
            escape::escape_line(&failed.why)
        ),
        next: vec![format!("gt sling {bead} {rig}"), format!("gt why {bead}")],
        bead,
    })
}

/// Returns the time from which a failure is reported.
pub(super) fn report_at(since: &str, patience: SignedDuration) -> Option<Timestamp> {
    since.parse::<Timestamp>().ok()?.checked_add(patience).ok()
}

/// Returns a bead that is assigned to a polecat, but on no polecat's hook.
fn bead_item(rig: &str, bead: &Bead, polecats: &[Polecat]) -> Option<AttentionItem> {
    let holder = polecats
        .iter()
        .find(|polecat| polecat.is_address(&bead.assignee));
    let id = bead.id.clone();
    let who = &bead.assignee;
    let text = match holder {
        // A process works on that bead now.
        Some(polecat) if polecat.hook.as_deref() == Some(&id) && polecat.busy => return None,
        Some(polecat) if polecat.hook.as_deref() == Some(&id) => {
            if polecat.slot.bead == id {
                return None;
            }
            format!("{who} has it on its hook, but the local record of that work is gone")
        }
        Some(_) => format!(
            "it is {} and assigned to {who}, which does not have it",
            bead.status
        ),
        // The bead is with a user, crew, or the mayor. Only beads that were slung before count.
        None if who.starts_with(&format!("{rig}/polecats/")) => {
            format!(
                "it is {} and assigned to {who}, which is not there",
                bead.status
            )
        }
        None if !who.is_empty() || number::read_attempt(bead) == 0 => return None,
        None => format!("it is {} and unassigned", bead.status),
    };
    Some(AttentionItem {
        kind: AttentionKind::NeedsPerson,
        due: Timestamp::MIN,
        key: format!("orphan:{id}:{}", number::read_attempt(bead)),
        subject: format!("No one works on {id}"),
        text: format!("{}: {text}.", escape::escape_line(&bead.title)),
        next: vec![
            format!("gt sling {id} {rig} --force"),
            format!("bd update {id} --status open --assignee \"\""),
        ],
        bead: id,
    })
}

/// Returns open beads at which a worker gave up and that no one has taken since.
fn gave_up_items(
    rig: &str,
    beads: &Snapshot,
    is_queued: &dyn Fn(&str) -> bool,
) -> Vec<AttentionItem> {
    let failed = beads.select_marked(&[BeadMark::Label(attempt::FAILED_LABEL)], |bead| {
        bead.status() == Status::Open
    });
    failed
        .filter(|bead| !is_queued(&bead.id))
        .filter_map(|bead| {
            let last = attempt::last_given_up_attempt(bead)?;
            let id = bead.id.clone();
            Some(AttentionItem {
                kind: AttentionKind::GaveUp,
                due: Timestamp::MIN,
                key: format!("failed:{id}:{}", number::read_attempt(bead)),
                subject: format!("{} gave up on {id}", escape::escape_line(&last.worker)),
                text: format!(
                    "{}: {}.",
                    escape::escape_line(&bead.title),
                    escape::escape_line(last.why.trim_end_matches('.'))
                ),
                next: vec![
                    format!("gt sling {id} {rig}"),
                    format!("gt brief {id}"),
                    format!("bd close {id} --reason \"Failed: <why>\""),
                ],
                bead: id,
            })
        })
        .collect()
}

/// Returns beads that a worker closed without `gt done`.
fn closed_bead_items(rig: &str, beads: &Snapshot) -> Vec<AttentionItem> {
    let closed = beads.select_marked(&[BeadMark::Label(attempt::UNPROVEN_LABEL)], |_| true);
    closed
        .filter_map(|bead| {
            let worker = attempt::unproven_worker(bead)?;
            let id = bead.id.clone();
            Some(AttentionItem {
                kind: AttentionKind::NeedsPerson,
                due: Timestamp::MIN,
                key: format!("closed:{id}:{}", number::read_attempt(bead)),
                subject: format!("{id} was closed without being merged"),
                text: format!("{worker} closed it without `gt done`. Is there nothing to merge?"),
                next: vec![
                    format!("bd reopen {id} && gt sling {id} {rig}"),
                    format!("bd close {id} --reason \"<why it is done>\""),
                ],
                bead: id,
            })
        })
        .collect()
}
