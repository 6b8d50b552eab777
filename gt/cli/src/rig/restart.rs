//! `gt rig restart`.

use serde::Serialize;

use super::super::{CommandResult, build_report};
use super::hold::write_stopped;
use crate::context::Context;
use gt::flow::agent::down::StoppedSessions;
use gt::flow::agent::hold;

/// Restart the agents of a rig
///
/// Their sessions end, uncommitted work is saved, and the daemon starts those with work again. Crew
/// sessions go on. With `--json` an array of {rig, sessions[], stopped[{worker, bead, title,
/// snapshot?}]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rigs
    #[arg(required = true, value_name = "RIG")]
    rigs: Vec<String>,
    /// Accepted for scripts: sessions end at once, with their work saved
    #[arg(short, long, hide = true)]
    force: bool,
    /// Accepted for scripts: uncommitted work is always saved first
    #[arg(long, hide = true)]
    nuclear: bool,
}

#[derive(Debug, Serialize)]
struct RestartedRig {
    rig: String,
    #[serde(flatten)]
    ended: StoppedSessions,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut restarted = Vec::new();
    for name in &args.rigs {
        let rig = town.find_rig(name)?;
        restarted.push(RestartedRig {
            rig: name.clone(),
            ended: hold::restart_rig(&town, &rig)?,
        });
    }
    build_report(restarted, |restarted, page| {
        for one in restarted {
            let count = kit::ui::counted(one.ended.sessions.len(), "session");
            page.line(format!(
                "✓ {}: {count} ended; the daemon starts each agent with work again",
                one.rig
            ));
            write_stopped(&one.ended.stopped, page);
        }
    })
}
