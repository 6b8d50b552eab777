use anyhow::Context as _;

use super::comment;
use crate::context::Context;
use bd::bead::Comment;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::sys::env::local_time_zone;
use kit::ui::{Page, escape, time};

/// Show the comments on a bead, or add one
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: Option<String>,
    #[arg(long, hide = true)]
    local_time: bool,
    #[command(subcommand)]
    verb: Option<CommentsCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum CommentsCommand {
    /// Add a comment
    Add(comment::Args),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(CommentsCommand::Add(add)) = args.verb {
        return comment::run(ctx, add);
    }
    let id = args
        .id
        .ok_or_else(|| UsageError("issue ID is required".into()))?;
    let snapshot = ctx.store_for_id(&id)?.snapshot()?;
    let bead = snapshot
        .resolve(&id)
        .with_context(|| format!("resolving {id}"))?;
    let id = bead.id.clone();
    build_report(bead.comments.clone(), move |comments, page| {
        write_comments(&id, comments, page);
    })
}

fn write_comments(id: &str, comments: &[Comment], page: &mut Page) {
    if comments.is_empty() {
        page.line(format!("No comments on {id}"));
        return;
    }
    page.line(format!("Comments on {id}:"));
    let zone = local_time_zone();
    for comment in comments {
        page.blank();
        let when = time::format_local(comment.created_at.instant(), &zone);
        page.line(format!(
            "[{}] at {when}",
            escape::escape_line(&comment.author)
        ));
        for line in escape::escape_block(&comment.text).lines() {
            page.line(format!("  {line}"));
        }
    }
}
