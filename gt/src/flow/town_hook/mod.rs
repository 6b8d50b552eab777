//! Town hooks: executables that a town or a rig puts into `hooks/`, named by the event they are for.
//!
//! What must always hold: no hook, no change of behaviour; a hook that hangs, crashes, floods or talks nonsense
//! is ended and told of, and never leaves anything half made; what a hook prints is data.
//!
//! For one event:
//!
//! 1. `find`: `<town>/hooks/<event>`, then `<rig>/hooks/<event>`; links that lead out are refused, files that are
//!    not executable passed over with a warning (`find`).
//! 2. `surroundings`: a clean environment with the documented variables, long values in files (`surroundings`).
//! 3. `run`: in a process group of its own, with a time limit and a bound on its output (`run`).
//! 4. `result`: the exit code decides, 0 approved, 3 deferred, anything else rejected; the result in its output
//!    or beside it is read within narrow bounds (`result`, `front_matter`).
//! 5. Each run is an event `hook_run` with its rule, what it saw and the outcome. Of an event that decides, the
//!    first hook that does not approve is the last one run.

mod find;
pub mod front_matter;
mod result;
mod run;
mod surroundings;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

pub use front_matter::FrontMatter;
pub use result::{TownHookAnswer, TownHookResultError};
pub(crate) use surroundings::{inherited_variables, looks_secret};

use crate::host::LiveTown;
use crate::town::RigLayout;
use crate::town::config::SettingsLayers;
use crate::town::event::{self, event};

/// What hooks are run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TownHookEvent {
    /// Before a convoy is made; decides.
    PreConvoy,
    /// A person has answered a deferred convoy.
    ConvoyReviewed,
    /// A session begins work of a convoy; what the hook prints enters its context.
    ConvoyBriefing,
    /// A worker has handed in work.
    PostDone,
    /// Before work is put on its target; decides.
    PreMerge,
    /// Work is on its target.
    PostMerge,
    /// A convoy has landed.
    PostLanding,
}

impl TownHookEvent {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PreConvoy,
        Self::ConvoyReviewed,
        Self::ConvoyBriefing,
        Self::PostDone,
        Self::PreMerge,
        Self::PostMerge,
        Self::PostLanding,
    ];

    /// The name of its executables.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreConvoy => "pre-convoy",
            Self::ConvoyReviewed => "convoy-reviewed",
            Self::ConvoyBriefing => "convoy-briefing",
            Self::PostDone => "post-done",
            Self::PreMerge => "pre-merge",
            Self::PostMerge => "post-merge",
            Self::PostLanding => "post-landing",
        }
    }

    /// Whether what its hooks say decides about something.
    fn is_deciding(self) -> bool {
        matches!(self, Self::PreConvoy | Self::PreMerge)
    }
}

/// What hooks are told.
#[derive(Debug, Default)]
pub struct TownHookCall<'a> {
    /// The rig whose hooks run after the town's; only the town's where there is none.
    pub rig: Option<&'a RigLayout>,
    /// Where they run: the rig's root, or the town's, where nothing is said.
    pub cwd: Option<PathBuf>,
    /// The convoy's name.
    pub convoy: String,
    /// What it is to achieve.
    pub spec: String,
    /// The beads that it tracks.
    pub issues: Vec<String>,
    /// More variables.
    pub more: Vec<(&'static str, String)>,
    /// What the runs' events name besides: a convoy, a bead, a request.
    pub about: Vec<(&'static str, String)>,
    /// Hooks that are not asked, by their names for people.
    pub skipped_hooks: Vec<String>,
}

/// What a hook decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TownHookVerdict {
    /// It may go on.
    Approved,
    /// A person is to decide.
    Deferred,
    /// It may not.
    Rejected,
    /// The hook did not come to a decision: it hung, crashed, flooded or could not be read.
    Broken,
}

/// One run of a hook.
#[derive(Debug, Clone)]
pub struct TownHookRun {
    /// The executable, relative to the town.
    pub hook: String,
    /// What it decided.
    pub verdict: TownHookVerdict,
    /// Why, where it did not approve.
    pub reason: String,
    /// Its result.
    pub answer: TownHookAnswer,
    /// What it printed on standard output.
    pub output: String,
    /// What it printed on standard error.
    pub errors: String,
}

impl TownHookRun {
    /// A run that has not come to a decision yet.
    fn new(hook: String, reason: String) -> Self {
        Self {
            hook,
            verdict: TownHookVerdict::Broken,
            reason,
            answer: TownHookAnswer::default(),
            output: String::new(),
            errors: String::new(),
        }
    }
}

/// What came of an event's hooks.
#[derive(Debug, Clone, Default)]
pub struct TownHookReport {
    /// The runs, in order.
    pub runs: Vec<TownHookRun>,
    /// What is to be reported to the one who caused it.
    pub warnings: Vec<String>,
}

