//! `gt seance play`.

use std::time::Duration;

use jiff::Timestamp;
use kit::failure::UsageError;
use kit::sys::clock::pause_thread;
use kit::ui::{Page, counted, escape};
use serde::Serialize;

use super::super::{CommandResult, build_empty_report, build_report, pager};
use crate::context::Context;
use gt::flow::agent::seance::conversation::{
    self, Conversation, ConversationEntry, ConversationWindow, Speaker, ToolCall, ToolResult,
};
use gt::flow::agent::seance::{self, PastSession};

/// Show past sessions as conversations
///
/// Of a bead or an agent: all sessions with a transcript, the oldest first. Shows who said what and
/// when, each tool call on one line with the beginning of its result, and where the session handed
/// over. On a terminal it uses a pager as git does. With `--speed`, entries appear at the pace at
/// which they were recorded.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A session by its id or the start of it, a bead, or an agent
    session: String,
    /// Play at N times the recorded pace; no pause is longer than 2 seconds
    #[arg(long, value_name = "N", value_parser = parse_speed)]
    speed: Option<f64>,
    /// Show only the last N entries of each session; 0 for all
    #[arg(short = 'n', long, default_value_t = 0, value_name = "N")]
    limit: usize,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
}

/// The longest pause between two entries.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The number of lines of a tool's result that are shown.
const RESULT_LINES: usize = 6;

/// A session with its conversation.
#[derive(Serialize)]
struct PlayedSession {
    #[serde(flatten)]
    session: PastSession,
    #[serde(flatten)]
    conversation: Conversation,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.speed.is_some() && ctx.ui.is_json() {
        return Err(UsageError("--speed plays text: leave out --json".to_owned()).into());
    }
    let town = ctx.open_town()?;
    let sessions = seance::find_recorded_sessions(&town, &args.session)?;
    let window = match args.limit {
        0 => ConversationWindow::Last(usize::MAX),
        limit => ConversationWindow::Last(limit),
    };
    if ctx.ui.is_json() {
        let played: Vec<PlayedSession> = sessions
            .into_iter()
            .filter_map(|session| {
                let conversation = conversation::read_session_conversation(&session, window)?;
                Some(PlayedSession {
                    session,
                    conversation,
                })
            })
            .collect();
        return build_report(played, |_, _| {});
    }
    let is_paged = ctx.ui.is_terminal() && !args.no_pager && args.speed.is_none();
    let mut player = Player {
        ctx,
        speed: args.speed,
        page: ctx.ui.page(),
        is_paged,
        last: None,
    };
    for session in &sessions {
        if !player.play_session(session, window) {
            return build_empty_report();
        }
    }
    if is_paged && !pager::show_in_pager(ctx, player.page.text()) {
        ctx.ui.stream(player.page.text());
    }
    build_empty_report()
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok();
    speed
        .filter(|speed| speed.is_finite() && *speed > 0.0)
        .ok_or_else(|| "give a number above 0, such as 1 or 10".to_owned())
}

struct Player<'a> {
    ctx: &'a Context,
    speed: Option<f64>,
    page: Page,
    /// True if everything is collected for the pager.
    is_paged: bool,
    /// The time of the last entry.
    last: Option<Timestamp>,
}

impl Player<'_> {
    /// Writes a session. Returns false if standard output is closed.
    fn play_session(&mut self, session: &PastSession, window: ConversationWindow) -> bool {
        let Some(transcript) = &session.transcript else {
            return true;
        };
        write_header(session, &mut self.page);
        if !self.flush() {
            return false;
        }
        let mut is_open = true;
        // A whole session is written entry by entry, so that its length needs no memory.
        if window == ConversationWindow::Last(usize::MAX) {
            conversation::for_each_entry(transcript, |entry| {
                is_open = self.play_entry(&entry);
                is_open
            });
        } else {
            let shown = conversation::read_conversation(transcript, window);
            let left_out = shown.total - shown.entries.len();
            if left_out > 0 {
                let older = counted(left_out, "older entry");
                self.page.line(format!("({older}: -n 0)"));
            }
            is_open = shown.entries.iter().all(|entry| self.play_entry(entry));
        }
        if session.handed_off {
            let mark = "── the session ended with a handoff ──";
            self.page.line(self.page.style().yellow(mark));
        }
        is_open && self.flush()
    }

    fn play_entry(&mut self, entry: &ConversationEntry) -> bool {
        let at = entry.at.parse::<Timestamp>().ok();
        if let (Some(speed), Some(at), Some(last)) = (self.speed, at, self.last) {
            pause_thread(pause_between(last, at, speed));
        }
        self.last = at.or(self.last);
        write_entry(entry, &mut self.page);
        self.flush()
    }

    /// Writes what was collected, unless it is for the pager.
    fn flush(&mut self) -> bool {
        if self.is_paged {
            return true;
        }
        let page = std::mem::replace(&mut self.page, self.ctx.ui.page());
        self.ctx.ui.stream(page.text())
    }
}

