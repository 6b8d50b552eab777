//! `gt dog dispatch`.

use kit::ui::escape;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::dog::chore::{self, Chore};

/// Do a chore in the name of an idle dog
///
/// A chore is plain code and asks no model. With `--json` {chore, dog, dog_created, lines[]}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The chore
    #[arg(value_enum, required_unless_present = "plugin")]
    chore: Option<Chore>,
    /// Accepted for scripts: the chore is an argument
    #[arg(long, value_enum, hide = true, conflicts_with = "chore")]
    plugin: Option<Chore>,
    /// This dog
    #[arg(long, value_name = "NAME")]
    dog: Option<String>,
    /// Add a dog if none is idle
    #[arg(long)]
    create: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let Some(named) = args.chore.or(args.plugin) else {
        anyhow::bail!("name a chore");
    };
    let done = chore::dispatch_chore(&ctx.open_town()?, named, args.dog.as_deref(), args.create)?;
    build_report(done, |done, page| {
        page.line(format!("✓ {} did {}", done.dog, done.chore.name()));
        for line in &done.lines {
            page.line(format!("  {}", escape::escape_line(line)));
        }
        if done.lines.is_empty() {
            page.line("  nothing was found");
        }
    })
}
