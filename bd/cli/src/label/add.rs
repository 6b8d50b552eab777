use crate::context::Context;
use crate::each;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation};
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
    let (ids, labels) = split_off_labels(args.ids_and_label)?;
    for label in &labels {
        refuse_reserved(label)?;
    }
    let done = each::change_each(ctx, "labelling", &ids, |tx, id| {
        for label in &labels {
            change::add_label(tx, id, label)?;
        }
        Ok(id.to_owned())
    })?;
    report_added(&done, &labels)
}

/// Fails for labels that only a command may add.
pub(crate) fn refuse_reserved(label: &str) -> Result<(), UsageError> {
    if label.starts_with("provides:") {
        kit::bail_usage!(
            "'provides:' labels say that a capability was shipped and are not added by hand"
        );
    }
    Ok(())
}

pub(crate) fn report_added(ids: &[String], labels: &[String]) -> CommandResult {
    report_labels(ids, labels, "added", "✓ Added label", "to")
}

/// Splits the words into the beads and the label after them. Words with a colon are labels too,
/// because no id has one.
pub(super) fn split_off_labels(
    mut words: Vec<String>,
) -> Result<(Vec<String>, Vec<String>), UsageError> {
    let mut labels = Vec::new();
    labels.extend(words.pop().filter(|label| !label.is_empty()));
    while words.len() > 1 && words.last().is_some_and(|word| word.contains(':')) {
        labels.extend(words.pop());
    }
    labels.reverse();
    if labels.is_empty() || words.is_empty() {
        kit::bail_usage!("give the beads and last the label");
    }
    Ok((words, labels))
}

pub(super) fn report_labels(
    ids: &[String],
    labels: &[String],
    status: &'static str,
    action: &'static str,
    preposition: &'static str,
) -> CommandResult {
    let changes: Vec<_> = ids
        .iter()
        .flat_map(|id| labels.iter().map(move |label| (id.clone(), label.clone())))
        .map(|(issue_id, label)| kit::report_value! { status, issue_id, label })
        .collect();
    build_confirmation(changes, move |changes, page| {
        for change in changes {
            let label = escape::escape_line(&change.label);
            page.line(format!(
                "{action} '{label}' {preposition} {}",
                change.issue_id
            ));
        }
    })
}
