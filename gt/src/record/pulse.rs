//! Records what the hooks of an agent program report about its session: its last activity, an open
//! dialog, a refusing API. One small local file per session, `.runtime/pulse/<session>.json`.
//!
//! The file holds nothing that beads could tell, and may be lost at any time. Progress is then
//! judged by commits, files and the screen.

use jiff::{SignedDuration, Timestamp};
use kit::sys::env::local_time_zone;
use kit::sys::file;
use kit::ui::cut::first_characters;
use kit::ui::escape;
use serde::{Deserialize, Serialize};

use super::reset_time::parse_reset_time;
use crate::town::identity::SessionName;
use crate::town::process;
use crate::town::{Town, TownLayout};

/// The number of last tools that are kept.
const MAX_TOOLS: usize = 5;

/// The maximum number of characters of a program's message that are kept.
const MAX_MESSAGE: usize = 300;

/// The state of a session by its hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionPulse {
    /// The token of the session's processes. A file of an earlier session with the same name is
    /// ignored.
    pub token: String,
    /// The number of messages that the program has accepted.
    #[serde(skip_serializing_if = "is_zero")]
    pub prompts: u64,
    /// The time of the last tool use.
    pub tool: Option<Timestamp>,
    /// The end of the agent's turn. None while the agent works.
    pub idle: Option<Timestamp>,
    /// The end of a turn that the API did not refuse. None from the next turn on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_ended: Option<Timestamp>,
    /// A dialog that waits for an answer.
    pub dialog: Option<ReportedDialog>,
    /// The refusal of the API, until the API answers again.
    pub refusal: Option<ApiRefusal>,
    /// The last tools, each with its time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The last tools of the previous session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools_before: Vec<String>,
    /// The model that the program named last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The transcript file that the program named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// A dialog that an agent program reports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedDialog {
    /// The question, in the program's words.
    pub words: String,
    pub since: Timestamp,
}

/// A final refusal by the API: the turn ended, and the program does not retry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiRefusal {
    /// The kind, as the program names it: `rate_limit`, `billing_error`, `overloaded` …
    pub kind: String,
    pub words: String,
    pub since: Timestamp,
    pub at: Timestamp,
    /// The number of refusals in a row.
    pub times: u32,
    /// The time from which the API answers again, as the program states it.
    pub until: Option<Timestamp>,
    /// The agent whose account is at its usage limit, if that is the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_of: Option<String>,
}

impl ApiRefusal {
    /// The wait before a request is tried again at a usage limit whose end is not known.
    pub const LIMIT_INTERVAL: SignedDuration = SignedDuration::from_mins(15);

    /// The longest pause that a worker's own words can cause.
    const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(7 * 24);

    /// Returns true if the account of the agent is at its usage limit.
    pub fn is_usage_limit(&self) -> bool {
        self.limit_of.is_some()
    }

    /// Returns true if a usage limit pauses the agent until a later time.
    pub fn is_pause(&self, now: Timestamp) -> bool {
        self.is_usage_limit() && self.until.is_some_and(|until| until > now)
    }

    /// Bounds the end of the wait. A usage limit without a known end, whose words appeared at
    /// `worded`, is a pause of [`Self::LIMIT_INTERVAL`]. A usage limit whose end has passed has
    /// none.
    pub(super) fn limit_pause(&mut self, worded: Timestamp, now: Timestamp) {
        let longest = self.since.checked_add(Self::LONGEST_PAUSE).ok();
        if self.is_usage_limit() {
            let default = worded.checked_add(Self::LIMIT_INTERVAL).ok();
            self.until = self.until.or(default).filter(|until| *until > now);
        }
        if let (Some(until), Some(longest)) = (self.until, longest) {
            self.until = Some(until.min(longest));
        }
    }

