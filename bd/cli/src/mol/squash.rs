use super::super::args;
use crate::context::Context;
use bd::molecule::squash::{self, SquashOutcome, SquashRequest};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted};

/// Squash the wisps of a molecule into one digest
///
/// The digest is a closed bead with --summary as its text, or with a line for each step. The wisps
/// are removed. If the molecule itself is a wisp it is removed too. A molecule without wisps stays
/// unchanged.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The molecule
    #[arg(value_name = "ID")]
    id: String,
    /// The text of the digest; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    summary: Option<String>,
    /// Keep the wisps
    #[arg(long)]
    keep_children: bool,
    /// Only show what would be squashed
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store_for_id(&args.id)?;
    if args.dry_run {
        let snapshot = store.snapshot()?;
        let root = snapshot.resolve(&args.id)?.id.clone();
        let members = bd::molecule::progress::list_molecule_steps(&snapshot, &root);
        let wisps = members
            .iter()
            .filter(|member| member.is_ephemeral())
            .count();
        let preview = kit::report_value! {
            molecule_id: root, squashed_count: wisps, dry_run: true
        };
        return build_report(preview, |preview, page| {
            let wisps = counted(preview.squashed_count, "wisp");
            page.line(format!("Would squash {wisps} of {}", preview.molecule_id));
        });
    }
    ctx.check_writable("squash")?;
    let summary = match args.summary.as_deref() {
        Some("-") => args::read_stdin()?,
        given => given.unwrap_or("").to_owned(),
    };
    let request = SquashRequest {
        summary,
        keep_children: args.keep_children,
        daily: false,
    };
    let done = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let root = super::resolve_bead(tx, &args.id)?.id;
        Ok(squash::squash_molecule(tx, &root, &request)?)
    })?;
    let report = kit::report_value! {
        molecule_id: done.molecule.clone(),
        digest_id: done.digest.clone().unwrap_or_default(),
        squashed_ids: done.digest.as_ref().map(|_| done.ids.clone()),
        squashed_count: done.ids.len(),
        deleted_count: done.deleted,
        kept_children: args.keep_children,
        wisp_squash: done.was_wisp
    };
    build_report(report, move |_, page| write_squash(&done, page))
}

fn write_squash(done: &SquashOutcome, page: &mut Page) {
    let Some(digest) = &done.digest else {
        page.line(format!("{} has no wisps: nothing to squash", done.molecule));
        return;
    };
    let mark = page.style().green("✓");
    let count = counted(done.ids.len(), "wisp");
    page.line(format!(
        "{mark} Squashed {count} of {} into {digest}",
        done.molecule
    ));
    if done.deleted > 0 {
        page.line(format!("  Removed {}", counted(done.deleted, "wisp")));
    }
}
