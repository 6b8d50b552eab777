//! `gt mail archive`.

use anyhow::Context as _;

use super::super::CommandResult;
use crate::context::Context;
use gt::flow::agent::session::show;
use gt::host::LiveTown;
use gt::record::mail::{self, MailRemoval};

/// Take messages out of the inbox
///
/// `gt mail inbox --all` still lists them. A message of a channel or an announcement is archived
/// for you alone.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Their ids, or their numbers in the inbox (1 is the newest)
    #[arg(required_unless_present = "stale", conflicts_with = "stale")]
    messages: Vec<String>,
    /// The messages from before your session started, except pinned ones
    #[arg(long)]
    stale: bool,
    /// Only list the messages
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let messages = if args.stale {
        find_stale(&ctx.open_town()?)?
    } else {
        args.messages
    };
    if args.dry_run {
        return super::change_messages(ctx, &messages, "would be archived", |_, _| Ok(()));
    }
    super::change_messages(ctx, &messages, "archived", |town, ids| {
        mail::remove_messages(town, ids, MailRemoval::Archived)
    })
}

/// Returns the messages in the caller's inbox that are older than its session.
fn find_stale(town: &LiveTown) -> anyhow::Result<Vec<String>> {
    let session = show::find_session(town, &town.actor)?.with_context(|| {
        format!(
            "{} has no session, so no message is older than it: name the messages, or archive all \
             with `gt mail clear`",
            town.actor
        )
    })?;
    let mut messages =
        mail::list_inbox(&town.open_town_store()?.snapshot()?, &town.actor.mailbox());
    messages.retain(|message| {
        let sent: Option<jiff::Timestamp> = message.timestamp.parse().ok();
        !message.pinned && sent.is_some_and(|sent| sent < session.created)
    });
    Ok(messages.into_iter().map(|message| message.id).collect())
}
