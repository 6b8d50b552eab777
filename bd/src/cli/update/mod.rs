mod edit;

use crate::change::{self, ChangeError, Edit};
use crate::context::Context;
use crate::store::Tx;

use super::args::DescriptionArgs;
use super::each;
use super::report::{Answer, Changed, Nothing};

/// Change fields of beads.
///
/// Without ids the bead that was last created, updated or shown is meant. --claim takes a bead that no one
/// has: it gets you as assignee and is in progress; of several who try at once exactly one succeeds. Empty
/// text clears a field.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Status: open, in_progress, blocked, deferred, closed, pinned, hooked, or one from status.custom
    #[arg(short, long, value_name = "STATUS")]
    status: Option<String>,
    /// Priority, 0-4 or P0-P4
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<String>,
    /// Title
    #[arg(long, value_name = "TITLE", allow_hyphen_values = true)]
    title: Option<String>,
    /// Kind
    #[arg(short = 't', long = "type", value_name = "KIND")]
    kind: Option<String>,
    /// Who works on it
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// No one works on it
    #[arg(long, conflicts_with = "assignee")]
    unassign: bool,
    #[command(flatten)]
    description: DescriptionArgs,
    /// How it is to be done
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    design: Option<String>,
    /// When it is done
    #[arg(
        long,
        value_name = "TEXT",
        alias = "acceptance-criteria",
        allow_hyphen_values = true
    )]
    acceptance: Option<String>,
    /// Working notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    notes: Option<String>,
    /// Add a line to the notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    append_notes: Option<String>,
    /// Its id in another tracker
    #[arg(long, value_name = "REF")]
    external_ref: Option<String>,
    /// A specification
    #[arg(long, value_name = "PATH")]
    spec_id: Option<String>,
    /// Estimated minutes
    #[arg(short, long, value_name = "MINUTES", allow_hyphen_values = true)]
    estimate: Option<i64>,
    /// Add labels
    #[arg(long, value_name = "LABELS")]
    add_label: Vec<String>,
    /// Remove labels
    #[arg(long, value_name = "LABELS")]
    remove_label: Vec<String>,
    /// Replace all labels; empty clears them
    #[arg(long, value_name = "LABELS")]
    set_labels: Option<Vec<String>>,
    /// Make it a child of this bead; empty detaches it
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Take it, if no one has it
    #[arg(long)]
    claim: bool,
    /// The agent session, for closing
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// When it is due; empty clears
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    due: Option<String>,
    /// Not ready before this time; empty clears
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    defer: Option<String>,
    /// What a gate waits for
    #[arg(long, value_name = "ID", hide = true)]
    await_id: Option<String>,
    /// Make it a wisp
    #[arg(long, conflicts_with = "persistent")]
    ephemeral: bool,
    /// Make a wisp durable
    #[arg(long)]
    persistent: bool,
    /// JSON of your own, or @file
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

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    ctx.may_change("update")?;
    let ids = each::ids_or_last(ctx, args.ids.clone())?;
    let Some(edit) = edit::read(ctx, &args)? else {
        ctx.ui.raw("No updates specified\n");
        return Ok(Box::new(Nothing));
    };
    let who = ctx.author().actor;
    let beads = each::change(ctx, "updating", &ids, |tx, id| {
        check(tx, &edit)?;
        if args.claim {
            change::claim(tx, id, &who)?;
        }
        change::update(tx, id, edit.clone())
    })?;
    if let Some(bead) = beads.last() {
        ctx.touch(&bead.id);
    }
    Ok(Box::new(Changed {
        beads,
        line: |bead| format!("✓ Updated issue: {}", bead.id),
    }))
}

/// Kinds and statuses are words of this project; a parent is there. Looked at before anything is changed.
fn check(tx: &Tx<'_>, edit: &Edit) -> Result<(), ChangeError> {
    use crate::bead::validate::Invalid;
    use crate::store::StoreError;
    if let Some(kind) = &edit.issue_type
        && !tx.vocabulary().knows_kind(kind)
    {
        let valid = tx.vocabulary().kinds_in_words();
        let kind = format!("{kind}. Valid types: {valid}");
        return Err(StoreError::from(Invalid::Kind(kind)).into());
    }
    if let Some(Some(parent)) = &edit.parent
        && tx.get_live(parent).is_none()
    {
        return Err(ChangeError::NoParent(parent.clone()));
    }
    Ok(())
}
