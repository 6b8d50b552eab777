//! Measures the progress of a worker with work and a session: the last progress, its sign, and the
//! current activity.
//!
//! A running process is no progress. Signs are tool uses that the program's hooks report, commits,
//! changed files, and, for a program without hooks, new output on its screen. A spinner or a clock
//! is none: a screen that shows work in progress does not count, nor does the echo of a message
//! that was typed into the session. Cheap signs are read each time. Files and screen are read only
//! if the cheap signs are older than `patrol.progress.note`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use kit::ui::escape;
use serde::Serialize;

use super::observed;
use super::pulse::{ApiRefusal, SessionPulse};
use super::reset_time::parse_reset_time;
use crate::host::ended::strip_end_message;
use crate::host::runtime::{RuntimePreset, ScreenState, inspect_screen};
use crate::host::{LiveSession, LiveTown};
use crate::town::sandbox_git::open_tree;
use crate::town::{RigLayout, TownLayout};

/// The number of lines of a screen that are read.
const READ_LINES: usize = 60;
/// The number of last lines in which a refusal of the API is searched.
const SEARCHED_LINES: usize = 20;
/// The number of last lines with text in which the message about a usage limit is searched while a
/// dialog is open. The dialog about the limit is right below it.
const LINES_WITH_DIALOG: usize = 9;

/// Output within this time after a typed message or a session start counts as their echo.
const ECHO_TIME: SignedDuration = SignedDuration::from_secs(3);

/// The kind of a refusal that a screen shows with the words of a usage limit.
const USAGE_LIMIT: &str = "usage_limit";

/// The time for which a reading of files and screen is reused.
const A_GLANCE: SignedDuration = SignedDuration::from_secs(15);

/// Recent readings of the files and screens of quiet workers, for repeated calls: reading both
/// takes far longer than anything else, and progress is measured in minutes. A caller that acts on
/// the result uses an empty cache.
#[derive(Debug, Default)]
pub struct ActivityCache(Mutex<HashMap<String, ActivityReading>>);

/// A reading of a worker's files and screen.
#[derive(Debug, Clone)]
struct ActivityReading {
    at: Timestamp,
    /// The time of the last output on the screen.
    activity: Timestamp,
    changed: Option<Timestamp>,
    /// None if the screen was not read.
    doing: Option<WorkerActivity>,
    /// The time of the last output with a new text.
    output: Option<Timestamp>,
}

impl ActivityCache {
    fn recent(&self, live: &LiveSession, now: Timestamp) -> Option<ActivityReading> {
        let kept = self.lock_readings();
        let glance = kept.get(&live.token)?;
        (glance.is_recent(now) && glance.activity == live.activity).then(|| glance.clone())
    }

    fn keep(&self, live: &LiveSession, glance: ActivityReading, now: Timestamp) {
        let mut kept = self.lock_readings();
        kept.retain(|_, one| one.is_recent(now));
        kept.insert(live.token.clone(), glance);
    }

    /// A poisoned lock means a panic between two plain writes, so the values are still valid.
    fn lock_readings(&self) -> MutexGuard<'_, HashMap<String, ActivityReading>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActivityReading {
    fn is_recent(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.at);
        !age.is_negative() && age < A_GLANCE
    }
}

/// The progress of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerProgress {
    /// The time of the last progress.
    pub at: Timestamp,
    pub sign: ProgressSign,
    /// The time of the last tool use, commit or file change. Typing into the session shows on the
    /// screen only.
    #[serde(skip)]
    pub work: Timestamp,
    /// The time of the last commit or file change, if it was read. Work that leaves something.
    #[serde(skip)]
    pub changed: Option<Timestamp>,
    /// The current activity.
    pub doing: WorkerActivity,
    /// True if a user is attached to the session.
    pub attached: bool,
}

/// The sign of a worker's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressSign {
    Start,
    /// The program's hooks reported the use of a tool.
    Tool,
    Commit,
    /// A file of the sandbox changed.
    File,
    /// New output on the screen.
    Screen,
}

