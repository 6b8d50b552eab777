//! `gt hooks diff`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::runtime::installed;

/// Show which hooks are missing from settings files
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only for this target
    target: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut found = installed::list_role_hooks(&*ctx.open_town()?, args.target.as_deref())?;
    found.retain(|hooks| !hooks.missing.is_empty());
    build_report(found, |found, page| {
        if found.is_empty() {
            page.line("nothing is missing in the files that are there");
        }
        for hooks in found {
            page.line(format!("{}  {}", hooks.target, hooks.display_path()));
            for missing in &hooks.missing {
                page.line(format!("  + {}", kit::ui::escape::escape_line(missing)));
            }
        }
    })
}
