//! `gt config explain`.

use super::super::{CommandResult, build_report};
use super::SettingsScope;
use crate::context::Context;
use gt::record::rule::find_setting;
use gt::town::config::SettingsLayers;
use gt::town::config::key;
use gt::view::settings::SettingRow;
use kit::ui::escape::{escape_line, quote_for_shell};

/// Explain a setting: meaning, values, default, current value
///
/// With `--json` {key, meaning, values, default, files, value, origin}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The setting
    key: String,
    #[command(flatten)]
    whose: SettingsScope,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let layers = SettingsLayers::load(&town, rig.as_ref())?;
    let row = SettingRow::from_setting(find_setting(&layers, &args.key)?);
    let known = key::find_key(&row.key);
    let report = kit::report_value! {
        key: row.key.clone(),
        meaning: row.meaning,
        values: known.map_or_else(String::new, gt::town::config::key::SettingKey::describe_expected),
        default: known.map_or("", |key| key.default),
        files: known.map_or("", |key| key.scope.describe()),
        value: row.value.clone(),
        origin: row.origin.clone(),
    };
    build_report(report, move |report, page| {
        let default = match report.default {
            "" => "none",
            default => default,
        };
        page.line(format!("{}: {}", row.name(), report.meaning));
        page.line(format!("  values:   {}", report.values));
        page.line(format!("  default:  {default}"));
        page.line(format!("  set in:   {}", report.files));
        page.line(format!(
            "  now:      {}  ({})",
            row.text(),
            escape_line(&report.origin)
        ));
        page.line(format!(
            "  gt config set {} VALUE",
            quote_for_shell(&row.name())
        ));
    })
}
