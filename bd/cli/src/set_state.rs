use serde_json::json;

use crate::context::Context;
use bd::change;
use kit::failure::UsageError;
use kit::ui::escape;

use super::dep;
use kit::cli::report::{CommandResult, TextReport};

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
        let text = format!(
            "invalid state {:?}: use DIMENSION=VALUE, such as health=failing",
            args.state
        );
        return Err(UsageError(text).into());
    };
    let store = ctx.store_for_id(&args.id)?;
    let (id, shift) = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = dep::resolve_dep_end(tx, &args.id, "bead")?;
        let shift = change::set_state(tx, &id, dimension, value, &args.reason)?;
        Ok((id, shift))
    })?;
    let shown = escape::escape_line(value);
    let Some(event) = shift.event else {
        let json =
            json!({"issue_id": id, "dimension": dimension, "value": value, "changed": false});
        return TextReport::new(
            json,
            format!("(no change: {dimension} already set to {shown})"),
        )
        .into_answer();
    };
    let json = json!({
        "issue_id": id,
        "dimension": dimension,
        "old_value": shift.old,
        "new_value": value,
        "event_id": event.id,
        "changed": true,
    });
    let from = shift
        .old
        .as_deref()
        .map(escape::escape_line)
        .as_deref()
        .unwrap_or("(unset)")
        .to_owned();
    let lines = vec![
        format!("✓ Set {dimension} = {shown} on {id} (was {from})"),
        format!("  Event: {}", event.id),
    ];
    TextReport::lines(json, lines).into_answer()
}
