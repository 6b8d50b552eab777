//! `gt mail group`: manages groups of recipients.

mod add;
mod create;
mod delete;
mod list;
mod remove;
mod show;

use kit::ui::{Page, escape};

use super::super::CommandResult;
use crate::context::Context;
use gt::record::mail::group::MailGroup;

kit::family! {
    /// Manage groups of recipients
    ///
    /// A message to group:NAME goes to each member. A member is an address, a pattern (RIG/*,
    /// */witness), a built-in group (@town, @crew, @rig/RIG) or another group.
    Args:
    Create => create,
    #[command(alias = "ls")]
    List => list,
    Show => show,
    Add => add,
    Remove => remove,
    #[command(alias = "rm")]
    Delete => delete,
}

fn write_group(group: &MailGroup, page: &mut Page) {
    let members = match group.members.as_slice() {
        [] => "no members".to_owned(),
        members => members.join(", "),
    };
    page.line(format!(
        "{}: {}",
        escape::escape_line(&group.name),
        escape::escape_line(&members)
    ));
}
