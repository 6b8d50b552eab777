use crate::context::Context;
use bd::hooks::HookPlace;
use kit::cli::report::{CommandResult, build_confirmation};
use kit::failure::UsageError;

/// Install the git hooks
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Add the command to the hook script that the repository tracks
    #[arg(long)]
    tracked: bool,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true)]
    chain: bool,
    #[arg(long, hide = true)]
    beads: bool,
    #[arg(long, hide = true)]
    shared: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("hooks install")?;
    if args.shared {
        kit::bail_usage!(
            "--shared is not offered: it would set core.hooksPath and turn off hooks of others"
        );
    }
    let place = HookPlace::find(&super::open_repository(ctx))?;
    let Some(installed) = super::install_at(ctx, &place, args.tracked)? else {
        let advice = super::describe_place(&place, ctx.env.cwd()).join("\n");
        return Err(UsageError(advice).into());
    };
    let message = format!("Installed git hooks: {}", installed.names.join(", "));
    let chained = !installed.chained.is_empty();
    let report = kit::report_value! { success: true, message, shared: false, chained };
    build_confirmation(report, move |report, page| {
        page.line(format!("✓ {}", report.message));
        for name in &installed.chained {
            page.line(format!("  {name} runs your own hook first"));
        }
    })
}
