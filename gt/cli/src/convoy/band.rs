//! `gt convoy band`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::costs;
use gt::flow::agent::seance::usage::RequestCache;
use gt::flow::work::convoy;
use gt::record::budget::{BandSource, BudgetBook};
use gt::record::town_view::TownView;
use gt::town::config::{MAX_AMOUNT, parse_amount};

/// Show or set how much a convoy may cost before you are warned
///
/// The convoy's own band wins over the setting `budget.convoy_band`, which is for all convoys. A band
/// only warns: nothing is stopped. With `--json` {id, spent_usd, band_usd?, source? (convoy or
/// setting)}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy's id or title, or its number in `gt convoy list`
    convoy: String,
    /// Dollars, such as 5 or 2.50; 0 for no band
    #[arg(value_parser = parse_band, value_name = "DOLLARS")]
    dollars: Option<f64>,
    /// Remove the convoy's own band, so that the setting counts
    #[arg(long, conflicts_with = "dollars")]
    unset: bool,
}

/// Parses an amount as the setting `budget.convoy_band` has it.
pub(super) fn parse_band(text: &str) -> Result<f64, String> {
    parse_amount(text.trim().trim_start_matches('$')).ok_or_else(|| {
        format!("a band is an amount of dollars such as 5 or 2.50, up to {MAX_AMOUNT}")
    })
}

/// The costs of a convoy beside its band.
#[derive(Serialize)]
struct ConvoyBand {
    id: String,
    spent_usd: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    band_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<BandSource>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let id = super::find_convoy(&TownView::read(&town)?, &args.convoy)?
        .id
        .clone();
    if args.unset || args.dollars.is_some() {
        convoy::set_band(&town, &id, args.dollars)?;
    }
    let view = TownView::read(&town)?;
    let found = super::find_convoy(&view, &id)?;
    // The costs of its beads are read only if a convoy has a band.
    costs::refresh_spending(&town, &mut RequestCache::default())?;
    let book = BudgetBook::load(&town.layout, view.now);
    let budget = book.band_of_convoy(view.settings.for_rig(None), found);
    let report = ConvoyBand {
        spent_usd: book.cost_of_convoy(found),
        band_usd: budget.as_ref().map(|budget| budget.limit_usd),
        source: budget.as_ref().and_then(|budget| budget.source),
        id,
    };
    build_report(report, move |report, page| match &budget {
        Some(budget) => page.line(format!("{budget}, {} %", budget.percent())),
        None => {
            page.line(format!("convoy {} has no band", report.id));
            page.line(format!("  gt convoy band {} DOLLARS", report.id));
        }
    })
}
