use serde::Serialize;

use crate::context::Context;
use bd::molecule::burn::{self, BurnedMolecule};
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::counted;

/// Remove molecules with all their steps, without a digest
///
/// Wisps are gone; durable beads become tombstones, which `bd restore ID` brings back. Asks first,
/// unless --force or --json is given.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecules
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Only show what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long, visible_alias = "yes", short_alias = 'y')]
    force: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let mut looked = Vec::new();
    for given in &args.ids {
        let snapshot = ctx.store_for_id(given)?.snapshot()?;
        let root = snapshot.resolve(given)?.id.clone();
        looked.push(burn::preview_burn(&snapshot, &root)?);
    }
    if args.dry_run {
        return report_burn(looked, 0, true);
    }
    ctx.check_writable("burn")?;
    if !args.force && !ctx.ui.is_json() && !is_confirmed(ctx, &looked)? {
        kit::bail_usage!("nothing was removed");
    }
    let mut burned = Vec::new();
    let mut failed = 0;
    for molecule in &looked {
        let store = ctx.store_for_id(&molecule.root)?;
        let result = store.transact(&ctx.author(), &ctx.clock, |tx| {
            Ok(burn::burn_molecule(tx, &molecule.root)?)
        });
        match result {
            Ok(done) => burned.push(done),
            Err(error) if looked.len() == 1 => return Err(error),
            Err(error) => {
                failed += 1;
                let message = bd::error::describe_failure(&error).message;
                ctx.ui.problem(&format!("Error: {message}"));
            }
        }
    }
    report_burn(burned, failed, false)
}

fn is_confirmed(ctx: &Context, previewed: &[BurnedMolecule]) -> anyhow::Result<bool> {
    for molecule in previewed {
        let kind = if molecule.was_wisp {
            "wisp"
        } else {
            "molecule"
        };
        let count = counted(molecule.ids.len(), "bead");
        ctx.ui
            .status(&format!("Burn {kind} {} ({count})? [y/N]", molecule.root));
    }
    kit::gateway::prepare_input();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn report_burn(burned: Vec<BurnedMolecule>, failed: usize, dry_run: bool) -> CommandResult {
    let total_deleted = burned.iter().map(|burned| burned.ids.len()).sum();
    let results = burned.iter().map(|burned| BurnedEntry {
        molecule_id: burned.root.clone(),
        deleted_ids: burned.ids.clone(),
        deleted_count: burned.ids.len(),
    });
    let mut results: Vec<BurnedEntry> = results.collect();
    let outcome = match results.pop() {
        Some(single) if results.is_empty() && failed == 0 => BurnOutcome::Single(single),
        last => {
            results.extend(last);
            BurnOutcome::Several {
                results,
                total_deleted,
                failed_count: failed,
            }
        }
    };
    let report = BurnReport { outcome, dry_run };
    build_report_with_exit(u8::from(failed > 0), report, move |_, page| {
        let mark = page.style().green("✓");
        for burned in &burned {
            let count = counted(burned.ids.len(), "bead");
            if dry_run {
                page.line(format!("Would burn {}: {count}", burned.root));
            } else {
                page.line(format!("{mark} Burned {}: {count}", burned.root));
            }
        }
    })
}

#[derive(Serialize)]
struct BurnReport {
    #[serde(flatten)]
    outcome: BurnOutcome,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum BurnOutcome {
    Single(BurnedEntry),
    Several {
        results: Vec<BurnedEntry>,
        total_deleted: usize,
        failed_count: usize,
    },
}

#[derive(Serialize)]
struct BurnedEntry {
    molecule_id: String,
    deleted_ids: Vec<String>,
    deleted_count: usize,
}