    /// Describes the refusal in a few words, with the program's own message.
    pub fn describe(&self) -> String {
        let words = match self.words.trim() {
            "" => String::new(),
            words => format!(" ({})", escape::escape_line(words)),
        };
        match (&self.limit_of, self.until) {
            (Some(agent), until) => {
                let until = until.map_or_else(String::new, |until| {
                    format!(" until {}", format_pause_end(self.at, until))
                });
                format!(
                    "paused{until}: usage limit of {}{words}",
                    escape::escape_line(agent)
                )
            }
            (None, until) => {
                let until = until.map_or_else(String::new, |until| format!(", until {until}"));
                format!(
                    "the API refuses: {}{words}{until}",
                    escape::escape_line(&self.kind)
                )
            }
        }
    }
}

/// Formats the end of a pause in the local zone, with its date if that is not the day of its begin.
pub fn format_pause_end(since: Timestamp, until: Timestamp) -> String {
    let [begin, end] = [since, until].map(|at| at.to_zoned(local_time_zone()));
    let is_same_day = begin.date() == end.date();
    let format = if is_same_day { "%H:%M" } else { "%b %-d %H:%M" };
    end.strftime(format).to_string()
}

/// An event of an agent program.
#[derive(Debug, Clone, Copy, Default)]
pub struct HookEvent<'a> {
    /// The name that the program uses.
    pub name: &'a str,
    /// The content: a message, an error, a tool.
    pub words: &'a str,
    /// The kind of a notification or an error.
    pub kind: &'a str,
    pub model: &'a str,
    /// The transcript file.
    pub transcript: &'a str,
}

impl SessionPulse {
    /// Reads the pulse of a session. The file of an earlier session counts as missing.
    pub fn load(layout: &TownLayout, session: &str, token: &str) -> Self {
        Self::load_any(layout, session)
            .filter(|pulse: &Self| pulse.token == token && !token.is_empty())
            .unwrap_or_default()
    }

    /// Returns the last tools of the session before the one with this token.
    pub fn tools_before(layout: &TownLayout, session: &str, token: &str) -> Vec<String> {
        match Self::load_any(layout, session) {
            Some(pulse) if pulse.token == token => pulse.tools_before,
            Some(pulse) => pulse.tools,
            None => Vec::new(),
        }
    }

    fn load_any(layout: &TownLayout, session: &str) -> Option<Self> {
        let stored = file::read_file_if_exists(&layout.pulse(session))
            .ok()
            .flatten();
        stored.and_then(|bytes| serde_json::from_slice(&bytes).ok())
    }

    /// Records that a message was typed into a session, or that the session started, so that its
    /// echo on the screen is no progress. `shown` is the time of the last other output.
    pub fn record_typed(town: &Town, session: &str, last_output: Option<Timestamp>) {
        let path = town.layout.typed_message(session);
        let folder = path
            .parent()
            .map_or(Ok(()), |folder| file::create_folder(folder, 0o700));
        let now = town.clock.now();
        let text = last_output.map_or_else(|| now.to_string(), |shown| format!("{now} {shown}"));
        // A failed record only makes the echo count as progress once.
        folder
            .and_then(|()| file::replace_file_relaxed(&path, text.as_bytes(), 0o600))
            .ok();
    }

    /// Returns the time at which a message was last typed into a session, and the time of the last
    /// output before it.
    pub fn last_typed(
        layout: &TownLayout,
        session: &str,
    ) -> Option<(Timestamp, Option<Timestamp>)> {
        let stored = file::read_file_if_exists(&layout.typed_message(session)).ok()??;
        let mut times = str::from_utf8(&stored).ok()?.split(' ');
        let typed = times.next()?.parse().ok()?;
        Some((typed, times.next().and_then(|shown| shown.parse().ok())))
    }

    /// Records an event of the session that this process belongs to. Returns true if the patrol
    /// should check the town now.
    pub fn record(town: &Town, event: &HookEvent<'_>) -> std::io::Result<bool> {
        let [session, token] =
            ["GT_SESSION", process::TOKEN].map(|name| town.env.get(name).unwrap_or(""));
        // The actor is known by the session above this process. A session reports for itself only,
        // whatever its variables say.
        let own = SessionName::for_agent(&town.actor);
        if token.is_empty() || own.is_none_or(|own| own.as_str() != session) {
            return Ok(false);
        }
        Self::record_for(town, session, token, event)
    }

