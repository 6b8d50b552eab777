//! `gt config get`.

use super::super::{CommandResult, build_report};
use super::SettingsScope;
use crate::context::Context;
use gt::record::rule::find_setting;
use gt::town::config::SettingsLayers;
use gt::view::settings::SettingRow;
use kit::ui::escape::escape_line;

/// Print a setting's value
///
/// On a terminal also what it means. With `--json` {key, value, origin, meaning}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The setting
    key: String,
    #[command(flatten)]
    whose: SettingsScope,
    /// Also print the origin of the value
    #[arg(long)]
    show_origin: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let row = SettingRow::from_setting(find_setting(
        &SettingsLayers::load(&town, rig.as_ref())?,
        &args.key,
    )?);
    let show_origin = args.show_origin;
    build_report(row, move |row, page| {
        if show_origin {
            page.line(format!("{}\t{}", escape_line(&row.origin), row.text()));
        } else {
            page.line(row.text());
        }
        if page.known_width().is_some() {
            page.line(page.style().dim(row.meaning));
        }
    })
}
