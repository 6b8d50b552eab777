//! `gt up`.

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::host::daemon;

#[derive(serde::Serialize)]
struct Up {
    daemon_pid: u32,
    started: bool,
}

/// Start the town's daemon, which starts sessions for work
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> Answer {
    let town = ctx.town()?;
    if let Err(error) = town.host.check() {
        ctx.ui.warn(&format!(
            "{error}: work that needs no session goes on without it"
        ));
    }
    let now = daemon::status(&town);
    let up = if now.running {
        Up {
            daemon_pid: now.pid,
            started: false,
        }
    } else {
        Up {
            daemon_pid: daemon::start(&town)?,
            started: true,
        }
    };
    if up.started {
        town.tell(
            "boot",
            serde_json::json!({ "rig": "town", "agents": ["daemon"] }),
        );
    }
    answer(up, |up, page| {
        let how = if up.started {
            "is up"
        } else {
            "was up already"
        };
        page.line(format!(
            "✓ the daemon {how} (pid {}): it starts sessions when there is work",
            up.daemon_pid
        ));
        page.line("  talk to the mayor: gt mayor attach");
    })
}
