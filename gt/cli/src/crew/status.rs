//! `gt crew status`.

use kit::ui::{Page, counted, escape};

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::crew::{self, CrewStatus};

/// Show crew members: clone, session and mail
///
/// With `--json` an array of {name, rig, path, branch, has_session, session_id?, git_clean,
/// git_modified?, git_untracked?, mail_total, mail_unread}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    members: super::MemberOrAll,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let members = args.members.select(ctx, &town)?;
    let found: anyhow::Result<Vec<CrewStatus>> = members
        .iter()
        .map(|(rig, name)| crew::read_member_status(&town, rig, name))
        .collect();
    build_report(found?, |found, page| {
        if found.is_empty() {
            page.line("no crew yet: gt crew add NAME adds one");
        }
        for member in found {
            write_member(member, page);
        }
    })
}

fn write_member(member: &CrewStatus, page: &mut Page) {
    let dot = if member.has_session { "●" } else { "○" };
    let session = match &member.session_id {
        Some(session) => format!("runs in session {session}"),
        None => "has no session".to_owned(),
    };
    page.line(format!("{dot} {}/{} {session}", member.rig, member.name));
    page.line(format!("  clone:  {}", member.path.display()));
    let changed = member.git_modified.len() + member.git_untracked.len();
    page.line(format!(
        "  branch: {}, {}",
        escape::escape_line(member.branch.as_deref().unwrap_or("")),
        counted(changed, "uncommitted file")
    ));
    page.line(format!(
        "  mail:   {}, {} unread",
        counted(member.mail_total, "message"),
        member.mail_unread
    ));
}
