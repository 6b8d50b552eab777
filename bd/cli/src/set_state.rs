use super::dep;
use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::ui::escape;

/// Change a state of a bead and record the change
///
/// The state is the label DIMENSION:VALUE. A closed child of type event records when, by whom and
/// why it changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The dimension and its new value
    #[arg(value_name = "DIMENSION=VALUE")]
    state: String,
    /// The reason
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        allow_hyphen_values = true
    )]
    reason: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("set-state")?;
    let parts = args
        .state
        .split_once('=')
        .map(|(name, value)| (name.trim(), value.trim()))
        .filter(|(name, value)| !name.is_empty() && !value.is_empty() && !name.contains(':'));
    let Some((dimension, value)) = parts else {
        kit::bail_usage!(
            "invalid state {:?}: use DIMENSION=VALUE, such as health=failing",
            args.state
        );
    };
    let store = ctx.store_for_id(&args.id)?;
    let (id, shift) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = dep::resolve_dep_end(tx, &args.id, "issue")?;
        let shift = change::set_state(tx, &id, dimension, value, &args.reason)?;
        Ok((id, shift))
    })?;
    let value = value.to_owned();
    let dimension = dimension.to_owned();
    let Some(event) = shift.event else {
        let report = kit::report_value! { issue_id: id, dimension, value, changed: false };
        return build_report(report, |report, page| {
            let value = escape::escape_line(&report.value);
            page.line(format!(
                "(no change: {} already set to {value})",
                report.dimension
            ));
        });
    };
    let report = kit::report_value! {
        issue_id: id, dimension, old_value: shift.old, new_value: value,
        event_id: event.id, changed: true
    };
    build_confirmation(report, |report, page| {
        let old = report.old_value.as_deref();
        page.line(format!(
            "✓ Set {} = {} on {} (was {})",
            report.dimension,
            escape::escape_line(&report.new_value),
            report.issue_id,
            old.map_or_else(|| "(unset)".to_owned(), escape::escape_line)
        ));
        page.line(format!("  Event: {}", report.event_id));
    })
}
