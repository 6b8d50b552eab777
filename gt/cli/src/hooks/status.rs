//! `gt hooks status`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::runtime::installed::{self, HooksState};

/// Show which roles have their hooks, and where
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only for this target: `mayor`, `deacon`, `<rig>/polecats`, `<rig>/crew`, `<rig>/witness`,
    /// `<rig>/refinery`
    target: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let found = installed::list_role_hooks(&*ctx.open_town()?, args.target.as_deref())?;
    build_report(found, |found, page| {
        for hooks in found {
            let state = match hooks.state {
                HooksState::Installed => "✓ installed".to_owned(),
                HooksState::Absent => "· not there yet".to_owned(),
                HooksState::Incomplete => format!("! {} missing", hooks.missing.len()),
                HooksState::Damaged => "✗ damaged".to_owned(),
                HooksState::None => "· none".to_owned(),
            };
            let agent = kit::ui::escape::escape_line(&hooks.agent);
            page.line(format!(
                "{:<20} {:<10} {state:<16} {}",
                hooks.target,
                agent,
                hooks.display_path()
            ));
            if let Some(error) = &hooks.error {
                page.line(format!("  {}", kit::ui::escape::escape_line(error)));
            }
        }
    })
}