    /// Records a dialog that a session shows at its start and that its program does not report.
    pub fn record_dialog(town: &Town, session: &str, token: &str, words: &str) {
        let event = HookEvent {
            name: "PermissionRequest",
            words,
            ..HookEvent::default()
        };
        // Without the record, the dialog is found on the screen later.
        Self::record_for(town, session, token, &event).ok();
    }

    fn record_for(
        town: &Town,
        session: &str,
        token: &str,
        event: &HookEvent<'_>,
    ) -> std::io::Result<bool> {
        let before = Self::load(&town.layout, session, token);
        let mut pulse = before.clone();
        if pulse.token != token
            && let Some(last) = Self::load_any(&town.layout, session)
        {
            pulse.tools_before = last.tools;
        }
        token.clone_into(&mut pulse.token);
        pulse.apply_event(event, town.clock.now());
        if pulse == before {
            return Ok(false);
        }
        let path = town.layout.pulse(session);
        if let Some(folder) = path.parent() {
            file::create_folder(folder, 0o700)?;
        }
        file::replace_file_relaxed(&path, &serde_json::to_vec(&pulse)?, 0o600)?;
        Ok(pulse.dialog != before.dialog || pulse.refusal != before.refusal)
    }

    /// Applies an event to the pulse. The names of events are those of Claude Code, Codex and
    /// Gemini CLI.
    fn apply_event(&mut self, event: &HookEvent<'_>, now: Timestamp) {
        for (kept, named) in [
            (&mut self.model, event.model),
            (&mut self.transcript, event.transcript),
        ] {
            if !named.is_empty() {
                *kept = Some(named.to_owned());
            }
        }
        if event.name != "Notification" {
            self.turn_ended = None;
        }
        match event.name {
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "BeforeTool" | "AfterTool" => {
                self.tool = Some(now);
                if event.name.starts_with("Pre") || event.name.starts_with("Before") {
                    self.begin_tool(event.words, now);
                }
                self.idle = None;
                self.dialog = None;
                self.refusal = None;
            }
            // The refusal stays until the API has answered.
            "UserPromptSubmit" | "BeforeAgent" => {
                self.prompts += 1;
                self.idle = None;
                self.dialog = None;
            }
            "Stop" | "AfterAgent" => {
                self.idle = Some(now);
                self.turn_ended = Some(now);
                self.dialog = None;
                self.refusal = None;
            }
            "StopFailure" => {
                self.idle = Some(now);
                let before = self.refusal.take();
                let words = first_characters(event.words, MAX_MESSAGE).to_owned();
                self.refusal = Some(ApiRefusal {
                    kind: first_characters(event.kind, MAX_MESSAGE).to_owned(),
                    until: parse_reset_time(&words, now),
                    since: before.as_ref().map_or(now, |before| before.since),
                    times: before.map_or(1, |before| before.times.saturating_add(1)),
                    at: now,
                    limit_of: None,
                    words,
                });
            }
            "PermissionRequest" | "Elicitation" => self.open_dialog(event, now),
            "Notification" => match event.kind {
                "permission_prompt" | "elicitation_dialog" => self.open_dialog(event, now),
                "idle_prompt" => self.idle = self.idle.or(Some(now)),
                _ => {}
            },
            _ => {}
        }
    }

    fn begin_tool(&mut self, tool: &str, now: Timestamp) {
        let time = now.strftime("%H:%M:%S");
        self.tools
            .push(first_characters(format!("{time} {tool}").trim_end(), MAX_MESSAGE).to_owned());
        let surplus = self.tools.len().saturating_sub(MAX_TOOLS);
        self.tools.drain(..surplus);
    }

    fn open_dialog(&mut self, event: &HookEvent<'_>, now: Timestamp) {
        let since = self.dialog.as_ref().map_or(now, |dialog| dialog.since);
        self.dialog = Some(ReportedDialog {
            words: first_characters(event.words, MAX_MESSAGE).to_owned(),
            since,
        });
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after<'a>(events: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> SessionPulse {
        let (mut pulse, mut now) = (SessionPulse::default(), Timestamp::UNIX_EPOCH);
        for (name, kind, words) in events {
            now += SignedDuration::from_secs(1);
            let event = HookEvent {
                name,
                words,
                kind,
                ..HookEvent::default()
            };
            pulse.apply_event(&event, now);
        }
        pulse
    }

