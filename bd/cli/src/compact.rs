use jiff::SignedDuration;

use crate::context::Context;
use bd::bead::Bead;
use bd::store::compact;
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{counted, escape};

/// Move old closed beads to the archive
///
/// Moves beads that were closed before --older-than from issues.jsonl to archive/YYYY.jsonl, which
/// git tracks as well. An age is in days, weeks, months of 30 days, or years. `bd show` and `bd
/// search --archived` still find archived beads, `bd restore ID` moves them back. A bead stays if
/// an open bead depends on it, or if its parent stays.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Move beads closed longer ago than this: 90d, 12w, 6m, 1y
    #[arg(long, default_value = "90d", value_name = "AGE")]
    older_than: String,
    /// Print the beads that would move
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let cutoff = ctx
        .now()
        .checked_sub(parse_age(&args.older_than)?)
        .map_err(|_| UsageError(format!("{} is too long ago", args.older_than)))?;
    let store = ctx.store()?;
    let beads: Vec<Bead> = if args.dry_run {
        let snapshot = store.snapshot()?;
        let ids = compact::find_archivable(&snapshot, cutoff);
        ids.iter()
            .filter_map(|id| snapshot.get(id).cloned())
            .collect()
    } else {
        ctx.check_writable("compact")?;
        store.compact(&ctx.author(), &ctx.clock, cutoff)?
    };
    let dry_run = args.dry_run;
    let archived: Vec<String> = beads.iter().map(|bead| bead.id.clone()).collect();
    build_report(kit::report_value! { archived, dry_run }, move |_, page| {
        if beads.is_empty() {
            page.line(format!(
                "Nothing to archive: no bead was closed before {}, or open beads still depend on each of them",
                cutoff.strftime("%Y-%m-%d")
            ));
        } else if dry_run {
            page.line(format!("Would archive {}:", counted(beads.len(), "bead")));
            for bead in &beads {
                page.cut_line(format!(
                    "  {} {}",
                    bead.id,
                    escape::escape_line(&bead.title)
                ));
            }
        } else {
            let count = counted(beads.len(), "bead");
            page.line(format!("✓ Archived {count}; bd show still finds them"));
            page.line(
                "  If you commit beads, add .beads/archive to the same commit as issues.jsonl",
            );
        }
    })
}

/// Parses an age in days, weeks, months of 30 days or years of 365 days.
fn parse_age(text: &str) -> Result<SignedDuration, UsageError> {
    let build_error = || UsageError(format!("invalid age \"{text}\": use 90d, 12w, 6m or 1y"));
    let unit = text.chars().last().ok_or_else(build_error)?;
    let number: i64 = text[..text.len() - unit.len_utf8()]
        .parse()
        .map_err(|_| build_error())?;
    let days = match unit {
        'd' => 1,
        'w' => 7,
        'm' => 30,
        'y' => 365,
        _ => return Err(build_error()),
    };
    number
        .checked_mul(days * 24)
        .filter(|hours| (0..1_000_000).contains(hours))
        .map(SignedDuration::from_hours)
        .ok_or_else(build_error)
}
