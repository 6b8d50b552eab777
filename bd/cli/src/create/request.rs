//! Builds the new bead that the flags of `bd create` describe.

use crate::args;
use crate::context::Context;
use bd::bead::{Bead, DepKind, Kind};
use bd::change::NewBead;
use bd::molecule::proto;
use kit::failure::UsageError;

use super::Args;

pub(super) fn read_new_bead(ctx: &Context, args: &Args) -> anyhow::Result<NewBead> {
    let description = args.description.read(ctx)?.unwrap_or_default();
    if description.is_empty() && ctx.config.checked_flag("create.require-description")? {
        kit::bail_usage!("description is required (create.require-description is set)");
    }
    if args.agent_rig.is_some() && args.kind.as_deref() != Some("agent") {
        kit::bail_usage!("--agent-rig flag requires --type=agent");
    }
    if args.estimate.is_some_and(|minutes| minutes < 0) {
        kit::bail_usage!("estimate must be a non-negative number of minutes");
    }
    let read_text = |flag: &Option<String>| flag.clone().unwrap_or_default();
    let metadata = args
        .metadata
        .as_deref()
        .map(|text| args::read_json_arg(ctx, "--metadata", text));
    let new = NewBead {
        id: args.id.clone(),
        force: args.force,
        parent: args.parent.clone(),
        title: read_title(args)?,
        description,
        design: read_text(&args.design),
        acceptance_criteria: read_text(&args.acceptance),
        notes: read_text(&args.notes),
        spec_id: read_text(&args.spec_id),
        priority: args::parse_priority_arg(args.priority.as_deref().unwrap_or("2"))?,
        issue_type: Kind::from_user_text(args.kind.as_deref().unwrap_or("task")),
        assignee: args::resolve_assignee(ctx, args.assignee.as_deref()).unwrap_or_default(),
        labels: args::parse_labels(&args.labels),
        external_ref: args.external_ref.clone(),
        estimated_minutes: args.estimate,
        due_at: args::parse_stamp(ctx, "--due", args.due.as_deref().unwrap_or(""))?,
        defer_until: args::parse_stamp(ctx, "--defer", args.defer.as_deref().unwrap_or(""))?,
        metadata: metadata.transpose()?,
        ephemeral: args.ephemeral,
        mol_type: read_text(&args.mol_type),
        wisp_type: read_text(&args.wisp_type),
        role_type: read_text(&args.role_type),
        rig: read_text(&args.agent_rig),
        event_kind: read_text(&args.event_category),
        actor: read_text(&args.event_actor),
        target: read_text(&args.event_target),
        payload: read_text(&args.event_payload),
        ..NewBead::default()
    };
    match &args.from_template {
        Some(id) => from_template(ctx, args, new, id),
        None => Ok(new),
    }
}

/// Fills the values that the flags leave out from another bead.
fn from_template(ctx: &Context, args: &Args, new: NewBead, id: &str) -> anyhow::Result<NewBead> {
    let snapshot = ctx.store_for_id(id)?.snapshot()?;
    let bead = snapshot.resolve(id)?;
    let choose_text = |given: String, fallback: &String| {
        if given.is_empty() {
            fallback.clone()
        } else {
            given
        }
    };
    let mut labels = new.labels;
    for label in bead.labels.iter().filter(|label| *label != proto::LABEL) {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    Ok(NewBead {
        description: choose_text(new.description, &bead.description),
        design: choose_text(new.design, &bead.design),
        acceptance_criteria: choose_text(new.acceptance_criteria, &bead.acceptance_criteria),
        notes: choose_text(new.notes, &bead.notes),
        priority: args
            .priority
            .as_ref()
            .map_or(bead.priority, |_| new.priority),
        issue_type: match args.kind {
            Some(_) => new.issue_type,
            None => bead.issue_type.clone(),
        },
        estimated_minutes: new.estimated_minutes.or(bead.estimated_minutes),
        labels,
        ..new
    })
}

fn read_title(args: &Args) -> Result<String, UsageError> {
    match (&args.positional, &args.title_flag) {
        (Some(first), Some(second)) if first != second => Err(UsageError(format!(
            "cannot specify different titles as both positional argument and --title flag: \"{first}\" and \"{second}\""
        ))),
        (Some(title), _) | (None, Some(title)) => Ok(title.clone()),
        (None, None) => Err(UsageError("title required".into())),
    }
}

/// Parses the edges of --deps into kind and target.
pub(super) fn parse_edges(args: &Args) -> Vec<(DepKind, String)> {
    args::split_values(&args.deps)
        .into_iter()
        .map(parse_edge)
        .collect()
}

/// Parses an edge: `kind:id`, or `id` for a `blocks` edge.
pub(super) fn parse_edge(text: String) -> (DepKind, String) {
    match text.split_once(':') {
        Some((kind, target)) if !text.starts_with("external:") => {
            (DepKind::from(kind.trim()), target.trim().to_owned())
        }
        _ => (DepKind::Blocks, text.trim().to_owned()),
    }
}

/// Builds the bead that a dry run shows.
pub(super) fn preview_bead(new: NewBead) -> Bead {
    Bead {
        title: new.title,
        description: new.description,
        priority: new.priority,
        issue_type: new.issue_type,
        assignee: new.assignee,
        labels: new.labels,
        ..Bead::default()
    }
}
