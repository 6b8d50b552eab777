use super::args;
use super::import::DryRun;
use crate::context::Context;
use bd::change::{self, ScriptStep};
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::failure::UsageError;
use kit::ui::counted;

/// Make several changes in one transaction
///
/// The changes are read from standard input or a file, one per line: `create KIND PRIORITY TITLE`,
/// `update ID FIELD=VALUE …`, `close ID [REASON]`, `dep add FROM TO [KIND]`, `dep remove FROM TO`.
/// Double quotes keep words together. Empty lines and lines that start with `#` are left out. If
/// one change fails, none is made.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Read the changes from a file; `-` is standard input
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    file: String,
    /// Check the changes without making them
    #[arg(long)]
    dry_run: bool,
    /// Record this message in history
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    message: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("batch")?;
    let text = args::read_input_file(ctx, &args.file)?;
    let steps = change::read_script(&text).map_err(|error| UsageError(error.to_string()))?;
    let mut made = Vec::new();
    let done = ctx.store()?.transact(&ctx.author(), &ctx.clock, |tx| {
        made.clear();
        for ScriptStep { line, change } in &steps {
            let id = change.apply(tx);
            let id = id.map_err(|error| {
                anyhow::Error::from(error).context(format!("line {line}: {}", change.name()))
            })?;
            made.push(kit::report_value! { line: *line, operation: change.name(), id });
        }
        tx.describe("batch", &args.message);
        if args.dry_run {
            return Err(DryRun.into());
        }
        Ok(())
    });
    match done {
        Err(error) if error.is::<DryRun>() => {}
        done => done?,
    }
    let count = counted(made.len(), "change");
    let report =
        kit::report_value! { operations: made.len(), results: made, dry_run: args.dry_run };
    if args.dry_run {
        return build_report(report, move |_, page| {
            page.line(format!("Would make {count}"));
        });
    }
    build_confirmation(report, move |_, page| page.line(format!("✓ Made {count}")))
}
