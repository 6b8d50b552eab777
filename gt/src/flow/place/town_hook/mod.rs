//! Runs town hooks: executables in the folder `hooks/` of a town or a rig, named by their event.
//!
//! Without hooks, nothing changes. A hook that hangs, crashes, floods or prints invalid results is
//! ended and reported, and never leaves partial changes. The output of a hook is data.
//!
//! For one event:
//!
//! 1. `find`: list `<town>/hooks/<event>`, then `<rig>/hooks/<event>`. Refuse links that lead out
//!    of the town, skip files that are not executable with a warning (`find`).
//! 2. `surroundings`: build a clean environment with the documented variables, long values in files
//!    (`surroundings`).
//! 3. `run`: run in a process group of its own, with a time limit and a limit on its output
//!    (`run`).
//! 4. `result`: decide by the exit code: 0 approved, 3 deferred, any other rejected. Read the
//!    result in the output or beside it within narrow limits (`result`, `front_matter`).
//! 5. Record each run as an event `hook_run` with its rule, its inputs and its outcome. For a
//!    deciding event, stop at the first hook that does not approve.

mod find;
pub mod front_matter;
mod result;
mod run;
mod surroundings;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

pub use front_matter::FrontMatter;
pub use result::{TownHookAnswer, TownHookResultError};
pub(crate) use surroundings::{inherited_variables, looks_secret};

use crate::town::config::SettingsLayers;
use crate::town::event::{self, event};
use crate::town::{Rig, Town, TownLayout};

/// The events that have hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TownHookEvent {
    /// Before a convoy is created. Decides.
    PreConvoy,
    /// A user has answered a deferred convoy.
    ConvoyReviewed,
    /// A session starts work of a convoy. The hook's output becomes part of its context.
    ConvoyBriefing,
    /// A worker has submitted work.
    PostDone,
    /// Before work is merged to its target. Decides.
    PreMerge,
    /// Work is on its target.
    PostMerge,
    PostLanding,
}

impl TownHookEvent {
    /// All events.
    pub const ALL: [Self; 7] = [
        Self::PreConvoy,
        Self::ConvoyReviewed,
        Self::ConvoyBriefing,
        Self::PostDone,
        Self::PreMerge,
        Self::PostMerge,
        Self::PostLanding,
    ];

    /// Returns the file name of the event's executables.
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

    /// Returns true if the answers of the hooks decide.
    fn is_deciding(self) -> bool {
        matches!(self, Self::PreConvoy | Self::PreMerge)
    }
}

/// The inputs of a hook run.
#[derive(Debug, Default)]
pub struct TownHookCall<'a> {
    /// The rig whose hooks run after the town's. If `None`, only the town's run.
    pub rig: Option<&'a Rig<'a>>,
    /// The working folder. If `None`, the rig's root, otherwise the town's.
    pub cwd: Option<PathBuf>,
    pub convoy: String,
    /// The goal of the convoy.
    pub spec: String,
    /// The tracked beads.
    pub issues: Vec<String>,
    pub more: Vec<(&'static str, String)>,
    /// Additional fields for the events of the runs: a convoy, a bead, a request.
    pub about: Vec<(&'static str, String)>,
    /// The display names of hooks to skip.
    pub skipped_hooks: Vec<String>,
}

/// The decision of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TownHookVerdict {
    Approved,
    /// A user must decide.
    Deferred,
    Rejected,
    /// The hook reached no decision: it hung, crashed, flooded or was unreadable.
    Broken,
}

/// One run of a hook.
#[derive(Debug, Clone)]
pub struct TownHookRun {
    /// The executable, relative to the town.
    pub hook: String,
    pub verdict: TownHookVerdict,
    /// The reason for not approving.
    pub reason: String,
    pub answer: TownHookAnswer,
    /// The standard output.
    pub output: String,
    /// The standard error.
    pub errors: String,
}

impl TownHookRun {
    /// Creates a run without a decision yet.
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

/// The results of an event's hooks.
#[derive(Debug, Clone, Default)]
pub struct TownHookReport {
    pub runs: Vec<TownHookRun>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl TownHookReport {
    /// Returns the run that did not approve.
    pub fn refusal(&self) -> Option<&TownHookRun> {
        self.runs
            .iter()
            .find(|ran| ran.verdict != TownHookVerdict::Approved)
    }
}

/// Returns true if an event has any hook, so that its inputs must be gathered.
pub fn has_event_hooks(layout: &TownLayout, rig: Option<&Rig>, event: TownHookEvent) -> bool {
    find::hook_places(layout, rig, event)
        .iter()
        .any(|place| place.path.symlink_metadata().is_ok())
}

/// Runs the hooks of an event.
pub fn run_event_hooks(town: &Town, event: TownHookEvent, call: &TownHookCall) -> TownHookReport {
    let mut report = TownHookReport::default();
    for place in find::hook_places(&town.layout, call.rig, event) {
        if call.skipped_hooks.contains(&place.name) {
            continue;
        }
        let ran = match find::inspect_hook(town, &place.path) {
            find::HookFileState::None => continue,
            find::HookFileState::Ignored(why) => {
                let hook = place.name;
                town.record_event(&event!(HookIgnored, hook: hook, reason: why));
                report.warnings.push(format!("{hook} is not run: {why}"));
                continue;
            }
            find::HookFileState::Refused(why) => TownHookRun::new(place.name, why),
            find::HookFileState::Executable => {
                run::run_hook(town, event, call, place, &mut report.warnings)
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

/// Runs the hooks of an event that decides nothing. Their answers are only recorded.
pub fn notify_event_hooks(town: &Town, event: TownHookEvent, call: &TownHookCall) {
    if has_event_hooks(&town.layout, call.rig, event) {
        run_event_hooks(town, event, call);
    }
}

/// Returns the time limit of a hook.
fn time_limit(town: &Town, rig: Option<&Rig>, event: TownHookEvent) -> Duration {
    const BUILT_IN: Duration = Duration::from_secs(60);
    /// Shorter, because a session waits for the hook.
    const BRIEFING_TIMEOUT: Duration = Duration::from_secs(15);
    // A wrong value stops starts and merges; other events have the built-in limit.
    let limit = SettingsLayers::load(town, rig)
        .ok()
        .and_then(|layers| Duration::try_from(layers.duration("hooks.timeout")).ok())
        .filter(|limit| !limit.is_zero())
        .unwrap_or(BUILT_IN);
    if event == TownHookEvent::ConvoyBriefing {
        return limit.min(BRIEFING_TIMEOUT);
    }
    limit
}

/// Returns true if automatic convoys run hooks too. Fails with a wrong value, which may have been
/// meant to switch the hooks on.
pub fn are_auto_convoys_reviewed(town: &Town, rig: Option<&Rig>) -> anyhow::Result<bool> {
    let layers = SettingsLayers::load(town, rig)?;
    layers.check_guards(rig.map(Rig::layout))?;
    Ok(layers.flag("hooks.auto_convoy"))
}

fn record_run(town: &Town, event: TownHookEvent, call: &TownHookCall, ran: &TownHookRun) {
    let outcome = match ran.verdict {
        TownHookVerdict::Approved => "approved",
        TownHookVerdict::Deferred => "deferred",
        TownHookVerdict::Rejected => "rejected",
        TownHookVerdict::Broken => "broken",
    };
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
        about: call
            .rig
            .map(|rig| ("rig", rig.name().to_owned()))
            .into_iter()
            .chain(call.about.iter().cloned())
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }));
}

#[cfg(test)]
mod tests;
