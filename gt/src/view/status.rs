//! Reads the status of the town as one value: agents, rigs, queues, convoys, daemon.
//!
//! One call lists all sessions, each store is read once, and nothing is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bd::store::Snapshot;
use jiff::Timestamp;
use kit::ui::escape;
use serde::Serialize;

use crate::flow::place::{crew, moved};
use crate::flow::townwide::dog::{health, list_dogs_in};
use crate::flow::work::convoy::{self, ConvoyProgress, review};
use crate::host::daemon;
use crate::host::{LiveTown, UnreachableHost};
use crate::patrol::attention::{self, AttentionItem, AttentionKind};
use crate::patrol::thresholds::Thresholds;
use crate::patrol::{explain_worker, outages, rule};
use crate::record;
use crate::record::dog::Dog;
use crate::record::escalation::{self, Escalation, Severity};
use crate::record::mail;
use crate::record::merge_request;
use crate::record::pause::TownPause;
use crate::record::plugin::find_plugins;
use crate::record::polecat::{Polecat, PolecatState};
use crate::record::progress::WorkerProgress;
use crate::record::queued_sling::{self, QueuedSling};
use crate::record::request_wait::{BrokenTargets, RequestWait};
use crate::record::role::RoleMode;
use crate::record::scheduler::{SchedulerState, TownLimits};
use crate::record::start_use::UseLimits;
use crate::record::town_view::TownView;
use crate::record::usage_pause::UsagePauses;
use crate::town::config::describe_stopped_rigs;
use crate::town::hold::{EmergencyStop, Hold};
use crate::town::identity::{Address, SessionName};
use crate::town::{Rig, Town, TownLayout, read_json_text, read_town_name};
use crate::view::holding_bead::{HoldingBead, find_holding_bead};
use crate::view::missing_program::find_missing_programs;
use crate::view::plugin::find_failing_plugins;
use crate::view::polecat::mark_of_word;
use crate::view::scheduler::{describe_full_rig, find_queue_blockers};
use crate::view::target_strip::RedBranch;

#[derive(Debug, Clone, Serialize)]
pub struct TownStatus {
    pub name: String,
    pub location: String,
    pub overseer: OverseerStatus,
    pub daemon: daemon::DaemonStatus,
    /// The pause, if the town is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<TownPause>,
    /// The user who paused the scheduler, if it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_paused_by: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub scheduler_paused_reason: String,
    /// The emergency stop, if the town is stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<EmergencyStop>,
    pub agents: Vec<AgentStatus>,
    pub rigs: Vec<RigSummary>,
    pub convoys: Vec<ConvoyLine>,
    /// Open escalations, the most urgent first.
    pub escalations: Vec<EscalationLine>,
    pub summary: TownSummary,
    pub problems: Vec<TownProblem>,
    /// The items for the user, which are among the problems.
    #[serde(skip)]
    pub items: Vec<AttentionItem>,
}

impl TownStatus {
    /// Returns the agents of the town and of its rigs.
    pub fn all_agents(&self) -> impl Iterator<Item = &AgentStatus> {
        self.agents
            .iter()
            .chain(self.rigs.iter().flat_map(|rig| &rig.agents))
    }

    pub fn find_agent(&self, address: &str) -> Option<&AgentStatus> {
        self.all_agents().find(|agent| agent.address == address)
    }
}

/// Something that needs the user, and the commands that solve or explain it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TownProblem {
    pub text: String,
    pub next: Vec<String>,
    /// True if the needs of the user have it, too.
    #[serde(skip)]
    pub is_need: bool,
}

impl TownProblem {
    fn new(text: impl Into<String>, next: impl IntoIterator<Item = String>) -> Self {
        Self {
            text: text.into(),
            next: next.into_iter().collect(),
            is_need: false,
        }
    }
}

/// The user who owns the town.
#[derive(Debug, Clone, Serialize)]
pub struct OverseerStatus {
    pub name: String,
    /// The number of unread messages.
    pub unread_mail: usize,
}

