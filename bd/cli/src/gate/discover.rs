use jiff::SignedDuration;

use super::forge::{forge_commands, warn_about_command};
use crate::context::Context;
use bd::molecule::{MoleculeError, gate};
use bd::query::when;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;

/// Find the CI runs for gates without a run id
///
/// Asks for the latest runs of a branch and gives each gate of type gh:run that has no id the
/// newest run that began after the gate was made, or shortly before.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only show what would be set
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// The branch
    #[arg(short, long, value_name = "BRANCH", default_value = "main")]
    branch: String,
    /// Look at this many runs
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// The maximum age of a run when the gate was created
    #[arg(short = 'a', long, value_name = "DURATION", default_value = "30m")]
    max_age: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let age = when::parse_duration(&args.max_age).ok_or_else(|| {
        UsageError(format!(
            "invalid --max-age \"{}\": use 30m or 2h",
            args.max_age
        ))
    })?;
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let open: Vec<_> = gate::list_gates(&snapshot, false)
        .into_iter()
        .filter(|bead| bead.await_type == "gh:run" && bead.await_id.is_empty())
        .cloned()
        .collect();
    if open.is_empty() {
        return build_report(kit::report_value! { discovered: [(); 0] }, |_, page| {
            page.line("No gate waits for a run without an id");
        });
    }
    warn_about_command(ctx, "gate.runs-command");
    let usual = "gh run list --branch {id} --limit 50 --json databaseId,name,createdAt";
    let answer = forge_commands(ctx)
        .run_command("gate.runs-command", usual, &args.branch)
        .map_err(|failure| MoleculeError::Refused(failure.to_string()))?;
    let runs = answer.as_array().map_or(&[][..], Vec::as_slice);
    let mut discovered = Vec::new();
    for bead in open {
        let begin = bead.created_at.instant() - SignedDuration::from_nanos(age);
        let fits = runs.iter().take(args.limit).find_map(|run| {
            let at: jiff::Timestamp = run["createdAt"].as_str()?.parse().ok()?;
            let id = run["databaseId"].as_u64()?;
            (at >= begin).then_some(id)
        });
        if let Some(run) = fits {
            discovered.push(kit::report_value! { gate: bead.id, run: run.to_string() });
        }
    }
    if !args.dry_run {
        ctx.check_writable("gate discover")?;
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            for found in &discovered {
                if let Some(mut bead) = tx.get_live(&found.gate).cloned() {
                    bead.await_id.clone_from(&found.run);
                    tx.put_updated(bead)?;
                }
            }
            Ok(())
        })?;
    }
    let report = kit::report_value! { discovered, dry_run: args.dry_run };
    build_report(report, |report, page| {
        for found in &report.discovered {
            page.line(format!("{} waits for run {}", found.gate, found.run));
        }
    })
}
