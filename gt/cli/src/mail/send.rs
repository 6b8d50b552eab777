//! `gt mail send`.

use std::time::Duration;

use anyhow::Context as _;

use super::super::CommandResult;
use crate::context::Context;
use gt::flow::agent::post::{self, OutgoingMail};
use gt::record::mail::protocol::ProtocolMessage;
use gt::town::identity::Address;

/// Send a message
///
/// An address is an agent (mayor/, overseer, RIG/witness, RIG/NAME, RIG/crew/NAME), a group
/// (@town, @crew, @rig/RIG, group:NAME, list:NAME, RIG/*), a queue (queue:NAME), a channel
/// (channel:NAME) or an announcement (announce:NAME). A message to a role whose work gtd does goes
/// to the mayor if its session runs, otherwise to the overseer. So does a call for help (subject
/// HELP) to a mayor that does not run.
///
/// With `--json` {id, to, subject, recipients?, addressed_to?, handled_by?, skipped?, nudged?,
/// acknowledged?}. With `--wait-for-ack` the exit code is 1 if a recipient has not read it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The recipients
    #[arg(required_unless_present_any = ["to_self", "human"])]
    to: Option<String>,
    /// Send it to the overseer
    #[arg(long, conflicts_with_all = ["to", "to_self"])]
    human: bool,
    /// Send it to yourself
    #[arg(long = "self", conflicts_with = "to")]
    to_self: bool,
    /// Also send it to this address; repeat for each
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    cc: Vec<String>,
    /// The subject
    #[arg(short, long, default_value = "")]
    subject: String,
    /// The text
    #[arg(short, long, alias = "body", default_value = "")]
    message: String,
    /// Read the text from standard input
    #[arg(long, conflicts_with = "message")]
    stdin: bool,
    /// The priority: 0 urgent, 1 high, 2 normal, 3 low
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(i64).range(0..=4))]
    priority: i64,
    /// Same as --priority 0
    #[arg(long)]
    urgent: bool,
    /// The type: notification, task, scavenge or reply
    #[arg(long = "type", default_value = "notification", value_parser = post::check_kind)]
    kind: String,
    /// The message that this one answers
    #[arg(long)]
    reply_to: Option<String>,
    /// Nudge the sessions of the recipients; priority at least high
    #[arg(short, long)]
    notify: bool,
    /// Keep it in the mailbox when the mailbox is cleared
    #[arg(long)]
    pinned: bool,
    /// Keep it local to this machine (the default)
    #[arg(long, conflicts_with = "permanent")]
    wisp: bool,
    /// Keep it in git with the town's beads
    #[arg(long)]
    permanent: bool,
    /// Wait until each recipient has read it
    #[arg(long)]
    wait_for_ack: bool,
    /// The longest wait with --wait-for-ack, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 300,
        requires = "wait_for_ack"
    )]
    ack_timeout: u64,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let body = if args.stdin {
        kit::gateway::read_input().context("cannot read standard input")?
    } else {
        args.message
    };
    let priority = if args.urgent { 0 } else { args.priority.min(3) };
    let outgoing = OutgoingMail {
        to: match args.to {
            Some(to) => to,
            None if args.human => Address::Overseer.mailbox(),
            None => town.actor.mailbox(),
        },
        cc: args.cc,
        subject: args.subject,
        body,
        priority: if args.notify {
            priority.min(1)
        } else {
            priority
        },
        kind: args.kind,
        reply_to: args.reply_to,
        permanent: args.permanent,
        pinned: args.pinned,
        notify: args.notify,
        operation: None,
    };
    let mut posted = post::post_mail(&town, &outgoing)?;
    if let Ok(report) = ProtocolMessage::parse(&outgoing.subject, &outgoing.body) {
        let missing = report.missing_fields();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            ctx.ui.warn(&format!("the report {report} lacks {missing}"));
        }
    }
    if args.wait_for_ack {
        let limit = Duration::from_secs(args.ack_timeout);
        posted.acknowledged = Some(post::wait_until_read(&town, &posted.copies, limit)?);
    }
    super::report_posted(posted)
}
