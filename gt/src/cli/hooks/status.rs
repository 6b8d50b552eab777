//! `gt hooks status`.

use super::super::{Answer, answer};
use crate::cli::context::Context;
use crate::host::runtime::installed::{self, State};

/// Show which roles have their hooks, and where
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only for this target: `mayor`, `deacon`, `<rig>/polecats`, `<rig>/crew`, `<rig>/witness`, `<rig>/refinery`
    target: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let found = installed::all(&*ctx.town()?, args.target.as_deref())?;
    answer(found, |found, page| {
        for hooks in found {
            let state = match hooks.state {
                State::Installed => "✓ installed".to_owned(),
                State::Absent => "· not there yet".to_owned(),
                State::Incomplete => format!("! {} missing", hooks.missing.len()),
                State::Damaged => "✗ damaged".to_owned(),
                State::None => "· none".to_owned(),
            };
            let agent = bd::ui::escape::line(&hooks.agent);
            page.line(format!(
                "{:<20} {:<10} {state:<16} {}",
                hooks.target,
                agent,
                hooks.place()
            ));
            if let Some(error) = &hooks.error {
                page.line(format!("  {}", bd::ui::escape::line(error)));
            }
        }
    })
}
