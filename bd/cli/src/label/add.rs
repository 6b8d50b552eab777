use serde_json::{Value, json};

use crate::context::Context;
use crate::each;
use bd::change;
use kit::cli::report::{CommandResult, TextReport};
use kit::failure::UsageError;
use kit::ui::escape;

/// Add a label to beads
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads, then the label
    #[arg(required = true, num_args = 2.., value_names = ["ID", "LABEL"])]
    ids_and_label: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("label")?;
    let (ids, label) = split_off_label(args.ids_and_label)?;
    refuse_reserved(&label)?;
    let done = each::change_each(ctx, "labelling", &ids, |tx, id| {
        change::add_label(tx, id, &label).map(|_| id.to_owned())
    })?;
    report_added(&done, &label)
}

/// Fails for labels that only a command may add.
pub(crate) fn refuse_reserved(label: &str) -> Result<(), UsageError> {
    if label.starts_with("provides:") {
        let text = "'provides:' labels say that a capability was shipped and are not added by hand";
        return Err(UsageError(text.into()));
    }
    Ok(())
}

pub(crate) fn report_added(ids: &[String], label: &str) -> CommandResult {
    build_label_answer(ids, label, "added", "✓ Added label")
}

/// Splits the words into the beads and the label after them.
pub(super) fn split_off_label(mut words: Vec<String>) -> Result<(Vec<String>, String), UsageError> {
    let label = words.pop().filter(|label| !label.is_empty());
    match label {
        Some(label) if !words.is_empty() => Ok((words, label)),
        _ => Err(UsageError("give the beads and last the label".into())),
    }
}

pub(super) fn build_label_answer(
    ids: &[String],
    label: &str,
    status: &str,
    text: &str,
) -> CommandResult {
    let label_json = |id: &String| json!({"status": status, "issue_id": id, "label": label});
    let value: Value = ids.iter().map(label_json).collect();
    let shown = escape::escape_line(label);
    let preposition = if status == "added" { "to" } else { "from" };
    let lines = ids
        .iter()
        .map(|id| format!("{text} '{shown}' {preposition} {id}"))
        .collect();
    TextReport::lines(value, lines).into_answer()
}