impl ProgressSign {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Tool => "tool used",
            Self::Commit => "commit",
            Self::File => "file changed",
            Self::Screen => "output",
        }
    }
}

/// The current activity of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum WorkerActivity {
    /// Made progress recently, or unknown.
    Unknown,
    /// The screen shows work in progress.
    Busy,
    /// Waits at the prompt, with unfinished work.
    AtPrompt,
    Dialog {
        question: String,
    },
    /// The API refused the last request.
    Refused(ApiRefusal),
}

impl WorkerActivity {
    /// Describes a wait in a few words. No wait is described with none.
    pub fn describe(&self) -> String {
        match self {
            Self::Unknown | Self::Busy => String::new(),
            Self::AtPrompt => "it waits at its prompt".to_owned(),
            Self::Dialog { question } => {
                format!("a dialog is open: {}", escape::escape_line(question))
            }
            Self::Refused(refusal) => refusal.describe(),
        }
    }
}

impl WorkerProgress {
    /// Returns the time since the last progress.
    pub fn quiet_time(&self, now: Timestamp) -> SignedDuration {
        now.duration_since(self.at).max(SignedDuration::ZERO)
    }

    /// Describes the age of the last progress: `12m ago`, or `no progress for 12m` if there was
    /// none since the session started.
    pub fn describe_age(&self, now: Timestamp) -> String {
        let ago = kit::ui::time::format_ago(now, self.at);
        match (self.sign, ago.strip_suffix(" ago")) {
            (ProgressSign::Start, Some(time)) => format!("no progress for {time}"),
            (ProgressSign::Start, None) => "no progress yet".to_owned(),
            _ => ago,
        }
    }

    /// Describes age and activity: `last progress 12m ago (commit); it waits at its prompt`.
    pub fn describe(&self, now: Timestamp) -> String {
        let age = self.describe_age(now);
        let waits = self.doing.describe();
        let rest = if waits.is_empty() {
            waits
        } else {
            format!("; {waits}")
        };
        match self.sign {
            ProgressSign::Start => format!("{age}{rest}"),
            sign => format!("last progress {age} ({}){rest}", sign.name()),
        }
    }

    /// Returns true if a commit or a changed file shows work after the session that began at
    /// `since` was ready.
    pub fn is_changed_since(&self, since: Timestamp) -> bool {
        self.changed.is_some_and(|at| at > since + ECHO_TIME)
    }

    /// Returns true if there was progress after a time. The start of a session does not count.
    pub fn has_progress_since(&self, at: Timestamp) -> bool {
        self.sign != ProgressSign::Start && self.at > at
    }

    fn add_sign(&mut self, at: Option<Timestamp>, sign: ProgressSign, is_work: bool) {
        let Some(at) = at else { return };
        if matches!(sign, ProgressSign::Commit | ProgressSign::File) {
            self.changed = self.changed.max(Some(at));
        }
        if is_work {
            self.work = self.work.max(at);
        }
        // The start is known to the second, so an event in that second may be older.
        let since = match self.sign {
            ProgressSign::Start => self.at + SignedDuration::from_secs(1),
            _ => self.at,
        };
        if at >= since && at > self.at {
            (self.at, self.sign) = (at, sign);
        }
    }
}

