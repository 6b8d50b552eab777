use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::escape;

/// Take the slot
///
/// If another holder has the slot, exits with 1 (with --json with 0) and does not wait.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The new holder (default: the actor)
    #[arg(long, value_name = "NAME")]
    holder: Option<String>,
    /// Queue for the slot if another holder has it
    #[arg(long)]
    wait: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("merge-slot acquire")?;
    let store = ctx.store()?;
    let id = super::slot_id(&store)?;
    let who = super::choose_requester(ctx, args.holder);
    let taken = store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(change::acquire_merge_slot(tx, &id, &who, args.wait)?)
    })?;
    let report = kit::report_value! {
        id, acquired: taken.acquired, holder: taken.holder;
        waiting: taken.position.map(|_| true), position: taken.position
    };
    let exit = u8::from(!report.acquired && !ctx.ui.is_json());
    build_report_with_exit(exit, report, |report, page| {
        let mark = if report.acquired { "✓ " } else { "" };
        let holder = escape::escape_line(&report.holder);
        let queue = match report.position {
            Some(position) => format!("; you are number {position} in the queue"),
            None => String::new(),
        };
        page.line(format!("{mark}{} is held by {holder}{queue}", report.id));
    })
}
