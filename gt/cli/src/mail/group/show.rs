//! `gt mail group show`.

use super::super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::recipient::{MailTarget, find_target};
use gt::record::mail::group::{self, MailGroup};

/// Show a group with the agents that get its mail
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
}

#[derive(serde::Serialize)]
struct GroupReport {
    #[serde(flatten)]
    group: MailGroup,
    /// The agents that get its mail now.
    recipients: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let group = group::get_group(&town.open_town_store()?.snapshot()?, &args.name)?;
    let recipients = match find_target(&town, &format!("group:{}", group.name)) {
        Ok(MailTarget::Group { members, .. }) => members
            .iter()
            .map(gt::town::identity::Address::mailbox)
            .collect(),
        // The members of a group may all be gone.
        _ => Vec::new(),
    };
    build_report(GroupReport { group, recipients }, |report, page| {
        super::write_group(&report.group, page);
        match report.recipients.as_slice() {
            [] => page.line("  recipients: none"),
            recipients => page.line(format!("  recipients: {}", recipients.join(", "))),
        }
    })
}
