use crate::context::Context;
use kit::cli::report::{CommandResult, build_empty_report};

/// Create a bead and print only its id
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The title
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// The priority, 0-4 or P0-P4
    #[arg(short, long, default_value = "2", value_name = "N")]
    priority: String,
    /// The type
    #[arg(
        short = 't',
        long = "type",
        default_value = "task",
        value_name = "KIND"
    )]
    kind: String,
    /// Add these labels
    #[arg(short, long, value_name = "LABELS")]
    labels: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let title = args.words.join(" ");
    let quick = super::create::Args::for_quick(title, args.priority, args.kind, args.labels);
    let (bead, _) = super::create::create_from_args(ctx, &quick)?;
    ctx.ui.raw(&format!("{}\n", bead.id));
    build_empty_report()
}