impl TownHookReport {
    /// The run that did not approve.
    pub fn refusal(&self) -> Option<&TownHookRun> {
        self.runs
            .iter()
            .find(|ran| ran.verdict != TownHookVerdict::Approved)
    }
}

/// Whether an event has any hook, so that what it would be told need not be gathered.
pub fn has_event_hooks(town: &LiveTown, rig: Option<&RigLayout>, event: TownHookEvent) -> bool {
    find::hook_paths(town, rig, event)
        .iter()
        .any(|place| place.symlink_metadata().is_ok())
}

/// Runs the hooks of an event.
pub fn run_event_hooks(
    town: &LiveTown,
    event: TownHookEvent,
    call: &TownHookCall,
) -> TownHookReport {
    let mut report = TownHookReport::default();
    for place in find::hook_paths(town, call.rig, event) {
        if call.skipped_hooks.contains(&format_path(town, &place)) {
            continue;
        }
        let ran = match find::inspect_hook(town, &place) {
            find::HookFileState::None => continue,
            find::HookFileState::Ignored(why) => {
                let hook = format_path(town, &place);
                town.record_event(&event!(HookIgnored, hook: hook, reason: why));
                report.warnings.push(format!("{hook} is not run: {why}"));
                continue;
            }
            find::HookFileState::Refused(why) => TownHookRun::new(format_path(town, &place), why),
            find::HookFileState::Executable => {
                run::run_hook(town, event, call, &place, &mut report.warnings)
            }
        };
        let go_on = ran.verdict == TownHookVerdict::Approved;
        record_run(town, event, call, &ran);
        report.runs.push(ran);
        if !go_on && event.is_deciding() {
            break;
        }
    }
    report
}

/// Runs hooks that decide nothing; what they say is only recorded.
pub fn notify_event_hooks(town: &LiveTown, event: TownHookEvent, call: &TownHookCall) {
    if has_event_hooks(town, call.rig, event) {
        run_event_hooks(town, event, call);
    }
}

/// How long a hook may take.
fn time_limit(town: &LiveTown, rig: Option<&RigLayout>, event: TownHookEvent) -> Duration {
    const BUILT_IN: Duration = Duration::from_secs(60);
    /// A session waits for it.
    const BRIEFING: Duration = Duration::from_secs(15);
    let said = text_setting(town, rig, "hooks.timeout");
    let limit = said
        .and_then(|text| crate::town::config::parse_setting_duration(&text))
        .filter(|limit| !limit.is_zero())
        .unwrap_or(BUILT_IN);
    if event == TownHookEvent::ConvoyBriefing {
        return limit.min(BRIEFING);
    }
    limit
}

/// A setting that is text. Settings that cannot be read count as not set: the command that changes them reports it.
fn text_setting(town: &LiveTown, rig: Option<&RigLayout>, name: &str) -> Option<String> {
    let layers = SettingsLayers::load(town, rig).ok()?;
    Some(layers.get(name)?.value.as_str()?.to_owned())
}

/// Whether automatic convoys run hooks, too.
pub fn are_auto_convoys_reviewed(town: &LiveTown, rig: Option<&RigLayout>) -> bool {
    let layers = SettingsLayers::load(town, rig).ok();
    let setting = layers.and_then(|layers| layers.get("hooks.auto_convoy"));
    setting.is_some_and(|setting| setting.value == Value::Bool(true))
}

/// A path as people read it: relative to the town.
fn format_path(town: &LiveTown, path: &Path) -> String {
    let inside = path.strip_prefix(town.layout.root()).unwrap_or(path);
    inside.display().to_string()
}

/// Records a run.
fn record_run(town: &LiveTown, event: TownHookEvent, call: &TownHookCall, ran: &TownHookRun) {
    let outcome = match ran.verdict {
        TownHookVerdict::Approved => "approved",
        TownHookVerdict::Deferred => "deferred",
        TownHookVerdict::Rejected => "rejected",
        TownHookVerdict::Broken => "broken",
    };
    let rig = call.rig.map(|rig| ("rig", rig.name().to_owned()));
    let about = rig.into_iter().chain(call.about.iter().cloned());
    town.record_event(&event::Event::HookRun(event::HookRun {
        event: event.name().to_owned(),
        hook: ran.hook.clone(),
        outcome: outcome.to_owned(),
        reason: ran.reason.clone(),
        rule:
            "exit 0 approves, 3 defers, anything else rejects; a hook without a decision is broken"
                .to_owned(),
        saw: json!({
            "exit": ran.answer.exit, "result": ran.answer.source, "decision": ran.answer.adr,
            "issues": call.issues.len(),
        }),
        about: about
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }));
}

#[cfg(test)]
mod tests;
