use super::report::confirm_changes;
use super::{args, each};
use crate::context::Context;
use bd::change::{self, BeadEdit};
use kit::cli::report::CommandResult;

/// Add a line to the notes of a bead
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The text
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Read the text from a file; `-` is standard input
    #[arg(short, long, value_name = "PATH", conflicts_with = "text")]
    file: Option<String>,
    /// Read the text from standard input
    #[arg(long, conflicts_with_all = ["text", "file"])]
    stdin: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("note")?;
    let given = match (&args.file, args.stdin) {
        (Some(path), _) => args::read_input_file(ctx, path)?,
        (None, true) => args::read_stdin()?,
        (None, false) => args.text.join(" "),
    };
    let text = given.trim_end();
    if text.is_empty() {
        kit::bail_usage!("note text required: bd note ID TEXT");
    }
    let beads = each::change_each(ctx, "noting", &[args.id], |tx, id| {
        let append_notes = Some(text.to_owned());
        change::update_bead(
            tx,
            id,
            BeadEdit {
                append_notes,
                ..BeadEdit::default()
            },
        )
    })?;
    confirm_changes(beads, |bead| format!("✓ Note added to {}", bead.id))
}