/// Returns the pause before an entry at a pace.
fn pause_between(last: Timestamp, at: Timestamp, speed: f64) -> Duration {
    // An entry that is older than the one before comes without a pause.
    let recorded = Duration::try_from(at.duration_since(last)).unwrap_or(Duration::ZERO);
    let seconds = recorded.as_secs_f64() / speed;
    Duration::try_from_secs_f64(seconds).map_or(LONGEST_PAUSE, |pause| pause.min(LONGEST_PAUSE))
}

fn write_header(session: &PastSession, page: &mut Page) {
    let bead = match session.bead.as_str() {
        "" => String::new(),
        bead => format!(" on {}", escape::escape_line(bead)),
    };
    page.line(page.style().bold(&format!(
        "══ {}  {}{bead}  {}",
        escape::escape_line(&session.session_id),
        escape::escape_line(&session.actor),
        page.local_time(&session.ts)
    )));
}

fn write_entry(entry: &ConversationEntry, page: &mut Page) {
    let style = page.style().clone();
    let time = page.local_time(&entry.at);
    let speaker = match entry.by {
        Speaker::User => style.cyan(&format!("user (turn {})", entry.turn)),
        Speaker::Assistant => style.green(&match &entry.model {
            Some(model) => format!("assistant ({})", escape::escape_line(model)),
            None => "assistant".to_owned(),
        }),
        Speaker::Tool => style.dim("tool"),
    };
    page.line(format!("{time}  {speaker}").trim_start());
    for text in &entry.texts {
        for line in text.trim().lines() {
            page.line(format!("  {}", escape::escape_line(line)).trim_end());
        }
    }
    for call in &entry.calls {
        write_call(call, page);
    }
    for result in &entry.results {
        write_result(result, page);
    }
    if entry.handoff {
        page.line(style.yellow("── handoff ──"));
    }
}

fn write_call(call: &ToolCall, page: &mut Page) {
    let name = match call.name.as_str() {
        "" => "tool",
        name => name,
    };
    page.cut_line(format!(
        "  → {}: {}",
        escape::escape_line(name),
        escape::escape_line(&call.input)
    ));
}

fn write_result(result: &ToolResult, page: &mut Page) {
    let lines: Vec<&str> = result.text.trim_end().lines().collect();
    for line in lines.iter().take(RESULT_LINES) {
        let text = format!("  │ {}", escape::escape_line(line));
        page.cut_line(page.style().dim(text.trim_end()));
    }
    let more = lines.len().saturating_sub(RESULT_LINES);
    if more > 0 || result.is_cut {
        let text = if result.is_cut {
            "  │ … and more".to_owned()
        } else {
            format!("  │ … and {}", counted(more, "more line"))
        };
        page.line(page.style().dim(&text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_follow_the_pace_and_end_at_the_longest() {
        let pause = |seconds: i64, speed: f64| {
            let at = Timestamp::from_second(100 + seconds).unwrap();
            let last = Timestamp::from_second(100).unwrap();
            pause_between(last, at, speed)
        };
        assert_eq!(pause(1, 1.0), Duration::from_secs(1));
        assert_eq!(pause(10, 20.0), Duration::from_millis(500));
        assert_eq!(pause(3600, 1.0), LONGEST_PAUSE);
        assert_eq!(pause(3600, f64::MIN_POSITIVE), LONGEST_PAUSE);
        assert_eq!(pause(-5, 1.0), Duration::ZERO);
    }

    #[test]
    fn a_speed_is_a_positive_number() {
        assert_eq!(parse_speed("0.5"), Ok(0.5));
        for text in ["0", "-1", "inf", "NaN", "fast"] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
    }
}
