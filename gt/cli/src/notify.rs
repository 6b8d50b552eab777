//! `gt notify`.

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::notification_level::{self, NotificationLevel};
use gt::town::Town;

/// Show or set how much an agent is disturbed
///
/// verbose: each message to the agent is typed into its session too. normal: only nudges are.
/// muted: nothing is, and nudges are kept as mail for the agent's next turn. The patrol still
/// reminds a worker that makes no progress.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The level; without it, the present one is shown
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(NotificationLevel::WORDS))]
    level: Option<String>,
    /// The agent (default: you)
    #[arg(long, value_name = "ADDRESS")]
    agent: Option<String>,
}

#[derive(serde::Serialize)]
struct LevelReport {
    agent: String,
    level: NotificationLevel,
    changed: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let level = args.level.as_deref().and_then(NotificationLevel::parse);
    report_level(&town, args.agent.as_deref(), |_| level)
}

/// Shows the level of an agent, after a change if there is one.
pub(super) fn report_level(
    town: &Town,
    agent: Option<&str>,
    choose: impl FnOnce(NotificationLevel) -> Option<NotificationLevel>,
) -> CommandResult {
    let agent = match agent {
        Some(text) => town.parse_address(text)?,
        None => town.actor.clone(),
    };
    let before = notification_level::load_level(town, &agent);
    let chosen = choose(before);
    if let Some(level) = chosen {
        notification_level::save_level(&town.layout, &agent, level)?;
    }
    let level = chosen.unwrap_or(before);
    let report = LevelReport {
        agent: agent.to_string(),
        level,
        changed: level != before,
    };
    build_report(report, |report, page| {
        let effect = match report.level {
            NotificationLevel::Verbose => "nudges and messages are typed into its session",
            NotificationLevel::Normal => "nudges are typed into its session",
            NotificationLevel::Muted => "nudges are kept as mail for its next turn",
        };
        page.line(format!(
            "{}: {} ({effect})",
            report.agent,
            report.level.word()
        ));
    })
}
