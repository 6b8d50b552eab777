//! `gt rate`.

use kit::ui::escape::escape_line;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::rate::{RatedWork, rate_work};

/// Rate the finished work of a bead
///
/// The rating counts for the worker, the model and the agent program that handed the work in, and
/// `gt career` shows it. A second rating of the same work replaces your first one, which stays in the
/// history (`bd history`). No agent can rate. With `--json` {bead, request, rating, why, by, at,
/// title, worker, replaced?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead
    bead: String,
    /// The rating, 1 (bad) to 5 (good)
    #[arg(value_parser = parse_rating)]
    rating: u8,
    /// The reason in a few words
    why: String,
}

fn parse_rating(text: &str) -> Result<u8, String> {
    let rating = text.parse().ok().filter(|rating| (1..=5).contains(rating));
    rating.ok_or_else(|| "a rating is a number from 1 to 5".to_owned())
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rated = rate_work(&town, &args.bead, args.rating, &args.why)?;
    build_report(rated, |rated: &RatedWork, page| {
        let rating = &rated.rating;
        let instead = match rated.replaced {
            Some(earlier) => format!(" instead of {earlier}"),
            None => String::new(),
        };
        page.line(format!(
            "✓ {} is rated {} of 5{instead}  {}",
            rating.bead,
            rating.rating,
            escape_line(&rated.title)
        ));
        if !rated.worker.is_empty() {
            page.line(format!("  it counts for {}", escape_line(&rated.worker)));
            page.line(format!("  gt career {}", escape_line(&rated.worker)));
        }
    })
}
