use anyhow::Context as _;

use super::args;
use crate::context::Context;
use bd::change;
use kit::cli::report::{CommandResult, build_report};

/// Comment on a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// The text
    #[arg(value_name = "TEXT")]
    pub(super) text: Vec<String>,
    /// Read the text from a file; `-` is standard input
    #[arg(short, long, value_name = "PATH", conflicts_with = "text")]
    pub(super) file: Option<String>,
    /// Read the text from standard input
    #[arg(long, conflicts_with_all = ["text", "file"])]
    pub(super) stdin: bool,
    /// The author
    #[arg(short, long, value_name = "NAME")]
    pub(super) author: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("comment")?;
    if ["edit", "delete", "remove", "rm"].contains(&args.id.as_str()) && args.text.len() > 1 {
        let id = &args.text[0];
        kit::bail_usage!("comments are never changed; add another one:\n  bd comment {id} TEXT");
    }
    let text = match (&args.file, args.stdin, args.text.as_slice()) {
        (Some(path), _, _) => args::read_input_file(ctx, path)?,
        (None, true, _) => args::read_stdin()?,
        (None, false, []) => {
            kit::bail_usage!("comment text required (use -f to read from a file)");
        }
        (None, false, words) => words.join(" "),
    };
    let store = ctx.store_for_id(&args.id)?;
    let author = ctx.author();
    let who = args.author.as_deref().unwrap_or(&author.actor);
    let comment = store.transact(&author, &ctx.clock, |tx| {
        let bead = tx
            .resolve(&args.id)
            .with_context(|| format!("resolving {}", args.id))?;
        let id = bead.id.clone();
        Ok(change::add_comment(tx, &id, who, &text)?)
    })?;
    build_report(comment, |comment, page| {
        page.line(format!("Comment added to {}", comment.issue_id));
    })
}