/// One agent.
#[derive(Debug, Clone, Serialize)]
pub struct AgentStatus {
    pub name: String,
    pub address: String,
    pub session: String,
    pub role: &'static str,
    /// True if the session runs. Missing if unknown.
    pub running: Option<bool>,
    /// True if work is on the hook.
    pub has_work: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_bead: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<PolecatState>,
    /// The word for the state on screens, if that is not its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_word: Option<&'static str>,
    /// True if it has made no progress for so long that it was asked.
    #[serde(skip)]
    pub is_quiet: bool,
    /// The reason for the state.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The other machine on which it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The state of that machine, if it cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<UnreachableHost>,
    /// The progress, if the agent is a working polecat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<WorkerProgress>,
    /// The number of unread messages.
    pub unread_mail: usize,
    /// The commands that answer its open questions about its work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for_answers: Vec<String>,
}

impl AgentStatus {
    /// Returns the number of unread messages that someone is to read: without work no session of a
    /// worker reads its mail.
    pub fn awaited_mail(&self) -> usize {
        match self.state {
            Some(_) if !self.has_work => 0,
            _ => self.unread_mail,
        }
    }

    /// Returns true for a worker whose work does not continue.
    pub fn is_stopped_at_work(&self) -> bool {
        matches!(
            self.state,
            Some(PolecatState::Stalled | PolecatState::Zombie)
        ) && self.has_work
    }

    /// Returns the mark and the word for the state on screens.
    pub fn state_mark_and_word(&self) -> (&'static str, &'static str) {
        match (self.state, self.running) {
            (Some(state), _) => {
                let word = self.state_word.unwrap_or(state.name());
                (mark_of_word(word), word)
            }
            (None, Some(true)) => ("●", "running"),
            (None, Some(false)) => ("○", "stopped"),
            (None, None) => ("?", "unknown"),
        }
    }
}

/// One rig.
#[derive(Debug, Clone, Serialize)]
pub struct RigSummary {
    pub name: String,
    /// The prefix of the rig's beads.
    pub prefix: String,
    /// True if the rig has a remote. Without one, its own repository takes the remote's place.
    pub remote: bool,
    /// True if the daemon pushes the rig's beads to its remote.
    pub pushed_beads: bool,
    pub polecat_count: usize,
    pub crew_count: usize,
    pub agents: Vec<AgentStatus>,
    pub mq: QueueCounts,
    /// The targets that fail their own gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub red_targets: Vec<RedBranch>,
    /// The reason why each try to merge fails, of one of the requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mq_failing: Option<String>,
    /// The ids of the queued beads.
    pub waiting: Vec<String>,
    /// The open beads that the queued beads wait for, by queued bead.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub waits_for: BTreeMap<String, Vec<String>>,
    /// The reason why the rig starts no queued bead that waits for no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<String>,
    /// The queued beads with the time of queueing, and the reason of the last failed try.
    pub queued: Vec<QueuedBead>,
    /// The usage limits that queued beads wait for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usage_limits: Vec<String>,
    /// The reason why nothing is started in the rig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Hold>,
}

/// A queued bead with its title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueuedBead {
    pub title: String,
    #[serde(flatten)]
    pub sling: QueuedSling,
}

impl RigSummary {
    /// Returns what a queued bead waits for.
    pub fn describe_queue_wait(&self, id: &str) -> String {
        if let Some(blockers) = self.waits_for.get(id) {
            return format!("waits for {}", blockers.join(", "));
        }
        self.held
            .as_ref()
            .map(|hold| &hold.reason)
            .or(self.full.as_ref())
            .or(self.usage_limits.first())
            .map_or_else(
                || format!("waits for a worker of rig {}", self.name),
                Clone::clone,
            )
    }
}

/// The number of requests in a merge queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct QueueCounts {
    pub pending: usize,
    pub blocked: usize,
    pub needs_person: usize,
}

