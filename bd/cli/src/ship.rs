use crate::context::Context;
use bd::bead::Bead;
use bd::change;
use kit::cli::report::{CommandResult, build_confirmation, build_report};

/// Publish a capability for other projects
///
/// The closed bead labelled `export:CAPABILITY` also gets the label `provides:CAPABILITY`. Beads of
/// other projects that wait for `external:PROJECT:CAPABILITY` are free then. As JSON: `{status,
/// capability, issue_id, label}`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The capability
    #[arg(value_name = "CAPABILITY")]
    capability: String,
    /// Publish the capability even if its bead is open
    #[arg(long)]
    force: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let name = args.capability;
    let export = format!("export:{name}");
    let provides = format!("provides:{name}");
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let found: Vec<&Bead> = snapshot.select(|bead| bead.has_label(&export)).collect();
    let bead = match found.as_slice() {
        [] => kit::bail_usage!("no issue found with label '{export}'"),
        [one] => *one,
        many => {
            let ids: Vec<&str> = many.iter().map(|bead| bead.id.as_str()).collect();
            let ids = ids.join(", ");
            kit::bail_usage!("several issues have the label '{export}': {ids}");
        }
    };
    let id = bead.id.clone();
    if bead.has_label(&provides) {
        let shipped = kit::report_value! {
            status: "already_shipped", capability: name, issue_id: id
        };
        return build_confirmation(shipped, |shipped, page| {
            let name = &shipped.capability;
            page.line(format!(
                "✓ {name} is already shipped ({})",
                shipped.issue_id
            ));
        });
    }
    if bead.is_open() && !args.force {
        let status = &bead.status;
        kit::bail_usage!(
            "issue {id} is not closed (status: {status}); use --force to ship it anyway"
        );
    }
    if args.dry_run {
        let preview = kit::report_value! {
            status: "dry_run", capability: name, issue_id: id, would_add: provides
        };
        return build_report(preview, |preview, page| {
            page.line(format!(
                "Would ship {}: {} gets the label {}",
                preview.capability, preview.issue_id, preview.would_add
            ));
        });
    }
    ctx.check_writable("ship")?;
    store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(change::add_label(tx, &id, &provides)?)
    })?;
    let shipped = kit::report_value! {
        status: "shipped", capability: name, issue_id: id, label: provides
    };
    build_confirmation(shipped, |shipped, page| {
        page.line(format!(
            "✓ Shipped {}: {} has the label {}",
            shipped.capability, shipped.issue_id, shipped.label
        ));
    })
}
