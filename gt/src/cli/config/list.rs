//! `gt config list`.

use super::super::{Answer, answer};
use super::{SettingRow, Whose};
use crate::cli::context::Context;
use crate::patrol::rule::{self, RULES};
use crate::town::config::{Layers, key};

/// List all settings with their values
///
/// With `--json` an array of {key, value, origin}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    whose: Whose,
    /// Also print the origin of each value
    #[arg(long)]
    show_origin: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let layers = Layers::load(&town, rig.as_ref())?;
    let mut all = layers.all();
    all.retain(|setting| rule::switched_by(&setting.name).is_none());
    all.extend(RULES.iter().map(|rule| rule.switch(&layers)));
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let rows: Vec<SettingRow> = all.into_iter().map(SettingRow::of).collect();
    let show_origin = args.show_origin;
    answer(rows, move |rows, page| {
        for row in rows {
            let meaning = match rule::switched_by(&row.key) {
                Some(rule) => rule.does,
                None => key::find(&row.key).map_or("", |key| key.meaning),
            };
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