impl QueueCounts {
    /// Describes the counts.
    pub fn describe(&self) -> String {
        format!(
            "{} ready, {} wait for a task, {} for the user",
            self.pending, self.blocked, self.needs_person
        )
    }
}

/// One open convoy.
#[derive(Debug, Clone, Serialize)]
pub struct ConvoyLine {
    pub id: String,
    pub title: String,
    pub completed: usize,
    pub total: usize,
    /// The critical escalations that block it.
    pub blocked_by: Vec<String>,
    /// The bead that the others wait for. Missing in the status of an earlier time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_up_by: Option<HoldingBead>,
}

impl From<ConvoyProgress> for ConvoyLine {
    fn from(progress: ConvoyProgress) -> Self {
        Self {
            id: progress.id,
            title: progress.title,
            completed: progress.counts.completed,
            total: progress.counts.total,
            blocked_by: progress
                .blocked_by
                .into_iter()
                .map(|blocker| blocker.id)
                .collect(),
            held_up_by: None,
        }
    }
}

/// One open escalation.
#[derive(Debug, Clone, Serialize)]
pub struct EscalationLine {
    pub id: String,
    pub severity: Severity,
    pub title: String,
    pub from: String,
    /// The bead concerned, if any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bead: String,
    pub since: String,
    /// The agent or user that acknowledged it. A new escalation has none.
    pub acked_by: String,
    /// The deadline of the default answer, RFC 3339. Missing without a deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// The command that ends it.
    pub next: String,
}

impl EscalationLine {
    /// Returns the open escalations of a town.
    pub fn list_open(town: &Snapshot) -> Vec<Self> {
        escalation::list_escalations(town, false)
            .into_iter()
            .map(Self::from_escalation)
            .collect()
    }

    fn from_escalation(escalation: Escalation) -> Self {
        Self {
            next: escalation.next_step(),
            deadline: escalation.default_at().map(|(_, at)| at.to_string()),
            severity: escalation.severity,
            title: escalation.title,
            from: escalation.escalated_by,
            bead: escalation.related_bead,
            since: escalation.escalated_at,
            acked_by: escalation.acked_by,
            id: escalation.id,
        }
    }
}

/// The counts of the town.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct TownSummary {
    pub rig_count: usize,
    pub polecat_count: usize,
    pub crew_count: usize,
    pub active_hooks: usize,
}