/// Reads the progress of a worker whose session runs. `committed` is the time of the last commit.
/// Files and screen are read if the other signs are older than `note`.
pub fn read_progress(
    town: &LiveTown,
    sandbox: &Path,
    committed: Option<Timestamp>,
    preset: &RuntimePreset,
    live: &LiveSession,
    note: SignedDuration,
    glances: &ActivityCache,
) -> WorkerProgress {
    let pulse = SessionPulse::load(&town.layout, &live.name, &live.token);
    let now = town.clock.now();
    let mut progress = WorkerProgress {
        at: live.created,
        sign: ProgressSign::Start,
        work: live.created,
        changed: None,
        doing: WorkerActivity::Unknown,
        attached: live.attached,
    };
    progress.add_sign(pulse.tool, ProgressSign::Tool, true);
    progress.add_sign(
        committed.filter(|at| *at <= now),
        ProgressSign::Commit,
        true,
    );
    let is_told = pulse.dialog.is_some() || pulse.refusal.is_some();
    if progress.quiet_time(now) < note && !is_told {
        return progress;
    }
    if let Some(dialog) = pulse.dialog {
        let question = dialog.words;
        progress.doing = WorkerActivity::Dialog { question };
        return progress;
    }
    if let Some(mut refusal) = pulse.refusal {
        if preset.find_usage_limit(&refusal.words).is_some() {
            refusal.limit_of = Some(preset.name.clone());
        }
        let at = refusal.at;
        refusal.limit_pause(at, now);
        progress.doing = WorkerActivity::Refused(refusal);
        return progress;
    }
    let mut glance = glances
        .recent(live, now)
        .unwrap_or_else(|| ActivityReading {
            at: now,
            activity: live.activity,
            changed: last_file_change(sandbox, now),
            doing: None,
            output: None,
        });
    progress.add_sign(glance.changed, ProgressSign::File, true);
    if progress.quiet_time(now) < note {
        glances.keep(live, glance, now);
        return progress;
    }
    if glance.doing.is_none() {
        // A session whose screen cannot be read has ended or is read again later.
        let screen = town.host.capture(&live.name, READ_LINES);
        let screen = screen.unwrap_or_else(|_| String::new());
        let has_turn_ended = pulse.turn_ended.is_some();
        let mut doing = read_activity(&screen, preset, live.activity, has_turn_ended);
        date_refusal(&mut doing, sandbox, progress.work, now);
        glance.doing = Some(doing);
        // Output may have come between the list of sessions and the capture.
        let captured = town.host.find_session(&live.name).ok().flatten();
        let shown = last_output_at(&town.layout, captured.as_ref().unwrap_or(live));
        glance.output =
            observed::last_new_text(sandbox, &screen, shown).filter(|at| *at >= live.created);
    }
    progress.doing = glance.doing.clone().unwrap_or(WorkerActivity::Unknown);
    let output = glance.output;
    glances.keep(live, glance, now);
    let runs_hooks = pulse.tool.is_some() || pulse.idle.is_some();
    if !runs_hooks && !matches!(progress.doing, WorkerActivity::Busy) {
        progress.add_sign(output, ProgressSign::Screen, false);
    }
    progress
}

/// Returns the time of the last output that is neither the start of the session nor the echo of a
/// message.
pub fn last_output_at(layout: &TownLayout, live: &LiveSession) -> Option<Timestamp> {
    let (echo, before) = SessionPulse::last_typed(layout, &live.name)
        .filter(|(at, _)| *at >= live.created)
        .unwrap_or((live.created, None));
    let is_echo = live.activity.duration_since(echo) <= ECHO_TIME;
    if is_echo { before } else { Some(live.activity) }
}

/// Returns true if a screen shows a usage limit that pauses its program.
pub(crate) fn shows_usage_limit(screen: &str, preset: &RuntimePreset) -> bool {
    let look = inspect_screen(screen, preset);
    find_shown_limit(screen, preset, &look, false).is_some()
}

/// Reads the activity from a screen. A worker may print anything, so the words of a usage limit do
/// not count if the program is at work, or if its hooks report that its turn has ended normally.
fn read_activity(
    screen: &str,
    preset: &RuntimePreset,
    activity: Timestamp,
    has_turn_ended: bool,
) -> WorkerActivity {
    let look = inspect_screen(screen, preset);
    if let Some(words) = find_shown_limit(screen, preset, &look, has_turn_ended) {
        return WorkerActivity::Refused(build_usage_limit(words, preset, activity));
    }
    if let ScreenState::NeedsPerson(question) = look {
        return WorkerActivity::Dialog { question };
    }
    if let Some(refusal) = read_other_refusal(last_lines(screen), preset, activity) {
        return WorkerActivity::Refused(refusal);
    }
    match look {
        ScreenState::Busy => WorkerActivity::Busy,
        ScreenState::AtPrompt => WorkerActivity::AtPrompt,
        _ => WorkerActivity::Unknown,
    }
}

