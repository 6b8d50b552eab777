//! `gt mail announces`.

use kit::ui::escape;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::mail::channel;
use gt::town::config::{AnnounceSettings, MessagingSettings};

/// List the announcements, or the messages of one
///
/// Announcements are defined in config/messaging.json. With `--json` an array of {name, readers,
/// retain_count}, or of messages.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The announcement whose messages are shown
    name: Option<String>,
}

#[derive(serde::Serialize)]
struct AnnounceLine {
    name: String,
    #[serde(flatten)]
    settings: AnnounceSettings,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let announces = MessagingSettings::load(&town.layout)?.announces;
    if let Some(name) = args.name {
        let name = name.trim_start_matches("announce:").to_owned();
        anyhow::ensure!(
            announces.contains_key(&name),
            "there is no announcement `{name}` in config/messaging.json: not found"
        );
        let beads = town.open_town_store()?.snapshot()?;
        let messages = channel::list_announcements(&beads, &name, &town.actor);
        return build_report(messages, move |messages, page| {
            page.line(format!(
                "{name}: {}",
                kit::ui::counted(messages.len(), "message")
            ));
            for message in messages {
                super::write_message_line("", message, page);
            }
        });
    }
    let lines: Vec<AnnounceLine> = announces
        .into_iter()
        .map(|(name, settings)| AnnounceLine { name, settings })
        .collect();
    build_report(lines, |lines, page| {
        if lines.is_empty() {
            page.line("no announcements: config/messaging.json defines them");
        }
        for line in lines {
            let readers = escape::escape_line(&line.settings.readers.join(", "));
            page.line(format!(
                "{}  readers: {readers}",
                escape::escape_line(&line.name)
            ));
        }
    })
}
