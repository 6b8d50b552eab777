//! `gt config list`.

use super::super::{Answer, answer};
use super::{Row, Whose};
use crate::cli::context::Context;
use crate::town::config::{Layers, key};

/// List all settings with their values.
///
/// With `--json` an array of {key, value, origin}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    whose: Whose,
    /// Say where each value comes from.
    #[arg(long)]
    show_origin: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let all = Layers::load(&town, rig.as_ref())?.all();
    let rows: Vec<Row> = all.into_iter().map(Row::of).collect();
    let show_origin = args.show_origin;
    answer(rows, move |rows, page| {
        for row in rows {
            let meaning = key::find(&row.key).map_or("", |key| key.meaning);
            let value = format!("{} = {}", row.key, row.text());
            let more = if show_origin {
                row.origin.as_str()
            } else {
                meaning
            };
            page.cut_line(format!("{value:<44} {}", page.style().dim(more)));
        }
    })
}