/// Returns the words of a usage limit on a screen.
fn find_shown_limit(
    screen: &str,
    preset: &RuntimePreset,
    look: &ScreenState,
    has_turn_ended: bool,
) -> Option<String> {
    let message = match look {
        _ if has_turn_ended => None,
        ScreenState::Busy => None,
        ScreenState::NeedsPerson(_) => preset.find_usage_limit(last_text_lines(screen)),
        _ => preset.find_usage_limit(last_lines(screen)),
    };
    message.or_else(|| {
        let open = preset.find_usage_limit_menu(screen)?;
        Some(open.menu.choose.clone())
    })
}

/// Returns the end of a screen with [`LINES_WITH_DIALOG`] lines that have a text.
fn last_text_lines(screen: &str) -> &str {
    let mut left = LINES_WITH_DIALOG;
    let mut start = screen.len();
    for line in screen.split_inclusive('\n').rev() {
        left -= usize::from(!line.trim().is_empty());
        start -= line.len();
        if left == 0 {
            break;
        }
    }
    &screen[start..]
}

/// Returns the last lines of a screen.
fn last_lines(screen: &str) -> &str {
    let screen = screen.trim_end();
    let start = screen.rmatch_indices('\n').nth(SEARCHED_LINES - 1);
    start.map_or(screen, |(at, _)| &screen[at + 1..])
}

/// Returns the last refusal of the API on a screen. A usage limit is searched in the last lines.
pub fn read_refusal(screen: &str, preset: &RuntimePreset, at: Timestamp) -> Option<ApiRefusal> {
    match preset.find_usage_limit(last_lines(screen)) {
        Some(words) => Some(build_usage_limit(words, preset, at)),
        None => read_other_refusal(screen, preset, at),
    }
}

/// Returns the refusal that a session which ended at `at` shows last.
pub(crate) fn read_final_refusal(
    screen: &str,
    preset: &RuntimePreset,
    at: Timestamp,
    now: Timestamp,
) -> Option<ApiRefusal> {
    let mut refusal = read_refusal(strip_end_message(screen), preset, at)?;
    refusal.limit_pause(at, now);
    Some(refusal)
}

fn build_usage_limit(words: String, preset: &RuntimePreset, at: Timestamp) -> ApiRefusal {
    ApiRefusal {
        limit_of: Some(preset.name.clone()),
        ..build_refusal(USAGE_LIMIT, words, at)
    }
}

fn read_other_refusal(screen: &str, preset: &RuntimePreset, at: Timestamp) -> Option<ApiRefusal> {
    let (kind, words) = preset.find_refusal(screen)?;
    Some(build_refusal(kind, words.to_owned(), at))
}

fn build_refusal(kind: &str, words: String, at: Timestamp) -> ApiRefusal {
    ApiRefusal {
        kind: kind.to_owned(),
        since: at,
        at,
        times: 1,
        until: parse_reset_time(&words, at),
        limit_of: None,
        words,
    }
}

/// Dates a refusal on a screen by the first reading that showed it since the worker's last work. A
/// program that prints the same words without end is not refused again by each line.
fn date_refusal(doing: &mut WorkerActivity, sandbox: &Path, work: Timestamp, now: Timestamp) {
    let WorkerActivity::Refused(refusal) = doing else {
        observed::forget_refusal(sandbox);
        return;
    };
    let first = observed::first_refusal(sandbox, &refusal.kind, &refusal.words, refusal.at, work);
    refusal.since = first.since;
    refusal.at = first.since;
    refusal.until = parse_reset_time(&refusal.words, first.worded);
    refusal.limit_pause(first.worded, now);
}