/// Returns the folders whose changes affect the status.
pub fn watched_folders(town: &Town) -> Vec<PathBuf> {
    let layout = &town.layout;
    let mut folders = vec![layout.root().to_owned(), layout.beads(), layout.mayor()];
    folders.extend(layout.settings().parent().map(Path::to_owned));
    // A registry that cannot be read is reported by the commands that read it.
    for rig in town.list_rigs().into_iter().flatten() {
        folders.push(rig.beads());
        folders.extend(rig.settings().parent().map(Path::to_owned));
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Returns the problems for the user.
fn find_problems(town: &LiveTown, view: &TownView, items: &[AttentionItem]) -> Vec<TownProblem> {
    let mut problems: Vec<TownProblem> = view
        .blind
        .iter()
        .map(|reason| TownProblem::new(reason, []))
        .collect();
    let limits = TownLimits::from_layers(view.settings.for_rig(None));
    if let Some(low) = limits.find_low_disk(&town.layout) {
        let root = town.layout.root().to_string_lossy();
        let text = format!("no worker starts: {low}");
        let next = format!("df -h {}", escape::quote_for_shell(&root));
        problems.push(TownProblem::new(text, [next]));
    }
    for (rig, reason) in &view.stores.unreadable {
        let text = format!("rig {rig} cannot be read: {reason}");
        problems.push(TownProblem::new(text, []));
    }
    for rollback in &view.stores.rollbacks {
        let text = format!("{}: {}", rollback.home, rollback.what);
        problems.push(TownProblem::new(text, rollback.next_steps()));
    }
    for (rig, losses) in &view.stores.target_losses {
        for loss in losses {
            let text = format!("rig {rig}: {}", loss.describe());
            problems.push(TownProblem::new(text, loss.next_steps(rig)));
        }
    }
    for pause in view.stores.queue_pauses.values() {
        problems.push(TownProblem::new(pause.describe(), [pause.next_step()]));
    }
    problems.extend(find_wrong_settings(view));
    for outage in outages::find_outages(view) {
        let count = kit::ui::counted(outage.stopped.len(), "worker");
        let next = kit::ui::time::format_ago(view.now, outage.next_try());
        let why = outage.last.describe();
        let text = format!("{}: {why}; {count} stopped, next try {next}", outage.agent);
        problems.push(TownProblem::new(text, []));
    }
    problems.extend(items.iter().cloned().filter_map(problem_of_item));
    for request in review::list_requests(&view.stores.town, false) {
        if request.pending.is_some() {
            let title = escape::escape_line(&request.new.title);
            let id = request.id;
            let text = format!("convoy \"{title}\" waits for a review: {id}");
            let next = [format!("gt convoy review approve {id}")];
            problems.push(TownProblem::new(text, next));
        }
    }
    let rigs = view.stores.rigs.keys().map(String::as_str);
    let plugins = find_plugins(&town.layout, rigs).plugins;
    let settings = view.settings.for_rig(None);
    for plugin in find_failing_plugins(&plugins, &view.stores.town, settings) {
        problems.push(TownProblem::new(plugin.describe(), [plugin.next_step()]));
    }
    problems
}

/// Returns the wrong settings of the town and its rigs, those that stop starts and merges first.
fn find_wrong_settings(view: &TownView) -> Vec<TownProblem> {
    let mut wrong = Vec::new();
    for (error, rigs) in view.settings.list_stops() {
        let place = describe_stopped_rigs(&rigs);
        let text = format!("nothing is started or merged {place}: {error}");
        wrong.push(TownProblem::new(text, ["gt doctor".to_owned()]));
    }
    let warnings = view.settings.warnings();
    wrong.extend(warnings.map(|warning| TownProblem::new(warning, [])));
    for layers in view.settings.all_layers() {
        for unknown in rule::find_unknown_switches(layers) {
            let problem = TownProblem::new(unknown, []);
            if !wrong.contains(&problem) {
                wrong.push(problem);
            }
        }
    }
    wrong
}

/// The begins of the keys of items that are problems with more details.
const DETAILED_KEYS: [&str; 5] = ["rollback:", "lost:", "settings:", "outage:", "review:"];

/// Returns the problem of an item for the user.
fn problem_of_item(item: AttentionItem) -> Option<TownProblem> {
    if DETAILED_KEYS.iter().any(|key| item.key.starts_with(key)) {
        return None;
    }
    let why = item.text.lines().next().unwrap_or("");
    let text = format!("{}: {why}", item.subject);
    let explain = format!("gt why {}", item.bead);
    let is_worker = matches!(item.kind, AttentionKind::Stuck | AttentionKind::GaveUp);
    let commands = if is_worker { 2 } else { item.next.len() };
    let needs_explanation = !item.bead.is_empty() && !item.next.contains(&explain);
    let next = item.next.into_iter().take(commands);
    Some(TownProblem {
        is_need: true,
        ..TownProblem::new(text, next.chain(needs_explanation.then_some(explain)))
    })
}

/// Reads the status of the whole town.
pub fn read_status(town: &LiveTown) -> anyhow::Result<TownStatus> {
    build_status(town, &TownView::read(town)?)
}

/// Builds the status of the whole town from a view of it.
pub fn build_status(town: &LiveTown, view: &TownView) -> anyhow::Result<TownStatus> {
    let daemon = daemon::read_daemon_status(town);
    let items = attention::list_due_items(town, view);
    // The cause of others, and the step that ends it, come first.
    let mut problems = problems_of_move(town, &daemon);
    problems.extend(
        find_missing_programs(town, view)
            .into_iter()
            .map(|missing| TownProblem::new(missing.text, missing.next)),
    );
    problems.extend(find_problems(town, view, &items));
    if let Some(difference) = &daemon.outdated {
        let text = format!("gtd runs an older program: {difference}");
        problems.push(TownProblem::new(text, ["gt daemon restart".to_owned()]));
    }
    if daemon.ended_unexpectedly {
        let text =
            "gtd ended without being stopped: it was killed, crashed, or the machine restarted";
        let next = ["gt up", "gt daemon logs"].map(str::to_owned);
        problems.push(TownProblem::new(text, next));
    }
    let looking = StatusReader {
        layout: &town.layout,
        view,
    };
    let rigs: Vec<RigSummary> = town
        .list_rigs()?
        .iter()
        .map(|rig| looking.rig(rig))
        .collect();
    let mut agents = vec![looking.agent(&Address::Mayor, None)];
    agents.extend(looking.roles(None));
    let dogs = list_dogs_in(&town.layout, &view.stores);
    agents.extend(dogs.iter().map(|dog| looking.dog(&town.layout, dog)));
    let board = convoy::ProgressBoard::from_view(view);
    let needs: BTreeSet<&str> = items
        .iter()
        .filter(|item| item.kind != AttentionKind::Failing)
        .map(|item| item.bead.as_str())
        .collect();
    let convoys = record::convoy::list_convoys(&view.stores.town, false)
        .into_iter()
        .map(|bead| board.progress(bead))
        .map(|progress| ConvoyLine {
            held_up_by: find_holding_bead(&progress, &needs),
            ..ConvoyLine::from(progress)
        })
        .collect();
    let summary = TownSummary {
        rig_count: rigs.len(),
        polecat_count: rigs.iter().map(|rig| rig.polecat_count).sum(),
        crew_count: rigs.iter().map(|rig| rig.crew_count).sum(),
        active_hooks: rigs
            .iter()
            .flat_map(|rig| &rig.agents)
            .chain(&agents)
            .filter(|agent| agent.has_work)
            .count(),
    };
    let scheduler = SchedulerState::load(&town.layout);
    Ok(TownStatus {
        name: read_town_name(&town.layout),
        location: town.layout.root().display().to_string(),
        overseer: OverseerStatus {
            name: overseer_name(&town.layout),
            unread_mail: mail::count_unread(&view.stores.town, &Address::Overseer.mailbox()),
        },
        daemon,
        paused: TownPause::load(&town.layout),
        scheduler_paused_by: scheduler.paused.then_some(scheduler.paused_by),
        scheduler_paused_reason: scheduler.paused_reason,
        stopped: view.stores.stopped.clone(),
        agents,
        rigs,
        convoys,
        escalations: EscalationLine::list_open(&view.stores.town),
        summary,
        problems,
        items,
    })
}

/// Returns what still belongs to an earlier place of the town.
fn problems_of_move(town: &LiveTown, daemon: &daemon::DaemonStatus) -> Vec<TownProblem> {
    let mut problems = Vec::new();
    if let Some(earlier) = &daemon.moved_from {
        let text = format!(
            "the town was moved, and the daemon runs for its earlier place {}: nothing is started or merged here",
            earlier.display()
        );
        problems.push(TownProblem::new(text, ["gt up".to_owned()]));
    }
    let redirects = moved::find_redirects_to_earlier_places(town);
    if let Some(first) = redirects.first() {
        let text = format!(
            "{} to beads of another place, because the town was moved: {}",
            match redirects.len() {
                1 => "1 work tree leads".to_owned(),
                count => format!("{count} work trees lead"),
            },
            first.path.display()
        );
        problems.push(TownProblem::new(text, ["gt doctor --fix".to_owned()]));
    }
    problems
}

/// Describes the usage limits that keep queued beads from a worker.
fn describe_usage_limits(
    rig: &Rig,
    queued: &[queued_sling::QueuedSling],
    now: Timestamp,
) -> Vec<String> {
    let paused = UsagePauses::load(&rig.town().layout).list_paused_uses(now);
    let limits = UseLimits::default().with_paused(paused);
    queued
        .iter()
        .filter_map(|queued| {
            let uses = limits.uses_of(rig, &queued.options);
            Some(limits.find_paused_use(&uses)?.to_string())
        })
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

struct StatusReader<'a> {
    layout: &'a TownLayout,
    view: &'a TownView,
}

impl StatusReader<'_> {
    fn rig(&self, rig: &crate::town::Rig) -> RigSummary {
        let beads = self.view.stores.rigs.get(rig.name());
        let polecats = self.view.polecats_of(rig.name());
        let crew = crew::list_member_names(rig);
        let mut agents: Vec<AgentStatus> = polecats
            .iter()
            .map(|polecat| self.agent(&polecat.address(), Some(polecat)))
            .collect();
        agents.extend(
            crew.iter()
                .map(|name| self.agent(&Address::Crew(rig.name().to_owned(), name.clone()), None)),
        );
        agents.extend(self.roles(Some(rig.name())));
        let waiting = beads.map_or(Vec::new(), queued_sling::list_queued_slings);
        let waits_for: BTreeMap<String, Vec<String>> = waiting
            .iter()
            .map(|waiting| {
                let id = waiting.work_bead_id.clone();
                let blockers = find_queue_blockers(self.view, rig.name(), &id);
                (id, blockers)
            })
            .filter(|(_, blockers)| !blockers.is_empty())
            .collect();
        let full = (waits_for.len() < waiting.len())
            .then(|| describe_full_rig(self.view, rig.name()))
            .flatten();
        let remote = rig.git().remote_url("origin").ok().flatten().is_some();
        let config = bd::config::Config::from_dir(&rig.beads());
        RigSummary {
            name: rig.name().to_owned(),
            prefix: rig.prefix(),
            remote,
            pushed_beads: remote
                && config.is_ok_and(|config| {
                    config.flag("daemon.auto-sync")
                        && config.flag("daemon.auto-push")
                        && config.can_push()
                        && config.sync_branch().is_some()
                }),
            polecat_count: polecats.len(),
            crew_count: crew.len(),
            agents,
            mq: beads.map_or_else(QueueCounts::default, count_requests),
            red_targets: beads.map_or_else(Vec::new, RedBranch::list_broken),
            mq_failing: beads.and_then(|beads| describe_failing_queue(beads, self.view.now)),
            waiting: waiting
                .iter()
                .map(|waiting| waiting.work_bead_id.clone())
                .collect(),
            usage_limits: describe_usage_limits(rig, &waiting, self.view.now),
            waits_for,
            full,
            queued: waiting
                .into_iter()
                .map(|sling| QueuedBead {
                    title: title_of(beads, &sling.work_bead_id),
                    sling,
                })
                .collect(),
            held: self.view.stores.holds.get(rig.name()).cloned(),
        }
    }

    /// Returns the patrol's roles of the town or of a rig that are in agent mode or have a session.
    fn roles(&self, rig: Option<&str>) -> Vec<AgentStatus> {
        self.view
            .roles
            .iter()
            .filter(|role| role.address.rig() == rig)
            .filter(|role| {
                role.mode == RoleMode::Agent || self.view.session_of(&role.address).is_some()
            })
            .map(|role| self.agent(&role.address, None))
            .collect()
    }

    fn dog(&self, layout: &TownLayout, dog: &Dog) -> AgentStatus {
        let sessions = self.view.sessions.as_deref();
        let condition = sessions.and_then(|sessions| {
            health::find_condition(layout, dog, sessions, self.view.now, health::HUNG)
        });
        let agent = self.agent(&dog.address(), None);
        // The bead on a hook is shown with its title.
        let work = match dog.work.as_str() {
            work if work.is_empty() || agent.has_work => None,
            work => Some(format!("at work on {work}")),
        };
        let problem = condition.map(|condition| condition.describe().to_owned());
        let why: Vec<String> = work.into_iter().chain(problem).collect();
        let why = why.join(", ");
        AgentStatus { why, ..agent }
    }

    /// Returns true for a worker that makes no progress although it waits for no answer.
    fn is_quiet(&self, polecat: &Polecat) -> bool {
        let settings = self.view.settings.for_rig(Some(&polecat.rig));
        let limit = Thresholds::from_layers(settings).nudge;
        polecat.state == PolecatState::Working
            && questions_of(self.view, polecat).is_empty()
            && polecat
                .progress
                .as_ref()
                .is_some_and(|progress| progress.quiet_time(self.view.now) >= limit)
    }

    fn agent(&self, address: &Address, polecat: Option<&Polecat>) -> AgentStatus {
        let session =
            SessionName::for_agent(address).map_or(String::new(), |name| name.to_string());
        let hook = self.view.hooked_bead_of(address);
        AgentStatus {
            name: address.name().unwrap_or(address.role()).to_owned(),
            address: address.to_string(),
            session,
            role: address.role(),
            running: self.view.is_running(address),
            has_work: hook.is_some(),
            work_title: hook.map(|bead| bead.title.clone()),
            hook_bead: hook.map(|bead| bead.id.clone()),
            // A worker may work or not while the sessions are unknown.
            state: polecat
                .filter(|polecat| polecat.hook.is_none() || self.view.sessions.is_some())
                .map(|polecat| polecat.state),
            state_word: polecat
                .filter(|polecat| polecat.state_word() != polecat.state.name())
                .map(Polecat::state_word),
            is_quiet: polecat.is_some_and(|polecat| self.is_quiet(polecat)),
            why: polecat.map_or(String::new(), |polecat| {
                explain_worker(self.layout, self.view, polecat)
            }),
            host: polecat.and_then(|polecat| polecat.host().map(str::to_owned)),
            unreachable: polecat.and_then(|polecat| polecat.unreachable.clone()),
            progress: polecat.and_then(|polecat| polecat.progress.clone()),
            unread_mail: mail::count_unread(&self.view.stores.town, &address.mailbox()),
            waits_for_answers: polecat.map_or_else(Vec::new, |polecat| {
                questions_of(self.view, polecat)
                    .into_iter()
                    .map(|question| question.next_step())
                    .collect()
            }),
        }
    }
}

/// Returns the open questions of a worker about its work.
pub(super) fn questions_of(view: &TownView, polecat: &Polecat) -> Vec<Escalation> {
    let hook = polecat.hook.as_deref();
    hook.map_or_else(Vec::new, |bead| {
        escalation::find_open_questions(&view.stores.town, &polecat.address(), bead)
    })
}

fn title_of(beads: Option<&Snapshot>, id: &str) -> String {
    beads
        .and_then(|beads| beads.get(id))
        .map_or_else(String::new, |bead| bead.title.clone())
}

/// Counts the open requests of a merge queue.
pub(super) fn count_requests(beads: &bd::store::Snapshot) -> QueueCounts {
    let mut queue = QueueCounts::default();
    let broken_targets = BrokenTargets::find(beads);
    for request in merge_request::open_requests(beads) {
        match RequestWait::find_among(beads, request, &broken_targets) {
            Some(wait) if wait.is_for_user() => queue.needs_person += 1,
            Some(wait) if !wait.is_retried() => queue.blocked += 1,
            _ => queue.pending += 1,
        }
    }
    queue
}

/// Describes why each try to merge fails, for a cause outside the requests.
fn describe_failing_queue(beads: &Snapshot, now: Timestamp) -> Option<String> {
    let broken_targets = BrokenTargets::find(beads);
    merge_request::open_requests(beads)
        .into_iter()
        .filter_map(|request| RequestWait::find_among(beads, request, &broken_targets))
        .find(|wait| matches!(wait, RequestWait::Failing { .. }))
        .map(|wait| wait.describe(beads, now))
}

fn overseer_name(layout: &TownLayout) -> String {
    read_json_text(&layout.overseer_json(), "name").unwrap_or_else(|| "overseer".to_owned())
}
