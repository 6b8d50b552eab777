//! `gt config list`.

use super::super::{CommandResult, build_report};
use super::SettingsScope;
use crate::context::Context;
use gt::town::config::SettingsLayers;
use gt::view::settings::list_settings;
use kit::ui::escape::escape_line;

/// List all settings with their values
///
/// A family of settings, such as `scheduler.max_per_agent.*`, is listed by its pattern and with the
/// members that are set. With `--json` an array of {key, value, origin, meaning}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    whose: SettingsScope,
    /// Also print the origin of each value
    #[arg(long)]
    show_origin: bool,
    /// Accepted for scripts: --show-origin names the layer of each value
    #[arg(long, hide = true)]
    layers: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let layers = SettingsLayers::load(&town, rig.as_ref())?;
    let rows = list_settings(&layers);
    let show_origin = args.show_origin;
    build_report(rows, move |rows, page| {
        for row in rows {
            let value = format!("{} = {}", row.name(), row.text());
            let whole = format!("{value:<44} {}", row.meaning);
            let fits = page
                .known_width()
                .is_none_or(|width| whole.chars().count() <= width);
            let meaning = page.style().dim(row.meaning);
            if fits && !show_origin {
                page.line(format!("{value:<44} {meaning}"));
                continue;
            }
            // The origin gets a line of its own if the value leaves no room for it.
            let origin = if show_origin {
                escape_line(&row.origin)
            } else {
                String::new()
            };
            page.cut_line(format!("{value:<44} {}", page.style().dim(&origin)).trim_end());
            page.line(format!("    {meaning}"));
        }
    })
}
