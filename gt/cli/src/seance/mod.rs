//! `gt seance`: lists and questions past sessions.

mod play;
mod search;

use bd::query::when;
use kit::ui::escape;
use serde_json::json;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::seance::{self, PastSession, SeanceResult, SessionFilter};

/// List, search or ask past sessions
///
/// A session is known by the event of its start, and by the transcript that its agent program
/// keeps. `--talk` forks it: the agent program (Claude Code, Codex, Gemini CLI, OpenCode) resumes a
/// copy of the conversation in that session's folder, and may not use tools unasked. The session
/// itself stays unchanged, and may still run. Of a scripted session it shows what is recorded.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(flatten)]
    which: SessionFilterArgs,
    /// List at most N sessions, the newest; 0 for all
    #[arg(short = 'n', long = "recent", default_value_t = 20)]
    recent: usize,
    /// Ask this session, by its id or the start of it
    #[arg(short, long, value_name = "ID")]
    talk: Option<String>,
    /// Ask one question and print the answer
    #[arg(short, long, value_name = "QUESTION", requires = "talk")]
    prompt: Option<String>,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// Selects sessions.
#[derive(Debug, Clone, clap::Args)]
struct SessionFilterArgs {
    /// Only sessions of this role, or of an address that contains it
    #[arg(long)]
    role: Option<String>,
    /// Only sessions of this rig
    #[arg(long)]
    rig: Option<String>,
    /// Only sessions since this time: `2h`, `3d`, `2026-03-01`
    #[arg(long)]
    since: Option<String>,
    /// Only sessions that had this bead
    #[arg(long)]
    bead: Option<String>,
}

kit::verbs! {
    Verb:
    Play => play,
    Search => search,
}

impl SessionFilterArgs {
    fn to_filter(&self, now: jiff::Timestamp) -> anyhow::Result<SessionFilter> {
        let since = self.since.as_deref().map(|text| parse_since(now, text));
        Ok(SessionFilter {
            role: self.role.clone(),
            rig: self.rig.clone(),
            since: since.transpose()?,
            bead: self.bead.clone(),
        })
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(verb) = args.verb {
        return verb.run(ctx);
    }
    let town = ctx.open_town()?;
    if let Some(id) = &args.talk {
        let session = seance::find_session(&town, id)?;
        if args.prompt.is_none() {
            anyhow::ensure!(
                ctx.ui.is_terminal(),
                "this is no terminal: ask one question with -p"
            );
        }
        let (reply, is_recorded) =
            match seance::ask_session(&town, &session, args.prompt.as_deref())? {
                SeanceResult::Answer(reply) => (Some(reply), false),
                SeanceResult::Recorded(reply) => (Some(reply), true),
                SeanceResult::Interactive => (None, false),
            };
        let mut report = json!({ "session_id": session.session_id, "answer": reply });
        if is_recorded {
            report["recorded"] = json!(true);
        }
        return build_report(report, move |_, page| {
            for line in reply.iter().flat_map(|said| said.lines()) {
                page.line(escape::escape_line(line));
            }
        });
    }
    let mut found = seance::list_sessions(&town, &args.which.to_filter(town.clock.now())?)?;
    if args.recent > 0 {
        found.truncate(args.recent);
    }
    build_report(found, |found, page| {
        if found.is_empty() {
            page.line(
                "no session is known: agent programs that run hooks leave one (`gt hooks status`)",
            );
        }
        let width = found
            .iter()
            .map(|session| session.session_id.chars().count())
            .max()
            .unwrap_or(0);
        for session in found {
            // Never cut at the screen's width, because users copy the id.
            page.line(format_session_row(
                session,
                width,
                &page.relative_time(&session.ts),
            ));
        }
    })
}

fn format_session_row(session: &PastSession, width: usize, when: &str) -> String {
    let transcript = if session.transcript.is_some() {
        "transcript"
    } else {
        "-"
    };
    let end = if session.handed_off {
        " → handed off"
    } else {
        ""
    };
    format!(
        "{:<width$}  {:<26}  {}  {transcript:<10}  {}{end}",
        escape::escape_line(&session.session_id),
        escape::escape_line(&session.actor),
        when,
        escape::escape_line(&session.bead)
    )
}

/// Parses a time or an age.
fn parse_since(now: jiff::Timestamp, text: &str) -> anyhow::Result<jiff::Timestamp> {
    when::parse_past_time(text, now, &kit::sys::env::local_time_zone())
        .ok_or_else(|| anyhow::anyhow!("`{text}` is no time: give `2h`, `3d` or `2026-03-01`"))
}
