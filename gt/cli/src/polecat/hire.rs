//! `gt polecat hire`.

use std::path::PathBuf;

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::agent::polecat::{HireReport, hire_polecat};

/// Give a worker a persona
///
/// The persona is a text of at most 8 KiB for this one worker: its strengths, its manner, what it
/// looks after. Each session gets it after the role's own text (`gt prime --explain`). It sets
/// nothing, and the town keeps a copy. A worker that does not exist is made, and waits for its first
/// bead. A second hire replaces the persona. No agent can hire. With `--json` {polecat, persona,
/// bytes, replaced}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The worker: RIG/NAME
    polecat: String,
    /// The file with the text
    #[arg(long, value_name = "FILE")]
    persona: PathBuf,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let (rig, name) = super::parse_polecat(&town, &args.polecat)?;
    let source = ctx.env.cwd().join(&args.persona);
    let hired = hire_polecat(&rig, &name, &source)?;
    build_report(hired, |hired: &HireReport, page| {
        let verb = if hired.replaced {
            "has a new persona"
        } else {
            "is hired"
        };
        page.line(format!("✓ {} {verb}", hired.polecat));
        if let Some(path) = &hired.persona {
            page.line(format!("  persona: {}", path.display()));
        }
        page.line("  its next session reads it");
    })
}
