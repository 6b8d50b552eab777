//! Builds the edit that the flags of `bd update` describe.

use crate::args;
use crate::context::Context;
use bd::bead::{Kind, RawJson, Status};
use bd::change::BeadEdit;
use kit::failure::UsageError;

use super::Args;

/// Builds the edit, or returns `None` if the flags request no change.
pub(super) fn read_edit_flags(ctx: &Context, args: &Args) -> anyhow::Result<Option<BeadEdit>> {
    if args.estimate.is_some_and(|minutes| minutes < 0) {
        kit::bail_usage!("estimate must be a non-negative number of minutes");
    }
    if args.notes.is_some() && args.append_notes.is_some() {
        kit::bail_usage!("cannot specify both --notes and --append-notes");
    }
    let metadata = args
        .metadata
        .as_deref()
        .map(|text| args::read_json_arg(ctx, "--metadata", text));
    let edit = BeadEdit {
        title: args.title.clone(),
        description: args.description.read(ctx)?,
        design: args.design.clone(),
        acceptance_criteria: args.acceptance.clone(),
        notes: args.notes.clone(),
        append_notes: args.append_notes.clone(),
        spec_id: args.spec_id.clone(),
        status: args.status.as_deref().map(Status::from),
        priority: args
            .priority
            .as_deref()
            .map(args::parse_priority_arg)
            .transpose()?,
        issue_type: args.kind.as_deref().map(Kind::from_user_text),
        assignee: if args.unassign {
            Some(String::new())
        } else {
            args::resolve_assignee(ctx, args.assignee.as_deref())
        },
        external_ref: args.external_ref.clone(),
        estimated_minutes: args.estimate,
        due_at: args
            .due
            .as_deref()
            .map(|text| args::parse_stamp(ctx, "--due", text))
            .transpose()?,
        defer_until: args
            .defer
            .as_deref()
            .map(|text| args::parse_stamp(ctx, "--defer", text))
            .transpose()?,
        await_id: args.await_id.clone(),
        ephemeral: (args.ephemeral || args.persistent).then_some(args.ephemeral),
        metadata: metadata.transpose()?,
        set_metadata: parse_metadata_pairs(&args.set_metadata)?,
        unset_metadata: args.unset_metadata.clone(),
        set_labels: args.set_labels.as_deref().map(args::parse_labels),
        add_labels: args::split_values(&args.add_label),
        remove_labels: args::split_values(&args.remove_label),
        parent: args.parent.clone().map(|id| (!id.is_empty()).then_some(id)),
        session: choose_session(ctx, args),
        ..BeadEdit::default()
    };
    Ok(has_changes(&edit, args).then_some(edit))
}

fn choose_session(ctx: &Context, args: &Args) -> Option<String> {
    args.session
        .clone()
        .or_else(|| ctx.env.get("CLAUDE_SESSION_ID").map(str::to_owned))
}

fn has_changes(edit: &BeadEdit, args: &Args) -> bool {
    let nothing = BeadEdit {
        session: edit.session.clone(),
        ..BeadEdit::default()
    };
    args.claim || format!("{edit:?}") != format!("{nothing:?}")
}

/// Parses `key=value` pairs. The values are text.
fn parse_metadata_pairs(given: &[String]) -> anyhow::Result<Vec<(String, RawJson)>> {
    given
        .iter()
        .map(|text| {
            let (key, value) = text
                .split_once('=')
                .filter(|(key, _)| !key.is_empty())
                .ok_or_else(|| {
                    UsageError(format!("invalid --set-metadata \"{text}\": use key=value"))
                })?;
            Ok((key.to_owned(), serde_json::value::to_raw_value(value)?))
        })
        .collect()
}
