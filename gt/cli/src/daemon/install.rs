//! `gt daemon install`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::host::daemon;

/// Write a systemd user unit for this town's daemon
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let installed = daemon::install_unit(&*ctx.open_town()?)?;
    build_report(installed, |installed, page| {
        page.line(format!("✓ wrote {}", installed.path.display()));
        page.line(format!(
            "  environment: {}",
            installed.environment.display()
        ));
        page.line(format!("  taken along: {}", installed.variables.join(" ")));
        page.line("To start it now and at each login:");
        page.line("  systemctl --user daemon-reload");
        page.line(format!(
            "  systemctl --user enable --now {}",
            installed.unit
        ));
        page.line("To let it run while you are logged out: loginctl enable-linger");
    })
}