/// Returns the time at which `HEAD` of a worker's sandbox last moved. Tries the current default
/// path of sandboxes first, because most are there.
pub(crate) fn last_commit_of_worker(rig: &RigLayout, name: &str) -> Option<Timestamp> {
    let usual = rig.polecat(name).join(rig.name());
    last_commit_in(&usual).or_else(|| {
        let sandbox = rig.sandbox(name);
        (sandbox != usual).then(|| last_commit_in(&sandbox))?
    })
}

/// Returns the time at which `HEAD` of a sandbox last moved, from the worktree's own log of HEAD.
pub(crate) fn last_commit_in(sandbox: &Path) -> Option<Timestamp> {
    let git_path = sandbox.join(".git");
    let is_own = fs::symlink_metadata(&git_path).is_ok_and(|found| found.is_dir());
    let folder = if is_own {
        git_path
    } else {
        observed::git_folder_of(sandbox)?
    };
    modification_time(&folder.join("logs/HEAD"))
}

/// Returns true if a commit or a changed file shows work in a sandbox after the session that began
/// at `since` was ready.
pub(crate) fn is_changed_since(sandbox: &Path, since: Timestamp, now: Timestamp) -> bool {
    is_changed_after(sandbox, since + ECHO_TIME, now)
}

/// Returns true if a commit or a changed file is newer than `at`.
pub(crate) fn is_changed_after(sandbox: &Path, at: Timestamp, now: Timestamp) -> bool {
    let last = last_commit_in(sandbox)
        .filter(|at| *at <= now)
        .max(last_file_change(sandbox, now));
    last.is_some_and(|last| last > at)
}

/// Returns the time of the last change to an uncommitted file. A time in the future says nothing:
/// it would count as progress until then. Neither does a log file that only gets longer.
fn last_file_change(sandbox: &Path, now: Timestamp) -> Option<Timestamp> {
    let changes = open_tree(sandbox).ok()?.status().ok()?;
    let changed = changes.into_iter().filter_map(|change| {
        let at = modification_time(&sandbox.join(&change.path))?;
        (at <= now).then_some((change.path, at))
    });
    observed::last_real_change(sandbox, &changed.collect::<Vec<_>>())
}

