mod edit;

use super::args::DescriptionArgs;
use super::each;
use super::reassign::confirm_loss_of_work;
use super::report::confirm_changes;
use crate::context::Context;
use bd::bead::Status;
use bd::change::{self, BeadEdit, ChangeError};
use bd::store::Tx;
use kit::cli::report::{CommandResult, build_empty_report};

/// Change fields of beads
///
/// All of them or none. On a terminal and outside a town, changes the bead that you last created or
/// changed if no id is given. --claim takes an
/// unassigned bead: you become its assignee and it is in progress. If several agents claim a bead
/// at once, exactly one succeeds. Empty text clears a field.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The status: open, in_progress, blocked, deferred, closed, pinned, hooked, or one of
    /// status.custom
    #[arg(short, long, value_name = "STATUS")]
    status: Option<String>,
    /// The priority, 0-4 or P0-P4
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<String>,
    /// The title
    #[arg(long, value_name = "TITLE", allow_hyphen_values = true)]
    title: Option<String>,
    /// The type
    #[arg(short = 't', long = "type", value_name = "KIND")]
    kind: Option<String>,
    /// The assignee; `me` is you, `none` removes it
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// Remove the assignee
    #[arg(long, conflicts_with = "assignee")]
    unassign: bool,
    #[command(flatten)]
    description: DescriptionArgs,
    /// The design
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    design: Option<String>,
    /// The acceptance criteria
    #[arg(
        long,
        value_name = "TEXT",
        alias = "acceptance-criteria",
        allow_hyphen_values = true
    )]
    acceptance: Option<String>,
    /// The notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    notes: Option<String>,
    /// Append a line to the notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    append_notes: Option<String>,
    /// The id in another tracker
    #[arg(long, value_name = "REF")]
    external_ref: Option<String>,
    /// The id of a specification
    #[arg(long, value_name = "SPEC")]
    spec_id: Option<String>,
    /// The estimate in minutes
    #[arg(short, long, value_name = "MINUTES", allow_hyphen_values = true)]
    estimate: Option<i64>,
    /// Add labels
    #[arg(long, value_name = "LABELS")]
    add_label: Vec<String>,
    /// Remove labels
    #[arg(long, value_name = "LABELS")]
    remove_label: Vec<String>,
    /// Replace all labels; empty clears them
    #[arg(long, alias = "labels", value_name = "LABELS")]
    set_labels: Option<Vec<String>>,
    /// The parent; empty removes it
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Claim the bead if it is unassigned
    #[arg(long)]
    claim: bool,
    /// Change the bead only at this version: `version` or `updated_at` of `show --json`
    ///
    /// `version` changes with every field, label, edge and comment, `updated_at` with fields only.
    /// Another version is the error code `changed` and exit code 3, and nothing is changed.
    #[arg(long, value_name = "VERSION")]
    expect_version: Option<String>,
    /// The agent session, for closing
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The due date; empty clears it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    due: Option<String>,
    /// Defer it until this time; empty clears it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    defer: Option<String>,
    /// The beads that a gate waits for
    #[arg(long, value_name = "ID", hide = true)]
    await_id: Option<String>,
    /// Make it a wisp
    #[arg(long, conflicts_with = "persistent")]
    ephemeral: bool,
    /// Make a wisp durable
    #[arg(long)]
    persistent: bool,
    /// Metadata as JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// Set one key of the metadata
    #[arg(long, value_name = "KEY=VALUE")]
    set_metadata: Vec<String>,
    /// Remove one key of the metadata
    #[arg(long, value_name = "KEY")]
    unset_metadata: Vec<String>,
    #[arg(long, hide = true)]
    allow_empty_description: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("update")?;
    let ids = each::ids_or_last(ctx, args.ids.clone())?;
    let Some(edit) = edit::read_edit_flags(ctx, &args)? else {
        if let Some((field, value)) = args.ids.iter().find_map(|id| id.split_once('=')) {
            kit::bail_usage!(
                "`{field}={value}` is not a bead ID; fields are flags: --{field} {value}"
            );
        }
        ctx.ui.raw("No updates specified\n");
        return build_empty_report();
    };
    if args.expect_version.is_some() && ids.len() != 1 {
        kit::bail_usage!("--expect-version takes one bead ID");
    }
    confirm_loss_of_work(ctx, &ids, edit.assignee.as_deref())?;
    let who = ctx.author().actor;
    let beads = each::change_each(ctx, "updating", &ids, |tx, id| {
        if let Some(version) = &args.expect_version {
            change::check_version(tx, id, version)?;
        }
        check_edit(tx, &edit)?;
        // `bd unclaim` gives a bead back and does not reopen it.
        let gives_back = args.unassign && edit.status == Some(Status::Open);
        if gives_back
            && tx
                .get_live(id)
                .is_some_and(|bead| bead.status == Status::Closed)
        {
            return Err(ChangeError::ClaimClosed(id.to_owned()));
        }
        if args.claim {
            change::claim_bead(tx, id, &who)?;
        }
        change::update_bead(tx, id, edit.clone())
    })?;
    if let Some(bead) = beads.last() {
        ctx.set_last_touched(&bead.id);
    }
    confirm_changes(beads, |bead| format!("✓ Updated issue: {}", bead.id))
}

/// Checks, before anything is changed, that kind and status are words of this project and that the
/// parent exists.
fn check_edit(tx: &Tx<'_>, edit: &BeadEdit) -> Result<(), ChangeError> {
    use bd::bead::validate::ValidationError;
    use bd::store::StoreError;
    if let Some(kind) = &edit.issue_type
        && !tx.vocabulary().has_kind(kind)
    {
        let valid = tx.vocabulary().list_kinds();
        let kind = format!("{kind}. Valid types: {valid}");
        return Err(StoreError::from(ValidationError::Kind(kind)).into());
    }
    if let Some(status) = &edit.status
        && !tx.vocabulary().has_status(status)
    {
        let valid = tx.vocabulary().list_statuses();
        let nearest = match status.as_str() {
            "done" | "completed" | "complete" | "finished" | "resolved" | "fixed" => {
                " (here: closed)"
            }
            "wip" | "started" | "doing" | "active" => " (here: in_progress)",
            "todo" | "new" | "reopened" => " (here: open)",
            _ => "",
        };
        let status = format!("{status}{nearest}. Valid statuses: {valid}");
        return Err(StoreError::from(ValidationError::Status(status)).into());
    }
    if let Some(Some(parent)) = &edit.parent
        && tx.get_live(parent).is_none()
    {
        return Err(ChangeError::NoParent(parent.clone()));
    }
    Ok(())
}
