use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation, build_report_with_exit};
use kit::ui::escape;

/// Free the slot
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Release only if NAME holds the slot (default: the holder)
    #[arg(long, value_name = "NAME", default_value = "")]
    holder: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("merge-slot release")?;
    let store = ctx.store()?;
    let id = super::slot_id(&store)?;
    let (holder, waiters) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(change::release_merge_slot(tx, &id, &args.holder)?)
    })?;
    let Some(holder) = holder else {
        let report = kit::report_value! { id, released: false, error: "slot not held" };
        let exit = u8::from(!ctx.ui.is_json());
        return build_report_with_exit(exit, report, |report, page| {
            page.line(format!("{} is not held", report.id));
        });
    };
    let report = kit::report_value! { id, released: true, previous_holder: holder, waiters };
    build_confirmation(report, |report, page| {
        let holder = escape::escape_line(&report.previous_holder);
        page.line(format!("✓ Released {} (was held by {holder})", report.id));
    })
}