fn modification_time(path: &Path) -> Option<Timestamp> {
    let time = fs::symlink_metadata(path).ok()?.modified().ok()?;
    Timestamp::try_from(time).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cached_screen_is_valid_briefly_and_until_new_output_appears() {
        let glances = ActivityCache::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        let live = LiveSession {
            name: "gt-web-nux".to_owned(),
            token: "t".to_owned(),
            ..LiveSession::default()
        };
        let glance = ActivityReading {
            at: at(100),
            activity: live.activity,
            changed: None,
            doing: Some(WorkerActivity::AtPrompt),
            output: None,
        };
        glances.keep(&live, glance, at(100));
        let seen = |live: &LiveSession, now| glances.recent(live, at(now)).is_some();
        assert!(seen(&live, 100) && seen(&live, 114));
        assert!(
            !seen(&live, 115) && !seen(&live, 99),
            "too old, or of another clock"
        );
        let moved = LiveSession {
            activity: at(101),
            ..live.clone()
        };
        let other = LiveSession {
            token: "u".to_owned(),
            ..live
        };
        assert!(!seen(&moved, 101) && !seen(&other, 101));
    }

    #[test]
    fn the_screen_shows_the_question_that_an_agent_waits_on() {
        let claude = RuntimePreset::named("claude").unwrap();
        let read = |screen: &str| read_activity(screen, &claude, Timestamp::UNIX_EPOCH, false);
        let prompt = "────\n❯\u{a0}\n────\n  ? for shortcuts";
        assert_eq!(
            read(&format!("● Shall I?\n{prompt}")),
            WorkerActivity::AtPrompt
        );
        let refused = read(&format!("  ⎿  API Error: 529 overloaded\n{prompt}"));
        let WorkerActivity::Refused(refusal) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(refusal.kind, "overloaded");
        assert_eq!(
            refusal.describe(),
            "the API refuses: overloaded (⎿  API Error: 529 overloaded)"
        );
        assert_eq!(
            read("✻ Stewing… (3s · esc to interrupt)"),
            WorkerActivity::Busy
        );
        let old = format!("API Error: 529\n{}{prompt}", "line\n".repeat(30));
        assert_eq!(read(&old), WorkerActivity::AtPrompt, "it went on since");
        let asks = "Which one?\n❯ 1. This\n  2. That\nEnter to confirm";
        assert!(matches!(read(asks), WorkerActivity::Dialog { .. }));
    }

    #[test]
    fn a_usage_limit_counts_unless_the_program_is_at_work() {
        let claude = RuntimePreset::named("claude").unwrap();
        let read = |screen: &str| read_activity(screen, &claude, Timestamp::UNIX_EPOCH, false);
        let words = "You've hit your limit · resets 3am (Europe/Berlin)";
        let prompt = "────\n❯\u{a0}\n────\n  ? for shortcuts";
        for waits in [
            format!("{words}\n\n{prompt}"),
            format!(
                "{words}\n What do you want to do?\n ❯ 1. Stop and wait for limit to reset\n   2. Upgrade your plan\n Enter to confirm"
            ),
            format!("{words}\n Pay now?\n ❯ 1. Yes\n   2. No\n Enter to confirm"),
        ] {
            let WorkerActivity::Refused(refusal) = read(&waits) else {
                panic!("{waits}");
            };
            assert_eq!(refusal.limit_of.as_deref(), Some("claude"));
            assert!(refusal.until.is_some(), "{refusal:?}");
        }
        let busy = format!("{words}\n✻ Stewing… (3s · esc to interrupt)\n{prompt}");
        assert_eq!(read(&busy), WorkerActivity::Busy);
        let old = format!("{words}\n{}{prompt}", "line\n".repeat(30));
        assert_eq!(read(&old), WorkerActivity::AtPrompt);
    }

    #[test]
    fn a_limit_that_the_turn_or_later_output_followed_does_not_count() {
        let claude = RuntimePreset::named("claude").unwrap();
        let read = |screen: &str, has_turn_ended| {
            read_activity(screen, &claude, Timestamp::UNIX_EPOCH, has_turn_ended)
        };
        let words = "You've hit your limit · resets 3am (Europe/Berlin)";
        let prompt = "────\n❯\u{a0}\n────\n  ? for shortcuts";
        let quoted = format!("● Bash(cat limits.md)\n  ⎿  {words}\n● That is it.\n\n{prompt}");
        assert_eq!(read(&quoted, true), WorkerActivity::AtPrompt);
        assert!(matches!(read(&quoted, false), WorkerActivity::Refused(_)));
        let asks = "Which one?\n\n ❯ 1. This\n   2. That\n\n Enter to confirm";
        let later = format!("{words}\n\n{}{asks}", "● It goes on.\n\n".repeat(5));
        let doing = read(&later, false);
        assert!(matches!(doing, WorkerActivity::Dialog { .. }), "{doing:?}");
    }

    #[test]
    fn the_last_screen_of_a_session_shows_its_limit_above_the_message_of_the_host() {
        let claude = RuntimePreset::named("claude").unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let below = format!("{}Pane is dead (status 1, Sat)\n", "\n".repeat(45));
        let screen = format!("You've hit your limit · resets in 2h\n{below}");
        let refusal = read_final_refusal(&screen, &claude, now, now).unwrap();
        assert!(refusal.is_pause(now), "{refusal:?}");
        assert_eq!(read_final_refusal(&below, &claude, now, now), None);
    }
}
