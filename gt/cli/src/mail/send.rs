//! `gt mail send`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::handoff;
use gt::flow::recipient::find_recipient;
use gt::record::mail::{self, NewMessage};

/// Send a message
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The recipient: mayor/, deacon/, overseer, RIG/witness, RIG/NAME, RIG/crew/NAME
    to: String,
    /// The subject
    #[arg(short, long, default_value = "")]
    subject: String,
    /// The text
    #[arg(short, long, alias = "body", default_value = "")]
    message: String,
    /// The priority: 0 urgent, 1 high, 2 normal, 3 low
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(i64).range(0..=4))]
    priority: i64,
    /// Same as --priority 0
    #[arg(long)]
    urgent: bool,
    /// The type: notification, task, scavenge or reply
    #[arg(long = "type", default_value = "notification")]
    kind: String,
    /// The message that this one answers
    #[arg(long)]
    reply_to: Option<String>,
    /// Keep it in git with the town's beads
    #[arg(long)]
    permanent: bool,
}

#[derive(serde::Serialize)]
pub(super) struct SendMailReport {
    pub(super) id: String,
    pub(super) to: String,
    pub(super) subject: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let to = find_recipient(&town, &args.to)?;
    let kind = args.kind;
    anyhow::ensure!(
        kind != handoff::KIND,
        "a message to the successor of a session is written by `gt handoff`"
    );
    let kind = match (&args.reply_to, kind.as_str()) {
        (Some(_), "notification") => "reply".to_owned(),
        _ => kind,
    };
    let message = NewMessage {
        to: to.mailbox(),
        subject: args.subject.clone(),
        body: args.message,
        priority: Some(if args.urgent { 0 } else { args.priority.min(3) }),
        kind,
        reply_to: args.reply_to,
        permanent: args.permanent,
        ..NewMessage::default()
    };
    let id = mail::send_message(&town, &message)?;
    build_report(
        SendMailReport {
            id,
            to: message.to,
            subject: args.subject,
        },
        |sent, page| {
            page.line(format!(
                "✓ {} to {}: {}",
                sent.id,
                sent.to,
                kit::ui::escape::escape_line(&sent.subject)
            ));
        },
    )
}
