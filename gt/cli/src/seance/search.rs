//! `gt seance search`.

use kit::ui::escape;
use serde::Serialize;

use super::super::{CommandResult, build_report};
use super::SessionFilterArgs;
use crate::context::Context;
use gt::flow::agent::seance;
use gt::flow::agent::seance::search::{self, TranscriptHit};

/// Search the transcripts of past sessions, ignoring case
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The text
    text: String,
    #[command(flatten)]
    which: SessionFilterArgs,
    /// Show at most N places, those of the newest sessions first; 0 for all
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: usize,
}

/// A match in the transcript of a session.
#[derive(Serialize)]
struct SessionHit {
    session_id: String,
    actor: String,
    #[serde(flatten)]
    hit: TranscriptHit,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    anyhow::ensure!(!args.text.trim().is_empty(), "say what to search for");
    let town = ctx.open_town()?;
    let limit = if args.limit == 0 {
        usize::MAX
    } else {
        args.limit
    };
    let mut places = Vec::new();
    for session in seance::list_sessions(&town, &args.which.to_filter(town.clock.now())?)? {
        let Some(path) = &session.transcript else {
            continue;
        };
        let hits = search::search_transcript(path, &args.text).into_iter();
        places.extend(hits.map(|hit| SessionHit {
            session_id: session.session_id.clone(),
            actor: session.actor.clone(),
            hit,
        }));
        if places.len() >= limit {
            places.truncate(limit);
            break;
        }
    }
    build_report(places, |places, page| {
        if places.is_empty() {
            page.line("nothing was found in the transcripts that are there");
        }
        for place in places {
            let hit = &place.hit;
            let mark = if hit.handoff { " (handoff)" } else { "" };
            page.line(format!(
                "{}  {}  turn {}  {}  {}{mark}",
                escape::escape_line(&place.session_id),
                escape::escape_line(&place.actor),
                hit.turn,
                page.relative_time(&hit.at),
                escape::escape_line(&hit.by)
            ));
            page.line(format!("  > {}", escape::escape_line(&hit.text)));
        }
    })
}
