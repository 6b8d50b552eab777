//! `gt theme`: the colours of the status lines of sessions.

mod apply;

use serde::Serialize;

use super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::flow::agent::theme::apply_themes;
use gt::record::theme::{self, StatusTheme};
use gt::town::config::{self, SettingsLayer};

/// Show or choose the colours of a rig's sessions in tmux
///
/// Without a choice, the name of the rig decides. A choice is the setting theme.name of the rig;
/// sessions that run get it at once. With `--json` {rig, name, bg, fg}, and with `--list` an array
/// of {name, bg, fg}.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    /// The theme
    #[arg(value_name = "THEME")]
    colours: Option<String>,
    /// List the themes
    #[arg(short, long, conflicts_with = "colours")]
    list: bool,
    /// The rig (default: the one around the working directory)
    #[arg(long)]
    rig: Option<String>,
    #[command(subcommand)]
    verb: Option<ThemeVerb>,
}

#[derive(Debug, clap::Subcommand)]
enum ThemeVerb {
    Apply(apply::Args),
}

#[derive(Debug, Serialize)]
struct RigTheme {
    rig: String,
    #[serde(flatten)]
    theme: StatusTheme,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(ThemeVerb::Apply(args)) = args.verb {
        return apply::run(ctx, args);
    }
    if args.list {
        return build_report(theme::list_themes(), |themes, page| {
            for theme in themes {
                page.line(format!("{:<9} {} on {}", theme.name, theme.fg, theme.bg));
            }
        });
    }
    let town = ctx.open_town()?;
    let rig = rig::resolve_rig(ctx, &town, args.rig.as_deref())?;
    if let Some(name) = &args.colours {
        anyhow::ensure!(
            theme::find_theme(name).is_some(),
            "there is no theme `{}`: gt theme --list shows them",
            kit::ui::escape::escape_line(name)
        );
        let layer = SettingsLayer::Settings;
        config::change_setting(&town, Some(&rig), layer, "theme.name", Some(name))?;
        apply_themes(&town, Some(rig.name()))?;
    }
    let report = RigTheme {
        rig: rig.name().to_owned(),
        theme: StatusTheme::for_rig(&rig),
    };
    build_report(report, |report, page| {
        let theme = &report.theme;
        page.line(format!(
            "{}: {} ({} on {})",
            report.rig, theme.name, theme.fg, theme.bg
        ));
    })
}
