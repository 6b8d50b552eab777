//! `gt release`.

use kit::failure::SilentFailure;
use serde::Serialize;

use super::{CommandResult, build_report_with_exit};
use crate::context::Context;
use gt::flow::work::sling::{ReleaseReport, release_work};

/// Give beads back: open again, and assigned to no one
///
/// A bead on a hook is taken off it as by `gt unsling`. A bead with an open merge request is
/// refused, because its work is handed in. The exit code is 1 if a bead could not be released. With
/// `--json` an array of {bead, was, holder, session?, kept?, error?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The beads
    #[arg(required = true, value_name = "BEAD")]
    beads: Vec<String>,
    /// The reason, which becomes a comment
    #[arg(short, long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ReleaseLine {
    Released(ReleaseReport),
    Failed { bead: String, error: String },
}

impl ReleaseLine {
    fn is_failed(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut lines = Vec::new();
    for bead in &args.beads {
        lines.push(match release_work(&town, bead, args.reason.as_deref()) {
            Ok(released) => ReleaseLine::Released(released),
            Err(error) if args.beads.len() == 1 => return Err(error),
            Err(error) => {
                let error = format!("{error:#}");
                ctx.ui.warn(&error);
                ReleaseLine::Failed {
                    bead: bead.clone(),
                    error,
                }
            }
        });
    }
    gt::host::daemon::wake_daemon(&town);
    let exit = u8::from(lines.iter().any(ReleaseLine::is_failed));
    if lines.iter().all(ReleaseLine::is_failed) {
        return Err(SilentFailure.into());
    }
    build_report_with_exit(exit, lines, |lines, page| {
        for line in lines {
            let ReleaseLine::Released(released) = line else {
                continue;
            };
            page.line(format!("✓ {} is open again", released.bead));
            if let Some(kept) = &released.kept {
                page.line("  uncommitted work is saved:");
                page.line(format!("  gt rescue show {kept}"));
            }
        }
    })
}
