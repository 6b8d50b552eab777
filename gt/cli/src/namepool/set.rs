//! `gt namepool set`.

use super::super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::record::polecat;
use gt::town::config::{self, SettingsLayer};

/// Choose a theme for the names of new polecats
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The theme
    theme: String,
}

pub(super) fn run(ctx: &Context, rig: Option<&str>, args: &Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, rig)?;
    let known: Vec<&str> = polecat::theme_names().collect();
    anyhow::ensure!(
        known.contains(&args.theme.as_str()),
        "there is no theme `{}`; known: {}",
        args.theme,
        known.join(", ")
    );
    let key = "namepool.style";
    config::change_setting(
        &town,
        Some(&rig),
        SettingsLayer::Settings,
        key,
        Some(&args.theme),
    )?;
    let rig = rig.name().to_owned();
    let theme = args.theme.clone();
    let data = serde_json::json!({ "rig": rig, "style": theme });
    build_report(data, move |_, page| {
        page.line(format!("{rig}: theme {theme}"));
    })
}