    #[test]
    fn a_refusal_counts_until_the_api_answers() {
        let refused = ("StopFailure", "rate_limit", "try again in 5 minutes");
        let prompt = ("UserPromptSubmit", "", "");
        let pulse = after([("PostToolUse", "", ""), refused, prompt, refused]);
        let refusal = pulse.refusal.unwrap();
        assert_eq!((refusal.times, refusal.kind.as_str()), (2, "rate_limit"));
        assert_eq!(refusal.at.duration_since(refusal.since).as_secs(), 2);
        assert_eq!(
            refusal.until.unwrap().duration_since(refusal.at).as_mins(),
            5
        );
        for answered in ["PostToolUse", "Stop"] {
            assert_eq!(after([refused, (answered, "", "")]).refusal, None);
        }
    }

    #[test]
    fn only_a_turn_that_was_not_refused_has_ended() {
        let (stop, prompt) = (("Stop", "", ""), ("UserPromptSubmit", "", ""));
        let waits = ("Notification", "idle_prompt", "");
        let refused = ("StopFailure", "rate_limit", "");
        assert!(after([stop]).turn_ended.is_some());
        assert!(after([stop, waits]).turn_ended.is_some());
        assert!(after([waits]).turn_ended.is_none());
        assert!(after([stop, prompt]).turn_ended.is_none());
        assert!(after([stop, refused]).turn_ended.is_none());
    }

    #[test]
    fn a_dialog_is_open_until_the_agent_continues() {
        let asked = (
            "Notification",
            "permission_prompt",
            "Claude needs your permission",
        );
        let pulse = after([asked, asked]);
        let dialog = pulse.dialog.unwrap();
        assert_eq!(dialog.since.as_second(), 1);
        assert_eq!(dialog.words, "Claude needs your permission");
        assert_eq!(after([asked, ("PostToolUse", "", "")]).dialog, None);
        let other = ("Notification", "auth_success", "welcome");
        assert_eq!(after([other]), SessionPulse::default());
    }
    #[test]
    fn a_usage_limit_is_a_pause_of_a_week_at_most() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let hours = |hours| Some(now + SignedDuration::from_hours(hours));
        let pause = |until: Option<Timestamp>| {
            let mut refusal = ApiRefusal {
                since: now,
                at: now,
                until,
                limit_of: Some("claude".to_owned()),
                ..ApiRefusal::default()
            };
            refusal.limit_pause(now, now);
            refusal.until
        };
        assert_eq!(pause(hours(3)), hours(3));
        assert_eq!(pause(hours(20 * 24)), hours(7 * 24));
        assert_eq!(pause(hours(-1)), None);
        assert_eq!(pause(None), Some(now + ApiRefusal::LIMIT_INTERVAL));
    }

    #[test]
    fn a_pause_names_its_end_and_the_agent() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let refusal = ApiRefusal {
            at: now,
            until: Some(now + SignedDuration::from_hours(3)),
            limit_of: Some("claude".to_owned()),
            words: "You've hit your limit".to_owned(),
            ..ApiRefusal::default()
        };
        let end = format_pause_end(now, refusal.until.unwrap());
        assert_eq!(
            refusal.describe(),
            format!("paused until {end}: usage limit of claude (You've hit your limit)")
        );
    }

    #[test]
    fn the_end_of_a_pause_has_a_date_unless_it_is_on_the_same_day() {
        let zone = local_time_zone();
        let at = |text: &str| {
            let time: jiff::civil::DateTime = text.parse().unwrap();
            time.to_zoned(zone.clone()).unwrap().timestamp()
        };
        let begin = at("2026-01-01T22:00");
        assert_eq!(format_pause_end(begin, at("2026-01-01T23:30")), "23:30");
        assert_eq!(
            format_pause_end(begin, at("2026-01-02T03:00")),
            "Jan 2 03:00"
        );
    }
}
